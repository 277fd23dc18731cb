"""RM3: a relevance model of the top documents, mixed with the query."""

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
    """The words of the relevant documents as a probability distribution, mixed with the query's own.

    Formula:    P(w|R) ∝ sum over the documents of share(d) · tf(w, d) / length(d), for the `terms` likeliest words,
                which are brought to a sum of 1; the new weight is original · P(w|q) + (1 - original) · P(w|R). share(d)
                is the document's score for the query over the sum of all (shares=score), or the same for all
                (shares=equal).
    Reference:  Lavrenko & Croft, "Relevance-Based Language Models", SIGIR 2001; Abdul-Jaleel et al., "UMass at TREC
                2004: Novelty and HARD", TREC 2004.
    Edge cases: A document whose score is not above 0 has no share (log-likelihoods are often negative); where no
                score is, all shares are equal, and that is noted. Words in more than the share `common` of all
                documents are no candidates (1: all words are; .1 is Anserini's). Documents judged not relevant are not
                looked at.
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
        """What part each document has in the relevance model."""
        equal = [1 / len(documents)] * len(documents)
        if self.shares == "equal":
            return equal, ()
        from germane.retrieval.search import scores_of_documents

        scores = scores_of_documents(index, query, model, np.asarray(documents.numbers, dtype=np.int64))
        positive = [score if score > 0 else 0.0 for score in scores.tolist()]  # NaN is not above 0 either
        total = sum(positive)
        if total == 0:
            return equal, ("no document has a score above 0: all have the same share",)
        return [score / total for score in positive], ()

    def _likely(self, index: Index, documents: JudgedDocuments, shares: list[float]) -> dict[str, float]:
        """The likeliest words of the relevance model, with probabilities that add up to 1."""
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
