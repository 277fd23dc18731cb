"""Paired tests of two classifiers on the same items in clusters: the difference of proportions, and the bootstrap.

McNemar's test counts discordant items as independent, and rejects far too often where those of one cluster go together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

import numpy as np

from germane.stats.groups.cluster_bootstrap import ClusterKinds, cluster_cells
from germane.stats.intervals.cell_bootstrap import Draws, Kinds
from germane.stats.intervals.clustered import (
    CLUSTERS,
    ONE_CLUSTER,
    quantile_of_clusters,
    ratio_variance,
    sums_by_cluster,
)
from germane.stats.intervals.proportions import require_level
from germane.stats.significance.outcomes import PairedDifference
from germane.stats.significance.paired_classifiers import bootstrap_differences
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray

CLUSTER_T = "cluster t"


def paired_proportions_of_clusters(
    right_a: BoolArray, right_b: BoolArray, clusters: IntArray, *, level: float = 0.95
) -> PairedDifference:
    """Test the proportions correct of two classifiers on items in clusters, by the t test of the sums of clusters.

    Formula:    d = Σ dᵢ/n, dᵢ the items of cluster i that only b has right less those that only a has; t = d/s with
        G − 1 degrees of freedom, s² = G/(G − 1) · Σ (dᵢ − nᵢ d)²/n² over G clusters; interval d ± t(G − 1) s, within
        −1 and 1
    Reference:  Obuchowski, Statistics in Medicine 17 (1998), 1495-1507; Eliasziw & Donner, the same 10 (1991),
        1981-1991, for the problem.
    Edge cases: no discordant items: p = 1 without an interval. The same difference in every cluster: no p.

    >>> a, b = np.asarray([1, 0, 0, 1, 0, 1, 0, 0]) == 1, np.asarray([1, 1, 1, 1, 0, 1, 1, 0]) == 1
    >>> found = paired_proportions_of_clusters(a, b, np.asarray([0, 0, 0, 1, 1, 2, 2, 3]))
    >>> round(found.difference, 4), round(found.p, 4), found.test
    (0.375, 0.1266, 'cluster t')
    """
    require_level(level)
    if not len(clusters):
        return PairedDifference(math.nan, remark="no items")
    moved = right_b.astype(np.float64) - right_a.astype(np.float64)
    if not moved.any():
        none = "no discordant items: both are right or wrong on the same items"
        return PairedDifference(0.0, p=1.0, statistic=0.0, test=CLUSTER_T, remark=none)
    return paired_means_of_clusters(moved, clusters, bound=1.0, level=level)


def paired_means_of_clusters(
    moved: FloatArray, clusters: IntArray, *, bound: float = math.inf, test: str = CLUSTER_T, level: float = 0.95
) -> PairedDifference:
    """Test the mean of the differences b − a of items in clusters, by the t test of the sums of clusters; see above.

    No difference is larger than `bound`.

    >>> found = paired_means_of_clusters(np.asarray([0.1, 0.3, 0.2, 0.0]), np.asarray([0, 0, 1, 2]))
    >>> round(found.difference, 4), round(found.p, 4)
    (0.15, 0.1201)
    """
    from scipy.special import stdtr

    num = int(clusters.max()) + 1
    sums, sizes = sums_by_cluster(moved, clusters, num), sums_by_cluster(np.ones(len(moved)), clusters, num)
    difference, there = float(moved.mean()), int((sizes > 0).sum())
    if not np.any(moved):
        return PairedDifference(0.0, p=1.0, statistic=0.0, test=test, remark="no difference for any item")
    if there < 2:
        return PairedDifference(difference, remark=ONE_CLUSTER)
    error = math.sqrt(ratio_variance(sums, sizes))
    if error <= 1e-12:
        return PairedDifference(difference, remark="the difference is the same in every cluster, so it has no spread")
    t, half = difference / error, quantile_of_clusters(level, there) * error
    low, high = max(-bound, difference - half), min(bound, difference + half)
    p = float(2 * stdtr(there - 1, -abs(t)))
    return PairedDifference(difference, low, high, p, t, test, f"t, {CLUSTERS}")


def paired_bootstrap_of_clusters(
    statistic: Callable[[FloatArray], FloatArray],
    truth: IntArray,
    a: IntArray,
    b: IntArray,
    clusters: IntArray,
    num_classes: int,
    **draws: Unpack[Draws],
) -> PairedDifference:
    """Paired bootstrap of the difference b − a of a statistic of a confusion matrix, which resamples clusters.

    `statistic` takes a stack of matrices (… × K × K, rows are true classes); labels are coded from 0.
    """
    square = num_classes * num_classes
    tables = [cluster_cells(truth * num_classes + called, clusters, square) for called in (a, b)]

    def difference(cells: FloatArray) -> FloatArray:
        first, second = np.moveaxis(cells.reshape(-1, 2, num_classes, num_classes), 1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(second) - statistic(first)

    return _of_clusters(difference, ClusterKinds.of_table(np.concatenate(tables, axis=1)), draws)


def paired_item_bootstrap_of_clusters(
    statistic_a: Callable[[FloatArray], float],
    statistic_b: Callable[[FloatArray], float],
    clusters: IntArray,
    **draws: Unpack[Draws],
) -> PairedDifference:
    """Paired bootstrap of the difference b − a of statistics of the number of times each item was drawn."""
    num = int(clusters.max()) + 1
    kinds = Kinds(np.ones(num, dtype=np.int64), np.arange(num)[:, None], num)

    def difference(draws: FloatArray) -> FloatArray:
        return np.asarray([statistic_b(drawn[clusters]) - statistic_a(drawn[clusters]) for drawn in draws])

    return _of_clusters(difference, kinds, {"method": "percentile", **draws})


def _of_clusters(difference: Callable[[FloatArray], FloatArray], kinds: Kinds, draws: Draws) -> PairedDifference:
    if kinds.counts.sum() < 2:
        value = float(difference(kinds.totals(kinds.counts[None].astype(np.float64)))[0])
        return PairedDifference(value, remark=ONE_CLUSTER)
    (found,) = bootstrap_differences(difference, kinds, draws)
    if math.isnan(found.low):
        return found
    return replace(found, test="paired cluster bootstrap", interval=f"{found.interval}, {CLUSTERS}")
