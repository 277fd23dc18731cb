"""The family of tests of a comparison: which they are, their p-values, these adjusted, and the intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.stats.effects import differences
from germane.tables.ids import FloatArray, IntArray
from germane.tables.scores import Scores

if TYPE_CHECKING:
    from germane.stats.many_systems import Pairs

Sides = Literal["two", "greater", "less"]
ROUNDING = 1e-12
MANY_SYSTEM_TESTS = ("tukey", "randomised-tukey", "nemenyi")


@dataclass(frozen=True)
class Column:
    """One test of the family: which slice, measure and systems, and the values of both on the same queries."""

    slice: str
    queries: IntArray
    measure: int
    a: int
    b: int


def family_of(scores: Scores, baseline: str | None) -> list[Column]:
    """All tests that are made: slices × measures × pairs."""
    k = len(scores.runs)
    if baseline is None:
        pairs = list(combinations(range(k), 2))
    else:
        base = scores.run_index(baseline)
        pairs = [(base, other) for other in range(k) if other != base]
    place = {query: i for i, query in enumerate(scores.queries)}
    everything = np.flatnonzero(scores.scored[0])
    slices = {"": everything}
    for label, queries in scores.slices.items():
        chosen = np.asarray([place[q] for q in queries if scores.scored[0, place[q]]], dtype=np.int64)
        if len(chosen) > 1:  # one query says nothing about others; a note names the slice
            slices[label] = chosen
    return [
        Column(label, queries, m, a, b)
        for label, queries in slices.items()
        for m in range(len(scores.measures))
        for a, b in pairs
    ]


def differences_of(scores: Scores, column: Column) -> FloatArray:
    """b less a, query by query, and exactly 0 where only rounding tells them apart."""
    values = scores.values[:, column.measure, column.queries]
    return differences(values[column.b], values[column.a])


def _by_slice(columns: Sequence[Column]) -> dict[str, list[int]]:
    """The tests of each slice: they have the same queries, so they can share resamples."""
    found: dict[str, list[int]] = {}
    for i, column in enumerate(columns):
        found.setdefault(column.slice, []).append(i)
    return found


def p_values(
    scores: Scores,
    columns: Sequence[Column],
    by_query: Sequence[FloatArray],
    test: str,
    sides: Sides,
    flips: int,
    seed: int,
    folds: tuple[float, float] | None,
) -> tuple[FloatArray, list[str]]:
    """The p-value of each test, and what there is to say about it."""
    from germane.stats.paired_tests import PAIRED_TESTS, corrected_resampled_t

    if test in MANY_SYSTEM_TESTS:
        if sides != "two":
            raise GermaneError(f"the {test} test is two-sided", hint="remove `sides=`")
        tables = many_systems(scores, columns, test, flips, seed, 0.95)
        return np.asarray([tables[c.slice, c.measure].p[c.a, c.b] for c in columns]), [""] * len(columns)
    if test not in PAIRED_TESTS:
        known = [*PAIRED_TESTS, *MANY_SYSTEM_TESTS]
        raise GermaneError(
            f"no test is called {test!r}{did_you_mean(test, known)}", hint=f"there are: {', '.join(known)}"
        )
    p, remarks = np.empty(len(columns)), [""] * len(columns)
    for tests in _by_slice(columns).values():
        matrix = np.stack([by_query[i] for i in tests], axis=1)
        if folds is not None:
            result = corrected_resampled_t(matrix, *folds, sides)
        else:
            result = PAIRED_TESTS[test](matrix, sides, resamples=flips, seed=seed)
        p[tests] = result.p
        for i, remark in zip(tests, result.remarks, strict=True):
            remarks[i] = remark
    return p, remarks


def many_systems(
    scores: Scores, columns: Sequence[Column], test: str, flips: int, seed: int, level: float
) -> dict[tuple[str, int], Pairs]:
    """All pairs of systems at once, for each slice and measure."""
    from germane.stats.many_systems import nemenyi, randomised_tukey, tukey_hsd

    tables: dict[tuple[str, int], Pairs] = {}
    for column in {(c.slice, c.measure): c for c in columns}.values():
        table = scores.values[:, column.measure, column.queries].T
        if test == "tukey":
            found = tukey_hsd(table, level=level)
        elif test == "nemenyi":
            found = nemenyi(table, level=level)
        else:
            found = randomised_tukey(table, flips, seed, level=level)
        tables[column.slice, column.measure] = found
    return tables


def adjusted_p(
    columns: Sequence[Column],
    by_query: Sequence[FloatArray],
    p: FloatArray,
    test: str,
    sides: Sides,
    correction: str,
    flips: int,
    seed: int,
) -> FloatArray:
    """The p-values adjusted for the whole family."""
    from germane.stats.corrections import CORRECTIONS, max_t

    if test in MANY_SYSTEM_TESTS:
        if correction != "holm":
            raise GermaneError(
                f"{test} covers all pairs by itself; only holm goes over the measures", hint="remove `correction=`"
            )
        return _holm_over_measures(columns, p)
    if correction == "none":
        return p
    if correction == "max-t":
        if test != "t" or sides != "two" or len(_by_slice(columns)) > 1:
            raise GermaneError(
                "max-t adjusts the two-sided t test over one set of queries",
                hint='use `test="t"`, without `sides=` and slices',
            )
        return max_t(np.stack(by_query, axis=1), flips, seed)
    if correction not in CORRECTIONS:
        known = [*CORRECTIONS, "max-t", "none"]
        raise GermaneError(
            f"no correction is called {correction!r}{did_you_mean(correction, known)}",
            hint=f"there are: {', '.join(known)}",
        )
    return CORRECTIONS[correction].adjust(p)


def _holm_over_measures(columns: Sequence[Column], p: FloatArray) -> FloatArray:
    """Each measure's p-values cover its own pairs already; Holm's steps then go over the measures (and slices).

    A measure counts with the smallest of its p-values: the first one in that order is multiplied by the number of
    measures, the next by one less, and none comes out below the one before.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    for i, column in enumerate(columns):
        groups.setdefault((column.slice, column.measure), []).append(i)
    adjusted, floor = p.copy(), 0.0
    ordered = sorted(groups.values(), key=lambda tests: float(np.nanmin(p[tests], initial=1.0)))
    for step, tests in enumerate(ordered):
        adjusted[tests] = np.maximum(np.minimum(p[tests] * (len(ordered) - step), 1.0), floor)
        floor = float(np.nanmin(adjusted[tests], initial=1.0))
    return adjusted


