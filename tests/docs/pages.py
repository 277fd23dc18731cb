"""What the tests of documentation share: the pages and their texts."""

from __future__ import annotations

from pathlib import Path

import click

from docs import examples
from tests.commands import all_commands
from tests.conftest import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


WRITTEN = examples.pages()


COMMANDS_PAGE = ROOT / "docs" / "reference" / "commands.md"


STATISTICS_PAGE = ROOT / "docs" / "reference" / "statistics.md"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def choices_of(command: str, option: str) -> list[str]:
    """The words that an option takes."""
    found = [param for param in dict(all_commands())[command].params if option in param.opts]
    assert isinstance(found[0].type, click.Choice)
    return [str(choice) for choice in found[0].type.choices]
