"""What is read off a curve: interpolated precision, precision at a recall level, the ROC of a ranking."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from germane.arguments import checked
from germane.catalogue import Count, Share
from germane.measures.definition import measure
from germane.measures.rankings.average_precision import highest_from_here, point_columns
from germane.measures.rankings.precision import num_not_relevant
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, Worked

Rounding = Literal["exact", "trec9", "trec10"]
Interval = Literal["beyond", "between"]


class CurvePoints(NamedTuple):
    """The points of a curve of every query, in rank order: x[i], y[i] belong to query[i] and to rank[i]."""

    query: IntArray
    rank: IntArray
    x: FloatArray
    y: FloatArray


@checked
def precision_recall_points(run: JudgedRun, *, rel: float = 1) -> CurvePoints:
    """Every (recall, precision) point: one for each relevant document retrieved.

    >>> points = precision_recall_points(judged("0 1 0 0 1 0 0 1", unretrieved="1"))
    >>> points.x, points.y
    (array([0.25, 0.5 , 0.75]), array([0.5  , 0.4  , 0.375]))
    """
    hits = run.relevant(rel)
    return CurvePoints(hits.query, hits.rank, _recall(hits, rel), hits.count_so_far / hits.rank)


@checked
def roc_points(run: JudgedRun, *, rel: float = 1) -> CurvePoints:
    """Every (false positive rate, true positive rate) point: one for each relevant document retrieved.

    >>> points = roc_points(judged("1 0 1 0", collection_size=4))
    >>> points.x, points.y
    (array([0. , 0.5]), array([0.5, 1. ]))
    """
    hits = run.relevant(rel)
    others = np.maximum(num_not_relevant(run, rel)[hits.query], 1)
    return CurvePoints(hits.query, hits.rank, (hits.rank - hits.count_so_far) / others, _recall(hits, rel))


def _recall(hits: Hits, rel: float) -> FloatArray:
    return hits.count_so_far / np.maximum(hits.run.num_relevant(rel), 1)[hits.query]


def _reached(hits: Hits, rel: float, recall: float, rounding: Rounding) -> BoolArray:
    """Whether this level of recall is reached at each hit."""
    relevant = hits.run.num_relevant(rel)[hits.query]
    if rounding == "exact":
        return hits.count_so_far / relevant >= recall
    # In trec_eval 10, C's round(): halves go away from zero.
    needed = np.trunc(recall * relevant + 0.9) if rounding == "trec9" else np.floor(recall * relevant + 0.5)
    return np.asarray(hits.count_so_far >= needed)


def _first_of_query(hits: Hits, which: BoolArray) -> BoolArray:
    """Of the marked hits, the first in each query."""
    marked = np.flatnonzero(which)
    first = np.zeros(len(which), dtype=bool)
    first[marked[np.diff(hits.query[marked], prepend=-1).astype(bool)]] = True
    return first


@measure("IPrec", bounds=(0, 1), names=("interpolated_precision",), at="recall")
def interpolated_precision(
    run: JudgedRun, *, recall: Share = 0.0, to: Interval = "beyond", rounding: Rounding = "exact", rel: float = 1
) -> Worked:
    """Interpolated precision: the highest precision at this level of recall or beyond it.

    Formula:    max of P(r) over r >= level; with to = between, over level <= r <= level + 0.1
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, CUP 2008, section 8.4 (beyond);
        Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ACM Press 1999, section 3.2 (between).
    Edge cases: a level never reached gives 0. An interval without a point takes the value of the next one that has one.
    Note:       rounding = exact compares recall with the level; trec9 asks for trunc(level * R + 0.9) relevant
        documents, trec10 for round(level * R), as these versions of trec_eval do.

    >>> interpolated_precision(judged("0 1 0 0 1 0 0 1", unretrieved="1"), recall=0.3)
    array([0.4])
    """
    hits = run.relevant(rel)
    return Worked(hits, _interpolated(hits, recall, to, rounding, rel), columns=point_columns(hits, rel))


def _interpolated(
    hits: Hits, level: float, to: Interval, rounding: Rounding, rel: float, step: float = 0.1
) -> FloatArray:
    """The interpolated precision at one level, standing at the hit that has it."""
    precision: FloatArray = hits.count_so_far / hits.rank
    if to == "beyond":
        return _highest_among(hits, _reached(hits, rel, level, rounding), precision)
    term = np.zeros(len(precision))
    undecided = np.ones(hits.run.num_queries, dtype=bool)
    for low in (round(level + i * step, 10) for i in range(int((1 - level) / step + 1e-9) + 1)):
        high = round(low + step, 10)
        inside = _reached(hits, rel, low, rounding) & (_recall(hits, rel) <= high) & undecided[hits.query]
        term += _highest_among(hits, inside, precision)
        undecided[hits.query[inside]] = False
    return term


def _highest_among(hits: Hits, which: BoolArray, values: FloatArray) -> FloatArray:
    """Of the marked hits of each query, the highest value at the first hit that has it; 0 everywhere else."""
    highest = np.zeros(hits.run.num_queries)
    np.maximum.at(highest, hits.query[which], values[which])
    return np.where(_first_of_query(hits, which & (values == highest[hits.query])), values, 0.0)


@measure("IPrecAvg", bounds=(0, 1), names=("eleven_point",))
def interpolated_average(
    run: JudgedRun, *, points: Count = 11, to: Interval = "beyond", rounding: Rounding = "exact", rel: float = 1
) -> Worked:
    """Mean of the interpolated precision at evenly spaced levels of recall: 0, 0.1, ... 1 for the usual eleven.

    Formula:    (1/11) * sum of the interpolated precision at the 11 levels
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, Cambridge 2008, section 8.4.
    Edge cases: a level never reached adds 0; R = 0 gives 0.

    >>> interpolated_average(judged("1 0 1"))         # 1 at six levels, 2/3 at five
    array([0.84848485])
    """
    hits = run.relevant(rel)
    levels = [round(i / (points - 1), 10) for i in range(points)] if points > 1 else [0.0]
    by_level = [_interpolated(hits, level, to, rounding, rel, 1 / max(points - 1, 1)) for level in levels]
    levels_read: FloatArray = np.count_nonzero(by_level, axis=0).astype(np.float64)
    columns = {**point_columns(hits, rel), "levels": levels_read}
    total = sum(by_level, np.zeros(len(hits.index)))
    return Worked(hits, total, over=float(points), over_is="levels of recall", columns=columns)


@measure("PAtRecall", bounds=(0, 1), names=("precision_at_recall",), at="recall")
def precision_at_recall(run: JudgedRun, *, recall: Share = 0.2, rel: float = 1) -> Worked:
    """Precision at the moment when a level of recall is reached, not interpolated.

    Formula:    P at the first rank where recall >= level
    Reference:  Weber, Multimedia Retrieval, University of Basel 2022, where it is called R-precision at a threshold.
    Note:       IPrec is the highest precision at or beyond the level; this one does not look beyond.
    Edge cases: a level never reached gives 0.

    >>> precision_at_recall(judged("0 1 0 0 1", unretrieved="1 1 1"), recall=0.2)     # the first of five
    array([0.5])
    """
    hits = run.relevant(rel)
    at = _first_of_query(hits, _reached(hits, rel, recall, "exact"))
    return Worked(hits, np.where(at, hits.count_so_far / hits.rank, 0.0), columns=point_columns(hits, rel))


@measure("Efficiency", bounds=(0, 1), names=("system_efficiency",))
def efficiency(run: JudgedRun, *, rel: float = 1) -> Worked:
    """System efficiency: how near the P-R curve comes to the ideal point (1, 1).

    Formula:    E = 1 - d / sqrt(2), d the least distance of a (recall, precision) point from (1, 1)
    Reference:  Weber, Multimedia Retrieval, University of Basel 2022, chapter Performance Evaluation.
    Edge cases: nothing relevant retrieved gives 0.

    >>> efficiency(judged("1 0 1"))       # nearest at recall 1, precision 2/3
    array([0.76429774])
    """
    hits = run.relevant(rel)
    columns = point_columns(hits, rel)
    closeness = 1 - np.hypot(1 - columns["recall"], 1 - columns["precision"]) / np.sqrt(2)
    nearest = highest_from_here(hits, closeness)[hits.first_of_query]
    best = _first_of_query(hits, closeness == nearest)
    return Worked(hits, np.where(best, closeness, 0.0), columns={**columns, "closeness": closeness})


@measure("AUC", bounds=(0, 1), names=("auroc", "roc_auc", "auc"), needs=("collection size",))
def area_under_roc(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Area under the ROC curve of the ranking: the chance that a relevant document stands above another one.

    Formula:    (1/R) * sum over relevant documents of (1 - false positive rate where it stands)
    Edge cases: documents never retrieved count as tied at the bottom, a relevant one then being above half of the
        others. R = 0 or N = R gives NaN.

    >>> area_under_roc(judged("1 0 1 0", collection_size=4))      # 3 of the 4 pairs are in order
    array([0.75])
    """
    hits = run.relevant(rel)
    others, relevant = num_not_relevant(run, rel), run.num_relevant(rel)
    false_positive_rate = roc_points(run, rel=rel).x
    above_unretrieved = 1 - (run.num_retrieved - hits.count_by_query()) / np.maximum(others, 1)
    rest = (relevant - hits.count_by_query()) * above_unretrieved / 2
    over, term = np.where(others > 0, relevant, 0), 1 - false_positive_rate
    columns = {"false positive rate": false_positive_rate, "true positive rate": _recall(hits, rel)}
    return Worked(hits, term, base=rest, over=over, empty=np.nan, over_is="R", columns=columns)


