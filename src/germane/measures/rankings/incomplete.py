"""Measures for incomplete judgments (`judged_only` gives the condensed-list version of any other measure)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from germane.errors import MeasureError
from germane.measures.definition import measure
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, PerQuery, Worked, sum_by

Unlisted = Literal["outside", "pooled"]
EPSILON = 0.00001
"""Smoothing constant of trec_eval's infAP: without judgments above, relevance has probability ½."""


def _not_relevant_above(hits: Hits, rel: float) -> IntArray:
    return _marked_above(hits, (hits.run.grade >= 0) & (hits.run.grade < rel))


def _marked_above(hits: Hits, marked: BoolArray) -> IntArray:
    """Count the marked documents above each hit, within its query."""
    total = np.concatenate(([0], np.cumsum(marked)))
    first_of_query = np.searchsorted(hits.run.query, hits.query)
    return total[hits.index] - total[first_of_query]


@measure("Bpref", bounds=(0, 1), names=("bpref",))
def binary_preference(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Binary preference: how rarely judged non-relevant documents are ranked above relevant ones.

    Formula:    (1/R) * sum over relevant retrieved of (1 - min(n, R) / min(N, R)); n = judged non-relevant above it,
        N = judged non-relevant in total
    Reference:  Buckley & Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
    Edge cases: R = 0 gives 0. A relevant document with no judged non-relevant one above it adds 1. Unjudged documents
        are ignored.

    >>> binary_preference(judged("1 - 0 1", unretrieved="0"))         # (1 + (1 - 1/2)) / 2
    array([0.75])
    """
    hits = run.relevant(rel)
    relevant = run.num_relevant(rel)
    not_relevant = run.qrels.count((run.qrels.grade >= 0) & (run.qrels.grade < rel))
    above = _not_relevant_above(hits, rel)
    limit = np.maximum(np.minimum(not_relevant, relevant), 1)[hits.query]
    term = 1 - np.minimum(above, relevant[hits.query]) / limit
    columns = {"judged non-relevant above": above.astype(np.float64)}
    return Worked(hits, term, over=relevant, over_is="R", columns=columns)


@measure("InfAP", bounds=(0, 1), names=("infap", "inferred_ap"))
def inferred_average_precision(run: JudgedRun, *, unlisted: Unlisted = "outside", rel: float = 1) -> Worked:
    """Average precision estimated from a pool of which only a uniform sample was judged.

    Formula:    (1/R) * sum over relevant ranks i of 1/i + (pooled above / i) * (r + e) / (r + n + 2e); r judged
        relevant and n judged non-relevant above, e = 0.00001
    Reference:  Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.
    Edge cases: a negative grade means pooled but unjudged. A document outside the pool counts as non-relevant.
    Note:       the sample must be uniform; use XinfAP for a stratified sample. unlisted = pooled is for a sample of the
        whole collection, where documents not listed in the qrels count as pooled but unjudged.

    >>> inferred_average_precision(judged("1 -1 1"))      # the pooled one is estimated from the judged ones
    array([0.99999667])
    """
    hits = run.relevant(rel)
    relevant_above = hits.count_so_far - 1
    judged_above = relevant_above + _not_relevant_above(hits, rel)
    all_hits = np.ones(len(run.doc), dtype=bool)
    pooled_above = _marked_above(hits, all_hits) if unlisted == "outside" else hits.rank - 1
    share = (relevant_above + EPSILON) / (judged_above + 2 * EPSILON)
    above = np.maximum(hits.rank - 1, 1)
    expected = 1 / hits.rank + (hits.rank - 1) / hits.rank * (pooled_above / above) * share
    columns = {"pooled above": pooled_above.astype(np.float64)}
    return Worked(hits, expected, over=run.num_relevant(rel), over_is="R", columns=columns)


@measure("XinfAP", bounds=(0, 1), names=("xinfap", "extended_inferred_ap"))
def extended_inferred_average_precision(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Average precision estimated from a stratified sample of the pool.

    Formula:    (1/R) * sum over relevant ranks i of N/n * (1 + sum over strata of d * (r + e) / (r + m + 2e)) / i;
        the document's stratum has N pooled documents, n of them judged; above rank i a stratum has d documents, r of
        them judged relevant and m judged non-relevant; R is the sum of N/n over all relevant documents; e = 0.00001
    Reference:  Yilmaz, Kanoulas & Aslam, "A simple and efficient sampling method for estimating AP and NDCG",
        SIGIR 2008.
    Edge cases: pooled but unjudged documents must be listed with a negative grade. Documents outside the pool count as
        non-relevant. Judgments without strata form one stratum, for which XinfAP equals InfAP.

    >>> extended_inferred_average_precision(judged("1 -1 1"))      # without strata it equals InfAP
    array([0.99999667])
    """
    stratum, weight = _strata(run)
    hits = run.relevant(rel)
    relevant, judged_hits = run.grade >= rel, run.grade >= 0
    expected_above = np.zeros(len(hits.index))
    for code in np.unique(stratum):
        mine = stratum[run.doc] == code
        seen, found = _marked_above(hits, mine & judged_hits), _marked_above(hits, mine & relevant)
        expected_above += _marked_above(hits, mine) * (found + EPSILON) / (seen + 2 * EPSILON)
    precision = 1 / hits.rank + expected_above / hits.rank
    listed = np.flatnonzero(run.qrels.grade >= rel)
    total: PerQuery = sum_by(run.qrels.query[listed], weight[listed], run.num_queries)
    columns = {"relevant above, expected": expected_above, "documents it represents": weight[hits.doc]}
    return Worked(hits, weight[hits.doc] * precision, over=total, over_is="R, estimated", columns=columns)


def _strata(run: JudgedRun) -> tuple[IntArray, FloatArray]:
    """Return the stratum of each listed document, and how many pooled documents each judged one represents."""
    qrels, sampling = run.qrels, run.qrels.sampling
    stratum = np.zeros(len(qrels.grade), dtype=np.int64) if sampling is None else sampling.stratum
    cell = qrels.query * (int(stratum.max(initial=0)) + 1) + stratum
    pooled = np.bincount(cell)[cell]
    judged = np.bincount(cell, weights=qrels.grade >= 0)[cell]
    if sampling is not None and ((sampling.inclusion < 1) & (pooled == judged) & (pooled > 1)).any():
        problem = f"{qrels.name}: a sampled stratum does not list its unjudged documents"
        hint = "list them with grade -1; for a sample of the whole collection use InfAP(unlisted=pooled)"
        raise MeasureError(problem, hint=hint)
    return stratum, np.where(judged > 0, pooled / np.maximum(judged, 1), 0.0)
