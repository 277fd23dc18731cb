"""Measures with a gain for each grade, such as -m ndcg.1=3,2=9.

trec_eval sorts the grades by gain with a comparison that drops everything after the decimal point, walks down that
list for the ideal ranking, and stops at the first gain that is not positive. Without parameters that is the plain
ideal ranking and the native measures are used; with parameters the procedure is reproduced here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from germane.measures.foreign_names import TrecVersion
from germane.measures.rankings.gain import discounted_cumulated_gain, divisors, normalised_discounted_cumulated_gain
from germane.measures.rankings.user_models import rank_biased_precision, rank_biased_residual
from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import PerQuery
from germane.trec_eval.c_numbers import atol, divide, sum_in_order
from germane.trec_eval.evaluation import Evaluation

Pairs = tuple[tuple[bytes, float], ...]
"""Parameters such as ``1=3,p=0.5``: names with a number each."""


class LevelGain(NamedTuple):
    """A grade, its gain, and the number of judgments of the topic with this grade."""

    level: int
    gain: float
    num_judged: int


class Walk(NamedTuple):
    """Gains by rank, of the run and of the ideal ranking."""

    gain: FloatArray
    ideal: FloatArray


def cumulated(gain: FloatArray) -> FloatArray:
    """Return the discounted cumulated gain down to each rank."""
    return np.cumsum(gain / divisors("log2", 2, max(len(gain), 1))[: len(gain)])


def gains_by_level(pairs: Pairs, num_at_level: list[int], version: TrecVersion) -> list[LevelGain]:
    """Return the gain of each grade, in the order that trec_eval sorts as ascending.

    >>> [(level, gain) for level, gain, _ in gains_by_level(((b"1", 0.9), (b"2", 0.3)), [5, 1, 1], 10)]
    [(1, 0.9), (2, 0.3), (0, 0.0)]
    """
    # Version 10 reads rbp's p from the same list, and therefore skips names that are not integers.
    given = [(atol(name), gain) for name, gain in pairs if version == 9 or name.lstrip(b"+-").isdigit()]
    named = [level for level, _ in given]
    first_given = {level: named.index(level) for level in named}
    gains = [
        LevelGain(level, gain, num_at_level[level] if i == first_given[level] and 0 <= level < len(num_at_level) else 0)
        for i, (level, gain) in enumerate(given)
    ]
    gains += [LevelGain(i, float(i), count) for i, count in enumerate(num_at_level) if i not in first_given]
    return _merge_sorted(gains)


def _merge_sorted(gains: list[LevelGain]) -> list[LevelGain]:
    """Sort with the merge sort of the C library: trec_eval's comparison is not an order, so the steps matter."""
    if len(gains) < 2:
        return gains
    left, right = _merge_sorted(gains[: len(gains) // 2]), _merge_sorted(gains[len(gains) // 2 :])
    merged = []
    while left and right:
        # Truncated to an integer, a difference below 1 is not above 0.
        merged.append((left if left[0].gain - right[0].gain < 1 else right).pop(0))
    return merged + left + right


def walks(evaluation: Evaluation, pairs: Pairs) -> Iterator[Walk]:
    """Yield the gains of each topic."""
    for topic in range(len(evaluation.topics)):
        gains = gains_by_level(pairs, evaluation.num_at_level(topic).tolist(), evaluation.options.version)
        worth = {level: gain for level, gain, _ in reversed(gains)}
        levels, inverse = np.unique(evaluation.levels(topic), return_inverse=True)
        gain = np.asarray([worth.get(level, 0.0) for level in levels.tolist()], dtype=np.float64)[inverse]
        ideal: list[float] = []
        if gains and gains[-1].gain > 0:
            for level_gain in reversed(gains):
                if level_gain.num_judged and level_gain.gain <= 0:
                    break
                ideal += [level_gain.gain] * level_gain.num_judged
        yield Walk(gain, np.asarray(ideal, dtype=np.float64))


def dcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute the discounted cumulated gain."""
    if not pairs:
        return [discounted_cumulated_gain(evaluation.run)]
    return [np.asarray([_last(cumulated(walk.gain)) for walk in walks(evaluation, pairs)])]


def ideal_dcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute the discounted cumulated gain of the ideal ranking."""
    if not pairs:
        return [normalised_discounted_cumulated_gain.work(evaluation.run).denominator]
    return [np.asarray([_last(cumulated(walk.ideal)) for walk in walks(evaluation, pairs)])]


def ndcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute DCG divided by the ideal DCG; 0 if the ideal is 0."""
    if not pairs:
        return [normalised_discounted_cumulated_gain(evaluation.run)]
    (reached,), (ideal,) = dcg(evaluation, pairs), ideal_dcg(evaluation, pairs)
    return [np.divide(reached, ideal, out=np.zeros(len(ideal)), where=ideal > 0)]


def ndcg_at_relevant(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute ndcg_rel: the mean of nDCG at each document with a gain; missed ones count as the last rank."""
    return [np.asarray([_ndcg_at_relevant(walk) for walk in walks(evaluation, pairs)])]


def _ndcg_at_relevant(walk: Walk) -> float:
    reached, ideal = map(cumulated, walk)
    at = np.flatnonzero(walk.gain > 0)
    known = len(ideal)
    points = [divide(reached[i], ideal[min(i, known - 1)] if known else 0.0) for i in at.tolist()]
    missed = divide((known - len(at)) * _last(reached), _last(ideal))
    total = sum_in_order(np.asarray([*points, missed]))
    return divide(total, known) if total > 0 else 0.0


def ndcg_at_levels(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute Rndcg: the mean of nDCG at the ranks where the gain of the ideal ranking changes, and at its end."""
    relevant = evaluation.run.num_relevant(evaluation.rel)
    values = [_ndcg_at_levels(walk) for walk in walks(evaluation, pairs)]
    return [np.where(relevant > 0, np.asarray(values), 0.0)]


def _ndcg_at_levels(walk: Walk) -> float:
    reached, ideal = map(cumulated, walk)
    steps = [i for i in range(1, len(ideal)) if walk.ideal[i] != walk.ideal[i - 1]]
    points = [divide(_last(reached[:i]), ideal[i - 1]) for i in [*steps, len(ideal)] if i]
    if 0 < len(ideal) < len(reached) - 1:
        points.append(divide(_last(reached), _last(ideal)))
    return divide(sum_in_order(np.asarray(points)), len(points))


def gain_over_shortfall(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute G: each gain over the logarithm of the run's shortfall from the ideal ranking."""
    return [np.asarray([_gain_over_shortfall(walk) for walk in walks(evaluation, pairs)])]


def _gain_over_shortfall(walk: Walk) -> float:
    ideal = np.zeros(len(walk.gain))
    ideal[: len(walk.ideal)] = walk.ideal[: len(ideal)]
    shortfall = (2 + np.cumsum(np.maximum(ideal, 1.0))) - np.cumsum(walk.gain)
    terms = [divide(walk.gain[i], _log2(shortfall[i])) for i in np.flatnonzero(walk.gain).tolist()]
    most = sum_in_order(walk.ideal)
    return sum_in_order(np.asarray(terms)) / most if most > 0 else 0.0


def _log2(value: float) -> float:
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


def _last(values: FloatArray) -> float:
    return float(values[-1]) if len(values) else 0.0


def _persistence(pairs: Pairs) -> float:
    return dict(pairs).get(b"p", 0.9)


def rbp(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute rank-biased precision, with gains relative to the largest gain of the topic."""
    run, qrels = evaluation.run, evaluation.run.qrels
    if not pairs:
        return [rank_biased_precision(run, p=_persistence(pairs), by="query")]
    gain = np.zeros(len(qrels.grade))
    for topic in range(len(evaluation.topics)):
        gains = gains_by_level(pairs, evaluation.num_at_level(topic).tolist(), evaluation.options.version)
        lowest, highest = min([0.0, *(g.gain for g in gains)]), max([0.0, *(g.gain for g in gains)])
        worth = {level: value for level, value, _ in reversed(gains)}
        rows = slice(*qrels.start[topic : topic + 2])
        own = np.asarray([worth.get(int(grade), 0.0) for grade in qrels.grade[rows].tolist()])
        gain[rows] = (own - lowest) / (highest - lowest) if lowest < 0 or highest > 1 else own
    gain[qrels.grade < 0] = 0.0
    weighed = replace(run, qrels=replace(qrels, grade=gain, scale=1.0))
    return [rank_biased_precision(weighed, p=_persistence(pairs))]


def rbp_residual(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute what unjudged documents could add to rbp; 0 if none was retrieved, even in a short ranking."""
    run = evaluation.run
    unjudged = run.num_retrieved > run.judged().count_by_query()
    return [np.where(unjudged, rank_biased_residual(run, p=_persistence(pairs)), 0.0)]
