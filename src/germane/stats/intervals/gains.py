"""Intervals of gain and lift, without resampling: Wilson's, with the number of positives that has the true variance.

The threshold of the top items moves with the sample: more positives above it push it up. What remains of the variance
depends on the share q of positives among the items at the threshold, which is taken from the items whose rank the top
may have in another sample.

Formula:    var(hits) = (1 − q)² P g (1 − g) + q² N f (1 − f): g of the P positives and f of the N negatives are in the
            top
Reference:  Jain & Nicholls, Journal of Computer-Aided Molecular Design 22 (2008), 133-139; Wilson, JASA 22 (1927).
"""

from __future__ import annotations

import numpy as np

from germane.measures.decisions.scores.gains import gain, positives_within
from germane.measures.decisions.scores.isotonic import with_origin
from germane.stats.intervals.constrained import few_items
from germane.stats.intervals.proportions import wilson
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

FEW = 10
"""Fewer items of a class have intervals that may be too narrow."""


def gain_estimate(decisions: Decisions, *, at: float, level: float) -> Estimate:
    """Return the gain with its interval, which is not above the gain of a perfect order.

    >>> seen = Decisions.of([True] * 50 + [False] * 50, np.r_[30:80, 0:50])
    >>> found = gain_estimate(seen, at=0.5, level=0.95)
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.8, 0.711, 0.867)
    """
    value, positives, negatives = gain(decisions, at=at), decisions.num_positive, decisions.num_negative
    if decisions.one_class:
        return Estimate(value, remark="only one class")
    if decisions.weighted:
        return Estimate(value, remark="weights are not integers")
    if at == 1:
        return Estimate(value, method="degenerate", remark="the top has all items")
    top = at * (positives + negatives)
    hits, q = value * positives, _share_at_the_threshold(decisions, at, level)
    # One more hit and one more miss in each share, so that none of them is certain.
    g, f = (hits + 1) / (positives + 2), (top - hits + 1) / (negatives + 2)
    variance = (1 - q) ** 2 * positives * g * (1 - g) + q**2 * negatives * f * (1 - f)
    low, high = value, value
    # Hits are a share of the positives and of the top; where one of them is near 1, its interval is skewed as it should
    # be, and the other's is not.
    for size in (positives, top):
        share = (hits + 1) / (size + 2)
        effective = share * (1 - share) * size**2 / variance
        ends = wilson(np.asarray(hits / size * effective), np.asarray(effective), level)
        below, above = (float(end) * size / positives for end in ends)
        low, high = min(low, below), max(high, above)
    remark = few_items(decisions, fewer_than=FEW)
    return Estimate(value, max(low, 0.0), min(high, top / positives, 1.0), "wilson, effective size", remark)


def lift_estimate(decisions: Decisions, *, at: float, level: float) -> Estimate:
    """Return the lift with its interval, which is that of the gain divided by the share of items."""
    found = gain_estimate(decisions, at=at, level=level)
    return Estimate(found.value / at, found.low / at, found.high / at, found.method, found.remark)


def _share_at_the_threshold(decisions: Decisions, at: float, level: float) -> float:
    """Return the share of positives among the items near the boundary of the top."""
    from scipy.special import bdtr

    tp, fp = with_origin(decisions)
    num = int(tp[-1] + fp[-1])
    # The number of items above the true threshold is binomial; these are its quantiles.
    shares = bdtr(np.arange(num + 1), num, at)
    least, most = (min(int(np.searchsorted(shares, tail)), num) for tail in ((1 - level) / 2, (1 + level) / 2))
    inside = positives_within(decisions, most) - positives_within(decisions, least)
    return (inside + 1) / (most - least + 2)
