"""Evidence from past queries for or against a document: Binary Independence Indexing, added to a score.

A document that was relevant for no past query gets exactly 0, so evidence applies only to known documents: on another
index it applies to the documents with the same ids, and to no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from germane.retrieval.indexes.index import Index
from germane.retrieval.models.document_weights import distinct_terms
from germane.retrieval.probability.binary_independence_indexing import LearnedIndexing, PastQueries
from germane.retrieval.query import Query
from germane.tables.columns.ids import FloatArray, IntArray


class Evidence:
    """Past queries together with an index; `judge` adds one judgment, to this object and to the learned counts.

    Formula:    evidence(q, d) = ln O(R|q,d) - ln O(R|q,d), had d been relevant for no past query = ln (S + λπ)/(N - S +
                    λ(1-π)) - ln λπ/(N + λ(1-π)) + Σ over the document's terms t: ln p/p₀ if the query has t, ln
                    (1-p)/(1-p₀) if not p = P(t asked | d, R) = (s + λp₀)/(S + λ): s of the S queries for which d was
                    relevant had t; N past queries
    Edge cases: A document is non-relevant for nearly all queries, so r = P(t asked | d, NR) is assumed to be that of
                all past queries, for every document. It cancels out, and so a judgment that a document is non-relevant
                has no effect on other queries. The priors p₀ and π, λ and N stay as trained.

    >>> from germane.retrieval.probability.binary_independence_indexing import BII
    >>> from germane.tables.rankings.qrels import Qrels
    >>> index = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
    >>> past = {"q1": Query.of(["wine"]), "q2": Query.of(["roses"])}
    >>> learned = BII(unjudged="non-relevant").fit(index, past, Qrels.from_dict({"q1": {"d1": 1}, "q2": {"d2": 1}}))
    >>> wine, roses = (Evidence(index, learned).of(Query.of([term]), np.arange(3)) for term in ("wine", "roses"))
    >>> bool(wine[0] > wine[1]), bool(roses[0] < roses[1]), float(wine[2])
    (True, True, 0.0)
    """

    def __init__(self, index: Index, learned: LearnedIndexing, numbers: Mapping[str, int | None] | None = None) -> None:
        """Build the evidence; `numbers` are the document numbers, if they were looked up already."""
        self.index = index
        self.learned = learned
        self._num_terms = distinct_terms(index)
        self._relevant = np.zeros(index.num_places)
        self._constant = np.zeros(index.num_places)
        self._asked: dict[str, dict[int, int]] = {}
        for doc, past in learned.documents.items():
            number = index.doc_number(doc) if numbers is None else numbers[doc]
            if number is not None and past.relevant:
                self._read(doc, number)

    def of(self, query: Query, docs: IntArray) -> FloatArray:
        """Return the evidence for documents by number."""
        total = self._constant.copy()
        weight, share = self.learned.prior_weight, self.learned.asked_share
        for term in asked_terms(query):
            holding, _ = self.index.postings(term)
            known = holding[self._relevant[holding] > 0]
            if not len(known):
                continue
            s = np.zeros(len(known))
            counts = self._asked.get(term, {})
            places = np.searchsorted(known, list(counts))
            for place, (doc, count) in zip(places.tolist(), counts.items(), strict=True):
                if place < len(known) and known[place] == doc:  # the document may have changed
                    s[place] = count
            p = (s + weight * share) / (self._relevant[known] + weight)
            total[known] += np.log(p / share) - np.log((1 - p) / (1 - share))
        return total[docs]

    def judge(self, query: Query, doc: str, *, relevant: bool, times: int = 1) -> None:
        """Count a judgment of a document for a query; ``times=-1`` removes it."""
        number = self.index.doc_number(doc)
        assert number is not None, doc
        documents = self.learned.documents
        assert isinstance(documents, dict)
        past = documents.setdefault(doc, PastQueries())
        counts = past.relevant_with if relevant else past.other_with
        held = self.index.vector(number)
        for term in asked_terms(query):
            if term in held:
                counts[term] = counts.get(term, 0) + times
        if relevant:
            past.relevant += times
            self._read(doc, number)
        else:
            past.other += times

    def _read(self, doc: str, number: int) -> None:
        """Recompute the constants of one document from its counts."""
        past, weight = self.learned.documents[doc], self.learned.prior_weight
        share, prior, num_queries = self.learned.asked_share, self.learned.relevant_share, self.learned.num_queries
        self._relevant[number] = past.relevant
        for term, count in past.relevant_with.items():
            self._asked.setdefault(term, {})[number] = count
        asked = np.fromiter(past.relevant_with.values(), np.float64, len(past.relevant_with))
        p = (asked + weight * share) / (past.relevant + weight)
        never = weight * share / (past.relevant + weight)
        not_asked = (self._num_terms[number] - len(asked)) * np.log1p(-never) + np.log1p(-p).sum()
        not_relevant = max(num_queries - past.relevant, 0) + weight * (1 - prior)
        odds = (past.relevant + weight * prior) / not_relevant
        odds_before = weight * prior / (num_queries + weight * (1 - prior))
        self._constant[number] = np.log(odds / odds_before) + not_asked - self._num_terms[number] * np.log1p(-share)
        if past.relevant == 0:  # all judgments were withdrawn
            self._constant[number] = 0.0


def asked_terms(query: Query) -> Iterable[str]:
    """Return the terms of a query with positive weight."""
    return (term for term, weight in query.weights.items() if weight > 0)
