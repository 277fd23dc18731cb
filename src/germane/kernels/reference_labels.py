"""The plain references of the kernels that encode and count labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

COMPILED = False
Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[np.int64]


def count_pairs(truth: Rows, predicted: Rows, lowest: int, size: int, counts: Rows) -> int:
    """Add to `counts` (size × size) how often each pair occurs; the first row outside lowest … lowest + size, or -1.

    Counting ends at such a row.
    """
    last = lowest + size - 1
    inside = (truth >= lowest) & (truth <= last) & (predicted >= lowest) & (predicted <= last)
    bad_row = -1 if inside.all() else int(inside.argmin())
    end = len(truth) if bad_row < 0 else bad_row
    np.add.at(counts, (truth[:end] - lowest, predicted[:end] - lowest), 1)
    return bad_row


def encode_rows(matrix: npt.NDArray[np.uint8], most: int) -> tuple[Codes, Rows]:
    """A code for each row of bytes, equal for equal rows, and the first row that has each code.

    Codes count from 0 in order of appearance. Beyond `most` different rows it gives up: the codes are then void.
    """
    codes, firsts = _encoded(row.tobytes() for row in matrix)
    return codes, firsts[: most + 1]


def encode_objects(values: list[Any]) -> tuple[Codes, Rows]:
    """A code for each object of a list, equal for equal objects, and the first row that has each code."""
    return _encoded(values)


def _encoded(values: Iterable[Any]) -> tuple[Codes, Rows]:
    known: dict[Any, int] = {}
    codes, firsts = [], []
    for row, value in enumerate(values):
        if value not in known:
            known[value] = len(known)
            firsts.append(row)
        codes.append(known[value])
    return np.asarray(codes, dtype=np.int32), np.asarray(firsts, dtype=np.int64)
