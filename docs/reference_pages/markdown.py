"""Markdown of headings, tables and docstrings, shared by all pages."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


GENERATED = "<!-- Written by docs/generate.py (`make docs`). Change the code, not this page. -->\n\n"


def with_table(page: str, name: str, table: str) -> str:
    """The page with a table between the markers of this name."""
    before, start, rest = page.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- /{name} -->")
    if not (start and end):
        raise ValueError(f"found no <!-- {name} --> ... <!-- /{name} -->")
    return f"{before}{start}\n{table}{end}{after}"


def table(header: str, rows: Iterable[Iterable[str]]) -> str:
    """A table; the header is divided by bars already."""
    lines = [f"| {header} |", "| --- " * (header.count("|") + 1) + "|"]
    return "".join(f"{line}\n" for line in [*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def anchor(heading: str) -> str:
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def escaped(text: str) -> str:
    """Escape text for Markdown; in code between backticks, only the bar of tables needs it."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(re.sub(r"([|])" if piece[:1] == "`" else r"([*_|<\[])", r"\\\1", piece) for piece in pieces)


def as_markdown(docstring: str) -> str:
    """A docstring's text as Markdown: examples fenced, double backticks single."""
    parts = []
    for paragraph in docstring.split("\n\n"):
        if paragraph.startswith(">>>"):
            parts.append(f"```python\n{paragraph}\n```")
        else:
            parts.append(paragraph.replace("``", "`"))
    return "\n\n".join(parts)


def docstring(function: Callable[..., Any]) -> str:
    """Return the docstring of a function or class without its indent; "Return the mean" becomes "The mean"."""
    return re.sub(r"^Return (\w)", lambda found: found[1].upper(), inspect.cleandoc(function.__doc__ or ""))
