"""Depth-k: whatever some run has among its first k."""

from __future__ import annotations

from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import FixedOrder, Queue


@POOLING.add("depth", kind="fixed", random=False)
def depth_pool(lists: TopicLists, draws: Draws) -> Queue:
    """The union of the top k of every run: TREC's pool.

    Formula:    documents by the highest place that any run gives them; ties by document id, Z before A
    Reference:  Sparck Jones & Van Rijsbergen, "Report on the need for and provision of an 'ideal' information retrieval
        test collection", University of Cambridge 1975.
    Note:       with a budget, the pool is as deep as the budget reaches, the last rank in part.

    >>> queue = depth_pool(TopicLists.of(["a b", "b c"]), Draws(0, "q1"))
    >>> [queue.docs[doc] for doc in queue.order]
    ['b', 'a', 'c']
    """
    return FixedOrder(lists.docs, depth_order(lists))


def depth_order(lists: TopicLists, depth: int | None = None) -> list[int]:
    """Documents by their best rank, down to a depth; those that no run has are left out."""
    limit = lists.longest if depth is None else depth
    kept = [doc for doc, runs in enumerate(lists.holders) if runs and lists.best_rank[doc] <= limit]
    return sorted(kept, key=lists.best_rank.__getitem__)
