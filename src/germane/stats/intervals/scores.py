"""Bootstrap intervals for statistics of scores (equal error rate, partial area …), and intervals of mean losses.

Items are resampled whatever their class, since another sample would have another share of positives; `stratified` keeps
the number of items of each class. The scores are not sorted again: a resample only changes the number of items at each
score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.scores.constrained import ConstrainedRate
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, near_to, tails_of
from germane.stats.intervals.constrained import constrained_estimate, few_items
from germane.stats.intervals.gains import gain_estimate, lift_estimate
from germane.stats.intervals.proportions import normal_quantile
from germane.stats.intervals.resampling import bootstrap_counts, require_draws
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import Moments
from germane.tables.results.performance import Estimate

MOST_ROWS = 100_000
"""Maximum number of rows resampled by default: more take long, and their intervals are narrow."""
MOST_DRAWS = 20_000_000
"""Usual maximum of rows times resamples; the actual number of resamples is stated."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 200, 2000
OF_TOP: Mapping[str, Callable[..., Estimate]] = {"gain": gain_estimate, "lift": lift_estimate}
"""Intervals of the measures of the items with the highest scores, by their names."""

WITHOUT_A_CLASS = 0.05
"""Largest share of resamples that may lack a class, and are omitted; with more, a class has too few items."""

Statistic = Callable[[Decisions], float]
UNBOUNDED = (-math.inf, math.inf)


def score_estimates(
    statistics: Mapping[str, Statistic],
    decisions: Decisions,
    *,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
    stratified: bool = False,
) -> dict[str, Estimate]:
    """Return each statistic with its bootstrap interval, all from the same resamples, or with one of its own.

    A measure with bounds has an interval from the standard error of its resamples, on the log or logit scale; any
    other, and one whose value is a bound, has percentiles. Without `resamples`, use as many as `MOST_DRAWS` allows, at
    most 2,000, and none above `MOST_ROWS` rows.

    >>> seen = Decisions.of([True, True, False, True, False] * 20, np.arange(100))
    >>> found = score_estimates({"thresholds": lambda d: d.true_positives[49] / 60}, seen)["thresholds"]
    >>> found.value, found.low < 0.5 < found.high, found.method
    (0.5, True, 'percentile')
    """
    own = _without_resampling(statistics, decisions, level)
    points = {name: float(statistic(decisions)) for name, statistic in statistics.items() if name not in own}
    if not points:
        return own
    if why_not := _why_not(decisions, resamples):
        return own | {name: Estimate(value, remark=why_not) for name, value in points.items()}
    needed = math.ceil(2 / (1 - level))
    affordable = MOST_DRAWS // int(decisions.num_positive + decisions.num_negative)
    taken = resamples or max(FEWEST_RESAMPLES, needed, min(USUAL_RESAMPLES, affordable))
    require_draws(taken, needed)
    drawn: dict[str, list[float]] = {name: [] for name in points}
    for resample in _resamples(decisions, taken, seed, stratified=stratified):
        for name, values in drawn.items():
            values.append(statistics[name](resample))
    if taken - len(next(iter(drawn.values()))) > WITHOUT_A_CLASS * taken:
        why_not = "no interval, since many resamples lack a class"
        return own | {name: Estimate(value, remark=why_not) for name, value in points.items()}
    fewer = "" if resamples or taken == USUAL_RESAMPLES else f"{taken} resamples"
    found = dict(own)
    for name, values in drawn.items():
        column, value = np.asarray(values), points[name]
        if np.isnan(value) or not np.isfinite(column).all():
            found[name] = Estimate(value, remark="not finite in some resamples")
        elif (column == column[0]).all():
            found[name] = Estimate(value, method="degenerate", remark="every resample gives the same value")
        else:
            low, high, method, obstacle = _ends(statistics[name], value, column, level)
            method += ", stratified" * (stratified and not obstacle)
            remark = obstacle or "; ".join(filter(None, (fewer, few_items(decisions))))
            found[name] = Estimate(value, low, high, method, remark)
    return found


def _ends(statistic: Statistic, value: float, drawn: FloatArray, level: float) -> tuple[float, float, str, str]:
    """Return the limits, the method, and the obstacle where no interval is possible."""
    bounds = statistic.bounds if isinstance(statistic, DecisionMeasure) else UNBOUNDED
    if not math.isinf(bounds[0]) and bounds[0] < value < bounds[1]:
        low, high, scale = bounded_ends(value, float(drawn.std(ddof=1)), normal_quantile(level), bounds)
        return low, high, f"bootstrap, {scale}", ""
    low, high, obstacle = bootstrap_ends(value, drawn, tails_of(level))
    return low, high, "none" if obstacle else "percentile", obstacle


def _without_resampling(statistics: Mapping[str, Statistic], decisions: Decisions, level: float) -> dict[str, Estimate]:
    """Return the estimates of measures of an operating point, which have intervals of their own."""
    found: dict[str, Estimate | None] = {}
    for name, each in statistics.items():
        if isinstance(each, ConstrainedRate):
            found[name] = constrained_estimate(each, decisions, level)
        elif isinstance(each, DecisionMeasure) and each.name in OF_TOP:
            found[name] = OF_TOP[each.name](decisions, level=level, **each.settings)
    return {name: estimate for name, estimate in found.items() if estimate is not None}


