"""Binary Independence Indexing: index weights of a document, learned from past queries for which it was judged.

Binary Independence Retrieval considers one query and many documents; here it is one document and many queries. It
estimates P(query has the term | document, relevant): which terms do people use who find this document relevant?
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
from germane.tables.notes.counts import counted
from germane.tables.rankings.qrels import Qrels

Unjudged = Literal["left out", "non-relevant"]


@dataclass
class PastQueries:
    """Counts of one document's past queries: for how many it was relevant or non-relevant, and how many of each had
    each of its terms."""

    relevant: int = 0
    other: int = 0
    relevant_with: dict[str, int] = field(default_factory=dict)
    other_with: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class LearnedIndexing:
    """Learned counts: `to_json` and `from_json` convert them, and `IndexedDocuments` ranks by them.

    Formula:    ln O(R|q,d) = ln O(R|d) + Σ over the document's terms t of
                    ln p/r if the query has t, ln (1-p)/(1-r) if not, where
                p = P(t asked | d, R)  = (s + λ·p₀) / (S + λ),       s of the S queries for which d was relevant had t
                r = P(t asked | d, NR) = (v + λ·r₀) / (V + λ),       v of the V queries for which it was not had t
                P(R|d) = (S + λ·π) / (S + V + λ)
                p₀ is the share of the terms of a relevant document that its query had, over all past queries; r₀ =
                ρ·n/N, at most ½, where ρ is the mean number of distinct terms of a query over that of a document: a
                query is like a short random document; π is the share of relevant pairs
    Reference:  Fuhr, "Models for retrieval with probabilistic indexing", IPM 25 (1989), 55-72.
    Edge cases: A document without judgments has p₀, r₀ and π: it is ranked by the rarity of the terms it shares with
                the query. A query term that a document lacks carries no evidence (p = r).
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
    """Number of past queries with each term."""
    documents: Mapping[str, PastQueries]
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return {**asdict(self), "notes": list(self.notes)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> LearnedIndexing:
        """Return the counts from a JSON object."""
        documents = {doc: PastQueries(**counts) for doc, counts in given["documents"].items()}
        return cls(**{**given, "documents": documents, "notes": tuple(given["notes"])})


@dataclass(frozen=True)
class BII(Choice):
    """Binary Independence Indexing: rank by term probabilities learned from past queries and their judgments.

    `prior_weight` is λ, the weight of the prior, expressed as a number of queries. With `unjudged="left out"`, V are
    the queries for which the document was judged non-relevant; with "non-relevant", all past queries except those for
    which it was relevant.

    >>> index = Index.of({"d1": "red wine", "d2": "red roses", "d3": "white wine"}, analyser="plain")
    >>> past = {"q1": Query.of(["wine"]), "q2": Query.of(["red", "wine"])}
    >>> learned = BII().fit(index, past, Qrels.from_dict({"q1": {"d1": 1, "d3": 0}, "q2": {"d1": 1}}))
    >>> learned.documents["d1"]
    PastQueries(relevant=2, other=0, relevant_with={'wine': 2, 'red': 1}, other_with={})
    """

    prior_weight: Positive = 5.0
    unjudged: Unjudged = "left out"

    def fit(self, index: Index, queries: Mapping[str, Query], qrels: Qrels, *, rel: float = 1) -> LearnedIndexing:
        """Learn from past queries, by id, and the judgments of their documents."""
        terms_of = {id_: {term for term, times in query.weights.items() if times > 0} for id_, query in queries.items()}
        documents: dict[str, PastQueries] = {}
        held: dict[str, set[str]] = {}
        absent, asked, askable = 0, 0, 0
        names = list(qrels.queries)
        for query, doc, grade in zip(qrels.query.tolist(), qrels.docs, qrels.grade.tolist(), strict=True):
            terms = terms_of.get(names[query])
            if terms is None or grade < 0:  # a negative grade means pooled but unjudged
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
            hint = "check that query and document ids match those of the qrels"
            raise GermaneError("expected past queries with relevant documents in the index, found none", hint=hint)
        num_pairs = sum(past.relevant + past.other for past in judged.values())
        if self.unjudged == "non-relevant":
            num_pairs = len(used) * index.collection.num_docs
        per_document = float(distinct_terms(index)[index.living()].mean())
        return LearnedIndexing(
            prior_weight=self.prior_weight,
            unjudged=self.unjudged,
            num_queries=len(used),
            # Add ½: perhaps no query had a term of a relevant document, or every query had all of them.
            asked_share=(asked + 0.5) / (askable + 1),
            length_ratio=sum(map(len, used)) / len(used) / per_document,
            relevant_share=(num_relevant + 0.5) / (num_pairs + 1),
            queries_with=dict(Counter(term for terms in used for term in sorted(terms))),
            documents=judged,
            notes=(f"{counted(absent, 'judged document')} missing from the index; ignored in learning",)
            if absent
            else (),
        )
