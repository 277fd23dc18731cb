"""Differences of a classifier between slices of items: for each measure and slice its interval and p-value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from germane.tables.notes.counts import counted
from germane.tables.results.columns import F, Table, table
from germane.tables.results.comparison import adjusted_for

REST = "rest"
"""What a slice is compared with by default: all items of the column that are in other slices."""


@dataclass(frozen=True)
class SlicePair:
    """A slice against another, or against the rest: the difference is slice − against."""

    measure: str
    slice: str
    against: str
    value: float
    value_against: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    test: str
    interval: str
    remark: str = ""


PAIRS = (
    F("classifier", "name", people="several", nested=False),
    F("measure", "name"),
    *F("slice", "name").also("against"),
    *F("value", "value", drop=1).also("value_against"),
    *F("difference", "difference").also("low", "high"),
    F("test", "text", drop=2),
    F("p", "p", drop=3),
    F("p_adjusted", "p", "adjusted p"),
    F("interval", "text", people=False),
    F("remark", "text", people="filled", nested="present", drop=4),
)


@dataclass(frozen=True)
class SliceDifferences:
    """Every slice against the rest, or against one slice, by every measure compared."""

    pairs: tuple[SlicePair, ...]
    correction: str
    level: float
    alpha: float = 0.05

    @property
    def num_tests(self) -> int:
        """Number of tests in the family, of which each has a p-value."""
        return sum(not math.isnan(pair.p) for pair in self.pairs)

    @property
    def family(self) -> str:
        """The tests that the p-values are adjusted for."""
        slices = counted(len({(pair.slice, pair.against) for pair in self.pairs}), "slice")
        return f"{slices} × {counted(len({pair.measure for pair in self.pairs}), 'measure')}"

    @property
    def verdict(self) -> str:
        """Whether any slice differs, and the largest gap, in sentences."""
        found = [pair for pair in self.pairs if pair.p_adjusted <= self.alpha]
        known = [pair for pair in self.pairs if not math.isnan(pair.difference)]
        sentence = f"No difference between slices is significant at α = {self.alpha:g}."
        if not self.num_tests:
            sentence = "No difference between slices could be tested."
        if found:
            listed = ", ".join(f"{pair.measure} of {pair.slice}" for pair in found[:5]) + ", …" * (len(found) > 5)
            what = "difference is" if len(found) == 1 else "differences are"
            sentence = f"{len(found):,} {what} significant at α = {self.alpha:g}: {listed}."
        if not known:
            return sentence
        gap = max(known, key=lambda pair: abs(pair.difference))
        against = "in the rest" if gap.against == REST else f"in {gap.against}"
        values = f"{gap.measure} is {gap.value:.3f} in {gap.slice} and {gap.value_against:.3f} {against}"
        return f"{sentence} Largest gap: {values}."

    def document(self) -> dict[str, Any]:
        """Return the differences for JSON."""
        pairs = [{key: v for key, v in vars(pair).items() if key != "remark" or v} for pair in self.pairs]
        facts = {"correction": self.correction, "family": self.family, "num_tests": self.num_tests}
        return {**facts, "alpha": self.alpha, "level": self.level, "simultaneous": False, "pairs": pairs}


def differences_table(found: Mapping[str, SliceDifferences], *, several: bool) -> Table:
    """Return one row per classifier, measure and slice; each classifier has a family of its own."""
    first = next(iter(found.values()))
    level, alpha = f"{first.level * 100:g}% intervals, unadjusted", first.alpha
    adjusted = adjusted_for(first.correction, first.num_tests, first.family)
    each = " for each classifier" if several else ""
    pairs = [(name, pair) for name, differences in found.items() for pair in differences.pairs]
    significant = [pair.p_adjusted <= alpha for _, pair in pairs]
    return table(
        "slice_differences",
        PAIRS,
        [{**vars(pair), "classifier": name} for name, pair in pairs],
        title=f"Differences slice − against, with {level}; p {adjusted}{each}; * adjusted p ≤ {alpha:g}",
        when={"several": several},
        marks={"p_adjusted": ["*" if each else "" for each in significant]},
        dim=[not each for each in significant],
    )
