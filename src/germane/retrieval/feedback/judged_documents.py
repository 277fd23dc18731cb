"""The documents somebody judged, or that are taken for relevant, as feedback looks at them: their terms and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from germane.errors import GermaneError
from germane.retrieval.statistics import TermStats

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """Some documents by number, each with its terms and how often it holds them."""

    index: Index
    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def vectors(self) -> list[dict[str, int]]:
        """Each document's terms and frequencies."""
        return [self.index.vector(number) for number in self.numbers]

    @cached_property
    def holders(self) -> dict[str, tuple[int, ...]]:
        """By term, the documents that hold it."""
        found: dict[str, list[int]] = {}
        for number, vector in zip(self.numbers, self.vectors, strict=True):
            for term in vector:
                found.setdefault(term, []).append(number)
        return {term: tuple(numbers) for term, numbers in found.items()}

    @cached_property
    def counts(self) -> dict[str, int]:
        """By term, how often it occurs in all of them together."""
        total: dict[str, int] = {}
        for vector in self.vectors:
            for term, count in vector.items():
                total[term] = total.get(term, 0) + count
        return total

    @cached_property
    def statistics(self) -> dict[str, TermStats]:
        """The counts of all their terms in the whole collection."""
        return self.index.statistics_of(self.counts)

    @property
    def num_tokens(self) -> int:
        """How many words they have together."""
        return sum(self.counts.values())


def require_documents(index: Index, relevant: Sequence[int], nonrelevant: Sequence[int]) -> None:
    """Refuse documents that the index does not have, and those judged both ways."""
    both = set(relevant) & set(nonrelevant)
    if both:
        raise GermaneError(f"document {index.doc_id(min(both))!r} is judged relevant and not relevant")
    for number in (*relevant, *nonrelevant):
        if not 0 <= number < len(index.lengths):
            raise GermaneError(f"expected document numbers below {len(index.lengths)}, found {number}")
    for judged in (relevant, nonrelevant):
        if len(set(judged)) < len(judged):
            raise GermaneError("a document is given twice", hint="judge each document once")


def holding(documents: JudgedDocuments, term: str, *, kind: str = "relevant") -> str:
    """In how many of them a term is, in words: ``in 2 of 3 relevant documents``."""
    count, plural = len(documents.holders.get(term, ())), "s" * (len(documents) != 1)
    return f"in {count} of {len(documents)} {kind} document{plural}"
