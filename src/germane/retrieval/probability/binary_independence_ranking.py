"""Rank by Binary Independence Indexing, with learned probabilities for each document's terms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.models.document_weights import document_frequencies
from germane.retrieval.probability.binary_independence_indexing import LearnedIndexing
from germane.retrieval.query import Query
from germane.tables.columns.ids import FloatArray, IntArray


class IndexedDocuments:
    """An index with learned weights: p and r for each document's terms, and a constant for terms not in the query.

    Build it once for all queries: it makes a pass over all documents.

    >>> from germane.retrieval.probability.binary_independence_indexing import BII
    >>> from germane.tables.rankings.qrels import Qrels
    >>> index = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
    >>> past = {"q1": Query.of(["wine"]), "q2": Query.of(["red", "wine"])}
    >>> learned = BII().fit(index, past, Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d1": 1}}))
    >>> docs, _ = IndexedDocuments(index, learned).rank(Query.of(["wine"]))
    >>> [index.doc_id(doc) for doc in docs]
    ['d1', 'd3']
    """

    def __init__(self, index: Index, learned: LearnedIndexing) -> None:
        self.index = index
        frequencies = zip(index.parts, document_frequencies(index), strict=True)
        self.parts = tuple(_PartWeights.of(part, df, index, learned) for part, df in frequencies)
        self.constant = np.concatenate([np.zeros(0), *(part.constant for part in self.parts)])

    def rank(self, query: Query, k: int = 1000) -> tuple[IntArray, FloatArray]:
        """Return the k best documents by ln O(R|q,d), among those that contain a query term, with that value."""
        total = self.constant.copy()
        holds = np.zeros(len(total), np.bool_)
        for term, weight in query.weights.items():
            if weight > 0:
                docs, _ = self.index.postings(term)
                holds[docs] = True
                for part in self.parts:
                    docs, p, r = part.postings(term)
                    total[docs] += log_odds_ratio(p, r)
        docs = np.flatnonzero(holds)
        best = np.lexsort((docs, -total[docs]))[:k]
        return docs[best], total[docs[best]]


def log_odds_ratio(p: FloatArray, r: FloatArray) -> FloatArray:
    """Return ln p(1-r) / (r(1-p))."""
    return np.asarray(np.log(p * (1 - r) / (r * (1 - p))))


@dataclass(frozen=True, eq=False)
class _PartWeights:
    """Weights of one segment: p and r of each row of its document-major twin, and the key to find a row."""

    part: Part
    key: IntArray
    p: FloatArray
    r: FloatArray
    constant: FloatArray

    @classmethod
    def of(cls, part: Part, df: IntArray, index: Index, learned: LearnedIndexing) -> _PartWeights:
        segment, prior_weight = part.segment, learned.prior_weight
        # The document of each row of the twin, where document d has the rows from start[d] up to start[d + 1].
        doc = np.repeat(np.arange(segment.num_docs), np.diff(np.asarray(segment.twin_start)))
        term = np.asarray(segment.twin_term, np.int64)
        key = doc * segment.num_terms + term
        relevant, other, s, v = cls.counts(part, key, doc, term, learned)
        chance = np.minimum(learned.length_ratio * df / max(index.collection.num_docs, 1), 0.5)
        p = (s + prior_weight * learned.asked_share) / (relevant[doc] + prior_weight)
        r = (v + prior_weight * chance[term]) / (other[doc] + prior_weight)
        not_asked = np.log1p(-p) - np.log1p(-r)
        prior = (relevant + prior_weight * learned.relevant_share) / (relevant + other + prior_weight)
        own = np.bincount(doc, weights=not_asked, minlength=segment.num_docs)
        return cls(part, key, p, r, np.asarray(np.log(prior / (1 - prior)) + own))

    @staticmethod
    def counts(
        part: Part, key: IntArray, doc: IntArray, term: IntArray, learned: LearnedIndexing
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return S and V by document, and s and v by row of the twin."""
        segment = part.segment
        relevant, other = np.zeros(segment.num_docs), np.zeros(segment.num_docs)
        s, v = np.zeros(len(key)), np.zeros(len(key))
        numbers = {name: segment.term_number(name) for name in learned.queries_with}
        for id_, past in learned.documents.items():
            local = segment.doc_number(id_)
            if local is None:
                continue
            relevant[local], other[local] = past.relevant, past.other
            for counts, column in ((past.relevant_with, s), (past.other_with, v)):
                for name, count in counts.items():
                    if (number := numbers[name]) is not None:
                        wanted = local * segment.num_terms + number
                        row = int(np.searchsorted(key, wanted))
                        if row < len(key) and key[row] == wanted:  # the document may have changed since
                            column[row] = count
        if learned.unjudged == "non-relevant":
            asked = np.zeros(segment.num_terms)
            for name, number in numbers.items():
                if number is not None:
                    asked[number] = learned.queries_with[name]
            other, v = learned.num_queries - relevant, asked[term] - s
        return relevant, other, s, v

    def postings(self, term: str) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the documents that contain a term, by their number in the index, and its p and r in each."""
        segment = self.part.segment
        number = segment.term_number(term)
        if number is None:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        docs = np.asarray(segment.doc[int(segment.start[number]) : int(segment.start[number + 1])], np.int64)
        rows = np.searchsorted(self.key, docs * segment.num_terms + number)
        return docs + self.part.base, self.p[rows], self.r[rows]
