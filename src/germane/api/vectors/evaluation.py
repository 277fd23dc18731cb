"""Evaluate embeddings: scores from the exact rank of every judged document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from germane.api.rankings.evaluation import DEFAULT_MEASURES, load_qrels, require_choices, with_intervals
from germane.api.rankings.evaluation import evaluate as evaluate_runs
from germane.api.rankings.joined_scores import join_scores
from germane.api.vectors.inputs import Embedding, GivenLabels, embeddings_of, labels_of, require_shared_queries
from germane.arguments import checked
from germane.errors import GermaneError
from germane.measures.definition import MEASURES
from germane.tables.columns.id_columns import from_integers
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.notes.counts import EXAMPLES, counted
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import JudgedRun, NoRelevant, Ties
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.scores import Scores
from germane.types import Topics
from germane.vectors.counting import Found, find, hits_of, judge_vectors, without_unknown
from germane.vectors.relevance import LabelRelevance, Listed, codes, rows_of
from germane.vectors.similarity import Similarity, similarity_called

if TYPE_CHECKING:
    from germane.types import IdsLike, MeasuresLike, QrelsLike, SlicesLike, VectorsLike

Progress = Callable[[int, int], None]


@checked
def evaluate(
    qrels: QrelsLike | None,
    queries: VectorsLike,
    docs: VectorsLike | None = None,
    measures: MeasuresLike = DEFAULT_MEASURES,
    *,
    similarity: str = "cosine",
    dtype: str | None = None,
    query_ids: IdsLike | None = None,
    doc_ids: IdsLike | None = None,
    exclude_self: bool | None = None,
    query_labels: IdsLike | None = None,
    doc_labels: IdsLike | None = None,
    query_cameras: IdsLike | None = None,
    doc_cameras: IdsLike | None = None,
    junk_labels: Iterable[object] = (),
    no_relevant: NoRelevant = "keep",
    ties: Ties = "docno",
    topics: Topics = "qrels",
    device: str = "cpu",
    interval: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    slices: SlicesLike | None = None,
    scale: float | None = None,
    collection_size: int | None = None,
    qrels_format: str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Score embeddings exactly: all documents are ranked for each query, without an index or a cutoff.

    `queries` and `docs` are matrices with one vector per row: arrays, tensors or .npy files, which are mapped and may
    be larger than memory. Several embeddings are a dict of such pairs by name. Without `docs` the queries are the
    documents, and each is excluded from its own ranking (`exclude_self`: the document with the query's id). Ids are row
    numbers unless given as `query_ids` and `doc_ids`: a file with one per line, a .npy file or a column. `similarity`
    is dot, cosine, euclidean or hamming; `dtype` is bfloat16 or binary where integers represent these.

    Relevance comes from `qrels` or, if that is None, from labels: a document with the query's label is relevant. One
    that also has the query's camera is excluded from its ranking; documents with `junk_labels` are excluded from all. A
    query without any relevant document is kept, or skipped (`no_relevant`).

    `device` is cpu (NumPy), cuda, or torch (torch on the CPU); the numbers are the same. Other arguments are as in
    `evaluate`; `progress` is called with the number of documents done, and of all.

    >>> scores = evaluate({"0": {"1": 1}}, [[1.0, 0.0]], [[1.0, 0.1], [1.0, 0.5], [0.0, 1.0]], ["RR", "P@2"])
    >>> scores.mean()
    {'vectors': {'RR': 0.5, 'P@2': 0.5}}
    >>> points = [[0.0], [0.1], [1.0], [1.1], [0.25]]
    >>> labelled = evaluate(None, points, measures="CMC@1", query_labels=list("aabbb"), similarity="euclidean")
    >>> labelled["vectors", "CMC@1"]
    {'0': 1.0, '1': 1.0, '2': 1.0, '3': 1.0, '4': 0.0}
    """
    require_choices((ties, Ties, "ties"), (topics, Topics, "topics"), (no_relevant, NoRelevant, "no_relevant"))
    _require_sense(ties, device)
    how = similarity_called(similarity)
    embeddings = embeddings_of(queries, docs, query_ids, doc_ids, dtype)
    itself = embeddings[0].is_one_collection if exclude_self is None else exclude_self
    cameras = (query_cameras, doc_cameras)
    labels = labels_of(embeddings[0], (query_labels, doc_labels), cameras, tuple(junk_labels))
    if (qrels is None) == (labels is None):
        found = "neither" if qrels is None else "both"
        hint = "pass either judgments or labels"
        raise GermaneError(f"expected judgments or labels, found {found}", hint=hint)
    settings = _Settings(measures, how, ties, topics, device, progress)
    if labels is None:
        assert qrels is not None, "judgments or labels were given"
        if no_relevant != "keep":
            hint = "with judgments, use AP(empty=skip) or nDCG(empty=skip)"
            raise GermaneError("`no_relevant=` requires labels, found judgments", hint=hint)
        truth = load_qrels(qrels, scale=scale, collection_size=collection_size, format=qrels_format)
        if query_ids is None:
            for each in embeddings:
                require_shared_queries(truth, each)
        parts = [_with_judgments(truth, embeddings, itself, settings)]
    else:
        _refuse_with_labels(MEASURES.parse_many(measures).values(), topics, scale, qrels_format)
        labelled = [labels.kept(each) for each in embeddings]
        relevance = _relevance(labels, labelled[0], itself)
        parts = _with_labels(relevance, labelled, no_relevant == "skip", collection_size, settings)
    scores = join_scores(parts)
    infos = zip(scores.runs, embeddings, strict=True)
    scores = replace(scores, runs=tuple(replace(info, path=each.path) for info, each in infos))
    if slices is not None:
        from germane.formats.rows.slices import read_slices

        scores = replace(scores, slices=read_slices(slices, list(scores.queries)))
    return scores if interval is None else with_intervals(scores, interval, level, seed)


