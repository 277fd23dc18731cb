"""Corrections for a family of tests: p-values so adjusted that each can be compared with alpha as it stands.

A family is a flat array of p-values, over systems and measures alike. NaN, a test that could not be made, stays NaN and
is not counted. Max-T is not a function of the p-values: it looks at all differences at once (`max_t`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Correction(Entry):
    """A correction by its function and what it promises."""

    controls: str

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Controls": self.controls}

    def adjust(self, p: npt.ArrayLike) -> FloatArray:
        """The p-values of a family, adjusted."""
        adjusted: FloatArray = self.target(p)
        return adjusted


ANY_DEPENDENCE = "the chance of even one false positive in the family, however the tests depend on each other"
FALSE_DISCOVERIES = "the expected share of false positives among the positives"
CORRECTIONS = Catalogue("correction", Correction, Correction, example="holm")


@CORRECTIONS.add("bonferroni", controls=f"{ANY_DEPENDENCE}; it has simultaneous intervals")
def bonferroni(p: npt.ArrayLike) -> FloatArray:
    """Every p times the number of tests.

    Formula:    adjusted p = min(1, m p)
    Reference:  Dunn, "Multiple Comparisons Among Means", JASA 1961.

    >>> bonferroni([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.12,  nan, 0.09])
    """
    return _within_family(p, lambda ascending: ascending * len(ascending))


@CORRECTIONS.add("holm", controls=f"{ANY_DEPENDENCE}; it finds all that Bonferroni finds")
def holm(p: npt.ArrayLike) -> FloatArray:
    """Step-down Bonferroni: as safe, and never larger.

    Formula:    adjusted p of the i-th smallest = the largest of (m - j + 1) p of the j-th smallest, over j <= i
    Reference:  Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 1979.

    >>> holm([0.01, 0.04, 0.03])                  # 3 × .01;  2 × .03;  1 × .04, and no less than the one before
    array([0.03, 0.06, 0.06])
    """
    return _within_family(p, lambda ascending: np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)))


@CORRECTIONS.add("bh", controls=f"{FALSE_DISCOVERIES}, unless tests depend on each other negatively")
def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Expected share of false discoveries among all discoveries.

    Formula:    adjusted p of the i-th smallest = the smallest of m/j * p of the j-th smallest, over j >= i
    Reference:  Benjamini & Hochberg, JRSS B 1995.
    Note:       holds for independent tests and for most kinds of positive dependence.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])    # 3/1 × .01;  3/2 × .03 = .045, above the next;  3/3 × .04
    array([0.03, 0.04, 0.04])
    """
    return _within_family(p, _step_up)


@CORRECTIONS.add("by", controls=f"{FALSE_DISCOVERIES}, however the tests depend on each other")
def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Benjamini-Hochberg made safe for any dependence, by a factor.

    Formula:    adjusted p = Benjamini-Hochberg's times (1 + 1/2 + ... + 1/m)
    Reference:  Benjamini & Yekutieli, Annals of Statistics 2001.

    >>> benjamini_yekutieli([0.01, 0.03])         # 3/2 × (.02, .03)
    array([0.03 , 0.045])
    """
    return _within_family(p, lambda ascending: _step_up(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1)))


def _step_up(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    # The factor first: it is 1 or more, so no product rounds to below its p.
    return np.minimum.accumulate((ascending * (m / np.arange(1, m + 1)))[::-1])[::-1]


def _within_family(p: npt.ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    raw = np.asarray(p, dtype=np.float64)
    if raw.ndim != 1 or np.any((raw < 0) | (raw > 1)):
        hint = "flatten a matrix to its pairs first"
        raise GermaneError("a family is one list of p-values between 0 and 1", hint=hint)
    adjusted = raw.copy()
    made = np.flatnonzero(~np.isnan(raw))
    order = made[np.argsort(raw[made], kind="stable")]
    adjusted[order] = np.minimum(adjust(raw[order]), 1.0)
    return adjusted
