"""Paired tests of two systems on the same queries: is the mean difference 0?

Each takes a matrix of queries × pairs of systems and tests every pair. Resampling tests share their draws.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from germane.catalogue import Catalogue
from germane.stats.intervals.resampling import EXACT_UP_TO, bootstrap_counts, products, sign_flips, studentised
from germane.stats.significance.columns import (
    EQUAL,
    column_means,
    column_sums,
    columns_of,
    constant_columns,
    mid_ranks,
    standard_errors,
    zero_columns,
)
from germane.stats.significance.folds import Folds
from germane.stats.significance.outcomes import Sides, Statistics, SystemTest, TestResult, p_of_draws, p_of_t, reaches
from germane.tables.columns.ids import BoolArray, FloatArray

WILCOXON_EXACT_UP_TO = 50
"""Maximum number of queries with exact p-values, as in scipy."""


class PairedTest(SystemTest):
    """A paired test, called with differences by query: one column, or a matrix of columns.

    `owes` is the caution that the literature demands, or empty. A test that `needs_spread` is undefined if all
    differences are equal.

    >>> result = PAIRED_TESTS["t"]([0.1, 0.3, -0.1, 0.2])
    >>> round(float(result.statistic), 3), round(float(result.p), 3)        # 0.125 / (0.1708/2), 3 degrees of freedom
    (1.464, 0.239)
    """

    def __call__(
        self, differences: npt.ArrayLike, sides: Sides = "two", *, resamples: int = 100_000, seed: int = 0
    ) -> TestResult:
        columns = columns_of(differences, "a paired test")
        none, shape = zero_columns(columns), np.shape(differences)[1:]
        stuck = constant_columns(columns) & ~none
        why = "undefined: all queries differ by the same amount, so the variance is 0"

        def compute(tested: BoolArray) -> Statistics:
            found: Statistics = self.target(columns[:, tested], sides, resamples, seed)
            return found

        return self.result(sides, resamples, none, stuck, why, compute, shape)


PAIRED_TESTS = Catalogue("test", PairedTest, PairedTest, example="t")


@PAIRED_TESTS.add("t", needs_spread=True)
def student(differences: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Student's paired t-test: the mean difference over its standard error."""
    t = column_means(differences) / standard_errors(differences)
    return t, p_of_t(t, len(differences) - 1, sides)


