"""Corrections against hand-worked families, statsmodels, plain enumeration and a simulation of the familywise error."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from germane.errors import GermaneError
from germane.stats.significance.corrections import CORRECTIONS, holm
from germane.stats.significance.max_t import step_down_max_t as max_t
from germane.tables.columns.ids import FloatArray

NAN = float("nan")

# fmt: off
BY_HAND = [
    # name         p                     adjusted              why
    ("bonferroni", [.01, .04, .03],      [.03, .12, .09],      "each times 3"),
    ("bonferroni", [.5, .6],             [1, 1],               "a probability is at most 1"),
    ("holm",       [.01, .04, .03],      [.03, .06, .06],      "3 × .01; 2 × .03; 1 × .04 rises to the .06 before it"),
    ("holm",       [.01, NAN, .03],      [.02, NAN, .03],      "a test that was not made is not counted"),
    ("bh",         [.01, .04, .03],      [.03, .04, .04],      "3/1 × .01; 3/2 × .03 falls to the 3/3 × .04 after it"),
    ("bh",         [.01, .02, .03, .04], [.04, .04, .04, .04], "4/i × i/100 for all"),
    ("by",         [.01, .03],           [.03, .045],          "Benjamini-Hochberg's (.02, .03) times 1 + 1/2"),
    ("bonferroni", [],                   [],                   "a family without tests"),
    ("holm",       [NAN, NAN],           [NAN, NAN],           "a family without tests that could be made"),
    ("by",         [NAN, .2],            [NAN, .2],            "one test needs no correction"),
]
# fmt: on


@pytest.mark.parametrize(("name", "p", "expected", "why"), BY_HAND)
def test_a_correction_by_hand(name: str, p: list[float], expected: list[float], why: str) -> None:
    assert CORRECTIONS[name].adjust(p) == pytest.approx(expected, nan_ok=True), why


@pytest.mark.parametrize("p", [[[0.1, 0.2], [0.3, 0.4]], [0.1, 1.5], [-0.1]])
def test_what_is_no_family_is_refused(p: list[float]) -> None:
    with pytest.raises(GermaneError, match="Hint:"):
        holm(p)


families = arrays(np.float64, st.integers(1, 12), elements=st.floats(0, 1))


@pytest.mark.parametrize(
    ("name", "theirs"), [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")]
)
def test_a_correction_equals_that_of_statsmodels(name: str, theirs: str) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(1).beta(0.3, 2, size=200)
    p[:20] = p[20:40]  # ties
    assert CORRECTIONS[name].adjust(p) == pytest.approx(multipletests(p, method=theirs)[1], rel=1e-12)


@given(families)
def test_holm_never_exceeds_bonferroni_nor_bh_by(p: FloatArray) -> None:
    adjusted = {name: correction.adjust(p) for name, correction in ((each.name, each) for each in CORRECTIONS)}
    assert (adjusted["holm"] <= adjusted["bonferroni"]).all()
    assert (adjusted["bh"] <= adjusted["by"]).all()
    assert (adjusted["bh"] <= adjusted["holm"] * (1 + 1e-12)).all()


@pytest.mark.parametrize("name", CORRECTIONS.names)
@given(p=families, seed=st.integers(0, 100))
def test_a_correction_raises_p_keeps_the_order_and_does_not_mind_it(name: str, p: FloatArray, seed: int) -> None:
    adjust = CORRECTIONS[name].adjust
    adjusted = adjust(p)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    shuffled = np.random.default_rng(seed).permutation(len(p))
    assert adjust(p[shuffled]).tolist() == adjusted[shuffled].tolist()


# Max-T


def plain_max_t(D: FloatArray) -> list[float]:
    """Westfall and Young's algorithm 2.8, word by word, over all sign flips; t by scipy."""

    def abs_t(differences: FloatArray) -> list[float]:
        with np.errstate(divide="ignore"):
            return [abs(float(stats.ttest_1samp(column[~np.isnan(column)], 0).statistic)) for column in differences.T]

    observed = abs_t(D)
    largest_first = sorted(range(len(observed)), key=lambda j: -observed[j])
    flipped = [abs_t(D * np.array(signs)[:, None]) for signs in itertools.product([1, -1], repeat=len(D))]
    p: dict[int, float] = {}
    before = 0.0
    for i, j in enumerate(largest_first):
        reached = sum(max(t[other] for other in largest_first[i:]) >= observed[j] * (1 - 1e-9) for t in flipped)
        p[j] = before = max(before, reached / len(flipped))
    return [p[j] for j in range(len(observed))]


