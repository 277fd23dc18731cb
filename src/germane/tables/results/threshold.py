"""Result of `threshold`: the chosen thresholds, their rates on each set, and the stability of the choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.confusion_tables import matrix_table
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.notes.note import Note
from germane.tables.results.columns import Column, F, Table, table
from germane.tables.results.result import Result, attributes, reach
from germane.tables.thresholds.choice import ChosenThreshold, SetResult, ThresholdChoice, ThresholdStability
from germane.tables.thresholds.slices import ThresholdSlice, shown_slices, table_of_slices

MOST_RATES = 3
"""Maximum number of rates of the table by slice."""
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
    `slices` has the common threshold in each slice of the items, and what the rule chooses for it alone.
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
    slices: tuple[ThresholdSlice, ...] = ()
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
        if self.slices:
            yield table_of_slices(self.slices, self.choice)

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
        if self.slices:
            where = self.sets[-1]
            yield from shown_slices(self.slices, where, self.choice, self._by_slice, self.text, digits)

    @property
    def _by_slice(self) -> list[str]:
        """The rates of the table by slice: the first one, those of targets, and both error rates."""
        first = next(iter(self.dev.rates.values()))
        targets = (each.target.split()[0] for points in self.dev.targets.values() for each in points)
        wanted = dict.fromkeys((next(iter(first)), *targets, "TPR", "TNR"))
        # The equal error rate is that of the scores, at whatever threshold.
        return [name for name in wanted if name in first and name != "EER"][:MOST_RATES]

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
            **({"slices": [each.document() for each in self.slices]} if self.slices else {}),
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
