"""The studentised range distribution: the range of k means in standard errors, under the null hypothesis.

scipy integrates it in about 10 ms per value, which is negligible for three systems but a quarter of a minute for fifty.
So if there are many values for one (k, df), they are interpolated by a polynomial through 65 of scipy's values, which
is cached. scipy's tail is 1 minus an integral, which is mere rounding below about 1e-12; below `TAIL` the union bound
over all pairs is used, k (k-1)/2 two-sided t tails: never too small, and within a few per cent unless df is small.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.polynomial import Chebyshev

from germane.tables.columns.ids import FloatArray

TAIL = 1e-8
TABLE_DEGREE = 64


def range_p(q: FloatArray, k: int, df: float) -> FloatArray:
    """Return the probability that the range of k means exceeds q standard errors; df may be infinite. NaN stays NaN.

    Reference:  Tukey, "The Problem of Multiple Comparisons", 1953; Lund & Lund, Algorithm AS 190, 1983.

    >>> range_p(np.array([3.314, 4.339]), 2, 10).round(3), range_p(np.array([4.339]), 3, 6).round(3)
    (array([0.041, 0.012]), array([0.05]))
    """
    from scipy.special import stdtr

    q = np.asarray(q, dtype=np.float64)
    # Only newer scipy accepts an infinite df in stdtr; 1e12 gives the same number.
    union_bound = k * (k - 1) * stdtr(min(df, 1e12), -q / np.sqrt(2))
    if k == 2:
        return np.asarray(union_bound, dtype=np.float64)  # for one pair, the bound is the t-test itself
    p = np.where(np.isnan(q), np.nan, union_bound)
    near = q < _end_of_table(k, df)
    p[near] = np.clip(_integrated(q[near], k, df), TAIL, 1.0)
    return p


@lru_cache(maxsize=64)
def critical_range(level: float, k: int, df: float) -> float:
    """Return the range in standard errors that k means do not exceed with probability `level`.

    >>> round(critical_range(0.95, 3, 6), 3)
    4.339
    """
    from scipy.stats import studentized_range

    return float(studentized_range.isf(1 - level, k, df))


def _integrated(q: FloatArray, k: int, df: float) -> FloatArray:
    from scipy.stats import studentized_range

    values, place = np.unique(q, return_inverse=True)
    if len(values) > TABLE_DEGREE + 1 and np.isfinite(df):
        tail = np.exp(_table(k, df)(values))
    else:
        tail = studentized_range.sf(values, k, df)
    return np.asarray(tail, dtype=np.float64)[place]


@lru_cache(maxsize=64)
def _table(k: int, df: float) -> Chebyshev:
    from scipy.stats import studentized_range

    def log_tail(q: FloatArray) -> FloatArray:
        return np.asarray(np.log(studentized_range.sf(q, k, df)), dtype=np.float64)

    return Chebyshev.interpolate(log_tail, TABLE_DEGREE, domain=[0.0, _end_of_table(k, df)])


def _end_of_table(k: int, df: float) -> float:
    """Return the q at which the union bound falls to TAIL, which bounds the tail itself."""
    from scipy.special import stdtrit

    return float(-np.sqrt(2) * stdtrit(min(df, 1e12), TAIL / (k * (k - 1))))
