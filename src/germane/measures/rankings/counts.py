"""Counts and shares: queries, retrieved, relevant and judged documents."""

from __future__ import annotations

from typing import Literal

import numpy as np

from germane.measures.definition import MANY, measure
from germane.tables.columns.ids import IntArray
from germane.tables.rankings.judged_run import JudgedRun, Worked


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

    Formula:    number of retrieved documents, up to the cutoff if given

    >>> num_retrieved(judged("1 - 0"))
    array([3.])
    """
    return Worked(run.hits(np.zeros(len(run.doc), dtype=bool)), np.zeros(0), base=run.depth(cut))


@measure("NumRel", bounds=(0, MANY), better="neither", total=True, names=("num_rel",), expected_ties=True)
def num_relevant(run: JudgedRun, *, rel: float = 1) -> Worked:
    """Number of known relevant documents, retrieved or not (R).

    Formula:    R = number of documents with a grade of at least rel

    >>> num_relevant(judged("1 0", unretrieved="2"))
    array([2.])
    """
    return Worked(run.hits(np.zeros(len(run.doc), dtype=bool)), np.zeros(0), base=run.num_relevant(rel))


@measure("NumRelRet", bounds=(0, MANY), total=True, names=("num_rel_ret",), expected_ties=True, unjudged="monotone")
def num_relevant_retrieved(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Number of relevant documents retrieved.

    Formula:    number of retrieved documents with a grade of at least rel

    >>> num_relevant_retrieved(judged("1 0 1", unretrieved="1"))
    array([2.])
    """
    hits = run.relevant(rel, cut)
    return Worked(hits, hits.share)


Ranks = Literal["retrieved", "k"]
"""Divisor of a share of the top k: the number of documents retrieved there, or k."""


@measure("Judged", bounds=(0, 1), better="neither", names=("judged",), expected_ties=True)
def judged_share(run: JudgedRun, *, over: Ranks = "retrieved", cut: int | None = None) -> Worked:
    """Share of the retrieved documents that are judged.

    Formula:    Judged@k = (judged in the top k) / min(k, retrieved); without a cutoff, / retrieved
    Edge cases: nothing retrieved gives 0. A negative grade (pooled but unjudged) does not count as judged.
    Note:       over = k divides by k even if fewer documents were retrieved.

    >>> judged_share(judged("1 - 0 -1"))
    array([0.5])
    >>> judged_share(judged("1 1"), cut=4), judged_share(judged("1 1"), over="k", cut=4)
    (array([1.]), array([0.5]))
    """
    hits = run.judged(cut)
    return Worked(hits, hits.share, over=_places(run, over, cut), over_is=_ranks(over, cut))


@measure("Unjudged", bounds=(0, 1), better="neither", names=("unj", "hole"), expected_ties=True)
def unjudged_share(run: JudgedRun, *, over: Ranks = "retrieved", cut: int | None = None) -> Worked:
    """Share of the retrieved documents that are unjudged.

    Formula:    Unjudged@k = (unjudged in the top k) / min(k, retrieved); without a cutoff, / retrieved
    Edge cases: nothing retrieved gives 0. Ranks beyond the end of the ranking do not count as unjudged.
    Note:       over = k divides by k even if fewer documents were retrieved, as trec_eval's unj does.

    >>> unjudged_share(judged("1 - 0 -1"))
    array([0.5])
    """
    hits = run.judged(cut)
    places = _places(run, over, cut)
    return Worked(hits, -hits.share, base=run.depth(cut), over=places, over_is=_ranks(over, cut))


def _places(run: JudgedRun, over: Ranks, cut: int | None) -> IntArray | float:
    return run.depth(cut) if over == "retrieved" or cut is None else float(cut)


def _ranks(over: Ranks, cut: int | None) -> str:
    if cut is None:
        return "retrieved"
    return "k" if over == "k" else "min(k, retrieved)"
