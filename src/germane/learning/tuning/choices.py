"""Choose a strategy from its values for some queries: the best, or the simplest that is not worse.

Values are strategies × queries, and higher is better. `level` is the simplicity rank of each strategy, 0 for simplest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from germane.learning.strategies.strategy import Strategy
from germane.stats.significance.columns import EQUAL
from germane.stats.significance.paired_tests import PAIRED_TESTS
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray

LEAST_TO_TEST = 2


def levels_of(strategies: Sequence[Strategy]) -> IntArray:
    """Return the simplicity rank of each strategy; equally simple ones share a rank.

    >>> from germane.learning.strategies.strategy import parse_strategy
    >>> levels_of([parse_strategy(text) for text in ("BM25+rm3", "BM25", "QL", "BM25(b=0.4)")])
    array([2, 0, 0, 1])
    """
    simplicity = [strategy.simplicity for strategy in strategies]
    place = {each: level for level, each in enumerate(sorted(set(simplicity)))}
    return np.asarray([place[each] for each in simplicity], np.int64)


def choose_simplest(level: IntArray) -> int:
    """Return the simplest strategy; ties go to the first."""
    return int(np.argmin(level))


def choose_best(values: FloatArray, level: IntArray, rows: IntArray, among: IntArray | None = None) -> int:
    """Return the strategy with the highest mean over the queries `rows`; ties go to the simplest, then the first.

    >>> values = np.array([[0.2, 0.4, 0.9], [0.5, 0.3, 0.1]])
    >>> choose_best(values, np.array([0, 0]), np.array([0, 1])), choose_best(values, np.array([0, 0]), np.array([2]))
    (1, 0)
    """
    candidates = np.arange(len(values)) if among is None else among
    means = values[np.ix_(candidates, rows)].mean(axis=1)
    top = candidates[means >= means.max() - EQUAL * max(1.0, abs(float(means.max())))]
    return int(top[np.argmin(level[top])])


def choose_by_razor(
    values: FloatArray, level: IntArray, rows: IntArray, among: IntArray | None = None, *, alpha: float = 0.05
) -> int:
    """Apply Occam's razor: return the best of the simplest strategies that the best does not beat significantly.

    The test is a two-sided paired t-test over the queries `rows`, not adjusted for the number of strategies. With fewer
    than two queries nothing can be tested, and the best is returned.
    """
    candidates = np.arange(len(values)) if among is None else among
    best = choose_best(values, level, rows, candidates)
    if len(rows) < LEAST_TO_TEST:
        return best
    equal = candidates[not_beaten(values[best, rows], values[np.ix_(candidates, rows)], alpha)]
    simple = equal[level[equal] == level[equal].min()]
    return choose_best(values, level, rows, simple)


def not_beaten(best: FloatArray, others: FloatArray, alpha: float) -> BoolArray:
    """Return a mask of the rows of `others` that do not differ significantly from `best`. A difference that is equal
    for every query cannot be tested, and counts as significant."""
    return np.asarray(PAIRED_TESTS["t"]((best - others).T).p > alpha)
