"""Folders among the arguments of a command, read as `--folders` says: one table in parts, or many tables.

The option never reaches the library: a folder is replaced by a marked path, or by its files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from germane.errors import GermaneError
from germane.formats.files.part_folders import Parts, is_folder, separate_files
from germane.formats.files.patterns import found_by, is_pattern

CHOICE = "germane.folders"
MANIFEST = "manifest.json"
ELSEWHERE = re.compile(r"://|[*?\[{]")
"""An address or a pattern among the arguments, which Spark resolves to files."""


def keep_choice(ctx: click.Context, _: click.Parameter, choice: str | None) -> None:
    """Store the choice until all arguments are parsed."""
    ctx.meta[CHOICE] = choice


def apply_choice(ctx: click.Context) -> None:
    """Replace the folders among the arguments and options by marked paths, or by their files."""
    choice = ctx.meta.get(CHOICE)
    if choice is None:
        return
    found = False
    arguments = {param.name for param in ctx.command.params if isinstance(param, click.Argument)}
    for name, value in ctx.params.items():
        given = value if isinstance(value, tuple) else (value,)
        elsewhere = choice == "one" and ctx.params.get("engine") == "spark" and name in arguments
        meant = [
            _is_folder(each, name in arguments) or (elsewhere and ELSEWHERE.search(each) is not None) for each in given
        ]
        if not any(meant):
            continue
        if choice == "one":
            marked = tuple(Parts(each) if is_meant else each for each, is_meant in zip(given, meant, strict=True))
            ctx.params[name] = marked if isinstance(value, tuple) else marked[0]
            found = True
        elif isinstance(value, tuple):
            ctx.params[name] = tuple(
                file for each in given for file in (separate_files(each) if is_folder(each) else [each])
            )
            found = True
    if not found:
        where = "among the arguments" if choice == "one" else "where several files can be named"
        raise GermaneError(f"--folders {choice} needs a folder {where}, found none", hint="remove --folders")


def _is_folder(value: Any, is_argument: bool) -> bool:
    """Whether this is a folder of tables; a folder with a manifest is an index.

    The value of an option may only look like a pattern, as a space of strategies does.
    """
    if not isinstance(value, str) or not is_folder(value) or (Path(value) / MANIFEST).is_file():
        return False
    return is_argument or not is_pattern(value) or bool(found_by(value))
