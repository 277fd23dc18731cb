"""What feedback makes of a query: the new query, and for each term what it weighed before, weighs now, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from germane.retrieval.models import Model
from germane.retrieval.query import Query
from germane.tables.results.columns import F, Table, table

TERMS = (F("term", "name"), F("old", "value"), F("new", "value"), F("why", "text"))
STEPS = (F("round", "count"), F("p", "value"), F("new_documents", "count"))


@dataclass(frozen=True)
class TermChange:
    """A term's weight before and after; `relevant` and `nonrelevant` are the judged documents that hold it.

    What the numbers are is the method's: Rocchio's are entries of a vector, RM3's are probabilities.
    """

    term: str
    old: float
    new: float
    relevant: tuple[int, ...] = ()
    nonrelevant: tuple[int, ...] = ()
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

    @property
    def expansion(self) -> tuple[TermChange, ...]:
        """The terms that the query did not have."""
        return tuple(change for change in self.terms if change.is_new)

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


def by_falling_weight(changes: Sequence[TermChange]) -> tuple[TermChange, ...]:
    """The heaviest first; terms of equal weight by name, so that the order never depends on how they were found."""
    return tuple(sorted(changes, key=lambda change: (-change.new, change.term)))
