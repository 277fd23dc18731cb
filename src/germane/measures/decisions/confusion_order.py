"""Order the classes of a confusion matrix so that classes confused with each other are neighbours, in blocks.

The order minimises the sum of confusion × distance (the minimum linear arrangement): exactly for few classes, by
spectral order and local search for hundreds. The order is then cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from germane.tables.columns.ids import IntArray
from germane.tables.decisions.confusion import Confusion, Counts, Label

EXACT_UP_TO = 13
"""Find the optimal order exactly up to this many classes (2¹³ = 8,192 subsets)."""
MOST_PASSES = 100
"""Maximum number of passes of the local search; it usually converges long before."""


def cluster_order(confusion: Confusion) -> tuple[tuple[Label, ...], ...]:
    """Return the classes in blocks: classes in a block are confused with each other, neighbours most.

    >>> animals = Confusion.of_matrix([[5, 0, 3], [0, 11, 2], [2, 1, 3]], labels=["cat", "rabbit", "dog"])
    >>> cluster_order(animals)
    (('cat', 'dog'), ('rabbit',))
    """
    mutual = mutual_confusion(confusion.counts)
    order = best_order(mutual)
    blocks = np.split(order, block_starts(mutual[np.ix_(order, order)])[1:])
    return tuple(tuple(confusion.labels[place] for place in block) for block in blocks)


def mutual_confusion(counts: Any) -> Counts:
    """Return how often each pair of classes was confused, in either direction; the diagonal is 0."""
    mutual: Counts = counts + counts.T
    np.fill_diagonal(mutual, 0)
    return mutual


def spread_cost(mutual: Counts, order: IntArray | None = None) -> Any:
    """Return the sum of confusion × distance over all pairs of classes.

    >>> spread_cost(np.asarray([[0, 1, 5], [1, 0, 0], [5, 0, 0]]))          # 1·1 + 5·2
    11
    """
    ordered = mutual if order is None else mutual[np.ix_(order, order)]
    places = np.arange(len(ordered))
    return (np.triu(ordered) * np.abs(places[:, None] - places)).sum().item()


def best_order(mutual: Counts) -> IntArray:
    """Return a minimum-cost order: optimal up to 13 classes, heuristic above; the given order if it is as good.

    Of an order and its mirror image, choose the one that keeps more pairs of classes in the given order.
    """
    given = np.arange(len(mutual))
    if len(mutual) <= EXACT_UP_TO:
        found = [_exact_order(mutual)]
    else:
        found = [_searched(mutual, _spectral_order(mutual)), _searched(mutual, given)]
    return min([given, *map(_as_given, found)], key=lambda order: spread_cost(mutual, order))


def block_starts(ordered: Counts) -> IntArray:
    """Return the start of each block in an ordered matrix of mutual confusion.

    The blocks maximise the sum, over all pairs of classes in the same block, of (their confusion − the mean confusion
    of a pair). A class that is confused with no other more than average is a block of its own.
    """
    classes = len(ordered)
    pairs = max(1, classes * (classes - 1) // 2)
    # Scale everything by the number of pairs, so that integers stay integers.
    beyond = ordered * pairs - ordered.sum() / 2 if ordered.dtype.kind == "f" else ordered * pairs - ordered.sum() // 2
    np.fill_diagonal(beyond, 0)
    # gathered[i, j]: the sum inside block i … j, by inclusion and exclusion.
    corner = np.zeros((classes + 1, classes + 1), dtype=beyond.dtype)
    corner[1:, 1:] = beyond.cumsum(axis=0).cumsum(axis=1)
    begin, end = np.arange(classes)[:, None], np.arange(1, classes + 1)
    gathered = corner[end, end] - corner[begin, end] - corner[end, begin] + corner[begin, begin]
    best = np.zeros(classes + 1, dtype=beyond.dtype)
    start = np.zeros(classes + 1, dtype=np.int64)
    for after in range(1, classes + 1):
        sums = best[:after] + gathered[:after, after - 1]
        # Break ties towards the shortest last block, so that classes without confusion stay separate.
        start[after] = after - 1 - int(np.argmax(sums[::-1]))
        best[after] = sums[start[after]]
    starts = [int(start[classes])]
    while starts[-1]:
        starts.append(int(start[starts[-1]]))
    return np.asarray(starts[::-1], dtype=np.int64)


def _as_given(order: IntArray) -> IntArray:
    in_place = int(np.sign(order[None, :] - order[:, None])[np.triu_indices(len(order), 1)].sum())
    turned = in_place < 0 or (in_place == 0 and order[0] > order[-1])
    return order[::-1] if turned else order


def _exact_order(mutual: Counts) -> IntArray:
    """Find the optimal order by dynamic programming over subsets: its cost is the sum of the weights across cuts."""
    classes = len(mutual)
    crossing = np.zeros(1, dtype=mutual.dtype)
    size = np.zeros(1, dtype=np.int64)
    for added in range(classes):
        to_subset = np.zeros(1, dtype=mutual.dtype)
        for other in range(added):
            to_subset = np.concatenate([to_subset, to_subset + mutual[added, other]])
        crossing = np.concatenate([crossing, crossing + mutual[added].sum() - 2 * to_subset])
        size = np.concatenate([size, size + 1])
    never = np.iinfo(np.int64).max if mutual.dtype.kind != "f" else np.inf
    cost = np.zeros(1 << classes, dtype=mutual.dtype)
    last = np.zeros(1 << classes, dtype=np.int64)
    bits = 1 << np.arange(classes)
    for members in range(1, classes + 1):
        subsets = np.flatnonzero(size == members)
        without = np.where(subsets[:, None] & bits, cost[subsets[:, None] & ~bits], never)
        last[subsets] = without.argmin(axis=1)
        cost[subsets] = without.min(axis=1) + crossing[subsets]
    order, left = [], (1 << classes) - 1
    while left:
        order.append(int(last[left]))
        left ^= 1 << order[-1]
    return np.asarray(order[::-1], dtype=np.int64)


def _spectral_order(mutual: Counts) -> IntArray:
    """Order each connected component by its Fiedler vector, and components by their first class."""

    def ordered(members: IntArray) -> IntArray:
        if len(members) < 3:
            return members
        inside = mutual[np.ix_(members, members)].astype(np.float64)
        _, vectors = np.linalg.eigh(np.diag(inside.sum(axis=1)) - inside)
        # Round, so that classes with equal values keep their order on every machine.
        return members[np.argsort(np.round(vectors[:, 1], 9), kind="stable")]

    return np.concatenate([ordered(members) for members in _connected(mutual > 0)])


def _connected(linked: Any) -> Iterator[IntArray]:
    """Yield the connected components of the classes, ordered by their first class."""
    left = np.ones(len(linked), dtype=np.bool_)
    while left.any():
        reached = np.zeros(len(linked), dtype=np.bool_)
        fresh = np.flatnonzero(left)[:1]
        while len(fresh):
            reached[fresh] = True
            fresh = np.flatnonzero(linked[fresh].any(axis=0) & ~reached)
        left &= ~reached
        yield np.flatnonzero(reached)


def _searched(mutual: Counts, order: IntArray) -> IntArray:
    """Improve an order by local search: move one class at a time to its best place until no move helps."""
    order = order.copy()
    least = 0 if mutual.dtype.kind != "f" else 1e-9 * float(mutual.sum())
    crossing = _crossing(mutual, order)
    for _ in range(MOST_PASSES):
        moved = False
        for label in range(len(order)):
            at = int(np.flatnonzero(order == label)[0])
            others = np.delete(order, at)
            before = np.concatenate([[0], np.cumsum(mutual[label, others])])
            after = before[-1] - before
            # Weight across each cut of the others; every pair that spans the place of the class is one step longer.
            stretched = np.concatenate([crossing[: at + 1] - before[: at + 1], crossing[at + 2 :] - after[at + 1 :]])
            # One step right moves the class away from all before it and closer to all after the one it passes.
            own = np.concatenate([[0], np.cumsum(before[:-1] - after[1:])])
            costs = own + stretched
            to = int(np.argmin(costs))
            if costs[at] - costs[to] > least:
                order = np.insert(others, to, label)
                crossing = np.concatenate([(stretched + before)[: to + 1], (stretched + after)[to:]])
                moved = True
        if not moved:
            break
    return order


def _crossing(mutual: Counts, order: IntArray) -> Counts:
    """Return the weight across each cut of the order, from before the first class to after the last."""
    ordered = mutual[np.ix_(order, order)]
    return np.concatenate([[0], np.cumsum(np.triu(ordered).sum(axis=1) - np.tril(ordered).sum(axis=1))])
