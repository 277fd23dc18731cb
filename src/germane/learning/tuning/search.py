"""Which strategies are evaluated on which queries: all on all, some on all, or ever fewer on ever more queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from germane.learning.tuning.cells import Cells
from germane.tables.columns.ids import IntArray

SearchName = Literal["grid", "random", "halving"]
KEPT_ONE_IN = 3
"""Of so many strategies one goes on to the next rung, which has so many times as many queries."""

LEAST_QUERIES = 8
"""Fewer queries tell too little about a strategy to drop it."""


class Search(Protocol):
    """Finds the strategies that are still in the race after some queries, all of them evaluated on all of these."""

    def survivors(self, rows: IntArray) -> IntArray: ...


@dataclass(frozen=True, eq=False)
class Everything:
    """Grid and random search: every strategy that was taken into account is evaluated on every query."""

    cells: Cells

    def survivors(self, rows: IntArray) -> IntArray:
        everyone = np.arange(len(self.cells.strategies))
        self.cells.fill(((int(strategy), rows) for strategy in everyone), self.cells.values.size)
        return everyone


@dataclass(frozen=True, eq=False)
class Halving:
    """Successive halving: all strategies on a few queries, the best third of them on three times as many, and so on.

    The last rung has all queries. `order` is the order in which queries are taken, drawn once, so that what is
    evaluated for one fold serves the others. What was dropped is not evaluated again; only the simplest strategy, with
    which the winner is compared, always is.

    Reference:  Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; Jamieson &
                Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
    """

    cells: Cells
    order: IntArray
    simplest: int

    def survivors(self, rows: IntArray) -> IntArray:
        queries = self.order[np.isin(self.order, rows)]
        taken = queries[:0]
        alive = np.arange(len(self.cells.strategies))
        for count, num_queries in rungs(len(alive), len(queries)):
            if len(alive) > count:
                means = self.cells.values[np.ix_(alive, taken)].mean(axis=1)
                alive = np.sort(alive[np.argsort(-means, kind="stable")[:count]])
            taken = np.sort(queries[:num_queries])
            self.cells.fill((int(strategy), taken) for strategy in alive)
        self.cells.fill([(self.simplest, rows)])
        return np.union1d(alive, [self.simplest])


def rungs(num_strategies: int, num_queries: int) -> list[tuple[int, int]]:
    """How many strategies are evaluated on how many queries, rung by rung: the last has all queries.

    >>> rungs(27, 180), rungs(86, 41), rungs(86, 5)
    ([(27, 20), (9, 60), (3, 180)], [(86, 14), (29, 41)], [(86, 5)])
    """
    by_strategies = math.ceil(round(math.log(num_strategies, KEPT_ONE_IN), 9))
    by_queries = 1 + math.floor(math.log(max(num_queries / LEAST_QUERIES, 1), KEPT_ONE_IN))
    count = max(1, min(by_strategies, by_queries))
    return [
        (math.ceil(num_strategies / KEPT_ONE_IN**rung), math.ceil(num_queries / KEPT_ONE_IN ** (count - 1 - rung)))
        for rung in range(count)
    ]