@dataclass(frozen=True)
class _Settings:
    measures: MeasuresLike
    similarity: Similarity
    ties: Ties
    topics: Topics
    device: str
    progress: Progress | None

    def judge(self, qrels: Qrels, embedding: Embedding, found: Found, part: int = 0, parts: int = 1) -> JudgedRun:
        def advance(done: int, total: int) -> None:
            assert self.progress is not None
            self.progress(part * total + done, parts * total)

        vectors, progress = (embedding.queries, embedding.docs), None if self.progress is None else advance
        ties, device, name = self.ties, self.device, embedding.name
        return judge_vectors(
            qrels, *vectors, found, self.similarity, ties=ties, device=device, name=name, progress=progress
        )


def _require_sense(ties: str, device: str) -> None:
    if ties == "rank":
        hint = "use `ties='docno'` or `ties='order'`"
        raise GermaneError("`ties='rank'` requires the rank column of a run, found vectors", hint=hint)
    if device not in ("cpu", "torch") and device.partition(":")[0] != "cuda":
        raise GermaneError(f"expected a device such as cpu, torch, cuda or cuda:0, found {device!r}")


def _with_judgments(qrels: Qrels, embeddings: Sequence[Embedding], exclude_self: bool, settings: _Settings) -> Scores:
    found = [(each, find(qrels, each.queries, each.docs, exclude_self=exclude_self)) for each in embeddings]
    sizes = {_collection_size(qrels, each, places) for each, places in found}
    if qrels.collection_size is None and len(sizes) == 1:
        qrels = replace(qrels, collection_size=sizes.pop())
    runs = [settings.judge(qrels, each, places, i, len(found)) for i, (each, places) in enumerate(found)]
    scores = evaluate_runs(qrels, runs, settings.measures, ties=settings.ties, topics=settings.topics)
    notes = [note for each, places in found for note in _notes_on_documents(qrels, places, each.name)]
    return replace(scores, notes=(*scores.notes, *notes))


def _collection_size(qrels: Qrels, embedding: Embedding, found: Found) -> int | None:
    """Return the number of documents per query, if it is equal for all and includes every judged document."""
    in_run = found.query >= 0
    complete = len(hits_of(qrels, found, embedding.docs.num)) == np.count_nonzero(in_run[qrels.query])
    if not complete or len(found.excluded) not in (0, np.count_nonzero(in_run)):
        return None
    return embedding.docs.num - (len(found.excluded) > 0)


def _notes_on_documents(qrels: Qrels, found: Found, run: str) -> list[Note]:
    missing = np.flatnonzero((found.doc < 0) & (found.query[qrels.query] >= 0))
    what = "not among the vectors; never retrieved"
    notes = _notes_on("not-in-collection", "judged document", what, run, qrels.docs, missing)
    itself = np.zeros(qrels.num_queries, dtype=np.int64) - 1
    itself[found.excluded.query] = found.excluded.doc
    own = np.flatnonzero((itself[qrels.query] >= 0) & (found.doc == itself[qrels.query]))
    what = "judged for the query with the same id but excluded from its ranking; counted as missed"
    return notes + _notes_on("judged-self", "document", what, run, qrels.docs, own)


