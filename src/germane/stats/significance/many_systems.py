"""Tests for many systems on the same queries: ANOVA, Tukey's HSD, its randomised version, and rank tests.

`X` has queries in rows and systems in columns. All of these tests are blocked by query: the effect of a query on all
systems is removed before comparing. An unpaired Tukey HSD leaves it in, and finds next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.stats.intervals.resampling import BLOCK, require_draws
from germane.stats.significance.columns import column_means, mid_ranks
from germane.stats.significance.outcomes import SAME, p_of_draws
from germane.stats.significance.studentised_range import critical_range, range_p
from germane.tables.columns.ids import FloatArray

ROUNDING = 1e-12  # residuals below this share of the largest value are rounding, not variation


@dataclass(frozen=True)
class Source:
    """A source of variation: sum of squares, degrees of freedom, mean square, F against the residual, and p-value."""

    sum_of_squares: float
    df: int
    mean_square: float
    f: float
    p: float


@dataclass(frozen=True)
class Anova:
    """A two-way analysis of variance without replication; F and p are NaN if the residual is 0."""

    systems: Source
    queries: Source
    residual: Source
    """The residual; its F and p are NaN, since the others are compared with it."""

    @property
    def residual_sd(self) -> float:
        """Residual standard deviation of a score, given its system and query; 0 if only rounding is left."""
        return float(np.sqrt(self.residual.mean_square))


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of systems under one simultaneous test.

    `difference[i, j]` is the mean of system i minus the mean of system j (for Nemenyi: their mean ranks); `p[i, j]` is
    adjusted for all pairs, 1 on the diagonal; a difference larger than `critical_difference` is significant at
    α = 1 - level. All of `p` is NaN if the scores vary too little for a test.
    """

    difference: FloatArray
    p: FloatArray
    critical_difference: float
    level: float

    @property
    def low(self) -> FloatArray:
        """Lower limits of the simultaneous intervals of all differences."""
        return self.difference - self.critical_difference

    @property
    def high(self) -> FloatArray:
        """Upper limits of the simultaneous intervals of all differences."""
        return self.difference + self.critical_difference


@dataclass(frozen=True, eq=False)
class Friedman:
    """Result of Friedman's test of mean ranks. Rank 1 is the highest value; ties share their mean rank."""

    mean_ranks: FloatArray
    chi_squared: float
    df: int
    p: float


def two_way_anova(X: npt.ArrayLike) -> Anova:
    """Decompose the variation of the scores into systems, queries and residual.

    Formula:    x[q,s] = mean + system[s] + query[q] + residual[q,s];  F = mean square / residual mean square
    Reference:  Sakai, Laboratory Experiments in Information Retrieval, Springer 2018.
    Edge cases: if systems differ by the same amount on every query, the residual is 0, and F and p are NaN.

    >>> anova = two_way_anova([[1, 2, 6], [2, 4, 6], [3, 3, 9], [2, 3, 7]])
    >>> round(anova.systems.f, 3), round(1 / anova.systems.p), round(anova.queries.f, 3)
    (42.0, 3375, 3.0)
    """
    from scipy.special import fdtrc

    values = _checked(X)
    n, k = values.shape
    by_system, by_query = column_means(values), column_means(values.T)
    grand = float(column_means(by_system))
    left = values - by_query[:, None] - by_system + grand
    if np.abs(left).max() <= ROUNDING * np.abs(values).max():
        left = np.zeros_like(left)
    df = (n - 1) * (k - 1)
    residual_mean_square = float(np.sum(left**2)) / df

    def source(sum_of_squares: float, its_df: int) -> Source:
        mean_square = sum_of_squares / its_df
        f = mean_square / residual_mean_square if residual_mean_square > 0 else float("nan")
        return Source(sum_of_squares, its_df, mean_square, f, float(fdtrc(its_df, df, f)))

    systems = source(n * float(np.sum((by_system - grand) ** 2)), k - 1)
    queries = source(k * float(np.sum((by_query - grand) ** 2)), n - 1)
    residual = Source(residual_mean_square * df, df, residual_mean_square, float("nan"), float("nan"))
    return Anova(systems, queries, residual)