@PAIRED_TESTS.add("randomisation")
def randomisation(differences: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Fisher's randomisation test: share of sign flips of the differences that give a mean at least as far from 0.

    All flips up to 20 queries; above, random ones, counting the data as one more: p = (b + 1)/(B + 1).
    """
    n, columns = differences.shape
    observed = column_sums(differences)
    error = n * np.finfo(np.float64).eps * column_sums(np.abs(differences))
    extreme = np.zeros(columns)
    for signs in sign_flips(n, resamples, seed, columns=columns):
        sums = products(differences, signs)
        extreme += np.count_nonzero(reaches(sums, observed, error, sides), axis=1)
        if n <= EXACT_UP_TO:  # the other half of the flips are the negatives of these
            extreme += np.count_nonzero(reaches(-sums, observed, error, sides), axis=1)
    return observed / n, extreme / 2**n if n <= EXACT_UP_TO else p_of_draws(extreme, resamples)


@PAIRED_TESTS.add("bootstrap", needs_spread=True)
def bootstrap(differences: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Bootstrap test: share of resamples of the centred differences whose t is at least as far from 0.

    A resample with a single distinct value counts as infinite. Two-sided by |t|; p = (b + 1)/(B + 1).
    """
    n, columns = differences.shape
    means = column_means(differences)
    observed = means / standard_errors(differences)
    extreme = np.zeros(columns)
    for counts in bootstrap_counts(n, resamples, seed, columns=columns):
        t = studentised(differences - means, counts)
        extreme += np.count_nonzero(reaches(t, observed, np.full(columns, EQUAL), sides), axis=1)
    return observed, p_of_draws(extreme, resamples)


@PAIRED_TESTS.add(
    "wilcoxon",
    owes="tests whether differences are symmetric about 0, not whether their mean is 0; with skewed differences it "
    "rejects equal means too often, increasingly with more queries (Smucker et al. 2007, Ihemelandu and Ekstrand 2023)",
)
def wilcoxon(differences: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Wilcoxon signed-rank test: sum of the ranks of positive differences. Zeros are dropped, ties share ranks.

    Differences equal up to rounding are ties: 0.5 − 0.4 ties with 0.4 − 0.3. Up to 50 queries p is exact, also with
    ties: the share of all sign flips of these ranks. Above, it is the normal approximation without continuity
    correction. scipy, which is exact only without ties or up to 13 queries, takes half a minute for a thousand tests.
    """
    statistic, p = np.asarray([_signed_ranks(values[values != 0], sides) for values in differences.T]).T
    return statistic, p


def _signed_ranks(differences: FloatArray, sides: Sides) -> tuple[float, float]:
    from scipy.special import ndtr

    n = len(differences)
    size = np.round(np.abs(differences) / np.abs(differences).max(), 12)
    twice_rank = (2 * mid_ranks(size)).astype(np.int64)  # twice, because a mean rank may be a half
    twice = int(twice_rank[differences > 0].sum())
    if n <= WILCOXON_EXACT_UP_TO:
        ways = np.zeros(n * (n + 1) + 1)  # number of sign flips with each sum; below 2**50, so exact
        ways[0] = 1
        for rank in twice_rank:
            ways[rank:] += ways[:-rank].copy()
        at_least, at_most = ways[twice:].sum() / 2**n, ways[: twice + 1].sum() / 2**n
    else:
        z = (2 * twice - n * (n + 1)) / np.sqrt((twice_rank.astype(np.float64) ** 2).sum())
        at_least, at_most = ndtr(-z), ndtr(z)
    return twice / 2, float(_tail(at_least, at_most, sides))


@PAIRED_TESTS.add(
    "sign",
    owes="tests whether gains are as likely as losses, regardless of their size (the median, not the mean); with many "
    "queries it may reject equal means (Smucker et al. 2007, Ihemelandu and Ekstrand 2023)",
)
def sign(differences: FloatArray, sides: Sides, resamples: int, seed: int) -> Statistics:
    """Sign test: number of queries that gain, by the exact binomial distribution. Zeros are dropped."""
    from scipy.special import bdtr, bdtrc

    gains = np.count_nonzero(differences > 0, axis=0)
    n = np.count_nonzero(differences, axis=0)
    at_least, at_most = np.where(gains > 0, bdtrc(gains - 1, n, 0.5), 1.0), bdtr(gains, n, 0.5)
    return gains.astype(np.float64), _tail(at_least, at_most, sides)


def _tail(at_least: npt.ArrayLike, at_most: npt.ArrayLike, sides: Sides) -> FloatArray:
    """Return the p-value of a discrete test; two-sided, twice the smaller tail."""
    tails = {"greater": at_least, "less": at_most, "two": np.minimum(1, 2 * np.minimum(at_least, at_most))}
    return np.asarray(tails[sides], dtype=np.float64)


def corrected_resampled_t(
    differences: npt.ArrayLike, train_size: float, test_size: float, sides: Sides = "two", *, runs: int = 1
) -> TestResult:
    """Test differences over folds or repeated splits, which share training data, by the corrected resampled t-test.

    With several `runs`, these are clusters of folds, whose means give one part of the variance.

    Formula:    t = m / √((1/n + test/train) s²), n − 1 degrees of freedom; with r runs as clusters
                m / √(v/r + test/train s²), where v is the variance of the means of runs
    Reference:  Nadeau and Bengio, "Inference for the generalization error", Machine Learning 52 (2003).

    >>> result = corrected_resampled_t([0.1, 0.3, -0.1, 0.2], train_size=90, test_size=10)
    >>> round(float(result.statistic), 3)                                   # 0.125 / (0.1708 √(1/4 + 1/9))
    1.218
    """
    folds = Folds(train_size, test_size, runs)
    columns = columns_of(differences, "the corrected resampled t-test")
    none = zero_columns(columns)

    def compute(tested: BoolArray) -> Statistics:
        t = column_means(columns[:, tested]) / folds.standard_errors(columns[:, tested])
        return t, p_of_t(t, len(columns) - 1, sides)

    why = "undefined: all folds differ by the same amount, so the variance is 0"
    stuck, shape = constant_columns(columns) & ~none, np.shape(differences)[1:]
    return PAIRED_TESTS["t"].result(sides, 1, none, stuck, why, compute, shape)
