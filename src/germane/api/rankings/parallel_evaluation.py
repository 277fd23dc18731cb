"""Many runs in one call, shared between the cores.

Reading a run lets other threads work, but matching and measuring hold Python's lock for as long as reading takes, so
threads alone leave half of the machine idle. Other processes therefore help: this one scores runs too, the helpers get
the parsed judgments once and then one run after the other. Helpers take time to start, so there are none unless what
is left takes longer than that. Nothing in the results tells who scored what: a run that fails elsewhere is scored here
once more, and the error raised is that of the first run, in the order given, that has one.
"""

from __future__ import annotations

import heapq
import os
import pickle
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple

from germane.api.rankings.run_scoring import ScoredRun, Scoring
from germane.tables.columns.threads import num_threads, one_thread
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.scores import RunInfo

WORTH_SECONDS = 0.4
"""Helpers are started for what would take this long without them: two or three times what starting them takes."""
ANSWER_SECONDS = 0.02
"""A helper has so much work waiting that it is not idle while this process is too busy to answer it."""
HELPER = "import sys; sys.path[:] = {path!r}; from germane.api.rankings.scoring_process import main; main()"
SETTINGS = {
    "OPENBLAS_NUM_THREADS": "1",  # NumPy would start threads that are not needed: a third of the time to start
    # glibc would give the memory of each run back to the system, and ask for it again for the next one.
    "MALLOC_TRIM_THRESHOLD_": str(1 << 26),
    "MALLOC_MMAP_THRESHOLD_": str(1 << 25),
}

Score = Callable[[int], ScoredRun]
Keep = Callable[[int, ScoredRun], None]


def score_all(runs: Sequence[tuple[RunInfo, Any]], qrels: Qrels, scoring: Scoring, *, score: Score, keep: Keep) -> None:
    """Score all runs. `score` does one of them here; `keep` is given the scores of each, in any order."""
    keep(0, score(0))  # this one also loads what is loaded when first needed: its time tells nothing
    files: list[int] | None = None
    begin = time.perf_counter()
    for index in range(1, len(runs)):
        keep(index, score(index))
        seconds = (time.perf_counter() - begin) / index
        left = range(index + 1, len(runs))
        if seconds * len(left) > WORTH_SECONDS and num_threads() > 1 and scoring.is_ours and _can_start_python():
            files = [i for i, (_, source) in enumerate(runs) if _is_file(source)] if files is None else files
            shared = [i for i in files if i > index]
            if len(shared) >= 2 * num_threads():
                packed = pickle.dumps((qrels, scoring), protocol=pickle.HIGHEST_PROTOCOL)
                places = {i: (runs[i][0].name, str(runs[i][1])) for i in shared}
                to_score = RunsToScore(shared, sorted(set(left).difference(shared)))
                ahead = 1 + round(min(ANSWER_SECONDS / seconds, 50))
                _score_with_helpers(_Work(packed, places, to_score, SimpleQueue(), ahead), score, keep)
                return


def _is_file(source: Any) -> bool:
    """Whether another process finds the same run there; standard input and pipes can be read by one only."""
    return isinstance(source, str | Path) and Path(source).is_file()


def _can_start_python() -> bool:
    """Not where Python is part of another program: it would be that program that starts."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


class RunsToScore:
    """Hands out runs, first come first served and in order; several threads may ask.

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
        """The next run for this process."""
        with self._lock:
            if self._others and not (self._shared and self._shared[0] < self._others[0]):
                index = heapq.heappop(self._others)
            elif self._shared:
                index = self._shared.popleft()
            else:
                return None
            return index if index < self._end else None

    def take_shared(self) -> int | None:
        """The next run for another process."""
        with self._lock:
            if not self._shared or self._shared[0] >= self._end:
                return None
            index = self._shared.popleft()
            self._with_helpers.add(index)
            return index

    def is_scored(self, index: int) -> None:
        """Another process has scored this run."""
        with self._lock:
            self._with_helpers.discard(index)

    def give_back(self, index: int) -> None:
        """Another process could not score this run: it is for this one."""
        with self._lock:
            self._with_helpers.discard(index)
            heapq.heappush(self._others, index)

    def drop_after(self, index: int) -> None:
        """A run failed: those after it need not be scored any more, those before it may still fail."""
        with self._lock:
            self._end = min(self._end, index)

    @property
    def awaits_helpers(self) -> bool:
        """Whether runs that matter are with other processes."""
        with self._lock:
            return any(index < self._end for index in self._with_helpers)


class _Work(NamedTuple):
    """What helpers are given: the judgments once, then runs by their place, so many ahead; and where answers go."""

    packed: bytes
    places: dict[int, tuple[str, str]]
    to_score: RunsToScore
    answers: SimpleQueue[tuple[int, ScoredRun | None]]
    ahead: int


def _score_with_helpers(work: _Work, score: Score, keep: Keep) -> None:
    to_score, answers = work.to_score, work.answers
    failure: Exception | None = None

    def take_in(answer: tuple[int, ScoredRun | None]) -> None:
        index, scored_run = answer
        if scored_run is None:
            to_score.give_back(index)
        else:
            to_score.is_scored(index)
            keep(index, scored_run)

    helpers: list[_Helper] = []
    try:
        for _ in range(num_threads() - 1):
            try:
                helpers.append(_Helper(work))
            except OSError as problem:
                warnings.warn(f"no process could be started to help: {problem}", RuntimeWarning, stacklevel=2)
                break
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
    finally:
        for helper in helpers:
            helper.stop()
    if failure is not None:
        raise failure


class _Helper:
    """A process that scores runs, and the thread that hands them to it."""

    def __init__(self, work: _Work) -> None:
        from subprocess import PIPE, Popen

        command = [sys.executable, "-c", HELPER.format(path=list(map(str, sys.path)))]
        # In a session of its own an interrupt from the keyboard does not reach it: whoever started it stops it.
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, env={**os.environ, **SETTINGS}, start_new_session=True)
        self._lost = False
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
        """End the process, whatever it is doing; say so if it had ended by itself."""
        lost = self._lost
        self._process.kill()
        self._thread.join()
        status = self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        if lost:
            what = f"a process that helped to score runs ended with status {status}; its runs were scored without it"
            warnings.warn(what, RuntimeWarning, stacklevel=2)
