"""Measures of scores on a cluster: ranges of scores are sorted and measured, and what was found is joined.

The counts of a first job say how many positives and negatives lie above each range, so that each can be measured alone.
Whatever is added up is added exactly, so the ranges give what all scores in a row give, to the last bit.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.distributed.decision_counts import ScoreBins, checked_rows, truth_of
from germane.distributed.frames import quoted
from germane.distributed.session import collected
from germane.formats.decisions.labelled_columns import Chosen
from germane.measures.decisions.scores.streamed import StreamedScores
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.score_spill import COLUMNS, PART, ScoreCounts, joined, score_counts

RANGE, SCORE, POSITIVES, NEGATIVES = "range", "score", "positives", "negatives"
SCHEMA = f"{RANGE} long, {SCORE} double, {POSITIVES} double, {NEGATIVES} double"
MEASURED = f"{RANGE} long, measured binary"


@dataclass(frozen=True, eq=False)
class DividingTask:
    """Yields the distinct scores of one partition, some rows at a time, with the range and the counts of each."""

    chosen: Chosen
    positive: Label
    cuts: FloatArray
    source: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield rows of `SCHEMA`."""
        held: list[tuple[BoolArray, FloatArray, Any]] = []
        for batch in batches:
            if not batch.num_rows:
                continue
            rows = checked_rows(batch, self.chosen, self.source)
            (score,) = rows.scores.values()
            weight = np.ones(len(score)) if rows.weight is None else rows.weight
            held.append((truth_of(rows, self.positive), score, weight))
            if sum(len(score) for _, score, _ in held) >= PART:
                yield self._divided(held)
                held = []
        if held:
            yield self._divided(held)

    def _divided(self, held: list[tuple[BoolArray, FloatArray, Any]]) -> Any:
        import pyarrow as pa

        run = score_counts(*(np.concatenate(column) for column in zip(*held, strict=True)))
        ranges = len(self.cuts) - np.searchsorted(self.cuts, run[0], side="right")
        columns = (ranges, run[0] + 0.0, run[1], run[2])  # Spark would order -0.0 and 0.0, which are equal
        return pa.RecordBatch.from_arrays([pa.array(each) for each in columns], [RANGE, SCORE, POSITIVES, NEGATIVES])


@dataclass(frozen=True, eq=False)
class MeasuringTask:
    """Measures each range of a partition, whose rows are sorted by range and falling score."""

    empty: StreamedScores
    before: Mapping[int, tuple[Any, Any]]

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield a row of `MEASURED` for each range."""
        current, measured, held = -1, self.empty, np.zeros((COLUMNS, 0))
        for batch in batches:
            numbers, *columns = (batch.column(i).to_numpy(zero_copy_only=False) for i in range(4))
            rows = np.stack(columns)
            for number, part in _stretches(numbers):
                if number != current:
                    if current >= 0:
                        yield _finished(current, measured, held)
                    current, measured, held = number, self.empty.after(self.before[number]), held[:, :0]
                # A score may go on in the next batch.
                held = joined(np.concatenate((held, rows[:, part]), axis=1))
                _add(measured, held[:, :-1])
                held = held[:, -1:]
        if current >= 0:
            yield _finished(current, measured, held)


def _stretches(numbers: IntArray) -> Iterator[tuple[int, slice]]:
    starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))[: len(numbers)]
    for start, stop in zip(starts, np.append(starts[1:], len(numbers)), strict=True):
        yield int(numbers[start]), slice(start, stop)


def _add(measured: StreamedScores, run: npt.NDArray[np.float64]) -> None:
    if run.shape[1]:
        kind = np.float64 if measured.weighted else np.int64
        measured.add(ScoreCounts(run[0], run[1].astype(kind), run[2].astype(kind)))


def _finished(number: int, measured: StreamedScores, held: npt.NDArray[np.float64]) -> Any:
    import pyarrow as pa

    _add(measured, held)
    packed = pickle.dumps(measured, protocol=pickle.HIGHEST_PROTOCOL)
    return pa.RecordBatch.from_pydict({RANGE: [number], "measured": [packed]})


def measure_on_spark(
    frame: Any, chosen: Chosen, bins: ScoreBins, read: StreamedScores, *, positive: Label, source: str
) -> None:
    """Add to `read` all scores of a frame, whose rows were counted in bins."""
    cuts, before = bins.ranges()
    rows = frame.select(*map(quoted, chosen.needed))
    divided = rows.mapInArrow(DividingTask(chosen, positive, cuts, source), SCHEMA).repartition(len(before), RANGE)
    ordered = divided.sortWithinPartitions(RANGE, divided[SCORE].desc())
    found = collected(ordered.mapInArrow(MeasuringTask(read, before), MEASURED))
    for _, measured in sorted(zip(*(found.column(i).to_pylist() for i in range(2)), strict=True)):
        read.merge(pickle.loads(measured))
    read.require_all()
