"""Sums that are rounded once, at the end: the same for any order of the terms, and for any division into parts.

So a file that is read at once, a stream and a cluster give the same result to the last bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.kernels.reference_sums import BITS, PARTS
from germane.tables.columns.ids import FloatArray, IntArray

Parts = npt.NDArray[np.int64]


def exact_sum(values: FloatArray) -> float:
    """Return the sum of values, rounded once.

    >>> exact_sum(np.asarray([1e16, 1.0, -1e16]))
    1.0
    """
    total = ExactSum()
    total.add(values)
    return float(total)


class ExactSum:
    """A sum of values that are added in parts."""

    def __init__(self) -> None:
        self._parts: Parts = np.zeros(PARTS, dtype=np.int64)

    def add(self, values: FloatArray) -> None:
        """Add finite values."""
        if not kernels.add_exactly(np.ascontiguousarray(values, dtype=np.float64), self._parts):
            raise GermaneError("expected finite values to add up, found infinity or NaN")

    def merge(self, other: ExactSum) -> None:
        """Add another sum."""
        self._parts += other._parts

    def __float__(self) -> float:
        return float(_fraction(self._parts))


class ExactMoments:
    """The number of values, their sum and the sum of their squares, in several groups.

    >>> seen = ExactMoments(2)
    >>> seen.add(np.asarray([0.5, 3.0]), np.asarray([2, 1]), np.asarray([0, 1]))
    >>> [seen.of(group) for group in range(2)]
    [(Fraction(2, 1), Fraction(1, 1), Fraction(1, 2)), (Fraction(1, 1), Fraction(3, 1), Fraction(9, 1))]
    """

    def __init__(self, num_groups: int = 1) -> None:
        self._parts: Parts = np.zeros((num_groups, 3, PARTS), dtype=np.int64)
        self.overflown = False
        """Whether a square was beyond the largest double, so that sums of squares are too small."""

    def add(self, values: FloatArray, counts: npt.NDArray[Any], groups: IntArray | None = None) -> None:
        """Add finite values, each as often as its count says."""
        rows = np.zeros(len(values), dtype=np.int64) if groups is None else groups
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self._parts):
            raise IndexError(f"expected groups from 0 to {len(self._parts) - 1}, found {rows.min()} to {rows.max()}")
        x, c = (np.ascontiguousarray(each, dtype=np.float64) for each in (values, counts))
        if not kernels.add_moments(x, c, np.ascontiguousarray(rows, dtype=np.int64), self._parts):
            if not np.isfinite(values).all():
                raise GermaneError("expected finite values to add up, found infinity or NaN")
            self.overflown = True

    def merge(self, other: ExactMoments) -> None:
        """Add the sums of other values."""
        self._parts += other._parts
        self.overflown = self.overflown or other.overflown

    def of(self, group: int = 0) -> tuple[Fraction, Fraction, Fraction]:
        """Return the number, the sum and the sum of squares of one group."""
        number, total, squares = map(_fraction, self._parts[group])
        return number, total, squares


class Moments:
    """Number, mean, sum of squared deviations and range of values with counts.

    >>> seen = Moments()
    >>> seen.add(np.asarray([1.0, 2.0]), np.asarray([1, 1]))
    >>> seen.add(np.asarray([6.0, 9.0]), np.asarray([1, 0]))
    >>> seen.n, seen.mean, seen.squares, seen.highest
    (3, 3.0, 14.0, 6.0)
    """

    def __init__(self) -> None:
        self._sums = ExactMoments()
        self.lowest, self.highest = math.inf, -math.inf

    def add(self, values: FloatArray, counts: npt.NDArray[Any]) -> None:
        """Add values, each as often as its count says."""
        there = counts > 0
        values = values[there]
        if len(values):
            self.lowest, self.highest = min(self.lowest, float(values.min())), max(self.highest, float(values.max()))
            self._sums.add(values, counts[there])

    def merge(self, other: Moments) -> None:
        """Add other values."""
        self._sums.merge(other._sums)
        self.lowest, self.highest = min(self.lowest, other.lowest), max(self.highest, other.highest)

    @property
    def n(self) -> float:
        """Number of values, or their total weight."""
        n = self._sums.of()[0]
        return n.numerator if n.denominator == 1 else float(n)

    @property
    def mean(self) -> float:
        """The mean; NaN without values."""
        n, total, _ = self._sums.of()
        return float(total / n) if n else math.nan

    @property
    def squares(self) -> float:
        """The sum of the squared deviations from the mean."""
        return math.inf if self._sums.overflown else float(self._squares())

    @property
    def variance_of_mean(self) -> float:
        """The squared standard error of the mean; there must be two values."""
        n = self._sums.of()[0]
        return math.inf if self._sums.overflown else float(self._squares() / ((n - 1) * n))

    def _squares(self) -> Fraction:
        n, total, squares = self._sums.of()
        return squares - total * total / n if n else Fraction()


def _fraction(parts: Parts) -> Fraction:
    """Return the number that is kept in these parts, which may hold more than 32 bits each."""
    return Fraction(sum(part << (32 * place) for place, part in enumerate(parts.tolist()) if part), 1 << BITS)
