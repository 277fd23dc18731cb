"""The family of tests of a comparison, with plain and adjusted p-values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from germane.errors import GermaneError, unknown
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.effects import differences
from germane.stats.significance.folds import Folds
from germane.stats.significance.many_systems import Pairs, nemenyi, randomised_tukey, tukey_hsd
from germane.stats.significance.max_t import MaxT, step_down_max_t
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.paired_tests import PAIRED_TESTS, corrected_resampled_t
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.scores import Scores

MANY_SYSTEM_TESTS = ("tukey", "randomised-tukey", "nemenyi")
MAX_T_CORRECTIONS = ("max-t", "step-down-max-t")


@dataclass(frozen=True)
class Column:
    """One test of the family: its slice, queries, measure, and two systems."""

    slice: str
    queries: IntArray
    measure: int
    a: int
    b: int


def family_of(scores: Scores, baseline: str | None) -> list[Column]:
    """Return all tests of the family: slices × measures × pairs."""
    k = len(scores.runs)
    if baseline is None:
        pairs = list(combinations(range(k), 2))
    else:
        base = scores.run_index(baseline)
        pairs = [(base, other) for other in range(k) if other != base]
    place = {query: i for i, query in enumerate(scores.queries)}
    slices = {"": np.flatnonzero(scores.scored[0])}
    for label, queries in scores.slices.items():
        chosen = np.asarray([place[q] for q in queries if scores.scored[0, place[q]]], dtype=np.int64)
        if len(chosen) > 1:  # statistics need two queries; a note names the slice
            slices[label] = chosen
    measures = range(len(scores.measures))
    return [Column(label, queries, m, a, b) for label, queries in slices.items() for m in measures for a, b in pairs]


def num_groups(columns: Sequence[Column]) -> int:
    """Return the number of combinations of measure and slice; Tukey's tests are done for each."""
    return len({(column.slice, column.measure) for column in columns})


@dataclass(frozen=True, eq=False)
class Family:
    """The tests of a comparison, with their settings, p-values and adjustment."""

    scores: Scores
    columns: Sequence[Column]
    test: str
    sides: Sides
    correction: str
    alpha: float
    interval: str | None
    level: float | None
    folds: Folds | None
    resamples: int
    seed: int

    @cached_property
    def differences(self) -> list[FloatArray]:
        """Differences b − a by test and query, exactly 0 where both values differ by rounding only."""
        found: list[FloatArray] = [np.empty(0)] * len(self.columns)
        for tests, a, b in self.by_table:
            for i, own in zip(tests, differences(b, a), strict=True):
                found[i] = own
        return found

    @cached_property
    def by_table(self) -> list[tuple[list[int], FloatArray, FloatArray]]:
        """Tests of each slice and measure, with the values of a and b: one row per test."""
        groups: dict[tuple[str, int], list[int]] = {}
        for i, column in enumerate(self.columns):
            groups.setdefault((column.slice, column.measure), []).append(i)
        found = []
        for tests in groups.values():
            first = self.columns[tests[0]]
            table = self.scores.values[:, first.measure, first.queries]
            own = [self.columns[i] for i in tests]
            found.append((tests, table[[column.a for column in own]], table[[column.b for column in own]]))
        return found

    @cached_property
    def max_t(self) -> MaxT | None:
        """Joint distribution of all tests, for the max-t correction; None for others."""
        if self.correction != "max-t":
            return None
        return MaxT(np.stack(self.differences, axis=1), self.resamples, self.seed)

    @cached_property
    def by_slice(self) -> dict[str, list[int]]:
        """Indices of the tests by slice; tests of a slice have the same queries and can share resamples."""
        found: dict[str, list[int]] = {}
        for i, column in enumerate(self.columns):
            found.setdefault(column.slice, []).append(i)
        return found

    def require_correction(self) -> None:
        """Refuse an unknown correction, and one that is not supported with the test."""
        test, correction = self.test, self.correction
        known = [*CORRECTIONS.names, *MAX_T_CORRECTIONS, "none"]
        if correction not in known:
            raise unknown("correction", correction, known)
        if test in MANY_SYSTEM_TESTS and correction != "bonferroni":
            problem = f"{correction} is not supported with {test}, which already adjusts for all pairs"
            raise GermaneError(problem, hint="use `correction='bonferroni'`, the default")
        if correction in MAX_T_CORRECTIONS and self.folds is not None:
            hint = "use `correction='holm'` or `correction='bonferroni'`"
            raise GermaneError(f"{correction} resamples independent queries, found folds", hint=hint)
        several = test != "t" or self.sides != "two" or len(self.by_slice) > 1
        if correction in MAX_T_CORRECTIONS and several:
            hint = "use `test='t'`, without `sides=` and slices"
            raise GermaneError(f"{correction} requires a two-sided t-test on one set of queries", hint=hint)

    def p_values(self) -> tuple[FloatArray, list[str]]:
        """Return the p-value of each test, and a remark on it (may be empty)."""
        test, sides = self.test, self.sides
        p, remarks = np.empty(len(self.columns)), [""] * len(self.columns)
        if test in MANY_SYSTEM_TESTS:
            if sides != "two":
                raise GermaneError(f"the {test} test is two-sided", hint="remove `sides=`")
            tables = self.many_systems(0.05)
            return np.asarray([tables[c.slice, c.measure].p[c.a, c.b] for c in self.columns]), remarks
        if test not in PAIRED_TESTS:
            raise unknown("test", test, [*PAIRED_TESTS.names, *MANY_SYSTEM_TESTS])
        for tests in self.by_slice.values():
            matrix = np.stack([self.differences[i] for i in tests], axis=1)
            if self.folds is not None:
                folds = self.folds
                result = corrected_resampled_t(matrix, folds.train_size, folds.test_size, sides, runs=folds.runs)
            else:
                result = PAIRED_TESTS[test](matrix, sides, resamples=self.resamples, seed=self.seed)
            p[tests] = result.p
            for i, remark in zip(tests, result.remarks, strict=True):
                remarks[i] = remark
        return p, remarks

    def many_systems(self, alpha: float) -> dict[tuple[str, int], Pairs]:
        """Test all pairs of systems at once, for each slice and measure; intervals are simultaneous at 1 − alpha."""
        level = 1 - alpha / num_groups(self.columns)
        tables: dict[tuple[str, int], Pairs] = {}
        for column in {(c.slice, c.measure): c for c in self.columns}.values():
            table = self.scores.values[:, column.measure, column.queries].T
            if self.test == "randomised-tukey":
                found = randomised_tukey(table, self.resamples, self.seed, level=level)
            else:
                found = (tukey_hsd if self.test == "tukey" else nemenyi)(table, level=level)
            tables[column.slice, column.measure] = found
        return tables

    def adjusted(self, p: FloatArray) -> FloatArray:
        """Return the p-values adjusted for the whole family."""
        if self.test in MANY_SYSTEM_TESTS:
            return np.minimum(p * num_groups(self.columns), 1.0)
        if self.correction == "none":
            return p
        if self.max_t is not None:
            return self.max_t.p
        if self.correction == "step-down-max-t":
            return step_down_max_t(np.stack(self.differences, axis=1), self.resamples, self.seed)
        return CORRECTIONS[self.correction].adjust(p)
