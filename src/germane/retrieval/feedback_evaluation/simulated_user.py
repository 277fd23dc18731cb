"""A simulated user who judges the top of each ranking as the qrels do, and searches again."""

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
"""Numbers of the documents from best to worst, by query."""


@dataclass
class Memory:
    """Documents seen for one query so far, in order; `unjudged` of them have no judgment and count as non-relevant."""

    seen: list[int] = field(default_factory=list)
    relevant: list[int] = field(default_factory=list)
    nonrelevant: list[int] = field(default_factory=list)
    unjudged: int = 0


@dataclass(frozen=True, eq=False)
class Round:
    """State after one round: new rankings, documents seen so far, and the refined queries."""

    number: int
    rankings: Numbers
    seen: Mapping[str, tuple[int, ...]]
    relevant_seen: Mapping[str, int]
    unjudged_seen: int
    refined: Mapping[str, Refined]


def first_rankings(index: Index, queries: Mapping[str, Query], model: Model, depth: int) -> Numbers:
    """Return the rankings of queries by one model, all in one search; before feedback, these are the first rankings."""
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
    """Run one method for several rounds; in each, the user judges the top `judged` documents not seen before.

    Each new query is built from the original one and all judgments so far. With `judged` 0 this is pseudo-relevance
    feedback: the method treats the top documents of the last ranking as relevant. `showable` marks the documents, by
    number, that the user may see.
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
    """Judge the first documents not seen before, and remember the judgments."""
    seen = set(memory.seen)
    shown = (int(doc) for doc in ranking if showable is None or showable[doc])
    for doc in islice((doc for doc in shown if doc not in seen), judged):
        memory.seen.append(doc)
        memory.unjudged += not grades.get(doc, -1.0) >= 0  # a negative grade means pooled but unjudged
        (memory.relevant if grades.get(doc, 0.0) >= rel else memory.nonrelevant).append(doc)


def _ranked(index: Index, refined: Mapping[str, Refined], depth: int) -> Numbers:
    """Return the new rankings; queries that share a model are searched together."""
    by_model: defaultdict[Model, dict[str, Query]] = defaultdict(dict)
    for query, found in refined.items():
        by_model[found.model][query] = found.query
    rankings: Numbers = {}
    for model, queries in by_model.items():
        rankings |= first_rankings(index, queries, model, depth)
    return {query: rankings[query] for query in refined}


def _grades(index: Index, qrels: Qrels, queries: Mapping[str, Query]) -> dict[str, dict[int, float]]:
    """Return the grades by query of the documents that are in the index, by number."""
    names = list(qrels.queries)
    grades: dict[str, dict[int, float]] = {query: {} for query in queries}
    numbers = index.doc_numbers(list(qrels.docs)).tolist()
    for query, number, grade in zip(qrels.query.tolist(), numbers, qrels.grade.tolist(), strict=True):
        if names[query] in grades and number >= 0:
            grades[names[query]][number] = grade
    return grades


def ids_of(index: Index, rankings: Mapping[str, Sequence[int] | IntArray]) -> dict[str, list[str]]:
    """Return the rankings with document ids in place of numbers."""
    numbers = {int(doc) for docs in rankings.values() for doc in docs}
    ids = {number: index.doc_id(number) for number in numbers}
    return {query: [ids[int(doc)] for doc in docs] for query, docs in rankings.items()}