def redrawing(
    is_positive: npt.ArrayLike, scores: npt.ArrayLike, weight: FloatArray | None = None
) -> Callable[[FloatArray], Decisions]:
    """Return a function from the number of times each item was drawn to the decisions; scores are sorted only once.

    >>> redrawn = redrawing([True, False, True], [0.9, 0.5, 0.4])
    >>> redrawn(np.asarray([2.0, 0.0, 1.0])).true_positives.tolist()
    [2, 2, 3]
    """
    truth, column = np.asarray(is_positive, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
    whole = Decisions.of(truth, column, weight)
    # Twice the index of the score, plus one for negatives, so that one count serves both classes.
    group = 2 * np.searchsorted(-whole.thresholds, -column) + ~truth

    def redrawn(drawn: FloatArray) -> Decisions:
        each = drawn if weight is None else drawn * weight
        counts = np.bincount(group, each, minlength=2 * len(whole)).reshape(-1, 2).astype(whole.true_positives.dtype)
        positives, negatives = np.cumsum(counts, axis=0).T
        return replace(whole, true_positives=positives, false_positives=negatives)

    return redrawn


def bounded_ends(
    value: float, error: float, quantile: float, bounds: tuple[float, float] = UNBOUNDED
) -> tuple[float, float, str]:
    """Return the two limits and the scale: value ± quantile · standard error, transformed by the delta method.

    An interval that is symmetric around a mean loss or an area may exceed 0 or 1. On the log or logit scale it cannot,
    and has better coverage for skewed values, as `tests/stats/bounded_coverage.py` shows.

    Formula:    without bounds, value ± h, h = quantile · error; above a bound a, a + (value − a) · exp(±h/(value − a));
                between a and b, with p = (value − a)/(b − a): a + (b − a) · expit(logit p ± h/((b − a) p (1 − p)))
    Edge cases: the value lies strictly within the bounds.

    >>> [round(end, 4) for end in bounded_ends(0.25, 0.25, 2.0, (0, math.inf))[:2]]
    [0.0338, 1.8473]
    >>> [round(end, 4) for end in bounded_ends(0.25, 0.25, 2.0, (0, 1))[:2]]
    [0.0226, 0.8275]
    """
    from scipy.special import expit, logit

    half, (lowest, highest) = quantile * error, bounds
    if math.isinf(lowest) and math.isinf(highest):
        return value - half, value + half, ""
    if math.isinf(highest):
        above = value - lowest
        return lowest + above * math.exp(-half / above), lowest + above * math.exp(half / above), "log"
    width = highest - lowest
    share = (value - lowest) / width
    middle, half = float(logit(share)), half / (width * share * (1 - share))
    return lowest + width * float(expit(middle - half)), lowest + width * float(expit(middle + half)), "logit"


def mean_loss_estimate(
    losses: FloatArray, counts: Counts, level: float, bounds: tuple[float, float] = UNBOUNDED
) -> Estimate:
    """Return the mean of losses with their counts, with Student's interval kept within the bounds.

    Edge cases: if all losses are equal, there is no interval. Infinite if one is infinite, NaN if one is undefined.

    >>> found = mean_loss_estimate(np.asarray([0.0, 1.0]), np.asarray([3, 1]), 0.95, (0, 1))
    >>> found.value, round(found.low, 4), round(found.high, 4), found.method
    (0.25, 0.0048, 0.9587, 't, logit')
    """
    others = losses[(counts > 0) & ~np.isfinite(losses)]
    if len(others):
        value = float(others.sum())
        return Estimate(value, remark="undefined for some items" if math.isnan(value) else "infinite")
    moments = Moments()
    moments.add(losses, counts)
    return mean_estimate(moments, level, bounds, weighted=counts.dtype.kind != "i")


def mean_estimate(
    moments: Moments, level: float, bounds: tuple[float, float] = UNBOUNDED, *, weighted: bool = False
) -> Estimate:
    """Return a mean loss with Student's interval, from its moments."""
    from scipy.special import stdtrit

    n, mean = moments.n, moments.mean
    if weighted:
        return Estimate(mean, remark="weights are not integers")
    if n < 2:
        return Estimate(mean, remark="only one item" if n else "no items")
    if moments.highest - moments.lowest <= near_to(mean):
        return Estimate(mean, method="degenerate", remark=f"every item gives {mean:.4g}")
    error = math.sqrt(moments.variance_of_mean)
    low, high, scale = bounded_ends(mean, error, float(stdtrit(n - 1, (1 + level) / 2)), bounds)
    return Estimate(mean, low, high, f"t, {scale}" if scale else "t")


def _why_not(decisions: Decisions, resamples: int | None) -> str:
    if decisions.one_class:
        return "only one class"
    if decisions.weighted:
        return "weights are not integers"
    if resamples is None and decisions.num_positive + decisions.num_negative > MOST_ROWS:
        return f"no interval by default above {MOST_ROWS:,} rows; use --resamples 200"
    return ""


def _resamples(decisions: Decisions, resamples: int, seed: int, *, stratified: bool) -> Iterator[Decisions]:
    """Yield resamples that have both classes."""
    if not stratified:
        both = np.concatenate([decisions.positives_at, decisions.negatives_at])
        for counts in _group_counts(both, resamples, seed):
            positives, negatives = np.cumsum(counts.reshape(2, -1), axis=1)
            if positives[-1] and negatives[-1]:
                yield replace(decisions, true_positives=positives, false_positives=negatives)
        return
    of_positives = _group_counts(decisions.positives_at, resamples, seed)
    of_negatives = _group_counts(decisions.negatives_at, resamples, seed + 1)
    for positives, negatives in zip(of_positives, of_negatives, strict=True):
        yield replace(decisions, true_positives=np.cumsum(positives), false_positives=np.cumsum(negatives))


def _group_counts(counts: IntArray, resamples: int, seed: int) -> Iterator[IntArray]:
    """Yield the number of items at each score in each resample, drawn with replacement."""
    group = np.repeat(np.arange(len(counts)), counts)
    for block in bootstrap_counts(len(group), resamples, seed):
        for row in block:
            yield np.bincount(group, weights=row, minlength=len(counts)).astype(np.int64)
