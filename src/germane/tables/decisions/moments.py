"""Mean and spread of values that are added in parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.tables.columns.ids import FloatArray


@dataclass
class Moments:
    """Number, mean, sum of squared deviations and range of values with counts.

    Reference: Chan, Golub & LeVeque, The American Statistician 37 (1983), 242-247, on joining two parts.

    >>> seen = Moments()
    >>> seen.add(np.asarray([1.0, 2.0]), np.asarray([1, 1]))
    >>> seen.add(np.asarray([6.0, 9.0]), np.asarray([1, 0]))
    >>> seen.n, seen.mean, seen.squares, seen.highest
    (3, 3.0, 14.0, 6.0)
    """

    n: Any = 0
    mean: float = 0.0
    squares: float = 0.0
    lowest: float = np.inf
    highest: float = -np.inf

    def add(self, values: FloatArray, counts: Any) -> None:
        """Add values, each as often as its count says."""
        n = counts.sum().item()
        if not n:
            return
        mean = float((counts * values).sum()) / n
        squares = float((counts * (values - mean) ** 2).sum())
        there = values[counts > 0]
        self.lowest, self.highest = min(self.lowest, float(there.min())), max(self.highest, float(there.max()))
        if not self.n:
            self.n, self.mean, self.squares = n, mean, squares
            return
        apart, total = mean - self.mean, self.n + n
        self.squares += squares + apart**2 * self.n * n / total
        self.mean += apart * n / total
        self.n = total

    @property
    def variance_of_mean(self) -> float:
        """The squared standard error of the mean; there must be two values."""
        return float(self.squares / (self.n - 1) / self.n)
