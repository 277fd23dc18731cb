"""From scores and counts to ranks: the scores of the listed documents are thresholds, every other one is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from germane.tables.columns.ids import FloatArray, IntArray
from germane.vectors.pairs import Pairs

MANY = 64
"""With so many pairs to a query, sorting each by itself is several times quicker than sorting all of them at once."""


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The listed pairs by query and rising score, each score being a threshold that other documents may pass.

    `start` says where those of each query begin; `order` where each stood among the pairs as they were given.
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
            order = np.argsort(pairs.query, kind="stable")  # takes no time if they come by query, as they mostly do
            for a, b in pairwise(start.tolist()):
                order[a:b] = order[a:b][np.argsort(score[order[a:b]], kind="stable")]
        else:
            order = np.lexsort((score, pairs.query))
        return cls(start, pairs.doc[order], score[order], order)

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def query(self) -> IntArray:
        """The query of each."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def as_given(self) -> IntArray:
        """Where each of the pairs, as they were given, stands here."""
        back = np.empty_like(self.order)
        back[self.order] = np.arange(len(self.order))
        return back

    @cached_property
    def tie(self) -> tuple[IntArray, IntArray]:
        """Where the group of equal scores of each begins, and where the next one begins."""
        new = np.diff(self.query, prepend=-1).astype(bool) | np.diff(self.score, prepend=np.nan).astype(bool)
        group = np.cumsum(new) - 1
        begin = np.append(np.flatnonzero(new), len(self.score))
        return begin[group], begin[group + 1]


@dataclass(frozen=True, eq=False)
class Counts:
    """How the unlisted documents lie against the thresholds; filled block by block.

    ``histogram[start[q] + q + n]`` counts those above exactly n thresholds of query q, or equal to the next one (for
    n = 0 nobody asks, and it is not kept); `equal` counts those that equal a threshold, `ahead` those among them that
    stand before the threshold's own document by the rule for ties.
    """

    histogram: IntArray
    equal: IntArray
    ahead: IntArray

    @classmethod
    def none_yet(cls, thresholds: Thresholds) -> Counts:
        """Nothing counted."""
        size, num_queries = len(thresholds), len(thresholds.start) - 1
        return cls(*(np.zeros(n, dtype=np.int64) for n in (size + num_queries, size, size)))

    @classmethod
    def sum(cls, parts: Sequence[Counts]) -> Counts:
        """What several have counted, each other documents."""
        columns = zip(*((part.histogram, part.equal, part.ahead) for part in parts), strict=True)
        return cls(*(np.add.reduce(column) for column in columns))


@dataclass(frozen=True, eq=False)
class Ranks:
    """Of each listed pair, in the order in which the pairs were given: its score, its rank, and the first and last rank
    that its group of equal scores takes. `order` has the numbers of the pairs by query and rank."""

    score: FloatArray
    rank: IntArray
    first: IntArray
    last: IntArray
    order: IntArray


def ranks_of(thresholds: Thresholds, counts: Counts, place: IntArray) -> Ranks:
    """Add up what was counted; listed documents stand above, beside and below each other too.

    `place` is larger for the document that comes first among equal ones, and one per threshold.
    """
    start, query = thresholds.start, thresholds.query
    at = np.arange(len(thresholds))
    total = np.cumsum(counts.histogram)
    # All entries of the query's histogram after the one of this threshold.
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
    # Within a query, thresholds with a higher score come first, then the turn of each among equal ones.
    order[start[query] + start[query + 1] - tie_end + turn - tie_begin] = thresholds.order
    return Ranks(thresholds.score[given], rank[given], first[given], last[given], order)
