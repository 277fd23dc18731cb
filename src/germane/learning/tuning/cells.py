"""The table of strategies × queries: each cell is evaluated once, when first needed, and kept.

Everything else in tuning is arithmetic on this table, so nested cross-validation needs no further retrieval. A search
decides which strategies are evaluated on which queries: all on all, some on all, or fewer and fewer on more and more.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from germane.errors import GermaneError
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.journal import Journal
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.threads import map_in_threads, num_threads

Progress = Callable[[int, int | None], None]
Scorer = Callable[[Strategy, IntArray], FloatArray]
"""Returns the values of a strategy for queries, by their indices."""
Task = tuple[int, IntArray]
"""A strategy and the indices of the queries to evaluate it on."""

QUERIES_AT_ONCE = 512
"""Queries per journal entry: an interrupted run loses at most this many of a strategy."""


@dataclass(eq=False)
class Cells:
    """Values of strategies × queries, higher is better, NaN where not evaluated yet.

    `sign` is -1 for a measure where lower is better: its values are stored negated.
    """

    strategies: Sequence[Strategy]
    queries: Sequence[str]
    score: Scorer
    sign: float = 1.0
    journal: Journal | None = None
    threads: int | None = None
    progress: Progress | None = None
    num_new: int = 0

    def __post_init__(self) -> None:
        self.values = np.full((len(self.strategies), len(self.queries)), np.nan)
        self._kept = self.values.copy()
        self._lock = threading.Lock()
        place = {str(strategy): row for row, strategy in enumerate(self.strategies)}
        for text, places, values in () if self.journal is None else self.journal.entries():
            if text in place:
                self._kept[place[text], places] = self.sign * values

    def fill(self, tasks: Iterable[Task], total: int | None = None) -> None:
        """Evaluate missing cells, several strategies at a time; `total` is the number of cells for progress."""
        waiting = deque(task for strategy, places in tasks for task in self._missing(strategy, places))

        def take() -> Task | None:
            with self._lock:
                return waiting.popleft() if waiting else None

        def work(_: int) -> None:
            try:
                while task := take():
                    self._evaluate(*task, total)
            except BaseException:
                with self._lock:
                    waiting.clear()  # the other threads stop after their current strategy
                raise

        map_in_threads(work, range(max(1, min(self.threads or num_threads(), len(waiting)))))

    @property
    def num_evaluated(self) -> int:
        return int(np.count_nonzero(~np.isnan(self.values)))

    def _missing(self, strategy: int, places: IntArray) -> Iterator[Task]:
        """Yield what must be evaluated. Journal entries are copied only now, when needed, so that the cells a run has
        seen do not depend on the journal.
        """
        left = places[np.isnan(self.values[strategy, places])]
        self.values[strategy, left] = self._kept[strategy, left]
        left = left[np.isnan(self.values[strategy, left])]
        for first in range(0, len(left), QUERIES_AT_ONCE):
            yield strategy, left[first : first + QUERIES_AT_ONCE]

    def _evaluate(self, strategy: int, places: IntArray, total: int | None) -> None:
        try:
            values = self.score(self.strategies[strategy], places)
        except GermaneError as problem:
            raise GermaneError(f"{self.strategies[strategy]}: {problem.message}", hint=problem.hint) from problem
        if not np.isfinite(values).all():
            query = self.queries[int(places[np.flatnonzero(~np.isfinite(values))[0]])]
            hint = "remove that query from the qrels, or choose a measure that is defined for it"
            raise GermaneError(f"{self.strategies[strategy]} has no value for query {query!r}", hint=hint)
        with self._lock:
            self.values[strategy, places] = self.sign * values
            self.num_new += len(places)
            if self.journal is not None:
                self.journal.add(str(self.strategies[strategy]), places, values)
            if self.progress is not None:
                self.progress(self.num_evaluated, total)


SearchName = Literal["grid", "random", "halving"]
KEPT_ONE_IN = 3
"""Reduction factor of halving: one strategy in 3 goes on to the next rung, which has 3 times as many queries."""

LEAST_QUERIES = 8
"""Minimum number of queries in a rung; fewer say too little about a strategy to drop it."""


@dataclass(frozen=True, eq=False)
class Everything:
    """Grid and random search: every candidate strategy is evaluated on every query."""

    cells: Cells

    def survivors(self, rows: IntArray) -> IntArray:
        """Return the strategies still in the race after some queries, all evaluated on all of these."""
        everyone = np.arange(len(self.cells.strategies))
        self.cells.fill(((int(strategy), rows) for strategy in everyone), self.cells.values.size)
        return everyone


@dataclass(frozen=True, eq=False)
class Halving:
    """Successive halving: all strategies on a few queries, the best third on three times as many, and so on.

    The last rung has all queries. `order` is the order in which queries are used, random but fixed, so that what is
    evaluated for one fold serves the others. Dropped strategies are not evaluated again, except the simplest, with
    which the winner is compared.

    Reference:  Karnin, Koren & Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013; Jamieson &
                Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
    """

    cells: Cells
    order: IntArray
    simplest: int

    def survivors(self, rows: IntArray) -> IntArray:
        """Return the strategies still in the race after some queries, all evaluated on all of these."""
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
    """Return the number of strategies and queries of each rung; the last has all queries.

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
