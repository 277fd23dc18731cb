"""Intervals of means: worked on paper, equal to scipy's, covering as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from germane.errors import GermaneError
from germane.stats.intervals import means as intervals
from germane.stats.intervals import resampling
from germane.stats.intervals.means import INTERVALS, mean_interval
from germane.stats.intervals.resampling import bootstrap_counts, label_splits, products, sign_flips
from germane.tables.columns.ids import FloatArray
from tests.stats.coverage import coverage

RNG = np.random.default_rng(7)
NORMAL = RNG.normal(0.4, 0.2, (30, 3))
SKEWED = RNG.beta(0.7, 1.9, (40, 4))
RESAMPLED = tuple(method for method in INTERVALS.names if method not in {"normal", "t"})

# fmt: off
BY_HAND = [
    # values             method         mean  half the width         why
    ([1, 2, 3],          "normal",      2,    1.959964 / 3**.5,      "s = 1, n = 3"),
    ([1, 2, 3],          "t",           2,    4.302653 / 3**.5,      "t of 2 degrees of freedom"),
    ([0, 0, 1, 1],       "t",           .5,   3.182446 / 12**.5,     "s² = 1/3, n = 4"),
    ([0, 1],             "percentile",  .5,   .5,                    "a quarter of all resamples at 0, one at 1"),
    ([0, 1],             "bca",         .5,   .5,                    "the same: no bias, no skew"),
    ([.3, .3, .3],       "t",           .3,   0,                     "no spread"),
    ([.3, .3, .3],       "studentised", .3,   0,                     "no spread"),
    ([.4 - .3, .5 - .4], "bca",         .1,   0,                     "equal up to rounding"),
]
# fmt: on


@pytest.mark.parametrize(("values", "method", "mean", "half", "why"), BY_HAND)
def test_by_hand(values: list[float], method: str, mean: float, half: float, why: str) -> None:
    interval = mean_interval(values, method)
    ends = [float(interval.low), float(interval.high)]
    assert ends == pytest.approx([mean - half, mean + half], rel=1e-6, abs=1e-12), why


def test_studentised_by_hand() -> None:
    """Of the 27 ways to draw 3 of (0, 0, 1), 8 draw only 0 and 1 only 1: t* is −∞ in 30 % and +∞ in 4 % of them.

    So both 2.5 % tails are infinite and neither end is known. At level .5 the quarter below still is, and the one above
    is the t* of drawing 1 twice (6 of 27), 0 being drawn once: m* = ⅔, s* = √⅓, t* = ⅓/(√⅓/√3) = 1.
    """
    interval = mean_interval([0, 0, 1], "studentised")
    assert np.isnan([interval.low, interval.high]).all()
    half = mean_interval([0, 0, 1], "studentised", 0.5)
    assert float(half.low) == pytest.approx(1 / 3 - 1 * math.sqrt(1 / 3) / math.sqrt(3))
    assert np.isnan(half.high)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("values", [NORMAL, SKEWED], ids=["normal", "skewed"])
def test_closed_forms_are_those_of_scipy(values: FloatArray, level: float) -> None:
    mean, error = values.mean(axis=0), stats.sem(values, axis=0)
    for method, distribution in (("t", stats.t(len(values) - 1)), ("normal", stats.norm())):
        low, high = (mean + distribution.ppf((1 + side * level) / 2) * error for side in (-1, 1))
        interval = mean_interval(values, method, level)
        np.testing.assert_allclose(interval.low, low, rtol=1e-12)
        np.testing.assert_allclose(interval.high, high, rtol=1e-12)


@pytest.mark.parametrize(("method", "scipys"), [("percentile", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("values", [NORMAL, SKEWED, np.round(SKEWED, 1)], ids=["normal", "skewed", "tied"])
def test_bootstraps_are_those_of_scipy_but_for_chance(values: FloatArray, method: str, scipys: str) -> None:
    ours = mean_interval(values, method, resamples=40_000, seed=1)
    found = stats.bootstrap((values,), np.mean, n_resamples=40_000, method=scipys, axis=0, rng=2)  # type: ignore[call-overload]
    theirs = found.confidence_interval
    for our_end, their_end in ((ours.low, theirs.low), (ours.high, theirs.high)):
        # So many resamples know an end to about .014 standard errors.
        np.testing.assert_allclose((our_end - their_end) / stats.sem(values, axis=0), 0, atol=0.08)


def test_the_closed_form_of_the_acceleration_is_the_jackknife() -> None:
    values = SKEWED[:, 0]
    left_out = np.asarray([np.delete(values, i).mean() for i in range(len(values))])
    moved = left_out.mean() - left_out
    jackknife = (moved**3).sum() / (6 * (moved**2).sum() ** 1.5)
    deviations = values - values.mean()
    assert (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5) == pytest.approx(jackknife)


def test_studentised_follows_the_skew() -> None:
    """A long upper tail hides its largest values from most samples: the mean may well be higher than it seems."""
    interval = mean_interval(SKEWED, "studentised")
    mean = SKEWED.mean(axis=0)
    assert (interval.high - mean > mean - interval.low).all()


# Laws ------------------------------------------------------------------------------------------------------------

SAMPLES = arrays(np.float64, st.integers(3, 12), elements=st.integers(-50, 50).map(lambda i: i / 10))


@pytest.mark.parametrize("method", INTERVALS.names)
@given(sample=SAMPLES, shift=st.integers(-30, 30), scale=st.sampled_from([0.25, 2.0, 10.0]))
def test_intervals_move_and_stretch_with_the_values(method: str, sample: FloatArray, shift: int, scale: float) -> None:
    plain = mean_interval(sample, method, resamples=99)
    moved = mean_interval(scale * sample + shift, method, resamples=99)
    np.testing.assert_allclose(moved.low, scale * plain.low + shift, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(moved.high, scale * plain.high + shift, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", INTERVALS.names)
@given(sample=SAMPLES)
def test_ends_are_in_order_and_negated_values_swap_them(method: str, sample: FloatArray) -> None:
    plain, negated = (mean_interval(sign * sample, method, resamples=99) for sign in (1, -1))
    assert not plain.low > plain.high
    np.testing.assert_allclose([negated.low, negated.high], [-plain.high, -plain.low], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("method", INTERVALS.names)
def test_a_column_gives_the_same_alone_and_among_others(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = mean_interval(SKEWED, method, resamples=999)
    monkeypatch.setattr(intervals, "HELD", 2_000)  # two columns at a time
    monkeypatch.setattr(resampling, "BLOCK", 500)
    monkeypatch.setattr(resampling, "LARGEST_BLOCK", 500)
    in_groups = mean_interval(SKEWED, method, resamples=999)
    alone = [mean_interval(column, method, resamples=999) for column in SKEWED.T]
    np.testing.assert_allclose(in_groups.low, together.low, rtol=1e-12)
    np.testing.assert_allclose([each.high for each in alone], together.high, rtol=1e-12)
    assert alone[0].low.shape == ()


@pytest.mark.parametrize("method", RESAMPLED)
def test_the_seed_decides(method: str) -> None:
    first, again, other = (mean_interval(SKEWED, method, resamples=500, seed=seed) for seed in (1, 1, 2))
    assert first.low.tolist() == again.low.tolist()
    assert first.low.tolist() != other.low.tolist()


# The draws -------------------------------------------------------------------------------------------------------


def test_draws_are_the_same_on_every_machine() -> None:
    (counts,) = bootstrap_counts(5, 2, seed=42)
    (signs,) = (block[:2] for block in sign_flips(21, 3, seed=42))
    assert counts.astype(int).tolist() == [[1, 0, 2, 2, 0], [2, 1, 1, 1, 0]]
    assert "".join("+" if sign > 0 else "-" for sign in signs[0]) == "+++-+++-+--++-++-++--"


def test_each_query_is_drawn_as_often_as_any_other() -> None:
    counts = np.concatenate(list(bootstrap_counts(7, 20_000, seed=0)))
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=4 * math.sqrt(6 / 7 / 20_000))
    np.testing.assert_allclose(counts.var(axis=0), 6 / 7, rtol=0.05)


@pytest.mark.parametrize("n", [21, 64, 65, 130])
def test_random_signs_are_fair_and_independent(n: int) -> None:
    signs = np.concatenate(list(sign_flips(n, 5_000, seed=n)))
    correlation = signs.T @ signs / 5_000
    assert np.abs(correlation - np.eye(n)).max() < 5.5 / math.sqrt(5_000)
    assert np.abs(signs.mean(axis=0)).max() < 4.5 / math.sqrt(5_000)


def test_all_flips_and_all_splits_come_once() -> None:
    for rows, expected in (
        (np.concatenate(list(sign_flips(11, 5, seed=0, columns=1_000))), 2**10),
        (np.concatenate(list(label_splits(3, 9, 84, seed=0, columns=40_000))), 84),
    ):
        assert len(np.unique(rows, axis=0)) == len(rows) == expected


def test_random_splits_choose_as_many_as_were_treated() -> None:
    marks = np.concatenate(list(label_splits(4, 12, 494, seed=0)))  # one less than there are ways
    assert marks.shape == (494, 12)
    assert (marks.sum(axis=1) == 4).all()
    assert len(np.unique(marks, axis=0)) > 250


@pytest.mark.parametrize(("n", "width", "draws"), [(1, 1, 1), (5, 3, 31), (300, 90, 70), (600, 2, 32)])
def test_tiles_add_up_to_the_product(n: int, width: int, draws: int) -> None:
    columns, rows = RNG.normal(size=(n, width)), RNG.normal(size=(draws, n))
    np.testing.assert_allclose(products(columns, rows), columns.T @ rows.T, rtol=1e-9, atol=1e-9)


# Bad input -------------------------------------------------------------------------------------------------------

# fmt: off
REFUSED = [
    # values             arguments            message
    ([0.5],              {},                  "an interval requires at least two queries"),
    ([],                 {},                  "an interval requires at least two queries"),
    ([0.5, float("nan")], {},                 "1 of 2 values are NaN or infinite"),
    (np.zeros((2, 2, 2)), {},                 "expected an array with 1 or 2 axes, found 3"),
    ([0, 1],             {"method": "bcaa"},  "did you mean bca"),
    ([0, 1],             {"level": 95},       "expected a level between 0 and 1, found 95"),
    ([0, 1], {"method": "bca", "resamples": 10}, "expected at least 40 resamples"),
]
# fmt: on


@pytest.mark.parametrize(("values", "arguments", "message"), REFUSED)
def test_bad_input_gets_a_clear_word(values: FloatArray, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        mean_interval(values, **arguments)  # type: ignore[arg-type]


def test_every_method_describes_itself() -> None:
    assert set(INTERVALS.names) == {"normal", "t", "percentile", "bca", "studentised"}
    assert all(
        method.name == name and len(method.summary) > 20 for name, method in ((each.name, each) for each in INTERVALS)
    )


# Coverage --------------------------------------------------------------------------------------------------------

TRIALS = 2_000
WITHIN_ERROR = 3 * math.sqrt(0.95 * 0.05 / TRIALS)


@pytest.mark.parametrize("queries", [25, 50])
@pytest.mark.parametrize("method", ["t", "studentised"])
def test_t_and_studentised_cover_normal_values_as_they_say(method: str, queries: int) -> None:
    assert coverage(method, "normal", queries, TRIALS, resamples=3_999) == pytest.approx(0.95, abs=WITHIN_ERROR)


@pytest.mark.parametrize("queries", [25, 50])
@pytest.mark.parametrize("population", ["normal", "difference of two APs", "AP, many small"])
@pytest.mark.parametrize("method", ["normal", "percentile", "bca"])
def test_the_others_cover_within_their_band(method: str, population: str, queries: int) -> None:
    assert 0.92 <= coverage(method, population, queries, TRIALS, resamples=1_999) <= 0.955


def test_coverage_catches_an_interval_that_is_too_narrow() -> None:
    """The normal interval for ten queries: 92 %, as the documentation's table has it."""
    assert coverage("normal", "normal", 10, TRIALS) < 0.95 - WITHIN_ERROR
