"""Measures with a gain for each grade, such as -m ndcg.1=3,2=9.

Without parameters the gain is the grade and, for the measures that germane has, the native ones are used.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from germane.measures.rankings.gain import discounted_cumulated_gain, normalised_discounted_cumulated_gain
from germane.measures.rankings.user_models import rank_biased_precision, rank_biased_residual
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import PerQuery, sum_by, sum_so_far
from germane.trec_eval.c_numbers import divide
from germane.trec_eval.evaluation import Evaluation
from germane.trec_eval.walk import UNJUDGED, Pairs, gains_at, gains_of_topics, values_at, walk


def dcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute the discounted cumulated gain."""
    if not pairs:
        return [discounted_cumulated_gain(evaluation.run)]
    return [walk(evaluation, pairs).end]


def ideal_dcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute the discounted cumulated gain of the ideal ranking."""
    if not pairs:
        return [normalised_discounted_cumulated_gain.work(evaluation.run).denominator]
    return [walk(evaluation, pairs).ideal_end]


def ndcg(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute DCG divided by the ideal DCG; 0 if the ideal is 0."""
    if not pairs:
        return [normalised_discounted_cumulated_gain(evaluation.run)]
    (reached,), (ideal,) = dcg(evaluation, pairs), ideal_dcg(evaluation, pairs)
    return [np.divide(reached, ideal, out=np.zeros(len(ideal)), where=ideal > 0)]


def ndcg_at_relevant(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute ndcg_rel: the mean of nDCG at each document with a gain; missed ones count as the last rank."""
    gains = walk(evaluation, pairs)
    at = np.flatnonzero(gains.gain > 0)
    topic, known = gains.topic[at], gains.num_ideal
    places = gains.ideal_start[topic] + np.minimum(gains.rank[at], known[topic]) - 1
    points = divide(gains.reached[at], values_at(gains.ideal_reached, places, known[topic] > 0))
    missed = divide((known - np.bincount(topic, minlength=len(known))) * gains.end, gains.ideal_end)
    total = sum_by(topic, points, len(known)) + missed
    return [np.where(total > 0, divide(total, known), 0.0)]


def ndcg_at_levels(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute Rndcg: the mean of nDCG at the ranks where the gain of the ideal ranking changes, and at its end."""
    gains = walk(evaluation, pairs)
    known = gains.num_ideal
    last = np.isin(np.arange(len(gains.ideal)), gains.ideal_start[1:] - 1)
    steps = np.flatnonzero(last | (np.append(gains.ideal[1:], 0.0) != gains.ideal))
    topic, place = gains.ideal_topic[steps], gains.ideal_place[steps]
    deepest = max(int(gains.rank.max(initial=0)), int(place.max(initial=0))) + 1
    row = np.searchsorted(gains.topic * deepest + gains.rank, topic * deepest + place, side="right") - 1
    start = np.searchsorted(gains.topic, topic)
    points = divide(values_at(gains.reached, row, row >= start), gains.ideal_reached[steps])
    total, count = sum_by(topic, points, len(known)), np.bincount(topic, minlength=len(known))
    longer = (known > 0) & (known < gains.num_retrieved - 1)
    total = np.where(longer, total + divide(gains.end, gains.ideal_end), total)
    relevant = evaluation.run.num_relevant(evaluation.rel)
    return [np.where(relevant > 0, divide(total, count + longer), 0.0)]


def gain_over_shortfall(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute G: each gain over the logarithm of the run's shortfall from the ideal ranking."""
    gains = walk(evaluation, pairs)
    known = gains.num_ideal[gains.topic]
    start = gains.ideal_start[gains.topic]
    steps = np.maximum(gains.ideal, 1.0)
    so_far = sum_so_far(steps, gains.ideal_place)

    def ideal_steps(rank: IntArray) -> FloatArray:
        """Sum the steps of the ideal ranking, 1 for each rank beyond its end."""
        within = np.minimum(rank, known)
        return values_at(so_far, start + within - 1, within > 0) + (rank - within)

    before = np.where(gains.place > 1, np.roll(gains.rank, 1), 0)
    between = np.where(gains.rank - 1 > before, ideal_steps(gains.rank - 1) - ideal_steps(before), 0.0)
    listed = gains.rank <= known
    own = np.where(listed, values_at(steps, start + gains.rank - 1, listed), 1.0)
    shortfall = (2 + sum_so_far(between + own, gains.place)) - sum_so_far(gains.gain, gains.place)
    rows = np.flatnonzero(gains.gain)
    logarithms = np.asarray([_log2(value) for value in shortfall[rows].tolist()], dtype=np.float64)
    total = sum_by(gains.topic[rows], divide(gains.gain[rows], logarithms), gains.num_topics)
    most = sum_by(gains.ideal_topic, gains.ideal, gains.num_topics)
    return [np.where(most > 0, divide(total, most), 0.0)]


def _log2(value: float) -> float:
    if value > 0:
        return math.log2(value)
    return -math.inf if value == 0 else math.nan


def _persistence(pairs: Pairs) -> float:
    return dict(pairs).get(b"p", 0.9)


def rbp(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute rank-biased precision, with gains relative to the largest gain of the topic."""
    run, qrels = evaluation.run, evaluation.run.qrels
    if not pairs:
        return [rank_biased_precision(run, p=_persistence(pairs), by="query")]
    found, number = gains_of_topics(evaluation, pairs)
    level = np.where(qrels.grade < 0, UNJUDGED, qrels.grade).astype(np.int64)
    own = gains_at(found, number[qrels.query], level)
    lowest, highest = np.asarray([(gains.lowest, gains.highest) for gains in found]).T[:, number[qrels.query]]
    gain = np.where((lowest < 0) | (highest > 1), (own - lowest) / (highest - lowest), own)
    gain[qrels.grade < 0] = 0.0
    weighed = replace(run, qrels=replace(qrels, grade=gain, scale=1.0))
    return [rank_biased_precision(weighed, p=_persistence(pairs))]


def rbp_residual(evaluation: Evaluation, pairs: Pairs) -> list[PerQuery]:
    """Compute what unjudged documents could add to rbp; 0 if none was retrieved, even in a short ranking."""
    run = evaluation.run
    unjudged = run.num_retrieved > run.judged().count_by_query()
    return [np.where(unjudged, rank_biased_residual(run, p=_persistence(pairs)), 0.0)]
