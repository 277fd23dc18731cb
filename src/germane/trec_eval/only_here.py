"""Measures that only trec_eval has, and native ones in trec_eval's form."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from germane.measures.definition import Definition
from germane.measures.rankings.average_precision import average_precision
from germane.measures.rankings.curves import interpolated_precision
from germane.measures.rankings.gain import divisors
from germane.measures.rankings.precision import precision, r_precision, recall, utility
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import PerQuery
from germane.trec_eval.c_numbers import NEGATIVE_NAN, divide
from germane.trec_eval.evaluation import Evaluation

SMALLEST = 0.00001
"""Smallest value used in a geometric mean."""

CHARACTERS = np.asarray([b"0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b">", b"."])
"""How relstring shows the grades 0 to 9, higher ones, and -1 for any negative one."""


def log_of(measure: Definition) -> Callable[[Evaluation, tuple[()]], list[PerQuery]]:
    """Compute gm_map and gm_bpref, averaged as logarithms."""

    def compute(evaluation: Evaluation, _: tuple[()]) -> list[PerQuery]:
        values = measure(evaluation.run, rel=evaluation.rel)
        return [np.asarray([math.log(max(value, SMALLEST)) for value in values.tolist()])]

    return compute


def num_nonrelevant_judged(evaluation: Evaluation, _: tuple[()]) -> list[PerQuery]:
    """Count the retrieved documents that were judged non-relevant."""
    run = evaluation.run
    return [(run.judged().count_by_query() - run.relevant(evaluation.rel).count_by_query()).astype(np.float64)]


def _num_needed(evaluation: Evaluation, level: float) -> IntArray:
    """Return the number of relevant documents at a recall level, with this version's rounding."""
    wanted = level * evaluation.run.num_relevant(evaluation.rel)
    needed: FloatArray = np.trunc(wanted + 0.9) if evaluation.options.version == 9 else np.floor(wanted + 0.5)
    return needed.astype(np.int64)


def _interpolated(evaluation: Evaluation, level: float) -> PerQuery:
    rounding = "trec9" if evaluation.options.version == 9 else "trec10"
    value = interpolated_precision(evaluation.run, recall=level, rounding=rounding, rel=evaluation.rel)
    # With nothing retrieved trec_eval divides 0 by 0, and prints it where no relevant document was needed.
    nothing = (evaluation.run.num_retrieved == 0) & (_num_needed(evaluation, level) <= 0)
    return np.where(nothing, NEGATIVE_NAN, value)


def precision_at_levels(evaluation: Evaluation, levels: tuple[float, ...]) -> list[PerQuery]:
    """Compute iprec_at_recall."""
    return [_interpolated(evaluation, level) for level in levels]


def average_over_levels(evaluation: Evaluation, levels: tuple[float, ...]) -> list[PerQuery]:
    """Compute 11pt_avg, over any levels.

    trec_eval goes through the levels from the last one given, up the ranking once. A level that comes too late,
    because the one behind it in the list was lower, is read off the top of the ranking, and so are all before it.
    """
    found = evaluation.run.relevant(evaluation.rel).count_by_query()
    total = np.zeros(len(found))
    started, stuck = np.zeros((2, len(found)), dtype=bool)
    previous = np.full(len(found), np.iinfo(np.int64).max)
    for level in reversed(levels):
        needed = _num_needed(evaluation, level)
        started |= needed <= found
        stuck |= started & (needed > np.minimum(previous, found))
        value = np.where(stuck, _interpolated(evaluation, 0.0), _interpolated(evaluation, level))
        total += np.where(started, value, 0.0)
        previous = np.where(started, np.maximum(needed, 0), previous)
    return [total / len(levels)]


def precision_at_multiples(evaluation: Evaluation, multiples: tuple[float, ...]) -> list[PerQuery]:
    """Compute Rprec_mult. (Adding 0 turns the -0 of a negative multiple into 0.)"""
    return [r_precision(evaluation.run, times=times, rel=evaluation.rel) + 0.0 for times in multiples]


def set_utility(evaluation: Evaluation, weights: tuple[float, ...]) -> list[PerQuery]:
    """Compute the utility of the retrieved set, with four weights."""
    a, b, c, d = weights
    return [utility(evaluation.run, a=a, b=b, c=c, d=d, rel=evaluation.rel)]


def set_f(evaluation: Evaluation, numbers: tuple[float, ...]) -> list[PerQuery]:
    """Compute set_F, whose parameter is beta squared.

    The native F is one division of integers. trec_eval divides three times, and where the result is halfway
    between two printed values that decides which: so its steps are followed here.
    """
    x = numbers[0]
    p, r = (measure(evaluation.run, rel=evaluation.rel) for measure in (precision, recall))
    return [np.where((p != 0) & (r != 0), divide((x + 1.0) * p * r, x * p + r), 0.0)]


def binary_gain(evaluation: Evaluation, _: tuple[()]) -> list[PerQuery]:
    """Compute binG: for each relevant document, one over log2(2 + non-relevant documents before it)."""
    hits = evaluation.run.relevant(evaluation.rel)
    others_before = hits.rank - hits.count_so_far
    total = hits.sum_by_query(1.0 / divisors("log2", 2, hits.max_rank)[others_before])
    relevant = evaluation.run.num_relevant(evaluation.rel)
    return [np.divide(total, relevant, out=np.zeros(len(total)), where=relevant > 0)]


def robertson(evaluation: Evaluation, _: tuple[()]) -> list[PerQuery]:
    """Compute yaap: the sum of precisions S as log odds, log((1 + S) / (1 + R - S))."""
    total = average_precision.work(evaluation.run, rel=evaluation.rel).numerator
    relevant = evaluation.run.num_relevant(evaluation.rel) * 1.0
    odds = (1.0 + total) / (1.0 + relevant - total)
    return [np.asarray([math.log(value) for value in odds.tolist()])]


def relevance_string(evaluation: Evaluation, numbers: tuple[float, ...]) -> list[bytes]:
    """Compute relstring: one character for the grade at each of the first ranks."""
    run = evaluation.run
    # C converts a number that no integer holds, NaN included, to the lowest integer: then nothing is shown.
    most = int(numbers[0]) if abs(numbers[0]) < 2.0**63 else 0
    sizes = np.minimum(run.num_retrieved, max(most, 0))
    end = np.cumsum(sizes)
    shown = np.full(int(sizes.sum()), b"-")
    hits = np.flatnonzero(run.rank <= sizes[run.query])
    places = (end - sizes)[run.query[hits]] + run.rank[hits] - 1
    shown[places] = CHARACTERS[np.clip(run.grade[hits], -1, 10).astype(np.int64)]
    text = shown.tobytes()
    return [b"'%s'" % text[b - a : b] for a, b in zip(sizes.tolist(), end.tolist(), strict=True)]
