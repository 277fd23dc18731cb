"""Write columns as lines of text, without a Python object per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane import kernels
from germane.formats.rows.number_text import whole_or_repr
from germane.tables.columns.ids import FloatArray, Ids, IntArray

TextColumn = tuple[Any, ...]
"""The bytes and offsets of the texts in a column and, if rows share them, the number of each row's text."""
EXACT_INTEGERS = 2.0**53


def lines_of(columns: Sequence[TextColumn], between: Sequence[bytes]) -> memoryview:
    """Return a line per row: the columns with ``between[0]`` before the first one, and so on up to the line break.

    >>> bytes(lines_of([ids_column(Ids.of(["q1", "q2"])), float_column(np.array([0.5, 1]))], [b"", b" ", b"\\n"]))
    b'q1 0.5\\nq2 1.0\\n'
    """
    return kernels.joined_rows(columns, between).data


def ids_column(ids: Ids, rows: IntArray | None = None) -> TextColumn:
    """Return a column of ids; with `rows`, the number of the id of each row."""
    return (ids.data, ids.offsets) if rows is None else (ids.data, ids.offsets, rows)


def float_column(values: FloatArray) -> TextColumn:
    """Return a column of numbers as `repr` writes them."""
    return kernels.float_text(np.ascontiguousarray(values))


def whole_column(values: FloatArray | IntArray) -> TextColumn:
    """Return a column of ranks or grades, integers without a fraction."""
    integers = values.astype(np.int64) if (np.abs(values) < EXACT_INTEGERS).all() else None
    if integers is not None and np.array_equal(integers, values):
        return kernels.decimal_text(np.ascontiguousarray(integers))
    return ids_column(Ids.of(map(whole_or_repr, values.tolist())))


def has_bytes(ids: Ids, *, below: int = 0, above: int = 255, among: bytes = b"") -> bool:
    """Return whether an id contains a byte below or above these limits, or one of those listed."""
    data = ids.data
    if len(data) and (data.min() < below or data.max() > above):
        return True
    return any(bool((data == byte).any()) for byte in among)
