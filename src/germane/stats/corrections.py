"""Corrections for a family of tests: p-values so adjusted that each can be compared with alpha as it stands.

A family is a flat array of p-values, over systems and measures alike. NaN, a test that could not be made, stays NaN and
is not counted. Max-T is not a function of the p-values: it looks at all differences at once, and so knows how far the
tests of a family repeat each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.outcomes import SAME, p_of_draws
from germane.stats.resampling import EXACT_UP_TO, require_draws, sign_flips
from germane.tables.ids import FloatArray


@dataclass(frozen=True)
class Correction:
    """A correction by its function and what it promises."""

    adjust: Callable[[npt.ArrayLike], FloatArray]
    controls: str


def bonferroni(p: npt.ArrayLike) -> FloatArray:
    """Every p times the number of tests.

    Formula:    adjusted p = min(1, m p)
    Reference:  Dunn, "Multiple Comparisons Among Means", JASA 1961.

    >>> bonferroni([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.12,  nan, 0.09])
    """
    return _within_family(p, lambda ascending: ascending * len(ascending))


def holm(p: npt.ArrayLike) -> FloatArray:
    """Step-down Bonferroni: as safe, and never larger.

    Formula:    adjusted p of the i-th smallest = the largest of (m - j + 1) p of the j-th smallest, over j <= i
    Reference:  Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 1979.

    >>> holm([0.01, 0.04, 0.03])                  # 3 × .01;  2 × .03;  1 × .04, and no less than the one before
    array([0.03, 0.06, 0.06])
    """
    return _within_family(p, lambda ascending: np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)))


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Expected share of false discoveries among all discoveries.

    Formula:    adjusted p of the i-th smallest = the smallest of m/j * p of the j-th smallest, over j >= i
    Reference:  Benjamini & Hochberg, JRSS B 1995.
    Note:       holds for independent tests and for most kinds of positive dependence.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])    # 3/1 × .01;  3/2 × .03 = .045, above the next;  3/3 × .04
    array([0.03, 0.04, 0.04])
    """
    return _within_family(p, _step_up)


def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Benjamini-Hochberg made safe for any dependence, by a factor.

    Formula:    adjusted p = Benjamini-Hochberg's times (1 + 1/2 + ... + 1/m)
    Reference:  Benjamini & Yekutieli, Annals of Statistics 2001.

    >>> benjamini_yekutieli([0.01, 0.03])         # 3/2 × (.02, .03)
    array([0.03 , 0.045])
    """
    return _within_family(p, lambda ascending: _step_up(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1)))


ANY_FALSE_POSITIVE = "the chance of even one false positive in the family"
FALSE_DISCOVERIES = "the expected share of false positives among the positives"

CORRECTIONS: Mapping[str, Correction] = {
    "bonferroni": Correction(bonferroni, f"{ANY_FALSE_POSITIVE}, however the tests depend on each other"),
    "holm": Correction(
        holm, f"{ANY_FALSE_POSITIVE}, however the tests depend on each other; it finds all that Bonferroni finds"
    ),
    "bh": Correction(benjamini_hochberg, f"{FALSE_DISCOVERIES}, unless tests depend on each other negatively"),
    "by": Correction(benjamini_yekutieli, f"{FALSE_DISCOVERIES}, however the tests depend on each other"),
}


def max_t(differences: npt.ArrayLike, flips: int = 100_000, seed: int = 0) -> FloatArray:
    """Step-down max-T: adjusted p-values from the joint distribution of all |t| of a family under sign flips.

    Formula:    for the i-th largest |t|: p = the share of flips in which the largest of the i-th to the last |t|,
        recomputed after the flip, reaches it, and no less than the p before it; every query's sign is flipped in all
        columns at once. (b + 1) / (B + 1) for random flips; all 2^n of them up to 20 queries
    Reference:  Westfall & Young, Resampling-Based Multiple Testing, Wiley 1993, algorithm 2.8.
    Edge cases: A NaN difference is a query that this column does not have; a column without any is NaN. A column of
        nothing but zeros has p = 1. Differences that are all equal make |t| infinite, which no other |t| exceeds.

    >>> max_t([[1, 0], [2, 1], [3, 2]])           # 2 of 8 flips bring any |t| to the first's, 4 the second's to its own
    array([0.25, 0.5 ])
    """
    D = np.asarray(differences, dtype=np.float64)
    if D.ndim != 2 or len(D) < 2:
        raise GermaneError(
            f"expected differences on at least two queries, found an array of shape {D.shape}",
            hint="rows are queries, columns are the pairs of systems (and measures) of the family",
        )
    require_draws(flips)
    known = np.nan_to_num(D, nan=0.0)
    length = np.sqrt(np.sum(known**2, axis=0))
    tested = np.flatnonzero(length > 0)
    adjusted = np.where(np.isnan(D).all(axis=0), np.nan, 1.0)
    if tested.size:
        unit = known[:, tested] / length[tested]
        num_known = np.count_nonzero(~np.isnan(D[:, tested]), axis=0)
        adjusted[tested] = _step_down(unit, num_known, flips, seed)
    return adjusted


def _step_down(unit: FloatArray, num_known: npt.NDArray[np.intp], flips: int, seed: int) -> FloatArray:
    observed = _t_squared(np.abs(np.sum(unit, axis=0)), num_known)
    order = np.argsort(observed, kind="stable")  # smallest first: the running maximum steps up from there
    unit, num_known, observed = np.ascontiguousarray(unit[:, order]), num_known[order], observed[order]
    threshold = observed * (1 - SAME)
    reached = np.zeros(len(order), dtype=np.int64)
    made = 0
    for signs in sign_flips(len(unit), flips, seed, columns=len(order)):
        flipped = _t_squared(np.abs(signs @ unit), num_known)
        np.maximum.accumulate(flipped, axis=1, out=flipped)
        reached += np.count_nonzero(flipped >= threshold, axis=0)
        made += len(signs)
    p = reached / made if len(unit) <= EXACT_UP_TO else p_of_draws(reached.astype(np.float64), made)
    adjusted = np.empty(len(order))
    adjusted[order[::-1]] = np.maximum.accumulate(p[::-1])
    return adjusted


def _t_squared(along: FloatArray, num_known: npt.NDArray[np.intp]) -> FloatArray:
    """t² / (n - 1) = c² / (n - c²), where c is the sum of the differences divided by their length as a vector.

    A flip leaves the length as it is, so |t| rises and falls with c. Where all columns have as many queries, c itself
    puts flips and columns in the same order, without a division and finite even where no variation is left.
    """
    if (num_known == num_known[0]).all():
        return along
    squared = along**2
    left = num_known - squared
    left[left < 1e-6 * num_known] = 0.0  # |t| above a thousand is infinite: what is left is too near to rounding
    with np.errstate(divide="ignore"):
        return np.asarray((num_known - 1) * squared / left)


def _step_up(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    # The factor first: it is 1 or more, so no product rounds to below its p.
    return np.minimum.accumulate((ascending * (m / np.arange(1, m + 1)))[::-1])[::-1]


def _within_family(p: npt.ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    raw = np.asarray(p, dtype=np.float64)
    if raw.ndim != 1 or np.any((raw < 0) | (raw > 1)):
        raise GermaneError(
            "a family is one list of p-values between 0 and 1", hint="flatten a matrix to its pairs first"
        )
    adjusted = raw.copy()
    made = np.flatnonzero(~np.isnan(raw))
    order = made[np.argsort(raw[made], kind="stable")]
    adjusted[order] = np.minimum(adjust(raw[order]), 1.0)
    return adjusted
