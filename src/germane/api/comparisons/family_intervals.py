"""The intervals of a family of differences: those that agree with the test and its correction, or unadjusted ones.

A simultaneous interval at level 1 − alpha excludes 0 exactly where the adjusted p-value is at most alpha. It exists
where test and correction can be inverted. Step-down corrections (Holm, step-down max-T) have none that bound both
sides, and those for false discoveries (bh, by) none at all; a Bonferroni interval cut at 0 by Holm's verdict covers
about 90% where it claims 95% (`tests/stats/simultaneous_coverage.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from germane.api.comparisons.test_family import Column, Sides, by_slice, many_systems
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray
from germane.tables.results.scores import Scores

if TYPE_CHECKING:
    from germane.stats.significance.max_t import MaxT

ROUNDING = 1e-12
INVERTIBLE_TESTS = ("t", "welch", "tukey", "randomised-tukey")
"""Tests that have an interval of their own: it excludes 0 where p is at most one minus its level."""
INVERTIBLE_CORRECTIONS = ("bonferroni", "max-t", "none")
"""Corrections that compare each test with one limit, whatever became of the others."""


@dataclass(frozen=True, eq=False)
class FamilyIntervals:
    """The ends by test, the method, the level, and how the intervals relate to the tests.

    `simultaneous`: all of them hold together at this level. `matches`: one excludes 0 exactly where its test is
    significant.
    """

    low: FloatArray
    high: FloatArray
    method: str
    level: float
    simultaneous: bool
    matches: bool


def is_invertible(test: str, sides: Sides, correction: str, num_tests: int) -> bool:
    """Whether the test and its correction have intervals that agree with the adjusted p-values."""
    return test in INVERTIBLE_TESTS and sides == "two" and (num_tests == 1 or correction in INVERTIBLE_CORRECTIONS)


def level_of_each(correction: str, alpha: float, num_tests: int) -> float:
    """The level of one interval, so that all of them hold together at 1 − alpha.

    >>> round(level_of_each("bonferroni", 0.05, 10), 4), level_of_each("none", 0.05, 10)
    (0.995, 0.95)
    """
    return 1 - alpha / (1 if correction == "none" else num_tests)


def asked_for_means(
    interval: str, level: float, test: str, correction: str, num_tests: int
) -> dict[str, str | float | None]:
    """The interval and the level of differences where both were chosen for means.

    A difference has the interval that agrees with its two-sided test, unless there is none or another was chosen.
    """
    own = interval == "t" and is_invertible(test, "two", correction, num_tests)
    return {"interval": None, "level": None} if own else {"interval": interval, "level": level}


def require_matching_level(level: float | None, alpha: float) -> None:
    """Refuse a level that contradicts alpha, for intervals that follow from the test."""
    if level is not None and abs(level - (1 - alpha)) > ROUNDING:
        problem = f"expected level 1 - alpha = {1 - alpha:g} for intervals that agree with the test, found {level:g}"
        hint = f"use `alpha={round(1 - level, 12):g}`, or `interval='t'` for unadjusted intervals"
        raise GermaneError(problem, hint=hint)


def family_intervals(
    scores: Scores,
    columns: Sequence[Column],
    by_query: Sequence[FloatArray],
    adjusted: FloatArray,
    *,
    test: str,
    sides: Sides,
    correction: str,
    alpha: float,
    interval: str | None,
    level: float | None,
    folds: tuple[float, float] | None,
    max_t: MaxT | None,
    resamples: int,
    seed: int,
) -> FamilyIntervals:
    """The intervals that agree with the tests, where there are any and no other `interval` was asked for."""
    num_tests = len(columns)
    num_made = max(1, int(np.count_nonzero(~np.isnan(adjusted))))  # p is not adjusted for what could not be tested
    if interval is not None or not is_invertible(test, sides, correction, num_tests):
        wanted = 1 - alpha if level is None else level
        if folds is not None:
            low, high = _fold_intervals(by_query, wanted, *folds)
            return FamilyIntervals(low, high, "corrected t", wanted, simultaneous=False, matches=False)
        method = interval or "t"
        low, high = _by_slice_intervals(columns, by_query, method, wanted, seed)
        return FamilyIntervals(low, high, method, wanted, simultaneous=False, matches=False)
    require_matching_level(level, alpha)
    each = level_of_each(correction, alpha, num_made)
    method = test
    if max_t is not None:
        low, high = max_t.intervals(alpha)
        method = "max-t"
    elif folds is not None:
        low, high = _fold_intervals(by_query, each, *folds)
        method = "corrected t"
    elif test == "t":
        low, high = _by_slice_intervals(columns, by_query, "t", each, seed)
    else:
        low, high = _of_many_systems(scores, columns, test, alpha, resamples, seed)
    # An end that only rounding keeps from 0 is 0: p, which is judged with a tolerance, must not contradict it.
    low, high = (np.where(np.abs(end) < ROUNDING, 0.0, end) for end in (low, high))
    simultaneous = num_tests > 1 and correction != "none"
    return FamilyIntervals(low, high, method, 1 - alpha, simultaneous, matches=True)


def _by_slice_intervals(
    columns: Sequence[Column], by_query: Sequence[FloatArray], method: str, level: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    from germane.stats.intervals.means import mean_interval

    low, high = np.empty(len(columns)), np.empty(len(columns))
    for tests in by_slice(columns).values():
        found = mean_interval(np.stack([by_query[i] for i in tests], axis=1), method, level, seed=seed)
        low[tests], high[tests] = found.low, found.high
    return low, high


def _of_many_systems(
    scores: Scores, columns: Sequence[Column], test: str, alpha: float, resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Tukey's intervals hold for all pairs of a measure; Bonferroni makes them hold for all measures and slices."""
    tables = many_systems(scores, columns, test, resamples, seed, alpha)
    ends = [(tables[c.slice, c.measure].low[c.b, c.a], tables[c.slice, c.measure].high[c.b, c.a]) for c in columns]
    low, high = np.asarray(ends, dtype=np.float64).T
    return low, high


def _fold_intervals(
    by_query: Sequence[FloatArray], level: float, train_size: float, test_size: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of the intervals of the corrected resampled t: wider, since folds share their training data."""
    from scipy.special import stdtrit

    matrix = np.stack(by_query, axis=1)
    n = len(matrix)
    error = np.sqrt((1 / n + test_size / train_size) * matrix.var(axis=0, ddof=1))
    half = stdtrit(n - 1, (1 + level) / 2) * error
    return matrix.mean(axis=0) - half, matrix.mean(axis=0) + half
