"""Score many runs in parallel.

Reading a run releases Python's lock, but matching and measuring hold it for about as long, so threads alone leave half
of the machine idle. Helper processes get the parsed judgments once and then one run after the other, while this process
scores runs too. Helpers take time to start, so they are only used if the remaining work takes longer. Results do not
depend on who scored a run: one that fails in a helper is scored here again, and the error raised is that of the first
run, in the order given, that has one.
"""

from __future__ import annotations

import heapq
import os
import pickle
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from germane.api.rankings.run_scoring import ScoredRun, Scoring
from germane.tables.columns.threads import num_threads, one_thread
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.scores import RunInfo

WORTH_SECONDS = 0.4
"""Minimum remaining work, in seconds, to start helpers: two or three times their start-up time."""
WORTH_BYTES = 1 << 28
"""Minimum bytes of runs to start helpers before anything is read: a second or two of work."""
ANSWER_SECONDS = 0.02
"""Seconds of work queued for a helper, so that it is not idle while this process is busy."""
HELPER = (
    "import gc, sys; gc.set_threshold(100_000); sys.path[:] = {path!r}; "  # as germane.cli has it, for the same reason
    "from germane.api.rankings.scoring_process import main; main()"
)
SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",  # starting NumPy's threads, which are not needed, takes a third of the start-up time
    # Otherwise glibc returns the memory of each run to the system, and requests it again for the next one.
    "MALLOC_TRIM_THRESHOLD_": str(1 << 26),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}

Score = Callable[[int], ScoredRun]
Keep = Callable[[int, ScoredRun], None]


@contextmanager
def helpers_for(files: Sequence[Path], scoring: Scoring) -> Iterator[Helpers]:
    """Provide helpers for `score_all` and stop them at the end.

    Where files are large, they start here, while this process reads the judgments.
    """
    helpers = Helpers([])
    try:
        if num_threads() > 1 and scoring.is_ours and can_start_python():
            sizes = [file.stat().st_size for file in files if file.is_file()]
            if len(sizes) >= 2 * num_threads() and sum(sizes) > WORTH_BYTES:
                helpers.start()
        yield helpers
    finally:
        for helper in helpers.started:
            helper.stop()


def score_all(
    runs: Sequence[tuple[RunInfo, Any]],
    qrels: Qrels,
    scoring: Scoring,
    helpers: Helpers,
    *,
    score: Score,
    keep: Keep,
) -> None:
    """Score all runs. `score` scores one of them here; `keep` receives the scores of each, in any order."""
    keep(0, score(0))  # its time is not representative: it includes lazy imports
    files: list[int] | None = None
    begin = time.perf_counter()
    for index in range(1, len(runs)):
        keep(index, score(index))
        seconds = (time.perf_counter() - begin) / index
        left = range(index + 1, len(runs))
        if seconds * len(left) > WORTH_SECONDS and num_threads() > 1 and scoring.is_ours and can_start_python():
            files = [i for i, (_, source) in enumerate(runs) if _is_file(source)] if files is None else files
            shared = [i for i in files if i > index]
            if len(shared) >= 2 * num_threads():
                packed = pickle.dumps((qrels, scoring), protocol=pickle.HIGHEST_PROTOCOL)
                places = {i: (runs[i][0].name, str(runs[i][1])) for i in shared}
                to_score = RunsToScore(shared, sorted(set(left).difference(shared)))
                ahead = 1 + round(min(ANSWER_SECONDS / seconds, 50))
                helpers.start()
                _score_with_helpers(_Work(packed, places, to_score, SimpleQueue(), ahead), helpers, score, keep)
                return


def _is_file(source: Any) -> bool:
    """Whether another process can read the same run; standard input and pipes can only be read once."""
    return isinstance(source, str | Path) and Path(source).is_file()


