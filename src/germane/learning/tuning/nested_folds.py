"""Nested cross-validation over queries, as arithmetic on the table of strategies × queries.

Outer loop: each fold is held out in turn, and a strategy is chosen on the other folds. Inner loop: a strategy has
nothing fitted to queries, so its mean over the validation parts of an inner cross-validation is its mean over the
queries that are not held out; choices use that mean.

Learning and validation curves compare the score at which strategies were chosen with their held-out score. If both are
low, the strategies are not good enough (underfitting); if the tuned score is well above the held-out one, the choice
fits the training queries (overfitting).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.cells import Cells
from germane.learning.tuning.choices import choose_best
from germane.learning.tuning.result import CurvePoint, FoldChoice, Procedure
from germane.stats.intervals.means import mean_interval
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import FloatArray, IntArray

Choose = Callable[[IntArray], int]
"""Maps the training queries to the chosen strategy."""


@dataclass(frozen=True, eq=False)
class Held:
    """For each fold, the choice made without it and its training mean; for each query, the held-out value."""

    choice: IntArray
    tuned: FloatArray
    values: FloatArray
    fold: IntArray

    def tuned_mean(self) -> float:
        """Return the mean tuned score, weighted by the number of training queries.

        Each query then counts for all folds but its own, so a strategy that is always chosen has its plain mean.
        """
        return float(np.average(self.tuned, weights=len(self.fold) - np.bincount(self.fold)))


def hold_out(
    values: FloatArray, fold: IntArray, choose: Choose, need: Callable[[int, IntArray], None] | None = None
) -> Held:
    """Hold out each fold in turn. `need` is called with the values to be read, before they are.

    >>> values = np.array([[0.9, 0.9, 0.1, 0.1], [0.5, 0.5, 0.5, 0.5]])
    >>> held = hold_out(values, np.array([0, 0, 1, 1]), lambda rows: int(values[:, rows].mean(axis=1).argmax()))
    >>> held.choice, held.values             # the first is best on the first fold, so it is chosen for the other
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
    return Held(choice, tuned, held, fold)


def procedure_of(
    rule: str, held: Held, cells: Cells, simplest: FloatArray, chosen: Strategy, *, level: float, alpha: float
) -> Procedure:
    """Return a selection rule with its held-out score, in the measure's own units.

    The interval of the difference has level 1 - alpha, as its test; `level` is that of the mean.
    """
    sign, by_fold = cells.sign, []
    for number, choice in enumerate(held.choice.tolist()):
        own = held.fold == number
        scores = sign * float(held.tuned[number]), sign * float(held.values[own].mean())
        by_fold.append(FoldChoice(cells.strategies[choice], *scores, int((~own).sum()), int(own.sum())))
    values, differences = sign * held.values, sign * (held.values - simplest)
    interval, difference = mean_interval(values, level=level), mean_interval(differences, level=1 - alpha)
    tuned, held_out = held.tuned_mean(), float(held.values.mean())
    return Procedure(
        rule=rule,
        strategy=chosen,
        by_fold=tuple(by_fold),
        held_out_values=values,
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


DRAWS = 50
"""Random samples of training queries for each size and fold."""

SIZES = 8
LEAST_QUERIES = 2
PARTS = "parts"


def learning_curve(
    values: FloatArray, level: IntArray, fold: IntArray, *, seed: int = 0, draws: int = DRAWS
) -> tuple[CurvePoint, ...]:
    """Return the learning curve: score by number of training queries, from 2 to all outside a fold, geometrically.

    For each fold and size, the best strategy on each of `draws` samples of the training queries is scored on the sample
    (tuned) and on the fold (held out).
    """
    most = min(int(np.count_nonzero(fold != number)) for number in range(int(fold.max()) + 1))
    if most < LEAST_QUERIES:
        return ()
    sizes = np.unique(np.round(np.geomspace(LEAST_QUERIES, most, SIZES)).astype(int))
    return tuple(_point(values, level, fold, int(size), 1 if size == most else draws, seed) for size in sizes)


def _point(values: FloatArray, level: IntArray, fold: IntArray, size: int, draws: int, seed: int) -> CurvePoint:
    generator = np.random.PCG64([seed, size])
    tuned = held_out = 0.0
    num_folds = int(fold.max()) + 1
    for number in range(num_folds):
        train, own = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        for _ in range(draws):
            rows = train[np.sort(np.argsort(generator.random_raw(len(train)), kind="stable")[:size])]
            strategy = choose_best(values, level, rows)
            tuned += len(train) / (num_folds - 1) * float(values[strategy, rows].mean())
            held_out += len(own) * float(values[strategy, own].mean())
    total = len(fold) * draws
    return CurvePoint(float(size), tuned / total, held_out / total)


def validation_curves(
    values: FloatArray, level: IntArray, fold: IntArray, strategies: Sequence[Strategy]
) -> dict[str, tuple[CurvePoint, ...]]:
    """Return validation curves: score by each numeric parameter that varies in the space, and by number of parts.

    A fixed strategy has nothing fitted to queries, so it scores the same on training and other queries, up to chance.
    What can overfit is the choice: at each value of the parameter, all else is chosen on the training queries among the
    strategies with this value. For ``parts``, among all strategies with at most that number.
    """
    curves = {}
    settings = [strategy.settings for strategy in strategies]
    for name in dict.fromkeys(name for each in settings for name in each):
        members: dict[float, list[int]] = {}
        for place, each in enumerate(settings):
            if isinstance(value := each.get(name), int | float) and not isinstance(value, bool):
                members.setdefault(float(value), []).append(place)
        if len(members) > 1:
            curves[name] = tuple(_held_out(values, level, fold, x, np.asarray(members[x])) for x in sorted(members))
    parts = np.asarray([strategy.simplicity.parts for strategy in strategies])
    if len(np.unique(parts)) > 1:
        curves[PARTS] = tuple(
            _held_out(values, level, fold, float(most), np.flatnonzero(parts <= most)) for most in np.unique(parts)
        )
    return curves


def _held_out(values: FloatArray, level: IntArray, fold: IntArray, x: float, among: IntArray) -> CurvePoint:
    held = hold_out(values, fold, lambda rows: choose_best(values, level, rows, among))
    return CurvePoint(x, held.tuned_mean(), float(held.values.mean()))
