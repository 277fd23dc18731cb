"""A person who judges, played by the judgments: sees the top of a ranking, says what is relevant, and looks again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from germane.retrieval.feedback import Feedback, Refined
from germane.retrieval.models import Model
from germane.retrieval.query import Query
from germane.retrieval.search import in_run_order, search_many
from germane.tables.columns.ids import BoolArray, IntArray
from germane.tables.rankings.qrels import Qrels

if TYPE_CHECKING:
    from germane.retrieval.indexes.index import Index

Numbers = dict[str, IntArray]
"""By query, the numbers of the documents from best to worst."""


@dataclass
class Memory:
    """What was seen for one query so far, in this order; `unjudged` of these have no judgment: not relevant."""

    seen: list[int] = field(default_factory=list)
    relevant: list[int] = field(default_factory=list)
    nonrelevant: list[int] = field(default_factory=list)
    unjudged: int = 0


@dataclass(frozen=True, eq=False)
class Round:
    """After one round: the new rankings, what had been seen by then, and how each query was changed."""

    number: int
    rankings: Numbers
    seen: Mapping[str, tuple[int, ...]]
    relevant_seen: Mapping[str, int]
    unjudged_seen: int
    refined: Mapping[str, Refined]


def first_rankings(index: Index, queries: Mapping[str, Query], model: Model, depth: int) -> Numbers:
    """The rankings of queries by one model, all in one search: those before feedback, to begin with."""
    found = search_many(index, list(queries.values()), model, depth)
    return {query: in_run_order(index, ranking) for query, ranking in zip(queries, found, strict=True)}


def play(
    index: Index,
    queries: Mapping[str, Query],
    qrels: Qrels,
    model: Model,
    method: Feedback,
    first: Numbers,
    *,
    judged: int,
    rounds: int,
    depth: int,
    rel: float = 1,
    showable: BoolArray | None = None,
) -> Iterator[Round]:
    """One method, round by round: in each, `judged` documents not seen before are judged from the top of the ranking.

    The new query is always made of the first one and of all that was judged so far. With `judged` 0 nobody judges: the
    method takes the top documents of the last ranking for relevant. `showable` marks the documents that the person may
    see, by number.
    """
    grades = _grades(index, qrels, queries)
    memory = {query: Memory() for query in queries}
    rankings = first
    for number in range(1, rounds + 1):
        refined = {}
        for query, written in queries.items():
            if judged:
                _judge(memory[query], rankings[query], grades[query], judged, rel, showable)
                known = memory[query]
                refined[query] = method.refine(index, model, written, known.relevant, known.nonrelevant)
            else:
                refined[query] = method.pseudo(index, model, written, rankings[query])
        rankings = _ranked(index, refined, depth)
        seen = {query: tuple(known.seen) for query, known in memory.items()}
        relevant_seen = {query: len(known.relevant) for query, known in memory.items()}
        unjudged_seen = sum(known.unjudged for known in memory.values())
        yield Round(number, rankings, seen, relevant_seen, unjudged_seen, refined)


def _judge(
    memory: Memory, ranking: IntArray, grades: Mapping[int, float], judged: int, rel: float, showable: BoolArray | None
) -> None:
    """Look at the first documents that are new, and remember what the judgments say of them."""
    seen = set(memory.seen)
    shown = (int(doc) for doc in ranking if showable is None or showable[doc])
    for doc in islice((doc for doc in shown if doc not in seen), judged):
        memory.seen.append(doc)
        memory.unjudged += not grades.get(doc, -1.0) >= 0  # a negative grade is pooled, not judged
        (memory.relevant if grades.get(doc, 0.0) >= rel else memory.nonrelevant).append(doc)


def _ranked(index: Index, refined: Mapping[str, Refined], depth: int) -> Numbers:
    """The new rankings, with all queries that one model ranks in one search."""
    by_model: defaultdict[Model, dict[str, Query]] = defaultdict(dict)
    for query, found in refined.items():
        by_model[found.model][query] = found.query
    rankings: Numbers = {}
    for model, queries in by_model.items():
        rankings |= first_rankings(index, queries, model, depth)
    return {query: rankings[query] for query in refined}


def _grades(index: Index, qrels: Qrels, queries: Mapping[str, Query]) -> dict[str, dict[int, float]]:
    """By query, the grades of the documents that the index has, by number."""
    names = list(qrels.queries)
    grades: dict[str, dict[int, float]] = {query: {} for query in queries}
    numbers = index.doc_numbers(list(qrels.docs)).tolist()
    for query, number, grade in zip(qrels.query.tolist(), numbers, qrels.grade.tolist(), strict=True):
        if names[query] in grades and number >= 0:
            grades[names[query]][number] = grade
    return grades


def ids_of(index: Index, rankings: Mapping[str, Sequence[int] | IntArray]) -> dict[str, list[str]]:
    """The same rankings with the documents' ids."""
    numbers = {int(doc) for docs in rankings.values() for doc in docs}
    ids = {number: index.doc_id(number) for number in numbers}
    return {query: [ids[int(doc)] for doc in docs] for query, docs in rankings.items()}
