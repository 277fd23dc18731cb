"""Intervals of proportions, of differences and ratios of two, and of predictive values at another prevalence.

All are closed forms over arrays, with one entry per class or threshold. The interval of 0 of 0 is NaN. None of them is
Wald's, p ± z·√(p(1 − p)/n), which is [1, 1] for 10 of 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells

Ends = tuple[FloatArray, FloatArray]
Proportion = tuple[npt.ArrayLike, npt.ArrayLike]
"""Numbers of successes and of trials."""


@dataclass(frozen=True, eq=False, repr=False)
class ProportionInterval(Entry):
    """An interval method for proportions, called with successes, trials and level."""

    def __call__(self, successes: npt.ArrayLike, trials: npt.ArrayLike, level: float = 0.95) -> Ends:
        x, n = _counts(successes, trials)
        require_level(level)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = self.target(x, n, level)
        # Rounding must not keep a limit from exactly 0 or 1.
        low, high = np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)
        return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


@dataclass(frozen=True, eq=False)
class RatioInterval:
    """The two limits for each entry, and whether a cell is empty, so that the log scale cannot be used."""

    low: FloatArray
    high: FloatArray
    empty: BoolArray


PROPORTION_INTERVALS = Catalogue("interval of a proportion", ProportionInterval, ProportionInterval, example="wilson")


def require_level(level: float) -> None:
    """Raise an error if the level is not between 0 and 1."""
    if not 0 < level < 1:
        raise GermaneError(f"expected a level between 0 and 1, found {level:g}", hint="for example 0.95")


def normal_quantile(level: float) -> float:
    """Return the two-sided normal quantile of a level: 1.96 for 95%."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


@PROPORTION_INTERVALS.define("wilson")
def wilson(x: FloatArray, n: FloatArray, level: float) -> Ends:
    """Wilson score interval: all p that a two-sided score test does not reject. Nominal coverage on average.

    Formula:    (x + z²/2 ± z·√(x(n − x)/n + z²/4)) / (n + z²)
    Reference:  Wilson, JASA 22 (1927), 209-212; Brown, Cai & DasGupta, Statistical Science 16 (2001), 101-133.
    """
    z = normal_quantile(level)
    middle, half = x + z**2 / 2, z * np.sqrt(x * (n - x) / n + z**2 / 4)
    return (middle - half) / (n + z**2), (middle + half) / (n + z**2)


@PROPORTION_INTERVALS.define("clopper-pearson")
def clopper_pearson(x: FloatArray, n: FloatArray, level: float) -> Ends:
    """Clopper-Pearson exact interval: at least nominal coverage for every p; wider than Wilson's.

    Formula:    the (1 − level)/2 quantile of Beta(x, n − x + 1) and the (1 + level)/2 quantile of Beta(x + 1, n − x)
    Reference:  Clopper & Pearson, Biometrika 26 (1934), 404-413.
    """
    from scipy.special import betaincinv

    # For x = 0 and x = n, the caller sets the limits.
    low = np.asarray(betaincinv(np.where(x > 0, x, 1), n - x + 1, (1 - level) / 2), dtype=np.float64)
    return low, np.asarray(betaincinv(x + 1, np.where(x < n, n - x, 1), (1 + level) / 2), dtype=np.float64)


def newcombe_difference(first: Proportion, second: Proportion, level: float = 0.95) -> Ends:
    """Return the interval of p1 − p2 for two independent proportions, from the Wilson limits of each.

    Formula:    d − √((p1 − l1)² + (u2 − p2)²) to d + √((u1 − p1)² + (p2 − l2)²)
    Reference:  Newcombe, Statistics in Medicine 17 (1998), 873-890, method 10.
    Edge cases: NaN if either has no trials.

    >>> [end.round(4).item() for end in newcombe_difference((56, 70), (48, 80))]
    [0.0524, 0.3339]
    """
    (p1, l1, u1), (p2, l2, u2) = (_with_ends(*proportion, level) for proportion in (first, second))
    return p1 - p2 - np.hypot(p1 - l1, u2 - p2), p1 - p2 + np.hypot(u1 - p1, p2 - l2)


def weighted_sum(first: Proportion, second: Proportion, weights: tuple[float, float], level: float = 0.95) -> Ends:
    """Return the interval of w₁ p₁ + w₂ p₂ for two independent proportions and weights ≥ 0.

    Formula:   θ ∓ √(w₁² (p₁ − end₁)² + w₂² (p₂ − end₂)²) with Wilson limits; Newcombe's interval is that of p₁ − p₂
    Reference: Zou & Donner, Statistics in Medicine 27 (2008), 1693-1702 (MOVER).

    >>> low, high = weighted_sum((5, 20), (10, 200), (20.0, 1.0), 0.95)
    >>> round(low.item(), 2), round(high.item(), 2)                          # around 20 · 0.25 + 0.05
    (2.29, 9.42)
    """
    total, below, above = np.asarray(0.0), np.asarray(0.0), np.asarray(0.0)
    for proportion, weight in zip((first, second), weights, strict=True):
        share, low, high = _with_ends(*proportion, level)
        total = total + weight * share
        below, above = np.hypot(below, weight * (share - low)), np.hypot(above, weight * (high - share))
    return total - below, total + above


