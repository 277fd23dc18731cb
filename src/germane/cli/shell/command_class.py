"""The base class of all commands: their help, the order of their options, and usage errors."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import click

from germane.cli import CONTEXT, HELP, Context
from germane.cli.options.folder_arguments import apply_choice
from germane.cli.options.sections import in_order, section_of
from germane.errors import GermaneError
from germane.output.rendering.progress import shown_progress

RANGE = re.compile(r"\s*\[[\d.]*[<=]*x[<>=][^\];]*\]|; [\d.]*[<=]*x[<>=][^\];]*")
ARGUMENTS = "germane.arguments"
Maker = Callable[[Callable[..., Any]], Any]
"""Turns a function into a command."""


class Command(click.Command):
    """A command with examples, whose help shows its options in sections; every word can be completed."""

    context_class = Context

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **{"context_settings": CONTEXT, **kwargs})
        self.examples = tuple(examples)
        self.params = in_order(self.params)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return HELP

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        if ctx.resilient_parsing:  # a shell wants to complete a word
            from germane.cli.shell.completions import completed_type

            for param in params:
                param.type = completed_type(param) if param.type is click.STRING else param.type
        return params

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[ARGUMENTS] = given = list(args)
        try:
            if not ctx.resilient_parsing:  # during completion, the shell needs no errors
                self._require_once(ctx, given)
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            from germane.cli.shell.usage_errors import usage_problem

            raise usage_problem(error, self, ctx, given) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            apply_choice(ctx)
            if isinstance(self, click.Group):  # its subcommand shows its own
                return super().invoke(ctx)
            with shown_progress(ctx.command_path):
                return super().invoke(ctx)
        except GermaneError as error:
            from germane.cli.shell.spoken_options import in_options

            if not isinstance(self, click.Group):  # its subcommand has already rewritten the error
                in_options(error, self)
            raise

    def _require_once(self, ctx: click.Context, args: list[str]) -> None:
        """Refuse an option that is given twice but takes one value, even if the values are equal.

        A flag may be repeated, but not together with its opposite.
        """
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        if any(param.is_eager for param in order):  # --help and the like work whatever else is given
            return
        for option in dict.fromkeys(param for param in order if isinstance(param, click.Option)):
            opposed = not set(args).isdisjoint(option.opts) and not set(args).isdisjoint(option.secondary_opts)
            once = not (option.multiple or option.is_flag or option.count)
            if opposed or (once and order.count(option) > 1):
                from germane.cli.shell.usage_errors import given_twice

                raise given_twice(option, ctx, opposed=opposed)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:  # on one line each, so that they can be copied
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        self.format_options(ctx, formatter)
        self.format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in in_order(self.get_params(ctx)):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                # Errors state the range of an option; in the help it would be noise.
                sections.setdefault(section_of(param), []).append((record[0], RANGE.sub("", record[1])))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


class Group(Command, click.Group):
    """A command with subcommands, which lists them when it is run alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"no_args_is_help": False, **kwargs})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.list_commands(ctx) and not ctx.resilient_parsing:
            from germane.cli.shell.usage_errors import no_such_command

            raise no_such_command(args[0], self.list_commands(ctx), ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # in the order in which they are declared

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        first = {name: inspect.cleandoc(each.help or "").partition("\n\n")[0] for name, each in self.commands.items()}
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(text.split())) for name, text in first.items()])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.format_commands(ctx, formatter)
        Command.format_options(self, ctx, formatter)


def make_command(name: str, *examples: str, cls: type[Command] = Command, **own: Any) -> Maker:
    """Turn a function into a command: its docstring is the help, and `examples` are complete command lines."""
    return click.command(name, cls=cls, examples=examples, **own)


def subcommand(group: Group, name: str, *examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Turn a function into a subcommand of a group."""

    def add(function: Callable[..., Any]) -> Command:
        made: Command = make_command(name, *examples)(function)
        group.add_command(made)
        return made

    return add


def command_line() -> str:
    """Return the running command line, quoted for a shell, so that an output can state how it was made."""
    context = click.get_current_context()
    return shlex.join(["germane", str(context.info_name), *context.meta[ARGUMENTS]])
