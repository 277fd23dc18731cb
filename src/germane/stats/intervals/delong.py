"""The area under the ROC curve with DeLong's variance, for one system or for several on the same items.

Formula:    AUC = mean over positives of V10, the share of negatives that score lower (equal ones half); likewise the
    mean over negatives of V01, the share of positives that score higher. Covariance = cov(V10)/m + cov(V01)/n, for m
    positives and n negatives.
Reference:  DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988), 837-845; Sun & Xu, IEEE Signal Processing Letters 21
    (2014), 1389-1393, for doing it by mid-ranks.

Shares are kept as whole numbers (twice the count, because equal scores count half) until the last division.
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
from germane.tables.results.performance import Estimate

AucScale = Literal["plain", "logit"]
AUC_INTERVALS: dict[str, str] = {
    "delong, logit": "DeLong's standard error, symmetric for the logit of AUC: within 0 and 1, and covers better than "
    "the plain one where AUC is above 0.9 or items are few.",
    "delong": "All areas within 0 and 1 that are at most z · DeLong's standard error away: what pROC prints.",
}
IN_CACHE = 200_000
"""So many scores lie in a processor's cache: others are looked up in them as they come."""


def auc_estimate(decisions: Decisions, *, level: float = 0.95, scale: AucScale = "logit") -> Estimate:
    """AUC with DeLong's interval.

    Edge cases: one class only: NaN. Fewer than two items of a class, or weights that are not whole numbers: no
        interval. Classes that scores separate fully: variance 0, no interval; the remark gives a one-sided bound.

    >>> found = auc_estimate(Decisions.of([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.2]))
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4)     # 8 of 9 pairs are in order
    (0.8889, 0.2614, 0.9945)
    """
    require_level(level)
    if scale not in ("plain", "logit"):
        raise unknown("scale", scale, ("plain", "logit"))
    if decisions.one_class:
        return Estimate(math.nan, remark=f"there are no {'negatives' if decisions.num_positive else 'positives'}")
    m, n = decisions.num_positive, decisions.num_negative
    # Twice the negatives below each positive, twice the positives above each negative; equal ones once.
    below = 2 * (n - decisions.false_positives) + decisions.negatives_at
    above = 2 * decisions.true_positives - decisions.positives_at
    value = area_under_roc(decisions)
    if decisions.weighted:
        return Estimate(value, remark="weights are not whole numbers")
    if min(m, n) < 2:
        return Estimate(value, remark=f"{m} positive and {n} negative items: DeLong's variance needs two of each")
    sides = ((below, decisions.positives_at, n), (above, decisions.negatives_at, m))
    if all(np.ptp(twice[counts > 0]) == 0 for twice, counts, _ in sides):
        return Estimate(value, remark=_without_variance(value, min(m, n), level))
    variance = sum(_variance_of_mean(twice / (2 * others), counts) for twice, counts, others in sides)
    error, z = math.sqrt(variance), normal_quantile(level)
    if scale == "plain":
        return Estimate(value, max(0.0, value - z * error), min(1.0, value + z * error), "delong")
    low, high, _ = bounded_ends(value, error, z, (0.0, 1.0))
    return Estimate(value, low, high, "delong, logit")


