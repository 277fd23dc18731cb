"""Binary Independence Indexing: a document's index weights, learned from past queries for which it was judged.

Binary Independence Retrieval looks at one query and many documents; here it is one document and many queries. What is
learned is P(query has the term | document, relevant): whoever finds this document relevant, how do they ask?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from germane.catalogue import Choice, Positive
from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index
from germane.retrieval.models.document_weights import distinct_terms
from germane.retrieval.query import Query
from germane.tables.rankings.qrels import Qrels

Unjudged = Literal["left out", "non-relevant"]


@dataclass
class PastQueries:
    """What past queries say of one document: how many it was relevant for, how many not, and how many of either had
    each of its terms."""

    relevant: int = 0
    other: int = 0
    relevant_with: dict[str, int] = field(default_factory=dict)
    other_with: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LearnedIndexing:
    """What was learned, as plain counts: `to_json` writes it and `from_json` reads it. `IndexedDocuments` ranks by it.

    Formula:    ln O(R|q,d) = ln O(R|d) + Σ over the document's terms t of
                    ln p/r if the query has t, ln (1-p)/(1-r) if not, where
                p = P(t asked | d, R)  = (s + λ·p₀) / (S + λ),       of S queries that d was relevant for, s had t
                r = P(t asked | d, NR) = (v + λ·r₀) / (V + λ),       of V queries that it was not relevant for, v had t
                P(R|d) = (S + λ·π) / (S + V + λ)
                p₀ is the share of a document's terms that a query had for which it was relevant, over all past queries;
                r₀ = ρ·n/N, at most ½, ρ = distinct terms of a query / distinct terms of a document, on average: a query
                as a short random document; π is the share of relevant pairs
    Reference:  Fuhr, "Models for retrieval with probabilistic indexing", IPM 25 (1989), 55-72.
    Edge cases: A document that no past query was judged for has p₀, r₀ and π: it is ranked by the rarity of the terms
                it shares with the query. A term of the query that a document lacks says nothing of it (p = r).
    """

    prior_weight: float
    unjudged: Unjudged
    num_queries: int
    asked_share: float
    """p₀"""
    length_ratio: float
    """ρ"""
    relevant_share: float
    """π"""
    queries_with: Mapping[str, int]
    """How many past queries had each term."""
    documents: Mapping[str, PastQueries]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As a plain object."""
        return {**asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> LearnedIndexing:
        """Back from the plain object."""
        documents = {doc: PastQueries(**counts) for doc, counts in given["documents"].items()}
        return cls(**{**given, "documents": documents, "notes": tuple(given["notes"])})


@dataclass(frozen=True)
class BII(Choice):
    """How to learn: the weight λ of the prior, in queries, and what a query counts as for a document not judged for it.

    With `unjudged="left out"` V are the queries that the document was judged not relevant for; with "non-relevant" they
    are all past queries but those it was relevant for.

    >>> index = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
    >>> past = {"q1": Query.of(["wine"]), "q2": Query.of(["red", "wine"])}
    >>> learned = BII().fit(index, past, Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d1": 1}}))
    >>> learned.documents["d1"]
    PastQueries(relevant=2, other=0, relevant_with={'wine': 2, 'red': 1}, other_with={})
    """

    prior_weight: Positive = 5.0
    unjudged: Unjudged = "left out"

    def fit(self, index: Index, queries: Mapping[str, Query], qrels: Qrels, *, rel: float = 1) -> LearnedIndexing:
        """Learn from past queries, by their ids, and the judgments of their documents."""
        terms_of = {id_: {term for term, times in query.weights.items() if times > 0} for id_, query in queries.items()}
        documents: dict[str, PastQueries] = {}
        held: dict[str, set[str]] = {}
        absent, asked, askable = 0, 0, 0
        names = list(qrels.queries)
        for query, doc, grade in zip(qrels.query.tolist(), qrels.docs, qrels.grade.tolist(), strict=True):
            terms = terms_of.get(names[query])
            if terms is None or grade < 0:  # a negative grade is pooled and not judged
                continue
            if doc not in held:
                number = index.doc_number(doc)
                if number is None:
                    absent += 1
                    continue
                held[doc] = set(index.vector(number))
            past = documents.setdefault(doc, PastQueries())
            shared = sorted(terms & held[doc])
            counts = past.relevant_with if grade >= rel else past.other_with
            for term in shared:
                counts[term] = counts.get(term, 0) + 1
            if grade >= rel:
                past.relevant += 1
                asked, askable = asked + len(shared), askable + len(held[doc])
            else:
                past.other += 1
        judged_queries = set(names)
        used = [terms for id_, terms in terms_of.items() if id_ in judged_queries]
        return self._learned(index, used, documents, asked, askable, absent)

    def _learned(
        self, index: Index, used: list[set[str]], judged: dict[str, PastQueries], asked: int, askable: int, absent: int
    ) -> LearnedIndexing:
        num_relevant = sum(past.relevant for past in judged.values())
        if not num_relevant:
            hint = "are the ids of queries and documents those of the judgments?"
            raise GermaneError("expected past queries with relevant documents in the index, found none", hint=hint)
        num_pairs = sum(past.relevant + past.other for past in judged.values())
        if self.unjudged == "non-relevant":
            num_pairs = len(used) * index.collection.num_docs
        per_document = float(distinct_terms(index)[index.living()].mean())
        return LearnedIndexing(
            prior_weight=self.prior_weight,
            unjudged=self.unjudged,
            num_queries=len(used),
            # The half on top: maybe nobody ever used a word of a relevant document, or all were in every query.
            asked_share=(asked + 0.5) / (askable + 1),
            length_ratio=sum(map(len, used)) / len(used) / per_document,
            relevant_share=(num_relevant + 0.5) / (num_pairs + 1),
            queries_with=dict(Counter(term for terms in used for term in sorted(terms))),
            documents=judged,
            notes=(f"{absent} judged documents are not in the index",) if absent else (),
        )
