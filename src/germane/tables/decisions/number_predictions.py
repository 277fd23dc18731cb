"""True values with predicted numbers: one prediction per item, quantiles, or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from germane.tables.columns.ids import FloatArray
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note

SAME_SHARE = 1e-9
"""Quantiles belong to one central interval if they add up to 1 within this."""
MAX_LISTED_ROWS = 3
"""Maximum number of rows named in a note."""


@dataclass(frozen=True, eq=False)
class NumberPredictions:
    """True values, the predictions of one model, and its predicted quantiles by share, in ascending order."""

    truth: FloatArray
    predicted: FloatArray | None = None
    quantiles: Mapping[float, FloatArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def intervals(self) -> dict[float, tuple[FloatArray, FloatArray]]:
        """Return both ends of each central interval by its level, the widest first.

        >>> ends = {0.1: np.asarray([1.0]), 0.5: np.asarray([2.0]), 0.9: np.asarray([4.0])}
        >>> {level: (low[0].item(), high[0].item()) for level, (low, high) in _of(ends).intervals.items()}
        {0.8: (1.0, 4.0)}
        """
        return dict(self._intervals())

    def _intervals(self) -> Iterator[tuple[float, tuple[FloatArray, FloatArray]]]:
        for share, low in self.quantiles.items():
            for other, high in self.quantiles.items():
                if share < 0.5 and abs(share + other - 1) < SAME_SHARE:
                    yield round(1 - 2 * share, 9), (low, high)

    def repeated(self, times: FloatArray) -> NumberPredictions:
        """Return each item this many times."""
        counts = times.astype(np.int64)
        quantiles = {share: np.repeat(column, counts) for share, column in self.quantiles.items()}
        predicted = None if self.predicted is None else np.repeat(self.predicted, counts)
        return NumberPredictions(np.repeat(self.truth, counts), predicted, quantiles)

    def notes(self) -> tuple[Note, ...]:
        """Return a note on items with a quantile above a higher one."""
        columns = list(self.quantiles.values())
        crossed = np.zeros(len(self), dtype=np.bool_)
        for lower, higher in pairwise(columns):
            crossed |= lower > higher
        count = int(crossed.sum())
        if not count:
            return ()
        rows = tuple(f"row {row + 1}" for row in np.flatnonzero(crossed)[:MAX_LISTED_ROWS].tolist())
        what = "a quantile above a higher one; widths may be negative (sort the quantiles of each item)"
        return (Note("crossed-quantiles", f"{counted(count, 'item')} with", what, count=count, examples=rows),)


def _of(quantiles: Mapping[float, FloatArray]) -> NumberPredictions:
    return NumberPredictions(np.zeros(1), None, quantiles)
