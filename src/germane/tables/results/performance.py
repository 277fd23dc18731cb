"""Evaluation of a classifier, detector, regression or clustering: estimates with intervals, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from germane.errors import GermaneError, not_computed, unknown
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.number_predictions import NumberPredictions
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.tables.results.slice_differences import SliceDifferences


@dataclass(frozen=True)
class Estimate:
    """A value with its interval and the method of the interval; the ends are NaN where there is no interval.

    `method` is, for example, ``wilson`` or ``delong``; `remark` is a note on this estimate, such as that every resample
    gives the same value.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    method: str = "none"
    remark: str = ""

    @property
    def has_interval(self) -> bool:
        return not (math.isnan(self.low) or math.isnan(self.high))


def known_name(written: str, named: Callable[[str], str] | None) -> str | None:
    """Return the name of a measure in results; None if it is unknown, or `named` is None."""
    try:
        return None if named is None else named(written)
    except GermaneError:
        return None


@dataclass(frozen=True, eq=False)
class Performance:
    """All numbers of one classifier: overall, by class, and averaged over classes.

    `task` is what was predicted: classes, scores, regression, clusters, densities or multilabel. `columns` has the
    column of each role; `clusters` are groups of classes that are confused with each other, in the order that puts them
    side by side. `named` returns the name of a measure for any alias, and `described` its kind (decisions, scores,
    probabilities) and aliases; `asked` are the measures asked for, None for all; `missing` has the reason for those
    without a value.
    """

    name: str
    task: str
    num_rows: int
    overall: Mapping[str, Estimate]
    by_class: Mapping[Label, Mapping[str, Estimate]] = field(default_factory=dict)
    averages: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    confusion: Confusion | None = None
    decisions: Decisions | None = None
    positive: Label | None = None
    threshold: float | None = None
    clusters: tuple[tuple[Label, ...], ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    seed: int = 0
    resamples: int = 2000
    notes: tuple[Note, ...] = ()
    named: Callable[[str], str] | None = None
    described: Callable[[str], tuple[str, str]] | None = None
    asked: tuple[str, ...] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    slices: Mapping[str, Performance] = field(default_factory=dict)
    """The same classifier on each slice of its items, by the name of the slice."""
    slice_differences: SliceDifferences | None = None
    claims: Callable[[int], Mapping[Label, Decisions]] | None = None
    """Function that returns the largest classes, each against the rest by its own column of probabilities."""
    support: Mapping[Label, int] = field(default_factory=dict)
    """Number of items with each label, where an item may have several."""
    numbers: NumberPredictions | None = None
    """The predicted numbers of a regression, to draw them."""

    def __getitem__(self, name: str | tuple[str, Label | str]) -> Estimate:
        """Return an estimate: ``performance["MCC"]``, ``performance["PPV", "cat"]``, ``performance["F1", "macro"]``.

        Aliases of a measure work too: ``performance["recall"]``, and so does ``performance["F1[macro]"]``.
        """
        if isinstance(name, tuple):
            measure, group = name
            table = self.table_of(group)
        elif name.endswith("]") and name not in self.overall:
            measure, _, text = name[:-1].partition("[")
            table = self.table_of(text)
        else:
            measure, table = name, self.overall
        if measure not in table:
            measure = self._called_here(measure, table)
        return table[measure]

    def table_of(self, group: Label | str) -> Mapping[str, Estimate]:
        """Return the estimates of a class, which may be named by its text, or of an average."""
        label = group if group in self.by_class else next((x for x in self.by_class if str(x) == group), group)
        if group in self.averages and label in self.by_class:
            hint = "use .by_class or .averages"
            raise GermaneError(f"{group!r} is both a class and an average", hint=hint)
        table = self.averages.get(str(group)) or self.by_class.get(label)
        if table is None:
            raise unknown("class or average", group, map(str, (*self.by_class, *self.averages)))
        return table

    def _called_here(self, written: str, table: Mapping[str, Estimate]) -> str:
        """Return the name in a table of a measure that was given by an alias."""
        average, _, rate = written.rpartition(" ")
        averaged = average in self.averages
        name = known_name(rate if averaged else written, self.named)
        if name is not None and name in table and not averaged:
            return name
        average = average if averaged else next(iter(self.averages), "")
        if name is not None and table is self.overall and name in self.averages.get(average, {}):
            hint = f"for one class or an average, write performance[{name!r}, {average!r}]"
            raise GermaneError(f"{written!r} was not computed", hint=hint)
        raise not_computed(written, table, guess=name is None)

    def about(self, name: str) -> tuple[str, str]:
        """Return the kind of a measure ("" for decisions), and its aliases."""
        return ("", "") if self.described is None else self.described(name)

    def __repr__(self) -> str:
        return f"<Performance: {self.name}, {self.task}, {counted(self.num_rows, 'row')}, {len(self.overall)} measures>"
