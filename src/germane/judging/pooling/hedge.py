"""Hedge: trust each run as far as its past ranks proved right, and judge what the trusted ones rank highest."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from germane.catalogue import Probability
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import NOBODY, Queue
from germane.tables.columns.ids import FloatArray


@POOLING.add("hedge", kind="adaptive", random=False)
def hedge(lists: TopicLists, draws: Draws, *, beta: Probability = 0.1) -> Queue:
    """Hedge: a weighted vote of the runs, whose weights follow from what they said of the documents judged so far.

    Formula:    next is the document with the highest sum over runs of w * g; g = ln(Z / rank) / 2, Z = the longest
        list. Then w is multiplied by beta^loss; loss = -g if the document was relevant, g if not
    Reference:  Aslam, Pavlu & Savell, "A Unified Model for Metasearch, Pooling, and System Evaluation", CIKM 2003.
    Note:       a document that a run does not rank has the mean g of the ranks below its list, down to the number of
        documents that any run ranks (the paper goes down to the size of the collection).

    >>> queue = hedge(TopicLists.of(["a b", "b c", "b d"]), Draws(0, "q1"))
    >>> queue.docs[queue.next()]
    'b'
    """
    return Hedge(lists, beta)


class Hedge(Queue):
    """The queue of `hedge`. Ties go to the first document id, Z before A."""

    def __init__(self, lists: TopicLists, beta: float) -> None:
        super().__init__(lists.docs)
        self.gain = _gains(lists)
        self.log_weight = [0.0] * len(self.gain)
        self._log_beta = math.log(beta)
        self._left = np.asarray([0.0 if runs else -np.inf for runs in lists.holders])
        self._vote: FloatArray | None = None

    @property
    def weight(self) -> FloatArray:
        """How far each run is trusted; they sum to 1."""
        highest = max(self.log_weight, default=0.0)
        weights = [math.exp(value - highest) for value in self.log_weight]
        total = math.fsum(weights)
        return np.asarray([weight / total for weight in weights])

    def next(self, waiting: Collection[int] = NOBODY) -> int | None:
        """The document of the highest vote."""
        if self._vote is None:
            # Summed run by run: a matrix product would add in another order on another machine.
            self._vote = (self.weight[:, None] * self.gain).sum(axis=0) + self._left
        vote = self._vote
        if waiting:
            vote = vote.copy()
            vote[list(waiting)] = -np.inf
        best = int(vote.argmax()) if len(vote) else -1
        return None if best < 0 or vote[best] == -np.inf else best

    def learn(self, doc: int, relevant: bool) -> None:
        """Weigh each run by what it said of the document."""
        sign = -1.0 if relevant else 1.0
        for run, gain in enumerate(self.gain[:, doc].tolist()):
            self.log_weight[run] += self._log_beta * sign * gain
        self._left[doc] = -np.inf
        self._vote = None


def _gains(lists: TopicLists) -> FloatArray:
    """ln(Z / rank) / 2 by run and document. Runs that rank nothing have no say."""
    ranked = [ranking for ranking in lists.ranked if ranking]
    longest, n = lists.longest, sum(map(bool, lists.holders))
    by_rank = [math.log(longest / rank) / 2 for rank in range(1, n + 1)]
    gains = np.empty((len(ranked), len(lists.docs)))
    for row, ranking in zip(gains, ranked, strict=True):
        below = by_rank[len(ranking) :]
        row[:] = math.fsum(below) / len(below) if below else 0.0
        row[list(ranking)] = by_rank[: len(ranking)]
    return gains
