"""How often intervals cover where items come in clusters: `PYTHONPATH=src python -m tests.stats.clustered_coverage`."""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from germane.stats.groups.cluster_bootstrap import cluster_cells, cluster_intervals
from germane.stats.groups.clustered_auc import auc_of_clusters
from germane.stats.intervals.clustered import mean_of_clusters, proportion_of_clusters, sums_by_cluster
from germane.stats.intervals.delong import auc_estimate
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

SHARED = (0.0, 0.5)
"""Shares of the variance that the items of a cluster have in common; 0 means independent items."""
SIZES = (10, 30, 100)
OF_A_CLUSTER = 5
PREVALENCE, APART = 0.3, 1.0


class Items(NamedTuple):
    """Items in clusters of 1 to 9."""

    clusters: IntArray
    truth: BoolArray
    score: FloatArray


class Coverage(NamedTuple):
    """Shares of the samples with an interval that it covers: the naive one, and that of clusters."""

    naive: float
    clustered: float


def draw(random: np.random.Generator, num_clusters: int, shared: float) -> Items:
    """Return items whose class and whose score have the share of variance in common with those of their cluster."""
    clusters = np.repeat(np.arange(num_clusters), random.integers(1, 2 * OF_A_CLUSTER, num_clusters))

    def normal() -> FloatArray:
        common = random.normal(size=num_clusters)[clusters]
        found: FloatArray = np.sqrt(shared) * common + np.sqrt(1 - shared) * random.normal(size=len(clusters))
        return found

    truth: BoolArray = normal() < ndtri(PREVALENCE)
    return Items(clusters, truth, normal() + APART * truth)


def _of_clusters(clusters: IntArray, right: BoolArray, among: BoolArray) -> Estimate:
    num = int(clusters.max()) + 1
    successes, trials = (sums_by_cluster(each.astype(np.float64), clusters, num) for each in (right, among))
    return proportion_of_clusters(successes, trials)


def _sensitivity(items: Items) -> tuple[Estimate, Estimate]:
    right, positive = (items.truth & (items.score > 0.5)), items.truth
    x, n = int(right.sum()), int(positive.sum())
    low, high = PROPORTION_INTERVALS["wilson"](x, n)
    return Estimate(x / n, float(low), float(high)), _of_clusters(items.clusters, right, positive)


def _prevalence(items: Items) -> tuple[Estimate, Estimate]:
    low, high = PROPORTION_INTERVALS["wilson"](items.truth.sum(), len(items.truth))
    every = np.ones_like(items.truth)
    return Estimate(0.0, float(low), float(high)), _of_clusters(items.clusters, items.truth, every)


def _auc(items: Items) -> tuple[Estimate, Estimate]:
    return auc_estimate(Decisions.of(items.truth, items.score)), auc_of_clusters(
        items.truth, items.score, items.clusters
    )


def _loss(items: Items) -> tuple[Estimate, Estimate]:
    losses = np.abs(items.score - APART * items.truth)
    naive = mean_loss_estimate(losses, np.ones(len(losses), dtype=np.int64), 0.95, (0, np.inf))
    return naive, mean_of_clusters(losses, items.clusters, bounds=(0, np.inf))


def _f1(items: Items) -> tuple[Estimate, Estimate]:
    cell = 2 * (items.score <= 0.5) + ~items.truth  # 0 TP, 1 FP, 2 FN, 3 TN
    each = cluster_cells(cell.astype(int), np.arange(len(cell)), 4)

    def f1(cells: FloatArray) -> FloatArray:
        tp, fp, fn, _ = cells.T
        with np.errstate(invalid="ignore"):
            return np.asarray(2 * tp / (2 * tp + fp + fn))

    found = [cluster_intervals(f1, t, resamples=500)[0] for t in (each, cluster_cells(cell, items.clusters, 4))]
    return found[0], found[1]


RECALL, ALARM = float(ndtr(APART - 0.5)), float(ndtr(-0.5))
QUANTITIES = {
    "share of positives (Wilson)": (_prevalence, PREVALENCE),
    "TPR (Wilson)": (_sensitivity, RECALL),
    "AUC (Obuchowski)": (_auc, float(ndtr(APART / np.sqrt(2)))),
    "mean loss (t)": (_loss, float(np.sqrt(2 / np.pi))),
    "F1 (bootstrap)": (
        _f1,
        2 * PREVALENCE * RECALL / (2 * PREVALENCE * RECALL + (1 - PREVALENCE) * ALARM + PREVALENCE * (1 - RECALL)),
    ),
}
"""Both intervals of each quantity, and its true value."""


def coverage(name: str, num_clusters: int, shared: float, trials: int) -> Coverage:
    """Return how often the two intervals cover, of the samples that have one."""
    intervals, truth = QUANTITIES[name]
    random = np.random.default_rng((num_clusters, trials, int(100 * shared)))
    held: tuple[list[bool], list[bool]] = ([], [])
    for _ in range(trials):
        items = draw(random, num_clusters, shared)
        if items.truth.sum() < 2:
            continue
        for kept, found in zip(held, intervals(items), strict=True):
            if found.has_interval:
                kept.append(found.low <= truth <= found.high)
    return Coverage(*(float(np.mean(kept)) for kept in held))


def table(trials: int = 5_000) -> str:
    """Coverage by quantity, shared variance and number of clusters, as Markdown."""
    lines = ["| of | clusters | shared variance | as independent | clustered |", "| :-- | --: | --: | --: | --: |"]
    for name in QUANTITIES:
        for shared in SHARED:
            for size in SIZES:
                found = coverage(name, size, shared, trials if "F1" not in name else trials // 5)
                lines.append(f"| {name} | {size} | {shared:g} | {found.naive:.1%} | {found.clustered:.1%} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())
