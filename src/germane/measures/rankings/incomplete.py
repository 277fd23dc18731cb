"""Measures made for judgments that are known to be incomplete; `judged_only` condenses the list for any measure."""

from __future__ import annotations

from typing import Literal

import numpy as np

from germane.errors import MeasureError
from germane.measures.definition import measure
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, PerQuery, Worked, sum_by

Unlisted = Literal["outside", "pooled"]
EPSILON = 0.00001
"""The smoothing of trec_eval's infAP: with nothing judged above, relevant and not relevant are equally likely."""


def _not_relevant_above(hits: Hits, rel: float) -> IntArray:
    return _marked_above(hits, (hits.run.grade >= 0) & (hits.run.grade < rel))


def _marked_above(hits: Hits, marked: BoolArray) -> IntArray:
    """How many of the run's hits that are marked stand above each of these, within its query."""
    total = np.concatenate(([0], np.cumsum(marked)))
    first_of_query = np.searchsorted(hits.run.query, hits.query)
    return total[hits.index] - total[first_of_query]


@measure("Bpref", bounds=(0, 1), names=("bpref",))
def binary_preference(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Binary preference: how seldom a judged non-relevant document stands above a relevant one.

    Formula:    (1/R) * sum over relevant retrieved of (1 - min(n, R) / min(N, R)); n = judged non-relevant above it,
        N = judged non-relevant known
    Reference:  Buckley & Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.
    Edge cases: R = 0 gives 0. No judged non-relevant above a relevant one gives it 1. Unjudged documents are skipped.

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
    """Average precision inferred from a pool of which only a sample was judged.

    Formula:    (1/R) * sum over relevant ranks i of 1/i + (pooled above / i) * (r + e) / (r + n + 2e); r relevant and n
        non-relevant judged above, e = 0.00001
    Reference:  Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.
    Edge cases: a negative grade means pooled but not judged. A document outside the pool counts as not relevant.
    Note:       the sample must be uniform; where some strata were sampled more densely, XinfAP is the one. unlisted =
        pooled is for a sample of the whole collection: what the judgments do not list was pooled too, and not judged.

    >>> inferred_average_precision(judged("1 -1 1"))      # the pooled one counts as those judged do
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
    """Average precision inferred from a pool that was sampled more densely in some strata than in others.

    Formula:    (1/R) * sum over relevant ranks i of N/n * (1 + sum over strata of d * (r + e) / (r + m + 2e)) / i;
        N documents of its stratum are in the pool and n of them judged; above rank i the stratum has d documents, r
        judged relevant, m judged not relevant; R is the sum of N/n over all relevant documents; e = 0.00001
    Reference:  Yilmaz, Kanoulas & Aslam, "A simple and efficient sampling method for estimating AP and NDCG",
        SIGIR 2008.
    Edge cases: a negative grade means pooled but not judged, and must be listed. Outside the pool is not relevant.
        Judgments without strata are one stratum, for which it is InfAP.

    >>> extended_inferred_average_precision(judged("1 -1 1"))      # without strata it is InfAP
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
    columns = {"relevant above, expected": expected_above, "documents it stands for": weight[hits.doc]}
    return Worked(hits, weight[hits.doc] * precision, over=total, over_is="R, estimated", columns=columns)


def _strata(run: JudgedRun) -> tuple[IntArray, FloatArray]:
    """The stratum of each listed document, and how many documents of the pool each judged one stands for."""
    qrels, sampling = run.qrels, run.qrels.sampling
    stratum = np.zeros(len(qrels.grade), dtype=np.int64) if sampling is None else sampling.stratum
    cell = qrels.query * (int(stratum.max(initial=0)) + 1) + stratum
    pooled = np.bincount(cell)[cell]
    judged = np.bincount(cell, weights=qrels.grade >= 0)[cell]
    if sampling is not None and ((sampling.inclusion < 1) & (pooled == judged) & (pooled > 1)).any():
        problem = f"{qrels.name}: a stratum was sampled, but what was not drawn of it is not listed"
        hint = "list it with grade -1; for a sample of the whole collection use InfAP(unlisted=pooled)"
        raise MeasureError(problem, hint=hint)
    return stratum, np.where(judged > 0, pooled / np.maximum(judged, 1), 0.0)
