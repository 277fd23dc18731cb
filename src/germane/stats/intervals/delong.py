"""The area under the ROC curve with DeLong's variance, for one system or for several on the same items.

Formula:    AUC = mean over positives of V10, the share of negatives that score lower (equal ones half); likewise the
    mean over negatives of V01, the share of positives that score higher. Covariance = cov(V10)/m + cov(V01)/n, for m
    positives and n negatives.
Reference:  DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988), 837-845; Sun & Xu, IEEE Signal Processing Letters 21
    (2014), 1389-1393, for the computation by mid-ranks.

Shares are kept as integers (twice the count, because equal scores count half) until the last division.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, unknown
from germane.measures.decisions.scores.roc import area_under_roc
from germane.stats.intervals.proportions import normal_quantile, require_level
from germane.stats.intervals.scores import bounded_ends
from germane.stats.significance.outcomes import PairedDifference
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import Moments
from germane.tables.results.performance import Estimate

AucScale = Literal["plain", "logit"]
AUC_INTERVALS: dict[str, str] = {
    "delong, logit": "DeLong's standard error, symmetric on the logit scale: stays within 0 and 1, and has better "
    "coverage than the plain interval if AUC is above 0.9 or there are few items.",
    "delong": "AUC ± z · DeLong's standard error, truncated to 0 and 1, as in pROC.",
    "influence, logit": "AP of a class, and averages of it: the standard error of the mean influence of the items, "
    "symmetric on the logit scale. Averages of AUC over classes have DeLong's, with the covariance between classes.",
    "influence": "Value ± z · that standard error, truncated to 0 and 1.",
}
IN_CACHE = 200_000
"""Number of scores that fit the processor's cache; up to it, look up other scores in any order."""


def auc_estimate(decisions: Decisions, *, level: float = 0.95, scale: AucScale = "logit") -> Estimate:
    """Return AUC with DeLong's interval.

    Edge cases: one class only: NaN. Fewer than two items of a class, or weights that are not integers: no interval.
        Perfectly separated classes: variance 0, no interval; the remark gives a one-sided bound.

    >>> found = auc_estimate(Decisions.of([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2]))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)     # 8 of 9 pairs are in order
    (0.8889, 0.2614, 0.9945)
    """
    require_level(level)
    if scale not in ("plain", "logit"):
        raise unknown("scale", scale, ("plain", "logit"))
    if decisions.one_class:
        return Estimate(math.nan, remark=f"no {'negatives' if decisions.num_positive else 'positives'}")
    m, n = decisions.num_positive, decisions.num_negative
    # Twice the negatives below each positive, twice the positives above each negative; ties count once.
    below = 2 * (n - decisions.false_positives) + decisions.negatives_at
    above = 2 * decisions.true_positives - decisions.positives_at
    value = area_under_roc(decisions)
    if decisions.weighted:
        return Estimate(value, remark="weights are not integers")
    sides = Moments(), Moments()
    sides[0].add(below / (2 * n), decisions.positives_at)
    sides[1].add(above / (2 * m), decisions.negatives_at)
    return auc_with_interval(value, *sides, level=level, scale=scale)


def auc_with_interval(
    value: float, positives: Moments, negatives: Moments, *, level: float = 0.95, scale: AucScale = "logit"
) -> Estimate:
    """Return an AUC with DeLong's interval, from the moments of V10 (over positives) and of V01 (over negatives)."""
    m, n = positives.n, negatives.n
    if min(m, n) < 2:
        return Estimate(value, remark=f"{m} positive and {n} negative items: DeLong's variance requires two of each")
    if all(side.lowest == side.highest for side in (positives, negatives)):
        return Estimate(value, remark=_without_variance(value, min(m, n), level))
    error, z = math.sqrt(positives.variance_of_mean + negatives.variance_of_mean), normal_quantile(level)
    if scale == "plain":
        return Estimate(value, max(0.0, value - z * error), min(1.0, value + z * error), "delong")
    low, high, _ = bounded_ends(value, error, z, (0.0, 1.0))
    return Estimate(value, low, high, "delong, logit")


