"""How often intervals within bounds cover: `PYTHONPATH=src python -m tests.stats.bounded_coverage` prints the table."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

from germane.stats.intervals.delong import AucScale, auc_estimate
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

Draw = Callable[[np.random.Generator, int], FloatArray]


def _brier(random: np.random.Generator, size: int) -> FloatArray:
    probability = random.random(size)
    losses: FloatArray = ((random.random(size) < probability) - probability) ** 2
    return losses


LOSSES: dict[str, tuple[Draw, float, tuple[float, float]]] = {
    "squared errors of a normal": (lambda random, size: random.normal(size=size) ** 2, 1.0, (0, math.inf)),
    "absolute errors of a normal": (
        lambda random, size: np.abs(random.normal(size=size)),
        math.sqrt(2 / math.pi),
        (0, math.inf),
    ),
    "Brier, probabilities that are true": (_brier, 1 / 6, (0, 1)),
    "Hamming, four labels, 10% wrong": (lambda random, size: random.binomial(4, 0.1, size) / 4, 0.1, (0, 1)),
}
"""Losses of an item, their mean, and its bounds."""


def _covers(found: Estimate, truth: float) -> bool:
    return found.low <= truth <= found.high


def loss_coverage(name: str, items: int, trials: int, *, bounded: bool) -> float:
    """The share of samples whose interval holds the mean loss; a sample without an interval does not."""
    draw, truth, bounds = LOSSES[name]
    random, ones = np.random.default_rng((items, trials)), np.ones(items, dtype=np.int64)
    how = {"bounds": bounds} if bounded else {}
    return float(
        np.mean([_covers(mean_loss_estimate(draw(random, items), ones, 0.95, **how), truth) for _ in range(trials)])
    )


def auc_coverage(auc: float, items: int, trials: int, scale: AucScale) -> float:
    """The share of samples of so many positives and negatives each, of samples with an interval; scores are normal."""
    random, apart = np.random.default_rng((items, trials)), _separation(auc)
    truth = np.repeat([True, False], items)
    covered = []
    for _ in range(trials):
        scores = random.normal(size=2 * items) + apart * truth
        found = auc_estimate(Decisions.of(truth, scores), scale=scale)
        if found.has_interval:
            covered.append(_covers(found, auc))
    return float(np.mean(covered))


def _separation(auc: float) -> float:
    """How far apart two normal distributions of variance 1 lie that have this area."""
    below, above = 0.0, 10.0
    while above - below > 1e-12:
        middle = (below + above) / 2
        below, above = (middle, above) if ndtr(middle / math.sqrt(2)) < auc else (below, middle)
    return below


def table(trials: int = 10_000) -> str:
    """Coverage by quantity and sample size, as Markdown."""
    lines = ["| of | items | plain | log or logit |", "| :-- | --: | --: | --: |"]
    for name in LOSSES:
        for items in (10, 30, 100):
            plain, bounded = (loss_coverage(name, items, trials, bounded=which) for which in (False, True))
            lines.append(f"| {name} | {items} | {plain:.1%} | {bounded:.1%} |")
    for auc in (0.7, 0.85, 0.95):
        for items in (10, 30):
            plain, bounded = (auc_coverage(auc, items, trials, scale) for scale in ("plain", "logit"))
            lines.append(f"| AUC {auc:g} | {items} of each class | {plain:.1%} | {bounded:.1%} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
