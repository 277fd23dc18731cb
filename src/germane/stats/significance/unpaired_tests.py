"""Unpaired tests of two groups of queries, treatment and control: do their means differ?

Each takes two matrices of queries × columns and tests every column; a difference is treatment − control.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue
from germane.errors import GermaneError
from germane.stats.intervals.means import Interval
from germane.stats.intervals.resampling import label_splits, products
from germane.stats.significance.columns import column_means, column_sums, column_variances, columns_of, constant_columns
from germane.stats.significance.outcomes import Sides, Statistics, SystemTest, TestResult, p_of_draws, p_of_t, reaches
from germane.tables.columns.ids import BoolArray, FloatArray


class UnpairedTest(SystemTest):
    """An unpaired test, called with the values of both groups: one column each, or matrices with the same columns.

    A test that `needs_spread` is undefined if all values within each group are equal.

    >>> result = UNPAIRED_TESTS["permutation"]([4, 5, 6], [1, 2, 3])
    >>> float(result.statistic), float(result.p)                            # 2 of 20 ways to choose 3 are as extreme
    (3.0, 0.1)
    """

    def __call__(
        self,
        treatment: npt.ArrayLike,
        control: npt.ArrayLike,
        sides: Sides = "two",
        *,
        resamples: int = 100_000,
        seed: int = 0,
    ) -> TestResult:
        needs = "each group of an unpaired test"
        treated, untreated = columns_of(treatment, needs), columns_of(control, needs)
        if np.shape(treatment)[1:] != np.shape(control)[1:]:
            found = f"{treated.shape[1]} in treatment and {untreated.shape[1]} in control"
            raise GermaneError(f"expected the same columns in both groups, found {found}")
        none = constant_columns(np.concatenate((treated, untreated)))
        stuck = constant_columns(treated) & constant_columns(untreated) & ~none
        why = "undefined: the values within each group are all equal, so the variance is 0"

        def compute(tested: BoolArray) -> Statistics:
            found: Statistics = self.target(treated[:, tested], untreated[:, tested], sides, resamples, seed)
            return found

        return self.result(sides, resamples, none, stuck, why, compute, np.shape(treatment)[1:])


UNPAIRED_TESTS = Catalogue("test of two groups", UnpairedTest, UnpairedTest, example="welch")


@UNPAIRED_TESTS.add("welch", needs_spread=True)
def welch(treatment: FloatArray, control: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Welch's t-test: the difference of the means over its standard error, for unequal variances.

    Formula:    t = (m1 − m2)/√(v1 + v2), v = s²/n; (v1 + v2)² / (v1²/(n1 − 1) + v2²/(n2 − 1)) degrees of freedom
    Reference:  Welch, "The generalization of 'Student's' problem", Biometrika 34 (1947).
    """
    variances = [column_variances(group) / len(group) for group in (treatment, control)]
    total = variances[0] + variances[1]
    t = (column_means(treatment) - column_means(control)) / np.sqrt(total)
    # Use shares of the variance, because the squares of small variances would underflow.
    shares = [variance / total for variance in variances]
    df = 1 / (shares[0] ** 2 / (len(treatment) - 1) + shares[1] ** 2 / (len(control) - 1))
    return t, p_of_t(t, df, sides)


@UNPAIRED_TESTS.add(
    "permutation",
    owes="tests whether both groups have the same distribution; with unequal sizes and variances it may reject equal "
    "means (use welch instead)",
)
def permutation(treatment: FloatArray, control: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Permutation test: share of random assignments of queries to groups with means at least as far apart.

    All assignments if there are at most as many as resamples; else random ones, p = (b + 1)/(B + 1). Two-sided by the
    absolute difference.
    """
    pooled = np.concatenate((treatment, control))
    n, columns = pooled.shape
    treated, untreated = len(treatment), len(control)
    # As deviations from the common mean, the sum of the treated suffices: that of the others is its negative.
    deviations = pooled - column_means(pooled)
    observed = column_sums(deviations[:treated])
    error = n * np.finfo(np.float64).eps * column_sums(np.abs(deviations))
    extreme = np.zeros(columns)
    for marks in label_splits(treated, n, resamples, seed, columns=columns):
        extreme += np.count_nonzero(reaches(products(deviations, marks), observed, error, sides), axis=1)
    ways = math.comb(n, treated)
    p = extreme / ways if ways <= resamples else p_of_draws(extreme, resamples)
    return observed * (1 / treated + 1 / untreated), p


def welch_interval(treatment: npt.ArrayLike, control: npt.ArrayLike, level: float = 0.95) -> Interval:
    """Return the interval of the difference of means, treatment − control, by column, for unequal variances.

    Formula:    (m1 − m2) ± t(level, df) √(s1²/n1 + s2²/n2), df by Welch and Satterthwaite
    Reference:  Welch, "The generalization of Student's problem", Biometrika 34 (1947).

    >>> interval = welch_interval([4, 5, 6], [1, 2, 3])
    >>> np.round([interval.low, interval.high], 3)              # 3 ± 2.776 * sqrt(1/3 + 1/3)
    array([[0.733],
           [5.267]])
    """
    from scipy.special import stdtrit

    one, other = (columns_of(values, "each group") for values in (treatment, control))
    difference = column_means(one) - column_means(other)
    squared = [column_variances(values) / len(values) for values in (one, other)]
    total = squared[0] + squared[1]
    spread = squared[0] ** 2 / (len(one) - 1) + squared[1] ** 2 / (len(other) - 1)
    df = np.divide(total**2, spread, out=np.ones_like(total), where=total > 0)
    half = stdtrit(df, (1 + level) / 2) * np.sqrt(total)
    return Interval(difference - half, difference + half)
