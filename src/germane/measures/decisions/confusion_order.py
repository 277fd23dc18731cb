"""Clusters of confusion: an order of the classes that puts those side by side that are taken for each other.

Of all orders we look for the one with the least sum of confusion × distance (the minimum linear arrangement): exactly
for few classes, by spectral order and local search for hundreds. Then the order is cut into blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from germane.tables.columns.ids import IntArray
from germane.tables.decisions.confusion import Confusion, Counts, Label

EXACT_UP_TO = 13
"""So many classes have few enough subsets (8,192) to go through all."""
MOST_PASSES = 100
"""The local search stops here at the latest; it has always come to rest long before."""


def cluster_order(confusion: Confusion) -> tuple[tuple[Label, ...], ...]:
    """The classes in blocks: each block is a cluster of confusion, and neighbours are confused most.

    >>> animals = Confusion.of_matrix([[5, 0, 3], [0, 11, 2], [2, 1, 3]], labels=["cat", "rabbit", "dog"])
    >>> cluster_order(animals)
    (('cat', 'dog'), ('rabbit',))
    """
    mutual = mutual_confusion(confusion.counts)
    order = best_order(mutual)
    blocks = np.split(order, block_starts(mutual[np.ix_(order, order)])[1:])
    return tuple(tuple(confusion.labels[place] for place in block) for block in blocks)


def mutual_confusion(counts: Any) -> Counts:
    """How often each two classes were taken for each other; what was right does not count."""
    mutual: Counts = counts + counts.T
    np.fill_diagonal(mutual, 0)
    return mutual


def spread_cost(mutual: Counts, order: IntArray | None = None) -> Any:
    """The sum of confusion × distance over all pairs.

    >>> spread_cost(np.asarray([[0, 1, 5], [1, 0, 0], [5, 0, 0]]))          # 1·1 + 5·2
    11
    """
    ordered = mutual if order is None else mutual[np.ix_(order, order)]
    places = np.arange(len(ordered))
    return (np.triu(ordered) * np.abs(places[:, None] - places)).sum().item()


def best_order(mutual: Counts) -> IntArray:
    """An order of least cost: the least of all up to 13 classes, a good one above. The given one if it is as good.

    Of an order and its mirror image, the one in which more pairs of classes stand as given.
    """
    given = np.arange(len(mutual))
    if len(mutual) <= EXACT_UP_TO:
        found = [_exact_order(mutual)]
    else:
        found = [_searched(mutual, _spectral_order(mutual)), _searched(mutual, given)]
    return min([given, *map(_as_given, found)], key=lambda order: spread_cost(mutual, order))


def block_starts(ordered: Counts) -> IntArray:
    """Where each block begins, for confusions in their order.

    Blocks are those cuts of the order that gather most confusion beyond the mean: the greatest sum, over all pairs of
    classes in one block, of (their confusion − the mean confusion of a pair). A class that is not confused more than
    that is a block of its own.
    """
    classes = len(ordered)
    pairs = max(1, classes * (classes - 1) // 2)
    # Everything times the number of pairs, so that whole numbers stay whole.
    beyond = ordered * pairs - ordered.sum() / 2 if ordered.dtype.kind == "f" else ordered * pairs - ordered.sum() // 2
    np.fill_diagonal(beyond, 0)
    # gathered[i, j]: what the block i … j gathers, by inclusion and exclusion of shorter blocks.
    corner = np.zeros((classes + 1, classes + 1), dtype=beyond.dtype)
    corner[1:, 1:] = beyond.cumsum(axis=0).cumsum(axis=1)
    begin, end = np.arange(classes)[:, None], np.arange(1, classes + 1)
    gathered = corner[end, end] - corner[begin, end] - corner[end, begin] + corner[begin, begin]
    best = np.zeros(classes + 1, dtype=beyond.dtype)
    start = np.zeros(classes + 1, dtype=np.int64)
    for after in range(1, classes + 1):
        sums = best[:after] + gathered[:after, after - 1]
        # Of equal sums the one with the shortest last block: what is not confused stays apart.
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
    """Dynamic programme over subsets: the cost of an order is the sum of what crosses each of its cuts."""
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
    """Each connected group of classes along its Fiedler vector; groups by their first class."""

    def ordered(members: IntArray) -> IntArray:
        if len(members) < 3:
            return members
        inside = mutual[np.ix_(members, members)].astype(np.float64)
        _, vectors = np.linalg.eigh(np.diag(inside.sum(axis=1)) - inside)
        # Rounded, so that classes in equal standing keep their order on every machine.
        return members[np.argsort(np.round(vectors[:, 1], 9), kind="stable")]

    return np.concatenate([ordered(members) for members in _connected(mutual > 0)])


def _connected(linked: Any) -> Iterator[IntArray]:
    """The connected groups of classes, in the order of their first classes."""
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
    """Move one class at a time to where it is best, until no move helps."""
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
            # What crosses each cut of the others; whatever crosses the place of the class gets longer by one.
            stretched = np.concatenate([crossing[: at + 1] - before[: at + 1], crossing[at + 2 :] - after[at + 1 :]])
            # A step to the right brings the class farther from all before it and nearer to all after the one it passes.
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
    """What crosses each cut of the order, from before the first class to after the last."""
    ordered = mutual[np.ix_(order, order)]
    return np.concatenate([[0], np.cumsum(np.triu(ordered).sum(axis=1) - np.tril(ordered).sum(axis=1))])
