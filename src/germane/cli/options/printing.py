"""How commands print results: the options that say so, the same for all, and the one function that does it."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from germane.cli.options.vocabulary import Decorator, shared, together
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.output.rendering import DIGITS, STYLES, render, write
from germane.output.rendering.notes import print_notes
from germane.tables.results.result import Result, Style

KEPT = "germane.printing"
OPTIONS = ("style", "table", "all_tables", "digits", "color")
"""The parameters of `result_options`."""
SUFFIXES = {"table": "txt", "markdown": "md", "latex": "tex"}


@dataclass
class Printing:
    """What the options of a command say about its output."""

    style: Style = "table"
    digits: int | None = None
    table: str | None = None
    all_tables: str | None = None
    color: str = "auto"

    @property
    def is_asked(self) -> bool:
        """Whether a format or tables were asked for."""
        return self.style != "table" or self.table is not None or self.all_tables is not None

    @property
    def digits_for_people(self) -> int:
        """How many decimals people get."""
        return DIGITS if self.digits is None else self.digits


def printing() -> Printing:
    """The choices of the command that runs."""
    kept: Printing = click.get_current_context().meta.setdefault(KEPT, Printing())
    return kept


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    assert param.name is not None
    setattr(ctx.meta.setdefault(KEPT, Printing()), param.name, value)


def _kept(name: str, parameter: str | None = None, **own: Any) -> Decorator:
    return shared(name, parameter, expose_value=False, callback=_keep, **own)


format_options = together(
    _kept("--format", "style", type=click.Choice(STYLES), default="table"),
    _kept("--table", otherwise="all for people, the first one in CSV and TSV"),
    _kept("--all-tables"),
    _kept("--color", type=click.Choice(["auto", "always", "never"]), default="auto"),
)
"""The options of a command that prints, with `print_result`, a result that has no decimals."""
result_options = together(format_options, _kept("--digits", otherwise=f"{DIGITS} for people, all for programs"))
"""The options of every other command that prints a result."""


def print_result(result: Result, **view: Any) -> None:
    """Print a result as the options of the command say; notes go to standard error unless the format holds them."""
    chosen = printing()
    if chosen.all_tables is not None:
        _write_tables(result, chosen, chosen.all_tables, view)
    at_terminal = chosen.style == "table" and sys.stdout.isatty()
    text = render(
        result,
        chosen.style,
        table=chosen.table,
        digits=chosen.digits,
        width=shutil.get_terminal_size().columns if at_terminal else None,
        color=chosen.style == "table" and wants_color(),
        **view,
    )
    click.echo(text, nl=False, color=True)  # what is coloured was asked for
    if chosen.table is not None or chosen.style not in ("json", "jsonl", "html"):
        print_notes(result.notes)


def print_beside(result: Result, message: str) -> None:
    """Print a result whose file was written: in the format that was asked for, else a message and the notes."""
    if printing().is_asked:
        print_result(result)
        return
    if message:
        click.echo(message, err=True)
    print_notes(result.notes)


def require_one_output(output: str) -> None:
    """Refuse a format for standard output where a file goes there."""
    if output == STDIN and printing().is_asked:
        raise GermaneError("--output - and --format both write to standard output", hint="write to a file: -o FILE")


def wants_color() -> bool:
    """Whether the command that runs is to print colours."""
    from germane.output.rendering import terminal

    return terminal.wants_color(printing().color, is_terminal=sys.stdout.isatty())


def _write_tables(result: Result, chosen: Printing, folder: str, view: dict[str, Any]) -> None:
    """Each table in a file of its own: as CSV, unless another format for files was asked for."""
    style: Style = "csv" if chosen.style == "table" else chosen.style
    Path(folder).mkdir(parents=True, exist_ok=True)
    for table in result.tables(**view):
        text = render(result, style, table=table.name, digits=chosen.digits, **view)
        write(text, Path(folder) / f"{table.name}.{SUFFIXES.get(style, style)}")
