"""Effect sizes of differences between two systems, wins and losses, and equivalence tests.

`a` and `b` are per-query values of two systems on the same queries; a difference is a - b, and positive is better:
negate both if lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isnan, lgamma, nan, sqrt

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.significance.columns import EQUAL, column_means, columns_of, standard_errors
from germane.stats.significance.folds import Folds
from germane.stats.significance.outcomes import p_of_t
from germane.tables.columns.ids import FloatArray, IntArray

TIE = 1e-9
"""Values within this relative distance are tied: the same sum in another order."""


@dataclass(frozen=True)
class Effects:
    """Effect sizes of one difference; NaN if undefined."""

    d_z: float
    """Cohen's d_z: mean difference over the standard deviation of the differences; larger for correlated systems."""
    g_z: float
    """Hedges' g_z: d_z corrected for its upward bias in small samples (Hedges 1981)."""
    d_residual: float
    """Mean difference over the residual standard deviation of the two-way ANOVA (Sakai 2018); NaN if not given."""
    dominance: float
    """Paired dominance: (wins - losses) / number of queries."""
    cliffs_delta: float
    """Cliff's delta, unpaired: P(a > b) - P(a < b) over all pairs of values of a and b (Cliff 1993)."""
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Margin:
    """Tests of whether a difference lies within a margin that was chosen beforehand."""

    delta: float
    p_noninferior: float
    """p-value against a mean difference ≤ -delta: if small, a is not worse by more than delta."""
    p_not_better: float
    """p-value against a mean difference ≥ +delta: if small, a is not better by more than delta."""

    @property
    def p_equivalent(self) -> float:
        """p-value of equivalence by two one-sided tests: the larger of the two."""
        return float(np.maximum(self.p_noninferior, self.p_not_better))


def effects(a: npt.ArrayLike, b: npt.ArrayLike, *, residual_sd: float | None = None, tie: float = TIE) -> Effects:
    """Return all effect sizes of one pair of systems.

    >>> sizes = effects([0.5, 0.6, 0.9, 0.4], [0.3, 0.6, 0.5, 0.6])          # differences 0.2 0 0.4 -0.2
    >>> round(sizes.d_z, 4), round(sizes.g_z, 4), sizes.dominance, sizes.cliffs_delta
    (0.3873, 0.2802, 0.25, 0.1875)
    """
    a, b = _paired(a, b)
    (found,) = effects_of_rows(a[None, :], b[None, :], residual_sd=residual_sd, tie=tie)
    return found