def _notes_on(code: str, noun: str, what: str, run: str | None, ids: Ids, which: IntArray) -> list[Note]:
    examples, count = tuple(ids[int(i)] for i in which[:EXAMPLES]), len(which)
    return [Note(code, counted(count, noun), what, run, count, examples)] if count else []


def _refuse_with_labels(
    measures: Iterable[Measure], topics: str, scale: float | None, qrels_format: str | None
) -> None:
    """Refuse measures and options about unjudged documents, since with labels all documents are judged."""
    for measure in measures:
        definition = MEASURES[measure]
        about_judging = definition.family == "incomplete" or measure.name in ("Judged", "Unjudged", "RBPres")
        if about_judging or dict(measure.parameters).get("judged_only"):
            problem = f"{measure} depends on unjudged documents, but with labels every document is judged"
            raise GermaneError(problem, hint="choose another measure, such as AP or nDCG")
    given = {"topics": topics != "qrels", "scale": scale is not None, "qrels_format": qrels_format is not None}
    for what, is_given in given.items():
        if is_given:
            raise GermaneError(f"`{what}=` requires judgments, found labels", hint=f"remove `{what}=`")


def _relevance(labels: GivenLabels, embedding: Embedding, exclude_self: bool) -> LabelRelevance:
    query_label, doc_label = codes(labels.query, labels.doc)
    query_camera, doc_camera = (None, None) if labels.cameras is None else codes(*labels.cameras)
    queries, docs = embedding.queries.ids, embedding.docs.ids
    itself = rows_of(queries, docs) if exclude_self else np.full(len(queries), -1)
    return LabelRelevance(query_label, doc_label, docs.byte_order(), itself, query_camera, doc_camera)


def _with_labels(
    relevance: LabelRelevance,
    embeddings: Sequence[Embedding],
    skip_lone: bool,
    collection_size: int | None,
    settings: _Settings,
) -> list[Scores]:
    """Return the scores of chunks of queries, in the byte order of their ids."""
    ids = embeddings[0].queries.ids
    order = np.argsort(ids.byte_order(), kind="stable")
    skipped: list[Note] = []
    if skip_lone:
        has_match = relevance.has_match[order]
        what = "without a relevant document; skipped"
        skipped = _notes_on("no-relevant-skipped", "query", what, None, ids, order[~has_match])
        order = order[has_match]
    if not len(order):
        raise GermaneError("no query has a relevant document", hint="check that query and document labels match")
    num_parts = relevance.num_chunks(order) * len(embeddings)
    parts = []
    for c, listed in enumerate(relevance.chunks(order)):
        qrels = _qrels_of(listed, embeddings[0], relevance, collection_size)
        found = Found(listed.queries, listed.relevant.doc, listed.excluded)
        numbered = enumerate(embeddings, start=c * len(embeddings))
        runs = [without_unknown(settings.judge(qrels, each, found, i, num_parts)) for i, each in numbered]
        parts.append(without_notes_on_judging(evaluate_runs(qrels, runs, settings.measures, ties=settings.ties)))
    return [replace(parts[0], notes=(*skipped, *parts[0].notes)), *parts[1:]]


def without_notes_on_judging(scores: Scores) -> Scores:
    """Return the scores without notes on unjudged documents, which with labels are known to be non-relevant."""
    about_judging = ("unjudged", "no-judged-document")
    kept = [note for note in scores.notes if note.code.partition("@")[0] not in about_judging]
    return replace(scores, notes=tuple(kept))


def _qrels_of(listed: Listed, embedding: Embedding, relevance: LabelRelevance, collection_size: int | None) -> Qrels:
    sizes = np.bincount(listed.relevant.query, minlength=len(listed.queries))
    if collection_size is None and relevance.query_camera is None:
        left_out = np.bincount(listed.excluded.query, minlength=len(listed.queries))
        collection_size = embedding.docs.num - int(left_out[0]) if (left_out == left_out[0]).all() else None
    return Qrels(
        queries=embedding.queries.ids.take(listed.queries),
        start=np.concatenate(([0], np.cumsum(sizes))),
        docs=from_integers(
            listed.relevant.doc
        ),  # row numbers instead of ids, which are never shown and may be millions
        grade=np.ones(len(listed.relevant)),
        scale=1.0,
        collection_size=collection_size,
        name="labels",
    )