def can_start_python() -> bool:
    """Whether the running executable is Python, and not another program that embeds it."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


class RunsToScore:
    """Queue of runs to score, in order; thread-safe.

    `shared` may be scored by any process, `others` only by this one.

    >>> runs = RunsToScore(shared=[2, 3, 5], others=[4])
    >>> runs.take(), runs.take_shared(), runs.take()
    (2, 3, 4)
    >>> runs.give_back(3)                              # the helper could not do it
    >>> runs.take(), runs.take(), runs.take()
    (3, 5, None)
    """

    def __init__(self, shared: Iterable[int], others: Iterable[int]) -> None:
        self._shared = deque(shared)
        self._others = sorted(others)
        self._with_helpers: set[int] = set()
        self._end: float = float("inf")
        self._lock = Lock()

    def take(self) -> int | None:
        """Return the next run for this process."""
        with self._lock:
            if self._others and not (self._shared and self._shared[0] < self._others[0]):
                index = heapq.heappop(self._others)
            elif self._shared:
                index = self._shared.popleft()
            else:
                return None
            return index if index < self._end else None

    def take_shared(self) -> int | None:
        """Return the next run for another process."""
        with self._lock:
            if not self._shared or self._shared[0] >= self._end:
                return None
            index = self._shared.popleft()
            self._with_helpers.add(index)
            return index

    def is_scored(self, index: int) -> None:
        """Mark a run as scored by another process."""
        with self._lock:
            self._with_helpers.discard(index)

    def give_back(self, index: int) -> None:
        """Return a run that another process could not score, so that this one scores it."""
        with self._lock:
            self._with_helpers.discard(index)
            heapq.heappush(self._others, index)

    def drop_after(self, index: int) -> None:
        """Drop the runs after a failed one; those before it may still fail."""
        with self._lock:
            self._end = min(self._end, index)

    @property
    def awaits_helpers(self) -> bool:
        """Whether other processes still work on runs that matter."""
        with self._lock:
            return any(index < self._end for index in self._with_helpers)


class _Work(NamedTuple):
    """Input of helpers (judgments once, then runs by index, a number of them in advance), and the output of answers."""

    packed: bytes
    places: dict[int, tuple[str, str]]
    to_score: RunsToScore
    answers: SimpleQueue[tuple[int, ScoredRun | None]]
    ahead: int


def _score_with_helpers(work: _Work, helpers: Helpers, score: Score, keep: Keep) -> None:
    to_score, answers = work.to_score, work.answers
    failure: Exception | None = None

    def take_in(answer: tuple[int, ScoredRun | None]) -> None:
        index, scored_run = answer
        if scored_run is None:
            to_score.give_back(index)
        else:
            to_score.is_scored(index)
            keep(index, scored_run)

    for helper in helpers.started:
        helper.begin(work)
    with one_thread():
        while (index := to_score.take()) is not None or to_score.awaits_helpers:
            if index is None:
                take_in(answers.get())
                continue
            try:
                keep(index, score(index))
            except Exception as problem:  # raised below, unless an earlier run has one too
                failure = problem
                to_score.drop_after(index)
            with suppress(Empty):
                while True:
                    take_in(answers.get_nowait())
    if failure is not None:
        raise failure


@dataclass
class Helpers:
    """The helper processes of a call: one per further core, if they could be started."""

    started: list[_Helper]

    def start(self) -> None:
        """Start them, unless they are."""
        while len(self.started) < num_threads() - 1:
            try:
                self.started.append(_Helper())
            except OSError as problem:
                warnings.warn(f"could not start a helper process: {problem}", RuntimeWarning, stacklevel=2)
                return


class _Helper:
    """A process that scores runs, and the thread that hands them to it."""

    def __init__(self) -> None:
        from subprocess import PIPE, Popen

        command = [sys.executable, "-c", HELPER.format(path=list(map(str, sys.path)))]
        # In its own session it does not receive keyboard interrupts; the parent stops it.
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, env={**os.environ, **SETTINGS}, start_new_session=True)
        self._lost = False
        self._thread: Thread | None = None

    def begin(self, work: _Work) -> None:
        """Hand out runs, in a thread."""
        self._thread = Thread(target=self._serve, args=(work,), daemon=True)
        self._thread.start()

    def _serve(self, work: _Work) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        handed: list[int] = []
        try:
            self._process.stdin.write(work.packed)
            while True:
                while len(handed) < work.ahead and (index := work.to_score.take_shared()) is not None:
                    handed.append(index)
                    pickle.dump((index, *work.places[index]), self._process.stdin)
                self._process.stdin.flush()
                if not handed:
                    return
                answer = pickle.load(self._process.stdout)
                handed.remove(answer[0])
                work.answers.put(answer)
        except (OSError, EOFError, pickle.UnpicklingError):  # it has ended
            self._lost = True
        finally:
            for index in handed:
                work.answers.put((index, None))

    def stop(self) -> None:
        """Kill the process; warn if it had already ended with an error."""
        lost = self._lost
        self._process.kill()
        if self._thread is not None:
            self._thread.join()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        if lost:
            what = f"a helper process ended with status {status}; its runs were scored in the main process"
            warnings.warn(what, RuntimeWarning, stacklevel=2)
