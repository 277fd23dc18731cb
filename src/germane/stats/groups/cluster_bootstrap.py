"""Cluster bootstrap: resample whole clusters, for statistics that have no formula for items in clusters.

Clusters that add the same counts are interchangeable, so thousands of small clusters are resampled as a few kinds.

Reference:  Field & Welsh, Journal of the Royal Statistical Society B 69 (2007), 369-390; Davison & Hinkley, Bootstrap
    Methods and their Application, Cambridge 1997, section 3.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from germane.stats.intervals.bootstrap_ends import SAME
from germane.stats.intervals.cell_bootstrap import Draws, Kinds, Statistic, resample
from germane.stats.intervals.clustered import CLUSTERS, ONE_CLUSTER
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.performance import Estimate

MOST_DRAWS = 20_000_000
"""Usual maximum of items times resamples, for statistics of scores; the actual number of resamples is stated."""
FEWEST_RESAMPLES, USUAL_RESAMPLES = 200, 2000


@dataclass(frozen=True, eq=False)
class ClusterKinds(Kinds):
    """Clusters by kind: how many there are, and what each adds to the cells."""

    table: FloatArray = None  # type: ignore[assignment]
    """For each kind of cluster (row), the counts or weights of its cells."""

    @classmethod
    def of_table(cls, table: FloatArray) -> ClusterKinds:
        """Make clusters with the same cells a kind; rows are clusters."""
        distinct, counts = np.unique(table, axis=0, return_counts=True)
        nowhere = np.zeros((len(distinct), 0), dtype=np.int64)
        return cls(counts.astype(np.int64), nowhere, table.shape[1], table=distinct)

    def totals(self, draws: FloatArray) -> FloatArray:
        return draws @ self.table

    def without_one(self, kinds: slice) -> FloatArray:
        left = self.totals(self.counts[None].astype(np.float64)) - self.table[kinds]
        # Removing the only cluster of a cell must leave exactly 0, without rounding error.
        left[np.abs(left) <= SAME * max(1.0, float(np.abs(left).max(initial=0)))] = 0.0
        return left


def cluster_cells(cells: IntArray, clusters: IntArray, num_cells: int, weights: FloatArray | None = None) -> FloatArray:
    """Return the number of items, or their weight, by cluster (row) and cell.

    >>> cluster_cells(np.asarray([0, 1, 1]), np.asarray([0, 0, 1]), 2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    num = int(clusters.max()) + 1
    flat = np.bincount(clusters * num_cells + cells, weights=weights, minlength=num * num_cells)
    return flat.reshape(num, num_cells).astype(np.float64)


def cluster_intervals(statistic: Statistic, table: FloatArray, **draws: Unpack[Draws]) -> list[Estimate]:
    """Return the intervals of statistics of cells, from the cells of each cluster; all from the same resamples.

    `statistic` takes resamples × cells and returns one value for each resample, or several as columns.

    >>> table = np.asarray([[8.0, 1.0], [5.0, 5.0], [9.0, 0.0], [2.0, 7.0], [6.0, 4.0]])
    >>> (found,) = cluster_intervals(lambda cells: cells[:, 0] / cells.sum(axis=1), table, method="percentile")
    >>> round(found.value, 4), 0.3 < found.low < 0.5, 0.8 < found.high < 0.95, found.method
    (0.6383, True, True, 'percentile, clusters')
    """
    if len(table) < 2:
        values = np.atleast_2d(np.asarray(statistic(table.sum(axis=0)[None])).reshape(1, -1))[0]
        return [Estimate(float(value), remark=ONE_CLUSTER) for value in values]
    return _named(resample(statistic, ClusterKinds.of_table(table), **draws)[0])


def item_intervals(
    statistics: Mapping[str, Callable[[FloatArray], float]],
    clusters: IntArray,
    *,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Return percentile intervals of statistics of the number of times each item was drawn.

    Without `resamples`, use as many as `MOST_DRAWS` allows, at most 2,000.

    >>> losses = np.asarray([0.1, 0.4, 0.2, 0.3, 0.9, 0.5])
    >>> means = {"mean": lambda drawn: drawn @ losses / drawn.sum()}
    >>> found = item_intervals(means, np.asarray([0, 0, 1, 1, 2, 3]))["mean"]
    >>> round(found.value, 2), found.low < 0.3, found.high > 0.5, found.method
    (0.4, True, True, 'percentile, clusters')
    """
    num = int(clusters.max()) + 1
    names = list(statistics)

    def all_of_them(draws: FloatArray) -> FloatArray:
        return np.asarray([[statistics[name](drawn[clusters]) for name in names] for drawn in draws])

    if num < 2:
        values = all_of_them(np.ones((1, num)))[0].tolist()
        return {name: Estimate(value, remark=ONE_CLUSTER) for name, value in zip(names, values, strict=True)}
    taken = resamples_of(len(clusters), level, resamples)
    kinds = Kinds(np.ones(num, dtype=np.int64), np.arange(num)[:, None], num)
    found, _ = resample(all_of_them, kinds, "percentile", level, taken, seed)
    fewer = f"{taken} resamples" if resamples is None and taken < USUAL_RESAMPLES else ""
    named = [
        replace(e, remark="; ".join(filter(None, [e.remark, fewer]))) if e.has_interval else e for e in _named(found)
    ]
    return dict(zip(names, named, strict=True))


def resamples_of(num_items: int, level: float, resamples: int | None) -> int:
    """Return the number of resamples of items: the one given, or the usual one, fewer for many items."""
    if resamples is not None:
        return resamples
    return max(FEWEST_RESAMPLES, math.ceil(2 / (1 - level)), min(USUAL_RESAMPLES, MOST_DRAWS // num_items))


def _named(found: list[Estimate]) -> list[Estimate]:
    """Append that clusters were resampled to the names of the methods."""
    return [replace(e, method=f"{e.method}, {CLUSTERS}") if e.has_interval else e for e in found]
