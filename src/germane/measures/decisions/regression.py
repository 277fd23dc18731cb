"""Regression measures: errors of predicted numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.catalogue.parameters import Positive
from germane.errors import MeasureError, did_you_mean
from germane.measures.decisions.measure import DECISION_MEASURES, decision_measure
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import number_column

Numbers = npt.ArrayLike
Weights = npt.ArrayLike | None


def _share_of_truth(truth: FloatArray, error: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.abs(error) / np.abs(truth)


def _huber_loss(truth: FloatArray, error: FloatArray, delta: float = 1) -> FloatArray:
    size = np.abs(error)
    return np.where(size <= delta, error**2 / 2, delta * (size - delta / 2))


LOSSES: dict[str, Callable[..., FloatArray]] = {
    "MSE": lambda truth, error: error**2,
    "MAE": lambda truth, error: np.abs(error),
    "bias": lambda truth, error: error,
    "MAPE": _share_of_truth,
    "huber": _huber_loss,
    "pinball": lambda truth, error, quantile=0.5: np.maximum(-quantile * error, (1 - quantile) * error),
    "quantile_coverage": lambda truth, error, quantile=0.5: (error >= 0).astype(np.float64),
}
"""Loss of each item as a function of true values, errors and parameters, for the measures that are means of them."""


def losses(name: str, y_true: Numbers, y_pred: Numbers) -> FloatArray:
    """Return the loss of each item for a measure that is their mean, as intervals and paired tests need it.

    >>> losses("MSE", [1, 2, 3], [1, 2, 5]).tolist()
    [0.0, 0.0, 4.0]
    >>> losses("pinball(quantile=0.9)", [1, 2], [2, 1]).round(3).tolist()
    [0.1, 0.9]
    """
    base, parameters = name.partition("(")[0], {}
    if base != name:
        entry = DECISION_MEASURES.parse(name)
        base, parameters = entry.name, entry.settings
    if base not in LOSSES:
        near = did_you_mean(base, LOSSES)
        raise MeasureError(f"{base} is not a mean over items{near}", hint=f"choose from {', '.join(LOSSES)}")
    truth, predicted, _ = checked_columns(y_true, y_pred, None)
    return LOSSES[base](truth, predicted - truth, **parameters)


def linearised(name: str, y_true: Numbers, y_pred: Numbers) -> FloatArray | None:
    """Return a value for each item whose mean is the measure, and whose spread tells its standard error.

    These are the measure plus its influence function, which gives it the intervals and paired tests of a mean; None for
    a measure without one here.

    >>> linearised("RMSE", [0, 0], [1, 7]).tolist()                         # 5 + (1 − 25)/10 and 5 + (49 − 25)/10
    [2.6, 7.4]
    """
    if name not in ("RMSE", "R2", "explained_variance"):
        return None
    truth, predicted, _ = checked_columns(y_true, y_pred, None)
    error = predicted - truth
    squares = (error - (error.mean() if name == "explained_variance" else 0)) ** 2
    mean = float(squares.mean())
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "RMSE":
            root = math.sqrt(mean)
            return root + (squares - mean) / (2 * root) if mean else squares
        spread = (truth - truth.mean()) ** 2
        variance = spread.mean()
        return np.asarray(1 - mean / variance - (squares - mean) / variance + mean * (spread - variance) / variance**2)


@decision_measure("MSE", of="numbers", bounds=(0, math.inf), better="lower", names=("mean squared error",))
def mean_squared_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Mean of the squared errors.

    Formula:    mean of (predicted − true)²
    Reference:  Gauss, Theoria combinationis observationum, 1821.
    Edge cases: in squared units; sensitive to outliers.

    >>> mean_squared_error([1, 2, 3, 4], [1, 2, 3, 6])
    1.0
    """
    return mean_loss("MSE", y_true, y_pred, weight)


