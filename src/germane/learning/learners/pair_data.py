"""The rows of queries that form pairs, ready for sums over all pairs: sorted by query and centred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, IntArray

PairWeight = Literal["pair", "query"]
"""Every pair counts 1; or every query counts 1, and each of its pairs an equal share."""


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows by query, without the queries whose rows all have one grade: they form no pairs.

    The mean of its query is taken from each feature. That changes no difference within a query, and keeps digits.
    """

    features: FloatArray
    query: IntArray
    grade: IntArray
    """The place of the row's grade among those of its query, from 1."""
    bounds: IntArray
    """Where queries end, with a 0 before."""
    weight: FloatArray
    """What a pair of each query counts."""
    num_pairs: int

    @property
    def num_queries(self) -> int:
        return len(self.weight)

    def by_score(self, score: FloatArray) -> IntArray:
        """The rows by query, and by ascending score in a query."""
        return np.lexsort((score, self.query)).astype(np.int64, copy=False)


def pair_data(features: FloatArray, grades: FloatArray, query: IntArray, pair_weight: PairWeight) -> PairData:
    """Sort, count and centre.

    >>> data = pair_data(np.array([[5.0], [1.0], [3.0]]), np.array([2.0, 0.0, 0.0]), np.array([7, 7, 7]), "query")
    >>> data.features.ravel().tolist(), data.grade.tolist(), data.num_pairs, data.weight.tolist()
    ([-2.0, 0.0, 2.0], [1, 1, 2], 2, [0.5])
    """
    if pair_weight not in get_args(PairWeight):
        raise GermaneError(f"expected pair_weight {' or '.join(get_args(PairWeight))}, found {pair_weight!r}")
    order = np.lexsort((grades, query))
    by_query, by_grade = query[order], grades[order]
    starts_query = np.append(True, by_query[1:] != by_query[:-1])[: len(order)]
    starts_grade = starts_query | np.append(True, by_grade[1:] != by_grade[:-1])[: len(order)]
    number = np.cumsum(starts_query) - 1
    rows = np.bincount(number)
    of_grade = np.bincount(np.cumsum(starts_grade) - 1)
    equal = np.bincount(number[starts_grade], weights=of_grade.astype(np.float64) ** 2)
    pairs = (rows.astype(np.float64) ** 2 - equal) / 2
    if not pairs.any():
        raise GermaneError(
            f"expected two grades in at least one query, found none: {len(order):,} rows of {len(rows):,} queries",
            hint="pairs are formed within a query, of rows with different grades; are the queries those of the rows?",
        )
    has_pairs = pairs > 0
    keep = has_pairs[number]
    grade = np.cumsum(starts_grade)
    grade = (grade - grade[starts_query][number] + 1)[keep]
    centred = features[order[keep]]
    bounds = np.append(0, np.cumsum(rows[has_pairs]))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        centred[begin:end] -= centred[begin:end].mean(axis=0)
    pairs = pairs[has_pairs]
    return PairData(
        centred,
        np.repeat(np.arange(len(pairs)), rows[has_pairs]),
        grade,
        bounds,
        1 / pairs if pair_weight == "query" else np.ones(len(pairs)),
        int(pairs.sum()),
    )
