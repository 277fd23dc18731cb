"""What the tests of documentation share: the pages, their texts, and all commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from docs import examples
from germane.cli import COMMANDS, group
from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


WRITTEN = examples.pages()


COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"


STATISTICS_PAGE = ROOT / "docs" / "reference" / "statistics.md"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def all_commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those inside groups included."""
    context = click.Context(group, info_name="germane")
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", found) for inner, found in command.commands.items())


def choices_of(command: str, option: str) -> list[str]:
    """The words that an option takes."""
    found = [param for param in dict(all_commands())[command].params if option in param.opts]
    assert isinstance(found[0].type, click.Choice)
    return [str(choice) for choice in found[0].type.choices]
