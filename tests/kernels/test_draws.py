from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2

from germane import kernels
from germane.kernels import reference_draws as reference
from germane.stats.intervals.resampling import cell_draws

compiled = pytest.mark.skipif(
    kernels.multinomial_counts is reference.multinomial_counts,
    reason="there is no compiled extension to compare with the reference",
)
MANY = 20_000 if kernels.in_use() == "compiled kernels" else 1_000
Draw = Callable[[list[int], int, int], npt.NDArray[Any]]


def words(resamples: int, cells: int, seed: int) -> npt.NDArray[np.uint64]:
    drawn: npt.NDArray[np.uint64] = np.random.PCG64(seed).random_raw((resamples, cells))
    return drawn


COUNT = st.one_of(st.integers(0, 3), st.integers(0, 500), st.integers(0, 10**6))


@compiled
@settings(deadline=None)
@given(st.lists(COUNT, min_size=1, max_size=6), st.integers(0, 99))
def test_draws_are_those_of_the_reference(counts: list[int], seed: int) -> None:
    cells, random = np.asarray(counts, dtype=np.int64), words(5, len(counts), seed)
    expected = reference.multinomial_counts(cells, 5, random)
    assert kernels.multinomial_counts(cells, 5, random).tolist() == expected.tolist()
    assert (expected.sum(axis=1) == cells.sum()).all()
    assert not expected[:, cells == 0].any()


EXTREME_WORDS = [0, 1 << 11, 2**64 - 1, 2**63]


@pytest.mark.parametrize("counts", [[1, 1], [1, 10**9 - 1], [10**9 - 1, 1], [5 * 10**8, 5 * 10**8], [3, 0, 2]])
def test_the_ends_of_the_uniform_range(counts: list[int]) -> None:
    cells = np.asarray(counts)
    random = np.asarray([[word] * len(counts) for word in EXTREME_WORDS], dtype=np.uint64)
    drawn = kernels.multinomial_counts(cells, len(random), random)
    assert (drawn.sum(axis=1) == cells.sum()).all()
    assert (drawn >= 0).all()


@pytest.mark.parametrize(("k", "n", "p"), [(0, 5, 0.1), (5, 5, 0.9), (1, 2, 0.5), (300, 1000, 0.3), (3, 40, 0.06)])
def test_the_mass_is_that_of_scipy(k: int, n: int, p: float) -> None:
    assert reference._mass(k, n, p, 1 - p) == pytest.approx(binom.pmf(k, n, p), rel=1e-13)


def test_the_mass_of_a_thousand_million_items_is_exact_to_twelve_digits() -> None:
    # C(n, n/2) / 2**n = (1 - 1/(4n) + 1/(32n²) + …) / sqrt(πn/2)
    n = 10**9
    assert reference._mass(n // 2, n, 0.5, 0.5) == pytest.approx((1 - 1 / (4 * n)) / np.sqrt(np.pi * n / 2), rel=1e-12)


# The distribution ------------------------------------------------------------------------------------------------


def surprise(draw: Draw, counts: list[int], cell: int, resamples: int = MANY) -> float:
    """The p-value of the chi-square test that a cell is binomial."""
    drawn = draw(counts, resamples, 7)[:, cell]
    n = sum(counts)
    expected = resamples * binom.pmf(np.arange(n + 1), n, counts[cell] / n)
    observed = np.bincount(drawn, minlength=n + 1)
    often = expected >= 5
    pooled_expected = np.append(expected[often], expected[~often].sum())
    pooled_observed = np.append(observed[often], observed[~often].sum())
    statistic = ((pooled_observed - pooled_expected) ** 2 / np.maximum(pooled_expected, 1e-9)).sum()
    return float(chi2.sf(statistic, len(pooled_expected) - 1))


@pytest.mark.parametrize("cell", range(4))
@pytest.mark.parametrize("counts", [[10, 5, 3, 82], [40, 30, 20, 10], [1, 2, 3, 4]])
def test_each_cell_is_binomial(counts: list[int], cell: int) -> None:
    assert surprise(cell_draws, counts, cell) > 1e-4


def test_the_chi_square_test_catches_draws_that_are_nearly_binomial() -> None:
    def poisson(counts: list[int], resamples: int, seed: int) -> npt.NDArray[np.int64]:
        return np.minimum(np.random.default_rng(seed).poisson(counts, (resamples, len(counts))), sum(counts))

    assert surprise(poisson, [10, 5, 3, 82], 0, resamples=20_000) < 1e-4


def test_means_and_covariances_are_multinomial() -> None:
    counts = np.array([100, 50, 30, 0, 820])
    drawn = cell_draws(counts, MANY, seed=3)
    share = counts / counts.sum()
    covariance = counts.sum() * (np.diag(share) - np.outer(share, share))
    error = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / MANY)
    assert (np.abs(drawn.mean(axis=0) - counts) <= 4.5 * np.sqrt(np.diag(covariance) / MANY)).all()
    assert (np.abs(np.cov(drawn.T) - covariance) <= 4.5 * error).all()


def test_the_seed_fixes_the_draws() -> None:
    assert cell_draws([4, 5, 6], 9, seed=1).tolist() == cell_draws([4, 5, 6], 9, seed=1).tolist()
    assert cell_draws([4, 5, 6], 9, seed=1).tolist() != cell_draws([4, 5, 6], 9, seed=2).tolist()


def test_draws_do_not_depend_on_how_many_follow() -> None:
    assert cell_draws([40, 50, 60], 9, seed=1)[:4].tolist() == cell_draws([40, 50, 60], 4, seed=1).tolist()
