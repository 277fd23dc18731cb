"""A run matched with judgments: the common input of all ranking measures.

A `JudgedRun` holds, per query, how many documents were retrieved and, for each retrieved document that the qrels list,
its rank. Measures need nothing else of the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from germane.arguments import checked
from germane.errors import GermaneError
from germane.tables.columns.ids import BoolArray, FloatArray, Ids, IntArray
from germane.tables.rankings.qrels import Qrels

GRADE = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
"""Pattern of a grade in `judged`."""

Ties = Literal["docno", "order", "rank", "best", "worst", "expected"]
NoRelevant = Literal["keep", "skip"]
PerQuery = FloatArray
Number = TypeVar("Number", np.int64, np.float64)


def sum_by(group: IntArray, values: FloatArray, num_groups: int) -> FloatArray:
    """Add up values by group, one after the other in their order (np.sum would add pairwise)."""
    return np.asarray(np.bincount(group, weights=values, minlength=num_groups), dtype=np.float64)


def sum_so_far(values: FloatArray, place: IntArray) -> FloatArray:
    """Return the running sum within each group; `place` counts 1, 2, ... and the sum restarts wherever it is 1.

    It proceeds one place at a time for all groups at once: a difference of two cumulative sums would make the last bits
    of a query depend on the queries before it.
    """
    total = values.astype(np.float64)
    here = np.flatnonzero(place == 2)
    while len(here):
        total[here] += total[here - 1]
        here = here[here + 1 < len(place)] + 1
        here = here[place[here] > 1]
    return total


def tie_ends(query: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return for each hit the first and last index of the hits that are tied with it, including itself."""
    group = np.cumsum(np.diff(first, prepend=-1).astype(bool) | np.diff(query, prepend=-1).astype(bool))
    return np.searchsorted(group, group), np.searchsorted(group, group, side="right") - 1


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """Hits by query and, within a query, by rank. Query i is query i of the qrels, whether the run has it or not.

    `rank` is the rank of a hit in the order that all measures share; `first` and `last` bound the ranks that it could
    have with other orders of tied scores. Ranks count from 1.
    """

    qrels: Qrels
    in_run: BoolArray
    num_retrieved: IntArray
    doc: IntArray
    rank: IntArray
    first: IntArray
    last: IntArray
    ties: Ties = "docno"
    name: str = "run"
    unknown_queries: tuple[str, ...] = ()
    """Queries of the run without judgments."""
    rising_queries: int = 0
    """Number of queries whose scores rise from each row to the next, as ranks and distances would."""
    interleaved: bool = False
    """Whether the lines of the file were not grouped by query, which takes more time and memory to read."""

    @cached_property
    def query(self) -> IntArray:
        """The query of each hit."""
        return self.qrels.query[self.doc]

    @cached_property
    def grade(self) -> FloatArray:
        """Grade of each hit; negative where it was pooled but unjudged."""
        return self.qrels.grade[self.doc]

    @property
    def num_queries(self) -> int:
        return self.qrels.num_queries

    def num_relevant(self, rel: float = 1) -> IntArray:
        """Return R of each query: the number of known relevant documents, retrieved or not."""
        return self.qrels.num_relevant(rel)

    def hits(self, which: BoolArray, cut: IntArray | int | None = None) -> Hits:
        """Return the marked hits down to a rank (one for all queries, or one per query)."""
        if cut is not None:
            limit = np.asarray(cut)[self.query] if np.ndim(cut) else cut
            # A tie group that straddles the cutoff is in it for some of its orders.
            which = which & ((self.first if self.ties == "expected" else self.rank) <= limit)
        return Hits(self, np.flatnonzero(which), cut)

    def relevant(self, rel: float = 1, cut: IntArray | int | None = None) -> Hits:
        """Return the hits of at least this grade."""
        return self.hits(self.grade >= rel, cut)

    def judged(self, cut: int | None = None) -> Hits:
        """Return the judged hits."""
        return self.hits(self.grade >= 0, cut)

    def sum_by_query(self, values: FloatArray) -> PerQuery:
        """Add up one value per hit, ranks ascending."""
        return sum_by(self.query, values, self.num_queries)

    def depth(self, cut: int | None) -> IntArray:
        """Return the number of retrieved documents of each query, down to the cutoff."""
        return self.num_retrieved if cut is None else np.minimum(self.num_retrieved, cut)

    @cached_property
    def condensed(self) -> JudgedRun:
        """The run without unjudged documents."""
        judged = np.flatnonzero(self.grade >= 0)
        query = self.query[judged]
        rank = np.arange(len(judged)) - np.searchsorted(query, query) + 1
        first, last = (rank[end] for end in tie_ends(query, self.first[judged]))
        retrieved = np.bincount(query, minlength=self.num_queries)
        return replace(self, doc=self.doc[judged], rank=rank, first=first, last=last, num_retrieved=retrieved)


