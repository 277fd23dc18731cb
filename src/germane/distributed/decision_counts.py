"""Count decisions on a cluster: each task counts its rows, and the counts are merged on the way back.

Merging also runs on the cluster: thousands of tasks with a histogram each are too much for one driver.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from germane.distributed.frames import quoted
from germane.distributed.session import broadcast, collected
from germane.errors import InputError
from germane.formats.decisions.labelled_columns import Chosen
from germane.formats.decisions.labelled_rows import LabelledRows, rows_of
from germane.formats.decisions.labelled_text import Part
from germane.formats.decisions.labelled_values import LabelKind, Where
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decision_stream import StreamedDecisions

COUNTS = "counts binary, problem string, hint string"
MERGING_TASKS = 16
"""Number of tasks that merge the counts of all partitions, so that the driver merges only this many."""


class OnACluster(Where):
    """Location of rows without numbers: an error says what is wrong, but not in which row."""

    def error(self, row: int, problem: str, hint: str | None = None) -> InputError:
        """Return an error about some row."""
        return InputError(self.source, None, problem, hint=hint)


def checked_rows(table: Any, chosen: Chosen, source: str) -> LabelledRows:
    """Return the checked rows of an Arrow table or batch: no missing values, and the right types."""
    columns = {name: table.column(name) for name in chosen.needed}
    return rows_of(chosen, Part(columns, OnACluster(source), table.num_rows), LabelKind())


@dataclass(frozen=True, eq=False)
class CountingTask:
    """Counts the rows of one partition; `edges` are the bin edges, or a broadcast of them."""

    chosen: Chosen
    positive: Label
    threshold: float | None
    edges: Any
    source: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row: the counts, or the problem."""
        yield from _answered(self._count, batches)

    def _count(self, batches: Iterator[Any]) -> StreamedDecisions | None:
        edges: FloatArray | None = getattr(self.edges, "value", self.edges)
        stream = StreamedDecisions(positive=self.positive, threshold=self.threshold, edges=edges)
        for batch in batches:
            rows = checked_rows(batch, self.chosen, self.source)
            predicted, score = (next(iter(each.values()), None) for each in (rows.predicted, rows.scores))
            stream.add(rows.truth, predicted=predicted, score=score, weight=rows.weight, source=self.source)
        return stream if stream.num_rows else None


@dataclass(frozen=True, eq=False)
class MergingTask:
    """Merges the counts of several partitions into one row."""

    source: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row: the merged counts, or the first problem."""
        yield from _answered(partial(merge_all, source=self.source), batches)


def merge_all(batches: Iterator[Any], source: str) -> StreamedDecisions | None:
    """Merge all counts; None if there are none. Raises the problem of a task that failed."""
    merged: StreamedDecisions | None = None
    for batch in batches:
        for counts, problem, hint in zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True):
            if problem is not None:
                raise InputError(source, None, problem, hint=hint)
            stream: StreamedDecisions = pickle.loads(counts)
            if merged is None:
                merged = stream
            else:
                merged.merge(stream, source)
    return merged


def count_on_spark(
    frame: Any, chosen: Chosen, *, positive: Label, threshold: float | None, edges: FloatArray | None, source: str
) -> StreamedDecisions:
    """Count all rows of a frame; scores are counted in the bins with these edges."""
    rows = frame.select(*map(quoted, chosen.needed))
    with broadcast(frame, edges) as sent:
        counts = rows.mapInArrow(CountingTask(chosen, positive, threshold, sent, source), COUNTS)
        merged = counts.repartition(MERGING_TASKS).mapInArrow(MergingTask(source), COUNTS)
        found = merge_all(iter(collected(merged).to_batches()), source)
    if found is None:
        raise InputError(source, None, "expected rows, found none")
    return found


def _answered(counted: Callable[[Iterator[Any]], StreamedDecisions | None], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield one row with a task's counts, if any, or its problem."""
    try:
        found = counted(batches)
    except InputError as error:
        yield _result(problem=error)
        deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows
        return
    if found is not None:
        yield _result(found)


def _result(stream: StreamedDecisions | None = None, problem: InputError | None = None) -> Any:
    import pyarrow as pa

    counts = None if stream is None else pickle.dumps(stream, protocol=pickle.HIGHEST_PROTOCOL)
    message, hint = (None, None) if problem is None else (problem.problem, problem.hint)
    kinds = pa.schema([("counts", pa.binary()), ("problem", pa.string()), ("hint", pa.string())])
    return pa.RecordBatch.from_pydict({"counts": [counts], "problem": [message], "hint": [hint]}, kinds)