def effects_of_rows(
    a: FloatArray, b: FloatArray, *, residual_sd: float | None = None, tie: float = TIE
) -> list[Effects]:
    """The same of many pairs at once: a row for each pair, a column for each query."""
    n = a.shape[1]
    gains = differences(a, b, tie)
    mean, sd = column_means(gains.T), standard_errors(gains.T) * sqrt(n)
    # Whether the differences vary, beyond the rounding that values of this size bring with them.
    varies = np.ptp(gains, axis=1) > EQUAL * np.maximum(np.abs(a).max(axis=1), np.abs(b).max(axis=1))
    d_z = np.divide(mean, sd, out=np.full(len(mean), nan), where=varies)
    g_z = d_z * hedges_factor(n - 1)
    d_residual = mean / residual_sd if residual_sd else np.full(len(mean), nan)
    wins, losses = np.count_nonzero(gains > 0, axis=1), np.count_nonzero(gains < 0, axis=1)
    dominance = (wins - losses) / n
    deltas = [cliffs_delta(own, other, tie) for own, other in zip(a, b, strict=True)]
    columns = (d_z, g_z, d_residual, dominance, np.asarray(deltas), wins, n - wins - losses, losses)
    return [Effects(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def differences(a: npt.ArrayLike, b: npt.ArrayLike, tie: float = TIE) -> FloatArray:
    """Return a - b, exactly 0 where the two are equal up to rounding; for any shape.

    >>> differences([0.1 + 0.2, 0.5], [0.3, 0.25])
    array([0.  , 0.25])
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    difference: FloatArray = left - right
    difference[np.abs(difference) <= tie * np.maximum(np.abs(left), np.abs(right))] = 0.0
    return difference


def hedges_factor(df: int) -> float:
    """Return Hedges' small-sample bias correction for df degrees of freedom; NaN for df = 1.

    Formula:    Γ(df/2) / (sqrt(df/2) Γ((df-1)/2)), about 1 - 3 / (4 df - 1)
    Reference:  Hedges, "Distribution Theory for Glass's Estimator of Effect Size", J. Educ. Stat. 1981.

    >>> round(hedges_factor(9), 4)
    0.9139
    """
    return exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2) if df > 1 else nan


def cliffs_delta(a: npt.ArrayLike, b: npt.ArrayLike, tie: float = TIE) -> float:
    """Return Cliff's delta: how much more often a value of `a` exceeds one of `b` than the reverse, ignoring pairs.

    Formula:    (#(a > b) - #(a < b)) / (len(a) len(b)), over all pairs of values
    Reference:  Cliff, "Dominance Statistics", Psychological Bulletin 1993.

    >>> cliffs_delta([2, 3], [1, 2])                                 # 3 larger, 1 equal, of 4
    0.75
    """
    left, right = np.asarray(a, dtype=np.float64), np.sort(np.asarray(b, dtype=np.float64))
    about = tie * np.abs(left)
    larger = np.searchsorted(right, left - about, side="left").sum()
    smaller = (len(right) - np.searchsorted(right, left + about, side="right")).sum()
    return float(larger - smaller) / (len(left) * len(right))


def gained_and_lost_most(difference: npt.ArrayLike, most: int = 5) -> tuple[IntArray, IntArray]:
    """Return the indices of the largest gains and of the largest losses, at most `most` each, largest first.

    Zeros are neither gains nor losses; equal differences are in query order.

    >>> gained_and_lost_most([0.1, -0.3, 0, 0.4, 0.1], most=2)
    (array([3, 0]), array([1]))
    """
    values = np.asarray(difference, dtype=np.float64)
    falling, rising = np.argsort(-values, kind="stable"), np.argsort(values, kind="stable")
    return falling[values[falling] > 0][:most], rising[values[rising] < 0][:most]


def margin_tests(a: npt.ArrayLike, b: npt.ArrayLike, delta: float, folds: Folds | None = None) -> Margin:
    """Test equivalence within ±delta (two one-sided paired t-tests) and non-inferiority by delta (one of them).

    Formula:    t = (mean + delta) / se for "not worse", (mean - delta) / se for "not better"; n-1 df. Of `folds`, se is
                that of the corrected resampled t-test
    Reference:  Schuirmann, J. Pharmacokinetics and Biopharmaceutics 1987.
    Edge cases: constant differences give NaN. delta is a matter of judgment and must be chosen by the user.

    >>> tests = margin_tests([0.52, 0.61, 0.33, 0.74], [0.50, 0.60, 0.35, 0.73], delta=0.05)
    >>> round(tests.p_noninferior, 4), round(tests.p_equivalent, 4)
    (0.0039, 0.0069)
    """
    if not 0 < delta < float("inf"):
        raise GermaneError(
            f"expected a margin above 0, found {delta}", hint="use the largest difference that does not matter"
        )
    a, b = _paired(a, b)
    difference = differences(a, b)
    if isnan(effects(a, b).d_z):
        return Margin(delta, nan, nan)
    mean = column_means(difference)
    error = standard_errors(difference) if folds is None else folds.standard_errors(difference)[0]
    not_worse = p_of_t(np.asarray((mean + delta) / error), len(a) - 1, "greater")
    not_better = p_of_t(np.asarray((mean - delta) / error), len(a) - 1, "less")
    return Margin(delta, float(not_worse), float(not_better))


def _paired(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    left, right = columns_of(a, "an effect size"), columns_of(b, "an effect size")
    if left.shape != right.shape or left.shape[1] != 1:
        found, hint = f"shapes {np.shape(a)} and {np.shape(b)}", "call it once per pair of systems"
        raise GermaneError(f"expected the values of two systems on the same queries, found {found}", hint=hint)
    return left[:, 0], right[:, 0]
