"""Exact sums, as `_sums` computes them: in integers of any size.

A number is kept in parts of 32 bits, lowest first; its lowest bit is that of the smallest double, 2 to the power of
-1074. Every part but the last lies between 0 and 2**32 - 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

COMPILED = False

PARTS = 68
BITS = 1074
SPLIT = 134217729.0

Numbers = npt.NDArray[np.float64]
Parts = npt.NDArray[np.int64]


def add_exactly(values: Numbers, total: Parts) -> bool:
    """Add values to a sum; False if one of them is not finite."""
    return _add(total, values.tolist())


def add_moments(values: Numbers, counts: Numbers, rows: npt.NDArray[np.int64], totals: Parts) -> bool:
    """Add counts c, products c·x and c·x² to the three sums of each value's row; False if one of them is not finite."""
    finite = True
    for x, c, row in zip(values.tolist(), counts.tolist(), rows.tolist(), strict=True):
        if c:
            square, error = _product(x, x)
            terms: tuple[Sequence[float], ...] = [c], [x], [square, error]
            if c != 1:
                terms = [c], _product(c, x), (*_product(c, square), *_product(c, error))
            for total, added in zip(totals[row], terms, strict=True):
                finite = _add(total, added) and finite
    return finite


def _add(total: Parts, terms: Sequence[float]) -> bool:
    finite = [term for term in terms if math.isfinite(term)]
    number = sum(int(part) << (32 * i) for i, part in enumerate(total.tolist())) + sum(map(_in_units, finite))
    for i in range(PARTS - 1):
        total[i] = number & 0xFFFFFFFF
        number >>= 32
    total[-1] = number
    return len(finite) == len(terms)


def _in_units(x: float) -> int:
    """Return a number as a multiple of the smallest double.

    >>> _in_units(5e-324), _in_units(-1.0) == -(2**1074)
    (1, True)
    """
    numerator, denominator = x.as_integer_ratio()
    return numerator * ((1 << BITS) // denominator)


def _product(a: float, b: float) -> tuple[float, float]:
    """Return a product, and what rounding has taken from it (Dekker)."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(x: float) -> tuple[float, float]:
    high = SPLIT * x - (SPLIT * x - x)
    return high, x - high
