"""Evaluate relevance feedback: rankings before and after it, without credit for documents already seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from germane.api.rankings.evaluation import load_qrels
from germane.api.retrieval.feedback_notes import notes_on_feedback
from germane.api.retrieval.feedback_scores import Outcome, score_outcomes
from germane.arguments import checked
from germane.errors import GermaneError
from germane.formats.rows.memory import run_from
from germane.formats.truth.topics_file import Topic, read_topics
from germane.retrieval.engines.queries import with_topics
from germane.retrieval.feedback_evaluation.views import FeedbackProtocol, cut, rankings_of, split_documents, view
from germane.retrieval.query import Query
from germane.retrieval.texts.unspaced import notes_on_queries
from germane.tables.rankings.judged_run import NoRelevant
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from germane.tables.results.feedback_evaluation import FeedbackEvaluation

if TYPE_CHECKING:
    from germane.retrieval.feedback import Feedback
    from germane.retrieval.indexes.index import Index
    from germane.retrieval.models import Model
    from germane.types import QrelsLike, RunLike

Progress = Callable[[int, int], None]
Asked = Mapping[str, str | Topic | Query]
DEFAULT_MEASURES = ("AP", "nDCG@10")
DEFAULT_DEPTH = 1000


@checked
def evaluate_feedback(
    index: Index | str | Path,
    topics: str | Path | Mapping[str, str | Topic | Query],
    qrels: QrelsLike,
    *,
    model: str | Model = "BM25",
    feedback: str | Feedback | Iterable[str | Feedback] = "rocchio",
    judged: int = 10,
    rounds: int = 1,
    protocol: FeedbackProtocol = "residual",
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    rel: float = 1,
    no_relevant: NoRelevant = "skip",
    k: int = DEFAULT_DEPTH,
    seed: int = 0,
    topic_numbers: Literal["given", "position"] = "given",
    qrels_format: str | None = None,
    progress: Progress | None = None,
) -> FeedbackEvaluation:
    """Evaluate feedback methods with a simulated user, who judges the top documents as the judgments do.

    In each round the user judges the first `judged` documents not seen before, from the top of the last ranking; the
    method gets the first query and all judgments so far. With ``judged=0`` there are no judgments: each method treats
    the top of the last ranking as relevant (pseudo feedback), nothing was seen, and the whole list is evaluated.
    `protocol` says how seen documents are prevented from counting: ``residual`` (removed from both rankings and from
    the judgments), ``frozen`` (they keep their ranks), ``modified`` (they keep their ranks down to the last relevant
    one) or ``control`` (the user sees a random half of the collection, and the other half is evaluated). Queries
    without relevant documents left are skipped in all trials, or scored 0 (`no_relevant`).

    >>> from germane.retrieval.indexes.index import Index
    >>> index = Index.of({"d1": "red wine", "d2": "red rose", "d3": "merlot wine", "d4": "merlot"}, analyser="plain")
    >>> found = evaluate_feedback(
    ...     index, {"q": "red wine"}, {"q": {"d1": 1, "d3": 1, "d4": 1}}, feedback="rocchio", judged=3, measures="R@10")
    >>> found["rocchio", 1].scores.mean()      # d4, which no query term finds, is found by `merlot`
    {'BM25': {'R@10': 0.0}, 'rocchio': {'R@10': 1.0}}
    """
    from germane.api.retrieval.search import opened_index
    from germane.retrieval.feedback_evaluation.simulated_user import first_rankings, ids_of, play
    from germane.retrieval.models import MODELS

    for name, value, least in (("judged", judged, 0), ("rounds", rounds, 1), ("k", k, 1)):
        if value < least:
            raise GermaneError(f"expected {name} to be {least} or more, found {value}")
    if judged == 0 and protocol != "residual":
        hint = "remove `protocol=`; the whole list is evaluated"
        raise GermaneError(f"protocol {protocol} requires judged documents, found judged=0", hint=hint)
    chosen, ranker = feedback_methods(feedback), MODELS.parse(model)
    index = opened_index(index)
    truth = load_qrels(qrels, format=qrels_format)
    asked = read_topics(topics, numbers=topic_numbers) if isinstance(topics, str | Path) else topics
    queries = _queries(index, asked, truth)
    control = None
    if protocol == "control":
        living = index.living()
        control = np.zeros(index.num_places, dtype=np.bool_)
        control[living] = split_documents(len(living), seed)
    deep = index.num_places if control is not None else k + judged * rounds
    first = first_rankings(index, queries, ranker, deep)
    before = ids_of(index, first)
    members = None if control is None else {index.doc_id(int(doc)) for doc in np.flatnonzero(control)}
    outcomes, unjudged, remarks = [], 0, []
    others = {str(method): str(own) for method in chosen if (own := method.ranking_model(ranker)) != ranker}
    for number, method in enumerate(chosen):
        playing = play(
            index, queries, truth, ranker, method, first, judged=judged, rounds=rounds, depth=deep, rel=rel,
            showable=None if control is None else ~control,
        )  # fmt: skip
        for done in playing:
            after, seen = ids_of(index, done.rankings), ids_of(index, done.seen)
            looked = view(protocol, before, after, truth, seen, rel=rel, members=members, depth=k)
            counts = (sum(map(len, done.seen.values())), sum(done.relevant_seen.values()))
            outcomes.append(Outcome(str(method), done.number, cut(before, k), cut(after, k), looked, *counts))
            unjudged = max(unjudged, done.unjudged_seen)
            remarks += [(str(method), done.number, note) for found in done.refined.values() for note in found.notes]
        if progress is not None:
            progress(number + 1, len(chosen))
    found = score_outcomes(outcomes, truth, str(ranker), protocol, measures, rel, no_relevant)
    found = replace(found, judged=judged, seed=seed if protocol == "control" else None, analyser=index.analyser.name)
    numbered = zip(truth.docs, index.doc_numbers(list(truth.docs)), strict=True)
    notes = notes_on_feedback(
        found,
        unjudged=unjudged,
        without_topic=[query for query in truth.queries if query not in queries],
        not_judged=[topic for topic in asked if topic not in queries],
        absent=sorted({doc for doc, number in numbered if number < 0}),
        remarks=remarks,
        other_models=others,
        unsplit=notes_on_queries(_texts(asked, queries), index.analyser),
    )
    return replace(found, notes=notes)


def feedback_methods(given: str | Feedback | Iterable[str | Feedback]) -> list[Feedback]:
    """Return the feedback methods, without duplicates."""
    from germane.retrieval.feedback import FEEDBACK, Feedback

    methods = [given] if isinstance(given, str | Feedback) else given
    chosen = list(dict.fromkeys(FEEDBACK.parse(method) for method in methods))
    if not chosen:
        raise GermaneError("expected at least one feedback method, found none", hint="for example rocchio")
    return chosen


def _texts(asked: Asked, queries: Mapping[str, Query]) -> dict[str, str]:
    """Return the texts of the judged topics."""
    texts = {query: topic for query, topic in asked.items() if query in queries and not isinstance(topic, Query)}
    return {query: t if isinstance(t, str) else t.title or t.description for query, t in texts.items()}


@checked
def score_feedback(
    qrels: QrelsLike,
    before: RunLike,
    after: RunLike,
    seen: Mapping[str, Sequence[str]] | int,
    *,
    protocol: FeedbackProtocol = "residual",
    control: Collection[str] | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    rel: float = 1,
    no_relevant: NoRelevant = "skip",
    names: tuple[str, str] = ("before", "after"),
) -> FeedbackEvaluation:
    """Evaluate feedback from two runs of any engine: one before feedback and one after it.

    `seen` are the documents that the user saw, by query and in order, or the number of top documents of the first run.
    `control` are the documents of the control half, for ``protocol="control"``.

    >>> qrels = {"q": {"a": 1, "c": 1}}
    >>> before, after = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 9.0, "c": 8.0, "b": 7.0}}
    >>> found = score_feedback(qrels, before, after, seen=1, measures="AP").trials[0]
    >>> found.scores.mean(), found.full.mean()["after"]      # without a, c is second before and first after
    ({'before': {'AP': 0.5}, 'after': {'AP': 1.0}}, {'AP': 1.0})
    """
    truth = load_qrels(qrels)
    first, second = (rankings_of(_run(run, name)) for run, name in zip((before, after), names, strict=True))
    shown = {query: docs[:seen] for query, docs in first.items()} if isinstance(seen, int) else seen
    looked = view(protocol, first, second, truth, shown, rel=rel, members=control)
    counts = (sum(map(len, shown.values())), _relevant_seen(truth, shown, rel))
    outcome = Outcome(names[1], 1, first, second, looked, *counts)
    found = score_outcomes([outcome], truth, names[0], protocol, measures, rel, no_relevant)
    return replace(found, notes=notes_on_feedback(found))


def _queries(index: Index, asked: Asked, truth: Qrels) -> dict[str, Query]:
    """Return the judged topics as queries."""
    from germane.retrieval.search import as_query

    topics = {query: asked[query] for query in with_topics(truth, asked).queries}
    texts = {query: t if isinstance(t, str | Query) else t.title or t.description for query, t in topics.items()}
    return {query: as_query(text, index) for query, text in texts.items()}


def _run(run: RunLike, name: str) -> Run:
    if isinstance(run, str | Path):
        from germane.formats.rankings.ranking_files import read_run

        return read_run(run)
    return run_from(run, name=name)


def _relevant_seen(truth: Qrels, seen: Mapping[str, Sequence[str]], rel: float) -> int:
    queries = list(truth.queries)
    pairs = zip(truth.query.tolist(), truth.docs, truth.grade.tolist(), strict=True)
    relevant = {(queries[query], doc) for query, doc, grade in pairs if grade >= rel}
    return sum((query, doc) in relevant for query, docs in seen.items() for doc in docs)
