"""Measures that model a user who reads down the ranking and stops somewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from germane.catalogue import Range
from germane.errors import MeasureError
from germane.measures.definition import measure
from germane.measures.rankings.gain import ideal_gains, ideal_places
from germane.measures.rankings.ties import reciprocal_of_first
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import JudgedRun, PerQuery, Worked, sum_by

By = Literal["scale", "query"]
"""The highest grade that gains are divided by: that of the whole scale, or of the query's own judgments."""
Patience = Annotated[float, Range(0, 0.999999)]


@measure("RR", bounds=(0, 1), names=("mrr", "recip_rank", "reciprocal_rank"), expected_ties=True, unjudged="monotone")
def reciprocal_rank(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Reciprocal rank: one over the rank of the first relevant document.

    Formula:    RR@k = 1 / (rank of the first relevant document), 0 if that rank is greater than k
    Reference:  Radev, Qi, Wu & Fan, "Evaluating web-based question answering systems", LREC 2002.
    Edge cases: nothing relevant retrieved gives 0.

    >>> reciprocal_rank(judged("0 1 1 | 0 0"))
    array([0.5, 0. ])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, reciprocal_of_first(hits))


def _patience(p: float, depth: int) -> FloatArray:
    """Return the weight of each rank for a user who continues to the next rank with probability p."""
    return (1 - p) * np.power(p, np.arange(depth), dtype=np.float64)


def _highest(run: JudgedRun, by: By) -> FloatArray:
    """Return the grade by which each query's grades are divided."""
    if by == "scale":
        return np.full(run.num_queries, run.qrels.scale if run.qrels.scale > 0 else 1.0)
    highest = np.zeros(run.num_queries)
    np.maximum.at(highest, run.qrels.query, run.qrels.grade)
    return np.where(highest > 0, highest, 1.0)


def _refuse(given: Mapping[str, Any]) -> None:
    if given.get("rel") is not None and given.get("by") == "query":
        hint = "remove one of them, as in RBP(by=query)"
        raise MeasureError("rel cannot be combined with by=query in RBP, since rel makes relevance binary", hint=hint)


@measure(
    "RBP", bounds=(0, 1), names=("rank_biased_precision",), expected_ties=True, unjudged="monotone", refuse=_refuse
)
def rank_biased_precision(
    run: JudgedRun, *, p: Patience = 0.8, by: By = "scale", rel: float | None = None, cut: int | None = None
) -> Worked:
    """Rank-biased precision: expected gain per document read by a user with persistence p.

    Formula:    (1 - p) * sum of g_i * p^(i - 1), g_i = grade / highest grade of the scale
    Reference:  Moffat & Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1), 2008.
    Edge cases: an unjudged document adds 0; RBPres bounds what it could add. With rel = 1 relevance is binary.
    Note:       by = query divides by the highest grade of the query, as trec_eval 10 does (where p is 0.9).

    >>> rank_biased_precision(judged("1 0 1"), p=0.5)         # 0.5 * (1 + 0.25)
    array([0.625])
    """
    hits = run.judged(cut) if rel is None else run.relevant(rel, cut)
    gain = hits.grade / _highest(run, by)[hits.query] if rel is None else np.ones(len(hits.index))
    weight = hits.at_rank(_patience(p, hits.max_rank))
    return Worked(hits, gain * weight, columns={"weight": weight})


@measure("RBPres", bounds=(0, 1), better="lower", names=("rbp_residual",), expected_ties=True)
def rank_biased_residual(run: JudgedRun, *, p: Patience = 0.8, cut: int | None = None) -> Worked:
    """Residual of RBP: total weight of ranks without a judged document, including those beyond the ranking.

    Formula:    1 - (1 - p) * sum of p^(i - 1) over the judged ranks i
    Reference:  Moffat & Zobel, "Rank-biased precision for measurement of retrieval effectiveness", TOIS 27(1), 2008.
    Edge cases: an empty ranking gives 1.

    >>> rank_biased_residual(judged("1 - 1"), p=0.5)          # 1 - (0.5 + 0.125)
    array([0.375])
    """
    hits = run.judged(cut)
    return Worked(hits, -hits.at_rank(_patience(p, hits.max_rank)), base=np.ones(run.num_queries))


def survival(stop: FloatArray, place: IntArray) -> FloatArray:
    """Return the probability that the user reaches each document: the product of (1 - stop) over those before it.

    `place` counts 1, 2, ... within each group of neighbours; the product restarts where it is 1.
    """
    alive = np.ones(len(stop))
    for depth in range(2, int(place.max(initial=0)) + 1):
        here = np.flatnonzero(place == depth)
        alive[here] = alive[here - 1] * (1 - stop[here - 1])
    return alive


def stop_probability(grade: FloatArray, scale: float) -> FloatArray:
    """Return the probability that a document of this grade satisfies the user: (2^grade - 1) / 2^scale."""
    return np.asarray(np.exp2(np.maximum(grade, 0.0) - scale) - np.exp2(-scale))


@measure("ERR", bounds=(0, 1), names=("err", "expected_reciprocal_rank"), unjudged="monotone")
def expected_reciprocal_rank(run: JudgedRun, *, cut: int | None = None) -> Worked:
    """Expected reciprocal rank of the document at which the user is satisfied and stops.

    Formula:    sum over ranks i of (1/i) * s_i * product of (1 - s_j) over j < i; s = (2^grade - 1) / 2^scale
    Reference:  Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.
    Edge cases: scale is the highest grade of the qrels' scale, not of the query. No relevant document gives 0.

    >>> expected_reciprocal_rank(judged("0 1 1"))         # 1/2 * 1/2 + 1/3 * 1/2 * 1/2
    array([0.33333333])
    """
    hits = run.hits(run.grade > 0, cut)
    stop = stop_probability(hits.grade, run.qrels.scale)
    reading = survival(stop, hits.count_so_far)
    return Worked(hits, reading * stop / hits.rank, columns={"satisfied": stop, "still reading": reading})


def _ideal_err(run: JudgedRun, cut: int | None) -> PerQuery:
    place = ideal_places(run.qrels)
    stop = stop_probability(ideal_gains(run.qrels, "linear"), run.qrels.scale)
    term = survival(stop, place) * stop / place
    return sum_by(run.qrels.query, term * (cut is None or place <= cut), run.num_queries)


@measure("nERR", bounds=(0, 1), names=("nerr",))
def normalised_expected_reciprocal_rank(run: JudgedRun, *, cut: int | None = None) -> Worked:
    """Normalised expected reciprocal rank: ERR divided by that of the ideal ranking.

    Formula:    nERR@k = ERR@k / ERR@k of all judged documents by decreasing grade
    Reference:  Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.
    Edge cases: no known relevant document gives 0.

    >>> normalised_expected_reciprocal_rank(judged("0 1"))        # (1/2 * 1/2) / (1/2)
    array([0.5])
    """
    worked = expected_reciprocal_rank.work(run, cut=cut)
    return Worked(worked.hits, worked.term, over=_ideal_err(run, cut), over_is="ideal ERR", columns=worked.columns)
