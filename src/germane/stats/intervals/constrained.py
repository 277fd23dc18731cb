"""Intervals of a rate at a limit of another one, such as TPR(at_fpr=0.01), without resampling.

Two things vary: which threshold the limit gives, and how many items of the other class lie beyond it. The true
threshold lies between two order statistics, whose ranks are binomial quantiles; the rate beyond it has Wilson's
interval. Both distances are combined as the sides of a right triangle.

Reference: Zou & Donner, Statistics in Medicine 27 (2008), 1693-1702, on combining limits; Linnet, Clinical Chemistry 33
(1987), 1382-1386, on the variation of the threshold.
"""

from __future__ import annotations

import math

import numpy as np

from germane.measures.decisions.scores.constrained import ConstrainedRate, Limit, unmet
from germane.measures.decisions.scores.isotonic import with_origin
from germane.stats.intervals.proportions import wilson
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

OF_POSITIVES, OF_NEGATIVES = ("TPR", "FNR"), ("TNR", "FPR")
METHOD = "wilson, order statistics"


def constrained_estimate(measure: ConstrainedRate, decisions: Decisions, level: float) -> Estimate | None:
    """Return a rate of one class at a limit on a rate of the other, with its interval; None for other pairs of rates.

    >>> from germane.measures.decisions.measure import DECISION_MEASURES
    >>> seen = Decisions.of([True] * 50 + [False] * 50, np.r_[30:80, 0:50])
    >>> found = constrained_estimate(DECISION_MEASURES.parse("TPR(at_fpr=0.2)"), seen, 0.95)
    >>> found.value, round(found.low, 3), round(found.high, 3), found.method
    (0.8, 0.636, 0.949, 'wilson, order statistics')
    """
    value, (limit, *others) = measure(decisions), measure.limits
    if math.isnan(value):
        return Estimate(value, remark=unmet(decisions, measure.limits) or "only one class")
    across = any(
        measure.chosen.name in own and limit.rate in other
        for own, other in ((OF_POSITIVES, OF_NEGATIVES), (OF_NEGATIVES, OF_POSITIVES))
    )
    if others or not across:
        return None
    if decisions.weighted:
        return Estimate(value, remark="weights are not integers")
    is_error = measure.chosen.name in ("FNR", "FPR")
    low, high = _ends(1 - value if is_error else value, limit, decisions, level)
    if is_error:
        low, high = 1 - high, 1 - low
    return Estimate(value, max(low, 0.0), min(high, 1.0), METHOD)


def _ends(rate: float, limit: Limit, decisions: Decisions, level: float) -> tuple[float, float]:
    """Return the ends for the TPR (or the TNR) at a limit on the FPR (or the FNR)."""
    from scipy.special import bdtr

    allowed = float(limit.bound if limit.at_most else 1 - limit.bound)
    errors, hits = _errors_and_hits(limit, decisions)
    num_limited, num = int(errors[-1]), int(hits[-1])
    # The number of errors at the true threshold is binomial; these are its quantiles.
    shares = bdtr(np.arange(num_limited + 1), num_limited, allowed)
    least, most = (int(np.searchsorted(shares, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    fewest = hits[np.searchsorted(errors, least, side="left")] / num
    greatest = hits[np.searchsorted(errors, min(most, num_limited), side="right") - 1] / num
    low, high = wilson(np.asarray(rate * num), np.asarray(float(num)), level)
    below = math.hypot(rate - float(low), rate - min(float(fewest), rate))
    above = math.hypot(float(high) - rate, max(float(greatest), rate) - rate)
    return rate - below, rate + above


def _errors_and_hits(limit: Limit, decisions: Decisions) -> tuple[Counts, Counts]:
    """Return the limited errors, rising from 0, and at each threshold the items of the other class beyond it."""
    tp, fp = with_origin(decisions)
    if limit.rate in OF_NEGATIVES:
        return fp, tp
    return tp[-1] - tp[::-1], fp[-1] - fp[::-1]
