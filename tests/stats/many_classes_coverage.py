"""How often intervals of areas of several classes cover: `python -m tests.stats.many_classes_coverage` prints them."""

from __future__ import annotations

import sys
from functools import cache

import numpy as np

from germane.measures.decisions.scores.many_classes import ClassAreas, micro_area
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn
from germane.stats.intervals.many_classes import AVERAGED, Key, ap_estimate, area_estimate, influences
from germane.tables.columns.ids import FloatArray, IntArray

KEYS = AVERAGED
RAREST: Key = ("AP", "of the last class")
SHARES = {"equal": (0.25, 0.25, 0.25, 0.25), "rare": (0.6, 0.25, 0.1, 0.05)}
"""Prevalence of the four classes."""
POPULATION = 400_000


def sample(random: np.random.Generator, items: int, shares: str) -> tuple[FloatArray, IntArray]:
    """Items of four classes with the probabilities of a classifier that sees one and a half deviations."""
    codes = random.choice(4, items, p=SHARES[shares])
    logits = random.normal(size=(items, 4))
    logits[np.arange(items), codes] += 1.5
    odds = np.exp(logits)
    return odds / odds.sum(axis=1, keepdims=True), codes


@cache
def truths(shares: str) -> dict[Key, float]:
    """Every area in a large population."""
    table = ProbabilityTable.of(*sample(np.random.default_rng(1), POPULATION, shares))
    areas = ClassAreas.of(table)
    return {RAREST: float(areas.areas["AP"][-1])} | {
        key: micro_area(table, key[0]) if key[1] == "micro" else areas.average(*key)  # type: ignore[arg-type]
        for key in KEYS
    }


def coverage(items: int, trials: int, shares: str) -> dict[Key, tuple[float, float]]:
    """The share of intervals that hold the area in the population, and the share of samples with an interval."""
    random = np.random.default_rng((items, trials))
    covered: dict[Key, list[bool]] = {key: [] for key in (*KEYS, RAREST)}
    for _ in range(trials):
        table = ProbabilityTable.of(*sample(random, items, shares))
        found = {key: area_estimate(each, *key, level=0.95) for key, each in influences(table, KEYS).items()}
        found[RAREST] = ap_estimate(RankedColumn.of(table, 3).decisions, level=0.95)
        for key, estimate in found.items():
            if estimate.has_interval:
                covered[key].append(estimate.low <= truths(shares)[key] <= estimate.high)
    return {key: (float(np.mean(each)), len(each) / trials) for key, each in covered.items()}


def table(trials: int = 5_000) -> str:
    """Coverage by area, class sizes and sample size, as Markdown."""
    lines = ["| area | classes | items | coverage | samples with an interval |", "| :-- | :-- | --: | --: | --: |"]
    for shares in SHARES:
        for items in (30, 100, 300, 1000):
            for (measure, average), (share, there) in coverage(items, trials, shares).items():
                lines.append(f"| {measure} {average} | {shares} | {items} | {share:.3f} | {there:.2f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table(*map(int, sys.argv[1:])))
