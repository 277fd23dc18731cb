"""Fusion by majority: the runs vote on each pair of documents."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from germane.retrieval.fusion.lists import Lists
from germane.retrieval.fusion.method import FUSION
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.threads import map_in_threads, num_threads

PAIRS_AT_ONCE = 1 << 17
"""Number of document pairs counted at a time: few enough to stay in the cache."""
ROUNDING = 1e-9
"""Sums of weights that differ by less than this share of the total weight are equal."""


@FUSION.add("condorcet", uses="ranks", weights="optional", unanimity="always")
def condorcet(lists: Lists) -> FloatArray:
    """Condorcet fusion: rank by pairwise victories; a document beats another if more runs rank it higher.

    Formula:    (number of candidates it beats) + (number of candidates it ties with) / 2
    Reference:  Montague & Aslam, "Condorcet Fusion for Improved Retrieval", CIKM 2002; Copeland, "A Reasonable Social
        Welfare Function", University of Michigan 1951, for the count of victories.
    Edge cases: A run ranks its documents above those it lacks, and does not vote on two documents that it lacks.
        Majorities may be cyclic (a beats b, b beats c, c beats a): the number of victories still orders all documents,
        and a document that beats all others comes first. With weights, the greater total weight wins. Time grows with
        the square of the number of candidates of a query.

    >>> from germane.retrieval.fusion.lists import written
    >>> lists = written("a b c", "a c b", "c a b")
    >>> dict(zip(lists.docs, condorcet(lists).tolist()))                         # a beats both, c beats b
    {'c': 1.0, 'b': 0.0, 'a': 2.0}
    """
    scores = np.empty(len(lists.docs))
    first = np.cumsum(lists.num_candidates) - lists.num_candidates
    row_query = lists.query[lists.candidate]
    by_query = np.argsort(row_query, kind="stable")
    ends = np.cumsum(np.bincount(row_query, minlength=len(lists.queries)))
    row_run = lists.list_run[lists.row_list]

    def count(share: IntArray) -> None:
        for query in share.tolist():
            rows = by_query[ends[query - 1] if query else 0 : ends[query]]
            voters, voter = np.unique(row_run[rows], return_inverse=True)
            size = int(lists.num_candidates[query])
            ranks = np.full((len(voters), size), size + 1, dtype=np.uint16 if size < 1 << 16 else np.uint32)
            ranks[voter.reshape(-1), lists.candidate[rows] - first[query]] = lists.rank[rows]
            scores[first[query] : first[query] + size] = victories(ranks, lists.weights[voters])

    queries = np.flatnonzero(lists.num_candidates)
    map_in_threads(count, [queries[i :: num_threads()] for i in range(num_threads())])
    return scores


def victories(ranks: npt.NDArray[np.unsignedinteger], weights: FloatArray) -> FloatArray:
    """Return won pairs plus half the tied ones, by document; `ranks` is voters × documents, equal for no vote.

    >>> victories(np.array([[1, 2, 3], [2, 1, 3]], dtype=np.uint16), np.ones(2))
    array([1.5, 1.5, 0. ])
    """
    num_docs = ranks.shape[1]
    weights = weights / max(weights.max(), np.finfo(float).tiny)
    levels = np.unique(weights[weights > 0]).tolist()
    draw = ROUNDING * weights.sum()
    found = np.empty(num_docs)
    step = max(1, PAIRS_AT_ONCE // num_docs)
    for start in range(0, num_docs, step):
        docs = slice(start, start + step)
        # Count voters of equal weight in integers: usually all weights are equal.
        votes = [_majorities(ranks[weights == level], docs) for level in levels]
        margin = votes[0] if len(levels) == 1 else sum(map(np.multiply, levels, votes), np.zeros((1, num_docs)))
        won, lost = np.count_nonzero(margin > draw, axis=1), np.count_nonzero(margin < -draw, axis=1)
        found[docs] = won + (num_docs - 1 - won - lost) / 2
    return found


def _majorities(ranks: npt.NDArray[np.unsignedinteger], docs: slice) -> npt.NDArray[np.signedinteger]:
    """Return the margin, in voters, by which each of these documents is ahead of each document."""
    counter = np.int8 if len(ranks) < 1 << 7 else np.int32
    ahead = np.zeros((len(ranks[0, docs]), ranks.shape[1]), dtype=counter)
    for own in ranks:
        ahead += (own[docs, None] < own).view(np.int8)
        ahead -= (own[docs, None] > own).view(np.int8)
    return ahead
