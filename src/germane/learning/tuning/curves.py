"""Learning and validation curves: what choosing promises and what it keeps, from the table of strategies × queries.

Where both curves are low, the strategies cannot do it (underfitting); where the score by which strategies were chosen
lies well above the held-out one, it was chosen by chance (overfitting).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import numpy as np

from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.choices import choose_best
from germane.learning.tuning.nested_folds import hold_out
from germane.learning.tuning.result import CurvePoint
from germane.tables.columns.ids import FloatArray, IntArray

DRAWS = 50
"""So often training queries are drawn for each size and fold."""

SIZES = 8
LEAST_QUERIES = 2
PARTS = "parts"


def learning_curve(
    values: FloatArray, level: IntArray, fold: IntArray, *, seed: int = 0, draws: int = DRAWS
) -> tuple[CurvePoint, ...]:
    """The score against the number of training queries, from 2 to all that a fold leaves, in even ratios.

    For each fold and size, `draws` samples of the training queries: the best on them is taken, scored on them (tuned)
    and on the fold's queries (held out).
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
    """The score against each parameter that takes several numbers in the space, and against the number of parts.

    A strategy has nothing that is fitted to queries, so a fixed one scores the same on training and on other queries,
    but for chance. What can be fitted too closely is the choice: at each value of the parameter all else is chosen by
    the training queries, among the strategies that have this value. For ``parts`` these are all with up to so many.
    """
    curves = {}
    settings = [strategy.settings for strategy in strategies]
    for name in dict.fromkeys(name for each in settings for name in each):
        members: dict[float, list[int]] = {}
        for place, each in enumerate(settings):
            if _is_number(value := each.get(name)):
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
    return CurvePoint(x, held.tuned_mean(fold), float(held.values.mean()))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
