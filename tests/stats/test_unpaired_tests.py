"""Tests of two groups of queries: worked on paper, equal to scipy's, rejecting as often as they say."""

from __future__ import annotations

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
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.unpaired_tests import UNPAIRED_TESTS
from germane.tables.columns.ids import FloatArray

RNG = np.random.default_rng(13)
TREATMENT, CONTROL = RNG.normal(0.5, 0.2, (30, 3)), RNG.normal(0.45, 0.3, (45, 3))
SIDES: tuple[Sides, ...] = ("two", "greater", "less")
ALTERNATIVES: dict[Sides, Literal["two-sided", "greater", "less"]] = {
    "two": "two-sided",
    "greater": "greater",
    "less": "less",
}

# fmt: off
BY_HAND = [
    # test           treatment   control    sides      statistic           p            why
    ("welch",        [4, 5, 6],  [1, 2, 3], "two",     3 / (2 / 3)**.5,    0.0213117,   "v = 1/3 each, 4 d.f."),
    ("welch",        [4, 5, 6],  [1, 2, 3], "less",    3 / (2 / 3)**.5,    0.9893441,   "the other tail"),
    ("welch",        [1, 3],     [0, 0],    "two",     2,                  0.2951672,   "1 d.f.: one group varies"),
    ("permutation",  [4, 5, 6],  [1, 2, 3], "two",     3,                  2 / 20,      "456 or 123 of 20"),
    ("permutation",  [4, 5, 6],  [1, 2, 3], "greater", 3,                  1 / 20,      "456"),
    ("permutation",  [4, 5, 6],  [1, 2, 3], "less",    3,                  20 / 20,     "no split is above"),
    ("permutation",  [3, 4],     [1, 1, 1], "two",     2.5,                1 / 10,      "only 34; no pair is so low"),
    ("permutation",  [.3, .1],   [.2, .2],  "two",     0,                  6 / 6,       "0 up to rounding"),
    ("permutation",  [2, 2],     [1, 1],    "two",     1,                  2 / 6,       "no spread needed"),
]
# fmt: on


@pytest.mark.parametrize(("test", "treatment", "control", "sides", "statistic", "p", "why"), BY_HAND)
def test_by_hand(
    test: str, treatment: list[float], control: list[float], sides: Sides, statistic: float, p: float, why: str
) -> None:
    result = UNPAIRED_TESTS[test](treatment, control, sides)
    assert float(result.statistic) == pytest.approx(statistic, abs=1e-12), why
    assert float(result.p) == pytest.approx(p, rel=1e-5), why
    assert result.remarks == ("",)


@pytest.mark.parametrize("sides", SIDES)
def test_welch_is_scipys(sides: Sides) -> None:
    ours = UNPAIRED_TESTS["welch"](TREATMENT, CONTROL, sides)
    theirs = stats.ttest_ind(TREATMENT, CONTROL, equal_var=False, alternative=ALTERNATIVES[sides])
    np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(ours.p, theirs.pvalue, rtol=1e-9)


def mean_difference(treatment: FloatArray, control: FloatArray, axis: int) -> FloatArray:
    return np.asarray(treatment.mean(axis=axis) - control.mean(axis=axis))


@pytest.mark.parametrize("sides", SIDES)
def test_few_queries_are_dealt_in_all_ways_as_by_scipy(sides: Sides) -> None:
    groups = (TREATMENT[:4], CONTROL[:7])
    size = (lambda t, c, axis: np.abs(mean_difference(t, c, axis))) if sides == "two" else mean_difference
    # scipy's own two-sided p doubles the smaller tail; ours, as the absolute difference has it, is its upper tail
    alternative = "less" if sides == "less" else "greater"
    theirs = stats.permutation_test(groups, size, n_resamples=10_000, alternative=alternative, axis=0)  # type: ignore[call-overload]
    np.testing.assert_allclose(UNPAIRED_TESTS["permutation"](*groups, sides).p, theirs.pvalue, rtol=1e-12)


def test_many_queries_are_drawn_and_the_data_count_as_one_draw() -> None:
    groups = (TREATMENT[:6], CONTROL[:7])
    exact, drawn = (UNPAIRED_TESTS["permutation"](*groups, resamples=draws).p for draws in (1_716, 1_715))
    np.testing.assert_allclose(exact * 1_716, np.round(exact * 1_716))
    np.testing.assert_allclose(drawn * 1_716, np.round(drawn * 1_716))  # (b + 1)/(B + 1)
    np.testing.assert_allclose(drawn, exact, atol=0.05)
    students = stats.ttest_ind(TREATMENT, CONTROL)  # which it approaches; Welch's allows for unequal spread
    np.testing.assert_allclose(UNPAIRED_TESTS["permutation"](TREATMENT, CONTROL).p, students.pvalue, atol=0.01)
    assert UNPAIRED_TESTS["permutation"](TREATMENT + 9, CONTROL, resamples=999).p.tolist() == [1 / 1_000] * 3


