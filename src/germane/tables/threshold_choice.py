"""Which threshold a rule chose, what it does on each set, and how far the choice can be relied on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from germane.errors import GermaneError, did_you_mean
from germane.tables.confusion import Cells, Label
from germane.tables.display import Displayed
from germane.tables.grid import aligned
from germane.tables.ids import FloatArray
from germane.tables.performance import Estimate, known_name
from germane.tables.scores import Note
from germane.tables.threshold_text import threshold_text

THRESHOLD, RULE_OUT, RULE_IN = "threshold", "rule-out", "rule-in"
"""What a chosen threshold is called: the only one, or the two of a pair."""


@dataclass(frozen=True)
class TargetValue:
    """How a target stands at a threshold: the rate, and the end of its interval if that is what was tested."""

    target: str
    value: float
    bound: float
    met: bool


@dataclass(frozen=True)
class ChosenThreshold:
    """One threshold: an item is called positive if its score is at or above it; infinity calls nothing positive.

    `tied` are all thresholds that are as good, this one included, highest first. `value` is what was best there; for
    one of a pair, the rate of its target.
    """

    name: str
    threshold: float
    cells: Cells
    value: float
    tied: tuple[float, ...]
    targets: tuple[TargetValue, ...] = ()


@dataclass(frozen=True)
class Undecided:
    """What lies at or above rule-out and below rule-in."""

    positives: float
    negatives: float
    share: float

    @classmethod
    def between(cls, rule_out: Cells, rule_in: Cells) -> Undecided:
        """From the cells at both thresholds; nothing if they cross.

        >>> Undecided.between(Cells(9, 5, 1, 5), Cells(6, 1, 4, 9))
        Undecided(positives=3, negatives=4, share=0.35)
        """
        positives, negatives = max(rule_out.TP - rule_in.TP, 0), max(rule_out.FP - rule_in.FP, 0)
        return cls(positives, negatives, (positives + negatives) / sum(rule_out))


@dataclass(frozen=True)
class ThresholdChoice:
    """What a rule chose: one threshold, or rule-out and rule-in with what is undecided between them."""

    rule: str
    words: str
    objective: str
    on: Literal["point", "lower"]
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
        """The threshold, of a rule that chooses one."""
        if self.is_pair:
            raise GermaneError(f"{self.rule!r} chooses two thresholds", hint="read .rule_out and .rule_in")
        return self.points[0].threshold

    @property
    def rule_out(self) -> float:
        """Below it: no."""
        return self[RULE_OUT].threshold

    @property
    def rule_in(self) -> float:
        """At or above it: yes."""
        return self[RULE_IN].threshold

    def __getitem__(self, name: str) -> ChosenThreshold:
        for point in self.points:
            if point.name == name:
                return point
        there = ", ".join(point.name for point in self.points)
        raise GermaneError(f"{self.rule!r} chooses no {name} threshold", hint=f"there is: {there}")


@dataclass(frozen=True)
class Movement:
    """How far a threshold moves if the rows are drawn again.

    `low` and `high` hold the middle of the resampled thresholds; `same` is the share of resamples that choose the very
    same one, `unmet` the share in which no threshold meets the targets. `optimism` is how much better the value looks
    on the rows it was chosen on than on the original ones, on the mean.
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
    """The chosen thresholds applied to one set: cells, rates and targets by threshold.

    `named` finds what a rate is called here, however somebody writes it.
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
        """A rate at the threshold, of a rule that chooses one: ``report.test["TPR"]``."""
        if len(self.rates) != 1:
            points = ", ".join(self.rates)
            raise GermaneError(
                f"which threshold is meant: {points}?", hint=f"read .rates[{next(iter(self.rates))!r}][{name!r}]"
            )
        (rates,) = self.rates.values()
        found = name if name in rates else known_name(name, self.named)
        if found is None or found not in rates:
            meant = did_you_mean(name, rates) if found is None else ""
            raise GermaneError(f"{name!r} was not computed{meant}", hint=f"there are: {', '.join(rates)}")
        return rates[found]


@dataclass(frozen=True, eq=False)
class ThresholdReport(Displayed):
    """A choice, what it does on the set it was made on and on the one kept apart, and how far it moves.

    `scores` are the distinct scores of each set, highest first, by which thresholds are written.
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

    @property
    def threshold(self) -> float:
        """The threshold, of a rule that chooses one."""
        return self.choice.threshold

    @property
    def sets(self) -> tuple[SetResult, ...]:
        """The set chosen on, and the one kept apart if there is one."""
        return (self.dev,) if self.test is None else (self.dev, self.test)

    def text(self, threshold: float) -> str:
        """The shortest decimal that decides as a threshold does on every set."""
        return threshold_text(threshold, *self.scores)

    def __str__(self) -> str:
        """Each threshold with the rates there, as tables."""
        header = ["rate", *(cell for each in self.sets for cell in (each.name, "low", "high"))]
        parts = []
        for point in self.choice.points:
            rows = [
                [rate, *(cell for each in self.sets for cell in _cells(each.rates[point.name][rate]))]
                for rate in self.dev.rates[point.name]
            ]
            parts.append(f"{point.name} {self.text(point.threshold)}\n{aligned(header, rows)}")
        return "\n".join(parts).rstrip("\n")

    def __repr__(self) -> str:
        points = ", ".join(f"{point.name} {self.text(point.threshold)}" for point in self.choice.points)
        return f"<ThresholdReport: {self.choice.rule}: {points}, {' and '.join(s.name for s in self.sets)}>"


def _cells(estimate: Estimate) -> list[str]:
    ends = [f"{end:.4f}" for end in (estimate.low, estimate.high)] if estimate.has_interval else ["", ""]
    return [f"{estimate.value:.4f}", *ends]
