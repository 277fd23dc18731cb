"""Nested cross-validation over queries, as arithmetic on the table of strategies × queries.

Outer loop: each fold's queries are held out in turn, and a strategy is chosen by the others alone. Inner loop: a
strategy has nothing that is fitted to queries, so that its mean over the validation parts of an inner cross-validation
is its mean over the queries that are not held out; that is what choices go by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.result import FoldChoice, Procedure
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import FloatArray, IntArray

Choose = Callable[[IntArray], int]
"""From the queries that may be looked at to the strategy that is taken."""


@dataclass(frozen=True, eq=False)
class Held:
    """By fold, what was chosen without it and the mean by which it was; by query, the value of its fold's choice."""

    choice: IntArray
    tuned: FloatArray
    values: FloatArray

    def tuned_mean(self, fold: IntArray) -> float:
        """The scores by which strategies were chosen, each weighing as much as it has queries.

        Each query then counts for all folds but its own, so that a strategy that is always taken has its plain mean.
        """
        return float(np.average(self.tuned, weights=len(fold) - np.bincount(fold)))


def hold_out(
    values: FloatArray, fold: IntArray, choose: Choose, need: Callable[[int, IntArray], None] | None = None
) -> Held:
    """Hold out each fold in turn. `need` is told which values are read, before they are.

    >>> values = np.array([[0.9, 0.9, 0.1, 0.1], [0.5, 0.5, 0.5, 0.5]])
    >>> held = hold_out(values, np.array([0, 0, 1, 1]), lambda rows: int(values[:, rows].mean(axis=1).argmax()))
    >>> held.choice, held.values             # the first is best by far on the first fold, and so is taken for the other
    (array([1, 0]), array([0.5, 0.5, 0.1, 0.1]))
    """
    num_folds = int(fold.max()) + 1
    choice, tuned, held = np.zeros(num_folds, np.int64), np.zeros(num_folds), np.full(len(fold), np.nan)
    for number in range(num_folds):
        train, own = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        choice[number] = strategy = choose(train)
        if need is not None:
            need(strategy, own)
        tuned[number] = values[strategy, train].mean()
        held[own] = values[strategy, own]
    return Held(choice, tuned, held)


def procedure_of(
    rule: str,
    held: Held,
    simplest: FloatArray,
    fold: IntArray,
    strategies: Sequence[Strategy],
    chosen: Strategy,
    *,
    level: float,
    alpha: float,
    sign: float,
) -> Procedure:
    """A way to choose with its held-out score, in the measure's own units: `sign` is -1 where less is better.

    The difference has the interval of its test, at level 1 - alpha; `level` is that of the mean's.
    """
    by_fold = tuple(
        FoldChoice(
            strategies[int(held.choice[number])],
            sign * float(held.tuned[number]),
            sign * float(held.values[fold == number].mean()),
            int(np.count_nonzero(fold != number)),
            int(np.count_nonzero(fold == number)),
        )
        for number in range(len(held.choice))
    )
    own, differences = sign * held.values, sign * (held.values - simplest)
    interval, difference = mean_interval(own, level=level), mean_interval(differences, level=1 - alpha)
    tuned, held_out = held.tuned_mean(fold), float(held.values.mean())
    return Procedure(
        rule=rule,
        strategy=chosen,
        by_fold=by_fold,
        held_out_values=own,
        tuned=sign * tuned,
        held_out=sign * held_out,
        low=float(interval.low),
        high=float(interval.high),
        gap=tuned - held_out,
        difference=float(differences.mean()),
        difference_low=float(difference.low),
        difference_high=float(difference.high),
        p=float(PAIRED_TESTS["t"](differences).p),
    )
