"""Measures of density estimates: the likelihood that they assign to data."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import number_column

Given = Literal["log", "density"]


@decision_measure("log_likelihood", of="densities", bounds=(-math.inf, math.inf), names=("mean log-likelihood",))
def mean_log_likelihood(values: npt.ArrayLike, *, given: Given = "log", weight: npt.ArrayLike | None = None) -> float:
    """Mean natural logarithm of the density (or probability) estimated for each item.

    Formula:    mean of ln q(x) over the items
    Reference:  Good, Journal of the Royal Statistical Society B 14 (1952), 107-114.
    Edge cases: −∞ if an item has density 0. Can exceed 0, since densities can exceed 1. Depends on the units of x, so
                compare only estimates in the same units.

    >>> mean_log_likelihood([1, 1, 1], given="density")
    0.0
    """
    logs = _logs(values, given)
    weights = np.ones(len(logs)) if weight is None else number_column(weight, "weight", "densities")
    if weights.shape != logs.shape or (weights < 0).any() or not weights.any():
        raise MeasureError(f"expected {len(logs)} weights (one per item) of 0 or more, at least one above 0")
    counted = weights > 0
    return float(np.sum(logs[counted] * weights[counted]) / weights.sum())


@decision_measure("perplexity", of="densities", bounds=(0, math.inf), better="lower")
def perplexity(values: npt.ArrayLike, *, given: Given = "log", weight: npt.ArrayLike | None = None) -> float:
    """Number of equally likely outcomes that would be as surprising as the data.

    Formula:    exp(−mean of ln q(x))
    Reference:  Jelinek et al., Journal of the Acoustical Society of America 62 (1977), S63.
    Edge cases: infinite if an item has probability 0. Below 1 only for densities.

    >>> round(perplexity([0.25, 0.25], given="density"), 12)
    4.0
    """
    with np.errstate(over="ignore"):
        return float(np.exp(-mean_log_likelihood(values, given=given, weight=weight)))


def _logs(values: npt.ArrayLike, given: Given) -> FloatArray:
    column = number_column(values, "likelihood", "densities")
    if not len(column):
        raise MeasureError("expected at least one likelihood, found none")
    if given not in ("log", "density"):
        raise MeasureError(f"expected given='log' or 'density', found {given!r}")
    least = 0 if given == "density" else -math.inf
    wrong = ~((column >= least) & (column < math.inf))
    if wrong.any():
        row = int(wrong.argmax())
        what = "a density of 0 or more" if given == "density" else "a logarithm"
        hint = 'use `given="log"` (the default) for log-likelihoods, `given="density"` for densities'
        raise MeasureError(f"expected {what} in row {row + 1}, found {column[row]}", hint=hint)
    if given == "log":
        return column
    with np.errstate(divide="ignore"):
        return np.log(column)
