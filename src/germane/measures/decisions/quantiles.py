"""Measures of predicted quantiles, and of the central intervals between two of them."""

from __future__ import annotations

import math

import numpy as np

from germane.catalogue.parameters import Probability
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.regression import Numbers, Weights, checked_columns, mean_loss
from germane.tables.columns.ids import FloatArray


@decision_measure(
    "pinball", of="numbers", bounds=(0, math.inf), better="lower", names=("pinball loss", "quantile loss", "check loss")
)
def pinball_loss(y_true: Numbers, y_pred: Numbers, *, quantile: Probability = 0.5, weight: Weights = None) -> float:
    """Mean pinball loss of a predicted quantile: lowest for the true quantile.

    Formula:    mean of τ (true − predicted) if true >= predicted, else (1 − τ) (predicted − true), for the quantile τ
    Reference:  Koenker & Bassett, Econometrica 46 (1978), 33-50.
    Edge cases: half of MAE for the median (τ = 0.5).

    >>> round(pinball_loss([10, 20], [12, 15], quantile=0.9), 3)            # (0.1 · 2 + 0.9 · 5) / 2
    2.35
    """
    return mean_loss("pinball", y_true, y_pred, weight, quantile=quantile)


@decision_measure("quantile_coverage", of="numbers", bounds=(0, 1), better="neither", names=("quantile calibration",))
def quantile_coverage(
    y_true: Numbers, y_pred: Numbers, *, quantile: Probability = 0.5, weight: Weights = None
) -> float:
    """Share of true values at or below the predicted quantile, which should be the quantile itself.

    Formula:    (items with true <= predicted) / items
    Reference:  Gneiting, Balabdaoui & Raftery, Journal of the Royal Statistical Society B 69 (2007), 243-268.
    Edge cases: the quantile names the prediction and does not enter the formula.

    >>> quantile_coverage([1, 2, 3, 4], [2, 2, 2, 2], quantile=0.5)
    0.5
    """
    return mean_loss("quantile_coverage", y_true, y_pred, weight, quantile=quantile)


@decision_measure(
    "interval_coverage", of="intervals", bounds=(0, 1), better="neither", names=("prediction interval coverage",)
)
def interval_coverage(
    y_true: Numbers, lower: Numbers, upper: Numbers, *, level: Probability = 0.9, weight: Weights = None
) -> float:
    """Share of true values within the predicted interval, which should be its level.

    Formula:    (items with lower <= true <= upper) / items
    Reference:  Gneiting & Raftery, Journal of the American Statistical Association 102 (2007), 359-378.
    Edge cases: the level names the interval and does not enter the formula. An interval whose ends are crossed covers
                nothing.

    >>> interval_coverage([1, 2, 3, 9], [0, 0, 0, 0], [4, 4, 4, 4], level=0.8)
    0.75
    """
    return _mean_over_intervals("interval_coverage", y_true, lower, upper, level, weight)


@decision_measure("interval_width", of="intervals", bounds=(-math.inf, math.inf), better="lower", names=("sharpness",))
def interval_width(
    y_true: Numbers, lower: Numbers, upper: Numbers, *, level: Probability = 0.9, weight: Weights = None
) -> float:
    """Mean width of the predicted intervals.

    Formula:    mean of upper − lower
    Reference:  Gneiting, Balabdaoui & Raftery, Journal of the Royal Statistical Society B 69 (2007), 243-268.
    Edge cases: narrow is good only at the right coverage. Below 0 for an interval whose ends are crossed. The level
                names the interval and does not enter the formula.

    >>> interval_width([1, 2], [0, 1], [2, 5], level=0.8)
    3.0
    """
    return _mean_over_intervals("interval_width", y_true, lower, upper, level, weight)


@decision_measure(
    "interval_score",
    of="intervals",
    bounds=(-math.inf, math.inf),
    better="lower",
    names=("Winkler score", "Winkler"),
)
def interval_score(
    y_true: Numbers, lower: Numbers, upper: Numbers, *, level: Probability = 0.9, weight: Weights = None
) -> float:
    """Mean width of the predicted intervals plus a penalty for each true value outside.

    Formula:    mean of (upper − lower) + 2/α · (distance of the true value from the interval), α = 1 − level
    Reference:  Winkler, Journal of the American Statistical Association 67 (1972), 187-191; Gneiting & Raftery, ibid.
                102 (2007), 359-378.
    Edge cases: 2/α times the sum of the pinball losses of both ends. At least 0 if no ends are crossed.

    >>> round(interval_score([1, 9], [0, 0], [4, 4], level=0.8), 3)         # (4 + 4 + 10 · 5) / 2
    29.0
    """
    return _mean_over_intervals("interval_score", y_true, lower, upper, level, weight)


def interval_losses(name: str, truth: FloatArray, lower: FloatArray, upper: FloatArray, level: float) -> FloatArray:
    """Return what each item adds to a measure of predicted intervals, which is the mean of these.

    >>> interval_losses("interval_score", np.asarray([9.0]), np.asarray([0.0]), np.asarray([4.0]), 0.5).tolist()
    [24.0]
    """
    if name == "interval_coverage":
        return ((lower <= truth) & (truth <= upper)).astype(np.float64)
    width = upper - lower
    if name == "interval_width":
        return width
    outside = np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)
    return np.asarray(width + 2 / (1 - level) * outside)


def _mean_over_intervals(
    name: str, y_true: Numbers, lower: Numbers, upper: Numbers, level: float, weight: Weights
) -> float:
    truth, low, weights = checked_columns(y_true, lower, weight)
    _, high, _ = checked_columns(y_true, upper, None)
    if not 0 < level < 1:
        raise MeasureError(f"expected a level between 0 and 1, found {level:g}")
    return float(np.average(interval_losses(name, truth, low, high, level), weights=weights))
