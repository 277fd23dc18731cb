"""Weights of items: integers mean repetition; with others, counts are sums of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns.ids import first_row
from germane.tables.columns.one_column import one_column

EXACT = 2.0**53
"""Largest sum of integers that is exact in floating point."""


def require_weights(column: npt.NDArray[Any], source: str) -> None:
    """Refuse a weight that is negative or not finite."""
    if (row := first_row(~(np.isfinite(column) & (column >= 0)))) is not None:
        raise InputError(source, None, f"expected a weight of 0 or more, found {column[row]} in row {row + 1}")


def count_as_floats(weights: npt.NDArray[Any], total: float) -> bool:
    """Return whether counts are sums of weights, of which `total` is that of all: not all whole, or too large."""
    return bool((weights != np.rint(weights)).any()) or total >= EXACT


def require_finite_total(total: float, source: str) -> None:
    """Refuse weights whose sum is beyond the largest double."""
    if not np.isfinite(total):
        raise InputError(source, None, "expected weights with a finite sum, found infinity", hint="scale them down")


def as_weights(weights: npt.ArrayLike, num_rows: int, source: str = "weights") -> npt.NDArray[Any]:
    """Return checked weights: int64 if all are whole (repetition) and add up exactly, else float64.

    >>> as_weights([1.0, 3.0], 2), as_weights([0.5, 1], 2)
    (array([1, 3]), array([0.5, 1. ]))
    """
    try:
        column = np.asarray(one_column(weights, "weight", source))
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError):
        raise InputError(source, None, "expected a number as weight in every row, found other values") from None
    if column.shape != (num_rows,):
        found = len(column) if column.ndim == 1 else f"an array of shape {column.shape}"
        raise InputError(source, None, f"expected {num_rows} weights, one for each row, found {found}")
    if column.dtype.kind not in "iufb":
        raise InputError(source, None, f"expected numbers as weights, found an array of {column.dtype}")
    require_weights(column, source)
    if not column.any():
        raise InputError(source, None, "expected at least one weight above 0, found none")
    with np.errstate(over="ignore"):
        total = float(column.sum(dtype=np.float64))
    require_finite_total(total, source)
    return column.astype(np.float64 if count_as_floats(column, total) else np.int64)
