"""A command that was typed wrongly: what was expected, what was found, and an example that works."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, Any

import click

from germane.errors import did_you_mean


class UsageProblem(click.UsageError):
    """Printed as germane's other errors are, with the command that was meant; the exit status is 2."""

    def __init__(self, message: str, ctx: click.Context | None = None, *, hint: str | None = None) -> None:
        super().__init__(message, ctx or click.get_current_context(silent=True))
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        command = self.ctx.command_path if self.ctx is not None else "germane"
        hint = "" if self.hint is None else f"\nHint: {self.hint}"
        click.echo(f"{command}: {self.message}{hint}", file=file, err=file is None)


def usage_problem(error: click.UsageError, command: Any, ctx: click.Context, args: Sequence[str]) -> click.UsageError:
    """What click found, in our words."""
    if isinstance(error, UsageProblem):
        return error
    hint = f"for example: {command.examples[0]}" if command.examples else f"{ctx.command_path} --help says how"
    if isinstance(error, click.NoSuchOption):
        known = [name for param in command.get_params(ctx) for name in (*param.opts, *param.secondary_opts)]
        near = did_you_mean(error.option_name, [name for name in known if name.startswith("-")])
        message = f"no option is called {error.option_name}{near}"
        return UsageProblem(message, ctx, hint=f"{ctx.command_path} --help lists them")
    if isinstance(error, click.BadOptionUsage):
        return UsageProblem(_bad_option(error.option_name, command, ctx), ctx, hint=hint)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return UsageProblem(f"expected {_name(error.param, ctx)}, found none", ctx, hint=hint)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return UsageProblem(_bad_value(error, error.param, command, ctx, args), ctx, hint=hint)
    extra = _parsed(command, ctx, args)[1]
    if extra:
        expected = " ".join(_name(param, ctx) for param in command.params if isinstance(param, click.Argument))
        return UsageProblem(f"expected {expected or 'options only'}, found {' '.join(extra)} too", ctx, hint=hint)
    return UsageProblem(error.message, ctx, hint=hint)


def no_such_command(word: str, known: Iterable[str], ctx: click.Context) -> UsageProblem:
    """A first word that means nothing."""
    known = list(known)
    if word.startswith("-"):
        return UsageProblem(f"no option is called {word}", ctx, hint=f"{ctx.command_path} --help lists what there is")
    hint = f"{ctx.command_path} --help lists them"
    return UsageProblem(f"no command is called {word!r}{did_you_mean(word, known)}", ctx, hint=hint)


def _name(param: click.Parameter, ctx: click.Context) -> str:
    """How the help names a parameter: QRELS, or -o PATH."""
    if isinstance(param, click.Option):
        return f"{param.opts[0]} {param.metavar or param.type.name.upper()}"
    return param.metavar or str(param.name).upper()


def _parsed(command: Any, ctx: click.Context, args: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The words by parameter, and those that belong to none."""
    values, extra, _ = command.make_parser(ctx).parse_args(list(args))
    return values, extra


def _bad_option(name: str, command: Any, ctx: click.Context) -> str:
    option = next((param for param in command.get_params(ctx) if name in (*param.opts, *param.secondary_opts)), None)
    if not isinstance(option, click.Option) or option.is_flag:
        return f"{name} takes no value"
    return f"expected {_name(option, ctx).removeprefix(option.opts[0]).strip()} after {name}, found nothing"


def _bad_value(
    error: click.BadParameter, param: click.Parameter, command: Any, ctx: click.Context, args: Sequence[str]
) -> str:
    given = _parsed(command, ctx, args)[0].get(str(param.name))
    values = given if isinstance(given, (list, tuple)) else [given]
    where = param.opts[0] if isinstance(param, click.Option) else _name(param, ctx)
    for value in values:
        if isinstance(value, str) and not _fits(value, param, ctx):
            near = did_you_mean(value, param.type.choices) if isinstance(param.type, click.Choice) else ""
            return f"{where}: expected {_expected(param.type)}, found {value!r}{near}"
    return f"{where}: {error.message}"


def _fits(value: str, param: click.Parameter, ctx: click.Context) -> bool:
    try:
        param.type.convert(value, param, ctx)
    except click.BadParameter:
        return False
    return True


def _expected(kind: click.ParamType[Any]) -> str:
    """What a value must be.

    >>> _expected(click.IntRange(1)), _expected(click.FloatRange(0, 1, min_open=True))
    ('a whole number of at least 1', 'a number above 0 and at most 1')
    """
    if isinstance(kind, click.Choice):
        *first, last = map(str, kind.choices)
        return f"{', '.join(first)} or {last}" if first else last
    what = "a whole number" if isinstance(kind, (click.IntRange, type(click.INT))) else "a number"
    if not isinstance(kind, (click.IntRange, click.FloatRange)):
        return what
    low = "" if kind.min is None else f"{'above' if kind.min_open else 'of at least'} {kind.min:g}"
    high = "" if kind.max is None else f"{'below' if kind.max_open else 'at most'} {kind.max:g}"
    return f"{what} {' and '.join(part for part in (low, high) if part)}"
