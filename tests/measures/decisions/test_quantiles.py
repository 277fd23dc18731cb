"""Pinball loss, Huber loss, and measures of predicted quantiles and intervals: by hand, and against other libraries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import huber
from sklearn.metrics import mean_pinball_loss

from germane.errors import MeasureError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.quantiles import (
    interval_coverage,
    interval_score,
    interval_width,
    pinball_loss,
    quantile_coverage,
)
from germane.measures.decisions.regression import huber_loss, losses

BY_HAND = [
    # measure                            true       lower or predicted  upper      expected     why
    ("pinball(quantile=0.9)",            [10, 20],  [12, 15],           None,      2.35,        "(0.1·2 + 0.9·5)/2"),
    ("pinball(quantile=0.1)",            [10, 20],  [12, 15],           None,      1.15,        "(0.9·2 + 0.1·5)/2"),
    ("pinball",                          [10, 20],  [12, 15],           None,      1.75,        "half of MAE = 3.5"),
    ("huber",                            [1, 2, 3], [1, 2.5, 6],        None,      2.625 / 3,   "0, 0.125, 3 − 0.5"),
    ("huber(delta=5)",                   [1, 2, 3], [1, 2.5, 6],        None,      4.625 / 3,   "0, 0.125, 9/2"),
    ("quantile_coverage(quantile=0.5)",  [1, 2, 3], [2, 2, 2],          None,      2 / 3,       "equal is below"),
    ("interval_coverage(level=0.8)",     [0, 2, 5], [0, 0, 0],          [4, 4, 4], 2 / 3,       "ends are inside"),
    ("interval_coverage(level=0.8)",     [2],       [4],                [0],       0.0,         "ends crossed"),
    ("interval_width(level=0.8)",        [0, 2],    [0, 1],             [2, 5],    3.0,         "(2 + 4)/2"),
    ("interval_score(level=0.8)",        [-1, 9],   [0, 0],             [4, 4],    34.0,        "(4 + 10 + 4 + 50)/2"),
    ("interval_score(level=0.5)",        [2, 9],    [0, 0],             [4, 4],    14.0,        "(4 + 4 + 4·5)/2"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "truth", "lower", "upper", "expected", "why"), BY_HAND)
def test_a_measure_by_hand(name: str, truth: Any, lower: Any, upper: Any, expected: float, why: str) -> None:
    ends = [lower] if upper is None else [lower, upper]
    assert DECISION_MEASURES.parse(name)(truth, *ends) == pytest.approx(expected), why


ROWS = st.lists(
    st.tuples(st.integers(-20, 20), st.integers(-20, 20), st.integers(0, 20), st.integers(1, 3)),
    min_size=1,
    max_size=12,
)
SHARES = st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.8, 0.975])


@settings(max_examples=40)
@given(rows=ROWS, quantile=SHARES)
def test_pinball_is_that_of_scikit_learn(rows: Any, quantile: float) -> None:
    truth, predicted, _, weight = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    theirs = mean_pinball_loss(truth, predicted, alpha=quantile, sample_weight=weight)
    assert pinball_loss(truth, predicted, quantile=quantile, weight=weight) == pytest.approx(theirs, rel=1e-10)


@settings(max_examples=40)
@given(rows=ROWS, delta=st.sampled_from([0.5, 1, 3.5]))
def test_huber_is_that_of_scipy(rows: Any, delta: float) -> None:
    truth, predicted, _, weight = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    theirs = np.average(huber(delta, predicted - truth), weights=weight)
    assert huber_loss(truth, predicted, delta=delta, weight=weight) == pytest.approx(theirs, rel=1e-10)


@settings(max_examples=40)
@given(rows=ROWS, level=SHARES)
def test_the_interval_score_is_the_pinball_loss_of_both_ends(rows: Any, level: float) -> None:
    truth, lower, width, weight = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    both = sum(
        mean_pinball_loss(truth, end, alpha=quantile, sample_weight=weight)
        for end, quantile in ((lower, (1 - level) / 2), (lower + width, (1 + level) / 2))
    )
    found = interval_score(truth, lower, lower + width, level=level, weight=weight)
    assert found == pytest.approx(2 / (1 - level) * both, rel=1e-10, abs=1e-10)


@settings(max_examples=30)
@given(rows=ROWS)
def test_an_interval_covers_what_lies_below_its_upper_and_not_below_its_lower_end(rows: Any) -> None:
    truth, lower, width, weight = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    upper = quantile_coverage(truth, lower + width, quantile=0.9, weight=weight)
    below = np.average(truth < lower, weights=weight)
    assert interval_coverage(truth, lower, lower + width, weight=weight) == pytest.approx(upper - below, abs=1e-12)
    assert interval_width(truth, lower, lower + width, weight=weight) == pytest.approx(
        np.average(width, weights=weight)
    )


def test_losses_of_a_measure_with_parameters_have_it_as_their_mean() -> None:
    truth, predicted = [1.0, 5.0, 2.0], [2.0, 2.0, 2.0]
    for name in ("pinball(quantile=0.2)", "huber(delta=2)", "quantile_coverage(quantile=0.2)"):
        assert losses(name, truth, predicted).mean() == pytest.approx(DECISION_MEASURES.parse(name)(truth, predicted))


@pytest.mark.parametrize(
    ("compute", "said"),
    [
        (lambda: interval_coverage([1, math.nan], [0, 0], [2, 2]), "finite number as true value in row 2, found nan"),
        (lambda: interval_coverage([1, 2], [0, 0], [2, math.inf]), "finite number as predicted value in row 2"),
        (lambda: interval_coverage([1, 2], [0, 0], [2]), "one prediction per true value, found 1 predictions and 2"),
        (lambda: interval_score([1], [0], [2], level=1), "expected a level between 0 and 1, found 1"),
        (lambda: DECISION_MEASURES.parse("pinball(quantile=1)"), "quantile"),
        (lambda: DECISION_MEASURES.parse("huber(delta=0)"), "delta"),
        (lambda: losses("R2", [1], [1]), "R2 is not a mean over items"),
    ],
)
def test_wrong_input_is_an_error(compute: Any, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        compute()
