"""Result of `threshold`: the chosen thresholds, their rates on each set, and the stability of the choice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from germane.errors import GermaneError, not_computed
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Confusion, Label
from germane.tables.decisions.confusion_tables import matrix_table
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.notes.note import Note
from germane.tables.results.columns import Column, F, Table, table
from germane.tables.results.performance import Estimate, known_name
from germane.tables.results.performances import estimates_as_dict
from germane.tables.results.result import Result, attributes, reach

THRESHOLD, RULE_OUT, RULE_IN = "threshold", "rule-out", "rule-in"
"""Names of a chosen threshold: the only one, or the two of a pair."""


@dataclass(frozen=True)
class TargetValue:
    """A target at a threshold: the rate, and the end of its interval if that was tested."""

    target: str
    value: float
    bound: float
    met: bool


@dataclass(frozen=True)
class ChosenThreshold:
    """One threshold: an item is positive if its score is at or above it; with infinity no item is.

    `tied` are all thresholds that are equally good, this one included, highest first. `value` is that of the objective;
    for one of a pair, the rate of its target.
    """

    name: str
    threshold: float
    cells: Cells
    value: float
    tied: tuple[float, ...]
    targets: tuple[TargetValue, ...] = ()


@dataclass(frozen=True)
class Undecided:
    """Items in the undecided zone: at or above rule-out and below rule-in."""

    positives: float
    negatives: float
    share: float

    @classmethod
    def between(cls, rule_out: Cells, rule_in: Cells) -> Undecided:
        """Return the undecided zone from the cells at both thresholds; empty if they cross.

        >>> Undecided.between(Cells(9, 5, 1, 5), Cells(6, 1, 4, 9))
        Undecided(positives=3, negatives=4, share=0.35)
        """
        positives, negatives = max(rule_out.TP - rule_in.TP, 0), max(rule_out.FP - rule_in.FP, 0)
        return cls(positives, negatives, (positives + negatives) / sum(rule_out))


@dataclass(frozen=True)
class ThresholdChoice:
    """Choice of a rule: one threshold, or rule-out and rule-in with an undecided zone between them."""

    rule: str
    words: str
    objective: str
    target_by: Literal["value", "lower"]
    level: float
    points: tuple[ChosenThreshold, ...]
    undecided: Undecided | None = None

    @property
    def is_pair(self) -> bool:
        return len(self.points) == 2

    @property
    def crossed(self) -> bool:
        """Whether the thresholds of a pair leave no undecided zone: every one between them meets both targets."""
        return self.is_pair and self.rule_in <= self.rule_out

    @property
    def threshold(self) -> float:
        """The threshold of a rule that chooses one."""
        if self.is_pair:
            raise GermaneError(f"{self.rule!r} chooses two thresholds", hint="use .rule_out and .rule_in")
        return self.points[0].threshold

    @property
    def rule_out(self) -> float:
        """Threshold below which items are negative."""
        return self[RULE_OUT].threshold

    @property
    def rule_in(self) -> float:
        """Threshold at or above which items are positive."""
        return self[RULE_IN].threshold

    def __getitem__(self, name: str) -> ChosenThreshold:
        for point in self.points:
            if point.name == name:
                return point
        there = ", ".join(point.name for point in self.points)
        raise GermaneError(f"unknown threshold {name!r} of the rule {self.rule!r}", hint=f"choose from {there}")


@dataclass(frozen=True)
class Movement:
    """Movement of a threshold over bootstrap resamples of the rows.

    `low` and `high` bound the middle of the resampled thresholds; `same` is the share of resamples that choose this
    threshold, `unmet` the share in which no threshold meets the targets. `optimism` is the mean difference between the
    value on the resample that it was chosen on and on the original rows.
    """

    low: float = math.nan
    high: float = math.nan
    same: float = math.nan
    unmet: float = 0.0
    optimism: float = math.nan


@dataclass(frozen=True)
class ThresholdStability:
    """Movement of each chosen threshold; `remark` says why there were fewer resamples than asked for, or none."""

    movements: Mapping[str, Movement]
    resamples: int
    seed: int
    level: float
    remark: str = ""

    def __getitem__(self, name: str) -> Movement:
        return self.movements[name]


@dataclass(frozen=True)
class SetResult:
    """Chosen thresholds applied to one set: cells, rates and targets by threshold.

    `named` returns the name of a rate for any alias.
    """

    name: str
    num_rows: int
    num_positive: float
    num_negative: float
    cells: Mapping[str, Cells]
    rates: Mapping[str, Mapping[str, Estimate]]
    targets: Mapping[str, tuple[TargetValue, ...]] = field(default_factory=dict)
    undecided: Undecided | None = None
    named: Callable[[str], str] | None = None

    def __getitem__(self, name: str) -> Estimate:
        """Return a rate at the threshold, for a rule that chooses one: ``report.test["TPR"]``."""
        if len(self.rates) != 1:
            hint = f"use .rates[{next(iter(self.rates))!r}][{name!r}]"
            raise GermaneError(f"cannot tell which threshold is meant: {', '.join(self.rates)}", hint=hint)
        (rates,) = self.rates.values()
        found = name if name in rates else known_name(name, self.named)
        if found is None or found not in rates:
            raise not_computed(name, rates, guess=found is None)
        return rates[found]

    def document(self) -> dict[str, Any]:
        """Return the JSON of this set."""
        return {
            **attributes(self, "num_rows num_positive num_negative"),
            "undecided": None if self.undecided is None else vars(self.undecided),
            "at": {
                name: {
                    "cells": cells._asdict(),
                    "targets": [vars(each) for each in self.targets[name]],
                    "rates": estimates_as_dict(self.rates[name]),
                }
                for name, cells in self.cells.items()
            },
        }


RATES = (
    F("set", "name"),
    F("point", "name"),
    F("threshold", "value"),
    F("measure", "name"),
    *F("value", "value").also("low", "high"),
    F("interval", "text"),
    F("remark", "text", people="filled"),
)
POINTS = (
    F("point", "name", ""),
    F("threshold", "value", "score"),
    *F("low", "value", people="moved").also("high"),
    F("value", "value", people="single"),
    F("same", "share", people="moved"),
    F("optimism", "value", people="moved"),
    F("unmet", "share", people=False),
)
UNDECIDED = (F("set", "name", ""), *F("positives", "count").also("negatives"), F("share", "share", "share of all"))


@dataclass(frozen=True, eq=False)
class Threshold(Result):
    """Result of `threshold`: the choice, its rates on the dev set and on a held-out test set, and its stability.

    `scores` are the distinct scores of each set, highest first; they determine how many digits a threshold needs.
    """

    choice: ThresholdChoice
    dev: SetResult
    test: SetResult | None
    stability: ThresholdStability
    scores: tuple[FloatArray, ...]
    positive: Label = True
    negative: Label = False
    columns: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    seed: int = 0
    resamples: int = 2000
    notes: tuple[Note, ...] = ()
    schema: ClassVar[str] = "threshold/1"

    @property
    def threshold(self) -> float:
        """The threshold, of a rule that chooses one."""
        return self.choice.threshold

    @property
    def sets(self) -> tuple[SetResult, ...]:
        """The set chosen on, and the held-out one if there is one."""
        return (self.dev,) if self.test is None else (self.dev, self.test)

    def text(self, threshold: float) -> str:
        """Return the shortest decimal that gives the same decisions as a threshold on every set."""
        return threshold_text(threshold, *self.scores)

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield the rates at each threshold on each set; the thresholds and their stability; the undecided zone."""
        rows = [
            {"set": data.name, "point": point.name, "threshold": point.threshold, "measure": name}
            | {**vars(estimate), "interval": estimate.method}
            for data in self.sets
            for point in self.choice.points
            for name, estimate in data.rates[point.name].items()
        ]
        yield table("rates", RATES, rows)
        points = [
            {"point": point.name, **attributes(point, "threshold value"), **vars(self.stability[point.name])}
            for point in self.choice.points
        ]
        yield table("thresholds", POINTS, points, when={"moved": self._moved, "single": not self.choice.is_pair})
        if self.choice.is_pair:
            zones = [{"set": data.name, **vars(data.undecided)} for data in self.sets if data.undecided is not None]
            yield table("undecided", UNDECIDED, zones, title="Undecided zone: at or above rule-out, below rule-in")

    def shown(self, *, digits: int = 4, **_: object) -> Iterator[Table | str]:
        """Yield the thresholds with their targets; for each, the matrix on each set and the rates side by side."""
        tables = {each.name: each for each in self.tables()}
        yield self._points(tables["thresholds"], digits)
        if self.choice.is_pair:
            yield tables["undecided"]
        for point in self.choice.points:
            at = f"{point.name} {self.text(point.threshold)}"
            for data in self.sets:
                title = f"{data.name} at {at}: {data.num_rows:,} rows (positive: score at or above it)"
                cells, names = data.cells[point.name], [str(self.negative), str(self.positive)]
                matrix = Confusion.of_matrix([[cells.TN, cells.FP], [cells.FN, cells.TP]], names)
                yield matrix_table(matrix, title)
            yield self._rates(point, f"Rates at {at}, with {100 * self.level:g}% intervals")

    @property
    def _moved(self) -> bool:
        return self.stability.resamples > 0

    def _points(self, points: Table, digits: int) -> Table:
        """Return the thresholds as the shortest decimals that give the same decisions, with targets on each set."""
        number, by_key = reach("number_text"), {column.key: column for column in points.columns}
        for key in ("threshold", "low", "high"):
            by_key[key] = replace(by_key[key], values=[self.text(value) for value in by_key[key].values])
        by_key["value"] = replace(by_key["value"], label=self.choice.objective)
        columns = list(by_key.values())
        for data in self.sets:
            for place, target in enumerate(self.choice.points[0].targets):
                stand = [data.targets[point.name][place] for point in self.choice.points]
                texts = [f"{'met' if each.met else 'missed'} ({number(each.bound, digits)})" for each in stand]
                name = "target" if self.choice.is_pair else target.target
                columns.append(Column(f"{name} on {data.name}", "text", texts))
        named = ", ".join(f"{role} in {name!r}" for role, name in self.columns.items())
        head = f"{named[:1].upper()}{named[1:]}. " if named else ""
        below = self._legend() if self._moved else ()
        return Table("thresholds", tuple(columns), f"{head}Rule: {self.choice.words}", below)

    def _legend(self) -> tuple[str, ...]:
        unmet = max(movement.unmet for movement in self.stability.movements.values())
        nothing = f"; {100 * unmet:.1f}% of them choose none" if unmet else ""
        share = f"{100 * self.stability.level:g}% of {self.stability.resamples:,} bootstrap resamples"
        moves = f"low to high: range of the threshold in {share}{nothing}"
        return "", moves, "same: share of resamples choosing this threshold; optimism: expected drop on new data"

    def _rates(self, point: ChosenThreshold, title: str) -> Table:
        """Return the rates of both sets side by side; where methods or remarks differ, with both."""
        names = list(self.dev.rates[point.name])
        by_set = {data.name: [data.rates[point.name][name] for name in names] for data in self.sets}
        columns = [Column("rate", "name", names)]
        for name, estimates in by_set.items():
            columns.append(Column(name, "value", [e.value for e in estimates]))
            for end in ("low", "high"):
                ends = [getattr(e, end) if e.has_interval else "" for e in estimates]
                columns.append(Column(f"{name}.{end}", "value", ends, label=end, empty=""))
        rows = list(zip(*by_set.values(), strict=True))
        methods = [" / ".join(dict.fromkeys(e.method for e in row)) for row in rows]
        remarks = [_remark({name: e.remark for name, e in zip(by_set, row, strict=True)}) for row in rows]
        columns.append(Column("interval", "text", methods, drop=1))
        columns.append(Column("remark", "text", remarks, people=any(remarks), drop=2))
        return Table("rates", tuple(columns), title)

    def document(self, **_: object) -> dict[str, Any]:
        """Return the choice, the results on each set by name, and the stability."""
        choice = self.choice
        return {
            "rule": choice.rule,
            "description": choice.words,
            **attributes(choice, "objective target_by"),
            **attributes(self, "level seed resamples positive negative"),
            "columns": dict(self.columns),
            "thresholds": [
                {**vars(point), "cells": point.cells._asdict(), "targets": [vars(each) for each in point.targets]}
                for point in choice.points
            ],
            "undecided": None if choice.undecided is None else vars(choice.undecided),
            "sets": {data.name: data.document() for data in self.sets},
            "stability": {
                **attributes(self.stability, "resamples remark"),
                "thresholds": {name: vars(movement) for name, movement in self.stability.movements.items()},
            },
        }

    def __repr__(self) -> str:
        points = ", ".join(f"{point.name} {self.text(point.threshold)}" for point in self.choice.points)
        return f"<Threshold: {self.choice.rule}: {points}, {' and '.join(s.name for s in self.sets)}>"


def _remark(remarks: Mapping[str, str]) -> str:
    if len(set(remarks.values())) == 1:
        return next(iter(remarks.values()))
    return "; ".join(f"{name}: {remark}" for name, remark in remarks.items() if remark)