@dataclass(frozen=True, eq=False)
class Hits:
    """Some of the hits of a run, still by query and rank."""

    run: JudgedRun
    index: IntArray
    cut: IntArray | int | None = None

    def _marked(self, column: NDArray[Number]) -> NDArray[Number]:
        """Return a column of the run for these hits, without a copy if they are all hits."""
        return column if len(self.index) == len(column) else column[self.index]

    @cached_property
    def rank(self) -> IntArray:
        return self._marked(self.run.rank)

    @cached_property
    def grade(self) -> FloatArray:
        return self._marked(self.run.grade)

    @cached_property
    def query(self) -> IntArray:
        return self._marked(self.run.query)

    @cached_property
    def doc(self) -> IntArray:
        return self._marked(self.run.doc)

    @cached_property
    def first_of_query(self) -> IntArray:
        """Index of the first hit of the same query, for each hit."""
        count = self.count_by_query()
        return (np.cumsum(count) - count)[self.query]

    @cached_property
    def count_so_far(self) -> IntArray:
        """Number of these hits at or above each one, within its query."""
        return np.arange(len(self.index)) - self.first_of_query + 1

    def sum_so_far(self, values: FloatArray) -> FloatArray:
        """Return the running sum of a value within each query."""
        return sum_so_far(values, self.count_so_far)

    def sum_by_query(self, values: FloatArray) -> PerQuery:
        """Add up one value per hit, ranks ascending."""
        return sum_by(self.query, values, self.run.num_queries)

    def count_by_query(self) -> IntArray:
        return np.bincount(self.query, minlength=self.run.num_queries)

    @property
    def limit(self) -> IntArray:
        """Cutoff for each hit; beyond every rank where there is none."""
        if self.cut is None:
            return self.run.last[self.index]
        return np.broadcast_to(np.asarray(self.cut)[self.query] if np.ndim(self.cut) else self.cut, self.index.shape)

    def at_rank(self, by_rank: FloatArray) -> FloatArray:
        """Look up a value by rank (``by_rank[0]`` is rank 1); with expected ties, return its mean over the possible
        ranks of the hit, counting nothing beyond the cutoff."""
        plain: FloatArray = by_rank[self.rank - 1]
        if self.run.ties != "expected":
            return plain
        first, last = self.run.first[self.index], self.run.last[self.index]
        total = np.concatenate(([0.0], np.cumsum(by_rank)))
        mean = (total[np.minimum(last, self.limit)] - total[first - 1]) / (last - first + 1)
        return np.asarray(np.where(first == last, plain, mean))

    @cached_property
    def share(self) -> FloatArray:
        """1 for each hit; with expected ties, the share of orders in which it is within the cutoff."""
        if self.run.ties != "expected":
            return np.ones(len(self.index))
        first, last = self.run.first[self.index], self.run.last[self.index]
        return np.asarray((np.minimum(last, self.limit) - first + 1) / (last - first + 1))

    @property
    def max_rank(self) -> int:
        """Lowest possible rank of any of these hits."""
        return int(self.run.last[self.index].max(initial=1))


@dataclass(frozen=True, eq=False)
class Worked:
    """Computation of a measure: per query ``(base + sum of term over the hits) / over``.

    The value, its micro average and its explanation all use this object. `columns` are the intermediate results for
    each hit in the breakdown; `empty` is the value where `over` is 0, `over_is` the name of `over`.
    """

    hits: Hits
    term: FloatArray
    over: PerQuery | IntArray | float = 1.0
    base: PerQuery | IntArray | float = 0.0
    empty: float = 0.0
    over_is: str = ""
    columns: Mapping[str, FloatArray] = field(default_factory=dict)

    @cached_property
    def numerator(self) -> PerQuery:
        return np.asarray(self.base + self.hits.sum_by_query(self.term))

    @cached_property
    def denominator(self) -> PerQuery:
        return np.broadcast_to(np.asarray(self.over, dtype=np.float64), (self.hits.run.num_queries,))

    @cached_property
    def value(self) -> PerQuery:
        nothing = self.denominator == 0
        value = self.numerator / np.where(nothing, 1.0, self.denominator)
        value[nothing] = self.empty
        return np.asarray(value, dtype=np.float64)


@checked
def judged(
    ranking: str, unretrieved: str = "", *, scale: float | None = None, collection_size: int | None = None
) -> JudgedRun:
    """Return a judged run from text: grades in rank order, ``-`` for an unlisted document, ``|`` between queries.

    >>> run = judged("1 0 - 2", unretrieved="1")
    >>> run.rank, run.grade, run.num_retrieved, run.num_relevant()
    (array([1, 2, 4]), array([1., 0., 2.]), array([4]), array([3]))
    >>> judged("- -").num_retrieved                                          # nothing is judged
    array([2])
    """
    rankings = [part.split() for part in ranking.split("|")]
    for text in f"{ranking} {unretrieved}".replace("|", " ").split():
        if text != "-" and not GRADE.fullmatch(text):
            raise GermaneError(f"expected grades separated by spaces, such as '1 0 2', found {text!r}")
    missed = [part.split() for part in unretrieved.split("|")] + [[]] * len(rankings)
    grade: list[float] = []
    start, hit_doc, hit_rank = [0], list[int](), list[int]()
    for retrieved, lost in zip(rankings, missed, strict=False):
        for rank, text in enumerate(retrieved, start=1):
            if text != "-":
                hit_doc.append(len(grade))
                hit_rank.append(rank)
                grade.append(float(text))
        grade += map(float, lost)
        start.append(len(grade))
    qrels = Qrels(
        queries=Ids.of(f"q{i}" for i in range(len(rankings))),
        start=np.asarray(start, dtype=np.int64),
        docs=Ids.of(f"d{i}" for i in range(len(grade))),
        grade=np.asarray(grade, dtype=np.float64),
        scale=max([0.0, *grade]) if scale is None else scale,
        collection_size=collection_size,
    )
    num_retrieved = np.asarray([len(retrieved) for retrieved in rankings], dtype=np.int64)
    doc, ranks = np.asarray(hit_doc, dtype=np.int64), np.asarray(hit_rank, dtype=np.int64)
    return JudgedRun(qrels, np.ones(len(rankings), dtype=bool), num_retrieved, doc, ranks, first=ranks, last=ranks)
