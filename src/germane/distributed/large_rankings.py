"""Facts on a ranking too large for a worker, gathered while its rows pass: judged documents, size, order of scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from germane.distributed.whole_queries import LargePart
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.rankings.qrels import Qrels


@dataclass(eq=False)
class LargeQuery:
    """What has been seen of one ranking."""

    query: bytes
    listed: Any
    """The documents that the judgments list for the query, as an Arrow array."""
    first_row: int
    """Row of the first of them in the judgments."""
    use_float32: bool
    num_rows: int = 0
    _rises: bool = True
    _last: float = -np.inf
    _found: list[IntArray] = field(default_factory=list)

    @classmethod
    def of(cls, query: bytes, qrels: Qrels, code: int, *, use_float32: bool) -> LargeQuery:
        """Return facts on no rows yet; the code of a query without judgments is beyond all others."""
        import pyarrow as pa

        a, b = qrels.start[code : code + 2].tolist() if code < qrels.num_queries else (0, 0)
        docs = [qrels.docs.bytes_at(row) for row in range(a, b)]
        return cls(query, pa.array(docs, pa.binary()), a, use_float32)

    def add(self, part: LargePart) -> None:
        """Add some rows, in their order."""
        import pyarrow.compute as pc

        score = part.score.astype(np.float32) if self.use_float32 else part.score
        self._rises &= bool(score[0] > self._last) and bool((score[1:] > score[:-1]).all())
        self._last = float(score[-1])
        self.num_rows += len(score)
        place = pc.index_in(part.docs, value_set=self.listed.cast(part.docs.type))
        rows = np.flatnonzero(place.is_valid().to_numpy(zero_copy_only=False))
        rank = part.score if part.rank is None else part.rank
        listed = place.drop_null().to_numpy().astype(np.int64) + self.first_row
        self._found.append(np.stack([listed, bits(part.score[rows]), bits(rank[rows])], axis=1))

    @property
    def rising(self) -> bool:
        """Whether each score is above the one before."""
        return self._rises and self.num_rows > 1

    def judged(self) -> IntArray:
        """Return the judged documents among the rows, with the bits of score and rank."""
        return np.concatenate([np.zeros((0, 3), dtype=np.int64), *self._found])


def bits(values: FloatArray) -> IntArray:
    """Return numbers as integers of the same bits, which travel with other integers.

    >>> numbers(bits(np.array([0.1, -0.0])))
    array([ 0.1, -0. ])
    """
    return np.ascontiguousarray(values, dtype=np.float64).view(np.int64)


def numbers(values: IntArray) -> FloatArray:
    """Return the numbers with these bits."""
    return np.ascontiguousarray(values).view(np.float64)
