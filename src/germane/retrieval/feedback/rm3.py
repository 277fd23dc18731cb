"""RM3: a relevance model of the top documents, interpolated with the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from germane.catalogue import Count, Range, Share
from germane.retrieval.feedback.method import FEEDBACK, Feedback, JudgedDocuments, Refined, TermChange, by_weight
from germane.retrieval.models import Model
from germane.retrieval.query import Query

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@FEEDBACK.add("rm3")
@dataclass(frozen=True, kw_only=True, repr=False)
class RM3(Feedback):
    """Relevance model RM3: the word distribution of the relevant documents, interpolated with the query's.

    Formula:    P(w|R) ∝ sum over the documents of share(d) · tf(w, d) / length(d), restricted to the `terms` most
                probable words and renormalised; the new weight is original · P(w|q) + (1 - original) · P(w|R).
                share(d) is the document's score for the query over the sum of all scores (shares=score), or equal for
                all documents (shares=equal).
    Reference:  Lavrenko & Croft, "Relevance-Based Language Models", SIGIR 2001; Abdul-Jaleel et al., "UMass at TREC
                2004: Novelty and HARD", TREC 2004.
    Edge cases: A document whose score is not above 0 has no share (log-likelihoods are often negative); if no score is
                above 0, all shares are equal, with a note. Words in more than the share `common` of all documents are
                excluded (1 excludes none; Anserini uses 0.1). Documents judged non-relevant are ignored.
    """

    terms: Count = 10
    original: Share = 0.5
    common: Annotated[float, Range(0, 1, without=(0,))] = 1.0
    shares: Literal["score", "equal"] = "score"

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        shares, notes = self._shares(index, model, query, relevant)
        likely = self._likely(index, relevant, shares)
        length = query.length
        old = {term: weight / length for term, weight in query.weights.items()} if length else {}
        changes = []
        for term in {**old, **likely}:
            before, p = old.get(term, 0.0), likely.get(term, 0.0)
            new = self.original * before + (1 - self.original) * p
            changes.append(TermChange(term, before, new, f"{relevant.holding(term)}: P(w|R) = {p:.4f}"))
        ordered = by_weight(changes)
        return Refined(Query({c.term: c.new for c in ordered if c.new > 0}), model, ordered, notes=notes)

    def _shares(
        self, index: Index, model: Model, query: Query, documents: JudgedDocuments
    ) -> tuple[list[float], tuple[str, ...]]:
        """Return the share of each document in the relevance model, and notes."""
        equal = [1 / len(documents)] * len(documents)
        if self.shares == "equal":
            return equal, ()
        from germane.retrieval.search import scores_of_documents

        scores = scores_of_documents(index, query, model, np.asarray(documents.numbers, dtype=np.int64))
        positive = [score if score > 0 else 0.0 for score in scores.tolist()]  # NaN is not above 0 either
        total = sum(positive)
        if total == 0:
            return equal, ("no document has a score above 0, so all have equal weight",)
        return [score / total for score in positive], ()

    def _likely(self, index: Index, documents: JudgedDocuments, shares: list[float]) -> dict[str, float]:
        """Return the most probable words of the relevance model, with probabilities that sum to 1."""
        model: dict[str, float] = {}
        for vector, share in zip(documents.vectors, shares, strict=True):
            length = sum(vector.values())
            for term, count in vector.items():
                model[term] = model.get(term, 0.0) + share * count / length
        limit = self.common * index.collection.num_docs
        usable = ((-p, term) for term, p in model.items() if p > 0 and documents.statistics[term].df <= limit)
        candidates = sorted(usable)[: self.terms]
        total = sum(-p for p, _ in candidates)
        return {term: -p / total for p, term in candidates}
