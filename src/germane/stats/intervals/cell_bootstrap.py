"""Bootstrap of counts: resample how many items fall into each cell, instead of the items themselves.

Items of the same kind (same cell and weight, same truth and two predictions) are interchangeable, so a resample of a
million items is one multinomial draw of a few counts, and the jackknife has only as many outcomes as there are kinds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np

from germane.errors import unknown
from germane.stats.intervals.bootstrap_ends import SAME, bootstrap_ends, near_to, tails_of
from germane.stats.intervals.proportions import require_level
from germane.stats.intervals.resampling import bootstrap_counts, cell_draws, require_draws
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.results.performance import Estimate

HELD = 1 << 22
"""Number of resampled counts in memory at once (32 MB)."""

MOST = 200_000_000
"""Maximum number of resampled counts in total, which take a few seconds."""

CellsMethod = Literal["bca", "percentile"]
CELLS_METHODS: dict[CellsMethod, str] = {
    "bca": "Bootstrap of the counts, bias-corrected and accelerated (BCa): percentiles adjusted for bias and "
    "skew; Efron, JASA 82 (1987), 171-185.",
    "percentile": "Percentile bootstrap of the counts: the central 95% of the resampled values.",
}

Statistic = Callable[[FloatArray], FloatArray]
"""Function from resamples × cells to one value per resample, or to resamples × statistics."""


class Draws(TypedDict, total=False):
    """Options of the bootstrap and its interval; the defaults are those of `resample`."""

    method: CellsMethod
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Kinds:
    """Items by kind: their number, the cells that an item adds to, its weight and its stratum.

    A resample keeps the number of items of each stratum.
    """

    counts: IntArray
    targets: IntArray
    """For each kind (row), the cells that an item adds to."""
    num_cells: int
    weights: FloatArray | None = None
    strata: IntArray | None = None

    @classmethod
    def of_cells(cls, counts: IntArray, strata: IntArray | None = None) -> Kinds:
        """Make each non-empty cell a kind."""
        there = np.flatnonzero(counts)
        return cls(counts[there], there[:, None], len(counts), strata=None if strata is None else strata[there])

    def totals(self, draws: FloatArray) -> FloatArray:
        """Return the cells of each resample, given draws × kinds."""
        weighted = draws if self.weights is None else draws * self.weights
        cells = np.zeros((len(draws), self.num_cells))
        for target in self.targets.T:
            if (np.diff(target) > 0).all():  # every kind has its own cell
                cells[:, target] += weighted
                continue
            order = np.argsort(target, kind="stable")
            begin = np.flatnonzero(np.diff(target[order], prepend=-1))
            cells[:, target[order][begin]] += np.add.reduceat(weighted[:, order], begin, axis=1)
        return cells

    def without_one(self, kinds: slice) -> FloatArray:
        """Return the cells without one item, for each of these kinds (jackknife)."""
        targets = self.targets[kinds]
        cells = np.repeat(self.totals(self.counts[None].astype(np.float64)), len(targets), axis=0)
        lost = 1.0 if self.weights is None else self.weights[kinds, None]
        np.subtract.at(cells, (np.arange(len(targets))[:, None], targets), lost)
        if self.weights is not None:
            # Removing the last item of a cell must leave exactly 0, without rounding error.
            cells[np.abs(cells) <= SAME * cells.max(axis=1, keepdims=True)] = 0.0
        return cells

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield blocks of resamples with the number of items of each kind."""
        width = max(len(self.counts), self.num_cells)
        if self.strata is None and (self.counts == 1).all():
            yield from bootstrap_counts(len(self.counts), resamples, seed, columns=self.num_cells)
            return
        strata = np.zeros(len(self.counts), dtype=np.int64) if self.strata is None else self.strata
        for block, begin in enumerate(range(0, resamples, max(1, HELD // width))):
            rows = min(max(1, HELD // width), resamples - begin)
            drawn = np.empty((rows, len(self.counts)))
            for stratum in np.unique(strata):
                of = strata == stratum
                drawn[:, of] = cell_draws(self.counts[of], rows, _own_seed(seed, block, int(stratum)))
            yield drawn


def resample(
    statistic: Statistic,
    kinds: Kinds,
    method: CellsMethod = "bca",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[list[Estimate], FloatArray]:
    """Return the interval of each statistic (the value alone if resampling takes too long), and the resampled values.

    Several statistics are several columns.
    """
    if method not in CELLS_METHODS:
        raise unknown("bootstrap of counts", method, CELLS_METHODS)
    require_level(level)
    require_draws(resamples, math.ceil(2 / (1 - level)))
    observed = _columns(statistic(kinds.totals(kinds.counts[None].astype(np.float64))))[0]
    if len(kinds.counts) * resamples > MOST:
        obstacle = (
            f"{resamples} resamples of {len(kinds.counts)} distinct items would take too long; reduce --resamples"
        )
        return [Estimate(value, remark=obstacle) for value in observed.tolist()], np.empty((0, len(observed)))
    drawn = np.concatenate([_columns(statistic(kinds.totals(draws))) for draws in kinds.draws(resamples, seed)])
    # NaN if the statistic is undefined without one of the items, or if there are too many kinds.
    acceleration = _acceleration(statistic, kinds) if method == "bca" else np.full(len(observed), np.nan)
    columns = zip(observed.tolist(), drawn.T, acceleration.tolist(), strict=True)
    return [estimate_of_draws(*column, method, level) for column in columns], drawn


def estimate_of_draws(
    value: float, drawn: FloatArray, acceleration: float, method: CellsMethod, level: float
) -> Estimate:
    """Return a value with the interval of its resampled values; those that are NaN are excluded, with a remark."""
    if math.isnan(value):
        return Estimate(value, remark="undefined for these counts")
    defined = drawn[~np.isnan(drawn)]
    undefined = f"{len(drawn) - len(defined)} of {len(drawn)}" if len(defined) < len(drawn) else ""
    remark = f"undefined in {undefined} resamples, which are excluded" if undefined else ""
    if len(defined) < 2 / (1 - level):
        return Estimate(value, remark=remark)
    defined.sort()
    if not np.isfinite(defined[[0, -1]]).all():
        return Estimate(value, remark="infinite in some resamples")
    if defined[-1] - defined[0] <= near_to(value):
        but_for = f", except {undefined} where it is undefined" if undefined else ""
        return Estimate(value, method="degenerate", remark=f"every resample gives {value:.4g}{but_for}")
    tails = tails_of(level)
    if method == "bca":
        if math.isnan(acceleration):
            acceleration = 0.0
            remark = "; ".join(filter(None, [remark, "bias-corrected but not accelerated"]))
        tails = _moved(tails, defined, value, acceleration)
    low, high, obstacle = bootstrap_ends(value, defined, tails)
    if obstacle:
        return Estimate(value, remark="; ".join(filter(None, [remark, obstacle])))
    return Estimate(value, low, high, method, remark)


def _moved(tails: FloatArray, drawn: FloatArray, value: float, acceleration: float) -> FloatArray:
    """Return the BCa-adjusted quantile levels for sorted resampled values."""
    from scipy.special import ndtr, ndtri

    near = near_to(value)
    below, up_to = np.searchsorted(drawn, value - near), np.searchsorted(drawn, value + near, side="right")
    # Keep at least half a resample on either side: all on one side would send both limits to infinity.
    bias = ndtri(np.clip((below + up_to) / 2, 0.5, len(drawn) - 0.5) / len(drawn))
    moved = bias + ndtri(tails)
    stretch = 1 - acceleration * moved
    # If the stretch changes sign, the quantile is beyond the last resample.
    bounded = bias + moved / np.where(stretch > 0, stretch, 1)
    return np.where(stretch > 0, ndtr(bounded), (moved > 0).astype(np.float64))


def _acceleration(statistic: Statistic, kinds: Kinds) -> FloatArray:
    """Return Σ U³/n³ / (6 (Σ U²/n²)^1.5), U = (n − 1)(mean − value) without the item; n is the stratum's size."""
    num, width = len(kinds.counts), kinds.num_cells
    if num * width > MOST:
        return np.full(_columns(statistic(kinds.without_one(slice(0, 1)))).shape[1], np.nan)
    step = max(1, HELD // width)
    left = np.concatenate([_columns(statistic(kinds.without_one(slice(i, i + step)))) for i in range(0, num, step)])
    cubes, squares = np.zeros(left.shape[1]), np.zeros(left.shape[1])
    strata = np.zeros(num, dtype=np.int64) if kinds.strata is None else kinds.strata
    with np.errstate(divide="ignore", invalid="ignore"):
        for stratum in np.unique(strata):
            weight = kinds.counts[strata == stratum][:, None].astype(np.float64)
            n = weight.sum()
            values = left[strata == stratum]
            moved = (n - 1) * ((weight * values).sum(axis=0) / n - values)
            cubes += (weight * moved**3).sum(axis=0) / n**3
            squares += (weight * moved**2).sum(axis=0) / n**2
        return np.where(squares > 0, cubes / (6 * squares**1.5), np.nan)


def _columns(values: FloatArray) -> FloatArray:
    """Return the values as columns, one per statistic."""
    values = np.asarray(values, dtype=np.float64)
    return values[:, None] if values.ndim == 1 else values


def _own_seed(seed: int, block: int, stratum: int) -> int:
    """Return a seed for each block and stratum, since they are drawn independently."""
    if block == stratum == 0:
        return seed
    return int(np.random.SeedSequence((seed, block, stratum)).generate_state(1, np.uint64)[0])
