"""Move-to-front: stay with a run for as long as it delivers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import Queue, RunQueue

Ties = Literal["random", "first"]


@POOLING.add("mtf", kind="adaptive", random=True)
def move_to_front(lists: TopicLists, draws: Draws, *, ties: Ties = "random") -> Queue:
    """Move-to-front: judge down the run of highest priority until it disappoints.

    Formula:    all runs start with the same priority; a relevant document keeps its run in front, one that is not takes
        1 off the priority of its run, and the next is from a run of highest priority
    Reference:  Cormack, Palmer & Clarke, "Efficient Construction of Large Test Collections", SIGIR 1998.
    Note:       local, that is, topic by topic. Documents already judged are skipped without effect, and a run that is
        used up leaves. ties = random takes any of the runs of highest priority, first the one given first.
    """
    return MoveToFront(lists, draws, random_ties=ties == "random")


class MoveToFront(RunQueue):
    """The queue of `move_to_front`."""

    def __init__(self, lists: TopicLists, draws: Draws, *, random_ties: bool) -> None:
        super().__init__(lists, draws, random_ties=random_ties)
        self.priority = [0] * len(lists.ranked)
        self.in_front: int | None = None

    def choose(self, runs: Sequence[int]) -> int:
        """The run in front, while it has documents left."""
        if self.in_front in runs:
            assert self.in_front is not None
            return self.in_front
        return self.best(runs, [self.priority[run] for run in runs])

    def update(self, run: int, doc: int, relevant: bool) -> None:
        """Stay, or step back."""
        if relevant:
            self.in_front = run
        else:
            self.priority[run] -= 1
            if self.in_front == run:
                self.in_front = None
