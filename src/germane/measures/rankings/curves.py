"""Measures of precision-recall and ROC curves: interpolated precision, precision at a recall level, AUC, EER."""

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
    """Curve points of all queries, in rank order: x[i], y[i] belong to query[i] and rank[i]."""

    query: IntArray
    rank: IntArray
    x: FloatArray
    y: FloatArray


@checked
def precision_recall_points(run: JudgedRun, *, rel: float = 1) -> CurvePoints:
    """Return the (recall, precision) point of each relevant document retrieved.

    >>> points = precision_recall_points(judged("0 1 0 0 1 0 0 1", unretrieved="1"))
    >>> points.x, points.y
    (array([0.25, 0.5 , 0.75]), array([0.5  , 0.4  , 0.375]))
    """
    hits = run.relevant(rel)
    return CurvePoints(hits.query, hits.rank, _recall(hits, rel), hits.count_so_far / hits.rank)


@checked
def roc_points(run: JudgedRun, *, rel: float = 1) -> CurvePoints:
    """Return the (false positive rate, true positive rate) point of each relevant document retrieved.

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
    """Return whether the recall level is reached at each hit."""
    relevant = hits.run.num_relevant(rel)[hits.query]
    if rounding == "exact":
        return hits.count_so_far / relevant >= recall
    # trec_eval 10 uses C's round(), which rounds halves away from zero.
    needed = np.trunc(recall * relevant + 0.9) if rounding == "trec9" else np.floor(recall * relevant + 0.5)
    return np.asarray(hits.count_so_far >= needed)


def _first_of_query(hits: Hits, which: BoolArray) -> BoolArray:
    """Mark the first of the marked hits of each query."""
    marked = np.flatnonzero(which)
    first = np.zeros(len(which), dtype=bool)
    first[marked[np.diff(hits.query[marked], prepend=-1).astype(bool)]] = True
    return first


@measure("IPrec", bounds=(0, 1), names=("interpolated_precision",), at="recall")
def interpolated_precision(
    run: JudgedRun, *, recall: Share = 0.0, to: Interval = "beyond", rounding: Rounding = "exact", rel: float = 1
) -> Worked:
    """Interpolated precision: the highest precision at this recall level or above.

    Formula:    max of P(r) over r >= level; with to = between, over level <= r <= level + 0.1
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, CUP 2008, section 8.4 (beyond);
        Baeza-Yates & Ribeiro-Neto, Modern Information Retrieval, ACM Press 1999, section 3.2 (between).
    Edge cases: a level never reached gives 0. With to = between, an interval without points uses the next with points.
    Note:       rounding = exact compares recall with the level; trec9 requires trunc(level * R + 0.9) relevant
        documents, trec10 requires round(level * R), as these versions of trec_eval do.

    >>> interpolated_precision(judged("0 1 0 0 1 0 0 1", unretrieved="1"), recall=0.3)
    array([0.4])
    """
    hits = run.relevant(rel)
    return Worked(hits, _interpolated(hits, recall, to, rounding, rel), columns=point_columns(hits, rel))


def _interpolated(
    hits: Hits, level: float, to: Interval, rounding: Rounding, rel: float, step: float = 0.1
) -> FloatArray:
    """Return the interpolated precision at one level, at the hit that attains it; 0 elsewhere."""
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
    """Return the highest value among the marked hits of each query, at the first hit that has it; 0 elsewhere."""
    highest = np.zeros(hits.run.num_queries)
    np.maximum.at(highest, hits.query[which], values[which])
    return np.where(_first_of_query(hits, which & (values == highest[hits.query])), values, 0.0)


@measure("IPrecAvg", bounds=(0, 1), names=("eleven_point",))
def interpolated_average(
    run: JudgedRun, *, points: Count = 11, to: Interval = "beyond", rounding: Rounding = "exact", rel: float = 1
) -> Worked:
    """Mean interpolated precision at evenly spaced recall levels: 0, 0.1, ..., 1 for the usual eleven points.

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
    """Precision at the first rank that reaches a recall level, without interpolation.

    Formula:    P at the first rank where recall >= level
    Reference:  Weber, Multimedia Retrieval, University of Basel 2022, where it is called R-precision at a threshold.
    Note:       IPrec is the highest precision at or above the level; PAtRecall does not look beyond it.
    Edge cases: a level never reached gives 0.

    >>> precision_at_recall(judged("0 1 0 0 1", unretrieved="1 1 1"), recall=0.2)     # the first of five
    array([0.5])
    """
    hits = run.relevant(rel)
    at = _first_of_query(hits, _reached(hits, rel, recall, "exact"))
    return Worked(hits, np.where(at, hits.count_so_far / hits.rank, 0.0), columns=point_columns(hits, rel))


@measure("Efficiency", bounds=(0, 1), names=("system_efficiency",))
def efficiency(run: JudgedRun, *, rel: float = 1) -> Worked:
    """System efficiency: closeness of the P-R curve to the ideal point (1, 1).

    Formula:    E = 1 - d / sqrt(2); d is the smallest distance of a (recall, precision) point from (1, 1)
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
    """Area under the ROC curve: probability that a relevant document is ranked above a non-relevant one.

    Formula:    (1/R) * sum over relevant documents of (1 - false positive rate at its rank)
    Edge cases: documents not retrieved are tied at the bottom, where a relevant one counts as above half of the
        non-relevant ones. R = 0 or N = R gives NaN.

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
    """Equal error rate: the error rate where false acceptance rate and false rejection rate are equal.

    Formula:    FAR at the point of the ROC curve where FAR = FRR, i.e. false positive rate = 1 - true positive rate
    Reference:  Barrios, Recuperación de Información Multimedia, Universidad de Chile 2020 (FAR, FRR).
    Note:       the P = R point of the P-R graph, which sometimes has the same name, is Rprec.
    Edge cases: documents not retrieved are tied at the bottom, so the curve ends with a straight line to (1, 1).
        R = 0 or N = R gives NaN.

    >>> equal_error_rate(judged("1 0 1 0", collection_size=4))
    array([0.5])
    """
    hits = run.relevant(rel)
    others, relevant = num_not_relevant(run, rel), run.num_relevant(rel)
    far = roc_points(run, rel=rel).x
    frr = 1 - _recall(hits, rel)
    frr_before = frr + 1 / np.maximum(relevant, 1)[hits.query]
    # FRR drops at each relevant document: FAR = FRR within the drop, or on the horizontal segment after it.
    crossing = _first_of_query(hits, frr <= far)
    term = np.where(crossing, np.minimum(far, frr_before), 0.0)
    # Otherwise on the horizontal segment after the last hit, or on the straight line to (1, 1) after the last rank.
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
