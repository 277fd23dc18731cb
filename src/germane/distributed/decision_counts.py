"""Count decisions on a cluster: each task counts its rows, and the counts are merged on the way back.

Merging also runs on the cluster: thousands of tasks with a histogram each are too much for one driver.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.distributed.frames import quoted
from germane.distributed.session import collected
from germane.errors import InputError
from germane.formats.decisions.label_kinds import LabelKind
from germane.formats.decisions.labelled_columns import Chosen
from germane.formats.decisions.labelled_rows import LabelledRows, rows_of
from germane.formats.decisions.labelled_text import Part
from germane.formats.decisions.labelled_values import Where
from germane.formats.decisions.reading import Reading
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.decision_stream import StreamedDecisions
from germane.tables.decisions.labels import encode_labels
from germane.tables.decisions.weights import EXACT, count_as_floats

COUNTS = "counts binary, problem string, hint string"
BINS = 1 << 12
"""Number of bins that are counted, which are joined to ranges of about the same size."""
RANGE_ROWS = 1 << 22
"""Number of rows of a range: its scores are sorted by one task, on disk if necessary."""
MERGING_TASKS = 16
"""Number of tasks that merge the counts of all partitions, so that the driver merges only this many."""


class OnACluster(Where):
    """Location of rows without numbers: an error says what is wrong, but not in which row."""

    def error(self, row: int, problem: str, hint: str | None = None) -> InputError:
        """Return an error about some row."""
        return InputError(self.source, None, problem, hint=hint)


def checked_rows(table: Any, chosen: Chosen, source: str) -> LabelledRows:
    """Return the checked rows of an Arrow table or batch: no missing values, and the right types.

    Text stays text, since other batches may have other words: `with_truth_values` knows all rows.
    """
    columns = {name: table.column(name) for name in chosen.needed}
    reading = Reading()
    reading.kind = LabelKind(kind="words")
    rows = rows_of(chosen, Part(columns, OnACluster(source), table.num_rows), reading)
    reading.missing.require_handled(source)
    assert rows is not None, "incomplete rows were refused"
    return rows


def cuts_of(scores: FloatArray) -> FloatArray:
    """Return the lower ends of bins with about equal shares of these scores; the lowest bin has none.

    >>> cuts_of(np.asarray([1.0, 2.0, 2.0, 4.0]))
    array([2., 4.])
    """
    ordered = np.sort(scores)
    return np.unique(ordered[np.arange(BINS) * len(ordered) // BINS])[1:]


class ScoreBins:
    """Rows, positives and negatives in each bin of scores, the lowest and the highest score."""

    def __init__(self, cuts: FloatArray) -> None:
        self.cuts = cuts
        self.lowest, self.highest = np.inf, -np.inf
        self.weighted = False
        """Whether some weight was not an integer, so that counts are sums of weights."""
        self._sums = np.zeros((3, len(cuts) + 1))

    def add(self, is_positive: BoolArray, score: FloatArray, weight: npt.NDArray[Any] | None) -> None:
        """Count more rows."""
        if not len(score):
            return
        bins = np.searchsorted(self.cuts, score, side="right")
        weights = np.ones(len(score)) if weight is None else weight
        self.weighted = self.weighted or count_as_floats(weights, self._sums[1:].sum() + weights.sum())
        self.lowest, self.highest = min(self.lowest, float(score.min())), max(self.highest, float(score.max()))
        columns = None, weights * is_positive, weights * ~is_positive
        self._sums += [np.bincount(bins, own, minlength=self._sums.shape[1]) for own in columns]

    def merge(self, other: ScoreBins) -> None:
        """Add the counts of other rows, in the same bins."""
        self._sums += other._sums
        self.weighted = self.weighted or other.weighted or self._sums[1:].sum() >= EXACT
        self.lowest, self.highest = min(self.lowest, other.lowest), max(self.highest, other.highest)

    @property
    def num_positive(self) -> Any:
        """Number of positives, or their total weight."""
        return self._number(self._sums[1].sum())

    @property
    def num_negative(self) -> Any:
        """Number of negatives, or their total weight."""
        return self._number(self._sums[2].sum())

    def ranges(self) -> tuple[FloatArray, dict[int, tuple[Any, Any]]]:
        """Return the lower ends of ranges, and by number, 0 for the highest, the positives and negatives above each."""
        downwards = self._sums[:, ::-1]
        number = (np.cumsum(downwards[0]) - downwards[0]) // RANGE_ROWS
        first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
        above = np.cumsum(downwards[1:], axis=1) - downwards[1:]
        before = {i: (self._number(above[0, place]), self._number(above[1, place])) for i, place in enumerate(first)}
        return self.cuts[::-1][first[1:] - 1][::-1], before

    def _number(self, value: Any) -> Any:
        return float(value) if self.weighted else int(value)


def truth_of(rows: LabelledRows, positive: Label) -> BoolArray:
    """Return which rows are positive."""
    true = encode_labels(rows.truth, "truth", rows.source)
    if positive not in true.values:
        return np.zeros(len(true), dtype=np.bool_)
    return np.asarray(true.codes == true.values.index(positive))


class Counted(NamedTuple):
    """Counts of rows: decisions and, if there are scores, how many positives and negatives are in which bins."""

    decisions: StreamedDecisions
    scores: ScoreBins | None

    def merge(self, other: Counted, source: str) -> None:
        """Add the counts of other rows."""
        self.decisions.merge(other.decisions, source)
        if self.scores is not None and other.scores is not None:
            self.scores.merge(other.scores)


@dataclass(frozen=True, eq=False)
class CountingTask:
    """Counts the rows of one partition; `cuts` are the lower ends of the bins of scores, None without scores."""

    chosen: Chosen
    positive: Label
    cuts: FloatArray | None
    source: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row: the counts, or the problem."""
        yield from _answered(self._count, batches)

    def _count(self, batches: Iterator[Any]) -> Counted | None:
        counted = Counted(StreamedDecisions(), None if self.cuts is None else ScoreBins(self.cuts))
        for batch in batches:
            rows = checked_rows(batch, self.chosen, self.source)
            predicted, score = (next(iter(each.values()), None) for each in (rows.predicted, rows.scores))
            counted.decisions.add(rows.truth, predicted=predicted, weight=rows.weight, source=self.source)
            if counted.scores is not None and score is not None:
                counted.scores.add(truth_of(rows, self.positive), score, rows.weight)
        return counted if counted.decisions.num_rows else None


