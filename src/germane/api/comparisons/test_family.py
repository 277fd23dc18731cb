"""The family of tests of a comparison: which they are, their p-values, and these adjusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from germane.errors import GermaneError, unknown
from germane.stats.significance.effects import differences
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.scores import Scores

if TYPE_CHECKING:
    from germane.stats.significance.many_systems import Pairs
    from germane.stats.significance.max_t import MaxT

Sides = Literal["two", "greater", "less"]
MANY_SYSTEM_TESTS = ("tukey", "randomised-tukey", "nemenyi")
MAX_T_CORRECTIONS = ("max-t", "step-down-max-t")


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


def by_slice(columns: Sequence[Column]) -> dict[str, list[int]]:
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
    resamples: int,
    seed: int,
    folds: tuple[float, float] | None,
) -> tuple[FloatArray, list[str]]:
    """The p-value of each test, and what there is to say about it."""
    from germane.stats.significance.paired_tests import PAIRED_TESTS, corrected_resampled_t

    if test in MANY_SYSTEM_TESTS:
        if sides != "two":
            raise GermaneError(f"the {test} test is two-sided", hint="remove `sides=`")
        tables = many_systems(scores, columns, test, resamples, seed, 0.05)
        return np.asarray([tables[c.slice, c.measure].p[c.a, c.b] for c in columns]), [""] * len(columns)
    if test not in PAIRED_TESTS:
        known = [*PAIRED_TESTS.names, *MANY_SYSTEM_TESTS]
        raise unknown("test", test, known)
    p, remarks = np.empty(len(columns)), [""] * len(columns)
    for tests in by_slice(columns).values():
        matrix = np.stack([by_query[i] for i in tests], axis=1)
        if folds is not None:
            result = corrected_resampled_t(matrix, *folds, sides)
        else:
            result = PAIRED_TESTS[test](matrix, sides, resamples=resamples, seed=seed)
        p[tests] = result.p
        for i, remark in zip(tests, result.remarks, strict=True):
            remarks[i] = remark
    return p, remarks


def many_systems(
    scores: Scores, columns: Sequence[Column], test: str, resamples: int, seed: int, alpha: float
) -> dict[tuple[str, int], Pairs]:
    """All pairs of systems at once, for each slice and measure; their intervals hold together at 1 − alpha."""
    from germane.stats.significance.many_systems import nemenyi, randomised_tukey, tukey_hsd

    level = 1 - alpha / num_groups(columns)
    tables: dict[tuple[str, int], Pairs] = {}
    for column in {(c.slice, c.measure): c for c in columns}.values():
        table = scores.values[:, column.measure, column.queries].T
        if test == "tukey":
            found = tukey_hsd(table, level=level)
        elif test == "nemenyi":
            found = nemenyi(table, level=level)
        else:
            found = randomised_tukey(table, resamples, seed, level=level)
        tables[column.slice, column.measure] = found
    return tables


def adjusted_p(
    columns: Sequence[Column],
    by_query: Sequence[FloatArray],
    p: FloatArray,
    test: str,
    correction: str,
    max_t: MaxT | None,
    resamples: int,
    seed: int,
) -> FloatArray:
    """The p-values adjusted for the whole family."""
    from germane.stats.significance.corrections import CORRECTIONS
    from germane.stats.significance.max_t import step_down_max_t

    if test in MANY_SYSTEM_TESTS:
        return np.minimum(p * num_groups(columns), 1.0)
    if correction == "none":
        return p
    if max_t is not None:
        return max_t.p
    if correction == "step-down-max-t":
        return step_down_max_t(np.stack(by_query, axis=1), resamples, seed)
    return CORRECTIONS[correction].adjust(p)


def num_groups(columns: Sequence[Column]) -> int:
    """How many sets of pairs there are, each with its measure and slice: what Tukey's tests are made for one by one."""
    return len({(column.slice, column.measure) for column in columns})


def require_correction(columns: Sequence[Column], test: str, sides: Sides, correction: str) -> None:
    """Refuse a correction that there is not, or that does not go with the test."""
    from germane.stats.significance.corrections import CORRECTIONS

    known = [*CORRECTIONS.names, *MAX_T_CORRECTIONS, "none"]
    if correction not in known:
        raise unknown("correction", correction, known)
    if test in MANY_SYSTEM_TESTS and correction != "bonferroni":
        hint = "use `correction='bonferroni'`, the default"
        raise GermaneError(f"{test} covers all pairs by itself, and only bonferroni goes over the measures", hint=hint)
    if correction not in MAX_T_CORRECTIONS:
        return
    if test != "t" or sides != "two" or len(by_slice(columns)) > 1:
        hint = "use `test='t'`, without `sides=` and slices"
        raise GermaneError(f"{correction} adjusts the two-sided t test over one set of queries", hint=hint)
