"""Expected values over all orders of tied documents, for measures that are not a plain sum over ranks.

Reference: McSherry & Najork, "Computing Information Retrieval Performance Measures Efficiently in the Presence of
Tied Scores", ECIR 2008. Without ``ties="expected"`` each function returns the value for the given order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import comb

import numpy as np

from germane.tables.columns.ids import FloatArray
from germane.tables.rankings.judged_run import Hits


def tie_groups(hits: Hits) -> Iterator[tuple[slice, int, int, int]]:
    """Yield for each group of tied documents with hits: its hits, the ranks above it, its size, the cutoff."""
    first, last = hits.run.first[hits.index], hits.run.last[hits.index]
    starts = np.flatnonzero(np.diff(first, prepend=-1).astype(bool) | np.diff(hits.query, prepend=-1).astype(bool))
    for start, end in pairwise([*starts.tolist(), len(first)]):
        above, size = int(first[start]) - 1, int(last[start] - first[start]) + 1
        yield slice(start, end), above, size, int(hits.limit[start])


def success_probability(hits: Hits) -> FloatArray:
    """Return 1 at the first hit of each query; with ties=expected, the probability of a hit in the top k."""
    term: FloatArray = np.where(hits.count_so_far == 1, 1.0, 0.0)
    if hits.run.ties == "expected":
        for members, above, size, limit in tie_groups(hits):
            relevant, places = members.stop - members.start, min(size, limit - above)
            if term[members.start]:
                missed = comb(size - relevant, places) / comb(size, places)
                term[members] = (1.0 - missed) / relevant
    return term


def reciprocal_of_first(hits: Hits) -> FloatArray:
    """Return 1/rank at the first hit of each query; with ties=expected, its mean over the orders of the tie group."""
    term: FloatArray = (hits.count_so_far == 1) / hits.rank
    if hits.run.ties == "expected":
        for members, above, size, limit in tie_groups(hits):
            if hits.count_so_far[members.start] == 1:
                relevant = members.stop - members.start
                # The first relevant document is at position i of the group in comb(size - i, relevant - 1) orders.
                places = range(1, min(size - relevant + 1, limit - above) + 1)
                chances = (comb(size - i, relevant - 1) / (above + i) for i in places)
                term[members] = sum(chances) / comb(size, relevant) / relevant
    return term


def precision_at_hits(hits: Hits) -> FloatArray:
    """Return the precision at the rank of each hit; with ties=expected, its mean over the orders of the tie group.

    If r of n tied documents are relevant, position i holds a relevant one with probability r/n, and then
    (i - 1)(r - 1)/(n - 1) of the other relevant ones are expected before it.
    """
    precision: FloatArray = hits.count_so_far / hits.rank
    if hits.run.ties == "expected":
        for members, above, size, limit in tie_groups(hits):
            if size == 1:
                continue
            relevant, before = members.stop - members.start, int(hits.count_so_far[members.start]) - 1
            place = np.arange(1, min(size, limit - above) + 1)
            mean = (before + 1 + (place - 1) * (relevant - 1) / (size - 1)) / (above + place)
            precision[members] = float(np.cumsum(mean)[-1]) / size
    return precision
