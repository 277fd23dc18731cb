"""Rewrite errors of the library for the command line: a parameter in backticks becomes an option of the command.

The library names a parameter as a Python caller writes it, `` `topics="qrels"` ``; on the command line the message has
``--topics qrels``. One hint serves both.
"""

from __future__ import annotations

import ast
import re
import shlex

import click

from germane.errors import GermaneError

PARAMETER = re.compile(r"`([A-Za-z_]\w*)=([^`]*)`")
"""A parameter with its value; without one, as in `` `weight=` ``, only the option is printed."""


def in_options(error: GermaneError, command: click.Command) -> None:
    """Rewrite an error in terms of the options of a command."""
    error.message = _translated(error.message, command)
    error.hint = None if error.hint is None else _translated(error.hint, command)


def _translated(text: str, command: click.Command) -> str:
    return PARAMETER.sub(lambda found: _option_text(found[1], found[2], command) or found[0], text)


def _option_text(name: str, value: str, command: click.Command) -> str | None:
    """Return ``--name value``, or None if the command has no such option."""
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
    return f"{long} {_quoted(value)}"


def _quoted(value: str) -> str:
    """Quote a Python literal for a shell.

    >>> _quoted("'not spam'"), _quoted("0.5"), _quoted("FILE")
    ("'not spam'", '0.5', 'FILE')
    """
    try:
        literal = ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return value
    return shlex.quote(str(literal))
