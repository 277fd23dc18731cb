"""How often intervals cover the true mean: `PYTHONPATH=src python -m tests.stats.coverage` prints the table."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from germane.stats.intervals.means import INTERVALS, mean_interval
from germane.tables.columns.ids import FloatArray

POPULATIONS: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], FloatArray], float]] = {
    "normal": (lambda rng, shape: rng.normal(0.0, 1.0, shape), 0.0),
    "difference of two APs": (lambda rng, shape: rng.beta(1, 2, shape) - rng.beta(1, 2, shape), 0.0),
    "AP, many small": (lambda rng, shape: rng.beta(0.7, 1.9, shape), 0.7 / 2.6),
    "reciprocal rank": (lambda rng, shape: 1 / rng.geometric(0.3, shape), -3 / 7 * np.log(0.3)),
}
"""What a query's value may look like, and the mean over all queries."""


def coverage(
    method: str, population: str, queries: int, trials: int, *, resamples: int = 9_999, seed: int = 0
) -> float:
    """The share of samples of so many queries whose 95 % interval holds the mean; each trial is a column."""
    draw, truth = POPULATIONS[population]
    values = draw(np.random.default_rng((seed, queries)), (queries, trials))
    interval = mean_interval(values, method, resamples=resamples, seed=seed)
    # An end that is NaN bounds nothing, so it is not crossed.
    missed = (interval.low > truth) | (interval.high < truth)
    return float(1 - missed.mean())


def table(trials: int = 10_000) -> str:
    """Coverage by population, number of queries and method, as Markdown."""
    lines = [f"| values | queries | {' | '.join(INTERVALS.names)} |", f"| :-- | --: |{' --: |' * len(INTERVALS)}"]
    for population in POPULATIONS:
        for queries in (10, 25, 50, 100):
            found = [f"{coverage(method, population, queries, trials):.3f}" for method in INTERVALS.names]
            lines.append(f"| {population} | {queries} | {' | '.join(found)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