def difference_intervals(
    columns: Sequence[Column], by_query: Sequence[FloatArray], method: str, level: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval of each difference, each for itself."""
    from germane.stats.intervals import mean_interval

    low, high = np.empty(len(columns)), np.empty(len(columns))
    for tests in _by_slice(columns).values():
        found = mean_interval(np.stack([by_query[i] for i in tests], axis=1), method, level, seed=seed)
        low[tests], high[tests] = found.low, found.high
    return low, high


def simultaneous_intervals(
    scores: Scores, columns: Sequence[Column], test: str, level: float, flips: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """The ends of Tukey's intervals, which hold for all pairs of a measure together."""
    tables = many_systems(scores, columns, test, flips, seed, level)
    ends = [(tables[c.slice, c.measure].low[c.b, c.a], tables[c.slice, c.measure].high[c.b, c.a]) for c in columns]
    low, high = np.asarray(ends, dtype=np.float64).T
    # An end that only rounding keeps from 0 is 0: p, which is judged with a tolerance, must not contradict it.
    return np.where(np.abs(low) < ROUNDING, 0.0, low), np.where(np.abs(high) < ROUNDING, 0.0, high)


def fold_intervals(
    by_query: Sequence[FloatArray], level: float, train_size: float, test_size: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of the intervals of the corrected resampled t: wider, since folds share their training data."""
    from scipy.special import stdtrit

    matrix = np.stack(by_query, axis=1)
    n = len(matrix)
    error = np.sqrt((1 / n + test_size / train_size) * matrix.var(axis=0, ddof=1))
    half = stdtrit(n - 1, (1 + level) / 2) * error
    return matrix.mean(axis=0) - half, matrix.mean(axis=0) + half
