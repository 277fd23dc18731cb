"""What a weight may depend on: counts of a collection, of a term in it, and of judged documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
