"""Intervals for the mean over queries, of one system or of differences between two systems on the same queries.

The queries are the sample: an interval is for the mean over all such queries. Intervals are not truncated at a
measure's bounds: one that exceeds them shows that its method does not suit so small a sample.
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
"""Number of resampled means in memory at once, to find their quantiles (32 MB)."""

Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class Interval:
    """The two limits for each column; NaN if the method finds none on that side, or none around the mean."""

    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Method(Entry):
    """An interval method, for columns that are not constant."""

    draws: bool = True
    """Whether it resamples, so that a high level requires many resamples."""


INTERVALS = Catalogue("interval", Method, Method, example="t")


def mean_interval(
    values: npt.ArrayLike, method: str = "t", level: float = 0.95, *, resamples: int = 9_999, seed: int = 0
) -> Interval:
    """Return the interval of the mean of each column; rows are queries, and one column may be a plain sequence.

    All columns share one set of resamples. A column with all values equal to x gives [x, x].

    >>> interval = mean_interval([0.1, 0.3, 0.4, 0.8])
    >>> round(float(interval.low), 4), round(float(interval.high), 4)       # 0.4 ± 3.1824 · 0.2944/2
    (-0.0684, 0.8684)
    """
    columns = columns_of(values, "an interval")
    entry = INTERVALS[method]
    require_level(level)
    require_draws(resamples, int(np.ceil(2 / (1 - level))) if entry.draws else 1)
    low = column_means(columns)
    high = low.copy()
    varying = np.flatnonzero(~constant_columns(columns))
    # Columns in groups, so that the resampled values of a group fit into memory; every group uses the same draws.
    size = max(1, HELD // resamples)
    for group in (varying[begin : begin + size] for begin in range(0, len(varying), size)):
        ends = entry.target(columns[:, group], level, resamples, seed)
        low[group], high[group] = _around(column_means(columns[:, group]), *ends)
    shape = np.shape(values)[1:]
    return Interval(low.reshape(shape), high.reshape(shape))


@INTERVALS.add("normal", draws=False)
def normal(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Normal interval: mean ± z·s/√n, z = 1.96 for 95%, s the sample standard deviation. Too narrow for few queries."""
    return _around_the_mean(columns, normal_quantile(level))


@INTERVALS.add("t", draws=False)
def student(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Student's t interval: mean ± t·s/√n with n − 1 degrees of freedom. Exact for normally distributed values."""
    from scipy.special import stdtrit

    return _around_the_mean(columns, float(stdtrit(len(columns) - 1, (1 + level) / 2)))


@INTERVALS.add("percentile")
def percentile(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Percentile bootstrap: the central 95% of the resampled means. Too narrow for few queries."""
    means, mean = _resampled_deviations(columns, resamples, seed), column_means(columns)
    low, high = _quantiles(means, np.broadcast_to(tails_of(level), (len(means), 2))).T
    return mean + low, mean + high


@INTERVALS.add("bca")
def bias_corrected_accelerated(columns: FloatArray, level: float, resamples: int, seed: int) -> Ends:
    """Bias-corrected and accelerated bootstrap (BCa): percentiles adjusted for bias and skew.

    Formula:    the quantile at Φ(z0 + (z0 + z)/(1 − a(z0 + z))), z0 = Φ⁻¹(share of resampled means below the mean, ties
        half), a = Σ(x − m)³ / (6 (Σ(x − m)²)^1.5)
    Reference:  Efron, "Better bootstrap confidence intervals", JASA 82 (1987).

    The jackknife of a mean has a closed form: without x the mean moves by (m − x)/(n − 1), and the factor cancels.
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
    """Studentised bootstrap (bootstrap-t): quantiles of (m* − m)/(s*/√n). Adapts to skew; wide for few queries.

    A resample with a single distinct value has s* = 0 and counts as infinite. If a limit of the interval falls among
    these resamples (a measure that is 0 for nearly all queries), that limit is NaN.
    """
    mean, error = column_means(columns), standard_errors(columns)
    blocks = bootstrap_counts(len(columns), resamples, seed, columns=columns.shape[1])
    t = np.concatenate([studentised(columns - mean, counts) for counts in blocks], axis=1)
    with np.errstate(invalid="ignore"):  # the quantile between two infinite values is NaN
        below, above = _quantiles(t, np.broadcast_to(tails_of(level), (len(t), 2))).T
    below[np.isinf(below)] = above[np.isinf(above)] = np.nan
    return mean - above * error, mean - below * error


def _around(mean: FloatArray, low: FloatArray, high: FloatArray) -> Ends:
    """Replace limits that do not contain the mean by NaN.

    This was never observed at a level of 95%; at much lower levels, skew can cause it.
    """
    beside = (low > mean) | (high < mean)
    return np.where(beside, np.nan, low), np.where(beside, np.nan, high)


def _around_the_mean(columns: FloatArray, width: float) -> Ends:
    mean, error = column_means(columns), standard_errors(columns)
    return mean - width * error, mean + width * error


def _resampled_deviations(columns: FloatArray, resamples: int, seed: int) -> FloatArray:
    """Return the resampled means minus the mean, by column."""
    deviations = columns - column_means(columns)
    blocks = bootstrap_counts(len(columns), resamples, seed, columns=columns.shape[1])
    return np.concatenate([products(deviations, counts) / len(columns) for counts in blocks], axis=1)


def _quantiles(rows: FloatArray, at: FloatArray) -> FloatArray:
    """Return quantiles of rows, each row at its own levels, with linear interpolation as in np.quantile."""
    last = rows.shape[1] - 1
    place = np.clip(at, 0, 1) * last
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, last)
    for row, wanted in zip(rows, np.concatenate((before, after), axis=1), strict=True):
        row.partition(wanted)  # sorting all of it takes three times as long
    lower, upper = np.take_along_axis(rows, before, axis=1), np.take_along_axis(rows, after, axis=1)
    return np.where(lower == upper, lower, lower + (place - before) * (upper - lower))
