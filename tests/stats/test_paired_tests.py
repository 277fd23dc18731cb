"""Paired tests: worked on paper, equal to scipy's, rejecting as often as they say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from germane.errors import GermaneError
from germane.stats.intervals import resampling
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.paired_tests import PAIRED_TESTS, corrected_resampled_t
from germane.tables.columns.ids import FloatArray

NAN = float("nan")
RNG = np.random.default_rng(11)
DIFFERENCES = RNG.normal(0.05, 0.2, (30, 4))
FEW = RNG.normal(0.1, 0.2, (9, 3))
SIDES: tuple[Sides, ...] = ("two", "greater", "less")
ALTERNATIVES: dict[Sides, Literal["two-sided", "greater", "less"]] = {
    "two": "two-sided",
    "greater": "greater",
    "less": "less",
}

# fmt: off
BY_HAND = [
    # test           differences          sides      statistic         p          why
    ("t",             [1, 2, 3],           "two",     2 * math.sqrt(3), 0.0741799, "2/(1/√3), 2 d.f."),
    ("t",             [1, 2, 3],           "greater", 2 * math.sqrt(3), 0.0370900, "half of it"),
    ("t",             [1, 2, 3],           "less",    2 * math.sqrt(3), 0.9629100, "and the rest"),
    ("randomisation", [1, 2, 3],           "two",     2,                2 / 8,     "+++ and −−−"),
    ("randomisation", [1, 2, 3],           "greater", 2,                1 / 8,     "+++"),
    ("randomisation", [1, 2, 3],           "less",    2,                8 / 8,     "all sums are ≤ 6"),
    ("randomisation", [1, 2, -3],          "two",     0,                8 / 8,     "all sums reach 0"),
    ("randomisation", [1, 2, -3],          "greater", 0,                5 / 8,     "0 twice, 2, 4, 6"),
    ("randomisation", [-1, 2],             "less",    .5,               3 / 4,     "−3, −1, 1"),
    ("randomisation", [.5 - .4, .4 - .3, .3 - .4],"two",     .1 / 3,           8 / 8,     "±.1 is reached by all"),
    ("randomisation", [.3, .1, -.4],       "two",     0,                8 / 8,     "0 up to rounding"),
    ("randomisation", [.2, .2, .2, .2],    "two",     .2,               2 / 16,    "no spread needed"),
    ("wilcoxon",      [1, 2, 3, 4],        "two",     10,               2 / 16,    "all ranks positive"),
    ("wilcoxon",      [-1, 2, 3, 4],       "greater", 9,                2 / 16,    "W+ = 10 and 9"),
    ("wilcoxon",      [1, 1, -1],          "greater", 4,                4 / 8,     "three ranks 2: 6, 4, 4, 4"),
    ("wilcoxon",      [0, 1, 2, 0, 3, 4],  "two",     10,               2 / 16,    "zeros are left out"),
    ("sign",          [1, 2, 3, 4],        "two",     4,                2 / 16,    "HHHH and TTTT"),
    ("sign",          [9, 9, 9, -1],       "greater", 3,                5 / 16,    "4 + 1 of 16"),
    ("sign",          [9, 9, 9, -1],       "less",    3,                15 / 16,   "all but HHHH"),
    ("sign",          [1, -1, 0, 0],       "two",     1,                1,         "not above 1"),
    ("sign",          [-1, -1, 0],         "greater", 0,                1,         "no gain: certain"),
]
# fmt: on


@pytest.mark.parametrize(("test", "differences", "sides", "statistic", "p", "why"), BY_HAND)
def test_by_hand(test: str, differences: list[float], sides: Sides, statistic: float, p: float, why: str) -> None:
    result = PAIRED_TESTS[test](differences, sides)
    assert float(result.statistic) == pytest.approx(statistic, abs=1e-12), why
    assert float(result.p) == pytest.approx(p, rel=1e-5), why
    assert result.remarks == ("",)


def test_bootstrap_by_hand() -> None:
    """(1, 2): t = 1.5/.5 = 3. Of the four resamples of (−½, ½) two have no spread, so lie infinitely far; two are 0."""
    result = PAIRED_TESTS["bootstrap"]([1, 2], resamples=9_999)
    assert float(result.statistic) == pytest.approx(3)
    assert float(result.p) == pytest.approx(1 / 2, abs=0.02)
    assert float(PAIRED_TESTS["bootstrap"]([1, 2], "greater", resamples=9_999).p) == pytest.approx(1 / 4, abs=0.02)


@pytest.mark.parametrize("sides", SIDES)
def test_t_is_scipys(sides: Sides) -> None:
    ours = PAIRED_TESTS["t"](DIFFERENCES, sides)
    theirs = stats.ttest_rel(DIFFERENCES, np.zeros_like(DIFFERENCES), alternative=ALTERNATIVES[sides])
    np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(ours.p, theirs.pvalue, rtol=1e-10)


@pytest.mark.parametrize("sides", SIDES)
def test_few_queries_are_enumerated_as_by_scipy(sides: Sides) -> None:
    for values in (FEW, np.round(FEW, 1)):
        ours = PAIRED_TESTS["randomisation"](values, sides)
        theirs = stats.permutation_test(
            (values,), np.mean, permutation_type="samples", n_resamples=2**9, alternative=ALTERNATIVES[sides], axis=0
        )
        np.testing.assert_allclose(ours.p, theirs.pvalue, rtol=1e-12)
        np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-12)


def test_twenty_queries_are_still_exact() -> None:
    """Of twenty steps of ±1, the chance to end at 8 or further: 14 or more of 20 coins, on either side."""
    differences = [1.0] * 14 + [-1.0] * 6
    expected = 2 * sum(math.comb(20, heads) for heads in range(14, 21)) / 2**20
    assert float(PAIRED_TESTS["randomisation"](differences).p) == pytest.approx(expected, rel=1e-12)
    assert float(PAIRED_TESTS["randomisation"](differences, "greater").p) == pytest.approx(expected / 2, rel=1e-12)


@pytest.mark.parametrize("sides", SIDES)
def test_many_queries_are_drawn_and_the_data_count_as_one_draw(sides: Sides) -> None:
    differences = [1.0] * 20 + [-1.0] * 10
    heads = range(21) if sides == "less" else range(20, 31)
    exact = sum(math.comb(30, k) for k in heads) / 2**30 * (2 if sides == "two" else 1)
    p = float(PAIRED_TESTS["randomisation"](differences, sides, resamples=50_000).p)
    assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 50_000))
    assert p * 50_001 == pytest.approx(round(p * 50_001))
    assert float(PAIRED_TESTS["randomisation"]([1.0] * 30, resamples=999).p) == 1 / 1_000  # never 0


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("queries", [9, 30, 50, 51, 200])
def test_wilcoxon_is_scipys(queries: int, sides: Sides) -> None:
    values = np.random.default_rng(3).normal(0.05, 0.2, (queries, 3))
    ours = PAIRED_TESTS["wilcoxon"](values, sides)
    theirs = stats.wilcoxon(values, alternative=ALTERNATIVES[sides])
    np.testing.assert_allclose(ours.p, theirs.pvalue, rtol=1e-10)
    np.testing.assert_allclose(ours.statistic, stats.wilcoxon(values, alternative="greater").statistic)


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("queries", [10, 90])
def test_wilcoxon_is_scipys_with_ties_and_zeros(queries: int, sides: Sides) -> None:
    values = np.round(np.random.default_rng(3).normal(0.05, 0.2, queries), 1)
    moved = values[values != 0]
    assert len(moved) < queries
    assert len(np.unique(np.abs(moved))) < len(moved)
    theirs = stats.wilcoxon(moved, alternative=ALTERNATIVES[sides])
    assert float(PAIRED_TESTS["wilcoxon"](values, sides).p) == pytest.approx(theirs.pvalue, rel=1e-10)


def test_exact_ties_are_near_the_normal_distribution_and_are_not_it() -> None:
    values = np.round(np.random.default_rng(3).normal(0.05, 0.2, 40), 1)
    exact = float(PAIRED_TESTS["wilcoxon"](values).p)
    approximate = stats.wilcoxon(values[values != 0]).pvalue
    assert exact == pytest.approx(approximate, abs=0.01)
    assert exact != pytest.approx(approximate, abs=1e-6)


def test_wilcoxon_sees_ties_behind_rounding() -> None:
    """As fractions these are .1, .1, −.1, .2, −.2; as 64-bit numbers only −.1 has an equal."""
    rounded = [0.5 - 0.4, 0.4 - 0.3, 0.3 - 0.4, 0.9 - 0.7, 0.1 - 0.3]
    assert len({abs(value) for value in rounded}) == 4
    ours, exact = (PAIRED_TESTS["wilcoxon"](values) for values in (rounded, [1, 1, -1, 2, -2]))
    assert float(ours.p) == float(exact.p)
    assert float(ours.statistic) == float(exact.statistic) == 2 + 2 + 4.5


@pytest.mark.parametrize("sides", SIDES)
def test_sign_is_the_binomial_test(sides: Sides) -> None:
    values = np.round(DIFFERENCES, 1)
    ours = PAIRED_TESTS["sign"](values, sides)
    for column, gains, p in zip(values.T, ours.statistic, ours.p, strict=True):
        theirs = stats.binomtest(int(gains), int(np.count_nonzero(column)), alternative=ALTERNATIVES[sides])
        assert p == pytest.approx(theirs.pvalue, rel=1e-10)


def test_bootstrap_agrees_with_t_on_normal_differences() -> None:
    many = RNG.normal(0.3, 1, (200, 6))
    np.testing.assert_allclose(PAIRED_TESTS["bootstrap"](many).p, PAIRED_TESTS["t"](many).p, atol=0.02)


# fmt: off
FOLDS = [
    # differences       train  test  t                                                why
    ([.1, .3, -.1, .2], 90,    10,   .125 / math.sqrt((1 / 4 + 1 / 9) * .0875 / 3),   "s² = .0875/3"),
    ([.1, .3, -.1, .2], 1e12,  10,   .125 / math.sqrt(.0875 / 3 / 4),                 "no overlap: Student's t"),
]
# fmt: on


@pytest.mark.parametrize(("differences", "train", "test", "t", "why"), FOLDS)
def test_corrected_resampled_t_by_hand(differences: list[float], train: float, test: float, t: float, why: str) -> None:
    for sides, p in (("two", 2 * stats.t.sf(t, 3)), ("greater", stats.t.sf(t, 3)), ("less", stats.t.cdf(t, 3))):
        result = corrected_resampled_t(differences, train, test, sides)  # type: ignore[arg-type]
        assert float(result.statistic) == pytest.approx(t), why
        assert float(result.p) == pytest.approx(p), why


def test_overlapping_folds_need_the_correction() -> None:
    """Ten folds of one data set share most of their training data: their scores move together (Nadeau and Bengio)."""
    trials, folds, shared_variance = 3_000, 10, 1 / 9
    shared = RNG.normal(0, math.sqrt(shared_variance), (1, trials))
    differences = RNG.normal(0, 1, (folds, trials)) + shared
    plain = (PAIRED_TESTS["t"](differences).p < 0.05).mean()
    corrected = (corrected_resampled_t(differences, 90, 10).p < 0.05).mean()
    assert plain > 0.12
    assert corrected == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / trials))


# Laws ------------------------------------------------------------------------------------------------------------

SAMPLES = arrays(np.float64, st.integers(2, 9), elements=st.integers(-30, 30).map(lambda i: i / 10))
NEGATED: dict[Sides, Sides] = {"two": "two", "greater": "less", "less": "greater"}


@pytest.mark.parametrize("name", PAIRED_TESTS.names)
@given(sample=SAMPLES, sides=st.sampled_from(SIDES), scale=st.sampled_from([0.1, 3.0, 1e6]))
def test_units_do_not_matter_and_swapped_systems_swap_the_sides(
    name: str, sample: FloatArray, sides: Sides, scale: float
) -> None:
    p = PAIRED_TESTS[name](sample, sides, resamples=99).p
    np.testing.assert_allclose(PAIRED_TESTS[name](scale * sample, sides, resamples=99).p, p, rtol=1e-7)
    np.testing.assert_allclose(PAIRED_TESTS[name](-sample, NEGATED[sides], resamples=99).p, p, rtol=1e-7)
    assert np.isnan(p) or 0 < p <= 1


@pytest.mark.parametrize("name", PAIRED_TESTS.names)
@given(sample=SAMPLES, order=st.randoms(use_true_random=False))
def test_the_order_of_queries_does_not_matter(name: str, sample: FloatArray, order: object) -> None:
    shuffled = sample.copy()
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    before, after = (PAIRED_TESTS[name](each, resamples=2_000).p for each in (sample, shuffled))
    chance = 0.08 if name == "bootstrap" else 0  # its draws meet other queries
    np.testing.assert_allclose(after, before, rtol=1e-7, atol=chance)


@pytest.mark.parametrize("name", PAIRED_TESTS.names)
def test_a_pair_gives_the_same_alone_and_among_others(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = PAIRED_TESTS[name](DIFFERENCES, resamples=999, seed=3)
    monkeypatch.setattr(resampling, "BLOCK", 70)
    monkeypatch.setattr(resampling, "LARGEST_BLOCK", 70)
    alone = [PAIRED_TESTS[name](column, resamples=999, seed=3) for column in DIFFERENCES.T]
    np.testing.assert_allclose([each.p for each in alone], together.p, rtol=1e-10)
    assert alone[0].p.shape == ()
    assert together.remarks == ("",) * 4


def test_randomisation_is_the_enumeration_of_all_flips() -> None:
    for column in np.round(FEW, 2).T:
        sums = [abs(sum(s * d for s, d in zip(signs, column, strict=True)))
                for signs in itertools.product((1, -1), repeat=len(column))]  # fmt: skip
        expected = np.mean([each >= abs(column.sum()) - 1e-12 for each in sums])
        assert float(PAIRED_TESTS["randomisation"](column).p) == pytest.approx(expected)


# Bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("name", PAIRED_TESTS.names)
def test_no_difference_at_all_is_p_1_with_a_word(name: str, sides: Sides) -> None:
    result = PAIRED_TESTS[name](np.column_stack((np.zeros(9), FEW[:, 0])), sides, resamples=99)
    assert (result.statistic[0], result.p[0]) == (0, 1)
    assert result.remarks == ("no query differs", "")
    assert result.p[1] == PAIRED_TESTS[name](FEW[:, 0], sides, resamples=99).p


@pytest.mark.parametrize("name", ["t", "bootstrap"])
def test_the_same_difference_everywhere_has_no_t_and_says_why(name: str) -> None:
    result = PAIRED_TESTS[name]([0.5 - 0.4, 0.4 - 0.3, 0.9 - 0.8])
    assert np.isnan([result.statistic, result.p]).all()
    assert "the variance is 0" in result.remarks[0]
    folds = corrected_resampled_t([0.5, 0.5], 9, 1)
    assert np.isnan(folds.p)
    assert "the variance is 0" in folds.remarks[0]


# fmt: off
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: PAIRED_TESTS["sign"]([0.5]),                     "a paired test requires at least two queries"),
    (lambda: PAIRED_TESTS["t"]([]),                           "a paired test requires at least two queries"),
    (lambda: PAIRED_TESTS["t"]([[NAN, 1.0], [1.0, 2.0]]),     "1 of 4 values are NaN"),
    (lambda: PAIRED_TESTS["t"]([1, 2], "greatr"),             "did you mean greater"),  # type: ignore[arg-type]
    (lambda: PAIRED_TESTS["bootstrap"]([1, 2], resamples=0),  "expected at least 1 resample, found 0"),
    (lambda: corrected_resampled_t([0.5], 9, 1),              "requires at least two queries"),
    (lambda: corrected_resampled_t([0.5, 1], 0, 1),           "expected sizes above 0"),
]
# fmt: on


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_bad_input_gets_a_clear_word(call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        call()


def test_every_test_describes_itself_and_two_owe_a_caution() -> None:
    assert PAIRED_TESTS.names == ["t", "randomisation", "bootstrap", "wilcoxon", "sign"]
    assert all(
        test.name == name and len(test.summary) > 20 for name, test in ((each.name, each) for each in PAIRED_TESTS)
    )
    assert [test.name for test in PAIRED_TESTS if test.owes] == ["wilcoxon", "sign"]


# How often they reject -------------------------------------------------------------------------------------------

TRIALS = 2_000
ALPHA = 0.05
WITHIN_ERROR = 3 * math.sqrt(ALPHA * (1 - ALPHA) / TRIALS)

NULLS: dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]] = {
    "normal": lambda rng, shape: rng.normal(0, 0.1, shape),
    "two APs": lambda rng, shape: rng.beta(1, 2, shape) - rng.beta(1, 2, shape),
    "long tails": lambda rng, shape: rng.laplace(0, 0.1, shape),
    "two P@10s": lambda rng, shape: (rng.binomial(10, 0.4, shape) - rng.binomial(10, 0.4, shape)) / 10,
}
"""Differences that lie symmetrically about 0."""


def rejections(name: str, differences: FloatArray) -> float:
    """The share of columns that a test finds significant."""
    return float((PAIRED_TESTS[name](differences, resamples=1_999).p <= ALPHA).mean())


def skewed(queries: int) -> FloatArray:
    """Many queries lose a little, few gain much; the mean is 0."""
    return np.random.default_rng(5).exponential(1.0, (queries, TRIALS)) - 1.0


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("name", ["t", "randomisation", "bootstrap"])
def test_t_and_randomisation_reject_as_often_as_they_say(name: str, null: str) -> None:
    differences = NULLS[null](np.random.default_rng(5), (50, TRIALS))
    assert rejections(name, differences) == pytest.approx(ALPHA, abs=WITHIN_ERROR)


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(("name", "queries"), [("sign", 50), ("wilcoxon", 20), ("randomisation", 8)])
def test_discrete_tests_reject_no_more_often(name: str, queries: int, null: str) -> None:
    differences = NULLS[null](np.random.default_rng(5), (queries, TRIALS))
    assert rejections(name, differences[:, :1_000]) <= ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / 1_000)


@pytest.mark.parametrize("name", ["wilcoxon", "sign"])
def test_wilcoxon_and_sign_reject_equal_means_of_skewed_differences(name: str) -> None:
    few, many = (rejections(name, skewed(queries)[:, :400]) for queries in (50, 200))
    assert 0.12 < few < many
    assert many > 0.5


def test_t_keeps_its_level_where_they_do_not() -> None:
    assert rejections("t", skewed(200)) < 0.075
    assert rejections("randomisation", skewed(200)) < 0.075
