"""The limits of a bootstrap interval, or the reason why there is none.

The central resampled values are an interval of the estimate only if they contain it. If resampling shifts a statistic
so far that they do not (a mean over shrinking tiny groups, a maximum inflated by ties), percentiles, BCa and reversed
percentiles all fail, and no quantiles of the resamples are an interval.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from germane.tables.columns.ids import FloatArray

SAME = 1e-12
"""Values of a statistic within this distance (relative, above 1) are equal: the same sum in another order."""


class BootstrapEnds(NamedTuple):
    """The limits, or two NaN and the obstacle."""

    low: float
    high: float
    obstacle: str = ""


def tails_of(level: float) -> FloatArray:
    """Return the shares of resamples below the two limits of a percentile interval."""
    return np.asarray([(1 - level) / 2, (1 + level) / 2])


def bootstrap_ends(value: float, drawn: FloatArray, tails: FloatArray) -> BootstrapEnds:
    """Return two quantiles of the resampled values, if the estimate lies between them.

    `drawn` holds at least one value, none of them NaN.

    >>> bootstrap_ends(50.0, np.arange(101.0), tails_of(0.5))
    BootstrapEnds(low=25.0, high=75.0, obstacle='')
    >>> bootstrap_ends(99.0, np.arange(101.0), tails_of(0.5)).obstacle
    '98% of resamples are below the value, so no interval is given'
    """
    if not np.isfinite(drawn).all():
        return BootstrapEnds(math.nan, math.nan, "infinite in some resamples")
    near = near_to(value)
    if np.ptp(drawn) <= near:
        return BootstrapEnds(math.nan, math.nan, f"every resample gives {drawn[0]:.4g}")
    low, high = (value if abs(end - value) <= near else end for end in np.quantile(drawn, tails).tolist())
    if low <= value <= high:
        return BootstrapEnds(low, high)
    below, above = float((drawn < value - near).mean()), float((drawn > value + near).mean())
    side, share = ("below", below) if below > above else ("above", above)
    return BootstrapEnds(math.nan, math.nan, f"{share:.0%} of resamples are {side} the value, so no interval is given")


def near_to(value: float) -> float:
    """Return the largest deviation from a value that rounding can explain."""
    return SAME * max(1.0, abs(value)) if math.isfinite(value) else 0.0
