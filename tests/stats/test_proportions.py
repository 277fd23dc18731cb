"""Intervals of proportions: published examples, equal to statsmodels and scipy, covering as they say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import odds_ratio
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from germane.errors import GermaneError
from germane.stats.intervals.proportions import (
    PROPORTION_INTERVALS,
    Ends,
    clopper_pearson,
    exact_odds_ratio,
    log_odds_ratio,
    log_ratio,
    mercaldo,
    mover_ratio,
    newcombe_difference,
    newcombe_paired,
    wilson,
)
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells

# fmt: off
BY_HAND = [
    # method            x    n     low      high     why
    ("wilson",          81,  263,  .2553,   .3662,   "Newcombe 1998, table I"),
    ("wilson",          15,  148,  .0624,   .1605,   "Newcombe 1998, table I"),
    ("wilson",          0,   20,   0,       .1611,   "Newcombe 1998, table I"),
    ("wilson",          1,   29,   .0061,   .1718,   "Newcombe 1998, table I"),
    ("clopper-pearson", 81,  263,  .2527,   .3676,   "Newcombe 1998, table I"),
    ("clopper-pearson", 0,   20,   0,       .1684,   "Newcombe 1998, table I"),
    ("clopper-pearson", 10,  10,   .6915,   1,       ".025^(1/10)"),
    ("wilson",          10,  10,   .7225,   1,       "10/(10 + 1.96²)"),
    ("wilson",          0,   0,    math.nan, math.nan, "a proportion of nothing"),
    ("clopper-pearson", 0,   0,    math.nan, math.nan, "a proportion of nothing"),
]
DIFFERENCES = [
    # first      second     low      high      why
    ((56, 70),   (48, 80),  .0524,   .3339,    "Newcombe 1998, table II"),
    ((9, 10),    (3, 10),   .1705,   .8090,    "Newcombe 1998, table II"),
    ((10, 10),   (0, 10),   .6075,   1,        "Newcombe 1998, table II"),
    ((0, 0),     (3, 10),   math.nan, math.nan, "a proportion of nothing"),
]
PAIRED = [
    # both, only a, only b, neither    low      high     why
    ((36, 12, 2, 0),                   .0569,   .3404,   "Newcombe 1998 (paired): φ is negative"),
    ((14, 5, 0, 22),                   .0115, .2265, "φ = (14·22 − 41/2) / √(19·22·14·27)"),
    ((0, 0, 0, 0),                     math.nan, math.nan, "no items"),
]
# fmt: on


@pytest.mark.parametrize(("method", "x", "n", "low", "high", "why"), BY_HAND)
def test_proportions_by_hand(method: str, x: int, n: int, low: float, high: float, why: str) -> None:
    assert PROPORTION_INTERVALS[method](x, n) == pytest.approx((low, high), abs=6e-5, nan_ok=True), why


@pytest.mark.parametrize(("first", "second", "low", "high", "why"), DIFFERENCES)
def test_differences_by_hand(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float, why: str
) -> None:
    assert newcombe_difference(first, second) == pytest.approx((low, high), abs=6e-5, nan_ok=True), why


@pytest.mark.parametrize(("counts", "low", "high", "why"), PAIRED)
def test_paired_differences_by_hand(counts: tuple[int, ...], low: float, high: float, why: str) -> None:
    assert newcombe_paired(*counts) == pytest.approx((low, high), abs=6e-5, nan_ok=True), why


def test_a_phi_that_may_be_chance_counts_as_none() -> None:
    """2·3 − 2·2 is less than 9/2: the two proportions are taken as independent."""
    np.testing.assert_allclose(newcombe_paired(2, 2, 2, 3), newcombe_difference((4, 9), (4, 9)))


# Equal to others -------------------------------------------------------------------------------------------------

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.99])


@settings(max_examples=40)
@given(counts=COUNTS, level=LEVELS)
def test_proportions_are_those_of_statsmodels_and_scipy(counts: tuple[int, int], level: float) -> None:
    x, n = counts
    by_scipy = stats.binomtest(x, n)
    for method, theirs, scipys in (
        ("wilson", "wilson", by_scipy.proportion_ci(level, "wilson")),
        ("clopper-pearson", "beta", by_scipy.proportion_ci(level, "exact")),
    ):
        ours = PROPORTION_INTERVALS[method](x, n, level)
        assert ours == pytest.approx(proportion_confint(x, n, 1 - level, method=theirs), abs=1e-10)
        # scipy solves for the exact ends to about six digits
        assert ours == pytest.approx(tuple(scipys), abs=1e-6)


@settings(max_examples=40)
@given(first=COUNTS, second=COUNTS, level=LEVELS)
def test_differences_are_those_of_statsmodels(first: tuple[int, int], second: tuple[int, int], level: float) -> None:
    theirs = confint_proportions_2indep(*first, *second, compare="diff", method="newcomb", alpha=1 - level)
    assert newcombe_difference(first, second, level) == pytest.approx(theirs, abs=1e-10)


@settings(max_examples=40)
@given(cells=st.tuples(*[st.integers(1, 50)] * 4), level=LEVELS)
def test_ratios_are_those_of_statsmodels(cells: tuple[int, ...], level: float) -> None:
    tp, fp, fn, tn = cells
    table = Table2x2([[tp, fn], [fp, tn]])
    odds = log_odds_ratio(Cells(*cells), level)
    assert (odds.low, odds.high) == pytest.approx(table.oddsratio_confint(1 - level), rel=1e-9)
    risk = log_ratio((tp, tp + fn), (fp, fp + tn), level)
    assert (risk.low, risk.high) == pytest.approx(table.riskratio_confint(1 - level), rel=1e-9)


@settings(max_examples=40)
@given(cells=st.tuples(*[st.integers(1, 50)] * 4), prevalence=st.floats(0.001, 0.999))
def test_mercaldo_is_its_published_formula(cells: tuple[int, ...], prevalence: float) -> None:
    tp, fp, fn, tn = cells
    m, n = tp + fn, fp + tn
    sensitivity, specificity = tp / m, tn / n
    ppv = sensitivity * prevalence / (sensitivity * prevalence + (1 - specificity) * (1 - prevalence))
    npv = specificity * (1 - prevalence) / (specificity * (1 - prevalence) + (1 - sensitivity) * prevalence)
    of_ppv = (1 - sensitivity) / sensitivity / m + specificity / (1 - specificity) / n
    of_npv = sensitivity / (1 - sensitivity) / m + (1 - specificity) / specificity / n
    for name, value, variance in (("PPV", ppv, of_ppv), ("NPV", npv, of_npv)):
        half = 1.959963984540054 * math.sqrt(variance)
        low, high = (1 / (1 + math.exp(-(math.log(value / (1 - value)) + side * half))) for side in (-1, 1))
        found = mercaldo(Cells(*cells), prevalence, name)  # type: ignore[arg-type]
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


# Laws ------------------------------------------------------------------------------------------------------------


def wald(x: FloatArray, n: FloatArray, level: float) -> Ends:
    p = x / n
    half = 1.96 * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def coverage(interval: Callable[[FloatArray, FloatArray, float], Ends], p: float, n: int) -> float:
    """How often the interval of n trials holds p: summed over all outcomes, not simulated."""
    x = np.arange(n + 1.0)
    low, high = interval(x, np.full(n + 1, float(n)), 0.95)
    return float(stats.binom.pmf(x, n, p)[(low <= p) & (p <= high)].sum())


@pytest.mark.parametrize("n", [5, 20, 100])
def test_clopper_pearson_always_covers(n: int) -> None:
    assert min(coverage(clopper_pearson, p, n) for p in np.linspace(0.001, 0.999, 199)) >= 0.95


@pytest.mark.parametrize("n", [20, 100])
def test_wilson_covers_on_average(n: int) -> None:
    assert np.mean([coverage(wilson, p, n) for p in np.linspace(0.02, 0.98, 97)]) == pytest.approx(0.95, abs=0.01)


def test_coverage_catches_walds_interval() -> None:
    assert np.mean([coverage(wald, p, 20) for p in np.linspace(0.02, 0.98, 97)]) < 0.9


@pytest.mark.parametrize("method", PROPORTION_INTERVALS.names)
@settings(max_examples=40)
@given(counts=COUNTS)
def test_failures_mirror_successes(method: str, counts: tuple[int, int]) -> None:
    x, n = counts
    low, high = PROPORTION_INTERVALS[method](x, n)
    mirrored = PROPORTION_INTERVALS[method](n - x, n)
    np.testing.assert_allclose((1 - high, 1 - low), mirrored, atol=1e-9)
    assert 0 <= low <= x / n <= high <= 1


@settings(max_examples=40)
@given(counts=st.tuples(*[st.integers(0, 20)] * 4))
def test_swapping_the_classifiers_swaps_the_ends(counts: tuple[int, ...]) -> None:
    both, only_a, only_b, neither = counts
    low, high = newcombe_paired(*counts)
    swapped = newcombe_paired(both, only_b, only_a, neither)
    np.testing.assert_allclose((-high, -low), swapped, atol=1e-12)
    assert not low > high


@settings(max_examples=40)
@given(cells=st.tuples(*[st.integers(0, 5)] * 4))
def test_a_ratio_lies_in_its_interval_and_an_empty_cell_is_said(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = map(np.float64, cells)
    found = log_odds_ratio(Cells(*cells))
    with np.errstate(divide="ignore", invalid="ignore"):
        value = (tp * tn) / (fp * fn)
    assert np.isnan(value) or found.low <= value <= found.high
    assert bool(found.empty) == (min(cells) == 0 and not np.isnan(value))


@pytest.mark.parametrize(
    "cells", [(8, 0, 2, 10), (0, 3, 5, 4), (3, 2, 5, 0), (3, 2, 0, 7), (8, 0, 0, 10), (0, 4, 3, 0)]
)
def test_an_odds_ratio_with_an_empty_cell_has_the_ends_of_fishers_test(cells: tuple[int, ...]) -> None:
    tp, fp, fn, tn = cells
    theirs = odds_ratio([[tp, fp], [fn, tn]]).confidence_interval(0.95)
    assert exact_odds_ratio(Cells(*cells)) == pytest.approx((theirs.low, theirs.high), rel=1e-6)


def test_an_odds_ratio_of_millions_takes_no_time() -> None:
    low, high = exact_odds_ratio(Cells(10**6, 0, 5, 10**6))
    assert low > 1e10
    assert high == math.inf


@settings(max_examples=60)
@given(first=st.tuples(st.integers(0, 9), st.integers(1, 9)), second=st.tuples(st.integers(0, 9), st.integers(1, 9)))
def test_a_ratio_of_proportions_lies_in_its_interval(first: tuple[int, int], second: tuple[int, int]) -> None:
    (x1, more1), (x2, more2) = first, second
    n1, n2 = x1 + more1 - 1, x2 + more2 - 1  # n may equal x
    if not n1 or not n2 or not (x1 or x2):
        return
    low, high = (float(end) for end in mover_ratio((x1, n1), (x2, n2)))
    value = (x1 / n1) / (x2 / n2) if x2 else math.inf
    assert low <= value * (1 + 1e-12)
    assert value <= high * (1 + 1e-12)
    back = [float(end) for end in mover_ratio((x2, n2), (x1, n1))]
    assert (low, high) == pytest.approx((1 / back[1] if back[1] else math.inf, 1 / back[0] if back[0] else math.inf))


def test_arrays_give_what_numbers_give() -> None:
    x, n = np.asarray([0, 3, 10]), np.asarray([5, 3, 40])
    for interval in PROPORTION_INTERVALS:
        low, high = interval(x, n)
        alone = [interval(a, b) for a, b in zip(x, n, strict=True)]
        assert low.tolist() == [float(end[0]) for end in alone]
        assert high.tolist() == [float(end[1]) for end in alone]


def test_every_interval_describes_itself() -> None:
    assert set(PROPORTION_INTERVALS.names) == {"wilson", "clopper-pearson"}
    assert all(
        len(entry.summary) > 20 and entry.name == name
        for name, entry in ((each.name, each) for each in PROPORTION_INTERVALS)
    )
    assert "Reference:" in (wilson.__doc__ or "")


def test_bad_input_gets_a_clear_word() -> None:
    with pytest.raises(GermaneError, match="found 4 of 3"):
        wilson(4, 3)
    with pytest.raises(GermaneError, match="between 0 and 1"):
        wilson(1, 3, 95)
    with pytest.raises(GermaneError, match="did you mean wilson"):
        PROPORTION_INTERVALS["wilsen"]