@measure("EER", bounds=(0, 1), better="lower", names=("equal_error_rate",), needs=("collection size",))
def equal_error_rate(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Equal error rate: the error where false acceptances and false rejections are equally frequent.

    Formula:    the point of the ROC curve where FAR = FRR, that is, false positive rate = 1 - true positive rate
    Reference:  Barrios, Recuperación de Información Multimedia, Universidad de Chile 2020 (FAR, FRR).
    Note:       the P = R point of the P-R graph, sometimes called by the same name, is Rprec.
    Edge cases: documents never retrieved count as tied at the bottom: the curve ends with a straight line to (1, 1).
        R = 0 or N = R gives NaN.

    >>> equal_error_rate(judged("1 0 1 0", collection_size=4))
    array([0.5])
    """
    hits = run.relevant(rel)
    others, relevant = num_not_relevant(run, rel), run.num_relevant(rel)
    far = roc_points(run, rel=rel).x
    frr = 1 - _recall(hits, rel)
    frr_before = frr + 1 / np.maximum(relevant, 1)[hits.query]
    # A relevant document lowers FRR at once: FAR = FRR on the way down, or on the level stretch after it.
    crossing = _first_of_query(hits, frr <= far)
    term = np.where(crossing, np.minimum(far, frr_before), 0.0)
    # Otherwise on the level stretch after the last hit, or on the straight line to (1, 1) after the last rank.
    crossed = np.zeros(run.num_queries, dtype=bool)
    crossed[hits.query[crossing]] = True
    far_end = (run.num_retrieved - hits.count_by_query()) / np.maximum(others, 1)
    frr_end = 1 - hits.count_by_query() / np.maximum(relevant, 1)
    left = (1 - far_end) + frr_end
    on_the_line = frr_end - frr_end * (frr_end - far_end) / np.where(left > 0, left, 1.0)
    rest = np.where(crossed, 0.0, np.where(far_end >= frr_end, frr_end, on_the_line))
    over = np.where((others > 0) & (relevant > 0), 1.0, 0.0)
    columns = {"false acceptance rate": far, "false rejection rate": frr}
    return Worked(hits, term, base=rest, over=over, empty=np.nan, columns=columns)
