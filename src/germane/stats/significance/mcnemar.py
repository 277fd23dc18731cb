"""McNemar's test: do two classifiers get as much right, judged by the items that only one of them gets right?"""

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
    """How many items both classifiers get right, only one does, or neither."""

    both: int
    only_a: int
    only_b: int
    neither: int

    @classmethod
    def of(cls, right_a: npt.ArrayLike, right_b: npt.ArrayLike) -> Agreement:
        """Count them, from whether each item was right.

        >>> Agreement.of([True, True, False], [True, False, False])
        Agreement(both=1, only_a=1, only_b=0, neither=1)
        """
        a, b = np.asarray(right_a, dtype=np.bool_), np.asarray(right_b, dtype=np.bool_)
        if a.shape != b.shape or a.ndim != 1:
            raise GermaneError(f"expected two answers for each item, found {a.size} and {b.size}")
        neither, only_b, only_a, both = np.bincount(2 * a.astype(np.int64) + b, minlength=4).tolist()
        return cls(both, only_a, only_b, neither)


@dataclass(frozen=True)
class McNemarResult(PairedDifference):
    """The difference with the numbers it rests on: items that only one of the two gets right."""

    only_a: int = 0
    only_b: int = 0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Version(Entry):
    """One way to find statistic and p from the two numbers of items that only one gets right."""

    owes: str = ""


MCNEMAR = Catalogue("test of McNemar's", Version, Version, example="mcnemar exact")


def mcnemar(agreement: Agreement, test: str = "mcnemar exact", *, level: float = 0.95) -> McNemarResult:
    """McNemar's test of the proportions that two classifiers get right, with Newcombe's interval of b less a.

    For TPR count the positives only, for TNR the negatives; for a rate of errors count what is wrong instead of right.

    >>> found = mcnemar(Agreement(both=80, only_a=2, only_b=9, neither=9))
    >>> round(found.difference, 4), round(found.low, 4), round(found.high, 4), round(found.p, 4)
    (0.07, 0.0023, 0.1428, 0.0654)
    """
    require_level(level)
    version = MCNEMAR[test]
    both, only_a, only_b, neither = agreement
    if min(agreement) < 0 or any(count != int(count) for count in agreement):
        raise GermaneError(f"expected whole numbers of items, found {', '.join(map(str, agreement))}")
    n = sum(agreement)
    if n == 0:
        return McNemarResult(math.nan, remark="no items")
    low, high = newcombe_paired(both, only_b, only_a, neither, level)
    statistic, p = version.target(only_a, only_b) if only_a + only_b else (0.0, 1.0)
    difference, ends = (only_b - only_a) / n, (float(low), float(high))
    remark = "" if only_a + only_b else "there is no item on which one is right and the other is not"
    return McNemarResult(difference, *ends, p, statistic, test, "newcombe", remark, only_a, only_b)


@MCNEMAR.add("mcnemar exact")
def exact(only_a: int, only_b: int) -> tuple[float, float]:
    """Exact: of the items on which they disagree, each falls to either side like a fair coin. Conservative.

    Formula:    p = 2 · P(X ≤ min(b, c)), X binomial(b + c, ½), at most 1; the statistic is min(b, c)
    Reference:  McNemar, Psychometrika 12 (1947), 153-157.
    """
    fewer = min(only_a, only_b)
    return float(fewer), min(1.0, 2 * _binomial_up_to(fewer, only_a + only_b))


@MCNEMAR.add("mcnemar mid-p")
def mid_p(only_a: int, only_b: int) -> tuple[float, float]:
    """Exact, but what is just as extreme as the data counts half: rejects about as often as it says.

    Formula:    p of the exact test less P(X = min(b, c)); 1 − ½ P(X = b) if b = c
    Reference:  Fagerland, Lydersen & Laake, BMC Medical Research Methodology 13:91 (2013).
    """
    fewer, n = min(only_a, only_b), only_a + only_b
    at = _binomial_up_to(fewer, n) - (_binomial_up_to(fewer - 1, n) if fewer else 0.0)
    if only_a == only_b:
        return float(fewer), 1 - at / 2
    return float(fewer), 2 * _binomial_up_to(fewer, n) - at


@MCNEMAR.add("mcnemar", owes="needs about 10 items on which they disagree; the mid-p test does as well for fewer")
def asymptotic(only_a: int, only_b: int) -> tuple[float, float]:
    """Chi-squared with one degree of freedom, (b − c)²/(b + c): for many items.

    Reference:  McNemar, Psychometrika 12 (1947), 153-157.
    """
    return _chi_squared((only_a - only_b) ** 2 / (only_a + only_b))


@MCNEMAR.add("mcnemar corrected", owes="more conservative than the exact test, which needs no correction")
def corrected(only_a: int, only_b: int) -> tuple[float, float]:
    """Chi-squared with Edwards's correction for continuity, (|b − c| − 1)²/(b + c), not below 0.

    Reference:  Edwards, Psychometrika 13 (1948), 185-187.
    """
    return _chi_squared(max(abs(only_a - only_b) - 1, 0) ** 2 / (only_a + only_b))


def _binomial_up_to(k: int, n: int) -> float:
    """P(X ≤ k) for n throws of a fair coin."""
    from scipy.special import betainc

    return float(betainc(n - k, k + 1, 0.5)) if k < n else 1.0


def _chi_squared(statistic: float) -> tuple[float, float]:
    return statistic, math.erfc(math.sqrt(statistic / 2))
