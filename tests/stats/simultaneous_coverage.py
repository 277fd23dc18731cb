"""How often all intervals of a family hold together: `PYTHONPATH=src python -m tests.stats.simultaneous_coverage`.

The last column is why Holm's correction has no intervals here: Bonferroni's, cut at 0 on the side that Holm rejects,
agree with his verdicts but cover too little. The bounds that do hold (Strassburger & Bretz 2008; Guilbaud 2008) say no
more than the verdict itself about a rejected difference, unless all differences are rejected, and have no other end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from germane.stats.intervals.means import mean_interval
from germane.stats.significance.corrections import holm
from germane.stats.significance.max_t import MaxT
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import FloatArray

ALPHA = 0.05
QUERIES = 50
Ends = tuple[FloatArray, FloatArray]


def bonferroni_intervals(differences: FloatArray) -> Ends:
    """Student's intervals at the level that the family leaves for each."""
    found = mean_interval(differences, level=1 - ALPHA / differences.shape[1])
    return found.low, found.high


def max_t_intervals(differences: FloatArray) -> Ends:
    """The single step of max-T."""
    return MaxT(differences, resamples=999).intervals(ALPHA)


def cut_at_holm(differences: FloatArray) -> Ends:
    """Bonferroni's intervals, cut at 0 on the side that Holm rejects; the cut end itself is left out."""
    low, high = bonferroni_intervals(differences)
    rejected = holm(PAIRED_TESTS["t"](differences).p) <= ALPHA
    positive = differences.mean(axis=0) > 0
    tiny = np.finfo(np.float64).tiny
    return (
        np.where(rejected & positive, np.maximum(low, tiny), low),
        np.where(rejected & ~positive, np.minimum(high, -tiny), high),
    )


METHODS: dict[str, Callable[[FloatArray], Ends]] = {
    "bonferroni": bonferroni_intervals,
    "max-t": max_t_intervals,
    "cut by Holm": cut_at_holm,
}


def coverage(method: str, tests: int, null: int, trials: int, *, shared: float = 0.0, seed: int = 0) -> float:
    """The share of families in which every interval holds its true difference: 0 for `null` of them, else a large one.

    `shared` is the share of variance that all columns have in common, as comparisons with one baseline do.
    """
    rng = np.random.default_rng((seed, tests, null))
    truth = np.where(np.arange(tests) < null, 0.0, 3.0)
    held = 0
    for _ in range(trials):
        noise = np.sqrt(shared) * rng.normal(size=(QUERIES, 1)) + np.sqrt(1 - shared) * rng.normal(
            size=(QUERIES, tests)
        )
        low, high = METHODS[method](truth + noise)
        held += bool(((low <= truth) & (truth <= high)).all())
    return held / trials


def table(trials: int = 4_000) -> str:
    """Coverage by family and method, as Markdown."""
    lines = [f"| tests | without a difference | {' | '.join(METHODS)} |", f"| --: | --: |{' --: |' * len(METHODS)}"]
    for tests, null in ((2, 1), (10, 0), (10, 1), (10, 5), (10, 10), (45, 1)):
        found = [f"{coverage(method, tests, null, trials):.3f}" for method in METHODS]
        lines.append(f"| {tests} | {null} | {' | '.join(found)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
