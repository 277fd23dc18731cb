"""Take-B: fuse the runs into one ranking, and judge its best B documents."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.queue import FixedOrder, Queue, by_falling
from germane.judging.pooling.registry import pooling, require
from germane.tables.ids import FloatArray


@pooling("rrf", "fixed", random=False)
def rrf_pool(lists: TopicLists, draws: Draws, *, c: float = 60) -> Queue:
    """Reciprocal rank fusion.

    Formula:    sum over the runs that rank it of 1 / (c + rank)
    Reference:  Cormack, Clarke & Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
        Methods", SIGIR 2009.

    >>> queue = rrf_pool(TopicLists.of(["a b", "b c"]), Draws(0, "q1"))
    >>> [queue.docs[doc] for doc in queue.order]
    ['b', 'a', 'c']
    """
    require("rrf", c >= 0, "c of 0 or more", c)
    return _by_sum(lists, lambda rank: 1 / (c + rank))


@pooling("rbp", "fixed", random=False)
def rbp_pool(lists: TopicLists, draws: Draws, *, p: float = 0.8) -> Queue:
    """The sum of what a document would add to each run's rank-biased precision.

    Formula:    sum over the runs that rank it of (1 - p) * p^(rank - 1)
    Reference:  Moffat, Webber & Zobel, "Strategic System Comparisons via Targeted Relevance Judgments", SIGIR 2007
        (their method A).
    """
    require("rbp", 0 < p < 1, "p between 0 and 1", p)
    return _by_sum(lists, lambda rank: (1 - p) * p ** (rank - 1))


@pooling("combmnz", "fixed", random=False)
def combmnz_pool(lists: TopicLists, draws: Draws) -> Queue:
    """CombMNZ: the sum of the scores, times the number of runs that have the document.

    Formula:    (runs that rank it) * sum of (score - lowest) / (highest - lowest) over them
    Reference:  Fox & Shaw, "Combination of Multiple Searches", TREC-2, 1994; Lee, "Analyses of Multiple Evidence
        Combination", SIGIR 1997, for the normalisation.
    Note:       lowest and highest are those of the run's list for the topic, cut at the depth of the pool. Where all
        its scores are the same, each counts as 1.
    """
    total = np.zeros(len(lists.docs))
    runs = np.zeros(len(lists.docs))
    for ranking, scores in zip(lists.ranked, lists.scores, strict=True):
        if ranking:
            value = np.asarray(scores)
            spread = value.max() - value.min()
            docs = list(ranking)
            total[docs] += (value - value.min()) / spread if spread > 0 else 1.0
            runs[docs] += 1
    return _in_order(lists, runs * total)


@pooling("borda", "fixed", random=False)
def borda_pool(lists: TopicLists, draws: Draws) -> Queue:
    """Borda count: each run hands out points, most to its first document.

    Formula:    sum over runs of n - rank + 1; n = documents that any run ranks. What a run does not rank shares its
        remaining points evenly.
    Reference:  Aslam & Montague, "Models for Metasearch", SIGIR 2001.
    """
    n = sum(map(bool, lists.holders))
    total = np.zeros(len(lists.docs))
    for ranking in lists.ranked:
        if ranking:  # a run that answers nothing has no opinion
            points = np.full(len(lists.docs), (n - len(ranking) + 1) / 2)
            points[list(ranking)] = n - np.arange(len(ranking), dtype=np.float64)
            total += points
    return _in_order(lists, total)


def _by_sum(lists: TopicLists, value: Callable[[int], float]) -> Queue:
    """Fusion of ranks: what a run adds depends on the rank alone."""
    by_rank = np.asarray([value(rank) for rank in range(1, lists.longest + 1)])
    total = np.zeros(len(lists.docs))
    for ranking in lists.ranked:
        total[list(ranking)] += by_rank[: len(ranking)]
    return _in_order(lists, total)


def _in_order(lists: TopicLists, values: FloatArray) -> Queue:
    return FixedOrder(lists.docs, [doc for doc in by_falling(values).tolist() if lists.holders[doc]])