def newcombe_paired(
    both: npt.ArrayLike, only_a: npt.ArrayLike, only_b: npt.ArrayLike, neither: npt.ArrayLike, level: float = 0.95
) -> Ends:
    """Return the interval of p_a − p_b for two proportions of the same items, correlated with coefficient φ.

    Formula:    d − √(x² − 2φxy + y²), x = p_a − l_a, y = u_b − p_b, and likewise above; a positive numerator of φ is
        reduced by n/2, but not below 0
    Reference:  Newcombe, Statistics in Medicine 17 (1998), 2635-2650, method 10.
    Edge cases: φ is 0 if a margin is empty. NaN without items.

    >>> [end.round(4).item() for end in newcombe_paired(36, 12, 2, 0)]
    [0.0569, 0.3404]
    """
    counts = (np.asarray(count, dtype=np.float64) for count in (both, only_a, only_b, neither))
    e, f, g, h = np.broadcast_arrays(*counts)
    n = e + f + g + h
    (pa, la, ua), (pb, lb, ub) = _with_ends(e + f, n, level), _with_ends(e + g, n, level)
    raw = e * h - f * g
    numerator = np.where(raw > 0, np.maximum(raw - n / 2, 0), raw)
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    phi = np.where(margins > 0, numerator / np.sqrt(np.where(margins > 0, margins, 1)), 0)

    def apart(x: FloatArray, y: FloatArray) -> FloatArray:
        # |φ| ≤ 1, so this is at least (x ∓ y)², except for rounding.
        return np.sqrt(np.maximum(x**2 - 2 * phi * x * y + y**2, 0))

    return pa - pb - apart(pa - la, ub - pb), pa - pb + apart(ua - pa, pb - lb)


