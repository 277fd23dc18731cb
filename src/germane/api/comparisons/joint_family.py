"""Several comparisons whose tests are one family: their p-values and intervals hold together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from germane.stats.significance.corrections import bonferroni
from germane.tables.results.comparison import Pair


def in_one_family(compared: Callable[[float], Sequence[Sequence[Pair]]], alpha: float) -> list[tuple[Pair, ...]]:
    """Pairs with p-values adjusted by Bonferroni's correction over all groups, and simultaneous intervals at 1 - alpha.

    `compared` returns the groups of pairs, tested without correction at the alpha that it is given: their intervals
    have the level that the family leaves for each test.
    """
    p = np.asarray([pair.p for group in compared(alpha) for pair in group])
    num_tests = max(1, int(np.count_nonzero(~np.isnan(p))))
    adjusted = iter(bonferroni(p).tolist())
    return [tuple(replace(pair, p_adjusted=next(adjusted)) for pair in group) for group in compared(alpha / num_tests)]
