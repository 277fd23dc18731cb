"""What fusion starts from: the ranking of every run for every query, all of them as one table of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from germane.errors import GermaneError, InputError, did_you_mean
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.rankings.judged_run import Ties, sum_by
from germane.tables.rankings.run import Run

RunTies = Literal["docno", "order", "rank"]
"""The tie rules that need no judgments."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Runs as numbers. A *list* is what one run has for one query; a *candidate* is a document that some run has.

    Rows stand by run, query and rank: rows ``start[i]`` to ``start[i + 1]`` are list i. Candidates stand by query and,
    in a query, by document id, Z before A: that is how evaluation breaks ties, so of equals the first one wins. `score`
    is what a run says of a document, as it came or normalised. No list is empty.
    """

    queries: Ids
    runs: tuple[str, ...]
    weights: FloatArray
    """By run."""
    docs: Ids
    """By candidate."""
    query: IntArray
    """By candidate."""
    start: IntArray
    list_run: IntArray
    list_query: IntArray
    candidate: IntArray
    """By row."""
    score: FloatArray
    """By row."""

    @cached_property
    def row_list(self) -> IntArray:
        """The list of each row."""
        return np.repeat(np.arange(len(self.list_run)), self.size)

    @cached_property
    def size(self) -> IntArray:
        """How many documents each list has."""
        return np.diff(self.start)

    @cached_property
    def rank(self) -> IntArray:
        """The rank of each row in its list, counting from 1."""
        return np.arange(len(self.candidate)) - self.start[self.row_list] + 1

    @cached_property
    def weight(self) -> FloatArray:
        """The weight of each row's run."""
        return self.weights[self.list_run[self.row_list]]

    @cached_property
    def num_runs(self) -> IntArray:
        """How many runs have each candidate."""
        return np.bincount(self.candidate, minlength=len(self.docs))

    @cached_property
    def num_candidates(self) -> IntArray:
        """How many candidates each query has."""
        return np.bincount(self.query, minlength=len(self.queries))

    def total(self, values: FloatArray) -> FloatArray:
        """One value per row, added up by candidate: the least first, so that the order of the runs does not show."""
        order = self.rising(values)
        return sum_by(self.candidate[order], values[order], len(self.docs))

    def rising(self, values: FloatArray) -> IntArray:
        """The rows by candidate and, for a candidate, by rising value."""
        return np.lexsort((values, self.candidate))


def lists_of(
    runs: Sequence[Run], weights: Sequence[float] | None = None, *, depth: int | None = None, ties: str = "docno"
) -> Lists:
    """The rankings of some runs, down to a depth, in the order that evaluation uses.

    >>> lists = lists_of([Run.from_dict({"q": {"a": 2, "b": 1}}), Run.from_dict({"q": {"c": 5, "b": 9}})])
    >>> list(lists.docs), lists.candidate, lists.rank
    (['c', 'b', 'a'], array([2, 1, 1, 0]), array([1, 2, 1, 2]))
    """
    queries, query = _shared_queries(runs)
    run = np.repeat(np.arange(len(runs)), [len(each.score) for each in runs])
    ids = _one_after_the_other([each.docs for each in runs])
    place = ids.byte_order()
    score = np.concatenate([_finite(each) for each in runs])
    in_list = run * len(queries) + query
    order = np.lexsort((*_tie_keys(runs, ties, place), -score, in_list))
    start = _starts(in_list[order])
    if depth is not None:
        rank = np.arange(len(order)) - np.repeat(start[:-1], np.diff(start)) + 1
        order = order[rank <= depth]
        start = _starts(in_list[order])
    # A smaller number for an id that comes later in byte order.
    num_places = int(place.max(initial=0)) + 1
    number = query[order] * num_places + (num_places - 1 - place[order])
    _, first, candidate = np.unique(number, return_index=True, return_inverse=True)
    heads = order[start[:-1]]
    return Lists(
        queries=queries,
        runs=tuple(each.name for each in runs),
        weights=np.ones(len(runs)) if weights is None else np.asarray(weights, dtype=np.float64),
        docs=ids.take(order[first]),
        query=query[order[first]],
        start=start,
        list_run=run[heads],
        list_query=query[heads],
        candidate=candidate.reshape(-1),
        score=score[order],
    )


def written(*rankings: str, weights: Sequence[float] | None = None) -> Lists:
    """Lists written by hand, a text per run, all for one query: ``a:3 b:1``; without scores these fall to 1.

    >>> lists = written("a b c", "b:0.5")
    >>> lists.candidate, lists.score
    (array([2, 1, 0, 1]), array([3. , 2. , 1. , 0.5]))
    """
    runs = []
    for number, ranking in enumerate(rankings, start=1):
        words = [word.partition(":") for word in ranking.split()]
        scores = {doc: float(score or len(words) - i) for i, (doc, _, score) in enumerate(words)}
        runs.append(Run.from_dict({"q": scores}, name=f"run{number}"))
    return lists_of(runs, weights)


def _shared_queries(runs: Sequence[Run]) -> tuple[Ids, IntArray]:
    """The queries of all runs in byte order, and the query of each row."""
    names = [run.queries.to_bytes_list() for run in runs]
    queries = sorted({query for own in names for query in own})
    code = {query: i for i, query in enumerate(queries)}
    rows = [
        np.asarray([code[query] for query in own], dtype=np.int64)[run.query]
        for own, run in zip(names, runs, strict=True)
    ]
    return Ids.of(queries), np.concatenate(rows)


def _one_after_the_other(columns: Sequence[Ids]) -> Ids:
    data = np.concatenate([ids.data[ids.offsets[0] : ids.offsets[-1]] for ids in columns])
    sizes = np.concatenate([np.diff(ids.offsets) for ids in columns])
    return Ids(data, np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes))))


def _tie_keys(runs: Sequence[Run], ties: str, place: IntArray) -> tuple[FloatArray | IntArray, ...]:
    """What orders the documents of equal score, the last key first; sorting keeps the order they came in."""
    if ties not in get_args(RunTies):
        if ties in get_args(Ties):
            hint = f"one of {', '.join(get_args(RunTies))}"
            raise GermaneError(f"ties={ties} orders documents by their judgments, and fusion has none", hint=hint)
        near = did_you_mean(ties, get_args(RunTies))
        raise GermaneError(f"expected ties to be one of {', '.join(get_args(RunTies))}, found {ties!r}{near}")
    if ties == "docno":
        return (-place,)
    if ties == "order":
        return ()
    ranks = []
    for run in runs:
        if run.rank is None:
            raise InputError(run.name, None, "expected a rank column for ties=rank, found none")
        ranks.append(run.rank)
    return (-place, np.concatenate(ranks))


def _finite(run: Run) -> FloatArray:
    if not np.isfinite(run.score).all():
        row = int(np.flatnonzero(~np.isfinite(run.score))[0])
        found = f"{run.score[row]} for query {run.queries[int(run.query[row])]!r}"
        raise InputError(run.name, None, f"expected a finite score, found {found}")
    return run.score


def _starts(group: IntArray) -> IntArray:
    """Where each group of equal neighbours starts, and where the last one ends."""
    changes = np.flatnonzero(np.diff(group)) + 1
    return np.concatenate(([0], changes, [len(group)])) if len(group) else np.zeros(1, dtype=np.int64)