def log_ratio(first: Proportion, second: Proportion, level: float = 0.95) -> RatioInterval:
    """Return the interval of (x1/n1) / (x2/n2) for two independent proportions, symmetric on the log scale.

    Formula:    ratio · exp(±z·√(1/x1 − 1/n1 + 1/x2 − 1/n2)); if a cell is empty, `mover_ratio`
    Reference:  Simel, Samsa & Matchar, Journal of Clinical Epidemiology 44 (1991), 763-770.
    Edge cases: a ratio of 0 or infinity is itself one limit of its interval.
    """
    (x1, n1), (x2, n2) = (_counts(*proportion) for proportion in (first, second))
    empty = (x1 == 0) | (x1 == n1) | (x2 == 0) | (x2 == n2)
    by_mover = mover_ratio(first, second, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (x1 / n1) / (x2 / n2)
        widen = np.exp(normal_quantile(level) * np.sqrt(1 / x1 - 1 / n1 + 1 / x2 - 1 / n2))
        low, high = ratio / widen, ratio * widen
    low, high = np.where(empty, by_mover[0], low), np.where(empty, by_mover[1], high)
    return RatioInterval(low, high, empty & ~np.isnan(ratio))


def mover_ratio(first: Proportion, second: Proportion, level: float = 0.95) -> Ends:
    """Return the interval of p1/p2 for two independent proportions, from the Wilson limits of each; cells may be empty.

    Formula:    l1(2p1 − l1) / (p1p2 + √((p1p2)² − l1(2p1 − l1)·u2(2p2 − u2))) and
                (p1p2 + √((p1p2)² − u1(2p1 − u1)·l2(2p2 − l2))) / (l2(2p2 − l2))
    Reference:  Donner & Zou, Statistical Methods in Medical Research 21 (2012), 347-359; recommended by Fagerland,
                Lydersen & Laake, the same 24 (2015), 224-254.
    Edge cases: 0 of n1 gives a lower limit of 0, 0 of n2 an infinite upper limit. NaN for 0/0.

    >>> [round(float(end), 4) for end in mover_ratio((0, 10), (5, 10))], mover_ratio((5, 10), (0, 10))[1].item()
    ([0.0, 0.653], inf)
    """
    require_level(level)
    (p1, l1, u1), (p2, l2, u2) = (_with_ends(*proportion, level) for proportion in (first, second))
    product = p1 * p2
    with np.errstate(divide="ignore", invalid="ignore"):
        below, above = l1 * (2 * p1 - l1), l2 * (2 * p2 - l2)
        low = below / (product + np.sqrt(np.maximum(product**2 - below * u2 * (2 * p2 - u2), 0)))
        high = (product + np.sqrt(np.maximum(product**2 - u1 * (2 * p1 - u1) * above, 0))) / above
    undefined = (p1 == 0) & (p2 == 0)
    low, high = np.where(p1 == 0, 0.0, low), np.where(p2 == 0, np.inf, high)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def log_odds_ratio(cells: Cells, level: float = 0.95) -> RatioInterval:
    """Return the interval of the odds ratio TP·TN / (FP·FN), symmetric on the log scale.

    Formula:    DOR · exp(±z·√(1/TP + 1/FP + 1/FN + 1/TN)); if a cell is empty, `exact_odds_ratio`
    Reference:  Woolf, Annals of Human Genetics 19 (1955), 251-253.
    Edge cases: an odds ratio of 0 or infinity is itself one limit of its interval.
    """
    require_level(level)
    tp, fp, fn, tn = np.broadcast_arrays(*(np.asarray(column, dtype=np.float64) for column in cells))
    empty: BoolArray = np.any([column == 0 for column in (tp, fp, fn, tn)], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (tp * tn) / (fp * fn)
        widen = np.exp(normal_quantile(level) * np.sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn))
        low, high = ratio / widen, ratio * widen
    flat_low, flat_high = low.reshape(-1), high.reshape(-1)
    for place in np.flatnonzero(empty & ~np.isnan(ratio)):
        of_entry = Cells(*(int(column.reshape(-1)[place]) for column in (tp, fp, fn, tn)))
        flat_low[place], flat_high[place] = exact_odds_ratio(of_entry, level)
    return RatioInterval(flat_low.reshape(ratio.shape), flat_high.reshape(ratio.shape), empty & ~np.isnan(ratio))


def exact_odds_ratio(cells: Cells, level: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of an odds ratio of 0 or infinity, conditional on the margins.

    Formula:    for an infinite ratio, from the odds ratio at which the observed counts have probability (1 − level)/2
                to infinity; for a ratio of 0, the reverse
    Reference:  Cornfield, Proceedings of the Third Berkeley Symposium 4 (1956), 135-148; Fisher's exact test, inverted.
    Edge cases: at least one cell is empty, but not both of a row or a column.

    >>> [round(end, 4) for end in exact_odds_ratio(Cells(8, 0, 2, 10))]
    [3.817, inf]
    """
    from scipy.special import gammaln, logsumexp

    tp, fp, fn, tn = cells
    if min(fp, fn) > 0:  # a ratio of 0: exchange the columns
        low, high = exact_odds_ratio(Cells(fp, tp, tn, fn), level)
        return 1 / high, 1 / low
    # TP is as large as the margins allow; `fewer` is how much smaller it could be. Terms are
    # log-concave, begin at 1 and add up to 2/(1 − level), so that beyond 40 times as many each is below 1e-17.
    fewer = np.arange(min(tp, tn, math.ceil(80 / (1 - level))) + 1, dtype=np.float64)
    weight = -sum(gammaln(count + 1) for count in (tp - fewer, fp + fewer, fn + fewer, tn - fewer))
    weight -= weight[0]
    wanted = -math.log((1 - level) / 2)
    below, above = -1.0, 1.0
    while logsumexp(weight - fewer * below) < wanted:
        below *= 2
    while logsumexp(weight - fewer * above) > wanted:
        above *= 2
    while above - below > 1e-12 * max(1.0, abs(above)):
        middle = (below + above) / 2
        below, above = (middle, above) if logsumexp(weight - fewer * middle) > wanted else (below, middle)
    return math.exp((below + above) / 2), math.inf


def mercaldo(cells: Cells, prevalence: float, of: Literal["PPV", "NPV"] = "PPV", level: float = 0.95) -> RatioInterval:
    """Return the interval of PPV or NPV at a given prevalence, symmetric on the logit scale.

    Formula:    the odds of PPV are LR+ · π/(1 − π), those of NPV (TNR/FNR) · (1 − π)/π; the limits of the
        ratio's interval on the log scale are transformed accordingly
    Reference:  Mercaldo, Lau & Zhou, Statistics in Medicine 26 (2007), 2170-2183.
    Edge cases: if a cell is empty, the limits of the ratio are those of `mover_ratio`. The prevalence counts as known.
    """
    tp, fp, fn, tn = (np.asarray(column, dtype=np.float64) for column in cells)
    positives, negatives = tp + fn, fp + tn
    if of == "PPV":
        ratio, prior = log_ratio((tp, positives), (fp, negatives), level), prevalence
    else:
        ratio, prior = log_ratio((tn, negatives), (fn, positives), level), 1 - prevalence

    def at_prior(end: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return prior / (prior + (1 - prior) / end)

    return RatioInterval(at_prior(ratio.low), at_prior(ratio.high), ratio.empty)


def _with_ends(successes: npt.ArrayLike, trials: npt.ArrayLike, level: float) -> tuple[FloatArray, ...]:
    x, n = _counts(successes, trials)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (x / n, *wilson(x, n, level))


def _counts(successes: npt.ArrayLike, trials: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    wrong = ~((x >= 0) & (x <= n))
    if wrong.any():
        found = f"{x[wrong][0]:g} of {n[wrong][0]:g}"
        raise GermaneError(f"expected successes between 0 and the number of trials, found {found}")
    return x, n
