"""Predictions other than classes: numbers, clusters, densities."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from germane.api.decisions.notes import only_asked
from germane.api.decisions.settings import Settings
from germane.errors import GermaneError
from germane.measures.decisions.clustering import contingency
from germane.measures.decisions.densities import mean_log_likelihood, perplexity
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.regression import LOSSES, explained_variance, losses, r_squared
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, tails_of
from germane.stats.intervals.resampling import bootstrap_counts
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import number_column
from germane.tables.decisions.weights import as_weights
from germane.tables.results.performance import Estimate, Performance

MOST_DRAWS = 20_000_000
"""Maximum items × resamples by default."""


def performance_of_task(y_true: Any, y_pred: Any, weight: Any, settings: Settings) -> Performance:
    """Evaluate predictions other than one class per item; densities have no truth, their values are `y_true`."""
    if weight is not None and settings.task != "regression":
        raise GermaneError(f"weights are not supported for task {settings.task}", hint="remove `weight=`")
    if settings.task == "regression":
        found = _regression(y_true, y_pred, weight, settings)
    else:
        found = _clusters(y_true, y_pred) if settings.task == "clusters" else _densities(y_true, settings.level)
    missing = [name for name in settings.measures or () if name not in found.overall]
    if missing:
        hint = f"choose from {', '.join(found.overall)}"
        raise GermaneError(f"not a measure of task {settings.task}: {', '.join(missing)}", hint=hint)
    found = only_asked(found, settings)
    return found if settings.name is None else replace(found, name=settings.name)


def _regression(y_true: Any, y_pred: Any, sample_weight: Any, settings: Settings) -> Performance:
    """Evaluate predicted numbers: every measure of regression, with intervals.

    Means of losses have Student's interval on the log scale, RMSE the root of that of MSE; R² and explained variance
    are bootstrapped.
    """
    level, seed = settings.level, settings.seed
    given = aligned_columns({"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}, "numbers")
    sample_weight = given["sample_weight"]
    truth, predicted = _numbers(given["y_true"], "truth"), _numbers(given["y_pred"], "prediction")
    num_rows = len(truth)
    if sample_weight is not None:
        weights = as_weights(sample_weight, num_rows)
        if weights.dtype.kind == "i" and len(predicted) == num_rows and weights.sum() <= MOST_DRAWS:
            # Integer weights mean repetition, in the intervals too.
            truth, predicted, sample_weight = np.repeat(truth, weights), np.repeat(predicted, weights), None
    remark = "" if sample_weight is None else "weights are not integers"
    of_numbers = [entry for entry in DECISION_MEASURES if entry.of == "numbers"]
    overall = {m.name: Estimate(m(truth, predicted, weight=sample_weight), remark=remark) for m in of_numbers}
    if sample_weight is None:
        for name in LOSSES:
            overall[name] = _mean_loss(losses(name, truth, predicted), level, DECISION_MEASURES[name].bounds)
        overall["RMSE"] = _root(overall["RMSE"].value, overall["MSE"])
        shares = _explained(truth, predicted, level, settings.resamples, seed)
        overall |= {n: e for n, e in shares.items() if not math.isnan(e.value)}
    drawn = settings.cell_resamples
    return Performance("regression", "regression", num_rows, overall, level=level, seed=seed, resamples=drawn)


def _mean_loss(values: FloatArray, level: float, bounds: tuple[float, float] = (-math.inf, math.inf)) -> Estimate:
    """Return the mean loss over items, unweighted."""
    return mean_loss_estimate(values, np.ones(len(values), dtype=np.int64), level, bounds)


def _clusters(y_true: Any, clusters: Any) -> Performance:
    """Evaluate clusters against known classes: purity, NMI, adjusted Rand index and others."""
    table = contingency(y_true, clusters)
    if not table.size:
        raise GermaneError("expected at least one item, found none")
    overall = {entry.name: Estimate(entry(table)) for entry in DECISION_MEASURES if entry.of == "clusters"}
    return Performance("clustering", "clusters", int(table.sum()), overall)


def _densities(log_likelihoods: Any, level: float) -> Performance:
    """Evaluate a density estimate on held-out data: mean log-likelihood and perplexity."""
    given = aligned_columns({"log_likelihoods": log_likelihoods}, "densities")
    values = _numbers(given["log_likelihoods"], "log-likelihood")
    mean, lost = _mean_loss(values, level), perplexity(values)
    likely = Estimate(mean_log_likelihood(values), mean.low, mean.high, mean.method, mean.remark)
    confused = Estimate(lost, remark=mean.remark)
    if mean.has_interval:
        confused = Estimate(lost, math.exp(-mean.high), math.exp(-mean.low), mean.method)
    overall = {"log_likelihood": likely, "perplexity": confused}
    return Performance("density", "densities", len(values), overall, level=level)


def _numbers(column: Any, role: str) -> FloatArray:
    numbers = number_column(column, role, "numbers")
    if not numbers.size:
        raise GermaneError(f"expected at least one {role}, found none")
    return numbers


def _root(value: float, squared: Estimate) -> Estimate:
    if not squared.has_interval:
        return Estimate(value, remark=squared.remark)
    return Estimate(value, math.sqrt(squared.low), math.sqrt(squared.high), f"root of {squared.method}")


def _explained(
    truth: FloatArray, predicted: FloatArray, level: float, resamples: int | None, seed: int
) -> dict[str, Estimate]:
    """Return R² and explained variance, from sums that a resample only reweights."""
    n = len(truth)
    points = {"R2": r_squared(truth, predicted), "explained_variance": explained_variance(truth, predicted)}
    if n < 3:
        return {name: Estimate(value, remark="too few items to resample") for name, value in points.items()}
    error, centred = predicted - truth, truth - truth.mean()
    sums = np.stack([centred, centred**2, error, error**2], axis=1)
    taken = resamples or max(200, min(2000, MOST_DRAWS // n))
    drawn = np.concatenate([block @ sums for block in bootstrap_counts(n, taken, seed, columns=4)]) / n
    spread = drawn[:, 1] - drawn[:, 0] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = {"R2": 1 - drawn[:, 3] / spread, "explained_variance": 1 - (drawn[:, 3] - drawn[:, 2] ** 2) / spread}
    return {name: _percentiles(points[name], column, level) for name, column in columns.items()}


def _percentiles(value: float, drawn: FloatArray, level: float) -> Estimate:
    if not np.isfinite(drawn).all():
        return Estimate(value, remark="not finite in some resamples")
    low, high, obstacle = bootstrap_ends(value, drawn, tails_of(level))
    return Estimate(value, low, high, "none" if obstacle else "percentile", obstacle)
