"""McNemar's test of two classifiers, based on the items that only one of them predicts correctly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.stats.intervals.proportions import newcombe_paired, require_level
from germane.stats.significance.outcomes import PairedDifference


class Agreement(NamedTuple):
    """Numbers of items that both classifiers predict correctly, only one does, or neither."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @classmethod
    def of(cls, right_a: npt.ArrayLike, right_b: npt.ArrayLike) -> Agreement:
        """Count the items, given whether each prediction was correct.

        >>> Agreement.of([True, True, False], [True, False, False])
        Agreement(both=1, only_a=1, only_b=0, neither=1)
        """
        a, b = np.asarray(right_a, dtype=np.bool_), np.asarray(right_b, dtype=np.bool_)
        if a.shape != b.shape or a.ndim != 1:
            raise GermaneError(f"expected two predictions per item, found {a.size} and {b.size}")
        neither, only_b, only_a, both = np.bincount(2 * a.astype(np.int64) + b, minlength=4).tolist()
        return cls(both, only_a, only_b, neither)


@dataclass(frozen=True)
class McNemarResult(PairedDifference):
    """The difference, with the numbers of discordant items that it is based on."""

    only_a: int = 0
    only_b: int = 0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Version(Entry):
    """A version of McNemar's test, with the caution that it `owes`."""

    owes: str = ""


MCNEMAR = Catalogue("version of McNemar's test", Version, Version, example="mcnemar exact")


def mcnemar(agreement: Agreement, test: str = "mcnemar exact", *, level: float = 0.95) -> McNemarResult:
    """Test the proportions correct of two classifiers by McNemar's test, with Newcombe's interval of b − a.

    For TPR count only positives, for TNR only negatives; for an error rate count wrong predictions instead of correct.

    >>> found = mcnemar(Agreement(both=80, only_a=2, only_b=9, neither=9))
    >>> round(found.difference, 4), round(found.low, 4), round(found.high, 4), round(found.p, 4)
    (0.07, 0.0023, 0.1428, 0.0654)
    """
    require_level(level)
    version = MCNEMAR[test]
    both, only_a, only_b, neither = agreement
    if min(agreement) < 0 or any(count != int(count) for count in agreement):
        raise GermaneError(f"expected integer counts ≥ 0, found {', '.join(map(str, agreement))}")
    n = sum(agreement)
    if n == 0:
        return McNemarResult(math.nan, remark="no items")
    low, high = newcombe_paired(both, only_b, only_a, neither, level)
    statistic, p = version.target(only_a, only_b) if only_a + only_b else (0.0, 1.0)
    difference, ends = (only_b - only_a) / n, (float(low), float(high))
    remark = "" if only_a + only_b else "no discordant items: both are right or wrong on the same items"
    return McNemarResult(difference, *ends, p, statistic, test, "newcombe", remark, only_a, only_b)


@MCNEMAR.add("mcnemar exact")
def exact(only_a: int, only_b: int) -> tuple[float, float]:
    """Exact McNemar test: binomial test of the discordant items. Conservative.

    Formula:    p = 2 · P(X ≤ min(b, c)), X binomial(b + c, ½), at most 1; the statistic is min(b, c)
    Reference:  McNemar, Psychometrika 12 (1947), 153-157.
    """
    fewer = min(only_a, only_b)
    return float(fewer), min(1.0, 2 * _binomial_up_to(fewer, only_a + only_b))


@MCNEMAR.add("mcnemar mid-p")
def mid_p(only_a: int, only_b: int) -> tuple[float, float]:
    """Mid-p McNemar test: the exact test with half the probability of the observed outcome. Close to nominal level.

    Formula:    p of the exact test minus P(X = min(b, c)); 1 − ½ P(X = b) if b = c
    Reference:  Fagerland, Lydersen & Laake, BMC Medical Research Methodology 13:91 (2013).
    """
    fewer, n = min(only_a, only_b), only_a + only_b
    at = _binomial_up_to(fewer, n) - (_binomial_up_to(fewer - 1, n) if fewer else 0.0)
    if only_a == only_b:
        return float(fewer), 1 - at / 2
    return float(fewer), 2 * _binomial_up_to(fewer, n) - at


@MCNEMAR.add("mcnemar", owes="requires about 10 discordant items; use the mid-p test for fewer")
def asymptotic(only_a: int, only_b: int) -> tuple[float, float]:
    """Asymptotic McNemar test: chi-squared (b − c)²/(b + c) with one degree of freedom. Needs many discordant items.

    Reference:  McNemar, Psychometrika 12 (1947), 153-157.
    """
    return _chi_squared((only_a - only_b) ** 2 / (only_a + only_b))


@MCNEMAR.add("mcnemar corrected", owes="more conservative than the exact test, which requires no correction")
def corrected(only_a: int, only_b: int) -> tuple[float, float]:
    """McNemar test with Edwards's continuity correction: chi-squared (|b − c| − 1)²/(b + c), not below 0.

    Reference:  Edwards, Psychometrika 13 (1948), 185-187.
    """
    return _chi_squared(max(abs(only_a - only_b) - 1, 0) ** 2 / (only_a + only_b))


def _binomial_up_to(k: int, n: int) -> float:
    """Return P(X ≤ k) for a binomial(n, ½) X."""
    from scipy.special import betainc

    return float(betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def _chi_squared(statistic: float) -> tuple[float, float]:
    return statistic, math.erfc(math.sqrt(statistic / 2))
