"""Ends of an interval on the scale on which the bounds of a measure are infinitely far away.

An interval that is symmetric around a mean loss, or around an area, may pass 0 or 1. Symmetric for its logarithm, or
its logit, it cannot, and covers more often where values are skewed: `tests/stats/bounded_coverage.py` shows it.
"""

from __future__ import annotations

import math

UNBOUNDED = (-math.inf, math.inf)


def bounded_ends(
    value: float, error: float, quantile: float, bounds: tuple[float, float] = UNBOUNDED
) -> tuple[float, float, str]:
    """Return the two ends and the scale: value ± quantile · standard error, carried over by the delta method.

    Formula:    without bounds, value ± h, h = quantile · error; above a bound a, a + (value − a) · exp(±h/(value − a));
                between a and b, with p = (value − a)/(b − a): a + (b − a) · expit(logit p ± h/((b − a) p (1 − p)))
    Edge cases: the value lies strictly within the bounds.

    >>> [round(end, 4) for end in bounded_ends(0.25, 0.25, 2.0, (0, math.inf))[:2]]
    [0.0338, 1.8473]
    >>> [round(end, 4) for end in bounded_ends(0.25, 0.25, 2.0, (0, 1))[:2]]
    [0.0226, 0.8275]
    """
    from scipy.special import expit, logit

    half, (lowest, highest) = quantile * error, bounds
    if math.isinf(lowest) and math.isinf(highest):
        return value - half, value + half, ""
    if math.isinf(highest):
        above = value - lowest
        return lowest + above * math.exp(-half / above), lowest + above * math.exp(half / above), "log"
    width = highest - lowest
    share = (value - lowest) / width
    middle, half = float(logit(share)), half / (width * share * (1 - share))
    return lowest + width * float(expit(middle - half)), lowest + width * float(expit(middle + half)), "logit"
