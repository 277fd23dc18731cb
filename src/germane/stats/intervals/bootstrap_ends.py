"""The two ends that resamples give an estimate, or the reason why they give none.

The middle of the resampled values is an interval of the estimate only if the estimate lies in it. Where resampling
shifts a statistic so far that it does not (a mean over tiny groups that shrink, a maximum that ties inflate),
percentiles, BCa and reversed percentiles all fail together. No quantile of these draws is an interval then.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from germane.tables.columns.ids import FloatArray

SAME = 1e-12
"""Two values of a statistic this close (in proportion, above 1) are equal: the same sum in another order."""


class BootstrapEnds(NamedTuple):
    """The ends, or NaN twice and the obstacle."""

    low: float
    high: float
    obstacle: str = ""


def tails_of(level: float) -> FloatArray:
    """Return the shares of resamples below the two ends of a percentile interval."""
    return np.asarray([(1 - level) / 2, (1 + level) / 2])


def bootstrap_ends(value: float, drawn: FloatArray, tails: FloatArray) -> BootstrapEnds:
    """Return the quantiles of the resampled values at two places, if the estimate lies between them.

    `drawn` holds at least one value, none of them NaN.

    >>> bootstrap_ends(50.0, np.arange(101.0), tails_of(0.5))
    BootstrapEnds(low=25.0, high=75.0, obstacle='')
    >>> bootstrap_ends(99.0, np.arange(101.0), tails_of(0.5)).obstacle
    '98% of resamples lie below the value, so they give no interval'
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
    return BootstrapEnds(math.nan, math.nan, f"{share:.0%} of resamples lie {side} the value, so they give no interval")


def near_to(value: float) -> float:
    """Return how far from a value rounding alone may lead."""
    return SAME * max(1.0, abs(value)) if math.isfinite(value) else 0.0
