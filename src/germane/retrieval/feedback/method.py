"""The feedback methods by name: each is one class, a value that prints and parses as a person writes it.

>>> FEEDBACK.parse("Rocchio(beta=.5)")
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
    """A term's weight before and after, and why.

    What the numbers are is the method's: Rocchio's are entries of a vector, RM3's are probabilities.
    """

    term: str
    old: float
    new: float
    why: str = ""

    @property
    def is_new(self) -> bool:
        """Whether the query did not have the term."""
        return self.old == 0 and self.new != 0


@dataclass(frozen=True)
class Step:
    """One round of an iterated estimate: the documents taken as relevant, and by term p, r and the weight."""

    documents: tuple[int, ...]
    p: dict[str, float]
    r: dict[str, float]
    weight: dict[str, float]


@dataclass(frozen=True, eq=False)
class Refined:
    """A query after feedback, and the model that ranks it: ``search(index, refined.query, refined.model, k)``.

    `terms` are in the order of falling new weight. `steps` show how an iterated estimate went. `notes` say what a
    reader must know.
    """

    query: Query
    model: Model
    terms: tuple[TermChange, ...]
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def unchanged(cls, query: Query, model: Model, note: str) -> Refined:
        """The query as it was, and why."""
        terms = tuple(TermChange(term, weight, weight) for term, weight in query.weights.items())
        return cls(query, model, terms, notes=(note,))

    def table(self) -> Table:
        """The terms with their weights before and after."""
        return table("terms", TERMS, self.terms, title=f"The query now ({self.model})")

    def __str__(self) -> str:
        return str(self.table())

    def convergence(self) -> str:
        """How p went from round to round, as a table; empty for methods that do not iterate.

        Round 0 is the first guess; a last column counts the documents that were not taken for relevant the round
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
    """The heaviest first; terms of equal weight by name, so that the order never depends on how they were found."""
    return tuple(sorted(changes, key=lambda change: (-change.new, change.term)))


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
    def num_holders(self) -> Counter[str]:
        """By term, how many of the documents hold it."""
        return Counter(term for vector in self.vectors for term in vector)

    @cached_property
    def counts(self) -> Counter[str]:
        """By term, how often it occurs in all of them together."""
        total: Counter[str] = Counter()
        for vector in self.vectors:
            total.update(vector)
        return total

    @cached_property
    def statistics(self) -> dict[str, TermStats]:
        """The counts of all their terms in the whole collection."""
        return self.index.statistics_of(self.counts)

    def holding(self, term: str, *, kind: str = "relevant") -> str:
        """In how many of them a term is, in words: ``in 2 of 3 relevant documents``."""
        return f"in {self.num_holders[term]} of {len(self)} {kind} document{'s' * (len(self) != 1)}"


def model_as_printed(text: str) -> str:
    """A model as it is typed, checked, in the form in which it is printed; nothing stays nothing."""
    return str(MODELS.parse(text)) if text else ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Feedback(Choice):
    """A feedback method with its parameters.

    `documents` is how many documents of the first ranking are taken for relevant when nobody judged any (pseudo
    feedback); `model` is what ranks the new query, where it is not to be the model of the first ranking.
    """

    documents: Count = 10
    model: Annotated[str, model_as_printed] = ""

    def refine(
        self, index: Index, model: Model, query: Query, relevant: Sequence[int], nonrelevant: Sequence[int] = ()
    ) -> Refined:
        """The new query, from the numbers of the documents judged relevant and not relevant."""
        _require_documents(index, relevant, nonrelevant)
        good, bad = JudgedDocuments(index, tuple(relevant)), JudgedDocuments(index, tuple(nonrelevant))
        own = self.ranking_model(model)
        if not self.can_use(good, bad):
            return Refined.unchanged(query, own, "no document was judged relevant: the query stays as it was")
        return self.refined(index, own, query, good, bad)

    def pseudo(self, index: Index, model: Model, query: Query, ranking: Iterable[int] | None = None) -> Refined:
        """The new query when nobody judged: the top documents of a ranking are taken for relevant.

        By default that is the ranking of the query itself.
        """
        if ranking is None:
            from germane.retrieval.search import search

            ranking = search(index, query, model, self.documents).docs
        return self.refine(index, model, query, [int(number) for number in islice(ranking, self.documents)])

    def refined(
        self, index: Index, model: Model, query: Query, relevant: JudgedDocuments, nonrelevant: JudgedDocuments
    ) -> Refined:
        """What the method itself does."""
        raise NotImplementedError

    def can_use(self, relevant: JudgedDocuments, nonrelevant: JudgedDocuments) -> bool:
        """Whether these documents tell the method anything; most need a relevant one."""
        return len(relevant) > 0

    def ranking_model(self, model: Model) -> Model:
        """What ranks the new query."""
        return MODELS.parse(self.model) if self.model else model


FAMILIES = ("rocchio", "probabilistic", "iterated", "rm3", "divergence")
MODULES = [f"germane.retrieval.feedback.{family}" for family in FAMILIES]
FEEDBACK = Catalogue("feedback method", Entry, Feedback, MODULES, example="rm3 or rm3(terms=20)")


def _require_documents(index: Index, relevant: Sequence[int], nonrelevant: Sequence[int]) -> None:
    """Refuse documents that the index does not have, and those judged both ways."""
    if both := set(relevant) & set(nonrelevant):
        raise GermaneError(f"document {index.doc_id(min(both))!r} is judged relevant and not relevant")
    for number in (*relevant, *nonrelevant):
        if not 0 <= number < len(index.lengths):
            raise GermaneError(f"expected document numbers below {len(index.lengths)}, found {number}")
    if any(len(set(judged)) < len(judged) for judged in (relevant, nonrelevant)):
        raise GermaneError("a document is given twice", hint="judge each document once")
