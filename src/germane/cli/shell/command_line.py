"""A command that remembers how it was called, so that what it writes can say how to get it again."""

from __future__ import annotations

import shlex

import click

from germane.cli.shell.command_class import Command

ARGUMENTS = "germane.arguments"


class Remembered(Command):
    """Keeps the words of its command line."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)


def command_line() -> str:
    """The running command as a shell takes it."""
    context = click.get_current_context()
    return shlex.join(["germane", str(context.info_name), *context.meta[ARGUMENTS]])
