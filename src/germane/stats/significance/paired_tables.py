"""Paired tests of two tables of probabilities for the same items: areas over several classes, and mean losses."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from germane.stats.intervals.bootstrap_ends import near_to
from germane.stats.intervals.many_classes import Influenced
from germane.stats.intervals.proportions import normal_quantile, require_level
from germane.stats.significance.outcomes import PairedDifference


def paired_areas(a: Influenced, b: Influenced, *, level: float = 0.95) -> PairedDifference:
    """z-test of the difference b − a of two averages of areas on the same items, by the influence of each item on it.

    The variance is that of the difference of influences: DeLong's, for several classes. The interval contains the
    differences between −1 and 1 that the test does not reject at that level.

    >>> codes, counts = np.asarray([0, 0, 1, 1]), np.ones(4, dtype=np.int64)
    >>> a = Influenced(0.5, np.asarray([0.5, -0.5, 0.25, -0.25]), codes, counts)
    >>> b = Influenced(0.75, np.asarray([0.25, -0.25, 0.25, -0.25]), codes, counts)
    >>> found = paired_areas(a, b)
    >>> found.difference, round(found.statistic, 4)                    # 0.25 / √(2 · (2 · 0.25²) / 4²)
    (0.25, 2.0)
    """
    require_level(level)
    change = b.minus(a)
    difference, variance = change.value, change.variance
    if math.isnan(difference):
        return PairedDifference(difference, remark="requires items of at least two classes")
    if math.isnan(variance):
        return PairedDifference(difference, remark="a class has only one item: the variance requires two of each")
    if variance <= near_to(1.0) ** 2:
        if abs(difference) <= near_to(1.0):
            same = "both order all items in the same way"
            return PairedDifference(0.0, p=1.0, statistic=0.0, test="influence", remark=same)
        return PairedDifference(difference, remark="the difference is the same for every item, so it has no spread")
    error = math.sqrt(variance)
    z, half = difference / error, normal_quantile(level) * error
    p = math.erfc(abs(z) / math.sqrt(2))
    return PairedDifference(
        difference, max(-1.0, difference - half), min(1.0, difference + half), p, z, "influence", "influence"
    )


def paired_losses(a: npt.ArrayLike, b: npt.ArrayLike, *, level: float = 0.95) -> PairedDifference:
    """Paired t-test of the difference b − a of two mean losses (log-loss, Brier score) on the same items.

    Edge cases: an infinite loss has no interval and no p. Equal losses of every item give p = 1.

    >>> found = paired_losses([0.1, 0.4, 0.2, 0.5], [0.1, 0.3, 0.1, 0.3])
    >>> round(found.difference, 4), round(found.p, 4)
    (-0.1, 0.0917)
    """
    from scipy.special import stdtr, stdtrit

    require_level(level)
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        means = [math.inf if np.isinf(losses).any() else float(losses.mean()) for losses in (first, second)]
        difference = means[1] - means[0] if not all(map(math.isinf, means)) else math.nan
        return PairedDifference(difference, remark="a true class had predicted probability 0; clip the probabilities")
    apart = second - first
    n, difference = len(apart), float(apart.mean())
    if n < 2:
        return PairedDifference(difference, remark="only one item")
    if float(np.ptp(apart)) <= near_to(float(np.abs(apart).max())):
        if abs(difference) <= near_to(1.0):
            return PairedDifference(0.0, p=1.0, statistic=0.0, test="paired t", remark="no item differs")
        return PairedDifference(difference, remark="the difference is the same for every item, so it has no spread")
    error = float(apart.std(ddof=1)) / math.sqrt(n)
    t, half = difference / error, float(stdtrit(n - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(n - 1, -abs(t)))
    return PairedDifference(difference, difference - half, difference + half, p, t, "paired t", "t")
