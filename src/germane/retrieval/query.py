"""What models see: a query's terms with weights, and the counts of a collection, its terms and judged documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from germane.arguments import checked


@dataclass(frozen=True)
class Collection:
    """The collection as a whole: N documents with so many words (after stop words are taken out) in all.

    >>> Collection(num_docs=4, num_tokens=10).avg_length
    2.5
    """

    num_docs: int
    num_tokens: int

    @property
    def avg_length(self) -> float:
        """Words per document; 0 for an empty collection."""
        return self.num_tokens / self.num_docs if self.num_docs else 0.0


@dataclass(frozen=True)
class Relevance:
    """What judged documents say of terms: S documents were judged relevant, s of them hold the term.

    >>> known = Relevance(num_relevant=3, relevant_with={"wine": 2})
    >>> known.of("wine"), known.of("beer")
    (2, 0)
    """

    num_relevant: int
    relevant_with: Mapping[str, int] = field(default_factory=dict)

    def of(self, term: str) -> int:
        """In how many of the relevant documents the term occurs."""
        return self.relevant_with.get(term, 0)


NOTHING_JUDGED = Relevance(0)


@dataclass(frozen=True)
class TermStats:
    """A term in a collection, under the lecture's names where it has them.

    `num_docs` is N, `df` is n (how many documents hold the term), `cf` how often it occurs in all; `num_relevant` is S
    and `relevant_with` is s, both 0 before anything was judged.
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
