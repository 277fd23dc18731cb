"""Input of fusion: the rankings of all runs for all queries, as one table of numbers."""

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
"""Tie-breaking rules that need no judgments."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Runs as numbers. A *list* is the ranking of one run for one query; a *candidate* is a document in some run.

    Rows are ordered by run, query and rank: rows ``start[i]`` to ``start[i + 1]`` are list i. Candidates are ordered by
    query and, within a query, by document id, Z to A: evaluation breaks ties in this order, so the first of equals
    wins. `score` is a document's score in a run, original or normalised. No list is empty.
    """

    queries: Ids
    runs: tuple[str, ...]
    weights: FloatArray
    """Weight of each run."""
    docs: Ids
    """Document id of each candidate."""
    query: IntArray
    """Query of each candidate."""
    start: IntArray
    list_run: IntArray
    list_query: IntArray
    candidate: IntArray
    """Candidate of each row."""
    score: FloatArray
    """Score of each row."""

    @cached_property
    def row_list(self) -> IntArray:
        """The list of each row."""
        return np.repeat(np.arange(len(self.list_run)), self.size)

    @cached_property
    def size(self) -> IntArray:
        """Number of documents of each list."""
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
        """Number of runs that retrieve each candidate."""
        return np.bincount(self.candidate, minlength=len(self.docs))

    @cached_property
    def num_candidates(self) -> IntArray:
        """Number of candidates of each query."""
        return np.bincount(self.query, minlength=len(self.queries))

    def total(self, values: FloatArray) -> FloatArray:
        """Sum row values by candidate, in ascending order, so that the order of the runs cannot change the result."""
        order = self.rising(values)
        return sum_by(self.candidate[order], values[order], len(self.docs))

    def rising(self, values: FloatArray) -> IntArray:
        """Return the rows ordered by candidate and then by ascending value."""
        return np.lexsort((values, self.candidate))


def lists_of(
    runs: Sequence[Run], weights: Sequence[float] | None = None, *, depth: int | None = None, ties: str = "docno"
) -> Lists:
    """Return the rankings of runs, cut at a depth, in the order that evaluation uses.

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
    """Return lists for one query from one text per run, as in ``a:3 b:1``; without scores, these fall by 1 to 1.

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
    """Return the queries of all runs in byte order, and the query of each row."""
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
    """Return the sort keys that break ties, least significant first; the sort itself is stable."""
    if ties not in get_args(RunTies):
        if ties in get_args(Ties):
            hint = f"choose from {', '.join(get_args(RunTies))}"
            raise GermaneError(f"ties={ties} requires judgments, which fusion does not have", hint=hint)
        near = did_you_mean(ties, get_args(RunTies))
        raise GermaneError(f"expected ties to be one of {', '.join(get_args(RunTies))}, found {ties!r}{near}")
    if ties == "docno":
        return (-place,)
    if ties == "order":
        return ()
    ranks = []
    for run in runs:
        if run.rank is None:
            raise InputError(
                run.name, None, "expected a rank column for ties=rank, found none", hint="use `ties='docno'`"
            )
        ranks.append(run.rank)
    return (-place, np.concatenate(ranks))


def _finite(run: Run) -> FloatArray:
    if not np.isfinite(run.score).all():
        row = int(np.flatnonzero(~np.isfinite(run.score))[0])
        found = f"{run.score[row]} for query {run.queries[int(run.query[row])]!r}"
        raise InputError(run.name, None, f"expected a finite score, found {found}")
    return run.score


def _starts(group: IntArray) -> IntArray:
    """Return the start of each group of equal neighbours, and the end of the last."""
    changes = np.flatnonzero(np.diff(group)) + 1
    return np.concatenate(([0], changes, [len(group)])) if len(group) else np.zeros(1, dtype=np.int64)
