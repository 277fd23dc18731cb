"""Rows of cells as aligned text."""

from __future__ import annotations

import re
from collections.abc import Sequence

Row = Sequence[str]


def is_number(text: str) -> bool:
    """Whether a cell is written to the right."""
    return re.fullmatch(r"[-+<]?[\d.]+%?( \*)?|[-+]?inf|nan|–|", text) is not None


def widths(header: Row, rows: Sequence[Row]) -> list[int]:
    """The width of each column."""
    return [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]


def numeric(header: Row, rows: Sequence[Row]) -> list[bool]:
    """Which columns hold numbers only."""
    return [bool(rows) and all(is_number(row[i]) for row in rows) for i in range(len(header))]


def aligned(header: Row, rows: Sequence[Row]) -> str:
    """Columns two spaces apart, numbers to the right.

    >>> print(aligned(["run", "AP"], [["bm25", "0.5000"]]), end="")
    run       AP
    bm25  0.5000
    """
    columns = list(zip(widths(header, rows), numeric(header, rows), strict=True))
    return "".join(
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width) for cell, (width, right) in zip(row, columns, strict=True)
        ).rstrip()
        + "\n"
        for row in [header, *rows]
    )