def tukey_hsd(X: npt.ArrayLike, *, level: float = 0.95) -> Pairs:
    """Test all pairs of systems with Tukey's honestly significant difference, blocked by query.

    Formula:    q = |mean[i] - mean[j]| / sqrt(residual mean square / n), against the studentised range of k means with
        (n-1)(k-1) degrees of freedom; the residual is that of the two-way analysis of variance
    Reference:  Tukey 1953; Carterette, "Multiple Testing in Statistical Analysis of Systems-Based Information
        Retrieval Experiments", TOIS 2012.
    Edge cases: without residual, every p is NaN. For two systems it is the paired t-test.

    >>> tukey_hsd([[1, 2, 6], [2, 4, 6], [3, 3, 9], [2, 3, 7]]).p.round(3)
    array([[1.   , 0.269, 0.   ],
           [0.269, 1.   , 0.001],
           [0.   , 0.001, 1.   ]])
    """
    values = _checked(X)
    _check_level(level)
    residual = two_way_anova(values).residual
    standard_error = float(np.sqrt(residual.mean_square / len(values)))
    return _by_range(column_means(values), standard_error, residual.df, level)


def randomised_tukey(X: npt.ArrayLike, permutations: int = 10_000, seed: int = 0, *, level: float = 0.95) -> Pairs:
    """Test all pairs of systems with the randomised Tukey HSD, which does not assume normality.

    Formula:    p[i,j] = (1 + b) / (1 + B), where in b of B shuffles of the scores within each query the largest mean
        exceeds the smallest by |mean[i] - mean[j]| or more
    Reference:  Carterette, TOIS 2012; Sakai, Laboratory Experiments in Information Retrieval, Springer 2018.
    Edge cases: if all systems have the same scores on every query, every p is NaN.
    """
    values = _checked(X)
    _check_level(level)
    require_draws(permutations)
    difference = np.subtract.outer(column_means(values), column_means(values))
    # Query effects cancel in every difference; removing them reduces rounding.
    centred = values - column_means(values.T)[:, None]
    if np.abs(centred).max() <= ROUNDING * np.abs(values).max():
        return _untestable(difference, level)
    ranges = np.sort(_shuffled_ranges(centred, permutations, seed))
    reached = permutations - np.searchsorted(ranges, np.abs(difference) * (1 - SAME), side="left")
    p = p_of_draws(reached.astype(np.float64), permutations)
    np.fill_diagonal(p, 1.0)
    # A difference is significant if at most this many shuffles reach it.
    allowed = int((1 - level) * (permutations + 1) * (1 + SAME)) - 1
    critical = float(ranges[-1 - allowed]) if allowed >= 0 else float("inf")
    return Pairs(difference, p, critical, level)


def friedman(X: npt.ArrayLike) -> Friedman:
    """Test the ranks of the systems within queries with Friedman's test, corrected for ties.

    Formula:    chi2 = 12 n / (k (k+1)) * sum of (mean rank - (k+1)/2)^2, over 1 - sum of (t^3 - t) / (n k (k^2 - 1))
        over the groups of t tied systems
    Reference:  Friedman, JASA 1937; Demšar, "Statistical Comparisons of Classifiers", JMLR 2006.
    Edge cases: if all systems are tied on every query, chi2 and p are NaN.
    """
    from scipy.special import chdtrc

    ranks = _ranks(X)
    n, k = ranks.shape
    mean_ranks = column_means(ranks)
    # Ties reduce the variance of the ranks, which is (k^2 - 1)/12 without any.
    variance = float(np.sum((ranks - (k + 1) / 2) ** 2)) / (n * (k - 1))
    spread = n * float(np.sum((mean_ranks - (k + 1) / 2) ** 2))
    chi_squared = spread / variance if variance > 0 else float("nan")
    return Friedman(mean_ranks, chi_squared, k - 1, float(chdtrc(k - 1, chi_squared)))


