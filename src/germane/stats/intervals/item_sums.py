"""Bootstrap over items that each add to several counts, such as to the cells of every label of a multi-label item.

Labels of one item are not independent, so items are resampled and never single labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from germane.stats.intervals.cell_bootstrap import Kinds
from germane.stats.intervals.resampling import products
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells

Columns = Callable[[Cells, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class ItemSums(Kinds):
    """Items by kind, where an item of a kind adds a row of `values` to the sums.

    >>> items = ItemSums.of([[1, 0], [1, 1], [1, 0]])
    >>> items.counts.tolist(), items.totals(items.counts[None].astype(float)).tolist()
    ([2, 1], [[3.0, 1.0]])
    >>> items.without_one(slice(0, 2)).tolist()
    [[2.0, 1.0], [2.0, 0.0]]
    """

    values: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @classmethod
    def of(cls, rows: npt.ArrayLike) -> ItemSums:
        """Group equal rows of 0 and 1; a row is an item, a column is a sum."""
        table = np.asarray(rows, dtype=np.bool_)
        packed = np.ascontiguousarray(np.packbits(table, axis=1))
        as_bytes = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, firsts, counts = np.unique(as_bytes, return_index=True, return_counts=True)
        order = np.argsort(firsts)  # the order of the items, so that a resample does not depend on their packing
        kept = table[firsts[order]].astype(np.float64)
        targets = np.zeros((len(kept), 0), dtype=np.int64)
        return cls(counts[order].astype(np.int64), targets, table.shape[1], values=kept)

    def totals(self, draws: FloatArray) -> FloatArray:
        """Return the sums of each resample, given draws × kinds."""
        return products(self.values, draws).T

    def without_one(self, kinds: slice) -> FloatArray:
        """Return the sums without one item, for each of these kinds (jackknife)."""
        whole: FloatArray = self.totals(self.counts[None].astype(np.float64)) - self.values[kinds]
        return whole


def cell_columns(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return what each item adds to TP, FP, FN and TN of every label, one after the other.

    >>> cell_columns([[True, False]], [[True, True]]).astype(int).tolist()
    [[1, 0, 0, 1, 0, 0, 0, 0]]
    """
    true, said = np.asarray(truth, dtype=np.bool_), np.asarray(predicted, dtype=np.bool_)
    return np.hstack([true & said, said & ~true, true & ~said, ~(true | said)])


def cells_of(sums: FloatArray) -> Cells:
    """Return the cells of each label (… × labels) from sums of `cell_columns`."""
    return Cells(*np.split(sums, 4, axis=-1))
