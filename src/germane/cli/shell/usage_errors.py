"""Usage errors: what was expected, what was found, and an example that works."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import IO, Any

import click

from germane.errors import did_you_mean

LIKENESS = 0.65
"""Minimum similarity of an option to one that is suggested, compared without their dashes."""

MEANT = {
    ("compare", "--gate"): "use --fail-under alone; it always checks the worse end of the interval of a difference",
    ("judge", "--topics"): "use --query-texts FILE",
    ("eval", "--worst"): "use --per-query for all queries, or `germane report` to see the worst",
    ("eval", "--query-texts"): "use `germane report --query-texts FILE` to see query texts",
    ("retrieve", "--query-texts"): "pass the topics file after the index, without an option",
    ("retrieve", "--topics"): "pass the topics file after the index, without an option",
}
"""Options that people try on the wrong command, and what to use instead."""


class UsageProblem(click.UsageError):
    """A usage error, printed like other errors of germane with the name of the command; the exit status is 2."""

    def __init__(self, message: str, ctx: click.Context | None = None, *, hint: str | None = None) -> None:
        super().__init__(message, ctx or click.get_current_context(silent=True))
        self.hint = hint

    def show(self, file: IO[Any] | None = None) -> None:
        from germane.output.rendering.messages import print_message

        command = self.ctx.command_path if self.ctx is not None else "germane"
        hint = "" if self.hint is None else f"\nHint: {self.hint}"
        print_message(f"{command}: {self.message}{hint}", file=file)


def usage_problem(error: click.UsageError, command: Any, ctx: click.Context, args: Sequence[str]) -> click.UsageError:
    """Rewrite a usage error of click in our words."""
    if isinstance(error, UsageProblem):
        return error
    hint = f"for example: {command.examples[0]}" if command.examples else f"run `{ctx.command_path} --help`"
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error.option_name, command, ctx, args)
    if isinstance(error, click.BadOptionUsage):
        return UsageProblem(_bad_option(error.option_name, command, ctx), ctx, hint=hint)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        return UsageProblem(f"expected {_name(error.param, ctx)}, found none", ctx, hint=hint)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return UsageProblem(_bad_value(error, error.param, command, ctx, args), ctx, hint=hint)
    extra = _parsed(command, ctx, args)[1]
    if extra:
        expected = " ".join(_name(param, ctx) for param in command.params if isinstance(param, click.Argument))
        return UsageProblem(f"expected {expected or 'only options'}, also found {' '.join(extra)}", ctx, hint=hint)
    return UsageProblem(error.message, ctx, hint=hint)


def _no_such_option(name: str, command: Any, ctx: click.Context, args: Sequence[str]) -> UsageProblem:
    """Return the error for an unknown option: what was probably meant, or which commands have it."""
    hint = MEANT.get((str(command.name), name))
    if hint is None and name in ("-o", "--output"):
        file = next((after for word, after in pairwise(args) if word == name), "FILE")
        hint = f"redirect standard output instead: > {shlex.quote(file)}"
    if hint is not None:
        return UsageProblem(f"unknown option {name}", ctx, hint=hint)
    # Without their dashes, since those would make short names similar.
    known = [each.removeprefix("--") for each in _options(command) if each.startswith("--")]
    near = did_you_mean(name.removeprefix("--"), known, likeness=LIKENESS) if name.startswith("--") else ""
    suggestion = _choice(name, command) or near.replace("did you mean ", "did you mean --") or _who_has(name, ctx)
    return UsageProblem(f"unknown option {name}{suggestion}", ctx, hint=f"run `{ctx.command_path} --help` for a list")


def _choice(name: str, command: click.Command) -> str:
    """Return the end of a message that suggests the option with this word among its choices."""
    word = name.removeprefix("--")
    for param in command.params:
        if isinstance(param, click.Option) and isinstance(param.type, click.Choice) and word in param.type.choices:
            return f"; did you mean {next(each for each in param.opts if each.startswith('--'))} {word}?"
    return ""


def _options(command: click.Command) -> list[str]:
    options = [param for param in command.params if isinstance(param, click.Option)]
    return [name for param in options for name in (*param.opts, *param.secondary_opts)] + ["--help"]


def _who_has(name: str, ctx: click.Context) -> str:
    """Return the end of a message that names the first commands with this option."""
    root = ctx.find_root()
    group = root.command
    if not isinstance(group, click.Group):
        return ""
    # Importing every command takes about 0.5 s, so do it only on the error path.
    others = [(each, group.get_command(root, each)) for each in group.list_commands(root)]
    having = [f"`germane {each}`" for each, one in others if one is not None and name in _options(one)][:3]
    *first, last = having or [""]
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"; it is an option of {listed}" if having else ""


def given_twice(option: click.Option, ctx: click.Context, *, opposed: bool) -> UsageProblem:
    """Return the error for an option given more than once, or a flag given with its opposite."""
    name = max(option.opts, key=len)
    if opposed:
        other = max(option.secondary_opts, key=len)
        return UsageProblem(f"expected {name} or {other}, found both", ctx, hint="remove one of them")
    return UsageProblem(f"expected {name} once, found it more than once", ctx, hint=f"keep one {name}")


def no_such_command(word: str, known: Iterable[str], ctx: click.Context) -> UsageProblem:
    """Return the error for an unknown command."""
    hint = f"run `{ctx.command_path} --help` for a list"
    if word.startswith("-"):
        return UsageProblem(f"unknown option {word}", ctx, hint=hint)
    return UsageProblem(f"unknown command {word!r}{did_you_mean(word, known)}", ctx, hint=hint)


def _name(param: click.Parameter, ctx: click.Context) -> str:
    """Return the name of a parameter as in the help: QRELS, or -o PATH."""
    if isinstance(param, click.Option):
        return f"{param.opts[0]} {param.metavar or param.type.name.upper()}"
    return param.metavar or str(param.name).upper()


def _parsed(command: Any, ctx: click.Context, args: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the words by parameter, and those that belong to none."""
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
    """Describe the values that a type accepts.

    >>> _expected(click.IntRange(1)), _expected(click.FloatRange(0, 1, min_open=True))
    ('an integer of at least 1', 'a number above 0 and at most 1')
    """
    if isinstance(kind, click.Choice):
        *first, last = map(str, kind.choices)
        return f"{', '.join(first)} or {last}" if first else last
    what = "an integer" if isinstance(kind, (click.IntRange, type(click.INT))) else "a number"
    if not isinstance(kind, (click.IntRange, click.FloatRange)):
        return what
    low = "" if kind.min is None else f"{'above' if kind.min_open else 'of at least'} {kind.min:g}"
    high = "" if kind.max is None else f"{'below' if kind.max_open else 'at most'} {kind.max:g}"
    return f"{what} {' and '.join(part for part in (low, high) if part)}"
