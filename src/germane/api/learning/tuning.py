"""Tuning: choose a search strategy on an index with judged topics, and estimate its quality on others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from germane.api.rankings.evaluation import load_qrels
from germane.arguments import checked
from germane.formats.truth.topics_file import Topic
from germane.retrieval.engines.queries import queries_of
from germane.retrieval.texts.unspaced import notes_on_queries
from germane.tables.notes.counts import notes_on_ids
from germane.tables.notes.note import Note
from germane.tables.rankings.measure import Measure

if TYPE_CHECKING:
    from germane.learning.strategies.strategy import Strategy
    from germane.learning.tuning.result import Tuning
    from germane.learning.tuning.scorer import IndexScorer
    from germane.retrieval.indexes.index import Index
    from germane.retrieval.query import Query
    from germane.types import QrelsLike

Progress = Callable[[int, int | None], None]


@checked
def tune(
    index: Index | str | Path,
    topics: str | Path | Mapping[str, str | Topic | Query],
    qrels: QrelsLike,
    *,
    space: str | Path | Strategy | Iterable[str | Strategy] | None = None,
    measure: str | Measure = "AP",
    folds: int = 5,
    search: Literal["grid", "random", "halving"] = "grid",
    candidates: int | None = None,
    seed: int = 0,
    k: int = 1000,
    alpha: float = 0.05,
    level: float = 0.95,
    resume: str | Path | None = None,
    threads: int | None = None,
    field: str = "title",
    topic_numbers: Literal["given", "position"] = "given",
    qrels_format: str | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Choose a search strategy on judged topics, and estimate its quality on others.

    `space` is one or several strategies, with alternatives in braces (``BM25(k1={0.9,1.2}){,+rm3}``), or the path of a
    file with one per line; the default is a space of 86 around BM25, QL, VSM and PL2. Each strategy is evaluated once
    for each topic, by `measure` on its best `k` documents. Then `folds` folds of topics are held out in turn;
    strategies are chosen on the others and scored on those held out, which separates real quality from the optimism of
    choosing. `search` evaluates all strategies (grid), a random `candidates` of them (random), or all on a few topics
    and ever fewer on more (halving).

    `alpha` is the significance level of the test that accepts a simpler strategy as equally good, `level` that of the
    intervals. `resume` is a journal: evaluations in it are not repeated, and new ones are added. Topics with the same
    words are kept in the same fold.

    >>> from germane.retrieval.indexes.index import Index
    >>> index = Index.of({"d1": "red wine", "d2": "wine wine and much more", "d3": "red roses"}, analyser="plain")
    >>> topics, judged = {"1": "wine", "2": "red"}, {"1": {"d1": 1}, "2": {"d3": 1}}
    >>> tuning = tune(index, topics, judged, space="BM25(b={0,1})", measure="RR", folds=2)
    >>> tuning.winner, tuning.mean(tuning.winner)
    (BM25(b=1), 1.0)
    """
    from germane.learning.strategies.space import DEFAULT_SPACE, expand
    from germane.learning.tuning.procedure import tune_strategies
    from germane.learning.tuning.scorer import IndexScorer
    from germane.retrieval.indexes.index import Index

    strategies = expand(DEFAULT_SPACE if space is None else patterns_of(space))
    queries = _queries(topics, field, topic_numbers)
    opened = index if isinstance(index, Index) else Index.open(index)
    scorer = IndexScorer(opened, queries, load_qrels(qrels, format=qrels_format), measure, k)
    tuning = tune_strategies(
        scorer,
        strategies,
        scorer.queries,
        measure=str(scorer.measure),
        lower_is_better=scorer.lower_is_better,
        k=k,
        groups=scorer.groups(),
        folds=folds,
        search=search,
        candidates=candidates,
        seed=seed,
        alpha=alpha,
        level=level,
        resume=resume,
        data="" if resume is None else scorer.fingerprint(),
        threads=threads,
        progress=progress,
    )
    return replace(tuning, notes=(*_notes(scorer, queries), *tuning.notes))


def patterns_of(space: str | Path | Strategy | Iterable[str | Strategy]) -> Iterable[str | Strategy]:
    """Return the patterns: one, several, or those of a file; text that is the name of a file means that file."""
    from germane.learning.strategies.space import read_space
    from germane.learning.strategies.strategy import Strategy

    if isinstance(space, Path):
        return read_space(space)
    several = [space] if isinstance(space, str | Strategy) else space
    read = (read_space(each) if isinstance(each, str) and _is_file(each) else [each] for each in several)
    return list(chain.from_iterable(read))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # a long pattern is not a valid file name
        return False


def _queries(
    topics: str | Path | Mapping[str, str | Topic | Query], field: str, numbers: Literal["given", "position"]
) -> dict[str, str | Query]:
    from germane.retrieval.query import Query

    if not isinstance(topics, Mapping):
        return dict(queries_of(topics, field, numbers))
    asked: dict[str, str | Query] = {str(id_): topic for id_, topic in topics.items() if isinstance(topic, Query)}
    texts = {id_: topic for id_, topic in topics.items() if not isinstance(topic, Query)}
    return asked | (queries_of(texts, field, numbers) if texts or not asked else {})


def _notes(scorer: IndexScorer, queries: Mapping[str, Any]) -> list[Note]:
    judged = set(scorer.queries)
    groups = scorer.groups()
    doubles = [query for query, group in zip(scorer.queries, groups, strict=True) if groups.count(group) > 1]
    unjudged, empty = [query for query in queries if query not in judged], scorer.empty_queries()
    found: Sequence[tuple[str, list[str], str]] = (
        ("unjudged-queries", unjudged, "without judgments; skipped"),
        ("empty-queries", empty, "without indexed words; scored as empty rankings"),
        ("duplicate-queries", doubles, "with the same words as another; kept in the same fold"),
    )
    texts = {query: text for query, text in queries.items() if query in judged and isinstance(text, str)}
    return [
        *(note for code, ids, what in found for note in notes_on_ids(code, ids, "query", what)),
        *notes_on_queries(texts, scorer.index.analyser),
    ]
