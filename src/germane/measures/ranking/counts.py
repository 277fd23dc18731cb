"""How much there is: queries, retrieved, relevant, judged."""

from __future__ import annotations

import numpy as np

from germane.measures.registry import measure
from germane.tables.judged_run import JudgedRun, Worked

MANY = float("inf")


@measure("NumQ", bounds=(1, 1), better="neither", total=True, names=("num_q",), expected_ties=True)
def num_queries(run: JudgedRun) -> Worked:
    """Number of queries.

    Formula:    1 for each query; the total counts them

    >>> num_queries(judged("1 | 0"))
    array([1., 1.])
    """
    return Worked(run.hits(np.zeros(len(run.doc), dtype=bool)), np.zeros(0), base=np.ones(run.num_queries))


@measure("NumRet", bounds=(0, MANY), better="neither", total=True, names=("num_ret",), expected_ties=True)
def num_retrieved(run: JudgedRun, *, cut: int | None = None) -> Worked:
    """Number of documents retrieved.

    Formula:    retrieved documents, down to the cutoff if there is one

    >>> num_retrieved(judged("1 - 0"))
    array([3.])
    """
    return Worked(run.hits(np.zeros(len(run.doc), dtype=bool)), np.zeros(0), base=run.depth(cut))


@measure("NumRel", bounds=(0, MANY), better="neither", total=True, names=("num_rel",), expected_ties=True)
def num_relevant(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Number of relevant documents known, retrieved or not: R.

    Formula:    R = documents with a grade of at least rel

    >>> num_relevant(judged("1 0", unretrieved="2"))
    array([2.])
    """
    return Worked(run.hits(np.zeros(len(run.doc), dtype=bool)), np.zeros(0), base=run.num_relevant(rel))


@measure(
    "NumRelRet", bounds=(0, MANY), total=True, names=("num_rel_ret", "hits"), expected_ties=True, unjudged="monotone"
)
def num_relevant_retrieved(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Number of relevant documents retrieved.

    Formula:    retrieved documents with a grade of at least rel

    >>> num_relevant_retrieved(judged("1 0 1", unretrieved="1"))
    array([2.])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, hits.share)


@measure("Judged", bounds=(0, 1), better="neither", names=("judged",), expected_ties=True)
def judged_share(run: JudgedRun, *, cut: int | None = None) -> Worked:
    """Share of the ranks that hold a judged document.

    Formula:    Judged@k = (judged in the top k) / k; without a cutoff, / retrieved
    Edge cases: nothing retrieved gives 0. A negative grade (pooled, not judged) does not count as judged.

    >>> judged_share(judged("1 - 0 -1"))
    array([0.5])
    """
    hits = run.judged(cut)
    return Worked(hits, hits.share, over=run.num_retrieved if cut is None else float(cut), over_is=_ranks(cut))


@measure("Unjudged", bounds=(0, 1), better="neither", names=("unj", "hole"), expected_ties=True)
def unjudged_share(run: JudgedRun, *, cut: int | None = None) -> Worked:
    """Share of the ranks that hold a document nobody judged.

    Formula:    Unjudged@k = (retrieved, not judged, in the top k) / k; without a cutoff, / retrieved
    Edge cases: nothing retrieved gives 0. A rank beyond the end of the ranking holds no document.

    >>> unjudged_share(judged("1 - 0 -1"))
    array([0.5])
    """
    hits = run.judged(cut)
    over = run.num_retrieved if cut is None else float(cut)
    return Worked(hits, -hits.share, base=run.depth(cut), over=over, over_is=_ranks(cut))


def _ranks(cut: int | None) -> str:
    return "retrieved" if cut is None else "k"