@dataclass(frozen=True, eq=False)
class MergingTask:
    """Merges the counts of several partitions into one row."""

    source: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield one row: the merged counts, or the first problem."""
        yield from _answered(partial(merge_all, source=self.source), batches)


def merge_all(batches: Iterator[Any], source: str) -> Counted | None:
    """Merge all counts; None if there are none. Raises the problem of a task that failed."""
    merged: Counted | None = None
    for batch in batches:
        for counts, problem, hint in zip(*(batch.column(i).to_pylist() for i in range(3)), strict=True):
            if problem is not None:
                raise InputError(source, None, problem, hint=hint)
            counted: Counted = pickle.loads(counts)
            if merged is None:
                merged = counted
            else:
                merged.merge(counted, source)
    return merged


def count_on_spark(frame: Any, chosen: Chosen, *, positive: Label, cuts: FloatArray | None, source: str) -> Counted:
    """Count all rows of a frame."""
    counts = frame.select(*map(quoted, chosen.needed)).mapInArrow(CountingTask(chosen, positive, cuts, source), COUNTS)
    merged = counts.repartition(MERGING_TASKS).mapInArrow(MergingTask(source), COUNTS)
    found = merge_all(iter(collected(merged).to_batches()), source)
    if found is None:
        raise InputError(source, None, "expected rows, found none")
    return found


def _answered(counted: Callable[[Iterator[Any]], Counted | None], batches: Iterator[Any]) -> Iterator[Any]:
    """Yield one row with a task's counts, if any, or its problem."""
    try:
        found = counted(batches)
    except InputError as error:
        yield _result(problem=error)
        deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows
        return
    if found is not None:
        yield _result(found)


def _result(counted: Counted | None = None, problem: InputError | None = None) -> Any:
    import pyarrow as pa

    counts = None if counted is None else pickle.dumps(counted, protocol=pickle.HIGHEST_PROTOCOL)
    message, hint = (None, None) if problem is None else (problem.problem, problem.hint)
    kinds = pa.schema([("counts", pa.binary()), ("problem", pa.string()), ("hint", pa.string())])
    return pa.RecordBatch.from_pydict({"counts": [counts], "problem": [message], "hint": [hint]}, kinds)
