"""Tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from germane.output.rendering.cells import cells_of
from germane.tables.results.columns import Table

SPECIAL = re.compile(r"\||<(?=[A-Za-z/!?])")
"""What ends a cell, or begins a tag of HTML."""


def render(shown: Iterable[Table | str], digits: int) -> str:
    """Tables under their titles in bold, and lines of text, with an empty line between."""
    return "\n".join(_listed(each) if isinstance(each, str) else _titled(each, digits) for each in shown)


def _listed(text: str) -> str:
    """Text as it is; several lines as a list, since Markdown would make one paragraph of them."""
    lines = text.splitlines()
    return "".join(f"- {line}\n" for line in lines) if len(lines) > 1 else text


def _titled(table: Table, digits: int) -> str:
    title = f"**{table.title}**\n\n" if table.title else ""
    below = "".join(f"\n{line}\n" for line in table.below)
    return f"{title}{markdown_table(table, digits)}{below}"


def markdown_table(table: Table, digits: int) -> str:
    """The table alone."""
    columns = []
    for cells in cells_of(table, digits):
        texts = [SPECIAL.sub(r"\\\g<0>", text) for text in [cells.label, *cells.aligned()]]
        width = max(3, *map(len, texts))
        head, *rest = (text.rjust(width) if cells.right else text.ljust(width) for text in texts)
        columns.append([head, f"{'-' * (width - 1)}:" if cells.right else "-" * width, *rest])
    return "".join(f"| {' | '.join(row)} |\n" for row in zip(*columns, strict=True))
