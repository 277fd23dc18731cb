"""Errors of the library, on the command line: a parameter in backticks becomes the option of the running command.

The library writes what to change as a Python caller would, `` `topics="qrels"` ``; whoever typed a command reads
``--topics qrels``. One hint serves both doors.
"""

from __future__ import annotations

import ast
import re
import shlex

import click

from germane.errors import GermaneError

PARAMETER = re.compile(r"`([A-Za-z_]\w*)=([^`]*)`")
"""A parameter with its value; with none, as in `` `weight=` ``, the option alone is meant."""


def in_options(error: GermaneError, command: click.Command) -> None:
    """Rewrite an error in terms of a command's options."""
    error.message = _translated(error.message, command)
    error.hint = None if error.hint is None else _translated(error.hint, command)


def _translated(text: str, command: click.Command) -> str:
    return PARAMETER.sub(lambda found: _option_text(found[1], found[2], command) or found[0], text)


def _option_text(name: str, value: str, command: click.Command) -> str | None:
    """``--name value``, or None where the command has no such option."""
    spelled = f"--{name.replace('_', '-')}"
    options = [param for param in command.params if isinstance(param, click.Option)]
    option = next((each for each in options if each.name == name or spelled in each.opts), None)
    if option is None:
        return None
    long = next((each for each in option.opts if each.startswith("--")), option.opts[0])
    if option.is_flag:
        return option.secondary_opts[0] if value == "False" and option.secondary_opts else long
    if value in ("", "None"):
        return long
    if value == "…":
        choices = option.type.choices if isinstance(option.type, click.Choice) else ()
        return f"{long} {option.metavar or '|'.join(map(str, choices)) or option.type.name.upper()}"
    return f"{long} {_typed(value)}"


def _typed(value: str) -> str:
    """A Python literal as a shell takes it.

    >>> _typed("'not spam'"), _typed("0.5"), _typed("FILE")
    ("'not spam'", '0.5', 'FILE')
    """
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value
    return shlex.quote(str(literal))
