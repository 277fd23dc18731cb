"""Every command, for tests that look at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import click

from germane.cli import COMMANDS
from germane.cli.shell.command_class import Command


def all_commands() -> Iterator[tuple[str, Command]]:
    """Every command with its full name, those inside groups included."""
    for name in COMMANDS:
        found = import_module(f"germane.cli.commands.{name}").command
        assert isinstance(found, Command), f"{name} is not of the class of all commands"
        yield name, found
        if isinstance(found, click.Group):
            yield from ((f"{name} {inner}", each) for inner, each in found.commands.items())  # type: ignore[misc]


def leaf_commands() -> Iterator[tuple[str, Command]]:
    """Those that do something: no groups."""
    return ((name, command) for name, command in all_commands() if not isinstance(command, click.Group))
