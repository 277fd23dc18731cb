"""What a set of queries can show: the smallest difference it would find, and how many queries a difference needs.

Both look forward, from the spread of the differences and a difference that somebody names. The power "observed" for the
difference that was found is a function of its p-value and says nothing new; there is no function for it here.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import isfinite, isnan, nan, sqrt

from germane.errors import GermaneError
from germane.stats.significance.outcomes import Sides, require_sides

MOST_QUERIES = 1 << 30


def smallest_difference(n: int, sd: float, alpha: float = 0.05, *, power: float = 0.8, sides: Sides = "two") -> float:
    """The true mean difference that a paired t test on n queries finds with probability `power`.

    `sd` is that of the differences; `alpha` is what the test is held to, so adjusted for its family.

    Formula:    sd d, where P(|T| > t(1 - alpha/2, n-1)) = power for T noncentral t, n-1 df, noncentrality d sqrt(n)
    Reference:  Cohen, Statistical Power Analysis, 2nd ed. 1988; Sakai, Laboratory Experiments in Information Retrieval,
        Springer 2018.
    Edge cases: Differences without spread: NaN. So too two queries at an alpha so small that no difference is in reach.

    >>> round(smallest_difference(34, sd=0.1), 4)         # 34 queries find half a standard deviation
    0.0495
    """
    _check(sd, alpha, power, sides)
    if n < 2:
        raise GermaneError(f"{n} queries cannot show a difference", hint="what varies from query to query takes two")
    return sd * _smallest_in_sd(n, alpha, power, sides) if sd > 0 else nan


def queries_needed(
    difference: float, sd: float, alpha: float = 0.05, *, power: float = 0.8, sides: Sides = "two"
) -> int | None:
    """How many queries a paired t test needs to find a true mean difference with probability `power`.

    Formula:    the smallest n at which `smallest_difference` is no larger than the difference wanted
    Edge cases: None if a thousand million queries are too few, or if the differences have no spread.

    >>> queries_needed(0.05, sd=0.1)
    34
    """
    _check(sd, alpha, power, sides)
    if not isfinite(difference) or difference == 0:
        raise GermaneError(f"a difference of {difference} cannot be found", hint="name the smallest one that matters")
    if sd == 0:
        return None
    d = abs(difference) / sd
    too_few, enough = 1, 2
    while not power_of_t(enough, d, alpha, sides=sides) >= power:
        too_few, enough = enough, 2 * enough
        if enough > MOST_QUERIES:
            return None
    between = range(too_few + 1, enough)
    return too_few + 1 + bisect_left(between, True, key=lambda n: power_of_t(n, d, alpha, sides=sides) >= power)


def power_of_t(n: int, d: float, alpha: float = 0.05, *, sides: Sides = "two") -> float:
    """The probability that a paired t test on n queries finds a true mean difference of d standard deviations.

    The difference is taken to lie on the side that is tested. That a two-sided test may find it on the wrong side
    counts too, as in other tools; it happens only to differences that are hardly ever found.

    >>> round(power_of_t(34, 0.5), 3)
    0.808
    """
    from scipy.special import nctdtr, stdtrit

    df, noncentrality = n - 1, d * sqrt(n)
    critical = -float(stdtrit(df, alpha / 2 if sides == "two" else alpha))
    right = 1 - float(nctdtr(df, noncentrality, critical))
    wrong = float(nctdtr(df, noncentrality, -critical)) if sides == "two" else 0.0
    # Where the wrong side is not negligible it is easy to compute; where scipy loses its way in the tail, it is.
    return right if isnan(wrong) else right + wrong


@lru_cache(maxsize=256)
def _smallest_in_sd(n: int, alpha: float, power: float, sides: Sides) -> float:
    """The same for an sd of 1, so that all pairs of a family share one search."""
    too_small, enough = 0.0, 1 / sqrt(n)
    while power_of_t(n, enough, alpha, sides=sides) < power:
        too_small, enough = enough, 2 * enough
    if isnan(power_of_t(n, enough, alpha, sides=sides)):
        return nan
    while enough - too_small > 1e-12 * enough:
        middle = (too_small + enough) / 2
        if power_of_t(n, middle, alpha, sides=sides) < power:
            too_small = middle
        else:
            enough = middle
    return (too_small + enough) / 2


def _check(sd: float, alpha: float, power: float, sides: str) -> None:
    require_sides(sides)
    if not (sd >= 0 and isfinite(sd)):
        raise GermaneError(f"a standard deviation of {sd} cannot be", hint="take that of the differences per query")
    if not 0 < alpha < power < 1:
        hint = "0.05 and 0.8 are usual"
        raise GermaneError(f"expected 0 < alpha < power < 1, found alpha {alpha} and power {power}", hint=hint)
