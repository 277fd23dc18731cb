"""Rocchio: move the query towards the relevant documents and away from the non-relevant ones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from germane.catalogue import Range, Weight
from germane.errors import GermaneError
from germane.retrieval.feedback.method import FEEDBACK, Feedback, JudgedDocuments, Refined, TermChange, by_weight
from germane.retrieval.models import MODELS, Model, VectorSpace
from germane.retrieval.query import Query

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index

VECTOR_SPACE = "ltc.ltn"
"""Model that ranks the new query if the model of the first ranking is not a vector space."""


@FEEDBACK.add("rocchio")
@dataclass(frozen=True, kw_only=True, repr=False)
class Rocchio(Feedback):
    """Rocchio's method: the query vector plus the centroid of relevant documents minus that of non-relevant ones.

    Formula:    q' = alpha q + beta / |Dr| · (sum of the relevant documents) - gamma / |Dn| · (sum of the non-relevant
                ones); negative entries are set to 0. Documents are the model's vectors (cosine-normalised if it does
                so); q is the model's query vector, normalised to length 1 so that alpha and beta are on one scale.
    Reference:  Rocchio, "Relevance Feedback in Information Retrieval", in Salton (ed.), The SMART Retrieval System,
                Prentice-Hall 1971.
    Edge cases: Without relevant documents there is no beta part, without non-relevant ones no gamma part. gamma
                defaults to a fifth of beta (0.15 for 0.75), because positive feedback is worth more than negative; a
                gamma of beta or more is used, with a note. `terms` limits the number of new terms (the heaviest are
                kept); the query's own terms stay. A query that already is a vector is used as it is, without
                normalisation. If the model is not a vector space, documents are ltc vectors and ltc.ltn ranks.
    """

    alpha: Weight = 1.0
    beta: Weight = 0.75
    gamma: Annotated[float | None, Range(0)] = None
    terms: Annotated[int | None, Range(0)] = None

    @property
    def negative(self) -> float:
        """Weight of non-relevant documents."""
        return self.beta / 5 if self.gamma is None else self.gamma

    def can_use(self, relevant: JudgedDocuments, nonrelevant: JudgedDocuments) -> bool:
        return len(relevant) > 0 or (len(nonrelevant) > 0 and self.negative > 0)

    def ranking_model(self, model: Model) -> Model:
        own = super().ranking_model(model)
        if self.model and not isinstance(own, VectorSpace):
            hint = f"use a vector-space model, as in rocchio(model={VECTOR_SPACE})"
            raise GermaneError(f"rocchio requires document vectors, but {own} has none", hint=hint)
        return own if isinstance(own, VectorSpace) else MODELS.parse(VECTOR_SPACE)

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        assert isinstance(model, VectorSpace)
        old = query_vector(index, model, query)
        towards, away = (
            mean_vector([model.vector(index, number) for number in documents.numbers] if weight else [])
            for documents, weight in ((relevant, self.beta), (nonrelevant, self.negative))
        )
        moved = {
            term: self.alpha * old.get(term, 0.0)
            + self.beta * towards.get(term, 0.0)
            - self.negative * away.get(term, 0.0)
            for term in {**old, **towards, **away}
        }
        new = {term: weight for term, weight in moved.items() if weight > 0}
        added = sorted((term for term in new if term not in old), key=lambda term: (-new[term], term))
        for term in [] if self.terms is None else added[self.terms :]:
            del new[term]
        changes = by_weight(
            TermChange(term, old.get(term, 0.0), new.get(term, 0.0), _why(term, relevant, nonrelevant, moved[term]))
            for term in {**old, **new}
        )
        vector = {change.term: change.new for change in changes if change.new > 0}
        return Refined(Query(vector, is_vector=True), model, changes, notes=self._notes(moved, old))

    def _notes(self, moved: Mapping[str, float], old: Mapping[str, float]) -> tuple[str, ...]:
        notes = []
        if self.negative >= self.beta:
            notes.append(
                f"gamma {self.negative:g} is not below beta {self.beta:g}, "
                "so negative feedback counts at least as much as positive"
            )
        if cut := sorted(term for term in old if moved[term] <= 0):
            notes.append(f"weight set to 0, so no longer in the query: {', '.join(cut)}")
        return tuple(notes)


def query_vector(index: Index, model: Model, query: Query) -> dict[str, float]:
    """Return the query vector, normalised to length 1; terms that occur in no document are omitted."""
    vector = model.query_weights(query, index.statistics_of(query.weights))
    length = 1.0 if query.is_vector else math.sqrt(sum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else vector


def mean_vector(vectors: list[dict[str, float]]) -> dict[str, float]:
    """Return the centroid of vectors; empty if there are none."""
    total: defaultdict[str, float] = defaultdict(float)
    for vector in vectors:
        for term, weight in vector.items():
            total[term] += weight
    return {term: weight / len(vectors) for term, weight in total.items()}


def _why(term: str, relevant: JudgedDocuments, nonrelevant: JudgedDocuments, moved: float) -> str:
    found = [
        documents.holding(term, kind=kind)
        for documents, kind in ((relevant, "relevant"), (nonrelevant, "non-relevant"))
        if term in documents.num_holders
    ]
    return ", ".join(found or ["in no judged document"]) + (f"; {moved:.4f} is set to 0" if moved < 0 else "")
