"""The plain reference of the survey of a run or of judgments."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import numpy.typing as npt

COMPILED = False
Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


class Survey:
    """Counts what is worth telling about rows that come query by query, and finds repeated documents."""

    def __init__(self) -> None:
        self._query = -1
        self._seen: dict[tuple[bytes, int], int] = {}
        self._rows: list[tuple[float, float]] = []
        self._scores: list[float] = []
        self._ranked = False
        self._tied = self._contradicted = 0
        self._negated = True

    def add(
        self,
        codes: Integers,
        starts: Integers,
        doc_data: Bytes,
        doc_offsets: Integers,
        groups: Integers | None,
        score: Numbers,
        rank: Numbers | None,
        line: Integers,
    ) -> tuple[Integers, Integers]:
        """Rows ``starts[i]`` to ``starts[i + 1]`` belong to the query `codes[i]`; `groups` and `rank` may be None.

        Returns the repeated rows, and the line where the document of each was first.
        """
        repeated: list[tuple[int, int]] = []
        text, ends = doc_data.tobytes(), doc_offsets.tolist()
        self._ranked = rank is not None
        for code, (start, end) in zip(codes.tolist(), pairwise(starts.tolist()), strict=True):
            if code != self._query:
                self._close()
                self._query = code
            for row in range(start, end):
                key = text[ends[row] : ends[row + 1]], 0 if groups is None else int(groups[row])
                if key in self._seen:
                    repeated.append((row, self._seen[key]))
                    continue
                self._seen[key] = int(line[row])
                value, place = float(score[row]), 0.0 if rank is None else float(rank[row])
                self._rows.append((-value, place))
                self._scores.append(value)
                self._negated = self._negated and self._ranked and value == -place
        found = np.array(repeated, dtype=np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def totals(self) -> tuple[int, int, int, float, float, bool]:
        """Rows that are no repetitions, tied ones, queries with ranks that contradict the scores, least and greatest
        score, and whether each score is the negated rank."""
        self._close()
        self._query = -1
        scores = self._scores
        bounds = (min(scores), max(scores)) if scores else (0.0, 0.0)
        return len(scores), self._tied, self._contradicted, *bounds, self._negated

    def _close(self) -> None:
        """Add what was found in the query to the totals, and begin another."""
        self._tied += sum(count for count in Counter(score for score, _ in self._rows).values() if count > 1)
        places = [place for _, place in sorted(self._rows)]
        self._contradicted += any(after < before for before, after in pairwise(places))
        self._seen, self._rows = {}, []
