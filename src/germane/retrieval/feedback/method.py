"""Catalogue of feedback methods: each is one class, a value that prints as it is typed.

>>> FEEDBACK.parse("Rocchio(beta=0.5)")
rocchio(beta=0.5)
>>> FEEDBACK["rocchio"].sections["Reference"][:13]
'Rocchio, "Rel'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from germane.catalogue import Catalogue, Choice, Count, Entry
from germane.errors import GermaneError
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query, TermStats
from germane.tables.results.columns import F, Table, table

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index

TERMS = (F("term", "name"), F("old", "value"), F("new", "value"), F("why", "text"))
STEPS = (F("round", "count"), F("p", "value"), F("new_documents", "count"))


@dataclass(frozen=True)
class TermChange:
    """A term's weight before and after feedback, and the reason.

    The scale depends on the method: Rocchio's weights are entries of a vector, RM3's are probabilities.
    """

    term: str
    old: float
    new: float
    why: str = ""

    @property
    def is_new(self) -> bool:
        """Whether feedback added the term to the query."""
        return self.old == 0 and self.new != 0


@dataclass(frozen=True)
class Step:
    """One round of an iterated estimate: the documents treated as relevant, and p, r and weight by term."""

    documents: tuple[int, ...]
    p: dict[str, float]
    r: dict[str, float]
    weight: dict[str, float]


@dataclass(frozen=True, eq=False)
class Refined:
    """A query after feedback, and the model that ranks it: ``search(index, refined.query, refined.model, k)``.

    `terms` are ordered by falling new weight. `steps` are the rounds of an iterated estimate. `notes` are remarks for
    the reader.
    """

    query: Query
    model: Model
    terms: tuple[TermChange, ...]
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def unchanged(cls, query: Query, model: Model, note: str) -> Refined:
        """Return the query unchanged, with the reason as a note."""
        terms = tuple(TermChange(term, weight, weight) for term, weight in query.weights.items())
        return cls(query, model, terms, notes=(note,))

    def table(self) -> Table:
        """Return the table of terms with their weights before and after."""
        return table("terms", TERMS, self.terms, title=f"Query after feedback ({self.model})")

    def __str__(self) -> str:
        return str(self.table())

    def convergence(self) -> str:
        """Return a table of p by round; empty for methods that do not iterate.

        Round 0 is the initial estimate; the last column counts documents that were not treated as relevant in the round
        before.
        """
        if not self.steps:
            return ""
        rows = []
        for number, step in enumerate(self.steps):
            new = len({*step.documents} - {*self.steps[number - 1].documents}) if number else None
            rows.append({"round": number, "p": {f"p({t})": p for t, p in step.p.items()}, "new_documents": new})
        return str(table("steps", STEPS, rows))


def by_weight(changes: Iterable[TermChange]) -> tuple[TermChange, ...]:
    """Sort by falling weight, then by term, so that the order does not depend on how terms were found."""
    return tuple(sorted(changes, key=lambda change: (-change.new, change.term)))


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """Documents by number, with their term frequencies."""

    index: Index
    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def vectors(self) -> list[dict[str, int]]:
        """Term frequencies of each document."""
        return [self.index.vector(number) for number in self.numbers]

    @cached_property
    def num_holders(self) -> Counter[str]:
        """Number of the documents that contain each term."""
        return Counter(term for vector in self.vectors for term in vector)

    @cached_property
    def counts(self) -> Counter[str]:
        """Total frequency of each term in the documents."""
        total: Counter[str] = Counter()
        for vector in self.vectors:
            total.update(vector)
        return total

    @cached_property
    def statistics(self) -> dict[str, TermStats]:
        """Collection statistics of all terms of the documents."""
        return self.index.statistics_of(self.counts)

    def holding(self, term: str, *, kind: str = "relevant") -> str:
        """Say in how many of the documents a term occurs: ``in 2 of 3 relevant documents``."""
        return f"in {self.num_holders[term]} of {len(self)} {kind} document{'s' * (len(self) != 1)}"


def model_as_printed(text: str) -> str:
    """Parse a model and return it as printed; an empty text stays empty."""
    return str(MODELS.parse(text)) if text else ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Feedback(Choice):
    """A feedback method with its parameters.

    `documents` is the number of top documents treated as relevant when none is judged (pseudo-relevance feedback);
    `model` ranks the new query (default: the model of the first ranking).
    """

    documents: Count = 10
    model: Annotated[str, model_as_printed] = ""

    def refine(
        self, index: Index, model: Model, query: Query, relevant: Sequence[int], nonrelevant: Sequence[int] = ()
    ) -> Refined:
        """Return the new query, given the numbers of the documents judged relevant and non-relevant."""
        _require_documents(index, relevant, nonrelevant)
        good, bad = JudgedDocuments(index, tuple(relevant)), JudgedDocuments(index, tuple(nonrelevant))
        own = self.ranking_model(model)
        if not self.can_use(good, bad):
            return Refined.unchanged(query, own, "no document was judged relevant, so the query is unchanged")
        return self.refined(index, own, query, good, bad)

    def pseudo(self, index: Index, model: Model, query: Query, ranking: Iterable[int] | None = None) -> Refined:
        """Return the new query by pseudo-relevance feedback: the top documents of a ranking are treated as relevant.

        By default, the query itself is ranked first.
        """
        if ranking is None:
            from germane.retrieval.search import search

            ranking = search(index, query, model, self.documents).docs
        return self.refine(index, model, query, [int(number) for number in islice(ranking, self.documents)])

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        """Compute the new query; implemented by each method."""
        raise NotImplementedError

    def can_use(self, relevant: JudgedDocuments, nonrelevant: JudgedDocuments) -> bool:
        """Whether the method can use these documents; most methods require a relevant one."""
        return len(relevant) > 0

    def ranking_model(self, model: Model) -> Model:
        """Return the model that ranks the new query."""
        return MODELS.parse(self.model) if self.model else model


FAMILIES = ("rocchio", "probabilistic", "iterated", "rm3", "divergence")
MODULES = [f"germane.retrieval.feedback.{family}" for family in FAMILIES]
FEEDBACK = Catalogue("feedback method", Entry, Feedback, MODULES, example="rm3 or rm3(terms=20)")


def _require_documents(index: Index, relevant: Sequence[int], nonrelevant: Sequence[int]) -> None:
    """Reject documents that are not in the index, and those judged both relevant and non-relevant."""
    if both := set(relevant) & set(nonrelevant):
        raise GermaneError(
            f"document {index.doc_id(min(both))!r} is judged both relevant and non-relevant",
            hint="judge each document once",
        )
    for number in (*relevant, *nonrelevant):
        if not 0 <= number < len(index.lengths):
            raise GermaneError(f"expected document numbers below {len(index.lengths)}, found {number}")
    if any(len(set(judged)) < len(judged) for judged in (relevant, nonrelevant)):
        raise GermaneError("duplicate document in the judgments", hint="judge each document once")
