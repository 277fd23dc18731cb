"""The bootstrap of counts: draw again how many items fall into each cell, instead of the items themselves.

Items of the same kind (the same cell and weight, the same truth and two predictions) are alike, so a resample of a
million items is one multinomial draw of a few counts, and leaving one item out has as many outcomes as there are kinds.
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
"""Drawn counts held at once: 32 MB."""

MOST = 200_000_000
"""Drawn counts of all resamples together: some seconds."""

CellsMethod = Literal["bca", "percentile"]
CELLS_METHODS: dict[CellsMethod, str] = {
    "bca": "Bootstrap of the counts, bias-corrected and accelerated (BCa): percentiles moved to allow for bias and "
    "skew; Efron, JASA 82 (1987), 171-185.",
    "percentile": "Bootstrap of the counts: the middle 95 % of what the resamples give.",
}

Statistic = Callable[[FloatArray], FloatArray]
"""From resamples × cells to resamples, or to resamples × several statistics."""


class Draws(TypedDict, total=False):
    """How items are drawn again, and which interval is made of the draws; `resample` says what is usual."""

    method: CellsMethod
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class Kinds:
    """Items by kind: how many there are, the cells that each adds to, what each weighs, and its stratum.

    A resample keeps the number of items of each stratum.
    """

    counts: IntArray
    targets: IntArray
    """Kinds × the cells that an item of the kind adds to."""
    num_cells: int
    weights: FloatArray | None = None
    strata: IntArray | None = None

    @classmethod
    def of_cells(cls, counts: IntArray, strata: IntArray | None = None) -> Kinds:
        """Each cell that is not empty is a kind."""
        there = np.flatnonzero(counts)
        return cls(counts[there], there[:, None], len(counts), strata=None if strata is None else strata[there])

    def totals(self, draws: FloatArray) -> FloatArray:
        """The cells of each draw (draws × kinds)."""
        weighted = draws if self.weights is None else draws * self.weights
        cells = np.zeros((len(draws), self.num_cells))
        for target in self.targets.T:
            if (np.diff(target) > 0).all():  # each kind has a cell of its own
                cells[:, target] += weighted
                continue
            order = np.argsort(target, kind="stable")
            begin = np.flatnonzero(np.diff(target[order], prepend=-1))
            cells[:, target[order][begin]] += np.add.reduceat(weighted[:, order], begin, axis=1)
        return cells

    def without_one(self, kinds: slice) -> FloatArray:
        """The cells after one item of a kind is gone, for each of these kinds."""
        targets = self.targets[kinds]
        cells = np.repeat(self.totals(self.counts[None].astype(np.float64)), len(targets), axis=0)
        lost = 1.0 if self.weights is None else self.weights[kinds, None]
        np.subtract.at(cells, (np.arange(len(targets))[:, None], targets), lost)
        if self.weights is not None:
            # The last item of a cell leaves nothing behind, and no rounding either.
            cells[np.abs(cells) <= SAME * cells.max(axis=1, keepdims=True)] = 0.0
        return cells

    def draws(self, resamples: int, seed: int) -> Iterator[FloatArray]:
        """How many items of each kind each resample has, block after block."""
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
    """The interval of each statistic, or its value alone where drawing takes too long; and the statistics of each draw.

    Several statistics are several columns.
    """
    if method not in CELLS_METHODS:
        raise unknown("bootstrap of counts", method, CELLS_METHODS)
    require_level(level)
    require_draws(resamples, math.ceil(2 / (1 - level)))
    observed = _columns(statistic(kinds.totals(kinds.counts[None].astype(np.float64))))[0]
    if len(kinds.counts) * resamples > MOST:
        obstacle = f"{resamples} resamples of {len(kinds.counts)} different items take too long"
        return [Estimate(value, remark=obstacle) for value in observed.tolist()], np.empty((0, len(observed)))
    drawn = np.concatenate([_columns(statistic(kinds.totals(draws))) for draws in kinds.draws(resamples, seed)])
    # NaN where leaving out an item leaves the statistic undefined, or where there are too many kinds to try.
    acceleration = _acceleration(statistic, kinds) if method == "bca" else np.full(len(observed), np.nan)
    columns = zip(observed.tolist(), drawn.T, acceleration.tolist(), strict=True)
    return [_estimate(*column, method, level) for column in columns], drawn


def _estimate(value: float, drawn: FloatArray, acceleration: float, method: CellsMethod, level: float) -> Estimate:
    if math.isnan(value):
        return Estimate(value, remark="undefined for these counts")
    defined = drawn[~np.isnan(drawn)]
    undefined = f"{len(drawn) - len(defined)} of {len(drawn)}" if len(defined) < len(drawn) else ""
    remark = f"undefined in {undefined} resamples, which were left out" if undefined else ""
    if len(defined) < 2 / (1 - level):
        return Estimate(value, remark=remark)
    defined.sort()
    if not np.isfinite(defined[[0, -1]]).all():
        return Estimate(value, remark="infinite in some resamples")
    if defined[-1] - defined[0] <= near_to(value):
        but_for = f", but for {undefined} where it is undefined" if undefined else ""
        return Estimate(value, method="degenerate", remark=f"every resample gives {value:.4g}{but_for}")
    tails = tails_of(level)
    if method == "bca":
        if math.isnan(acceleration):
            acceleration = 0.0
            remark = "; ".join(filter(None, [remark, "corrected for bias, but not accelerated"]))
        tails = _moved(tails, defined, value, acceleration)
    low, high, obstacle = bootstrap_ends(value, defined, tails)
    if obstacle:
        return Estimate(value, remark="; ".join(filter(None, [remark, obstacle])))
    return Estimate(value, low, high, method, remark)


def _moved(tails: FloatArray, drawn: FloatArray, value: float, acceleration: float) -> FloatArray:
    """The places of the BCa quantiles among the sorted draws."""
    from scipy.special import ndtr, ndtri

    near = near_to(value)
    below, up_to = np.searchsorted(drawn, value - near), np.searchsorted(drawn, value + near, side="right")
    # Half a resample at least lies on either side: all on one side would send both ends to infinity.
    bias = ndtri(np.clip((below + up_to) / 2, 0.5, len(drawn) - 0.5) / len(drawn))
    moved = bias + ndtri(tails)
    stretch = 1 - acceleration * moved
    # Where the stretch changes its sign, the quantile has passed the last resample.
    bounded = bias + moved / np.where(stretch > 0, stretch, 1)
    return np.where(stretch > 0, ndtr(bounded), (moved > 0).astype(np.float64))


def _acceleration(statistic: Statistic, kinds: Kinds) -> FloatArray:
    """Σ U³/n³ / (6 (Σ U²/n²)^1.5) over items, U = (n − 1)(mean − value) without the item; n is that of the stratum."""
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
    """One statistic is one column."""
    values = np.asarray(values, dtype=np.float64)
    return values[:, None] if values.ndim == 1 else values


def _own_seed(seed: int, block: int, stratum: int) -> int:
    """Blocks and strata are drawn apart, so each needs a seed of its own."""
    if block == stratum == 0:
        return seed
    return int(np.random.SeedSequence((seed, block, stratum)).generate_state(1, np.uint64)[0])
