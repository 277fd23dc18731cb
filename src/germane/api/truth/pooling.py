"""`pool`: choose the documents to judge from runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from germane.api.rankings.evaluation import load_qrels, named_runs
from germane.arguments import checked
from germane.distributed.spark_run import lies_on_spark
from germane.errors import GermaneError
from germane.formats.files.addresses import place
from germane.formats.files.sources import STDIN, open_source, source_name
from germane.formats.rankings.ranking_files import read_run
from germane.formats.rows.memory import run_from
from germane.judging.pooling.assembly import Grades, distractors, known_not_relevant, topic_items, with_budget
from germane.judging.pooling.lists import TopicLists, topic_lists
from germane.judging.pooling.method import POOLING, Method
from germane.judging.pooling.run_hash import hash_of_sum, rows_sum
from germane.tables.columns.ids import to_bytes, to_text
from germane.tables.notes.counts import counted, notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run
from germane.tables.results.scores import RunInfo
from germane.tables.truth.pool import Pool, PooledRun, PoolItem

if TYPE_CHECKING:
    from germane.types import QrelsLike, RunsLike

DistractorSource = Literal["qrels", "collection"]
Progress = Callable[[int, int], None]
DEFAULT_DEPTH = 100


@checked
def pool(
    runs: RunsLike,
    method: str | Method = "depth",
    *,
    depth: int = DEFAULT_DEPTH,
    budget: int | None = None,
    seed: int = 0,
    qrels: QrelsLike | None = None,
    rel: float = 1,
    collection: str | Path | Iterable[str] | None = None,
    distractors: int = 0,
    distractors_from: DistractorSource | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    progress: Progress | None = None,
) -> Pool:
    """Choose the documents of these runs to judge.

    `method` is one of `germane.truth.POOLING`, with parameters as in ``rrf(k=10)``. Every method uses the top `depth`
    documents of each run; `budget` is the maximum per topic. Adaptive methods choose by the judgments so far, which
    come from `qrels`; without it they pool every document that they might choose. `distractors` adds this number of
    documents per topic that are known to be non-relevant: judged so in `qrels`, or random ones of the `collection` that
    no run has for any topic.

    >>> chosen = pool({"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d3": 1.0}}}, depth=1)
    >>> chosen, chosen.docs("q1")
    (<pool by depth: 1 topics, 2 documents to judge>, ('d1', 'd3'))
    """
    chosen = POOLING.parse(method)
    for name, value in (("depth", depth), ("budget", budget)):
        if value is not None and value < 1:
            raise GermaneError(f"expected a {name} of 1 or more, found {value}")
    loaded = load_runs(runs, run_format, depth=depth)
    documents = () if collection is None else read_collection(collection)
    truth = None if qrels is None else load_qrels(qrels, format=qrels_format)
    _require_sense(chosen, budget, truth, distractors, distractors_from, documents)
    grades = None if truth is None else grades_of(truth)
    tables = [run for run, _ in loaded]
    lists = topic_lists(tables, depth, documents)
    items: list[PoolItem] = []
    left: list[PoolItem] = []
    for done, topic in enumerate(lists, start=1):
        given = None if grades is None else grades.get(topic.topic, {})
        drawn, undrawn = topic_items(chosen, topic, seed, budget, given, rel)
        items += drawn
        left += undrawn
        if progress is not None:
            progress(done, len(lists))
    parameters = {**with_budget(chosen, budget).settings, "depth": depth, "budget": budget}
    if chosen.needs_collection:
        parameters["collection_size"] = len(documents)
    if chosen.kind == "adaptive":
        parameters |= {"replayed": None if truth is None else truth.name, "rel": rel}
    if distractors:
        source = distractors_from or ("qrels" if truth is not None else "collection")
        parameters |= {"distractors": distractors, "distractors_from": source}
        retrieved = _retrieved(named_runs(runs), tables, documents) if source == "collection" else set()
        outside = [doc for doc in documents if doc not in retrieved]
        items += _distractors(lists, items + left, outside, grades or {}, distractors, source, seed, rel)
    return Pool.of(
        items,
        chosen.name,
        unsampled=left,
        parameters=parameters,
        seed=seed,
        runs=tuple(entry for _, entry in loaded),
        notes=tuple(_notes(chosen, lists, tables, depth, grades, items)),
    )


def load_runs(runs: Any, format: str | None = None, *, depth: int | None = None) -> list[tuple[Run, PooledRun]]:  # noqa: A002
    """Load runs, each with its name and hash; of a run on Spark, only the rows down to `depth`."""
    named = named_runs(runs)
    there = {} if depth is None else _top_rows(named, depth)
    loaded = []
    for info, source in named:
        if info.name in there:
            loaded += there[info.name]
            continue
        is_path = isinstance(source, str | Path)
        run = read_run(source, format=format) if is_path else run_from(source, name=info.name)
        file = place(source) if is_path and str(source) != STDIN else None
        digest = _file_hash(file) if isinstance(file, Path) and file.is_file() else _rows_hash(run)
        loaded.append((replace(run, name=info.name), PooledRun(info.name, digest)))
    return loaded


def read_collection(collection: str | Path | Iterable[str]) -> tuple[str, ...]:
    """Return the ids of a collection, given as ids or as a file with one id per line."""
    if isinstance(collection, str | Path):
        with open_source(collection) as lines:
            docs = [to_text(line.strip()) for line in lines if line.strip()]
        name = source_name(collection)
    else:
        docs, name = [str(doc) for doc in collection], "collection"
    if not docs:
        raise GermaneError(f"{name}: expected document ids, found none")
    if len(set(docs)) < len(docs):
        found = counted(len(docs) - len(set(docs)), "duplicate")
        raise GermaneError(f"{name}: expected distinct document ids, found {found}")
    return tuple(docs)


def grades_of(qrels: Qrels) -> dict[str, dict[str, float]]:
    """Return the grade of each judged document, by topic."""
    topics = list(qrels.queries)
    grades: dict[str, dict[str, float]] = {topic: {} for topic in topics}
    for query, doc, grade in zip(qrels.query.tolist(), qrels.docs, qrels.grade.tolist(), strict=True):
        if grade >= 0:
            grades[topics[query]][doc] = grade
    return grades


def _file_hash(path: Path) -> str:
    """Return the SHA-256 of the file's raw bytes, as `sha256sum` prints it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _top_rows(named: Sequence[tuple[RunInfo, Any]], depth: int) -> dict[str, list[tuple[Run, PooledRun]]]:
    """Return the rows down to a depth of the runs on Spark, by the name of the frame; a frame may hold several runs."""
    lying = [(info.name, source) for info, source in named if lies_on_spark(source)]
    if not lying:
        return {}
    from germane.distributed.frames import require_distinct
    from germane.distributed.top_rows import top_rows_on_spark

    found = top_rows_on_spark(lying, depth, beside=len(named) > 1)
    others = [info.name for info, _ in named if info.name not in found]
    require_distinct([*others, *(run.name for runs in found.values() for run, _ in runs)])
    return {name: [(run, PooledRun(run.name, digest)) for run, digest in runs] for name, runs in found.items()}


