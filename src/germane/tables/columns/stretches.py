"""The query of each row, stored as stretches of rows: millions of rows form a few thousand stretches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.tables.columns.ids import IntArray


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of rows: ``start[i]`` to ``start[i + 1]`` have the number ``code[i]``; `start` ends with the total.

    >>> Stretches.of(np.array([0, 0, 1, 0])).start
    array([0, 2, 3, 4])
    """

    code: IntArray
    start: IntArray

    @classmethod
    def of(cls, rows: IntArray) -> Stretches:
        """Return the stretches from the number of each row."""
        if len(rows) == 0:
            return cls(np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64))
        start = np.concatenate(([0], np.flatnonzero(rows[1:] != rows[:-1]) + 1, [len(rows)]))
        return cls(rows[start[:-1]], start)

    @classmethod
    def of_sizes(cls, sizes: list[int]) -> Stretches:
        """Return stretches 0, 1, ... of these sizes."""
        return cls(np.arange(len(sizes)), np.cumsum([0, *sizes]))

    def __len__(self) -> int:
        return int(self.start[-1])

    @cached_property
    def rows(self) -> IntArray:
        """The number of each row."""
        return np.repeat(self.code, np.diff(self.start))

    @property
    def scattered(self) -> bool:
        """Whether some number has several stretches."""
        filled = self.code[np.diff(self.start) > 0]
        return len(np.unique(filled)) < len(filled)
