"""Which strategy to take, from what each scored for some queries: the best, or the simplest that is not worse.

Values are strategies × queries, and higher is better. `level` says how simple each strategy is, 0 being the simplest.
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
    """The place of each strategy's simplicity among those there are; equally simple ones have the same level.

    >>> from germane.learning.strategies.strategy import parse_strategy
    >>> levels_of([parse_strategy(text) for text in ("BM25+rm3", "BM25", "QL", "BM25(b=.4)")])
    array([2, 0, 0, 1])
    """
    simplicity = [strategy.simplicity for strategy in strategies]
    place = {each: level for level, each in enumerate(sorted(set(simplicity)))}
    return np.asarray([place[each] for each in simplicity], np.int64)


def choose_simplest(level: IntArray) -> int:
    """The simplest strategy; of equally simple ones the first."""
    return int(np.argmin(level))


def choose_best(values: FloatArray, level: IntArray, rows: IntArray, among: IntArray | None = None) -> int:
    """The highest mean over the queries `rows`; of equals the simplest, and of these the first.

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
    """Occam's razor: of the strategies that the best does not beat significantly, the simplest; of these the best.

    The test is Student's paired t over the queries `rows`, two-sided, not adjusted for how many there are. With fewer
    than two queries nothing can be tested, and the best is taken.
    """
    candidates = np.arange(len(values)) if among is None else among
    best = choose_best(values, level, rows, candidates)
    if len(rows) < LEAST_TO_TEST:
        return best
    equal = candidates[not_beaten(values[best, rows], values[np.ix_(candidates, rows)], alpha)]
    simple = equal[level[equal] == level[equal].min()]
    return choose_best(values, level, rows, simple)


def not_beaten(best: FloatArray, others: FloatArray, alpha: float) -> BoolArray:
    """Which rows of `others` do not differ significantly from `best`. A difference that is the same for every query,
    which no test can judge, counts as one."""
    return np.asarray(PAIRED_TESTS["t"]((best - others).T).p > alpha)
