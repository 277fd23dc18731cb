"""Diversity measures, for queries with several meanings and judgments by subtopic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from germane.catalogue import Share
from germane.measures.definition import measure
from germane.measures.rankings.gain import discounted, divisors
from germane.measures.rankings.user_models import stop_probability, survival
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.judged_run import Hits, JudgedRun, PerQuery, Worked, sum_by
from germane.tables.rankings.qrels import GroupJudgments, Qrels


@dataclass(frozen=True, eq=False)
class SubtopicHits:
    """One row for each hit and each subtopic it is relevant to, sorted by query, subtopic and rank."""

    hits: Hits
    row: IntArray
    """Index of the hit of each row."""
    judgment: IntArray
    """Index of the group judgment of each row."""
    place: IntArray
    """Position 1, 2, ... of each row within its query's subtopic."""

    @classmethod
    def of(cls, run: JudgedRun, rel: float, cut: int | None) -> SubtopicHits:
        groups, hits = _groups(run.qrels), run.hits(np.ones(len(run.doc), dtype=bool), cut)
        start, end = np.searchsorted(groups.doc, hits.doc), np.searchsorted(groups.doc, hits.doc, side="right")
        size = end - start
        row = np.repeat(np.arange(len(hits.doc)), size)
        judgment = np.repeat(start - np.cumsum(size) + size, size) + np.arange(size.sum())
        keep = groups.grade[judgment] >= rel
        row, judgment = row[keep], judgment[keep]
        order = np.lexsort((row, groups.group[judgment], hits.query[row]))
        row, judgment = row[order], judgment[order]
        subtopic = subtopic_of(run.qrels, judgment)
        return cls(hits, row, judgment, np.arange(len(row)) - np.searchsorted(subtopic, subtopic) + 1)

    def sum_by_hit(self, values: FloatArray) -> FloatArray:
        return sum_by(self.row, values, len(self.hits.index))


def _groups(qrels: Qrels) -> GroupJudgments:
    assert qrels.groups is not None, "Definition.work rejects these measures without groups"
    return qrels.groups


def subtopic_of(qrels: Qrels, judgment: IntArray) -> IntArray:
    """Return a number for the (query, group) of each judgment, increasing with both."""
    groups = _groups(qrels)
    return qrels.query[groups.doc[judgment]] * len(groups.labels) + groups.group[judgment]


def _relevant_judgments(qrels: Qrels, rel: float) -> IntArray:
    return np.flatnonzero(_groups(qrels).grade >= rel)


