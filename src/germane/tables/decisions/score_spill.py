"""Scores of more items than fit into memory: sorted part by part, kept on disk, and merged in one pass.

Each part becomes a run: its distinct scores, highest first, with the positives and negatives at each. Runs are written
to a temporary file without a name, which the system removes however the process ends.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.weights import count_as_floats
from germane.temporary import written_to_a_temporary_file

PART = 1 << 19
"""Rows sorted at a time: about 60 bytes each."""
HELD = 1 << 18
"""Scores kept in memory (24 bytes each) before they are written to disk."""
WINDOW, SMALLEST_WINDOW = 1 << 18, 1 << 10
"""Scores of all runs in memory while they are merged, and the fewest of one run."""
COLUMNS = 3


class ScoreCounts(NamedTuple):
    """Distinct scores, highest first, with the number (or weight) of positives and of negatives at each."""

    thresholds: FloatArray
    positives: Counts
    negatives: Counts


class SpilledScores:
    """Scores and classes that are added part by part, and read back in the order of the scores.

    >>> with SpilledScores() as scores:
    ...     scores.add(np.asarray([True, False]), np.asarray([0.9, 0.5]))
    ...     scores.add(np.asarray([True, False]), np.asarray([0.5, 0.2]))
    ...     [chunk] = scores.merged()
    >>> chunk.thresholds.tolist(), chunk.positives.tolist(), chunk.negatives.tolist()
    ([0.9, 0.5, 0.2], [1, 1, 0], [0, 1, 1])
    """

    def __init__(self) -> None:
        self.num_positive: Any = 0
        self.num_negative: Any = 0
        """Number of positives and of negatives, or their total weight."""
        self.lowest, self.highest = np.inf, -np.inf
        self.weighted = False
        """Whether some weight was not an integer, so that counts are sums of weights."""
        self._exchanged = False
        self._file: IO[bytes] | None = None
        self._held: list[npt.NDArray[np.float64]] = []
        self._on_disk: list[tuple[int, int]] = []
        """Where each run on disk begins, and its number of scores."""

    def __enter__(self) -> SpilledScores:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, is_positive: BoolArray, score: FloatArray, weight: FloatArray | None = None) -> None:
        """Add rows; whole-number weights mean repetition."""
        for start in range(0, len(score), PART):
            rows = slice(start, start + PART)
            self._add(is_positive[rows], score[rows], None if weight is None else weight[rows])

    def _add(self, is_positive: BoolArray, score: FloatArray, weight: FloatArray | None) -> None:
        run = score_counts(is_positive, score, weight)
        self.highest, self.lowest = max(self.highest, float(run[0, 0])), min(self.lowest, float(run[0, -1]))
        if weight is not None:
            total = float(self.num_positive + self.num_negative) + float(weight.sum())
            self.weighted = self.weighted or count_as_floats(weight, total)
        self.num_positive, self.num_negative = (
            before + (counts.sum().item() if self.weighted else int(counts.sum()))
            for before, counts in zip((self.num_positive, self.num_negative), run[1:], strict=True)
        )
        self._held.append(run)
        if sum(held.shape[1] for held in self._held) > HELD:
            self._spill()

    def exchange_classes(self) -> None:
        """Make positives of the negatives, and negatives of the positives."""
        self._exchanged = not self._exchanged
        self.num_positive, self.num_negative = self.num_negative, self.num_positive

    def merged(self) -> Iterator[ScoreCounts]:
        """Yield the scores of all parts in chunks, highest first; none occurs twice."""
        runs = [_Run(run.shape[1], partial(_part_of, run)) for run in self._held]
        runs += [_Run(size, partial(self._read, begin, size)) for begin, size in self._on_disk]
        window = max(SMALLEST_WINDOW, WINDOW // max(1, len(runs)))
        while runs := [run for run in runs if run.fill(window)]:
            # What a run has not read yet lies below the last score that it has read.
            lowest = max((run.read[0, -1] for run in runs if run.has_more), default=-np.inf)
            taken = np.concatenate([run.take(lowest) for run in runs], axis=1)
            kind = np.float64 if self.weighted else np.int64
            thresholds, *counts = joined(taken)
            positives, negatives = (each.astype(kind) for each in counts[:: -1 if self._exchanged else 1])
            yield ScoreCounts(thresholds, positives, negatives)

    def _spill(self) -> None:
        if len(self._held) > 2:  # many small parts: each run needs a window of memory
            self._held = [joined(np.concatenate(self._held, axis=1))]
        with written_to_a_temporary_file("scores", room=", 24 bytes for each row"):
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open until the scores are closed
            for run in self._held:
                begin = self._file.seek(0, io.SEEK_END)
                left = run.reshape(-1).view(np.uint8).data
                while left:
                    left = left[self._file.write(left) :]
                self._on_disk.append((begin, run.shape[1]))
        self._held.clear()

    def _read(self, begin: int, size: int, rows: slice) -> npt.NDArray[np.float64]:
        """Read some scores of a run on disk, which has one column after the other."""
        assert self._file is not None, "a run on disk has a file"
        found = np.empty((COLUMNS, rows.stop - rows.start))
        for number, column in enumerate(found):
            self._file.seek(begin + 8 * (number * size + rows.start))
            left = column.view(np.uint8).data
            while left:
                left = left[self._file.readinto(left) :]  # type: ignore[attr-defined]
        return found


class _Run:
    """A sorted run, of which a window has been read."""

    def __init__(self, size: int, rows: Callable[[slice], npt.NDArray[np.float64]]) -> None:
        self._size, self._rows, self._place = size, rows, 0
        self.read = np.empty((COLUMNS, 0))

    @property
    def has_more(self) -> bool:
        return self._place < self._size

    def fill(self, window: int) -> bool:
        """Read a window if none is left; return whether there is anything."""
        if not self.read.shape[1] and self.has_more:
            stop = min(self._size, self._place + window)
            self.read, self._place = self._rows(slice(self._place, stop)), stop
        return self.read.shape[1] > 0

    def take(self, lowest: float) -> npt.NDArray[np.float64]:
        """Return and remove what was read of scores of `lowest` and above."""
        end = int(np.searchsorted(-self.read[0], -lowest, side="right"))
        taken, self.read = self.read[:, :end], self.read[:, end:]
        return taken


def score_counts(is_positive: BoolArray, score: FloatArray, weight: FloatArray | None) -> npt.NDArray[np.float64]:
    """Return a run: the distinct scores, highest first, and the positives and negatives at each."""
    weightless = weight is not None and not weight.any()
    part = Decisions.of(is_positive, score, None if weightless else weight)
    run = np.zeros((COLUMNS, len(part)))
    run[0] = part.thresholds
    if not weightless:
        run[1], run[2] = part.positives_at, part.negatives_at
    return run


def joined(runs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a run of the scores of several, one after the other."""
    runs = runs[:, np.argsort(-runs[0], kind="stable")]
    starts = np.flatnonzero(np.append(True, runs[0, 1:] != runs[0, :-1]))
    return np.concatenate((runs[:1, starts], np.add.reduceat(runs[1:], starts, axis=1)))


def _part_of(run: npt.NDArray[np.float64], rows: slice) -> npt.NDArray[np.float64]:
    return run[:, rows]
