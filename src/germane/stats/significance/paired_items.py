"""Paired tests of two classifiers that give an item several labels: items are the sample, never single labels.

Means over items: Student's paired t. Averages over labels: a paired bootstrap that resamples items.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Unpack

import numpy as np
import numpy.typing as npt

from germane.stats.intervals.cell_bootstrap import Draws, Kinds
from germane.stats.intervals.item_sums import ItemSums
from germane.stats.significance.columns import constant_columns, zero_columns
from germane.stats.significance.outcomes import PairedDifference, p_of_t
from germane.stats.significance.paired_classifiers import bootstrap_differences
from germane.tables.columns.ids import FloatArray


def paired_means(a: npt.ArrayLike, b: npt.ArrayLike, *, width: float = 1.0, level: float = 0.95) -> PairedDifference:
    """Test the mean difference b − a of values by item with Student's paired t, and its interval.

    The interval contains the differences that the test does not reject, within the possible range ± `width`.

    Edge cases: if no item differs, the difference is 0 and p = 1. If all items differ by the same amount, the
        difference has no spread, so there is neither p nor interval; so with one item.

    >>> found = paired_means([0.5, 0.25, 0.75, 0.5], [0.5, 0.5, 1.0, 1.0])
    >>> found.difference, round(found.low, 4), round(found.high, 4), round(found.p, 4)      # 0.25 ± 3.1824 · 0.2041/2
    (0.25, -0.0748, 0.5748, 0.0917)
    """
    from scipy.special import stdtrit

    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    differences = (second - first)[:, None]
    n, difference = len(differences), float((second - first).mean())
    if zero_columns(differences)[0]:
        return PairedDifference(0.0, p=1.0, statistic=0.0, test="t", remark="no item differs")
    if n < 2 or constant_columns(differences)[0]:
        why = "only one item" if n < 2 else "all items differ by the same amount, so the difference has no spread"
        return PairedDifference(difference, remark=why)
    error = float(differences.std(ddof=1)) / math.sqrt(n)
    t, half = difference / error, float(stdtrit(n - 1, (1 + level) / 2)) * error
    p = float(p_of_t(np.asarray([t]), n - 1, "two")[0])
    return PairedDifference(difference, max(-width, difference - half), min(width, difference + half), p, t, "t", "t")


def paired_sum_bootstrap(
    statistic: Callable[[FloatArray], FloatArray], a: npt.ArrayLike, b: npt.ArrayLike, **draws: Unpack[Draws]
) -> list[PairedDifference]:
    """Paired bootstrap of the difference b − a of a statistic of sums over items.

    `a` and `b` hold what each item (row) adds, 0 or 1, to each sum; `statistic` takes resamples × sums and returns one
    value, or several, for each resample.

    >>> right_a, right_b = [[1], [0], [0], [0]] * 10, [[1], [1], [0], [0]] * 10
    >>> (found,) = paired_sum_bootstrap(lambda sums: sums[:, 0] / 40, right_a, right_b)
    >>> found.difference, 0.1 < found.low < 0.2, 0.3 < found.high < 0.5
    (0.25, True, True)
    """
    rows = [np.asarray(each, dtype=np.bool_) for each in (a, b)]
    items, num = ItemSums.of(np.hstack(rows)), rows[0].shape[1]

    def difference(sums: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            return statistic(sums[:, num:]) - statistic(sums[:, :num])

    return bootstrap_differences(difference, items, draws)


def paired_weight_bootstrap(
    difference: Callable[[FloatArray], FloatArray], num_items: int, **draws: Unpack[Draws]
) -> list[PairedDifference]:
    """Paired bootstrap of differences that are computed from how often each item was drawn (resamples × items).

    Percentiles by default, since BCa would compute the statistic once per item.
    """
    kinds = Kinds(np.ones(num_items, dtype=np.int64), np.arange(num_items)[:, None], num_items)
    return bootstrap_differences(difference, kinds, {"method": "percentile", **draws})