def _num_subtopics(qrels: Qrels, rel: float) -> IntArray:
    """Count the subtopics of each query that have a relevant document."""
    subtopics = np.unique(subtopic_of(qrels, _relevant_judgments(qrels, rel)))
    return np.bincount(subtopics // len(_groups(qrels).labels), minlength=qrels.num_queries)


@measure("StRecall", bounds=(0, 1), names=("strecall", "strec", "subtopic_recall", "s_recall"), needs=("groups",))
def subtopic_recall(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Share of a query's subtopics that have a relevant document in the ranking.

    Formula:    (subtopics covered in the top k) / (subtopics that have a relevant document)
    Reference:  Zhai, Cohen & Lafferty, "Beyond independent relevance", SIGIR 2003.
    Edge cases: no subtopic with a relevant document gives 0.
    """
    pairs = SubtopicHits.of(run, rel, cut)
    term = pairs.sum_by_hit((pairs.place == 1) * 1.0)
    return Worked(pairs.hits, term, over=_num_subtopics(run.qrels, rel), over_is="subtopics")


@measure("P_IA", bounds=(0, 1), names=("p_ia", "p-ia", "precision_ia"), needs=("groups",))
def intent_aware_precision(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Intent-aware precision: P averaged over the subtopics of a query.

    Formula:    mean over subtopics of P@k with that subtopic's judgments alone
    Reference:  Agrawal, Gollapudi, Halverson & Ieong, "Diversifying search results", WSDM 2009.
    Edge cases: no subtopic with a relevant document gives 0. All subtopics have equal weight.
    """
    pairs = SubtopicHits.of(run, rel, cut)
    places = _num_subtopics(run.qrels, rel) * (run.num_retrieved if cut is None else cut)
    return Worked(pairs.hits, pairs.sum_by_hit(np.ones(len(pairs.row))), over=places, over_is="subtopics * k")


@measure("AP_IA", bounds=(0, 1), names=("ap_ia", "map_ia", "map-ia"), needs=("groups",))
def intent_aware_average_precision(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Intent-aware average precision: AP averaged over the subtopics of a query.

    Formula:    mean over subtopics of AP with that subtopic's judgments alone
    Reference:  Agrawal, Gollapudi, Halverson & Ieong, "Diversifying search results", WSDM 2009.
    Edge cases: no subtopic with a relevant document gives 0. All subtopics have equal weight.
    """
    pairs = SubtopicHits.of(run, rel, cut)
    known = subtopic_of(run.qrels, _relevant_judgments(run.qrels, rel))
    subtopic = subtopic_of(run.qrels, pairs.judgment)
    relevant = np.bincount(known, minlength=int(subtopic.max(initial=0)) + 1)[subtopic]
    term = pairs.sum_by_hit(pairs.place / pairs.hits.rank[pairs.row] / relevant)
    return Worked(pairs.hits, term, over=_num_subtopics(run.qrels, rel), over_is="subtopics")


@measure("ERR_IA", bounds=(0, 1), names=("err_ia", "err-ia"), needs=("groups",))
def intent_aware_err(run: JudgedRun, *, rel: float = 1, cut: int | None = None) -> Worked:
    """Intent-aware expected reciprocal rank: ERR averaged over the subtopics of a query.

    Formula:    mean over subtopics of ERR@k with that subtopic's judgments alone
    Reference:  Chapelle, Metzler, Zhang & Grinspan, "Expected reciprocal rank for graded relevance", CIKM 2009.
    Edge cases: no subtopic with a relevant document gives 0. All subtopics have equal weight.
    """
    pairs = SubtopicHits.of(run, rel, cut)
    stop = stop_probability(_groups(run.qrels).grade[pairs.judgment], run.qrels.scale)
    term = pairs.sum_by_hit(survival(stop, pairs.place) * stop / pairs.hits.rank[pairs.row])
    return Worked(pairs.hits, term, over=_num_subtopics(run.qrels, rel), over_is="subtopics")


@measure("alpha_nDCG", bounds=(0, 1), names=("alpha_ndcg", "alpha-ndcg", "andcg", "α_ndcg"), needs=("groups",))
def alpha_ndcg(run: JudgedRun, *, alpha: Share = 0.5, rel: float = 1, cut: int | None = None) -> Worked:
    """nDCG for novelty and diversity: the gain of a subtopic shrinks each time it is covered again.

    Formula:    gain at rank i = sum over the document's subtopics of (1 - alpha)^(times covered above); DCG = sum of
        gain / log2(i + 1); alpha_nDCG = DCG / DCG of the greedy ideal ranking
    Reference:  Clarke et al., "Novelty and diversity in information retrieval evaluation", SIGIR 2008.
    Edge cases: the ideal ranking is built greedily (the true optimum is NP-hard), so a ranking can exceed it slightly.
        No relevant document gives 0.
    """
    pairs = SubtopicHits.of(run, rel, cut)
    gain = pairs.sum_by_hit(np.power(1 - alpha, pairs.place - 1, dtype=np.float64))
    term, ideal = discounted(pairs.hits, gain, "log2", 2), _greedy_ideal(run.qrels, alpha, rel, cut)
    return Worked(pairs.hits, term, over=ideal, over_is="ideal", columns={"novelty gain": gain})


@lru_cache(maxsize=16)
def _greedy_ideal(qrels: Qrels, alpha: float, rel: float, cut: int | None) -> PerQuery:
    groups, ideal = _groups(qrels), np.zeros(qrels.num_queries)
    rows = _relevant_judgments(qrels, rel)
    query = qrels.query[groups.doc[rows]]
    for q in np.unique(query):
        mine = rows[query == q]
        docs, doc_row = np.unique(groups.doc[mine], return_inverse=True)
        labels, subtopic = np.unique(groups.group[mine], return_inverse=True)
        covers = np.zeros((len(docs), len(labels)))
        covers[doc_row, subtopic] = 1.0
        worth = np.ones(len(labels))
        depth = min(len(docs), cut or len(docs))
        divisor = divisors("log2", 2, depth)
        left = np.ones(len(docs), dtype=bool)
        for place in range(depth):
            gains = np.where(left, covers @ worth, -1.0)
            best = int(np.argmax(gains))
            ideal[q] += gains[best] / divisor[place]
            left[best] = False
            worth[covers[best] > 0] *= 1 - alpha
    return ideal
