"""Whatever hint a command prints while the tests run is held against the command: its options exist and take the value.

A plugin, so that every error that any test provokes on the command line is looked at. A hint that cannot be followed
ends the command with an AssertionError, and the test with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import click
import pytest

from germane.cli import COMMANDS
from germane.cli.shell import usage_errors
from germane.cli.shell.command_class import Command
from germane.errors import GermaneError
from tests.commands import all_commands

OPTION = re.compile(r"(?<![\w-])(--[A-Za-z][A-Za-z-]*)(?:[ =](?!or\b|and\b)([a-z][a-z0-9-]*)(?![\w=]))?")
NAMED_COMMAND = re.compile(rf"germane ((?:{'|'.join(COMMANDS)})(?: [a-z]+)?)([^`;]*)")
ELSEWHERE = re.compile(r"pip install [^`;]*|\([^()]*\)|\"[^\"]*\"|\S*\?\w+=\S*")
"""Other programs' options, things such as AP(empty=skip), and addresses: they are typed as they are."""
PARAMETER = re.compile(r"(?<![\w\-=/])([a-z_]\w*)=(?!=)")


def faults(hint: str, command: click.Command) -> Iterator[str]:
    """What cannot be typed of a hint that a command gives."""
    for named in NAMED_COMMAND.finditer(hint):
        yield from _option_faults(named[2], _command_of(named[1]))
    own = NAMED_COMMAND.sub(" ", hint)
    yield from _option_faults(own, command)
    without_options = re.sub(r"(?<![\w-])--?[A-Za-z][A-Za-z-]*[ =]\S+", " ", ELSEWHERE.sub(" ", own))
    yield from (f"{name}= is a parameter of Python" for name in PARAMETER.findall(without_options))


def _option_faults(text: str, command: click.Command | None) -> Iterator[str]:
    if command is None or not any(isinstance(param, click.Option) for param in command.params):
        return  # trec_eval reads its options itself
    options = {name: each for each in command.params for name in (*each.opts, *each.secondary_opts)}
    for name, value in OPTION.findall(ELSEWHERE.sub(" ", text)):
        option = options.get(name)
        if option is None:
            if name != "--help":
                yield f"{command.name} has no option {name}"
        elif isinstance(option.type, click.Choice) and value and value not in option.type.choices:
            yield f"{name} of {command.name} does not take {value}"


def _command_of(words: str) -> click.Command | None:
    known = dict(all_commands())
    return known.get(words) or known.get(words.split(maxsplit=1)[0])


def pytest_configure(config: pytest.Config) -> None:
    """Look at each error on its way out of a command, and at each wrong use."""
    invoke, make_problem = Command.invoke, usage_errors.UsageProblem.__init__

    def invoked(command: Command, ctx: click.Context) -> Any:
        try:
            return invoke(command, ctx)
        except GermaneError as error:
            if isinstance(command, click.Group):
                raise
            found = [
                *faults(error.message if "`" in error.message else "", command),
                *faults(error.hint or "", command),
            ]
            if found:
                raise AssertionError(f"{found} in the error of {ctx.command_path}: {error}") from error
            raise

    def made(problem: usage_errors.UsageProblem, *args: Any, **kwargs: Any) -> None:
        make_problem(problem, *args, **kwargs)
        if problem.ctx is not None and problem.hint is not None:
            found = list(faults(problem.hint, problem.ctx.command))
            assert not found, f"{found} in the hint of {problem.ctx.command_path}: {problem.hint}"

    Command.invoke = invoked  # type: ignore[assignment, method-assign]
    usage_errors.UsageProblem.__init__ = made  # type: ignore[assignment, method-assign]