def paired_delong(
    is_positive: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, *, level: float = 0.95
) -> PairedDifference:
    """Test the difference of two AUCs on the same items (b − a) by DeLong's test, with its interval.

    The interval contains the differences between −1 and 1 that the test does not reject at that level.

    Edge cases: if both systems order every pair in the same way, the difference is 0 and p = 1. If the difference is
        not 0 but has no spread, there is neither p nor interval.

    >>> found = paired_delong([1, 1, 1, 0, 0, 0], [6, 5, 2, 4, 3, 1], [6, 5, 4, 3, 2, 1])
    >>> round(found.difference, 4), round(found.p, 4)                        # 9/9 − 7/9
    (0.2222, 0.3711)
    """
    require_level(level)
    truth, columns = _checked(is_positive, np.stack([_column(a, "a"), _column(b, "b")], axis=1))
    below, above = _placements(truth, columns)
    first, second = _aucs(below, above)
    difference = float(second - first)
    moved = np.diff(below, axis=1), np.diff(above, axis=1)
    if min(len(below), len(above)) < 2:
        few = f"{len(below)} positive and {len(above)} negative items: DeLong's variance requires two of each"
        return PairedDifference(difference, remark=few)
    if all((side == side[0]).all() for side in moved):
        if not difference:
            same = "both order all positives and negatives in the same way"
            return PairedDifference(0.0, p=1.0, statistic=0.0, test="delong", remark=same)
        return PairedDifference(difference, remark="the difference is the same for every item, so it has no spread")
    error = math.sqrt(_covariance(*moved).item())
    z, half = difference / error, normal_quantile(level) * error
    p = math.erfc(abs(z) / math.sqrt(2))
    # The differences that the test does not reject, within the possible range: two areas differ by at most 1.
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return PairedDifference(difference, low, high, p, z, "delong", "delong")


def _placements(truth: BoolArray, columns: FloatArray) -> tuple[IntArray, IntArray]:
    """Return, by system, twice the negatives below each positive and positives above each negative; ties count once."""
    m, n = int(truth.sum()), int((~truth).sum())
    below, above = np.empty((m, columns.shape[1]), np.int64), np.empty((n, columns.shape[1]), np.int64)
    for system, scores in enumerate(columns.T):
        positive, negative = scores[truth], scores[~truth]
        below[:, system] = _twice_below(positive, np.sort(negative))
        above[:, system] = 2 * m - _twice_below(negative, np.sort(positive))
    return below, above


def _twice_below(scores: FloatArray, ordered: FloatArray) -> IntArray:
    """Return for each score twice the number of ordered scores below, plus the number that are equal."""
    if len(ordered) <= IN_CACHE:
        return np.searchsorted(ordered, scores) + np.searchsorted(ordered, scores, side="right")
    # Ordered lookups stay in the cache: for a million scores they take a third of the time, sorting included.
    order, twice = np.argsort(scores), np.empty(len(scores), np.int64)
    looked_up = scores[order]
    twice[order] = np.searchsorted(ordered, looked_up) + np.searchsorted(ordered, looked_up, side="right")
    return twice


def _aucs(below: IntArray, above: IntArray) -> FloatArray:
    pairs = 2 * len(below) * len(above)
    return np.asarray([int(total) / pairs for total in below.sum(axis=0)])


def _covariance(below: IntArray, above: IntArray) -> FloatArray:
    """Return DeLong's covariance; NaN with fewer than two items of a class."""
    total = np.zeros((below.shape[1],) * 2)
    for side, others in zip((below, above), (len(above), len(below)), strict=True):
        centred = (side - side.mean(axis=0)) / (2 * others)
        total += centred.T @ centred / ((len(side) - 1) * len(side)) if len(side) > 1 else np.nan
    return total


def _without_variance(value: float, pairs: float, level: float) -> str:
    """Return the remark for perfectly separated classes, with a one-sided bound.

    In a random sample, min(m, n) pairs of a positive and a negative are independent. All of them are in order with
    probability P(positive scores higher)^pairs, and AUC is at least that P: so with an AUC below (1 − level)^(1/pairs)
    the observed separation has probability below 1 − level.
    """
    if value not in (0, 1):
        return "DeLong's variance is 0"
    bound = (1 - level) ** (1 / pairs)
    side = f"at least {bound:.3g}" if value == 1 else f"at most {1 - bound:.3g}"
    apart = "every positive scores higher than every negative" if value == 1 else "every positive scores lower"
    return f"{apart}, so DeLong's variance is 0; AUC is {side} with {100 * level:g}% confidence"


def _column(scores: npt.ArrayLike, name: str) -> FloatArray:
    column = np.asarray(scores, dtype=np.float64)
    if column.ndim != 1:
        raise GermaneError(f"expected one score per item in {name}, found shape {column.shape}")
    return column


def _checked(is_positive: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[BoolArray, FloatArray]:
    truth, columns = np.asarray(is_positive, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    columns = columns[:, None] if columns.ndim == 1 else columns
    if truth.ndim != 1 or columns.ndim != 2 or len(truth) != len(columns):
        raise GermaneError(f"expected a row of scores for each of {truth.size} labels, found shape {columns.shape}")
    if np.isnan(columns).any():
        row = int(np.isnan(columns).any(axis=1).argmax()) + 1
        raise GermaneError(f"expected a number as score, found NaN in row {row}")
    if truth.all() or not truth.any():
        problem = f"AUC requires positives and negatives, found {int(truth.sum())} and {int((~truth).sum())}"
        raise GermaneError(problem, hint="check that the positive label matches the data")
    return truth, columns
