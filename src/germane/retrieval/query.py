"""A query as the models see it: terms with weights, and what is known of relevance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from germane.arguments import checked
from germane.retrieval.statistics import NOTHING_JUDGED, Relevance


@dataclass(frozen=True)
class Query:
    """Terms in the order in which they were written, each with its weight.

    A weight is how often the term was written, or what feedback made of that. With `is_vector` the weights are the
    finished query side of a vector-space model (Rocchio's new query): the model takes them as they are.

    >>> Query.of(["red", "wine", "wine"]).weights
    {'red': 1.0, 'wine': 2.0}
    """

    weights: Mapping[str, float]
    is_vector: bool = False
    relevance: Relevance = NOTHING_JUDGED

    @classmethod
    @checked
    def of(cls, terms: Iterable[str]) -> Query:
        """The query somebody wrote, as analysed terms."""
        return cls({term: float(count) for term, count in Counter(terms).items()})

    @property
    def length(self) -> float:
        """The sum of the weights: for a query that somebody wrote, its number of words."""
        return sum(self.weights.values())

    def knowing(self, relevance: Relevance) -> Query:
        """The same query, once documents were judged."""
        return replace(self, relevance=relevance)
