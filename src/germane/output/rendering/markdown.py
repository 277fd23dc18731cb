"""Tables as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

from germane.output.rendering.cells import cells_of
from germane.tables.results.columns import Table

SPECIAL = re.compile(r"\||<(?=[A-Za-z/!?])")
"""Characters that end a cell or start an HTML tag."""


def render(shown: Iterable[Table | str], digits: int) -> str:
    """Render tables under bold titles, and lines of text, separated by empty lines."""
    return "\n".join(_listed(each) if isinstance(each, str) else _titled(each, digits) for each in shown)


def _listed(text: str) -> str:
    """Render a line as it is; several lines as a list, since Markdown would join them into one paragraph."""
    lines = text.splitlines()
    return "".join(f"- {line}\n" for line in lines) if len(lines) > 1 else text


def _titled(table: Table, digits: int) -> str:
    title = f"**{table.title}**\n\n" if table.title else ""
    below = "".join(f"\n{line}\n" for line in table.below)
    return f"{title}{markdown_table(table, digits)}{below}"


def markdown_table(table: Table, digits: int) -> str:
    """Render a table without its title."""
    columns = []
    for cells in cells_of(table, digits):
        texts = [SPECIAL.sub(r"\\\g<0>", text) for text in [cells.label, *cells.aligned()]]
        width = max(3, *map(len, texts))
        head, *rest = (text.rjust(width) if cells.right else text.ljust(width) for text in texts)
        columns.append([head, f"{'-' * (width - 1)}:" if cells.right else "-" * width, *rest])
    return "".join(f"| {' | '.join(row)} |\n" for row in zip(*columns, strict=True))