def paired_delong(
    is_positive: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, *, level: float = 0.95
) -> PairedDifference:
    """DeLong's test of two AUCs on the same items, and the interval of their difference, b less a.

    The interval holds the differences between −1 and 1 that the test does not reject at that level.

    Edge cases: where both systems order every pair alike, the difference is 0 and p = 1. Where the difference has no
        spread though it is not 0, there is neither p nor interval.

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
        few = f"{len(below)} positive and {len(above)} negative items: DeLong's variance needs two of each"
        return PairedDifference(difference, remark=few)
    if all((side == side[0]).all() for side in moved):
        if not difference:
            same = "both order every positive and negative alike"
            return PairedDifference(0.0, p=1.0, statistic=0.0, test="delong", remark=same)
        return PairedDifference(difference, remark="the difference is the same for every item: there is no spread")
    error = math.sqrt(_covariance(*moved).item())
    z, half = difference / error, normal_quantile(level) * error
    p = math.erfc(abs(z) / math.sqrt(2))
    # The differences that the test does not reject, of all that there are: two areas differ by 1 at most.
    low, high = max(-1.0, difference - half), min(1.0, difference + half)
    return PairedDifference(difference, low, high, p, z, "delong", "delong")


def _placements(truth: BoolArray, columns: FloatArray) -> tuple[IntArray, IntArray]:
    """Twice the negatives below each positive, twice the positives above each negative, by system; equal ones once."""
    m, n = int(truth.sum()), int((~truth).sum())
    below, above = np.empty((m, columns.shape[1]), np.int64), np.empty((n, columns.shape[1]), np.int64)
    for system, scores in enumerate(columns.T):
        positive, negative = scores[truth], scores[~truth]
        below[:, system] = _twice_below(positive, np.sort(negative))
        above[:, system] = 2 * m - _twice_below(negative, np.sort(positive))
    return below, above


def _twice_below(scores: FloatArray, ordered: FloatArray) -> IntArray:
    """For each score, twice how many of the ordered ones lie below, and once how many are equal."""
    if len(ordered) <= IN_CACHE:
        return np.searchsorted(ordered, scores) + np.searchsorted(ordered, scores, side="right")
    # Looking up in order keeps to the cache: for a million scores it takes a third of the time, sorting included.
    order, twice = np.argsort(scores), np.empty(len(scores), np.int64)
    looked_up = scores[order]
    twice[order] = np.searchsorted(ordered, looked_up) + np.searchsorted(ordered, looked_up, side="right")
    return twice


def _aucs(below: IntArray, above: IntArray) -> FloatArray:
    pairs = 2 * len(below) * len(above)
    return np.asarray([int(total) / pairs for total in below.sum(axis=0)])


def _covariance(below: IntArray, above: IntArray) -> FloatArray:
    """DeLong's covariance; NaN with fewer than two items of a class."""
    total = np.zeros((below.shape[1],) * 2)
    for side, others in zip((below, above), (len(above), len(below)), strict=True):
        centred = (side - side.mean(axis=0)) / (2 * others)
        total += centred.T @ centred / ((len(side) - 1) * len(side)) if len(side) > 1 else np.nan
    return total


def _variance_of_mean(values: FloatArray, counts: IntArray) -> float:
    n = int(counts.sum())
    mean = float((counts * values).sum()) / n
    return float((counts * (values - mean) ** 2).sum()) / (n - 1) / n


def _without_variance(value: float, pairs: float, level: float) -> str:
    """The remark where all is in order, or all in reverse.

    Of items drawn at random, min(m, n) pairs of a positive and a negative are independent of each other. All of them
    are in order with probability P(positive scores higher)^pairs, and AUC is at least that P: so an AUC below
    (1 − level)^(1/pairs) gives what was seen with a probability below 1 − level.
    """
    if value not in (0, 1):
        return "DeLong's variance is 0"
    bound = (1 - level) ** (1 / pairs)
    side = f"at least {bound:.3g}" if value == 1 else f"at most {1 - bound:.3g}"
    apart = "every positive scores higher than every negative" if value == 1 else "every positive scores lower"
    return f"{apart}: DeLong's variance is 0; AUC is {side} with confidence {level:g}"


def _column(scores: npt.ArrayLike, name: str) -> FloatArray:
    column = np.asarray(scores, dtype=np.float64)
    if column.ndim != 1:
        raise GermaneError(f"expected one score per item in {name}, found an array of shape {column.shape}")
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
        problem = f"AUC needs positives and negatives, found {int(truth.sum())} and {int((~truth).sum())}"
        raise GermaneError(problem, hint="is the positive class named as the data name it?")
    return truth, columns
