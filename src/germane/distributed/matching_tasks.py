"""The work of an executor: rows sorted by query come in as Arrow batches, and matches go out.

A task is a pure function of its rows: repeated on another machine, it gives the same result. A problem with a row is
returned as a row, too: raised here, it would be retried three times and end as a Java stack trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from germane import kernels
from germane.distributed.frames import Shape
from germane.distributed.whole_queries import Place, RunRows, WorkerRowError, whole_queries
from germane.errors import InputError
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.matching import match, new_matcher
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

RESULT = "frame int, tag binary, kind int, a bigint, b bigint, c bigint, d bigint, text binary"
GROUP, HIT, UNKNOWN, RISING, PROBLEM = range(5)
"""Kinds of result rows: the number of rows (b) of a query (a); a hit (judged document, rank, first and last rank of its
ties); a query (text) that is not in the qrels; the number of queries (a) with rising scores; or a problem (text)."""


@dataclass(frozen=True, eq=False)
class MatchingTask:
    """Matches the rows of one partition; `judgments` are `Qrels`, or a broadcast of them."""

    judgments: Any
    shape: Shape
    ties: Ties
    score_type: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield result rows for the rows of a partition."""
        qrels = self.judgments if isinstance(self.judgments, Qrels) else self.judgments.value
        run: _OpenRun | None = None
        try:
            for rows in whole_queries(batches, self.shape):
                if run is None or rows.place != run.place:
                    if run is not None:
                        yield from run.results()
                    run = _OpenRun(rows.place, qrels, self.ties, self.score_type)
                run.add(rows)
        except WorkerRowError as found:
            yield _result(found.place, PROBLEM, text=[found.problem.encode("utf-8", "surrogateescape")])
            deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows
            return
        if run is not None:
            yield from run.results()


class _OpenRun:
    """Matches of one run, as far as its rows are in this partition."""

    def __init__(self, place: Place, qrels: Qrels, ties: Ties, score_type: str) -> None:
        self.place = place
        self._qrels, self._ties, self._score_type = qrels, ties, score_type
        self._matcher = new_matcher(qrels, ties, score_type)
        self._unknown: list[bytes] = []

    def add(self, rows: RunRows) -> None:
        codes = np.asarray([self._matcher.code_of(query) for query in rows.queries], dtype=np.int64)
        self._unknown += [rows.queries[i] for i in np.flatnonzero(codes >= self._qrels.num_queries).tolist()]
        self._matcher.columns(codes, rows.starts, rows.docs.data, rows.docs.offsets, rows.score, rows.rank, None)
        if self._matcher.finish() != kernels.OK:
            raise self._explained(rows)

    def _explained(self, rows: RunRows) -> WorkerRowError:
        """Return the error for rows that the kernel rejects, in the same words as on one machine."""
        a, b = int(rows.starts[0]), int(rows.starts[-1])
        stretches = Stretches(np.arange(len(rows.queries)), rows.starts - a)
        docs = Ids(rows.docs.data, rows.docs.offsets[a : b + 1])
        run = Run(Ids.of(rows.queries), stretches, docs, rows.score[a:b], None if rows.rank is None else rows.rank[a:b])
        try:
            match(self._qrels, run, ties=self._ties, score_type=self._score_type)
        except InputError as error:
            return WorkerRowError(self.place, error.problem)
        raise AssertionError("rows of one query are not adjacent")

    def results(self) -> Iterator[Any]:
        """Yield all results as batches."""
        groups, hits = self._matcher.found()
        known = groups[groups[:, 0] < self._qrels.num_queries]
        if len(known):
            yield _result(self.place, GROUP, numbers=known)
        if len(hits):
            yield _result(self.place, HIT, numbers=hits)
        if self._unknown:
            yield _result(self.place, UNKNOWN, text=self._unknown)
        if rising := self._matcher.rising_queries:
            yield _result(self.place, RISING, numbers=np.asarray([[rising]]))


def _result(place: Place, kind: int, *, numbers: IntArray | None = None, text: Sequence[bytes] = ()) -> Any:
    """Return result rows: one for each row of numbers, or for each text."""
    import pyarrow as pa

    size = len(text) if numbers is None else len(numbers)
    columns = np.zeros((size, 4), dtype=np.int64)
    if numbers is not None:
        columns[:, : numbers.shape[1]] = numbers
    frame, tag = place
    return pa.RecordBatch.from_pydict(
        {
            "frame": pa.array(np.full(size, frame, dtype=np.int32)),
            "tag": pa.array([tag] * size, pa.binary()),
            "kind": pa.array(np.full(size, kind, dtype=np.int32)),
            **{name: pa.array(columns[:, i]) for i, name in enumerate("abcd")},
            "text": pa.array(text or [b""] * size, pa.binary()),
        }
    )
