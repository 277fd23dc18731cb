"""Intervals for the mean of a sample of queries, or of differences between two systems on the same queries.

The queries are the sample: an interval says where the mean over all such queries may lie. No interval is cut at a
measure's bounds: one that leaves them says that its method does not suit so small a sample.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue, Entry
from germane.stats.intervals.bootstrap_ends import tails_of
from germane.stats.intervals.proportions import normal_quantile, require_level
from germane.stats.intervals.resampling import bootstrap_counts, products, require_draws, studentised
from germane.stats.significance.columns import column_means, column_sums, columns_of, constant_columns, standard_errors
from germane.tables.columns.ids import FloatArray

HELD = 1 << 22
"""Resampled means held at once, to find their quantiles: 32 MB."""

Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Interval:
    """The two ends for each column. NaN: the method finds no end on that side, or none that lie around the mean."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Method(Entry):
    """One way to find an interval: of columns none of which is constant."""

    draws: bool = True
    """Whether it resamples, so that a high level needs many draws."""


INTERVALS = Catalogue("interval", Method, Method, example="t")


def mean_interval(
    values: npt.ArrayLike, method: str = "t", level: float = 0.95, *, resamples: int = 9_999, seed: int = 0
) -> Interval:
    """The interval of the mean of each column; rows are queries, and one column may be a plain sequence.

    All columns share one set of resamples. A column whose values are all the same x gives [x, x].

    >>> interval = mean_interval([0.1, 0.3, 0.4, 0.8])
    >>> round(float(interval.low), 4), round(float(interval.high), 4)       # .4 ± 3.1824 · .2944/2
    (-0.0684, 0.8684)
    """
    columns = columns_of(values, "an interval")
    entry = INTERVALS[method]
    require_level(level)
    require_draws(resamples, int(np.ceil(2 / (1 - level))) if entry.draws else 1)
    low = column_means(columns)
    high = low.copy()
    varying = np.flatnonzero(~constant_columns(columns))
    # Columns in groups, so that what is resampled for a group fits into memory; each group draws the same.
    size = max(1, HELD // resamples)
    for group in (varying[begin : begin + size] for begin in range(0, len(varying), size)):
        ends = entry.target(columns[:, group], level, resamples, seed)
        low[group], high[group] = _around(column_means(columns[:, group]), *ends)
    shape = np.shape(values)[1:]
    return Interval(low.reshape(shape), high.reshape(shape))


@INTERVALS.add("normal", draws=False)
def normal(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Mean ± z·s/√n, z = 1.96 for 95 %; s is the sample standard deviation (n − 1). Too narrow for few queries."""
    return _around_the_mean(columns, normal_quantile(level))


@INTERVALS.add("t", draws=False)
def student(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Mean ± t·s/√n, t from Student's distribution with n − 1 degrees of freedom: exact for normal values."""
    from scipy.special import stdtrit

    return _around_the_mean(columns, float(stdtrit(len(columns) - 1, (1 + level) / 2)))


@INTERVALS.add("percentile")
def percentile(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Bootstrap: the middle 95 % of the resampled means. Too narrow for few queries."""
    means, mean = _resampled_deviations(columns, resamples, seed), column_means(columns)
    low, high = _quantiles(means, np.broadcast_to(tails_of(level), (len(means), 2))).T
    return mean + low, mean + high


@INTERVALS.add("bca")
def bias_corrected_accelerated(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Bootstrap, bias-corrected and accelerated (BCa): percentiles moved to allow for bias and skew.

    Formula:    the quantile at Φ(z0 + (z0 + z)/(1 − a(z0 + z))), z0 = Φ⁻¹(share of resampled means below the mean, ties
        half), a = Σ(x − m)³ / (6 (Σ(x − m)²)^1.5)
    Reference:  Efron, "Better bootstrap confidence intervals", JASA 82 (1987).

    The jackknife of a mean needs no leaving out: without x the mean moves by (m − x)/(n − 1), and the factor cancels.
    """
    from scipy.special import ndtr, ndtri

    mean = column_means(columns)
    deviations = columns - mean
    means = _resampled_deviations(columns, resamples, seed)
    rounding = 1e-9 * standard_errors(columns)[:, None]
    below = np.count_nonzero(means < -rounding, axis=1) + np.count_nonzero(means <= rounding, axis=1)
    bias = ndtri(below / (2 * resamples))[:, None]
    acceleration = (column_sums(deviations**3) / (6 * column_sums(deviations**2) ** 1.5))[:, None]
    moved = bias + ndtri(tails_of(level))
    low, high = _quantiles(means, ndtr(bias + moved / (1 - acceleration * moved))).T
    return mean + low, mean + high


@INTERVALS.add("studentised")
def bootstrap_t(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Bootstrap of (m* − m)/(s*/√n), in place of Student's table: follows skew, wide for few queries.

    A resample that drew one value only has s* = 0 and lies infinitely far out. Where so many do that an end of the
    interval falls among them (a measure that is 0 for nearly all queries), that end is NaN.
    """
    mean, error = column_means(columns), standard_errors(columns)
    blocks = bootstrap_counts(len(columns), resamples, seed, columns=columns.shape[1])
    t = np.concatenate([studentised(columns - mean, counts) for counts in blocks], axis=1)
    with np.errstate(invalid="ignore"):  # between two infinite ones there is no quantile: NaN
        below, above = _quantiles(t, np.broadcast_to(tails_of(level), (len(t), 2))).T
    below[np.isinf(below)] = above[np.isinf(above)] = np.nan
    return mean - above * error, mean - below * error


def _around(mean: FloatArray, low: FloatArray, high: FloatArray) -> Ends:
    """The ends where the mean lies between them, NaN elsewhere: resamples that lie beside the mean are not about it.

    At a level of 95% this was never seen; far below it, skew is enough.
    """
    beside = (low > mean) | (high < mean)
    return np.where(beside, np.nan, low), np.where(beside, np.nan, high)


def _around_the_mean(columns: FloatArray, width: float) -> Ends:
    mean, error = column_means(columns), standard_errors(columns)
    return mean - width * error, mean + width * error


def _resampled_deviations(columns: FloatArray, resamples: int, seed: int) -> FloatArray:
    """The resampled means less the mean, by column."""
    deviations = columns - column_means(columns)
    blocks = bootstrap_counts(len(columns), resamples, seed, columns=columns.shape[1])
    return np.concatenate([products(deviations, counts) / len(columns) for counts in blocks], axis=1)


def _quantiles(rows: FloatArray, at: FloatArray) -> FloatArray:
    """Quantiles of rows, each row at its own places; linear in between, as np.quantile has it."""
    last = rows.shape[1] - 1
    place = np.clip(at, 0, 1) * last
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, last)
    for row, wanted in zip(rows, np.concatenate((before, after), axis=1), strict=True):
        row.partition(wanted)  # sorting all of it takes three times as long
    lower, upper = np.take_along_axis(rows, before, axis=1), np.take_along_axis(rows, after, axis=1)
    return np.where(lower == upper, lower, lower + (place - before) * (upper - lower))