@decision_measure("RMSE", of="numbers", bounds=(0, math.inf), better="lower", names=("root mean squared error",))
def root_mean_squared_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Square root of the mean squared error, in the units of the values.

    Formula:    √MSE
    Reference:  Gauss, Theoria combinationis observationum, 1821.
    Edge cases: sensitive to outliers.

    >>> root_mean_squared_error([0, 0], [3, 3])
    3.0
    """
    return math.sqrt(mean_squared_error(y_true, y_pred, weight=weight))


@decision_measure("MAE", of="numbers", bounds=(0, math.inf), better="lower", names=("mean absolute error",))
def mean_absolute_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Mean of the absolute errors.

    Formula:    mean of |predicted − true|
    Reference:  Willmott & Matsuura, Climate Research 30 (2005), 79-82.
    Edge cases: none.

    >>> mean_absolute_error([1, 2, 3, 4], [1, 2, 3, 6])
    0.5
    """
    return mean_loss("MAE", y_true, y_pred, weight)


@decision_measure("median_AE", of="numbers", bounds=(0, math.inf), better="lower", names=("median absolute error",))
def median_absolute_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Median of the absolute errors.

    Formula:    median of |predicted − true|; the mean of the two middle values if their number is even
    Reference:  Hyndman & Koehler, International Journal of Forecasting 22 (2006), 679-688.
    Edge cases: robust: up to half of the errors may be arbitrarily large. Integer weights act as repetition.

    >>> median_absolute_error([1, 2, 3, 4], [1, 3, 5, 40])
    1.5
    """
    truth, predicted, weights = checked_columns(y_true, y_pred, weight)
    errors, weights = np.abs(predicted - truth)[weights > 0], weights[weights > 0]
    order = np.argsort(errors, kind="stable")
    so_far = np.cumsum(weights[order])
    lower, upper = (np.searchsorted(so_far, so_far[-1] / 2, side=side) for side in ("left", "right"))
    return float((errors[order[lower]] + errors[order[upper]]) / 2)


@decision_measure("max_error", of="numbers", bounds=(0, math.inf), better="lower", names=("maximum error",))
def max_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Largest absolute error.

    Formula:    max of |predicted − true|
    Reference:  Chebyshev, 1854 (the norm that bears his name).
    Edge cases: grows with the number of items. Weights only exclude items with weight 0.

    >>> max_error([1, 2, 3], [1, 2.5, 1])
    2.0
    """
    truth, predicted, weights = checked_columns(y_true, y_pred, weight)
    return float(np.abs(predicted - truth)[weights > 0].max())


