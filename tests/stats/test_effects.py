"""Sizes of differences: by hand, against statsmodels and scipy, and at the edges."""

from __future__ import annotations

from math import isnan, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from germane.errors import GermaneError
from germane.stats.significance.effects import (
    cliffs_delta,
    differences,
    effects,
    gained_and_lost_most,
    hedges_factor,
    margin_tests,
)
from germane.tables.columns.ids import FloatArray

# Differences 2, 0, 4, -2: mean 1; squared deviations 1 + 1 + 9 + 9 = 20, so the variance is 20/3.
A, B = [5, 6, 9, 4], [3, 6, 5, 6]


def test_effect_sizes_on_paper() -> None:
    sizes = effects(A, B, residual_sd=2)
    assert sizes.d_z == pytest.approx(1 / sqrt(20 / 3))
    # Hedges' factor with 3 degrees of freedom: Γ(3/2) / (sqrt(3/2) Γ(1)) = (sqrt(π)/2) / sqrt(3/2).
    assert sizes.g_z == pytest.approx(sizes.d_z * (sqrt(pi) / 2) / sqrt(3 / 2))
    assert sizes.d_residual == 1 / 2
    assert (sizes.wins, sizes.ties, sizes.losses) == (2, 1, 1)
    assert sizes.dominance == (2 - 1) / 4
    # All 16 pairs: 5 beats 3 and loses to 6 and 6; 6 beats 3 and 5; 9 beats all; 4 beats 3 and loses to three.
    assert sizes.cliffs_delta == ((1 - 2) + 2 + 4 + (1 - 3)) / 16


def test_exchanging_the_systems_turns_every_sign() -> None:
    there, back = effects(A, B, residual_sd=2), effects(B, A, residual_sd=2)
    for name in ("d_z", "g_z", "d_residual", "dominance", "cliffs_delta"):
        assert getattr(there, name) == -getattr(back, name) != 0
    assert (there.wins, there.losses) == (back.losses, back.wins)


def test_paired_and_unpaired_dominance_are_two_things() -> None:
    # a wins on every query, by less than the queries differ.
    sizes = effects([0.12, 0.32, 0.52, 0.72, 0.92], [0.1, 0.3, 0.5, 0.7, 0.9])
    assert sizes.dominance == 1
    assert sizes.cliffs_delta == pytest.approx(5 / 25)  # 1+2+3+4+5 pairs won, 4+3+2+1+0 lost


def test_what_rounding_tells_apart_is_a_tie() -> None:
    sizes = effects([0.1 + 0.2, 0.5, 0.6], [0.3, 0.25, 0.7])
    assert (sizes.wins, sizes.ties, sizes.losses) == (1, 1, 1)
    assert cliffs_delta([0.1 + 0.2], [0.3]) == 0
    assert effects([0.30, 0.5, 0.6], [0.31, 0.25, 0.7], tie=0.1).ties == 1
    assert differences([[0.1 + 0.2, 1.0]], [[0.3, 0.25]]).tolist() == [[0.0, 0.75]]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.lists(st.integers(0, 5), min_size=1, max_size=12))
def test_cliffs_delta_counts_pairs(a: list[int], b: list[int]) -> None:
    signs = [int(x > y) - int(x < y) for x in a for y in b]
    assert cliffs_delta(a, b) == pytest.approx(sum(signs) / len(signs))


def test_cliffs_delta_is_the_mann_whitney_u_of_scipy() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 40)).round(1)
    assert cliffs_delta(a, b) == pytest.approx(2 * stats.mannwhitneyu(a, b).statistic / 1600 - 1)


def test_hedges_factor_takes_the_bias_off() -> None:
    # Hedges 1981: nearly 1 - 3 / (4 df - 1).
    for df in (5, 20, 200, 100_000):
        assert hedges_factor(df) == pytest.approx(1 - 3 / (4 * df - 1), abs=0.0015)
    # In expectation g_z is the true effect; d_z, with five queries, is a quarter more.
    D = np.random.default_rng(2).normal(0.5, 1, size=(40_000, 5))
    d_z = D.mean(axis=1) / D.std(axis=1, ddof=1)
    assert d_z.mean() > 0.6
    assert (d_z * hedges_factor(4)).mean() == pytest.approx(0.5, abs=0.015)


def test_gained_and_lost_most() -> None:
    gained, lost = gained_and_lost_most([0.1, -0.3, 0, 0.4, 0.1, nan, -0.5], most=2)
    assert gained.tolist() == [3, 0], "of equal ones the first"
    assert lost.tolist() == [6, 1], "largest loss first"
    gained, lost = gained_and_lost_most([0.1, 0.0], most=5)
    assert (gained.tolist(), lost.tolist()) == ([0], []), "who did not lose is not among the losers"


def pair(seed: int, shift: float, n: int = 15) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    b = rng.uniform(size=n)
    return b + rng.normal(shift, 0.1, size=n), b


@pytest.mark.parametrize("shift", [0, 0.05, -0.2])
def test_equivalence_equals_that_of_statsmodels(shift: float) -> None:
    from statsmodels.stats.weightstats import ttost_paired

    a, b = pair(3, shift)
    p, (_, p_noninferior, _), (_, p_not_better, _) = ttost_paired(a, b, -0.1, 0.1)
    ours = margin_tests(a, b, 0.1)
    assert [ours.p_noninferior, ours.p_not_better] == pytest.approx([p_noninferior, p_not_better])
    assert ours.p_equivalent == pytest.approx(p)


def test_non_inferiority_is_the_one_sided_t_test_of_scipy() -> None:
    a, b = pair(4, -0.02)
    theirs = stats.ttest_1samp(a - b, -0.05, alternative="greater")
    assert margin_tests(a, b, 0.05).p_noninferior == pytest.approx(theirs.pvalue)


def test_not_worse_and_not_better_by_too_much_at_once_is_equivalence() -> None:
    # .05 better on average, and hardly varying: surely not worse, surely not the same within .01.
    tests = margin_tests([0.55, 0.66, 0.74, 0.35], [0.5, 0.6, 0.7, 0.3], delta=0.01)
    assert tests.p_noninferior < 0.01
    assert tests.p_equivalent == tests.p_not_better > 0.99


@pytest.mark.parametrize("delta", [0, -0.1, nan, float("inf")])
def test_a_margin_is_a_positive_number(delta: float) -> None:
    with pytest.raises(GermaneError, match="expected a margin above 0"):
        margin_tests(A, B, delta)


def test_differences_that_do_not_vary_have_no_size_in_their_own_sd() -> None:
    b = np.array([0.3, 0.5, 0.9, 0.1])
    for a in (b, b + 0.1, b + 1e-7, b + 1e-17):
        sizes = effects(a, b, residual_sd=0)
        assert isnan(sizes.d_z)
        assert isnan(sizes.g_z)
        assert isnan(sizes.d_residual)
        assert isnan(margin_tests(a, b, 0.2).p_equivalent)
    assert effects(b + 0.1, b).dominance == 1
    assert isnan(effects([0.1, 0.4], [0.0, 0.1]).g_z), "one degree of freedom has no correction"


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [([1, 2, 3], [1, 2], "same queries"), ([1], [2], "at least two queries"), ([1, nan], [1, 2], "NaN")],
)
def test_what_is_no_pair_gets_a_clear_word(a: list[float], b: list[float], word: str) -> None:
    with pytest.raises(GermaneError, match=word):
        effects(a, b)