def differences(n: int, m: int, seed: int) -> FloatArray:
    """Of one noisy system against m others: correlated, as the comparisons with one baseline are."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 1)) + rng.normal(size=(n, m)) * np.linspace(0.3, 3, m) + np.linspace(0, 1.5, m)


@pytest.mark.parametrize("seed", range(4))
def test_max_t_is_the_published_algorithm_over_all_flips(seed: int) -> None:
    D = differences(6, 4, seed)
    assert max_t(D) == pytest.approx(plain_max_t(D), rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_max_t_where_columns_lack_different_queries(seed: int) -> None:
    D = differences(7, 3, seed)
    D[0, 1] = D[2:6, 2] = np.nan
    assert max_t(D) == pytest.approx(plain_max_t(D), rel=1e-12)
    D[:, 0] = 0.1  # no variation: an infinite |t|, reached by the data and their negative, whatever rounding does
    assert max_t(D)[0] == 2 / 2**7


def test_max_t_of_one_column_is_the_sign_flip_test_of_scipy() -> None:
    D = differences(10, 1, seed=5)
    size = lambda x, axis: np.abs(np.mean(x, axis))
    theirs = stats.permutation_test(
        (D[:, 0],), size, permutation_type="samples", alternative="greater", n_resamples=1 << 10
    )
    assert max_t(D) == pytest.approx([theirs.pvalue])


def test_max_t_by_random_flips_comes_near_the_exact_one_and_counts_the_data() -> None:
    D = differences(20, 5, seed=6)
    exact = max_t(D)
    # Twenty-one queries are too many to enumerate; one without any difference changes no |t| by much.
    drawn = max_t(np.vstack([D, np.zeros(5)]), resamples=20_000, seed=1)
    assert drawn == pytest.approx(exact, abs=0.015)
    assert max_t(np.vstack([D, np.zeros(5)]), resamples=20_000, seed=1).tolist() == drawn.tolist()
    assert max_t(np.tile(np.arange(1.0, 31.0)[:, None], 2), resamples=99).tolist() == [0.01, 0.01]


def test_max_t_at_the_edges() -> None:
    D = np.array([[0, 1, 1, NAN], [0, 1, 2, NAN], [0, 1, -1, NAN]])
    p = max_t(D)
    assert p[:2].tolist() == [1.0, 0.25], "no difference at all; all the same: 2 of 8 flips"
    assert np.isnan(p[3])
    assert p[2] == max_t(D[:, 2:3])[0], "nothing that is smaller adds to the family"
    for wrong in (np.zeros((1, 3)), np.zeros(5)):
        with pytest.raises(GermaneError, match="at least two queries"):
            max_t(wrong)


@settings(max_examples=30)
@given(arrays(np.float64, (5, 4), elements=st.integers(-5, 5).map(float)), st.permutations(range(4)))
def test_max_t_permutes_with_its_columns(D: FloatArray, order: list[int]) -> None:
    assert max_t(D[:, order]).tolist() == max_t(D)[order].tolist()


def familywise_error(adjust: Callable[[FloatArray], FloatArray], *, families: int = 1000) -> float:
    """How often a family of six true null hypotheses has a positive at 5 %: correlated, heavy-tailed, nine queries."""
    rng = np.random.default_rng(7)
    positive = 0
    for _ in range(families):
        D = rng.standard_t(3, size=(9, 1)) + rng.standard_t(3, size=(9, 6))
        positive += bool(adjust(D).min() <= 0.05)
    return positive / families


def test_max_t_keeps_the_familywise_error() -> None:
    # 1,000 families: a standard error of .007. Exact tests may stay below the level, not above it.
    assert 0.025 <= familywise_error(max_t) <= 0.05 + 3 * 0.007


def test_the_simulation_catches_a_family_without_correction() -> None:
    unadjusted = lambda D: np.asarray(stats.ttest_1samp(D, 0).pvalue)
    assert familywise_error(unadjusted) > 0.1


def test_max_t_sees_that_tests_repeat_each_other() -> None:
    D = np.arange(-1.0, 8.0)[:, None]  # sum 27 of at most 29: reached by flipping none or a 1, with or without 0
    one, twenty = max_t(D), max_t(np.tile(D, 20))
    assert one.tolist() == [2 * (1 + 2) * 2 / 2**9]
    assert twenty == pytest.approx(np.full(20, one[0]))
    assert holm(np.full(20, one[0]))[0] == pytest.approx(20 * one[0])
