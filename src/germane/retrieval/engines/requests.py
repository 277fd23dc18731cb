"""Queries put to an engine, one by one or several at once, each answer timed; the first failure names its topic."""

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
    """What an engine found for a topic, and how long that took; a topic without words is not asked at all."""

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
    """The answer to each query, in the order of the queries.

    A query's time runs from the call to the answer, with whatever other threads do meanwhile. `accept` looks at each
    answer as it comes, so that one which cannot be used is known before the rest is asked for.
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
            stop.set()  # the others end with the query they are at
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
        raise GermaneError(f"{engine.name}, topic {topic!r}: {problem.message}", hint=problem.hint) from problem
    return Answer(topic, found, seconds)


def run_of(answers: Sequence[Answer], tag: str | None = None, name: str = "run") -> Run:
    """All answers as one run; a topic that found nothing stays in it, as an empty ranking."""
    return Run(
        queries=Ids.of(answer.topic for answer in answers),
        stretches=Stretches.of_sizes([len(answer.found) for answer in answers]),
        docs=Ids.of(doc for answer in answers for doc in _in_run_order(answer.found)),
        score=np.concatenate([np.zeros(0), *(answer.found.scores for answer in answers)]),
        tag=tag,
        name=name,
    )


def _in_run_order(found: Ranked) -> Sequence[str]:
    """Documents of equal score by id, the last in byte order first: so a run's lines are in the order of its ranks."""
    scores = found.scores
    if not (scores[1:] == scores[:-1]).any():
        return found.ids
    order = sorted(range(len(scores)), key=lambda i: (scores[i], to_bytes(found.ids[i])), reverse=True)
    return [found.ids[i] for i in order]
