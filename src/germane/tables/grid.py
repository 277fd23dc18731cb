"""Rows of cells as aligned text."""

from __future__ import annotations

from collections.abc import Sequence

from germane.tables.results.columns import table_of_texts


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns two spaces apart, numbers to the right.

    >>> print(aligned(["run", "AP"], [["bm25", "0.5000"]]), end="")
    run       AP
    bm25  0.5000
    """
    return str(table_of_texts(header, rows))
