"""Input of ranking models: weighted query terms, and statistics of the collection, its terms and judged documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from germane.arguments import checked


@dataclass(frozen=True)
class Collection:
    """Statistics of a collection: N documents, and their total number of words (without stop words).

    >>> Collection(num_docs=4, num_tokens=10).avg_length
    2.5
    """

    num_docs: int
    num_tokens: int

    @property
    def avg_length(self) -> float:
        """Mean number of words per document; 0 for an empty collection."""
        return self.num_tokens / self.num_docs if self.num_docs else 0.0


@dataclass(frozen=True)
class Relevance:
    """Statistics of judged documents: S were judged relevant, and s of them contain a term.

    >>> known = Relevance(num_relevant=3, relevant_with={"wine": 2})
    >>> known.of("wine"), known.of("beer")
    (2, 0)
    """

    num_relevant: int
    relevant_with: Mapping[str, int] = field(default_factory=dict)

    def of(self, term: str) -> int:
        """Return the number of relevant documents that contain the term."""
        return self.relevant_with.get(term, 0)


NOTHING_JUDGED = Relevance(0)


@dataclass(frozen=True)
class TermStats:
    """Statistics of a term in a collection, with the names of the lecture.

    `num_docs` is N, `df` is n (documents that contain the term), `cf` its total frequency; `num_relevant` is S and
    `relevant_with` is s, both 0 without judgments.
    """

    term: str
    df: int
    cf: int
    collection: Collection
    num_relevant: int = 0
    relevant_with: int = 0

    @property
    def num_docs(self) -> int:
        return self.collection.num_docs

    @property
    def avg_length(self) -> float:
        return self.collection.avg_length


@dataclass(frozen=True)
class Query:
    """Query terms in their original order, with weights.

    A weight is the frequency of the term in the query, or the result of feedback. With `is_vector` the weights are the
    final query side of a vector-space model (Rocchio's new query), which the model uses unchanged.

    >>> Query.of(["red", "wine", "wine"]).weights
    {'red': 1.0, 'wine': 2.0}
    """

    weights: Mapping[str, float]
    is_vector: bool = False
    relevance: Relevance = NOTHING_JUDGED

    @classmethod
    @checked
    def of(cls, terms: Iterable[str]) -> Query:
        """Return the query made of analysed terms."""
        return cls({term: float(count) for term, count in Counter(terms).items()})

    @property
    def length(self) -> float:
        """Sum of the weights: for an original query, its number of words."""
        return sum(self.weights.values())

    def knowing(self, relevance: Relevance) -> Query:
        """Return the query with the statistics of judged documents."""
        return replace(self, relevance=relevance)
