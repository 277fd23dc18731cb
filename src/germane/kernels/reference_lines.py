"""The plain reference of lines of text from columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

COMPILED = False
Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


def float_text(values: npt.NDArray[np.float64]) -> tuple[Bytes, Integers]:
    """The shortest text of each number that reads back to it, as Python writes it: the bytes, and where each begins."""
    texts = [repr(value).encode() for value in values.tolist()]
    return np.frombuffer(b"".join(texts), dtype=np.uint8), np.cumsum([0, *map(len, texts)])


def joined_rows(columns: Sequence[tuple[Any, ...]], between: Sequence[bytes]) -> Bytes:
    """One text of all rows: the bytes ``between[0]``, the row's text in the first column, ``between[1]``, and so on.

    A column is (data, offsets), or (data, offsets, rows) if row i has the text with the number ``rows[i]``.
    """
    texts: list[list[bytes]] = []
    for data, offsets, *rows in columns:
        block, ends = bytes(data), offsets.tolist()
        numbers = rows[0].tolist() if rows else range(len(ends) - 1)
        texts.append([block[ends[number] : ends[number + 1]] for number in numbers])
    lines = (
        b"".join(part for pair in zip(between, row, strict=False) for part in pair) for row in zip(*texts, strict=True)
    )
    return np.frombuffer(b"".join(line + between[-1] for line in lines), dtype=np.uint8)
