"""Least squares as two sums, so that what was learned from can be forgotten: new rows are added to them, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.tables.columns.ids import FloatArray


@dataclass(eq=False)
class NormalEquations:
    """All that least squares needs of rows that may be gone: what it finds is what a fit of all of them would find.

    Formula:    w = (XᵀX + ρ·n·D)⁻¹·Xᵀy over n rows, y = 1 for relevant and 0 for others; the first column of X is 1,
                and D is the unit matrix with 0 for that column
    Edge cases: No rows: all weights are 0. A feature that is the same in all rows, or repeats others, shares their
                weight, as ρ > 0.

    >>> sums = NormalEquations.of_nothing(1)
    >>> sums.add([[0.0], [2.0]], [False, True])
    >>> sums.weights(ridge=0.0).tolist()                             # the line through (0, 0) and (2, 1)
    [0.0, 0.5]
    >>> sums.add([[0.0], [2.0]], [True, True])
    >>> sums.weights(ridge=0.0).tolist()                             # through (0, ½), the mean of two, and (2, 1)
    [0.5, 0.25]
    """

    products: FloatArray
    """XᵀX."""
    targets: FloatArray
    """Xᵀy."""

    @classmethod
    def of_nothing(cls, num_features: int) -> NormalEquations:
        """Before any row."""
        return cls(np.zeros((num_features + 1, num_features + 1)), np.zeros(num_features + 1))

    @classmethod
    def of(cls, rows: npt.ArrayLike, is_relevant: npt.ArrayLike) -> NormalEquations:
        """Of these rows."""
        sums = cls.of_nothing(np.asarray(rows).shape[1])
        sums.add(rows, is_relevant)
        return sums

    @property
    def num_rows(self) -> int:
        return round(float(self.products[0, 0]))

    @property
    def num_relevant(self) -> int:
        return round(float(self.targets[0]))

    def add(self, rows: npt.ArrayLike, is_relevant: npt.ArrayLike) -> None:
        """Learn from more rows."""
        x = _with_ones(rows)
        self.products += np.einsum("ij,ik->jk", x, x)
        self.targets += np.einsum("ij,i->j", x, np.asarray(is_relevant, np.float64))

    def correct(self, row: npt.ArrayLike, *, relevant: bool) -> None:
        """A row that was added is relevant after all, or is not."""
        self.targets += (1.0 if relevant else -1.0) * _with_ones(np.asarray([row]))[0]

    def take_in(self, other: NormalEquations) -> None:
        """Learn from all rows of another one."""
        self.products += other.products
        self.targets += other.targets

    def weights(self, ridge: float) -> FloatArray:
        """The intercept, then the weight of each feature; `ridge` is ρ."""
        if not self.num_rows:
            return np.zeros(len(self.targets))
        penalty = np.full(len(self.targets), ridge * self.products[0, 0])
        penalty[0] = 0.0
        return np.asarray(np.linalg.solve(self.products + np.diag(penalty), self.targets))

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {"products": self.products.tolist(), "targets": self.targets.tolist()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any], num_features: int) -> NormalEquations:
        """Back from the plain object."""
        products, targets = (np.asarray(given[name], np.float64) for name in ("products", "targets"))
        size = num_features + 1
        if products.shape != (size, size) or targets.shape != (size,):
            raise ValueError(f"expected sums for {num_features} features, found {products.shape} and {targets.shape}")
        return cls(products, targets)


def _with_ones(rows: npt.ArrayLike) -> FloatArray:
    x = np.asarray(rows, np.float64)
    return np.hstack([np.ones((len(x), 1)), x])
