"""The next document to judge, given the judgments so far: one protocol for pools and simulations.

A queue asks for a document with `next` and learns from `tell`. Fixed orders (depth, fusion, samples) do not listen;
adaptive ones (move-to-front, Hedge, bandits) do. Asking changes nothing: `next` depends only on what was told. So a
queue can be thrown away and built again from the record of judgments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from germane.judging.pooling.lists import Draws, TopicLists


class Queue(ABC):
    """Documents of one topic, by number; `docs` maps numbers to documents."""

    def __init__(self, docs: Sequence[str]) -> None:
        self.docs = docs
        self.judged: set[int] = set()

    @abstractmethod
    def next(self) -> int | None:
        """Return the next unjudged document; None when none is left."""

    def tell(self, doc: int, relevant: bool) -> None:
        """Record a judgment, requested or not. A document that cannot be judged counts as non-relevant."""
        if doc in self.judged:
            return
        self.judged.add(doc)
        self.learn(doc, relevant)

    @abstractmethod
    def learn(self, doc: int, relevant: bool) -> None:
        """Update the method with a judgment."""


class FixedOrder(Queue):
    """A fixed order."""

    def __init__(self, docs: Sequence[str], order: Sequence[int]) -> None:
        super().__init__(docs)
        self.order = list(order)
        self._place = 0

    def next(self) -> int | None:
        """Return the first remaining document."""
        while self._place < len(self.order) and self.order[self._place] in self.judged:
            self._place += 1
        return self.order[self._place] if self._place < len(self.order) else None

    def learn(self, doc: int, relevant: bool) -> None:
        """Do nothing; the order is fixed."""


class SampledOrder(FixedOrder):
    """An order in which every prefix is a random sample of each stratum.

    `stratum` has the label of each document of the order; `drawn` is how many of them the method draws if no budget
    says otherwise. With `listed` False the population is too large to list (the collection); `sizes` has its size.
    """

    def __init__(
        self,
        docs: Sequence[str],
        order: Sequence[int],
        stratum: Sequence[str],
        drawn: int,
        *,
        sizes: dict[str, int],
        listed: bool = True,
    ) -> None:
        super().__init__(docs, order)
        self.stratum = dict(zip(order, stratum, strict=True))
        self.drawn = drawn
        self.sizes = sizes
        self.listed = listed


class RunQueue(Queue):
    """A queue that takes documents from the front of one run at a time; subclasses choose the run."""

    def __init__(self, lists: TopicLists, draws: Draws, *, random_ties: bool) -> None:
        super().__init__(lists.docs)
        self.lists = lists
        self.draws = draws
        self.random_ties = random_ties
        self._place = [0] * len(lists.ranked)
        self._asked: dict[int, int] = {}

    @abstractmethod
    def choose(self, runs: Sequence[int]) -> int:
        """Choose the next run among those that have a document left."""

    @abstractmethod
    def update(self, run: int, doc: int, relevant: bool) -> None:
        """Update the run that a judged document came from."""

    def next(self) -> int | None:
        """Return the front document of the chosen run."""
        fronts = {run: doc for run in range(len(self._place)) if (doc := self._front(run)) is not None}
        if not fronts:
            return None
        run = self.choose(list(fronts))
        self._asked[fronts[run]] = run
        return fronts[run]

    def learn(self, doc: int, relevant: bool) -> None:
        """Credit the run that the document was taken from or, if not requested, the run that ranks it highest."""
        runs = self.lists.holders[doc]
        if doc not in self._asked and not runs:
            return
        run = self._asked.get(doc)
        self.update(min(runs, key=lambda r: self.lists.rank[r][doc]) if run is None else run, doc, relevant)

    def _front(self, run: int) -> int | None:
        ranking, place, judged = self.lists.ranked[run], self._place[run], self.judged
        while place < len(ranking) and ranking[place] in judged:
            place += 1
        self._place[run] = place
        return ranking[place] if place < len(ranking) else None

    def best(self, runs: Sequence[int], values: Sequence[float]) -> int:
        """Return the run with the highest value; break ties at random, or by order."""
        top = max(values)
        tied = [run for run, value in zip(runs, values, strict=True) if value == top]
        if len(tied) == 1 or not self.random_ties:
            return tied[0]
        [chance] = self.draws.uniform(len(self.judged), 1)
        return tied[int(chance * len(tied))]


def replay(queue: Queue, relevant: Sequence[bool], budget: int) -> list[int]:
    """Replay a queue with known judgments and return the documents in the order they are requested.

    >>> replay(FixedOrder("abc", [2, 0, 1]), [True, False, False], budget=2)
    [2, 0]
    """
    if isinstance(queue, FixedOrder):
        return queue.order[:budget]
    order: list[int] = []
    while len(order) < budget and (doc := queue.next()) is not None:
        queue.tell(doc, relevant[doc])
        order.append(doc)
    return order
