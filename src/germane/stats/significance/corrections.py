"""Multiple-testing corrections: adjusted p-values that can be compared with alpha directly.

A family is a flat array of p-values, over systems and measures. NaN, a test that could not be made, stays NaN and is
not counted. Max-T is not a function of the p-values but of all differences at once (`max_t`).
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
    """A multiple-testing correction and the error rate that it controls."""

    controls: str

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Controls": self.controls}

    def adjust(self, p: npt.ArrayLike) -> FloatArray:
        """Return the adjusted p-values of a family."""
        adjusted: FloatArray = self.target(p)
        return adjusted


ANY_DEPENDENCE = "the family-wise error rate (probability of any false positive), under any dependence of the tests"
FALSE_DISCOVERIES = "the false discovery rate (expected share of false positives among significant results)"
CORRECTIONS = Catalogue("correction", Correction, Correction, example="holm")


@CORRECTIONS.add("bonferroni", controls=f"{ANY_DEPENDENCE}; simultaneous intervals available")
def bonferroni(p: npt.ArrayLike) -> FloatArray:
    """Bonferroni correction: every p-value times the number of tests.

    Formula:    adjusted p = min(1, m p)
    Reference:  Dunn, "Multiple Comparisons Among Means", JASA 1961.

    >>> bonferroni([0.01, 0.04, float("nan"), 0.03])
    array([0.03, 0.12,  nan, 0.09])
    """
    return _within_family(p, lambda ascending: ascending * len(ascending))


@CORRECTIONS.add("holm", controls=f"{ANY_DEPENDENCE}; at least as powerful as Bonferroni")
def holm(p: npt.ArrayLike) -> FloatArray:
    """Holm's step-down Bonferroni: the same guarantee, with adjusted p-values that are never larger.

    Formula:    adjusted p of the i-th smallest = the largest of (m - j + 1) p of the j-th smallest, over j <= i
    Reference:  Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scand. J. Statist. 1979.

    >>> holm([0.01, 0.04, 0.03])                  # 3 × 0.01;  2 × 0.03;  1 × 0.04, and no less than the one before
    array([0.03, 0.06, 0.06])
    """
    return _within_family(p, lambda ascending: np.maximum.accumulate(ascending * np.arange(len(ascending), 0, -1)))


@CORRECTIONS.add("bh", controls=f"{FALSE_DISCOVERIES}, for independent or positively dependent tests")
def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Benjamini-Hochberg: controls the false discovery rate.

    Formula:    adjusted p of the i-th smallest = the smallest of m/j * p of the j-th smallest, over j >= i
    Reference:  Benjamini & Hochberg, JRSS B 1995.
    Note:       valid for independent tests and for most kinds of positive dependence.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])    # 3/1 × 0.01;  3/2 × 0.03 = 0.045, above the next;  3/3 × 0.04
    array([0.03, 0.04, 0.04])
    """
    return _within_family(p, _step_up)


@CORRECTIONS.add("by", controls=f"{FALSE_DISCOVERIES}, under any dependence of the tests")
def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Benjamini-Yekutieli: Benjamini-Hochberg times a factor that makes it valid under any dependence.

    Formula:    adjusted p = Benjamini-Hochberg's times (1 + 1/2 + ... + 1/m)
    Reference:  Benjamini & Yekutieli, Annals of Statistics 2001.

    >>> benjamini_yekutieli([0.01, 0.03])         # 3/2 × (0.02, 0.03)
    array([0.03 , 0.045])
    """
    return _within_family(p, lambda ascending: _step_up(ascending) * np.sum(1 / np.arange(1, len(ascending) + 1)))


def _step_up(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    # Multiply by the factor, which is at least 1, so that no product rounds to below its p.
    return np.minimum.accumulate((ascending * (m / np.arange(1, m + 1)))[::-1])[::-1]


def _within_family(p: npt.ArrayLike, adjust: Callable[[FloatArray], FloatArray]) -> FloatArray:
    raw = np.asarray(p, dtype=np.float64)
    if raw.ndim != 1 or np.any((raw < 0) | (raw > 1)):
        hint = "flatten a matrix to one p-value per pair first"
        raise GermaneError("expected a flat list of p-values between 0 and 1", hint=hint)
    adjusted = raw.copy()
    made = np.flatnonzero(~np.isnan(raw))
    order = made[np.argsort(raw[made], kind="stable")]
    adjusted[order] = np.minimum(adjust(raw[order]), 1.0)
    return adjusted
