"""What Bo1 and KL have in common: terms weighed by how far the relevant documents depart from the collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from germane.catalogue import Count
from germane.retrieval.feedback.judged_documents import JudgedDocuments, holding
from germane.retrieval.feedback.method import Feedback
from germane.retrieval.feedback.refined import Refined, TermChange, by_falling_weight
from germane.retrieval.models import Model
from germane.retrieval.query import Query
from germane.retrieval.statistics import TermStats

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True)
class Sample:
    """The relevant documents put together: their words, and the count of the commonest one."""

    num_tokens: int
    most: int


@dataclass(frozen=True, kw_only=True, repr=False)
class Divergence(Feedback):
    """The query's own weights over the largest of them, plus each expansion term's weight over its ceiling."""

    documents: Count = 3
    terms: Count = 10

    def weight(self, count: int, term: TermStats, sample: Sample) -> float:
        """What a term weighs that occurs so often in the sample."""
        raise NotImplementedError

    def ceiling(self, term: TermStats, sample: Sample) -> float:
        """What a term would weigh that is nowhere but in the sample, and is its commonest one."""
        raise NotImplementedError

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        sample = Sample(relevant.num_tokens, max(relevant.counts.values(), default=0))
        statistics = relevant.statistics
        weighed = sorted(
            (-self.weight(count, statistics[term], sample), term) for term, count in relevant.counts.items()
        )
        best = {term: -weight for weight, term in weighed[: self.terms] if weight < 0}
        largest = max(query.weights.values(), default=1.0)
        old = {term: weight / largest for term, weight in query.weights.items()}
        changes = [
            TermChange(
                term,
                old.get(term, 0.0),
                old.get(term, 0.0) + (best[term] / self.ceiling(statistics[term], sample) if term in best else 0.0),
                relevant.holders.get(term, ()),
                nonrelevant.holders.get(term, ()),
                f"{relevant.counts.get(term, 0)} times {holding(relevant, term)}"
                + (f": w = {best[term]:.4f}" if term in best else ""),
            )
            for term in {**old, **best}
        ]
        ordered = by_falling_weight(changes)
        return Refined(Query({change.term: change.new for change in ordered}), model, ordered)
