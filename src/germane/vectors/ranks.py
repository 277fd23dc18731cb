"""Turn scores and counts into ranks: scores of listed documents are thresholds against which all others are counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from germane.tables.columns.ids import FloatArray, IntArray
from germane.vectors.pairs import Pairs

MANY = 64
"""Pairs per query above which sorting query by query is several times faster than sorting all at once."""


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Listed pairs by query and ascending score; each score is a threshold for other documents.

    `start` is the offset of each query; `order` has the index of each threshold among the given pairs.
    """

    start: IntArray
    doc: IntArray
    score: FloatArray
    order: IntArray

    @classmethod
    def of(cls, pairs: Pairs, score: FloatArray, num_queries: int) -> Thresholds:
        """Sort the listed pairs."""
        start = np.zeros(num_queries + 1, dtype=np.int64)
        np.cumsum(np.bincount(pairs.query, minlength=num_queries), out=start[1:])
        if len(pairs) > MANY * num_queries:
            order = np.argsort(pairs.query, kind="stable")  # fast if sorted by query already, as is usual
            for a, b in pairwise(start.tolist()):
                order[a:b] = order[a:b][np.argsort(score[order[a:b]], kind="stable")]
        else:
            order = np.lexsort((score, pairs.query))
        return cls(start, pairs.doc[order], score[order], order)

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def query(self) -> IntArray:
        """The query of each threshold."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def as_given(self) -> IntArray:
        """Index of each given pair among the thresholds."""
        back = np.empty_like(self.order)
        back[self.order] = np.arange(len(self.order))
        return back

    @cached_property
    def tie(self) -> tuple[IntArray, IntArray]:
        """Start of each threshold's group of equal scores, and start of the next group."""
        new = np.ones(len(self.score), dtype=bool)
        new[1:] = (self.query[1:] != self.query[:-1]) | (self.score[1:] != self.score[:-1])
        group = np.cumsum(new) - 1
        begin = np.append(np.flatnonzero(new), len(self.score))
        return begin[group], begin[group + 1]


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of unlisted documents relative to the thresholds, accumulated block by block.

    ``histogram[start[q] + q + n]`` counts those above exactly n thresholds of query q, or equal to the next one (n = 0
    is not needed and not kept); `equal` counts those equal to a threshold, `ahead` those among them that rank before
    the threshold's own document by the tie-breaking rule.
    """

    histogram: IntArray
    equal: IntArray
    ahead: IntArray

    @classmethod
    def none_yet(cls, thresholds: Thresholds) -> Counts:
        """Return counts of zero."""
        size, num_queries = len(thresholds), len(thresholds.start) - 1
        return cls(*(np.zeros(n, dtype=np.int64) for n in (size + num_queries, size, size)))

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """Add up counts of disjoint sets of documents."""
        columns = zip(*((part.histogram, part.equal, part.ahead) for part in parts), strict=True)
        return cls(*(np.add.reduce(column) for column in columns))


@dataclass(frozen=True, eq=False)
class Ranks:
    """Score and rank of each listed pair, in the given order, with the first and last rank of its group of equal
    scores. `order` has the pair numbers by query and rank."""

    score: FloatArray
    rank: IntArray
    first: IntArray
    last: IntArray
    order: IntArray


def ranks_of(thresholds: Thresholds, counts: Counts, place: IntArray) -> Ranks:
    """Add up the counts, including those of listed documents among each other.

    `place` has one entry per threshold; of equal scores, the larger number ranks first.
    """
    start, query = thresholds.start, thresholds.query
    at = np.arange(len(thresholds))
    total = np.cumsum(counts.histogram)
    # All entries of the query's histogram after that of this threshold.
    unlisted_above = total[start[query + 1] + query] - total[at + query]
    tie_begin, tie_end = thresholds.tie
    above = unlisted_above + start[query + 1] - tie_end
    tied = np.flatnonzero(tie_end - tie_begin > 1)
    turn = at.copy()
    turn[tied[np.lexsort((-place[tied], tie_begin[tied]))]] = tied
    first = above + 1
    rank = first + counts.ahead + turn - tie_begin
    last = above + counts.equal + tie_end - tie_begin
    given = thresholds.as_given
    order = np.empty_like(at)
    # Within a query, higher scores come first; equal ones by their turn.
    order[start[query] + start[query + 1] - tie_end + turn - tie_begin] = thresholds.order
    return Ranks(thresholds.score[given], rank[given], first[given], last[given], order)
