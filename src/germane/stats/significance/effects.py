"""How large a difference is, on top of whether there is one: effect sizes, wins and losses, equivalence.

`a` and `b` hold one value per query, of two systems on the same queries; a difference is a - b, and positive is
better: turn both signs round where lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, nan, sqrt

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.significance.columns import EQUAL, column_means, columns_of, standard_errors
from germane.stats.significance.outcomes import p_of_t
from germane.tables.columns.ids import FloatArray, IntArray

TIE = 1e-9
"""Values this close, relative to the larger of the two, are the same value reached by another order of sums."""


@dataclass(frozen=True)
class Effects:
    """The size of one difference, in every unit that people use; NaN where it has none."""

    d_z: float
    """Mean difference over the standard deviation of the differences (Cohen 1988). It grows as systems correlate."""
    g_z: float
    """d_z without its upward bias in small samples (Hedges 1981)."""
    d_residual: float
    """Mean difference over the residual sd of the two-way analysis of variance (Sakai 2018); NaN if none was given."""
    dominance: float
    """Paired: (wins - losses) / n, over the queries."""
    cliffs_delta: float
    """Unpaired: P(a > b) - P(a < b) over all pairs of a query of a and any query of b (Cliff 1993)."""
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Margin:
    """Whether a difference lies within a margin that was named beforehand."""

    delta: float
    p_noninferior: float
    """Against a mean difference of -delta or less: small says that a is not worse by more than delta."""
    p_not_better: float
    """Against a mean difference of +delta or more: small says that a is not better by more than delta."""

    @property
    def p_equivalent(self) -> float:
        """Two one-sided tests: both must be small, so the larger counts."""
        return float(np.maximum(self.p_noninferior, self.p_not_better))


def effects(a: npt.ArrayLike, b: npt.ArrayLike, *, residual_sd: float | None = None, tie: float = TIE) -> Effects:
    """All effect sizes of one pair of systems.

    >>> sizes = effects([0.5, 0.6, 0.9, 0.4], [0.3, 0.6, 0.5, 0.6])          # differences .2 0 .4 -.2
    >>> round(sizes.d_z, 4), round(sizes.g_z, 4), sizes.dominance, sizes.cliffs_delta
    (0.3873, 0.2802, 0.25, 0.1875)
    """
    a, b = _paired(a, b)
    difference = differences(a, b, tie)
    mean = float(column_means(difference))
    sd = float(standard_errors(difference)) * sqrt(len(a))
    d_z = mean / sd if _varies(difference, a, b) else nan
    wins, losses = int(np.count_nonzero(difference > 0)), int(np.count_nonzero(difference < 0))
    g_z, d_residual = d_z * hedges_factor(len(a) - 1), mean / residual_sd if residual_sd else nan
    dominance, delta = (wins - losses) / len(a), cliffs_delta(a, b, tie)
    return Effects(d_z, g_z, d_residual, dominance, delta, wins, len(a) - wins - losses, losses)


def differences(a: npt.ArrayLike, b: npt.ArrayLike, tie: float = TIE) -> FloatArray:
    """a - b, and exactly 0 where the two are the same up to rounding; of any shape.

    >>> differences([0.1 + 0.2, 0.5], [0.3, 0.25])
    array([0.  , 0.25])
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    difference: FloatArray = left - right
    difference[np.abs(difference) <= tie * np.maximum(np.abs(left), np.abs(right))] = 0.0
    return difference


def hedges_factor(df: int) -> float:
    """What an effect size on df degrees of freedom is multiplied with to lose its bias; NaN for df = 1.

    Formula:    Γ(df/2) / (sqrt(df/2) Γ((df-1)/2)), about 1 - 3 / (4 df - 1)
    Reference:  Hedges, "Distribution Theory for Glass's Estimator of Effect Size", J. Educ. Stat. 1981.

    >>> round(hedges_factor(9), 4)
    0.9139
    """
    return exp(lgamma(df / 2) - lgamma((df - 1) / 2)) / sqrt(df / 2) if df > 1 else nan


def cliffs_delta(a: npt.ArrayLike, b: npt.ArrayLike, tie: float = TIE) -> float:
    """How much more often a value of `a` exceeds one of `b` than the other way round; it ignores the pairing.

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
    """Where the differences are highest, and where they are lowest: at most `most` indices each, the largest first.

    Only gains gain and only losses lose; equal ones come in the order of the queries.

    >>> gained_and_lost_most([0.1, -0.3, 0, 0.4, 0.1], most=2)
    (array([3, 0]), array([1]))
    """
    values = np.asarray(difference, dtype=np.float64)
    falling, rising = np.argsort(-values, kind="stable"), np.argsort(values, kind="stable")
    return falling[values[falling] > 0][:most], rising[values[rising] < 0][:most]


def margin_tests(a: npt.ArrayLike, b: npt.ArrayLike, delta: float) -> Margin:
    """Equivalence within ±delta (two one-sided paired t tests) and non-inferiority by delta (one of them).

    Formula:    t = (mean + delta) / se for "not worse", (mean - delta) / se for "not better"; n-1 df
    Reference:  Schuirmann, J. Pharmacokinetics and Biopharmaceutics 1987.
    Edge cases: Differences that do not vary: NaN. delta is a matter of judgment, and comes from the user.

    >>> tests = margin_tests([0.52, 0.61, 0.33, 0.74], [0.50, 0.60, 0.35, 0.73], delta=0.05)
    >>> round(tests.p_noninferior, 4), round(tests.p_equivalent, 4)
    (0.0039, 0.0069)
    """
    if not 0 < delta < float("inf"):
        raise GermaneError(f"a margin of {delta} cannot be", hint="name a difference above 0 that does not matter")
    a, b = _paired(a, b)
    difference = differences(a, b)
    if not _varies(difference, a, b):
        return Margin(delta, nan, nan)
    mean, error = column_means(difference), standard_errors(difference)
    not_worse = p_of_t(np.asarray((mean + delta) / error), len(a) - 1, "greater")
    not_better = p_of_t(np.asarray((mean - delta) / error), len(a) - 1, "less")
    return Margin(delta, float(not_worse), float(not_better))


def _paired(a: npt.ArrayLike, b: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    left, right = columns_of(a, "the size of a difference"), columns_of(b, "the size of a difference")
    if left.shape != right.shape or left.shape[1] != 1:
        found, hint = f"shapes {np.shape(a)} and {np.shape(b)}", "the size of a difference is computed pair by pair"
        raise GermaneError(f"expected the values of two systems on the same queries, found {found}", hint=hint)
    return left[:, 0], right[:, 0]


def _varies(difference: FloatArray, a: FloatArray, b: FloatArray) -> bool:
    """Whether the differences do, beyond the rounding that values of this size bring with them."""
    return bool(np.ptp(difference) > EQUAL * max(np.abs(a).max(), np.abs(b).max()))
