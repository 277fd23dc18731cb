"""Measures made for judgments that are known to be incomplete; `judged_only` condenses the list for any measure."""

from __future__ import annotations

import numpy as np

from germane.measures.registry import measure
from germane.tables.ids import IntArray
from germane.tables.judged_run import Hits, JudgedRun, Worked


def _count_above(hits: Hits, which: str, rel: float) -> IntArray:
    """How many hits of a kind stand above each of these, within its query."""
    run = hits.run
    kinds = {"not relevant": (run.grade >= 0) & (run.grade < rel), "pooled": np.ones(len(run.doc), dtype=bool)}
    total = np.concatenate(([0], np.cumsum(kinds[which])))
    first_of_query = np.searchsorted(run.query, hits.query)
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
    above = _count_above(hits, "not relevant", rel)
    limit = np.maximum(np.minimum(not_relevant, relevant), 1)[hits.query]
    term = 1 - np.minimum(above, relevant[hits.query]) / limit
    return Worked(
        hits, term, over=relevant, over_is="R", columns={"judged non-relevant above": above.astype(np.float64)}
    )


@measure("InfAP", bounds=(0, 1), names=("infap", "inferred_ap"))
def inferred_average_precision(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Average precision inferred from a pool of which only a sample was judged.

    Formula:    (1/R) * sum over relevant ranks i of 1/i + (pooled above / i) * (r + e) / (r + n + 2e); r relevant and n
        non-relevant judged above, e = 0.00001
    Reference:  Yilmaz & Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.
    Edge cases: a negative grade means pooled but not judged. A document outside the pool counts as not relevant.

    >>> inferred_average_precision(judged("1 -1 1"))      # the pooled one counts as those judged do
    array([0.99999667])
    """
    epsilon = 0.00001
    hits = run.relevant(rel)
    relevant_above = hits.count_so_far - 1
    judged_above = relevant_above + _count_above(hits, "not relevant", rel)
    pooled_above = _count_above(hits, "pooled", rel)
    share = (relevant_above + epsilon) / (judged_above + 2 * epsilon)
    above = np.maximum(hits.rank - 1, 1)
    expected = 1 / hits.rank + (hits.rank - 1) / hits.rank * (pooled_above / above) * share
    return Worked(
        hits,
        expected,
        over=run.num_relevant(rel),
        over_is="R",
        columns={"pooled above": pooled_above.astype(np.float64)},
    )
