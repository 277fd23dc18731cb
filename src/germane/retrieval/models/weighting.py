"""From a query to weighted terms: what a search hands to the kernel and what an explanation prints is the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from germane.retrieval.models.curves import Curve
from germane.retrieval.models.model import Model
from germane.retrieval.query import Query
from germane.retrieval.statistics import TermStats

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


class WeightedTerm(NamedTuple):
    """A term of a query under a model: its weight, what that is the product of, and its curve."""

    stats: TermStats
    query_weight: float
    factors: Mapping[str, float]
    curve: Curve
    weight: float
    """What the curve's values are multiplied by: the query's weight and all factors together."""

    @property
    def term(self) -> str:
        return self.stats.term


class Weigher:
    """Weighs queries under one model. What depends on a term alone is computed once for all of the queries."""

    def __init__(self, model: Model, index: Index, terms: Iterable[str]) -> None:
        self.model = model
        self._known = index.statistics_of(terms)
        self._parts: dict[tuple[str, int, int], tuple[Mapping[str, float], Curve, float]] = {}

    def weigh(self, query: Query) -> list[WeightedTerm]:
        """The query's terms in its order; those that no document holds are left out."""
        known, judged = self._known, query.relevance
        terms = {term: known[term] for term in query.weights if term in known}
        if judged.num_relevant:
            terms = {
                term: replace(stats, num_relevant=judged.num_relevant, relevant_with=judged.of(term))
                for term, stats in terms.items()
            }
        weights = self.model.query_weights(query, terms)
        weighted = []
        for term, stats in terms.items():
            factors, curve, product = self._of_term(stats)
            weighted.append(WeightedTerm(stats, weights[term], factors, curve, weights[term] * product))
        return weighted

    def _of_term(self, stats: TermStats) -> tuple[Mapping[str, float], Curve, float]:
        key = stats.term, stats.num_relevant, stats.relevant_with
        parts = self._parts.get(key)
        if parts is None:
            factors = self.model.term_factors(stats)
            parts = self._parts[key] = (factors, self.model.curve(stats), math.prod(factors.values()))
        return parts


def weighted_terms(model: Model, query: Query, index: Index) -> list[WeightedTerm]:
    """The terms of one query, weighed.

    >>> from germane.retrieval.indexes.index import Index
    >>> from germane.retrieval.models import BIR
    >>> index = Index.of({"d1": "red wine", "d2": "white wine", "d3": "red roses"}, analyser="plain")
    >>> [(t.term, round(t.weight, 3)) for t in weighted_terms(BIR(), Query.of(["roses", "nonesuch"]), index)]
    [('roses', 0.511)]
    """
    return Weigher(model, index, query.weights).weigh(query)