def nemenyi(X: npt.ArrayLike, *, level: float = 0.95) -> Pairs:
    """Test all pairs of mean ranks with Nemenyi's test; differences and the critical difference are in ranks.

    Formula:    q = sqrt(2) |rank[i] - rank[j]| / sqrt(k (k+1) / (6n)), against the studentised range of k means with
        infinite degrees of freedom
    Reference:  Nemenyi 1963; Demšar, JMLR 2006.
    Edge cases: if all systems are tied on every query, every p is NaN.
    """
    _check_level(level)
    ranks = _ranks(X)
    n, k = ranks.shape
    all_tied = (ranks == (k + 1) / 2).all()
    standard_error = 0.0 if all_tied else float(np.sqrt(k * (k + 1) / (12 * n)))
    return _by_range(column_means(ranks), standard_error, np.inf, level)


def _checked(X: npt.ArrayLike) -> FloatArray:
    values = np.asarray(X, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2:
        wanted, found = "scores of at least two systems on at least two queries", f"an array of shape {values.shape}"
        raise GermaneError(f"expected {wanted}, found {found}", hint="use rows for queries, columns for systems")
    if missing := int(np.count_nonzero(~np.isfinite(values).all(axis=1))):
        hint = "remove these queries; the test requires a score of every system on every query"
        raise GermaneError(f"{missing} of {len(values)} queries have no score for at least one system", hint=hint)
    return values


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise GermaneError(f"expected a level between 0 and 1, found {level}", hint="for example 0.95")


def _shuffled_ranges(centred: FloatArray, permutations: int, seed: int) -> FloatArray:
    """Return the largest mean minus the smallest, for each shuffle of the columns within rows.

    A shuffle sorts raw random words with the column index in their lowest bits: NumPy guarantees only that stream to
    stay the same (see `resampling`).
    """
    n, k = centred.shape
    generator = np.random.PCG64(seed)
    numbers = np.uint64((1 << (k - 1).bit_length()) - 1)
    flat = centred.ravel()
    row_begins = (k * np.arange(n))[:, None]
    block = max(1, BLOCK // centred.size)
    ranges = np.empty(permutations)
    for begin in range(0, permutations, block):
        end = min(begin + block, permutations)
        words = generator.random_raw((end - begin) * n * k).reshape(end - begin, n, k)
        words = np.sort(words & ~numbers | np.arange(k, dtype=np.uint64), axis=2)
        sums = flat[(words & numbers).astype(np.int64) + row_begins].sum(axis=1)
        ranges[begin:end] = (sums.max(axis=1) - sums.min(axis=1)) / n
    return ranges


def _ranks(X: npt.ArrayLike) -> FloatArray:
    """Rank the systems within each query, highest value first; values that differ only by rounding are tied."""
    values = -_checked(X)
    order = np.argsort(values, axis=1)
    rising = np.take_along_axis(values, order, axis=1)
    steps = np.diff(rising, axis=1) > SAME * np.maximum(np.abs(rising[:, 1:]), np.abs(rising[:, :-1]))
    # Row i of k systems starts at level k · i, so that all rows are ranked at once.
    first = (np.arange(len(values)) * values.shape[1])[:, None]
    level = np.repeat(first, values.shape[1], axis=1)
    np.put_along_axis(level, order[:, 1:], first + np.cumsum(steps, axis=1), axis=1)
    return np.asarray(mid_ranks(level.ravel()).reshape(level.shape) - first)


def _by_range(means: FloatArray, standard_error: float, df: float, level: float) -> Pairs:
    """Test every pair against the studentised range of all means; undefined for a standard error of 0."""
    difference, k = np.subtract.outer(means, means), len(means)
    if standard_error == 0:
        return _untestable(difference, level)
    p = range_p(np.abs(difference) / standard_error, k, df)
    np.fill_diagonal(p, 1.0)
    return Pairs(difference, p, critical_range(level, k, df) * standard_error, level)


def _untestable(difference: FloatArray, level: float) -> Pairs:
    return Pairs(difference, np.full_like(difference, np.nan), float("nan"), level)
