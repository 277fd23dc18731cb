"""The choice of a threshold rule: thresholds, stability, and the results on a set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from germane.errors import GermaneError, not_computed
from germane.tables.decisions.confusion import Cells
from germane.tables.results.performance import Estimate, known_name
from germane.tables.results.performances import estimates_as_dict
from germane.tables.results.result import attributes

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
