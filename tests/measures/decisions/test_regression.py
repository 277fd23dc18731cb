"""Regression and density measures: scikit-learn's numbers, but for what it defines away."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.densities import mean_log_likelihood, perplexity
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.regression import (
    LOSSES,
    bias,
    explained_variance,
    losses,
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    median_absolute_error,
    r_squared,
    root_mean_squared_error,
)

ROWS = st.lists(
    st.tuples(st.integers(1, 20).map(float), st.integers(-20, 20).map(float), st.integers(1, 3)), min_size=2, max_size=9
)

ORACLES = [
    (mean_squared_error, metrics.mean_squared_error),
    (root_mean_squared_error, metrics.root_mean_squared_error),
    (mean_absolute_error, metrics.mean_absolute_error),
    (mean_absolute_percentage_error, metrics.mean_absolute_percentage_error),
    (r_squared, metrics.r2_score),
    (explained_variance, metrics.explained_variance_score),
]


@pytest.mark.parametrize(("ours", "theirs"), ORACLES, ids=lambda f: getattr(f, "__name__", ""))
@settings(max_examples=40)
@given(rows=ROWS)
def test_equal_to_scikit_learn(ours: Any, theirs: Any, rows: list[Any]) -> None:
    truth, predicted, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    value = ours(truth, predicted, weight=weight)
    if math.isnan(value):
        assert len(set(truth.tolist())) == 1
    else:
        assert value == pytest.approx(theirs(truth, predicted, sample_weight=weight), rel=1e-9, abs=1e-9)


@settings(max_examples=40)
@given(rows=ROWS)
def test_weights_mean_repetition(rows: list[Any]) -> None:
    truth, predicted, weight = (np.asarray(column) for column in zip(*rows, strict=True))
    repeated = np.repeat(truth, weight), np.repeat(predicted, weight)
    assert median_absolute_error(truth, predicted, weight=weight) == np.median(np.abs(repeated[1] - repeated[0]))
    assert max_error(truth, predicted, weight=weight) == metrics.max_error(truth, predicted)
    assert bias(truth, predicted, weight=weight) == pytest.approx((repeated[1] - repeated[0]).mean())
    for name in LOSSES:
        assert DECISION_MEASURES[name](truth, predicted) == pytest.approx(losses(name, truth, predicted).mean())


def test_what_is_not_defined_is_nan_or_infinite() -> None:
    assert math.isnan(r_squared([2, 2], [2, 2]))
    assert math.isnan(explained_variance([2], [3]))
    assert mean_absolute_percentage_error([0, 1], [1, 1]) == math.inf
    assert math.isnan(mean_absolute_percentage_error([0, 1], [0, 1]))


def test_items_of_no_weight_do_not_count() -> None:
    assert mean_absolute_percentage_error([0, 1], [1, 1], weight=[0, 1]) == 0
    assert max_error([0, 1], [9, 1], weight=[0, 1]) == 0
    assert median_absolute_error([0, 1, 1], [9, 1, 2], weight=[0, 1, 1]) == 0.5


@pytest.mark.parametrize(
    ("inputs", "weight", "says"),
    [
        (([1, 2], [1]), None, "found 1 predictions and 2 true values"),
        (([1, 2], [1, math.nan]), None, "predicted value in row 2"),
        (([], []), None, "found none"),
        (([1], [1]), [1, 2], "expected 1 weights"),
        (([1], [1]), [0], "at least one above 0"),
        (([[1, 2]], [1]), None, "one column as true value"),
    ],
)
def test_bad_input_is_named(inputs: Any, weight: Any, says: str) -> None:
    with pytest.raises(GermaneError, match=says):
        mean_squared_error(*inputs, weight=weight)


def test_losses_of_what_is_no_mean_are_refused() -> None:
    with pytest.raises(MeasureError, match="R2 is not a mean"):
        losses("R2", [1, 2], [1, 2])


def test_density_estimates_by_hand() -> None:
    assert mean_log_likelihood([0, -2]) == -1
    assert mean_log_likelihood([1, math.e], given="density") == pytest.approx(0.5)
    assert mean_log_likelihood([0, -3], weight=[2, 1]) == -1
    assert mean_log_likelihood([0.5, 0], given="density") == -math.inf
    assert perplexity([0.5, 0], given="density") == math.inf
    assert perplexity([1 / 8] * 3, given="density") == pytest.approx(8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert perplexity([-1e6]) == math.inf


@pytest.mark.parametrize(
    ("values", "given_as", "says"),
    [
        ([0.5, -0.1], "density", "row 2"),
        ([0.0, math.inf], "log", "row 2"),
        ([math.nan], "log", "row 1"),
        ([], "log", "at least one likelihood"),
        ([1.0], "ln", "expected given='log' or 'density'"),
    ],
)
def test_bad_likelihoods_are_named(values: list[float], given_as: Any, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        mean_log_likelihood(values, given=given_as)
