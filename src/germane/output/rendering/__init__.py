"""Render results as text in every format, as dicts and as data frames: one module per format, from the same tables."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from germane.errors import GermaneError
from germane.tables.results.columns import Table
from germane.tables.results.result import Result, Style

STYLES: tuple[Style, ...] = get_args(Style)
DIGITS = 4
"""Default number of decimal places in text for people."""
MOST_DIGITS = 17
"""Maximum number of decimal places: a float has at most 17 significant digits."""
_HOMES = {
    "as_dict": "json",
    "frame": "frames",
    "frame_of_columns": "frames",
    "mime_bundle": "notebook",
    "number_text": "cells",
    "performance_curves": "curves",
}


def render(
    result: Result,
    style: Style,
    *,
    table: str | None = None,
    digits: int | None = None,
    width: int | None = None,
    color: bool = False,
    **view: Any,
) -> str:
    """Render a result in one of the styles: everything for people, or the table of this name.

    `width` and `color` apply to a terminal; without a width, tables are not fitted.
    """
    if digits is not None and digits not in range(MOST_DIGITS + 1):
        raise GermaneError(f"expected digits to be an integer from 0 to {MOST_DIGITS}, found {digits!r}")
    if style in ("json", "jsonl"):
        from germane.output.rendering import json

        return json.render(result, style, table, view)
    if style in ("csv", "tsv"):
        from germane.output.rendering import delimited

        return delimited.render(result.table(table, **view), style, digits)
    digits = DIGITS if digits is None else digits
    show = result.at_terminal if style == "table" else result.shown
    shown = show(digits=digits, **view) if table is None else [result.table(table, **view)]
    if style == "table":
        from germane.output.rendering import terminal

        return terminal.render(shown, digits, width=width, color=color)
    if style == "markdown":
        from germane.output.rendering import markdown

        return markdown.render(shown, digits)
    if style == "latex":
        from germane.output.rendering import latex

        return (None if table else latex.paper(result, digits)) or latex.render(shown, digits)
    from germane.output.rendering import html

    return html.render(shown, digits, () if table else result.notes)


def table_as_text(table: Table) -> str:
    """Render a single table for people."""
    from germane.output.rendering import terminal

    return terminal.render([table], DIGITS)


def write(text: str, path: str | Path) -> None:
    """Write text to a file, compressed if its extension says so."""
    from germane.formats.files.targets import open_target

    with open_target(str(path)) as target:
        target.write(text.encode())


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