# Laws ------------------------------------------------------------------------------------------------------------

SAMPLES = arrays(np.float64, st.integers(2, 6), elements=st.integers(-30, 30).map(lambda i: i / 10))
SWAPPED: dict[Sides, Sides] = {"two": "two", "greater": "less", "less": "greater"}


@pytest.mark.parametrize("name", UNPAIRED_TESTS.names)
@given(treatment=SAMPLES, control=SAMPLES, sides=st.sampled_from(SIDES))
def test_neither_unit_nor_zero_matters_and_swapped_groups_swap_the_sides(
    name: str, treatment: FloatArray, control: FloatArray, sides: Sides
) -> None:
    test = UNPAIRED_TESTS[name]
    p = test(treatment, control, sides).p
    np.testing.assert_allclose(test(3 * treatment + 1, 3 * control + 1, sides).p, p, rtol=1e-6)
    np.testing.assert_allclose(test(control, treatment, SWAPPED[sides]).p, p, rtol=1e-6)
    assert np.isnan(p) or 0 < p <= 1


# Bad input -------------------------------------------------------------------------------------------------------


def test_groups_that_are_all_alike_get_a_word() -> None:
    treatment, control = np.asarray([[1.0, 2.0, 1.0]] * 3), np.asarray([[1.0, 1.0, 1.0]] * 4)
    control[0, 2] = 2
    result = UNPAIRED_TESTS["welch"](treatment, control)
    assert result.p[0] == 1
    assert np.isnan(result.p[1])
    assert 0 < result.p[2] < 1
    assert result.remarks[0] == "no query differs"
    assert "the variance is 0" in result.remarks[1]
    assert result.remarks[2] == ""
    assert UNPAIRED_TESTS["permutation"](treatment, control).p.tolist() == pytest.approx(
        [1, 1 / 35, 1]
    )  # 35 ways to choose 3 of 7


# fmt: off
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: UNPAIRED_TESTS["welch"]([1], [1, 2]),                  "requires at least two queries"),
    (lambda: UNPAIRED_TESTS["welch"]([1, 2], []),                   "requires at least two queries"),
    (lambda: UNPAIRED_TESTS["welch"]([1, 2], [1, math.inf]),        "1 of 2 values are NaN or infinite"),
    (lambda: UNPAIRED_TESTS["welch"]([[1, 2]] * 2, [[1, 2, 3]] * 2), "found 2 in treatment and 3 in control"),
    (lambda: UNPAIRED_TESTS["permutation"]([1, 2], [1, 2], "both"), "choose from two, greater, less"),  # type: ignore[arg-type]
    (lambda: UNPAIRED_TESTS["permutation"]([1, 2], [1, 2], resamples=0), "expected at least 1 resample, found 0"),
]
# fmt: on


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_bad_input_gets_a_clear_word(call: Callable[[], object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        call()


def test_every_test_describes_itself() -> None:
    assert UNPAIRED_TESTS.names == ["welch", "permutation"]
    assert all(
        test.name == name and len(test.summary) > 20 for name, test in ((each.name, each) for each in UNPAIRED_TESTS)
    )


# How often they reject -------------------------------------------------------------------------------------------

TRIALS = 2_000
WITHIN_ERROR = 3 * math.sqrt(0.05 * 0.95 / TRIALS)


def rejections(name: str, sizes: tuple[int, int], spreads: tuple[float, float]) -> float:
    """The share of samples with equal means that a test finds significant; each is a column."""
    rng = np.random.default_rng(5)
    treatment, control = (rng.normal(0, spread, (size, TRIALS)) for size, spread in zip(sizes, spreads, strict=True))
    return float((UNPAIRED_TESTS[name](treatment, control, resamples=1_999).p <= 0.05).mean())


@pytest.mark.parametrize("name", UNPAIRED_TESTS.names)
def test_both_reject_as_often_as_they_say(name: str) -> None:
    assert rejections(name, (25, 40), (1, 1)) == pytest.approx(0.05, abs=WITHIN_ERROR)


def test_only_welch_does_if_the_smaller_group_varies_more() -> None:
    assert rejections("welch", (15, 60), (3, 1)) == pytest.approx(0.05, abs=WITHIN_ERROR)
    assert rejections("permutation", (15, 60), (3, 1)) > 0.1