def _retrieved(named: Sequence[tuple[RunInfo, Any]], runs: Sequence[Run], documents: Sequence[str]) -> set[str]:
    """Return the documents of a collection that a run retrieves, for any topic and at any rank.

    Any of them might be relevant after all.
    """
    lying = [(info.name, source) for info, source in named if lies_on_spark(source)]
    found = {doc for run in runs for doc in run.docs}
    if lying:
        from germane.distributed.top_rows import retrieved_on_spark

        found |= retrieved_on_spark(lying, documents)
    return found


def _rows_hash(run: Run) -> str:
    queries = run.queries.to_bytes_list()
    by_row = map(queries.__getitem__, run.query.tolist())
    return hash_of_sum(rows_sum(by_row, run.docs.to_bytes_list(), run.score.tolist()))


def _distractors(
    lists: Sequence[TopicLists],
    pooled: Sequence[PoolItem],
    outside: Sequence[str],
    grades: Grades,
    number: int,
    source: str,
    seed: int,
    rel: float,
) -> list[PoolItem]:
    in_pool: dict[str, set[str]] = {}
    for item in pooled:
        in_pool.setdefault(item.topic, set()).add(item.doc)
    added = []
    for topic in lists:
        own = in_pool.get(topic.topic, set())
        if source == "qrels":
            candidates: Sequence[str] = known_not_relevant(topic.topic, own, grades.get(topic.topic, {}), rel)
        else:
            candidates = [doc for doc in outside if doc not in own] if own & set(outside) else outside
        added += distractors(topic.topic, candidates, number, seed, source)
    return added


