"""Intervals of a rate at a limit of another one, such as TPR(at_fpr=0.01), without resampling.

Two things vary: which threshold the limit gives, and how many items of the other class lie beyond it. The true
threshold lies between two order statistics, whose ranks are binomial quantiles; the rate beyond it has Wilson's
interval. Both distances are combined as the sides of a right triangle.

Reference: Zou & Donner, Statistics in Medicine 27 (2008), 1693-1702, on combining limits; Linnet, Clinical Chemistry 33
(1987), 1382-1386, on the variation of the threshold.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from germane.measures.decisions.scores.constrained import ConstrainedRate, Limit, points_within, unmet
from germane.measures.decisions.scores.isotonic import with_origin
from germane.stats.intervals.proportions import wilson
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

OF_POSITIVES, OF_NEGATIVES = ("TPR", "FNR"), ("TNR", "FPR")
ACROSS = {"TPR": OF_NEGATIVES, "FNR": OF_NEGATIVES, "TNR": OF_POSITIVES, "FPR": OF_POSITIVES}
"""Rates of one class, and the rates of the other class whose limit gives them an interval."""
PREDICTIVE = {"PPV": OF_POSITIVES, "FDR": OF_POSITIVES, "NPV": OF_NEGATIVES, "FOR": OF_NEGATIVES}
"""Predictive values, and the rates of their own class whose limit gives them an interval."""
ERRORS = ("FNR", "FPR", "FDR", "FOR")
METHOD = "wilson, order statistics"
FEW = 30
"""Fewer items of a class have bootstrap intervals that are too narrow."""


def constrained_estimate(measure: ConstrainedRate, decisions: Decisions, level: float) -> Estimate | None:
    """Return a rate at a limit on another rate, with its interval; None for pairs of rates that need resampling.

    Those with an interval are rates of one class at a limit on a rate of the other; predictive values at a limit on a
    rate of their class, which follow from them, as PPV(at_tpr=x) from FPR(at_tpr=x), given the sizes of the classes;
    and the inverse of these, as TPR(at_ppv=x), which holds every rate whose predictive value may be x.

    >>> from germane.measures.decisions.measure import DECISION_MEASURES
    >>> seen = Decisions.of([True] * 50 + [False] * 50, np.r_[30:80, 0:50])
    >>> found = constrained_estimate(DECISION_MEASURES.parse("TPR(at_fpr=0.2)"), seen, 0.95)
    >>> found.value, round(found.low, 3), round(found.high, 3), found.method
    (0.8, 0.636, 0.949, 'wilson, order statistics')
    """
    value, (limit, *others) = measure(decisions), measure.limits
    if math.isnan(value):
        return Estimate(value, remark=unmet(decisions, measure.limits) or "only one class")
    name = measure.chosen.name
    if limit.rate in ACROSS.get(name, ()):
        ends = _ends
    elif limit.rate in PREDICTIVE.get(name, ()):
        ends = _predictive_ends
    elif name in PREDICTIVE.get(limit.rate, ()):
        ends = _inverted_ends
    else:
        return None
    if others or decisions.one_class:
        return None
    if decisions.weighted:
        return Estimate(value, remark="weights are not integers")
    low, high = ends(limit, decisions, level)
    if name in ERRORS:
        low, high = 1 - high, 1 - low
    remark = "" if ends is _inverted_ends else _open_ended(limit, decisions, level)
    return Estimate(value, max(min(low, value), 0.0), min(max(high, value), 1.0), METHOD, remark)


def _open_ended(limit: Limit, decisions: Decisions, level: float) -> str:
    """Return a remark where the limit allows so few errors that the true threshold may lie beyond all items."""
    size = int(_sizes(limit.rate in OF_POSITIVES, decisions)[0])
    which = "positives" if limit.rate in OF_POSITIVES else "negatives"
    if (1 - _allowed(limit)) ** size <= (1 - level) / 2:
        return ""
    return f"only {size:,} {which}: the true threshold for {limit.words} may lie beyond all of them"


def few_items(decisions: Decisions, *, fewer_than: int = FEW) -> str:
    """Return a remark on a class with few items; an empty text if both have enough."""
    sizes = {"positives": decisions.num_positive, "negatives": decisions.num_negative}
    few = [f"only {size} {which}" for which, size in sizes.items() if size < fewer_than]
    return f"{' and '.join(few)}, so the interval may be too narrow" if few else ""


def _predictive_ends(limit: Limit, decisions: Decisions, level: float) -> tuple[float, float]:
    """Return the ends for the predictive value of the limited class at its limit, such as PPV(at_tpr=x)."""
    own, other = _sizes(limit.rate in OF_POSITIVES, decisions)
    hits = own * (1 - _allowed(limit))
    errors = (other * (1 - min(end, 1.0)) for end in _ends(limit, decisions, level))
    low, high = (hits / (hits + each) if hits else 0.0 for each in errors)
    return low, high


def _inverted_ends(limit: Limit, decisions: Decisions, level: float) -> tuple[float, float]:
    """Return the ends for the rate of a class at a limit on its predictive value, such as TPR(at_ppv=x)."""
    of_positives = limit.rate in ("PPV", "FDR")
    size, least = int(_sizes(of_positives, decisions)[0]), 1 - _allowed(limit)

    def reached(end: int) -> float:
        """Return the highest rate at which this end of the predictive value is not below the limit, by bisection."""
        below, above = 0, size + 1
        while above - below > 1:
            middle = (below + above) // 2
            at = Limit("TPR" if of_positives else "TNR", Fraction(middle, size))
            met = _predictive_ends(at, decisions, level)[end] >= least
            below, above = (middle, above) if met else (below, middle)
        return below / size

    # That all items of a sample are beyond the threshold does not say that all of the population are.
    certain = float(wilson(np.asarray(float(size)), np.asarray(float(size)), level)[0])
    low, high = reached(0), reached(1)
    # The end lies between the last rate of the sample that reaches the limit and the next one.
    return (certain if low == 1 else low), min(high + 1 / size, 1.0)


def _sizes(of_positives: bool, decisions: Decisions) -> tuple[float, float]:
    """Return the size of the class, and of the other one."""
    sizes = decisions.num_positive, decisions.num_negative
    return sizes if of_positives else (sizes[1], sizes[0])


def _allowed(limit: Limit) -> float:
    """Return the share of errors that a limit allows in its class."""
    return float(limit.bound if limit.at_most else 1 - limit.bound)


def _ends(limit: Limit, decisions: Decisions, level: float) -> tuple[float, float]:
    """Return the ends for the TPR (or the TNR) at a limit on the FPR (or the FNR)."""
    from scipy.special import bdtr

    allowed = _allowed(limit)
    errors, hits = _errors_and_hits(limit, decisions)
    num_limited, num = int(errors[-1]), int(hits[-1])
    # The number of errors at the true threshold is binomial; these are its quantiles.
    shares = bdtr(np.arange(num_limited + 1), num_limited, allowed)
    least, most = (int(np.searchsorted(shares, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    fewest = hits[np.searchsorted(errors, least, side="left")] / num
    greatest = hits[np.searchsorted(errors, min(most, num_limited), side="right") - 1] / num
    met = points_within(decisions, (limit,))[0]
    rate = float(hits[met if limit.rate in OF_NEGATIVES else met[::-1]].max()) / num
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