@decision_measure("bias", of="numbers", bounds=(-math.inf, math.inf), better="neither", names=("mean error",))
def bias(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Mean error: above 0 if predictions are too high on average.

    Formula:    mean of predicted − true
    Reference:  Willmott & Matsuura, Climate Research 30 (2005), 79-82.
    Edge cases: positive and negative errors cancel, so 0 is best but says little on its own.

    >>> bias([1, 2, 3], [2, 3, 4])
    1.0
    """
    return mean_loss("bias", y_true, y_pred, weight)


@decision_measure("MAPE", of="numbers", bounds=(0, math.inf), better="lower", names=("mean absolute percentage error",))
def mean_absolute_percentage_error(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Mean absolute error relative to the true value: 0.1 is 10%.

    Formula:    mean of |predicted − true| / |true|
    Reference:  Hyndman & Koehler, International Journal of Forecasting 22 (2006), 679-688.
    Edge cases: infinite if a true value is 0 and the prediction is not; NaN if both are.

    >>> mean_absolute_percentage_error([10, 20], [11, 20])
    0.05
    """
    return mean_loss("MAPE", y_true, y_pred, weight)


@decision_measure("huber", of="numbers", bounds=(0, math.inf), better="lower", names=("Huber loss",))
def huber_loss(y_true: Numbers, y_pred: Numbers, *, delta: Positive = 1, weight: Weights = None) -> float:
    """Mean Huber loss: squared for small errors, linear for large ones.

    Formula:    mean of e²/2 if |e| <= δ, else δ (|e| − δ/2), where e = predicted − true
    Reference:  Huber, The Annals of Mathematical Statistics 35 (1964), 73-101.
    Edge cases: half of MSE if no error exceeds δ, which has the units of the values.

    >>> huber_loss([1, 2, 3, 4], [1, 2, 4, 7])                              # (0 + 0 + 0.5 + 2.5) / 4
    0.75
    """
    return mean_loss("huber", y_true, y_pred, weight, delta=delta)


@decision_measure("R2", of="numbers", bounds=(-math.inf, 1), names=("R²", "coefficient of determination"))
def r_squared(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """Share of the variance of the true values that the predictions explain.

    Formula:    1 − sum of (predicted − true)² / sum of (true − mean)²
    Reference:  Wright, Journal of Agricultural Research 20 (1921), 557-585.
    Edge cases: NaN if all true values are equal. Below 0 if predicting the mean would be better.

    >>> r_squared([1, 2, 3], [1, 2, 3]), r_squared([1, 2, 3], [2, 2, 2])
    (1.0, 0.0)
    """
    truth, predicted, weights = checked_columns(y_true, y_pred, weight)
    return _share_explained((predicted - truth) ** 2, truth, weights)


@decision_measure("explained_variance", of="numbers", bounds=(-math.inf, 1), names=("explained variance",))
def explained_variance(y_true: Numbers, y_pred: Numbers, *, weight: Weights = None) -> float:
    """R² after removing the bias.

    Formula:    1 − variance of (predicted − true) / variance of the true values
    Reference:  Kvålseth, The American Statistician 39 (1985), 279-285.
    Edge cases: NaN if all true values are equal. A constant error in all predictions does not lower it.

    >>> explained_variance([1, 2, 3], [2, 3, 4])
    1.0
    """
    truth, predicted, weights = checked_columns(y_true, y_pred, weight)
    error = predicted - truth
    return _share_explained((error - np.average(error, weights=weights)) ** 2, truth, weights)


def mean_loss(name: str, y_true: Numbers, y_pred: Numbers, weight: Weights, **parameters: float) -> float:
    """Return the weighted mean of the losses of this name."""
    truth, predicted, weights = checked_columns(y_true, y_pred, weight)
    counted = weights > 0
    return float(np.average(LOSSES[name](truth, predicted - truth, **parameters)[counted], weights=weights[counted]))


def _share_explained(squares: FloatArray, truth: FloatArray, weights: FloatArray) -> float:
    counted = truth[weights > 0]
    if (counted == counted[0]).all():
        return math.nan
    spread = np.sum(weights * (truth - np.average(truth, weights=weights)) ** 2)
    return float(1 - np.sum(weights * squares) / spread)


def checked_columns(y_true: Numbers, y_pred: Numbers, weight: Weights) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return true values, predicted values and weights as arrays of equal length."""
    given = aligned_columns({"y_true": y_true, "y_pred": y_pred, "weight": weight}, "numbers")
    truth, predicted = _numbers("true", given["y_true"]), _numbers("predicted", given["y_pred"])
    weights = np.ones(len(truth)) if weight is None else _numbers("weight", given["weight"])
    if len(truth) != len(predicted):
        raise MeasureError(
            f"expected one prediction per true value, found {len(predicted)} predictions and {len(truth)} true values"
        )
    if len(truth) != len(weights):
        raise MeasureError(f"expected {len(truth)} weights (one per item), found {len(weights)}")
    if not len(truth):
        raise MeasureError("expected at least one item, found none")
    if (weights < 0).any() or not weights.any():
        raise MeasureError("expected weights of 0 or more, at least one above 0")
    return truth, predicted, weights


def _numbers(role: str, column: Any) -> FloatArray:
    values = number_column(column, f"{role} value", "numbers")
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).argmax())
        raise MeasureError(f"expected a finite number as {role} value in row {row + 1}, found {values[row]}")
    return values
