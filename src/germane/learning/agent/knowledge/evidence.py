"""What past queries say for or against a document: Binary Independence Indexing, as evidence to be added to a score.

A document that was relevant for no past query gets exactly 0, so that the evidence reaches as far as experience does:
on another index it speaks of the documents that it knows by their ids, and is silent about all others.
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
    """Past queries beside an index; `judge` adds one judgment, for this object and for what it was made of.

    Formula:    evidence(q, d) = ln O(R|q,d) - ln O(R|q,d if it had been relevant for no past query)
                    = ln (S + λπ)/(N - S + λ(1-π)) - ln λπ/(N + λ(1-π))
                      + Σ over the document's terms t: ln p/p₀ if the query has t, ln (1-p)/(1-p₀) if not
                p = P(t asked | d, R) = (s + λp₀)/(S + λ): of S queries that d was relevant for, s had t; N past queries
    Edge cases: Of nearly all queries a document is not relevant for, so r = P(t asked | d, NR) is taken to be that of
                all past queries, for every document: it cancels out, and so a judgment that a document is not relevant
                says nothing about other queries. The priors p₀ and π, λ and N stay as they were trained.

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
        """`numbers` are those of the documents, where somebody has looked them up already."""
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
        """The evidence for documents by their numbers."""
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
                if place < len(known) and known[place] == doc:  # the document may have changed since
                    s[place] = count
            p = (s + weight * share) / (self._relevant[known] + weight)
            total[known] += np.log(p / share) - np.log((1 - p) / (1 - share))
        return total[docs]

    def judge(self, query: Query, doc: str, *, relevant: bool, times: int = 1) -> None:
        """Count that a document was judged for a query; ``times=-1`` takes that back."""
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
        """What the counts of one document come to."""
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
        if past.relevant == 0:  # all was taken back
            self._constant[number] = 0.0


def asked_terms(query: Query) -> Iterable[str]:
    """The terms that a query asks for."""
    return (term for term, weight in query.weights.items() if weight > 0)
