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
from germane.distributed.frames import Place, Shape
from germane.distributed.large_rankings import LargeQuery
from germane.distributed.whole_queries import LARGE_QUERY, LargePart, RunRows, WorkerRowError, whole_queries
from germane.errors import InputError
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.matching import match, new_matcher
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

RESULT = "frame int, tag binary, kind int, a bigint, b bigint, c bigint, d bigint, text binary"
GROUP, HIT, UNKNOWN, RISING, PROBLEM, LARGE, JUDGED, PART = range(8)
"""Kinds of result rows: the number of rows (b) of a query (a); a hit (judged document, rank, first and last rank of its
ties); a query (text) that is not in the qrels; the number of queries (a) with rising scores; a problem (text); a query
(text) with too many rows (a) to match them here; one of its judged documents (a), with the bits of score and rank; or
what would be a hit if a piece of such a query were all of it.
"""


@dataclass(frozen=True, eq=False)
class MatchingTask:
    """Matches the rows of one partition; `judgments` are `Qrels`, or a broadcast of them."""

    judgments: Any
    shape: Shape
    ties: Ties
    score_type: str
    limit: int = LARGE_QUERY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield result rows for the rows of a partition."""
        qrels = broadcast_value(self.judgments)
        run: _OpenRun | None = None
        try:
            for rows in whole_queries(batches, self.shape, self.limit):
                if run is None or rows.place != run.place:
                    if run is not None:
                        yield from run.results()
                    run = _OpenRun(rows.place, qrels, self.ties, self.score_type)
                if isinstance(rows, LargePart):
                    run.add_part(rows)
                else:
                    run.add(rows)
        except WorkerRowError as found:
            yield problem_of(found)
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
        self._large: list[LargeQuery] = []

    def add_part(self, part: LargePart) -> None:
        """Take judged documents and counts from some rows of a large query."""
        if not self._large or self._large[-1].query != part.query:
            code = self._matcher.code_of(part.query)
            self._large.append(LargeQuery.of(part.query, self._qrels, code, use_float32=self._score_type == "float32"))
            self._unknown += [part.query] * (code >= self._qrels.num_queries)
        self._large[-1].add(part)

    def add(self, rows: RunRows) -> None:
        codes = np.asarray([self._matcher.code_of(query) for query in rows.queries], dtype=np.int64)
        self._unknown += [rows.queries[i] for i in np.flatnonzero(codes >= self._qrels.num_queries).tolist()]
        self._matcher.columns(codes, rows.starts, rows.docs.data, rows.docs.offsets, rows.score, rows.rank, None)
        if self._matcher.finish() != kernels.OK:
            raise explained(rows, self._qrels, self._ties, self._score_type)

    def results(self) -> Iterator[Any]:
        """Yield all results as batches."""
        groups, hits = self._matcher.found()
        known = groups[groups[:, 0] < self._qrels.num_queries]
        if len(known):
            yield result(self.place, GROUP, numbers=known)
        if len(hits):
            yield result(self.place, HIT, numbers=hits)
        if self._unknown:
            yield result(self.place, UNKNOWN, text=self._unknown)
        if rising := self._matcher.rising_queries + sum(large.rising for large in self._large):
            yield result(self.place, RISING, numbers=np.asarray([[rising]]))
        for large in self._large:
            yield result(self.place, LARGE, numbers=np.asarray([[large.num_rows]]), text=[large.query])
            if len(hits := large.judged()):
                yield result(self.place, JUDGED, numbers=hits, text=[large.query] * len(hits))


def broadcast_value(sent: Any) -> Any:
    """Return a value that travelled with a task, or that was broadcast."""
    return getattr(sent, "value", sent)


def problem_of(found: WorkerRowError) -> Any:
    """Return the result row of a problem."""
    return result(found.place, PROBLEM, text=[found.problem.encode("utf-8", "surrogateescape")])


def explained(rows: RunRows, qrels: Qrels, ties: Ties, score_type: str) -> WorkerRowError:
    """Return the error for rows that the kernel rejects, in the same words as on one machine."""
    a, b = int(rows.starts[0]), int(rows.starts[-1])
    stretches = Stretches(np.arange(len(rows.queries)), rows.starts - a)
    docs = Ids(rows.docs.data, rows.docs.offsets[a : b + 1])
    run = Run(Ids.of(rows.queries), stretches, docs, rows.score[a:b], None if rows.rank is None else rows.rank[a:b])
    try:
        match(qrels, run, ties=ties, score_type=score_type)
    except InputError as error:
        return WorkerRowError(rows.place, error.problem)
    raise AssertionError("rows of one query are not adjacent")


def result(place: Place, kind: int, *, numbers: IntArray | None = None, text: Sequence[bytes] = ()) -> Any:
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
