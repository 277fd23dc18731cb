"""Bootstrap intervals of statistics of a confusion matrix that are not proportions (F, MCC, kappa, class averages).

Items are assumed independent; if they come in groups (several of one patient), the intervals are too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.intervals.cell_bootstrap import Draws, Kinds, Statistic, resample
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Confusion
from germane.tables.results.performance import Estimate

WeightedRows = tuple[npt.ArrayLike, npt.ArrayLike]
"""The cell of each item, as an index from 0, and its weight."""

CELL_STRATA = np.asarray([1, 0, 1, 0])
"""Strata of TP, FP, FN and TN: positives and negatives, for designs that fix their numbers."""


def cell_intervals(
    statistics: Sequence[Callable[[Cells], FloatArray]],
    cells: Cells,
    *,
    stratified: bool = False,
    **draws: Unpack[Draws],
) -> list[Estimate]:
    """Return the intervals of statistics of the same four cells, from the same resamples.

    Each statistic takes arrays of cells, one entry per resample. `stratified` keeps the numbers of positives and of
    negatives. Resamples in which a statistic is NaN are excluded, and the remark counts them. If every resample gives
    the same value there is no interval, and the method is "degenerate".

    >>> from germane.measures.decisions.rates import RATES
    >>> (found,) = cell_intervals([RATES["MCC"]], Cells(900, 2000, 100, 7000))
    >>> round(found.value, 3), 0.43 < found.low < 0.44, 0.46 < found.high < 0.47, found.method
    (0.448, True, True, 'bca')
    """
    counts = np.asarray(cells)
    if counts.shape != (4,):
        raise GermaneError(f"expected four counts, found an array of shape {counts.shape}")
    if (counts != np.rint(counts)).any() or (counts < 0).any():
        problem = f"expected integer counts in the cells, found {', '.join(f'{count:g}' for count in counts)}"
        raise GermaneError(problem, hint="use row_intervals for weighted items")
    if not counts.any():
        return [Estimate(np.nan, remark="no items") for _ in statistics]
    kinds = Kinds.of_cells(counts.astype(np.int64), CELL_STRATA if stratified else None)
    found, _ = resample(_of_cells(statistics), kinds, **draws)
    if empty := empty_cells(cells):
        found = [replace(e, remark=f"{empty}, so {e.remark}") if e.method == "degenerate" else e for e in found]
    return _named(found, "stratified" if stratified else "")


def matrix_interval(
    statistic: Callable[[npt.NDArray[np.float64]], FloatArray],
    confusion: Confusion,
    *,
    stratified: bool = False,
    rows: WeightedRows | None = None,
    **draws: Unpack[Draws],
) -> list[Estimate]:
    """Return the intervals of statistics of a K × K confusion matrix, all from the same resamples.

    `statistic` takes a stack of matrices (… × K × K, rows are true classes) and returns one number each, or several
    (… × m). `stratified` keeps the size of every true class. For weights that are not integers, `rows` gives the cell
    of each item (truth · K + prediction) and its weight, to resample the items; without it there is no interval.

    >>> animals = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]])
    >>> def accuracy(counts: FloatArray) -> FloatArray:
    ...     return np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1))
    >>> [(round(each.value, 3), 0.45 < each.low < 0.55, each.method) for each in matrix_interval(accuracy, animals)]
    [(0.704, True, 'bca')]
    """
    size = len(confusion)

    def flat(cells: FloatArray) -> FloatArray:
        return statistic(cells.reshape(-1, size, size))

    if rows is not None:
        return _named(resample(flat, row_kinds(*rows, size * size), **draws)[0], "rows")
    if confusion.weighted or not confusion.total:
        values = np.atleast_1d(flat(confusion.counts.astype(np.float64).ravel()[None])[0])
        remark = "weights are not integers" if confusion.total else "no items"
        return [Estimate(float(value), remark=remark) for value in values]
    strata = np.repeat(np.arange(size), size) if stratified else None
    kinds = Kinds.of_cells(confusion.counts.ravel(), strata)
    return _named(resample(flat, kinds, **draws)[0], "stratified" if stratified else "")


def row_intervals(
    statistics: Sequence[Callable[[Cells], FloatArray]],
    codes: npt.ArrayLike,
    weights: npt.ArrayLike,
    **draws: Unpack[Draws],
) -> list[Estimate]:
    """Return the intervals of statistics of the four cells of weighted items, by resampling the items.

    `codes` is the cell of each item (0 TP, 1 FP, 2 FN, 3 TN). Items with the same cell and weight are resampled
    together, so a few distinct weights cost no more than none. If resampling would take too long, there is no interval
    and the remark says so.

    >>> def accuracy(cells: Cells) -> FloatArray:
    ...     return (cells.TP + cells.TN) / sum(cells)
    >>> (found,) = row_intervals([accuracy], [0, 0, 1, 2, 3, 3, 3], [1.5, 0.5, 1.5, 0.5, 1.5, 1.5, 0.5])
    >>> round(found.value, 4), found.method                                  # 5.5 of 7.5
    (0.7333, 'bca, rows')
    """
    return _named(resample(_of_cells(statistics), row_kinds(codes, weights, 4), **draws)[0], "rows")


def row_kinds(codes: npt.ArrayLike, weights: npt.ArrayLike, num_cells: int) -> Kinds:
    """Group items by cell and weight."""
    cell, weight = np.asarray(codes, dtype=np.int64), np.asarray(weights, dtype=np.float64)
    if cell.shape != weight.shape or cell.ndim != 1 or not len(cell):
        raise GermaneError(f"expected one cell and one weight per item, found shapes {cell.shape} and {weight.shape}")
    if ((cell < 0) | (cell >= num_cells)).any():
        raise GermaneError(f"expected cells 0 to {num_cells - 1}, found {int(cell.min())} to {int(cell.max())}")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        raise GermaneError("expected finite weights ≥ 0")
    order = np.lexsort((weight, cell))
    cell, weight = cell[order], weight[order]
    begin = np.flatnonzero(np.append(True, (np.diff(cell) != 0) | (np.diff(weight) != 0)))
    counts = np.diff(begin, append=len(cell))
    return Kinds(counts.astype(np.int64), cell[begin, None], num_cells, weight[begin])


def empty_cells(cells: Cells) -> str:
    """Return which cells are 0, in words: ``FP and FN are 0``; an empty string if none is.

    >>> empty_cells(Cells(10, 0, 0, 5)), empty_cells(Cells(0, 2, 3, 4)), empty_cells(Cells(1, 1, 1, 1))
    ('FP and FN are 0', 'TP is 0', '')
    """
    empty = [name for name, count in cells._asdict().items() if count == 0]
    if not empty:
        return ""
    listed = " and ".join(filter(None, [", ".join(empty[:-1]), empty[-1]]))
    return f"{listed} {'is' if len(empty) == 1 else 'are'} 0"


def _of_cells(statistics: Sequence[Callable[[Cells], FloatArray]]) -> Statistic:
    def all_of_them(counts: FloatArray) -> FloatArray:
        cells = Cells(*counts.T)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.stack([np.broadcast_to(statistic(cells), len(counts)) for statistic in statistics], axis=1)

    return all_of_them


def _named(found: list[Estimate], how: str) -> list[Estimate]:
    """Append how items were resampled to the names of the methods."""
    return [replace(e, method=f"{e.method}, {how}") if how and e.has_interval else e for e in found]
