"""Probabilities: log-loss, Brier and its parts, calibration; by hand, then scikit-learn's numbers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.isotonic import IsotonicRegression

from germane.errors import MeasureError
from germane.measures.decisions.scores import calibration
from germane.measures.decisions.scores.calibration import (
    Binning,
    binned_brier_parts,
    calibration_bins,
    calibration_curve,
    discrimination,
    expected_calibration_error,
    isotonic_brier_parts,
    maximum_calibration_error,
    miscalibration,
)
from germane.measures.decisions.scores.isotonic import isotonic_fit
from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier, log_loss
from germane.tables.decisions.decisions import Decisions
from tests.measures.decisions.made_decisions import Sample, samples


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def test_by_hand() -> None:
    seen = Decisions.of([True, True, False, True], [0.9, 0.5, 0.5, 0.1])
    assert brier(seen) == pytest.approx((0.01 + 0.25 + 0.25 + 0.81) / 4)
    assert log_loss(seen) == pytest.approx(-(math.log(0.9) + 2 * math.log(0.5) + math.log(0.1)) / 4)
    # PAV: .9 → 1; the half of .5 and the 1 of .1 are the wrong way round and give 2/3.
    fit = isotonic_fit(seen)
    assert fit.share[fit.block].tolist() == pytest.approx([1, 2 / 3, 2 / 3])
    parts = isotonic_brier_parts(seen)
    recalibrated = 3 * (1 / 3) * (2 / 3) / 4
    assert parts.miscalibration == pytest.approx(brier(seen) - recalibrated)
    assert parts.discrimination == pytest.approx(3 / 16 - recalibrated)
    assert parts.uncertainty == 3 / 16


def test_certainty_that_is_wrong_costs_everything_and_nothing_is_clipped_in_silence() -> None:
    wrong = Decisions.of([True, False], [0.0, 0.0])
    assert log_loss(wrong) == math.inf
    assert log_loss(wrong, clip=np.finfo(float).eps) == pytest.approx(metrics.log_loss([1, 0], [0.0, 0.0]))
    right = Decisions.of([True, False], [1.0, 0.0])
    assert log_loss(right) == 0
    assert math.copysign(1, log_loss(right)) == 1
    with pytest.raises(MeasureError, match="clip"):
        log_loss(right, clip=0.5)


@settings(max_examples=30)
@given(sample=samples(least_weight=0).filter(lambda s: any(s.weight)))
def test_equal_to_scikit_learn(sample: Sample) -> None:
    truth, score, weight = sample.arrays
    seen = sample.decisions()
    assert brier(seen) == close(np.average((score - truth) ** 2, weights=weight))
    theirs = metrics.log_loss(truth, score, sample_weight=weight, labels=[False, True])
    assert log_loss(seen, clip=np.finfo(float).eps) == close(theirs)
    kept = weight > 0
    truth, score, weight = truth[kept], score[kept], weight[kept]
    fitted = IsotonicRegression().fit(score, truth.astype(float), sample_weight=weight).predict(score)
    fit = isotonic_fit(seen)
    ours = dict(zip(seen.thresholds.tolist(), fit.share[fit.block].tolist(), strict=True))
    assert [ours[s] for s in score.tolist()] == close(fitted.tolist())
    n, base = weight.sum(), np.average(truth, weights=weight)
    parts = isotonic_brier_parts(seen)
    recalibrated = float((weight * (fitted - truth) ** 2).sum() / n)
    assert miscalibration(seen) == close(brier(seen) - recalibrated)
    assert discrimination(seen) == close(base * (1 - base) - recalibrated)
    assert parts.total == close(brier(seen))


@settings(max_examples=30)
@given(sample=samples(), bins=st.integers(1, 6), binning=st.sampled_from(["equal mass", "equal width"]))
def test_bins_by_their_definition(sample: Sample, bins: int, binning: Binning) -> None:
    truth, score, weight = sample.arrays
    seen = sample.decisions()
    if binning == "equal width":
        place = np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], score)
    else:  # where the middle of all that share a probability falls
        above = np.asarray([weight[score > s].sum() for s in score])
        place = (2 * above + [weight[score == s].sum() for s in score]) * bins // (2 * weight.sum())
    held = [place == b for b in sorted(set(place.tolist()))]
    gaps = [abs(np.average(score[h], weights=weight[h]) - np.average(truth[h], weights=weight[h])) for h in held]
    shares = [weight[h].sum() / weight.sum() for h in held]
    assert expected_calibration_error(seen, bins=bins, binning=binning) == close(np.dot(gaps, shares))
    assert maximum_calibration_error(seen, bins=bins, binning=binning) == close(max(gaps))
    parts = binned_brier_parts(seen, bins=bins, binning=binning)
    assert parts.miscalibration == close(np.dot(np.square(gaps), shares))
    assert parts.total == close(brier(seen))


def test_bins_of_equal_mass_hold_equally_many() -> None:
    score = np.linspace(0, 1, 1000)
    held = calibration_bins(Decisions.of(score > 0.5, score), bins=10)
    assert held.count.tolist() == [100] * 10


# K classes -------------------------------------------------------------------------------------------------------


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    n, classes = draw(st.integers(1, 8)), draw(st.integers(2, 4))
    raw = np.asarray(draw(st.lists(st.integers(1, 9), min_size=n * classes, max_size=n * classes)), dtype=float)
    raw = raw.reshape(n, classes)
    codes = draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n))
    weight = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return raw / raw.sum(axis=1, keepdims=True), codes, weight


@settings(max_examples=30)
@given(made=tables())
def test_tables_are_scored_as_scikit_learn_does(made: tuple[Any, Any, Any]) -> None:
    table, codes, weight = made
    claims = ProbabilityTable.of(table, codes, weight)
    labels = list(range(table.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = metrics.log_loss(codes, table, sample_weight=weight, labels=labels)
    assert log_loss(claims) == close(theirs)
    happened = np.eye(table.shape[1])[codes]
    assert brier(claims) == close(np.average(((table - happened) ** 2).sum(axis=1), weights=weight))
    if table.shape[1] == 2:
        seen = Decisions.of(np.asarray(codes) == 1, table[:, 1], weight)
        assert brier(claims) == close(2 * brier(seen))
        assert log_loss(claims) == close(log_loss(seen))


@pytest.mark.parametrize(
    ("table", "codes", "says"),
    [
        ([[0.5, 0.5], [1.2, -0.2]], [0, 1], r"row 2.*\[1.2, -0.2\]"),
        ([[0.5, math.nan]], [0], "row 1"),
        ([[0.5, 0.4]], [0], "sum to 1 in row 1, found a sum of 0.9"),
        ([[0.5, 0.5]], [2], "from 0 to 1 in row 1, found 2"),
        ([[0.5, 0.5]], [0, 1], "found 2"),
        ([0.5, 0.5], [0, 1], "shape"),
    ],
)
def test_bad_tables_are_refused(table: Any, codes: Any, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        ProbabilityTable.of(table, codes)


@pytest.mark.parametrize("weight", [[1, 2], [-1], [math.nan]])
def test_bad_weights_of_a_table_are_refused(weight: list[float]) -> None:
    with pytest.raises(MeasureError, match=r"expected 1 weights \(one per row of probabilities\), none negative"):
        ProbabilityTable.of([[0.5, 0.5]], [0], weight)


def test_rows_that_add_up_but_for_rounding_are_taken() -> None:
    assert log_loss(ProbabilityTable.of([[0.333333, 0.333333, 0.333333]], [0])) == pytest.approx(math.log(3), abs=1e-5)


@pytest.mark.parametrize("measure", [log_loss, brier, miscalibration, expected_calibration_error, calibration_curve])
@pytest.mark.parametrize("score", [-0.01, 1.01, math.inf])
def test_scores_that_are_no_probabilities_are_refused(measure: Any, score: float) -> None:
    with pytest.raises(MeasureError, match="between 0 and 1"):
        measure(Decisions.of([True, False], [score, 0.5]))


# The consistency band --------------------------------------------------------------------------------------------


def test_the_band_holds_true_claims_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    inside = []
    for _ in range(30):
        p = np.round(rng.random(300), 1)
        curve = calibration_curve(Decisions.of(rng.random(300) < p, p), level=0.8, resamples=200)
        inside.append(((curve.low <= curve.fitted) & (curve.fitted <= curve.high)).mean())
    assert 0.7 < np.mean(inside) < 0.95


def test_false_claims_leave_the_band_and_the_seed_decides() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(1500)
    seen = Decisions.of(rng.random(1500) < p**3, p)
    curve, again, other = (calibration_curve(seen, seed=seed, resamples=99) for seed in (1, 1, 2))
    assert (curve.fitted < curve.low).mean() > 0.3
    assert curve.low.tolist() == again.low.tolist()
    assert curve.low.tolist() != other.low.tolist()
    assert (np.diff(curve.claimed) > 0).all()
    assert (np.diff(curve.fitted) >= 0).all()
    assert np.isnan(calibration_curve(Decisions.of([True, False], [0.5, 0.4], [0.5, 1.5])).low).all()


def test_draws_are_binomial() -> None:
    u = (np.arange(999) + 0.5)[:, None] / 999
    n, p = np.asarray([1, 1, 5, 5, 40, 400, 7]), np.asarray([0, 0.3, 0.3, 1, 0.99, 0.5, 0.001])
    drawn = calibration._binomial(np.broadcast_to(u, (999, len(n))), n, p)
    np.testing.assert_array_equal(drawn, stats.binom.ppf(u, n, p))
