"""Runs from anywhere: something to search in and topics go in, a run and what it cost come out."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.errors import GermaneError
from germane.formats.sources import display_name
from germane.formats.topics_file import Topic
from germane.retrieval.engines.asking import Answer, Progress, ask
from germane.retrieval.engines.opening import open_engine
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.queries import Numbers, described, queries_of
from germane.retrieval.engines.record import Retrieval
from germane.retrieval.engines.writing import Target
from germane.tables.ids import Ids
from germane.tables.run import Run
from germane.tables.scores import Note
from germane.tables.stretches import Stretches

if TYPE_CHECKING:
    from germane.retrieval.feedback.registry import Feedback
    from germane.retrieval.index import Index
    from germane.retrieval.models import Model

DEFAULT_K = 1000
DEFAULT_TIMEOUT_SECONDS = 60.0


def retrieve(
    source: str | Path | Index | Engine | Callable[..., Any],
    topics: str | Path | Mapping[str, str | Topic],
    *,
    model: str | Model | None = None,
    k: int = DEFAULT_K,
    field: str = "title",
    feedback: str | Feedback | None = None,
    template: str | Path | None = None,
    numbers: Numbers = "given",
    threads: int | None = None,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
    output: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Retrieval:
    """The best `k` documents of a source for each topic.

    `source` is the folder of an index, a ``postgresql://`` or ``opensearch+https://`` address, ``module:function``, or,
    in Python, an `Index`, an engine or a function of the query's text. `topics` is a file, or a dict of texts by id; of
    a topic with parts, `field` says which to ask with (``title+description`` joins two). `model` and `feedback` (pseudo
    relevance feedback) are for germane's own indexes. `timeout` is how many seconds a server may take for an answer.
    `output` is the file to write the run to, its record beside it; both appear only once they are complete.

    >>> def by_length(text):
    ...     return {"d1": float(len(text))}
    >>> retrieval = retrieve(by_length, {"q1": "red wine", "q2": "roses"})
    >>> retrieval.run, list(retrieval.seconds)
    (<python-germane.api.retrieving:by_length: 2 queries, 2 documents>, ['q1', 'q2'])
    """
    for name, value in (("k", k), ("threads", threads), ("timeout", timeout)):
        if value is not None and not value > 0:
            raise GermaneError(f"expected {name} above 0, found {value}")
    target = None if output is None else Target.of(output, overwrite=overwrite)
    queries = queries_of(topics, field, numbers)
    if target is not None:
        target.accept_topics(queries)
    engine = open_engine(source, model=model, feedback=feedback, template=template, timeout_seconds=timeout)
    try:
        about, num_docs, index_bytes = engine.describe(), engine.num_docs(), engine.index_bytes()
        at_once = threads or engine.threads
        start = time.perf_counter()
        accept = None if target is None else target.accept
        answers = ask(engine, queries, k, threads=at_once, accept=accept, progress=progress)
        wall_seconds = time.perf_counter() - start
        notes = (*engine.notes(), *_notes(answers, field))
    finally:
        if engine is not source:
            engine.close()
    tag = tag_of(about)
    retrieval = Retrieval(
        run=_run(answers, tag, tag if output is None else display_name(output)),
        engine=about,
        k=k,
        seconds={answer.topic: answer.seconds for answer in answers if answer.seconds is not None},
        wall_seconds=wall_seconds,
        threads=at_once,
        topics=described(topics, queries, field),
        num_docs=num_docs,
        index_bytes=index_bytes,
        notes=notes,
    )
    if target is not None:
        from germane import __version__

        target.write(retrieval, __version__)
    return retrieval


def tag_of(about: Mapping[str, Any]) -> str:
    """What a run calls itself: its engine, model and feedback, without blanks.

    >>> tag_of({"engine": "germane", "model": "BM25(k1=0.9,b=0.4)", "feedback": "rm3"})
    'germane-BM25(k1=0.9,b=0.4)+rm3'
    """
    feedback = f"+{about['feedback']}" if "feedback" in about else ""
    return "_".join(f"{about.get('engine')}-{about.get('model')}{feedback}".split())


def _run(answers: Sequence[Answer], tag: str, name: str) -> Run:
    """All answers as one run; a topic that found nothing stays in it, as an empty ranking."""
    scores = [answer.found.scores for answer in answers]
    return Run(
        queries=Ids.of(answer.topic for answer in answers),
        stretches=Stretches.of_sizes([len(answer.found) for answer in answers]),
        docs=Ids.of(doc for answer in answers for doc in answer.found.ids),
        score=np.concatenate(scores) if scores else np.zeros(0),
        tag=tag,
        name=name,
    )


def _notes(answers: Sequence[Answer], field: str) -> list[Note]:
    not_asked = [answer.topic for answer in answers if answer.seconds is None]
    nothing = [answer.topic for answer in answers if answer.seconds is not None and not len(answer.found)]
    found = (
        ("empty-queries", not_asked, f"with nothing as {field}, not asked"),
        ("empty-rankings", nothing, "found nothing: stop words only, or words that no document has"),
    )
    return [
        Note(
            code,
            f"{len(topics):,} topic{'s' * (len(topics) != 1)}",
            what,
            count=len(topics),
            examples=tuple(topics[:3]),
        )
        for code, topics, what in found
        if topics
    ]
