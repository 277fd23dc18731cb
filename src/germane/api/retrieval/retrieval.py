"""`retrieve`: a run, with its time and cost, from any search engine and topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from germane.api.retrieval.past_queries import Deciding, load_past, prepare
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.files.sources import display_name
from germane.formats.truth.topics_file import Topic
from germane.retrieval.engines.open_engine import open_engine
from germane.retrieval.engines.past_queries import Shared
from germane.retrieval.engines.protocol import Engine
from germane.retrieval.engines.queries import Numbers, described, queries_of
from germane.retrieval.engines.record import Retrieval, Target
from germane.retrieval.engines.requests import Answer, Progress, ask, run_of
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note

if TYPE_CHECKING:
    from germane.learning.features.feature import Feature
    from germane.learning.model_file import RankingModel
    from germane.retrieval.engines.expected_cost import CalibrationChoice
    from germane.retrieval.feedback.method import Feedback
    from germane.retrieval.indexes.index import Index
    from germane.retrieval.models import Model
    from germane.retrieval.probability.ranking_principle import Costs
    from germane.types import QrelsLike

DEFAULT_K = 1000
MOST_NAMES = 8
"""Maximum number of fields named in a note."""
DEFAULT_TIMEOUT_SECONDS = 60.0


@checked
def retrieve(
    source: str | Path | Index | Engine | Callable[..., Any],
    topics: str | Path | Mapping[str, str | Topic],
    *,
    model: str | Model | None = None,
    k: int = DEFAULT_K,
    field: str = "title",
    feedback: str | Feedback | None = None,
    template: str | Path | None = None,
    topic_numbers: Numbers = "given",
    past_topics: str | Path | Mapping[str, str | Topic] | None = None,
    past_qrels: QrelsLike | None = None,
    past_rel: float | None = None,
    past_shared: Shared | None = None,
    past_qrels_format: str | None = None,
    costs: str | Sequence[float] | Costs | None = None,
    calibrate: str | CalibrationChoice | None = None,
    rerank: str | Path | RankingModel | None = None,
    depth: int | None = None,
    rerank_features: str | Feature | Iterable[str | Feature] | Mapping[str, Any] = (),
    threads: int | None = None,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
    output: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Retrieval:
    """Retrieve the best `k` documents of a source for each topic.

    `source` is the folder of an index, a ``postgresql://`` or ``opensearch+https://`` address, ``module:function``, or,
    in Python, an `Index`, an engine or a function of the query's text. `topics` is a file, or a dict of texts by id;
    `field` is the field of a topic to search with (``title+description`` joins two). `model` and `feedback` (pseudo
    relevance feedback) require an index of germane. Besides ranking models, `model` may be ``boolean``, where topics
    are Boolean expressions, or ``BII``, which learns from `past_topics` and their judgments, `past_qrels`, in which
    grades of at least `past_rel` (1) are relevant.

    With `costs` (C, C′), or ``bayes``, scores become P(R|d), by a calibration (`calibrate`) learned from how the source
    ranks past topics. Documents are ranked by probability, and those of the best k that are worth their expected cost
    are returned. A past topic with the id or the words of a topic is an error, unless `past_shared` is ``skip`` or
    ``keep``.

    `rerank` is a model from `learn`, or its file: it re-ranks the best `depth` documents (by default as many as it was
    learned on) of an index of germane. `rerank_features` replace features of the model whose files have moved.

    `timeout` is the maximum time for an answer of a server, in seconds. `output` is the file for the run, with its
    record beside it; both appear only when complete.

    >>> def by_length(text):
    ...     return {"d1": float(len(text))}
    >>> retrieval = retrieve(by_length, {"q1": "red wine", "q2": "roses"})
    >>> retrieval.run, list(retrieval.seconds)
    (<python-germane.api.retrieval.retrieval:by_length: 2 queries, 2 documents>, ['q1', 'q2'])
    """
    for name, value in (("k", k), ("depth", depth), ("threads", threads), ("timeout", timeout)):
        if value is not None and not value > 0:
            raise GermaneError(f"expected {name} above 0, found {value}")
    if rerank is None and (depth is not None or rerank_features):
        hint = "add `rerank=…`"
        raise GermaneError("depth and features of re-ranking require a model", hint=hint)
    target = None if output is None else Target.of(output, overwrite=overwrite)
    deciding = Deciding.of(costs, calibrate)
    unread: list[str] = []
    queries = queries_of(topics, field, topic_numbers, unread.append)
    if target is not None:
        target.accept_topics(queries)
    past = load_past(
        past_topics, past_qrels, queries,
        field=field, numbers=topic_numbers, rel=past_rel, shared=past_shared, format=past_qrels_format,
    )  # fmt: skip
    opened = open_engine(source, model=model, feedback=feedback, template=template, timeout_seconds=timeout)
    try:
        if rerank is not None:
            from germane.learning.model_file import read_model
            from germane.learning.reranking import reranking

            learned = read_model(rerank) if isinstance(rerank, str | Path) else rerank
            opened = reranking(
                opened, learned, depth=depth, keep_first_stage=model is not None, feedback=feedback,
                features=rerank_features, topics=queries,
            )  # fmt: skip
        at_once = threads or opened.threads
        before = 0 if past is None or deciding is None else len(past.queries)
        stages = [_stage(progress, done, before + len(queries)) for done in (0, before)]
        ready = prepare(opened, past, deciding, k, threads=at_once, progress=stages[0])
        engine = ready.engine
        num_docs, index_bytes = engine.num_docs(), engine.index_bytes()
        start = time.perf_counter()
        accept = None if target is None else target.accept
        answers: Sequence[Answer] = ask(engine, queries, k, threads=at_once, accept=accept, progress=stages[1])
        wall_seconds = time.perf_counter() - start
        about, notes = engine.describe(), [*ready.notes, *engine.notes()]
    finally:
        if opened is not source:
            opened.close()
    notes += _notes(answers, field, about)
    if unread:
        named = ", ".join(unread[:MOST_NAMES])
        said = f"topic fields not used: {named}; only id, title, description and narrative are read"
        notes.append(Note("topic-fields-not-used", "", said, count=len(unread)))
    if past is not None:
        about["past"] = past.describe()
    if ready.worth is not None:
        decided = ready.worth.decided(answers)
        answers, about["costs"] = decided.answers, decided.describe()
        notes += decided.notes(k)
    tag = tag_of(about)
    retrieval = Retrieval(
        run=run_of(answers, tag, tag if output is None else display_name(output)),
        engine=about,
        k=k,
        seconds={answer.topic: answer.seconds for answer in answers if answer.seconds is not None},
        wall_seconds=wall_seconds,
        threads=at_once,
        topics=described(topics, queries, field),
        num_docs=num_docs,
        index_bytes=index_bytes,
        notes=tuple(notes),
    )
    if target is not None:
        from germane import __version__

        target.write(retrieval, __version__)
    return retrieval


def tag_of(about: Mapping[str, Any]) -> str:
    """Return the tag of a run: its engine, model, feedback, re-ranking and costs, without spaces.

    >>> tag_of({"engine": "germane", "model": "BM25(k1=0.9,b=0.4)", "feedback": "rm3"})
    'germane-BM25(k1=0.9,b=0.4)+rm3'
    """
    feedback = f"+{about['feedback']}" if "feedback" in about else ""
    rerank = f"+{about['rerank']}" if "rerank" in about else ""
    costs = f"+{about['costs']['name']}" if "costs" in about else ""
    return "_".join(f"{about.get('engine')}-{about.get('model')}{feedback}{rerank}{costs}".split())


def _stage(progress: Progress | None, done: int, total: int) -> Progress | None:
    """Return a progress function for one part of the work, in terms of all of it."""
    return None if progress is None else lambda more, _: progress(done + more, total)


def _notes(answers: Sequence[Answer], field: str, about: Mapping[str, Any]) -> list[Note]:
    not_asked = [answer.topic for answer in answers if answer.seconds is None]
    nothing = [answer.topic for answer in answers if answer.seconds is not None and not len(answer.found)]
    is_boolean = about.get("model") == "boolean"
    why = "no document matches" if is_boolean else "only stop words, or words in no document"
    return [
        *notes_on_ids(
            "empty-queries", not_asked, "topic", f"without a {field}; skipped (--field chooses another part)"
        ),
        *notes_on_ids("empty-rankings", nothing, "query", f"without results: {why}"),
    ]
