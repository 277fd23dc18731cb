"""Power analysis: the minimum detectable difference, and the number of queries needed to detect a difference.

Both are prospective, from the standard deviation of the differences and a difference of interest. "Observed power" for
the difference found is a function of its p-value and adds nothing, so there is no function for it.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from math import isfinite, isnan, nan, sqrt

from germane.errors import GermaneError
from germane.stats.significance.outcomes import Sides, require_sides

MOST_QUERIES = 1 << 30


def smallest_difference(n: int, sd: float, alpha: float = 0.05, *, power: float = 0.8, sides: Sides = "two") -> float:
    """Return the minimum true mean difference that a paired t-test on n queries detects with this power.

    `sd` is the standard deviation of the differences; `alpha` is the level of the test, adjusted for its family.

    Formula:    sd d, where P(|T| > t(1 - alpha/2, n-1)) = power for T noncentral t, n-1 df, noncentrality d sqrt(n)
    Reference:  Cohen, Statistical Power Analysis, 2nd ed. 1988; Sakai, Laboratory Experiments in Information Retrieval,
        Springer 2018.
    Edge cases: NaN if sd is 0, or for two queries at an alpha so small that no difference is detectable.

    >>> round(smallest_difference(34, sd=0.1), 4)         # 34 queries detect half a standard deviation
    0.0495
    """
    _check(sd, alpha, power, sides)
    if n < 2:
        raise GermaneError(f"expected at least two queries, found {n}")
    return sd * _smallest_in_sd(n, alpha, power, sides) if sd > 0 else nan


def queries_needed(
    difference: float, sd: float, alpha: float = 0.05, *, power: float = 0.8, sides: Sides = "two"
) -> int | None:
    """Return the number of queries at which a paired t-test detects a true mean difference with this power.

    Formula:    the smallest n at which `smallest_difference` is at most this difference
    Edge cases: None if more than 2³⁰ queries would be needed, or if sd is 0.

    >>> queries_needed(0.05, sd=0.1)
    34
    """
    _check(sd, alpha, power, sides)
    if not isfinite(difference) or difference == 0:
        raise GermaneError(
            f"expected a finite difference other than 0, found {difference}", hint="use the smallest one that matters"
        )
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
    """Return the power of a paired t-test on n queries for a true mean difference of d standard deviations.

    The difference is assumed to be on the tested side. Significant results on the wrong side of a two-sided test count
    too, as in other tools; they are likely only for differences that are hardly ever detected.

    >>> round(power_of_t(34, 0.5), 3)
    0.808
    """
    from scipy.special import nctdtr, stdtrit

    df, noncentrality = n - 1, d * sqrt(n)
    critical = -float(stdtrit(df, alpha / 2 if sides == "two" else alpha))
    right = 1 - float(nctdtr(df, noncentrality, critical))
    wrong = float(nctdtr(df, noncentrality, -critical)) if sides == "two" else 0.0
    # If scipy fails in the far tail, the wrong side is negligible.
    return right if isnan(wrong) else right + wrong


@lru_cache(maxsize=256)
def _smallest_in_sd(n: int, alpha: float, power: float, sides: Sides) -> float:
    """Return the smallest difference for an sd of 1, so that all pairs of a family share one search."""
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
        raise GermaneError(
            f"expected a standard deviation ≥ 0, found {sd}", hint="use that of the per-query differences"
        )
    if not 0 < alpha < power < 1:
        hint = "for example, alpha 0.05 and power 0.8"
        raise GermaneError(f"expected 0 < alpha < power < 1, found alpha {alpha} and power {power}", hint=hint)
