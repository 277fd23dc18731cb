"""Counts of grades by item and assessor, from which every agreement measure is computed.

Items with the same grades from the same assessors form one pattern with a weight, so a resample only changes weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from germane.errors import MeasureError
from germane.tables.columns.ids import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums over the items graded by two or more assessors; leading axes, if any, are resamples.

    With n grades, an item has n · (n − 1) ordered pairs of them. In `coincidences` each counts 1 / (n − 1), so that an
    item counts as often as it has grades; in `pairs`, 1 / (n · (n − 1)), so that it counts once.
    """

    grades: FloatArray
    rel: float
    items: FloatArray
    coincidences: FloatArray
    pairs: FloatArray
    shares: FloatArray
    """For each grade, the share of an item's assessors that gave it, summed over items."""
    relevant_to_all: FloatArray
    relevant_to_any: FloatArray
    """Number of items graded by every assessor that all, or any, of them graded relevant."""


class Patterns:
    """A table of items × assessors (NaN: no grade) with identical rows merged."""

    def __init__(self, ratings: Any, *, grades: Sequence[float] | None = None, rel: float = 1) -> None:
        table = np.asarray(ratings, dtype=np.float64)
        if table.ndim != 2:
            raise MeasureError(f"expected a table of items × assessors, found shape {table.shape}")
        given = ~np.isnan(table)
        seen = np.unique(table[given])
        self.grades: FloatArray = seen if grades is None else np.unique(np.asarray(grades, dtype=np.float64))
        outside = seen[~np.isin(seen, self.grades)]
        if len(outside):
            scale = ", ".join(f"{grade:g}" for grade in self.grades)
            raise MeasureError(f"expected grades of the scale {scale}, found {outside[0]:g}")
        self.rel = rel
        codes = np.where(given, np.searchsorted(self.grades, table), -1)
        # np.unique rejects a table without rows, which has no patterns.
        rows, place = np.unique(codes, axis=0, return_inverse=True) if len(codes) else (codes, np.zeros(0))
        self.codes: IntArray = rows
        self.of_item: IntArray = place.reshape(-1).astype(np.int64)

    @property
    def num_judges(self) -> int:
        return int(self.codes.shape[1])

    @cached_property
    def weights(self) -> FloatArray:
        """Number of items with each pattern."""
        return np.bincount(self.of_item, minlength=len(self.codes)).astype(np.float64)

    @cached_property
    def judge_pairs(self) -> list[tuple[int, int]]:
        """Index pairs of all pairs of assessors."""
        return list(combinations(range(self.num_judges), 2))

    def tables(self, weights: FloatArray) -> Iterator[FloatArray]:
        """Yield the table of counts of each pair of assessors: grades of the first in rows, the second in columns."""
        size = len(self.grades)
        for first, second in self.judge_pairs:
            a, b = self.codes[:, first], self.codes[:, second]
            both = np.flatnonzero((a >= 0) & (b >= 0))
            marks = np.zeros((len(both), size * size))
            marks[np.arange(len(both)), a[both] * size + b[both]] = 1.0
            yield (weights[..., both] @ marks).reshape(*weights.shape[:-1], size, size)

    def tally(self, weights: FloatArray) -> Tally:
        """Return the sums over items, for all assessors together."""
        size = len(self.grades)
        given = (self.codes[:, :, None] == np.arange(size)).sum(axis=1)
        count = given.sum(axis=1)
        several = np.flatnonzero(count > 1)
        n, by_grade = count[several].astype(np.float64), given[several].astype(np.float64)
        ordered = by_grade[:, :, None] * by_grade[:, None, :]
        ordered[:, np.arange(size), np.arange(size)] -= by_grade
        flat = ordered.reshape(len(several), size * size)
        complete = np.flatnonzero((self.codes >= 0).all(axis=1) & (count > 1))
        relevant = self.codes[complete] >= np.searchsorted(self.grades, self.rel)
        used = weights[..., several]
        square = (*weights.shape[:-1], size, size)
        return Tally(
            grades=self.grades,
            rel=self.rel,
            items=used.sum(axis=-1),
            coincidences=(used @ (flat / (n - 1)[:, None])).reshape(square),
            pairs=(used @ (flat / (n * (n - 1))[:, None])).reshape(square),
            shares=used @ (by_grade / n[:, None]),
            relevant_to_all=weights[..., complete] @ relevant.all(axis=1).astype(np.float64),
            relevant_to_any=weights[..., complete] @ relevant.any(axis=1).astype(np.float64),
        )
