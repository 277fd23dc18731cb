"""The measures as a result: a list with one line each, or full descriptions of those of one name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from germane.catalogue import Entry
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.rates import RATES
from germane.measures.definition import MEASURES
from germane.tables.results.columns import F, Prose, Table, table
from germane.tables.results.result import Result

FAMILIES: Mapping[str, str] = {
    "counts": "Counts",
    "precision": "Precision and recall, at a cutoff or of the whole ranking",
    "average_precision": "Average precision",
    "curves": "Curves",
    "gain": "Graded relevance",
    "user_models": "User models",
    "incomplete": "Incomplete judgments",
    "diversity": "Diversity",
}
"""Titles of the modules of ranking measures; a module that is not listed is its own title."""
KINDS: Mapping[str, str] = {
    "matrix": "Decisions: several classes",
    "scores": "Decisions: scores, independent of a threshold",
    "probabilities": "Decisions: probabilities",
    "probability table": "Decisions: probabilities of several classes",
    "numbers": "Numbers (germane classify --task regression)",
    "intervals": "Predicted intervals (--task regression --quantile …)",
    "clusters": "Clusters (--task clusters)",
    "vectors": "Clusters, by their vectors (--task clusters --vectors …)",
    "densities": "Densities (--task densities)",
    "label sets": "Sets of labels (--task label-sets)",
    "label scores": "Scores of several labels (--task label-sets)",
}
"""Titles of the measures of decisions, by what they measure."""
COLUMNS = (
    F("name", "name", "measure"),
    F("family", "text"),
    F("summary", "text"),
    F("facts", "text", people=False, nested="present"),
)
MORE = "Write NAME, NAME@10 or NAME(parameter=value)@10; `germane measures NAME` shows details.\n"


@dataclass(frozen=True)
class ListedMeasure:
    """A measure: its name, family, one-line summary, and documentation by title."""

    name: str
    family: str
    summary: str
    facts: Mapping[str, str]


@dataclass(frozen=True)
class MeasureList(Result):
    """A list of measures; with `in_full`, people see their full documentation."""

    measures: tuple[ListedMeasure, ...]
    in_full: bool = False

    schema: ClassVar[str] = "measures/1"

    @classmethod
    def of(cls, wanted: Sequence[Entry] | None = None) -> MeasureList:
        """List all measures, ranking measures first, or document the wanted ones in full."""
        titled = [*measures_by_title(), *decisions_by_title()]
        entries = [(title, entry) for title, members in titled for entry in members]
        kept = [
            ListedMeasure(e.name, title, e.summary, e.facts) for title, e in entries if wanted is None or e in wanted
        ]
        return cls(tuple(kept), in_full=wanted is not None)

    def tables(self) -> Iterator[Table]:
        """Yield the one table, with a row per measure."""
        yield table("measures", COLUMNS, self.measures)

    def shown(self, *, digits: int = 4) -> Iterator[str]:
        """Yield one line per measure under its family, or its full documentation."""
        if self.in_full:
            for each in self.measures:
                yield Prose(f"{each.name}: {each.summary}\n")
                yield from (Prose(f"{title}: {text}\n") for title, text in each.facts.items())
            return
        width = max(len(each.name) for each in self.measures) + 2
        for family, members in groupby(self.measures, lambda each: each.family):
            yield f"{family}\n" + "".join(f"  {each.name:<{width}}{each.summary}\n" for each in members)
        yield Prose(MORE)


def measures_by_title() -> list[tuple[str, Sequence[Entry]]]:
    """Return the ranking measures under the titles of their families."""
    families = groupby(MEASURES, lambda entry: entry.family)
    return [(FAMILIES.get(family, family), list(entries)) for family, entries in families]


def decisions_by_title() -> list[tuple[str, Sequence[Entry]]]:
    """Return the measures of decisions under the titles of what they measure."""
    rates = ("Decisions: rates of a confusion matrix (germane classify)", list(RATES))
    return [rates, *((title, [e for e in DECISION_MEASURES if e.of == kind]) for kind, title in KINDS.items())]
