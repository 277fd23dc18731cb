"""Power: published sample sizes, statsmodels, a simulation, and that both questions answer each other."""

from __future__ import annotations

import warnings
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from germane.errors import GermaneError
from germane.stats.significance.outcomes import Sides
from germane.stats.significance.power import power_of_t, queries_needed, smallest_difference

# fmt: off
PUBLISHED = [
    # d    alpha  power  sides      queries   as G*Power has it for the paired t test
    (.2,   .05,   .80,   "two",     199),
    (.5,   .05,   .80,   "two",     34),
    (.8,   .05,   .80,   "two",     15),
    (.5,   .05,   .95,   "two",     54),
    (.5,   .05,   .80,   "greater", 27),
    (.5,   .05,   .80,   "less",    27),
]
# fmt: on


@pytest.mark.parametrize(("d", "alpha", "power", "sides", "expected"), PUBLISHED)
def test_published_sample_sizes(d: float, alpha: float, power: float, sides: Sides, expected: int) -> None:
    assert queries_needed(d, 1, alpha, power=power, sides=sides) == expected
    assert queries_needed(-d * 0.07, 0.07, alpha, power=power, sides=sides) == expected, "in any unit, either sign"


# Fewer queries on two sides are beyond statsmodels: it gives NaN for the tail on the wrong side.
@pytest.mark.parametrize(
    ("n", "sides"), [(8, "two"), (50, "two"), (1000, "two"), (2, "greater"), (5, "greater"), (50, "greater")]
)
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 136])
def test_smallest_difference_equals_that_of_statsmodels(n: int, alpha: float, sides: Sides) -> None:
    from statsmodels.stats.power import TTestPower

    theirs = {"two": "two-sided", "greater": "larger"}[sides]
    ours = smallest_difference(n, 1, alpha, sides=sides)
    assert TTestPower().power(ours, n, alpha, alternative=theirs) == pytest.approx(0.8, abs=1e-8)


# fmt: off
ORACLE = [(n, d, alpha) for n in (2, 3, 5, 12, 50, 1000, 100_000) for d in (0.0, 0.01, 0.1, 0.5, 1, 5)
          for alpha in (.05, .01, .05 / 136, 1e-8)]
# fmt: on


@pytest.mark.parametrize("sides", ["two", "greater"])
def test_power_equals_that_of_scipys_noncentral_t(sides: Sides) -> None:
    for n, d, alpha in ORACLE:
        critical = stats.t.isf(alpha / 2 if sides == "two" else alpha, n - 1)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the series of the tail on the wrong side may not converge
            wrong = stats.nct.cdf(-critical, n - 1, d * n**0.5) if sides == "two" else 0
            expected = stats.nct.sf(critical, n - 1, d * n**0.5) + np.nan_to_num(wrong)
        assert power_of_t(n, d, alpha, sides=sides) == pytest.approx(expected, abs=1e-14), (n, d, alpha)


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 136])
@pytest.mark.parametrize("n", [3, 12, 50, 1000, 100_000])
def test_smallest_difference_is_the_root_that_scipy_finds(n: int, alpha: float) -> None:
    found = smallest_difference(n, 1, alpha)
    root = optimize.brentq(lambda d: power_of_t(n, d, alpha) - 0.8, found / 2, 1.5 * found, xtol=1e-15, rtol=1e-14)
    assert found == pytest.approx(root, rel=1e-11)


def test_power_is_how_often_the_t_test_finds_it() -> None:
    D = np.random.default_rng(1).normal(0.7, 1, size=(20_000, 12))
    found = np.mean(stats.ttest_1samp(D, 0, axis=1).pvalue <= 0.05)
    assert power_of_t(12, 0.7) == pytest.approx(found, abs=3 * 0.0035)  # the standard error of the share


def test_without_a_difference_power_is_alpha() -> None:
    assert power_of_t(20, 0.0, 0.03) == pytest.approx(0.03)
    assert power_of_t(20, 0.0, 0.03, sides="greater") == pytest.approx(0.03)


@settings(max_examples=25, deadline=None)
@given(st.integers(3, 3000), st.sampled_from([0.05, 0.01, 0.001]), st.floats(0.001, 10))
def test_the_two_questions_answer_each_other(n: int, alpha: float, sd: float) -> None:
    smallest = smallest_difference(n, sd, alpha)
    assert queries_needed(smallest * (1 + 1e-7), sd, alpha) == n
    assert smallest_difference(n + 1, sd, alpha) < smallest
    assert smallest_difference(n, sd, alpha / 2) > smallest


def test_what_is_out_of_reach() -> None:
    assert queries_needed(1e-9, 1) is None
    assert queries_needed(0.1, 0) is None
    assert isnan(smallest_difference(10, 0))
    assert queries_needed(1000, 1) == 2
    # Two queries at the alpha of ten thousand tests: a number or none, and no warning.
    hopeless = smallest_difference(2, 1, 0.05 / 10_000)
    assert isnan(hopeless) or hopeless > 10_000


@pytest.mark.parametrize(
    ("n", "sd", "alpha", "power", "word"),
    [
        (1, 1, 0.05, 0.8, "expected at least two queries, found 1"),
        (10, -1, 0.05, 0.8, "standard deviation"),
        (10, float("nan"), 0.05, 0.8, "standard deviation"),
        (10, 1, 0, 0.8, "alpha"),
        (10, 1, 0.05, 0.04, "alpha < power"),
        (10, 1, 0.05, 1, "power"),
    ],
)
def test_what_cannot_be_asked(n: int, sd: float, alpha: float, power: float, word: str) -> None:
    with pytest.raises(GermaneError, match=word):
        smallest_difference(n, sd, alpha, power=power)


def test_a_difference_of_nothing_cannot_be_found() -> None:
    for nothing in (0.0, float("nan"), float("inf")):
        with pytest.raises(GermaneError, match="smallest one that matters"):
            queries_needed(nothing, 1)
    with pytest.raises(GermaneError, match="did you mean two"):
        queries_needed(1, 1, sides="twoo")  # type: ignore[arg-type]
