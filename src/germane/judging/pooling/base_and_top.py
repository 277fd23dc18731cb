"""A shallow pool that is fair to every run, and a bandit for the rest of the budget."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from germane.catalogue import Count
from germane.judging.pooling.bandits import Credit
from germane.judging.pooling.depth import depth_order
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import POOLING
from germane.judging.pooling.queue import NOBODY, FixedOrder, Queue

Top = Literal["maxmean", "mm-ns", "thompson", "mtf", "hedge"]


@POOLING.add("base+top", kind="adaptive", random=True)
def base_and_top(
    lists: TopicLists, draws: Draws, *, base: Count = 10, top: Top = "maxmean", credit: Credit = "all"
) -> Queue:
    """A shallow depth-k pool for every run first, an adaptive method on top of it.

    Formula:    the union of the top `base` of every run, as in depth; then what `top` chooses, which has learnt from
        all judgments of the base
    Reference:  Voorhees, "On Building Fair and Reusable Test Collections using Bandit Techniques", CIKM 2018, who found
        a bandit alone unfair to some of the runs.
    Note:       top is maxmean, mm-ns, thompson, mtf or hedge; credit is for the bandits. To a bandit with credit =
        pulled, mtf too, a document of the base is one of the run that has it highest.
    """
    method = POOLING[top]
    above = (method.choose(credit=credit) if "credit" in method.parameters else method).start(lists, draws)
    return BaseAndTop(FixedOrder(lists.docs, depth_order(lists, base)), above)


class BaseAndTop(Queue):
    """The queue of `base_and_top`."""

    def __init__(self, base: FixedOrder, top: Queue) -> None:
        super().__init__(base.docs)
        self.base = base
        self.top = top

    def next(self, waiting: Collection[int] = NOBODY) -> int | None:
        """The base first."""
        doc = self.base.next(waiting)
        return self.top.next(waiting) if doc is None else doc

    def learn(self, doc: int, relevant: bool) -> None:
        """Both must know."""
        self.base.tell(doc, relevant)
        self.top.tell(doc, relevant)
