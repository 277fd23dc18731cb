"""Options that control how results are printed, the same for all commands, and the function that prints."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import click

from germane.cli.options.vocabulary import Decorator, shared, terminal_width, together
from germane.errors import GermaneError, unknown
from germane.formats.files.addresses import local_path
from germane.formats.files.sources import STDIN
from germane.output.rendering import DIGITS, STYLES, render, write
from germane.output.rendering.messages import print_message
from germane.output.rendering.notes import print_notes
from germane.tables.results.result import Result, Style

KEPT = "germane.printing"
OPTIONS = ("style", "table", "all_tables", "digits", "color", "notes")
"""The parameters of `result_options`."""
SUFFIXES = {"table": "txt", "markdown": "md", "latex": "tex"}


@dataclass
class Printing:
    """The output options of a command."""

    style: Style = "table"
    digits: int | None = None
    table: str | None = None
    all_tables: str | None = None
    color: str = "auto"
    notes: bool = False

    @property
    def is_asked(self) -> bool:
        """Whether the command line asks for a format or for tables."""
        return self.style != "table" or self.table is not None or self.all_tables is not None

    @property
    def digits_for_people(self) -> int:
        """Number of decimal places in text for people."""
        return DIGITS if self.digits is None else self.digits


def printing() -> Printing:
    """Return the output options of the running command."""
    kept: Printing = click.get_current_context().meta.setdefault(KEPT, Printing())
    return kept


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    assert param.name is not None
    setattr(ctx.meta.setdefault(KEPT, Printing()), param.name, value)


def _kept(name: str, parameter: str | None = None, **own: Any) -> Decorator:
    return shared(name, parameter, expose_value=False, callback=_keep, **own)


format_options = together(
    _kept("--format", "style", type=click.Choice(STYLES), default="table"),
    _kept("--table", otherwise="all tables; the first in CSV and TSV"),
    _kept("--all-tables"),
    _kept("--color", type=click.Choice(["auto", "always", "never"]), default="auto"),
    _kept("--notes"),
)
"""Options of a command that prints a result without decimals."""
result_options = together(format_options, _kept("--digits", otherwise=f"{DIGITS}; full precision in CSV, TSV and JSON"))
"""Options of every other command that prints a result."""


def print_result(result: Result, **view: Any) -> None:
    """Print a result as the options ask; notes go to standard error unless the format includes them."""
    chosen = printing()
    if chosen.all_tables is not None:
        _write_tables(result, chosen, chosen.all_tables, view)
    text = render(
        result,
        chosen.style,
        table=chosen.table,
        digits=chosen.digits,
        width=terminal_width() if chosen.style == "table" else None,
        color=chosen.style == "table" and wants_color(),
        **view,
    )
    click.echo(text, nl=False, color=True)  # colour is there only if it was asked for
    if chosen.notes or chosen.table is not None or chosen.style not in ("json", "jsonl", "html"):
        # A title that states a fact stands above all tables as text; the note would repeat it.
        stated = result.notes_in_titles if chosen.style == "table" and chosen.table is None and not chosen.notes else ()
        notes = [note for note in result.notes if isinstance(note, str) or note.code not in stated]
        print_notes(notes, explain=chosen.notes)


def print_beside(result: Result, message: str) -> None:
    """Print a result that was written to a file: in the format asked for, otherwise a message and the notes."""
    if printing().is_asked:
        print_result(result)
        return
    if message:
        print_message(message)
    print_notes(result.notes, explain=printing().notes)


def require_output(output: str, *tables: str) -> None:
    """Refuse output options before the work: a second text for standard output, or a table not among these."""
    chosen = printing()
    if output == STDIN and chosen.is_asked:
        raise GermaneError("--output - and --format both write to standard output", hint="write to a file: -o FILE")
    if chosen.table is not None and chosen.table not in tables:
        raise unknown("table", chosen.table, tables)


def wants_color() -> bool:
    """Whether the running command prints in colour."""
    from germane.output.rendering import terminal

    return terminal.wants_color(printing().color, is_terminal=sys.stdout.isatty())


def _write_tables(result: Result, chosen: Printing, folder: str, view: dict[str, Any]) -> None:
    """Write each table to its own file, as CSV unless --format asks for another format."""
    style: Style = "csv" if chosen.style == "table" else chosen.style
    place = local_path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for table in result.tables(**view):
        text = render(result, style, table=table.name, digits=chosen.digits, **view)
        write(text, place / f"{table.name}.{SUFFIXES.get(style, style)}")
