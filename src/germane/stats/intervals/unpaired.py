"""The interval of a difference between two groups of different queries."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from germane.stats.intervals.means import Interval
from germane.stats.significance.columns import column_means, column_variances, columns_of


def welch_interval(treatment: npt.ArrayLike, control: npt.ArrayLike, level: float = 0.95) -> Interval:
    """The interval of each column's mean in treatment less that in control, the variances not being taken as equal.

    Formula:    (m1 − m2) ± t(level, df) √(s1²/n1 + s2²/n2), df by Welch and Satterthwaite
    Reference:  Welch, "The generalization of Student's problem", Biometrika 34 (1947).

    >>> interval = welch_interval([4, 5, 6], [1, 2, 3])
    >>> np.round([interval.low, interval.high], 3)              # 3 ± 2.776 * sqrt(1/3 + 1/3)
    array([[0.733],
           [5.267]])
    """
    from scipy.special import stdtrit

    groups = [columns_of(values, "each group") for values in (treatment, control)]
    difference = column_means(groups[0]) - column_means(groups[1])
    squared = [column_variances(values) / len(values) for values in groups]
    total = squared[0] + squared[1]
    spread = sum(error**2 / (len(values) - 1) for error, values in zip(squared, groups, strict=True))
    df = np.divide(total**2, spread, out=np.ones_like(total), where=total > 0)
    half = stdtrit(df, (1 + level) / 2) * np.sqrt(total)
    return Interval(difference - half, difference + half)