def _require_sense(
    method: Method, budget: int | None, truth: Qrels | None, number: int, source: str | None, documents: Sequence[str]
) -> None:
    if method.kind == "adaptive" and truth is None and budget is not None:
        problem = f"{method.name} is adaptive: with a budget it requires judgments, found none"
        hint = "use `qrels=…` to replay it on judgments, or remove `budget=` to pool every document it may choose"
        raise GermaneError(problem, hint=hint)
    if method.needs_collection and not documents:
        hint = "name a file with one id per line: `collection=…`"
        raise GermaneError(f"{method.name} requires a collection", hint=hint)
    if number < 0:
        raise GermaneError(f"expected 0 or more distractors, found {number}")
    if source is not None and source not in get_args(DistractorSource):
        raise GermaneError(f"expected distractors from qrels or collection, found {source!r}")
    if source is not None and not number:
        raise GermaneError("`distractors_from=` requires a number of distractors", hint="add `distractors=…`")
    if number and source is None and (truth is None) == (not documents):
        which = "both" if documents else "neither"
        hint = "use `qrels=…` (judged non-relevant) or `collection=…` (in no run); with both, use `distractors_from=…`"
        raise GermaneError(f"expected distractors from judgments or from a collection, found {which}", hint=hint)
    if (source == "qrels" and truth is None) or (source == "collection" and not documents):
        raise GermaneError(f"`distractors_from={source!r}` requires `{source}=`", hint=f"add `{source}=…`")


def _notes(
    method: Method,
    lists: Sequence[TopicLists],
    runs: Sequence[Run],
    depth: int,
    grades: Mapping[str, Mapping[str, float]] | None,
    items: Sequence[PoolItem],
) -> list[Note]:
    notes = []
    topics = [to_bytes(topic.topic) for topic in lists]
    for number, run in enumerate(runs):
        own = set(run.queries.to_bytes_list())
        missing = tuple(to_text(topic) for topic in topics if topic not in own)
        notes += notes_on_ids(
            "missing-queries", missing, "query", "without documents; the run adds none to the pool", run.name
        )
        short = sum(0 < len(topic.ranked[number]) < depth for topic in lists)
        if short:
            what = f"with fewer than {depth} documents; the run adds fewer to the pool"
            notes.append(Note("fewer-than-depth", counted(short, "query"), what, run.name, short))
    if method.kind == "adaptive" and grades is None:
        what = f"pooled, all that {method.name} may choose; use --qrels to replay it on judgments"
        notes.append(Note("not-replayed", counted(len(items), "document"), what, count=len(items)))
    if method.kind == "adaptive" and grades is not None:
        unknown = sum(item.doc not in grades.get(item.topic, {}) for item in items)
        if unknown:
            what = "unjudged (treated as non-relevant)"
            share = unknown / len(items)
            notes.append(Note("unjudged", counted(unknown, "document"), what, count=unknown, share=share))
    return notes
