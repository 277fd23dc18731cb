"""Intervals for the ranks of many systems: where each would stand on other queries of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.stats.intervals.bootstrap_ends import tails_of
from germane.stats.intervals.proportions import require_level
from germane.stats.intervals.resampling import bootstrap_counts, products, require_draws
from germane.stats.significance.columns import columns_of
from germane.tables.columns.ids import FloatArray, IntArray

EQUAL_DIGITS = 12
"""Digits after the point to which tied means agree: the same values, added in another order, differ further on."""


@dataclass(frozen=True, eq=False)
class RankIntervals:
    """Best and worst rank of each system, from 1."""

    low: IntArray
    high: IntArray


def rank_intervals(
    values: npt.ArrayLike,
    level: float = 0.95,
    *,
    higher_is_better: bool = True,
    resamples: int = 9_999,
    seed: int = 0,
) -> RankIntervals:
    """Return bootstrap intervals of the ranks by mean; rows are queries, columns are systems.

    Formula:    the middle 95% of the ranks over resamples of the queries, which all systems share; tied systems take
        the best of their ranks for the low end and the worst for the high end. If the rank over all queries lies
        outside, the interval is extended to it
    Reference:  Goldstein & Spiegelhalter, "League Tables and Their Limitations", JRSS A 1996.
    Note:       the intervals are not simultaneous; among systems that are nearly equal the bootstrap is
        overconfident (Hall & Miller, "Using the Bootstrap to Quantify the Authority of an Empirical Ranking",
        Annals of Statistics 2009).

    >>> found = rank_intervals([[0.9, 0.2, 0.3], [0.8, 0.3, 0.2], [0.9, 0.1, 0.1], [0.7, 0.4, 0.4]])
    >>> found.low.tolist(), found.high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    columns = columns_of(values, "an interval of ranks")
    require_level(level)
    require_draws(resamples, int(np.ceil(2 / (1 - level))))
    better = columns if higher_is_better else -columns
    best, worst = [], []
    for counts in bootstrap_counts(len(columns), resamples, seed, columns=columns.shape[1]):
        first, last = _ranks(np.round(products(better, counts).T / len(columns), EQUAL_DIGITS))
        best.append(first)
        worst.append(last)
    ends = np.ceil(tails_of(level) * resamples).astype(np.int64).clip(1, resamples) - 1
    low, high = (np.sort(np.concatenate(ranks), axis=0)[end] for ranks, end in zip((best, worst), ends, strict=True))
    first, last = _ranks(np.round(products(better, np.ones((1, len(columns)))).T / len(columns), EQUAL_DIGITS))
    return RankIntervals(np.minimum(low, first[0]), np.maximum(high, last[0]))


def _ranks(means: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the first and last possible rank of each system of a row, highest mean first."""
    order = np.argsort(-means, axis=1, kind="stable")
    falling = np.take_along_axis(means, order, axis=1)
    place = np.broadcast_to(np.arange(means.shape[1]), means.shape)
    apart = falling[:, 1:] != falling[:, :-1]
    edge = np.ones((len(means), 1), dtype=bool)
    first = np.maximum.accumulate(np.where(np.concatenate([edge, apart], axis=1), place, 0), axis=1)
    ends = np.where(np.concatenate([apart, edge], axis=1), place, means.shape[1])
    last = np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    found = np.empty((2, *means.shape), dtype=np.int64)
    for ranks, sorted_ranks in zip(found, (first, last), strict=True):
        np.put_along_axis(ranks, order, sorted_ranks + 1, axis=1)
    return found[0], found[1]
