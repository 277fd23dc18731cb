"""Every command prints a result, and so takes every format; those that do not say why."""

from __future__ import annotations

import click

from germane.cli.shell.command_class import Command
from germane.output.rendering import STYLES
from tests.commands import leaf_commands

WITHOUT_A_RESULT = {
    "trec_eval": "prints what trec_eval prints, byte for byte",
    "topics sample": "prints or writes a file of topics",
    "convert": "writes a run or judgments",
    "report": "writes a page",
    "plot": "writes a figure",
    "exercise make": "prints or writes a sheet",
    "judge": "is an app in the browser",
    "demo": "runs the other commands",
    "completion": "prints a script for the shell",
}


def takes_every_format(command: Command) -> bool:
    """Whether its --format knows all formats."""
    types = [option.type for option in command.params if "--format" in option.opts]
    return any(isinstance(kind, click.Choice) and tuple(kind.choices) == STYLES for kind in types)


def test_every_command_takes_every_format() -> None:
    without = {name for name, command in leaf_commands() if not takes_every_format(command)}
    assert without == set(WITHOUT_A_RESULT)


def test_a_command_with_other_formats_is_caught() -> None:
    few = Command("few", params=[click.Option(["--format"], type=click.Choice(["table", "json"]))])
    assert not takes_every_format(few)
    assert not takes_every_format(Command("none"))
