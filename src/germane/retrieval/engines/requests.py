"""Send queries to an engine, one or several at a time, and time each answer; an error names its query."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.errors import GermaneError
from germane.retrieval.engines.protocol import NOTHING_FOUND, Engine, Ranked
from germane.tables.columns.ids import Ids, to_bytes
from germane.tables.columns.stretches import Stretches
from germane.tables.columns.threads import map_in_threads
from germane.tables.rankings.run import Run

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Answer:
    """An engine's ranking for a query and its time; a query without text is not sent."""

    topic: str
    found: Ranked
    seconds: float | None


def ask(
    engine: Engine,
    queries: Mapping[str, str],
    k: int,
    *,
    threads: int,
    accept: Callable[[Ranked], None] | None = None,
    progress: Progress | None = None,
) -> list[Answer]:
    """Return the answer to each query, in the order of the queries.

    A query's time runs from call to answer, including waiting for other threads. `accept` checks each answer as it
    arrives, so that an unusable one is reported before the rest is requested.
    """
    answers: dict[str, Answer] = {}
    waiting = iter(queries.items())
    lock = threading.Lock()
    stop = threading.Event()

    def work(_: int) -> None:
        try:
            while not stop.is_set():
                with lock:
                    following = next(waiting, None)
                if following is None:
                    return
                answer = _asked(engine, *following, k, accept)
                with lock:
                    answers[answer.topic] = answer
                    if progress is not None:
                        progress(len(answers), len(queries))
        except BaseException:
            stop.set()  # the other threads stop after their current query
            raise

    map_in_threads(work, range(max(1, min(threads, len(queries)))))
    return [answers[topic] for topic in queries]


def _asked(engine: Engine, topic: str, text: str, k: int, accept: Callable[[Ranked], None] | None) -> Answer:
    if not text.strip():
        return Answer(topic, NOTHING_FOUND, None)
    start = time.perf_counter()
    try:
        found = engine.search(text, k)
        seconds = time.perf_counter() - start
        if accept is not None:
            accept(found)
    except GermaneError as problem:
        raise GermaneError(f"{engine.name}, query {topic!r}: {problem.message}", hint=problem.hint) from problem
    return Answer(topic, found, seconds)


def run_of(answers: Sequence[Answer], tag: str | None = None, name: str = "run") -> Run:
    """Return all answers as one run; a query without results keeps an empty ranking."""
    return Run(
        queries=Ids.of(answer.topic for answer in answers),
        stretches=Stretches.of_sizes([len(answer.found) for answer in answers]),
        docs=Ids.of(doc for answer in answers for doc in _in_run_order(answer.found)),
        score=np.concatenate([np.zeros(0), *(answer.found.scores for answer in answers)]),
        tag=tag,
        name=name,
    )


def _in_run_order(found: Ranked) -> Sequence[str]:
    """Return documents with ties broken by id in descending byte order, so that a run's lines follow its ranks."""
    scores = found.scores
    if not (scores[1:] == scores[:-1]).any():
        return found.ids
    order = sorted(range(len(scores)), key=lambda i: (scores[i], to_bytes(found.ids[i])), reverse=True)
    return [found.ids[i] for i in order]
