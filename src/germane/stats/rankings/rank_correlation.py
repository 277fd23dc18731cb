"""Rank correlation of the same items: Spearman, Kendall and top-weighted coefficients.

Each takes one value per item in each ranking, higher is better, for at least two items.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from itertools import accumulate

import numpy as np

from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.significance.columns import mid_ranks
from germane.tables.columns.ids import FloatArray

NAN = float("nan")


@COEFFICIENTS.define("spearman")
def spearman(x: FloatArray, y: FloatArray) -> float:
    """Spearman's rho: the product-moment correlation of the ranks.

    Formula:    1 - 6 * (sum of squared rank differences) / (n * (n^2 - 1)), without ties
    Reference:  Spearman, "The Proof and Measurement of Association between Two Things", American J. of Psychology 1904.
    Ties:       tied items share their mean rank, and rho is the product-moment correlation of these ranks.
    Undefined:  fewer than two items, or all of them tied in one ranking

    >>> spearman(["a", "b", "c"], ["a", "c", "b"])               # 1 - 6 * 2 / 24
    0.5
    """
    if _constant(x) or _constant(y):
        return NAN
    # Centred mid-ranks are halves, so these sums are exact; scipy gives 0.9999999999999999 for equal rankings.
    a, b = (mid_ranks(values) - (len(values) + 1) / 2 for values in (x, y))
    return float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))


@COEFFICIENTS.define("tau-a")
def tau_a(x: FloatArray, y: FloatArray) -> float:
    """Kendall's tau-a: concordant minus discordant pairs, over all pairs of items.

    Formula:    (concordant pairs - discordant pairs) / (n * (n - 1) / 2)
    Reference:  Kendall, "A New Measure of Rank Correlation", Biometrika 1938.
    Ties:       a tied pair is neither concordant nor discordant, so a ranking with ties does not reach 1 with itself.
    Undefined:  fewer than two items

    >>> tau_a(["a", "b", "c"], ["a", "c", "b"])                  # (2 - 1) / 3
    0.3333333333333333
    """
    return _concordant_less_discordant(x, y) / math.comb(len(x), 2)


@COEFFICIENTS.define("tau-b")
def tau_b(x: FloatArray, y: FloatArray) -> float:
    """Kendall's tau-b: Kendall's tau adjusted for ties in either ranking.

    Formula:    (concordant - discordant) / sqrt((pairs not tied in A) * (pairs not tied in B))
    Reference:  Kendall, "The Treatment of Ties in Ranking Problems", Biometrika 1945.
    Ties:       a pair tied in a ranking is excluded from the numerator and from that ranking's factor.
    Undefined:  fewer than two items, or all of them tied in one ranking

    >>> round(tau_b([3, 2, 1], [2, 1, 1]), 4)                    # 2 / sqrt(3 * 2)
    0.8165
    """
    if _constant(x) or _constant(y):
        return NAN
    # Two divisions, as in scipy.stats.kendalltau, give the same last digit; clipping keeps it within ±1.
    tau = _concordant_less_discordant(x, y) / math.sqrt(_untied_pairs(x)) / math.sqrt(_untied_pairs(y))
    return min(1.0, max(-1.0, tau))


@COEFFICIENTS.define("tau-w")
def weighted_tau(x: FloatArray, y: FloatArray) -> float:
    """Weighted Kendall's tau: each pair has weight 1/r + 1/s for items at ranks r and s.

    Formula:    weighted (concordant - discordant) / sqrt(weighted pairs not tied in A * not tied in B), with
        additive hyperbolic weights; the mean of the values with the ranks of A and of B
    Reference:  Vigna, "A Weighted Correlation Index for Rankings with Ties", WWW 2015.
    Ties:       as in tau-b, by weight; the ranks of tied items are those of the other ranking.
    Undefined:  fewer than two items, or all of them tied in one ranking

    >>> round(weighted_tau(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.5455
    """
    from scipy.stats import weightedtau

    if _constant(x) or _constant(y):
        return NAN
    return float(weightedtau(x, y, rank=True, weigher=None, additive=True).statistic)


@COEFFICIENTS.define("tau-ap", symmetric=False)
def tau_ap(truth: FloatArray, estimate: FloatArray) -> float:
    """AP correlation: Kendall's tau weighted towards the top, with the first ranking as the truth.

    Formula:    2 / (n - 1) * sum of C(i) / (i - 1) over the ranks i > 1 of the second ranking - 1, where C(i) counts
        the items above rank i that the first ranking, the truth, also ranks above that item
    Reference:  Yilmaz, Aslam & Robertson, "A New Rank Correlation Coefficient for Information Retrieval", SIGIR 2008.
    Ties:       not allowed; use tau-ap-a (equal to tau-ap without ties) or tau-ap-b.
    Undefined:  fewer than two items, or ties

    >>> tau_ap(["a", "b", "c"], ["a", "c", "b"])                 # 2 / 2 * (1/1 + 1/2) - 1
    0.5
    """
    return NAN if _tied(truth) or _tied(estimate) else _tau_ap_a(truth, estimate)


@COEFFICIENTS.define("tau-ap-symmetric")
def tau_ap_symmetric(x: FloatArray, y: FloatArray) -> float:
    """Symmetric AP correlation: the mean of tau-ap with either ranking as the truth.

    Formula:    (tau-ap(A, B) + tau-ap(B, A)) / 2
    Reference:  Yilmaz, Aslam & Robertson, "A New Rank Correlation Coefficient for Information Retrieval", SIGIR 2008.
    Ties:       not allowed; use tau-ap-b, which is equal without ties.
    Undefined:  fewer than two items, or ties

    >>> tau_ap_symmetric(["a", "b", "c"], ["a", "c", "b"])
    0.5
    """
    return NAN if _tied(x) or _tied(y) else (_tau_ap_a(x, y) + _tau_ap_a(y, x)) / 2


@COEFFICIENTS.define("tau-ap-a", symmetric=False)
def tau_ap_a(truth: FloatArray, estimate: FloatArray) -> float:
    """AP correlation with the first ranking as the truth; the second may have ties.

    Formula:    mean of tau-ap over all orders of the items tied in the second ranking
    Reference:  Urbano & Marrero, "The Treatment of Ties in AP Correlation", ICTIR 2017.
    Ties:       allowed in the second ranking, as uncertainty about its order, but not in the first, the truth.
    Undefined:  fewer than two items, or ties in the first ranking

    >>> tau_ap_a([3, 2, 1], [2, 1, 1])                           # the mean of tau-ap for a b c, 1, and a c b, 0.5
    0.75
    """
    return NAN if _tied(truth) else _tau_ap_a(truth, estimate)


@COEFFICIENTS.define("tau-ap-b")
def tau_ap_b(x: FloatArray, y: FloatArray) -> float:
    """Symmetric AP correlation; both rankings may have ties.

    Formula:    mean over both directions of 2 / m * sum of C(i) / (f(i) - 1) - 1 over the m items below the first
        tie group, where f(i) is the first rank of the tie group of item i and C(i) counts the items above that
        group that the other ranking also ranks above item i
    Reference:  Urbano & Marrero, "The Treatment of Ties in AP Correlation", ICTIR 2017.
    Ties:       tied items of the ranking that is traversed are not compared; a pair tied only in the other ranking
        counts as discordant.
    Undefined:  fewer than two items, or all of them tied in one ranking

    >>> tau_ap_b([3, 2, 1], [2, 1, 1])                           # (1 + 0.5) / 2
    0.75
    """
    return NAN if _constant(x) or _constant(y) else (_untied_pivots(x, y) + _untied_pivots(y, x)) / 2


def _tau_ap_a(truth: FloatArray, estimate: FloatArray) -> float:
    """Return tau-ap, averaged over all orders of the items tied in the estimate."""
    groups, total = _groups(estimate), 0.0
    for first, size in groups:
        # At each rank of a tie group, half of its own members above are concordant on average.
        total += math.fsum(k / (first + k - 1) for k in range(1, size)) / 2
    mean_inverse = {
        first: math.fsum(1 / (rank - 1) for rank in range(first, first + size)) / size
        for first, size in groups
        if first > 1
    }
    total += math.fsum(above * mean_inverse[first] for first, above, _ in _pivots(truth, estimate) if first > 1)
    return 2 / (len(truth) - 1) * total - 1


def _untied_pivots(x: FloatArray, y: FloatArray) -> float:
    terms = [above / (first - 1) for first, above, _ in _pivots(x, y) if first > 1]
    return 2 / len(terms) * math.fsum(terms) - 1


def _concordant_less_discordant(x: FloatArray, y: FloatArray) -> int:
    return sum(above - below for _, above, below in _pivots(x, y))


def _untied_pairs(values: FloatArray) -> int:
    return math.comb(len(values), 2) - sum(math.comb(size, 2) for _, size in _groups(values))


def _pivots(x: FloatArray, y: FloatArray) -> list[tuple[int, int, int]]:
    """Return for each item, down the ranking `y`, the first rank of its tie group, and how many of the items above that
    group `x` ranks above and below the item.
    """
    pivots: list[tuple[int, int, int]] = []
    seen: list[float] = []
    values = x[np.argsort(-y, kind="stable")].tolist()
    for first, size in _groups(y):
        tied = values[first - 1 : first - 1 + size]
        pivots += [(first, len(seen) - bisect_right(seen, value), bisect_left(seen, value)) for value in tied]
        for value in tied:
            insort(seen, value)
    return pivots


def _groups(values: FloatArray) -> list[tuple[int, int]]:
    """Return the first rank and the size of each tie group."""
    sizes = np.unique(-values, return_counts=True)[1].tolist()
    return list(zip(accumulate(sizes, initial=1), sizes, strict=False))


def _constant(values: FloatArray) -> bool:
    return bool((values == values[0]).all())


def _tied(values: FloatArray) -> bool:
    return len(np.unique(values)) < len(values)
