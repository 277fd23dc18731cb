"""Many runs in one call, shared between the cores.

Reading a run lets other threads work, but matching and measuring hold Python's lock for as long as reading takes, so
threads alone leave half of the machine idle. Other processes therefore help: this one scores runs too, the helpers get
the parsed judgments once and then one run after the other. Helpers take time to start, so there are none unless what
is left takes longer than that. Nothing in the results tells who scored what: a run that fails elsewhere is scored here
once more, and the error raised is that of the first run, in the order given, that has one.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from germane.api.rankings.run_scoring import ScoredRun, Scoring
from germane.tables.columns.threads import num_threads, one_thread
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.scores import RunInfo

if TYPE_CHECKING:
    from queue import SimpleQueue

    from germane.api.rankings.run_queue import RunsToScore

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
                others = sorted(set(left).difference(shared))
                _score_with_helpers(runs, shared, others, seconds, (qrels, scoring), score, keep)
                return


def _is_file(source: Any) -> bool:
    """Whether another process finds the same run there; standard input and pipes can be read by one only."""
    return isinstance(source, str | Path) and Path(source).is_file()


def _can_start_python() -> bool:
    """Not where Python is part of another program: it would be that program that starts."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _score_with_helpers(
    runs: Sequence[tuple[RunInfo, Any]],
    shared: list[int],
    others: list[int],
    seconds: float,
    task: tuple[Qrels, Scoring],
    score: Score,
    keep: Keep,
) -> None:
    import pickle
    from queue import Empty, SimpleQueue

    from germane.api.rankings.run_queue import RunsToScore

    to_score = RunsToScore(shared, others)
    answers: SimpleQueue[tuple[int, ScoredRun | None]] = SimpleQueue()
    packed = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
    places = {index: (runs[index][0].name, str(runs[index][1])) for index in shared}
    ahead = 1 + round(min(ANSWER_SECONDS / seconds, 50))
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
                helpers.append(_Helper(packed, places, to_score, answers, ahead))
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

    def __init__(
        self,
        packed: bytes,
        places: dict[int, tuple[str, str]],
        to_score: RunsToScore,
        answers: SimpleQueue[tuple[int, ScoredRun | None]],
        ahead: int,
    ) -> None:
        from subprocess import PIPE, Popen
        from threading import Thread

        command = [sys.executable, "-c", HELPER.format(path=list(map(str, sys.path)))]
        # In a session of its own an interrupt from the keyboard does not reach it: whoever started it stops it.
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, env={**os.environ, **SETTINGS}, start_new_session=True)
        self._lost = False
        self._thread = Thread(target=self._serve, args=(packed, places, to_score, answers, ahead), daemon=True)
        self._thread.start()

    def _serve(
        self,
        packed: bytes,
        places: dict[int, tuple[str, str]],
        to_score: RunsToScore,
        answers: SimpleQueue[tuple[int, ScoredRun | None]],
        ahead: int,
    ) -> None:
        import pickle

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        handed: list[int] = []
        try:
            self._process.stdin.write(packed)
            while True:
                while len(handed) < ahead and (index := to_score.take_shared()) is not None:
                    handed.append(index)
                    pickle.dump((index, *places[index]), self._process.stdin)
                self._process.stdin.flush()
                if not handed:
                    return
                answer = pickle.load(self._process.stdout)
                handed.remove(answer[0])
                answers.put(answer)
        except (OSError, EOFError, pickle.UnpicklingError):  # it has ended
            self._lost = True
        finally:
            for index in handed:
                answers.put((index, None))

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
