"""The intervals of a family of differences: those that agree with the test and its correction, or unadjusted ones.

A simultaneous interval at level 1 − alpha excludes 0 exactly where the adjusted p-value is at most alpha. It exists
where test and correction can be inverted. Step-down corrections (Holm, step-down max-T) have none that bound both
sides, and those for false discoveries (bh, by) none at all; a Bonferroni interval cut at 0 by Holm's verdict covers
about 90% instead of 95% (`tests/stats/simultaneous_coverage.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from germane.api.comparisons.test_family import Family, family_of
from germane.errors import GermaneError
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.corrections import bonferroni
from germane.stats.significance.folds import Folds
from germane.stats.significance.outcomes import Sides
from germane.tables.columns.ids import FloatArray
from germane.tables.results.comparison import Pair
from germane.tables.results.scores import Scores

ROUNDING = 1e-12
INVERTIBLE_TESTS = ("t", "welch", "tukey", "randomised-tukey")
"""Tests with a matching interval: it excludes 0 where p is at most one minus its level."""
INVERTIBLE_CORRECTIONS = ("bonferroni", "max-t", "none")
"""Corrections that hold each test against one limit, independent of the outcomes of the others."""


@dataclass(frozen=True, eq=False)
class FamilyIntervals:
    """Intervals of a family: the ends by test, the method, the level, and how they relate to the tests.

    `simultaneous`: the level holds for all of them together. `matches`: an interval excludes 0 exactly where its test
    is significant.
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
    """Return the level of each interval that makes all of them simultaneous at 1 − alpha.

    >>> round(level_of_each("bonferroni", 0.05, 10), 4), level_of_each("none", 0.05, 10)
    (0.995, 0.95)
    """
    return 1 - alpha / (1 if correction == "none" else num_tests)


def asked_for_means(
    scores: Scores, baseline: str | None, interval: str, level: float, test: str, correction: str = "bonferroni"
) -> dict[str, Any]:
    """Return the interval and level for differences, where both were chosen for means.

    A difference has the interval that agrees with its two-sided test, unless there is none or another was chosen.
    """
    own = interval == "t" and is_invertible(test, "two", correction, len(family_of(scores, baseline)))
    return {"interval": None, "level": None} if own else {"interval": interval, "level": level}


def require_matching_level(level: float | None, alpha: float) -> None:
    """Refuse a level that contradicts alpha, for intervals that follow from the test."""
    if level is not None and abs(level - (1 - alpha)) > ROUNDING:
        problem = f"expected level 1 - alpha = {1 - alpha:g} for intervals that agree with the test, found {level:g}"
        hint = f"use `alpha={round(1 - level, 12):g}`, or `interval='t'` for unadjusted intervals"
        raise GermaneError(problem, hint=hint)


def family_intervals(family: Family, adjusted: FloatArray) -> FamilyIntervals:
    """Return the intervals that match the tests, where they exist and no other `interval` was asked for."""
    num_tests, alpha, correction = len(family.columns), family.alpha, family.correction
    num_made = max(
        1, int(np.count_nonzero(~np.isnan(adjusted)))
    )  # p is not adjusted for pairs that could not be tested
    if family.interval is not None or not is_invertible(family.test, family.sides, correction, num_tests):
        wanted = 1 - alpha if family.level is None else family.level
        low, high, method = _single(family, family.interval or "t", wanted)
        return FamilyIntervals(low, high, method, wanted, simultaneous=False, matches=False)
    require_matching_level(family.level, alpha)
    if family.max_t is not None:
        low, high = family.max_t.intervals(alpha)
        method = "max-t"
    elif family.folds is not None or family.test == "t":
        low, high, method = _single(family, "t", level_of_each(correction, alpha, num_made))
    else:
        low, high = _of_many_systems(family)
        method = family.test
    # An end that differs from 0 by rounding only is 0: p is computed with a tolerance and must not contradict it.
    low, high = (np.where(np.abs(end) < ROUNDING, 0.0, end) for end in (low, high))
    simultaneous = num_tests > 1 and correction != "none"
    return FamilyIntervals(low, high, method, 1 - alpha, simultaneous, matches=True)


def _single(family: Family, method: str, level: float) -> tuple[FloatArray, FloatArray, str]:
    """Return the ends of each interval by itself, and the method; for folds there is only one."""
    if family.folds is not None:
        return *_fold_intervals(family.differences, level, family.folds), "corrected t"
    low, high = np.empty(len(family.columns)), np.empty(len(family.columns))
    for tests in family.by_slice.values():
        found = mean_interval(np.stack([family.differences[i] for i in tests], axis=1), method, level, seed=family.seed)
        low[tests], high[tests] = found.low, found.high
    return low, high, method


def _of_many_systems(family: Family) -> tuple[FloatArray, FloatArray]:
    """Return Tukey's intervals, simultaneous over pairs, and over measures and slices by Bonferroni's method."""
    tables = family.many_systems(family.alpha)
    found = [(tables[c.slice, c.measure], c) for c in family.columns]
    low, high = np.asarray([(table.low[c.b, c.a], table.high[c.b, c.a]) for table, c in found], dtype=np.float64).T
    return low, high


def _fold_intervals(by_query: Sequence[FloatArray], level: float, folds: Folds) -> tuple[FloatArray, FloatArray]:
    """Return the intervals of the corrected resampled t-test: wider, since folds share their training data."""
    from scipy.special import stdtrit

    matrix = np.stack(by_query, axis=1)
    half = stdtrit(len(matrix) - 1, (1 + level) / 2) * folds.standard_errors(matrix)
    return matrix.mean(axis=0) - half, matrix.mean(axis=0) + half


def in_one_family(compared: Callable[[float], Sequence[Sequence[Pair]]], alpha: float) -> list[tuple[Pair, ...]]:
    """Return pairs with Bonferroni-adjusted p-values over all groups, and simultaneous intervals at 1 - alpha.

    `compared` returns the groups of pairs, tested without correction at the alpha that it is given: their intervals
    have the level that the family leaves for each test.
    """
    p = np.asarray([pair.p for group in compared(alpha) for pair in group])
    num_tests = max(1, int(np.count_nonzero(~np.isnan(p))))
    adjusted = iter(bonferroni(p).tolist())
    return [tuple(replace(pair, p_adjusted=next(adjusted)) for pair in group) for group in compared(alpha / num_tests)]
