"""Evaluate predicted numbers and quantiles: every measure of regression, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from germane.api.decisions.settings import Settings
from germane.catalogue import spell
from germane.errors import GermaneError, InputError
from germane.measures.decisions.measure import DECISION_MEASURES
from germane.measures.decisions.names import base_name, canonical_name, describe
from germane.measures.decisions.quantiles import interval_losses
from germane.measures.decisions.regression import LOSSES, explained_variance, linearised, losses, r_squared
from germane.stats.intervals.bootstrap_ends import bootstrap_ends, tails_of
from germane.stats.intervals.clustered import mean_of_clusters, proportion_of_clusters, sums_by_cluster
from germane.stats.intervals.proportions import wilson
from germane.stats.intervals.resampling import bootstrap_counts
from germane.stats.intervals.scores import UNBOUNDED, mean_loss_estimate
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import as_list, number_column, one_column
from germane.tables.decisions.number_predictions import NumberPredictions
from germane.tables.decisions.weights import as_weights
from germane.tables.results.performance import Estimate, Performance

REPORTED = ("MSE", "RMSE", "MAE", "median_AE", "max_error", "bias", "MAPE", "R2", "explained_variance")
"""Measures of every report on predictions; the others need parameters, and are computed where asked for."""
OF_QUANTILES = ("pinball", "quantile_coverage")
OF_INTERVALS = ("interval_coverage", "interval_width", "interval_score")
EXPLAINED = ("R2", "explained_variance")
SHARES = ("quantile_coverage", "interval_coverage")
"""Measures that are a share of the items."""
MOST_DRAWS = 20_000_000
"""Maximum items × resamples by default."""


def numbers_given(truth: Any, predicted: Any = None, quantiles: Mapping[float, Any] | None = None) -> NumberPredictions:
    """Return checked columns of numbers of one length; `quantiles` are by share."""
    true = finite_numbers(truth, "true value")
    point = None if predicted is None else finite_numbers(predicted, "prediction")
    columns = {share: finite_numbers(column, f"{share:g} quantile") for share, column in (quantiles or {}).items()}
    sizes = {} if point is None else {"predictions": len(point)}
    sizes |= {f"values of the {share:g} quantile": len(column) for share, column in columns.items()}
    for name, size in sizes.items():
        if size != len(true):
            found = f"found {size} {name} and {len(true)} true values"
            raise GermaneError(f"expected one prediction per true value, {found}")
    return NumberPredictions(true, point, dict(sorted(columns.items())))


def numbers_in_rows(given: Any, role: str) -> FloatArray:
    """Return a column of numbers, at least one; an error names the first row that has none."""
    column = one_column(given, role, "numbers")
    try:
        numbers = number_column(column, role, "numbers")
    except InputError as problem:
        for row, value in enumerate(as_list(column), start=1):
            if isinstance(value, str | bytes) or value is None:
                what = f"expected a number as {role} in row {row}, found {value!r}"
                raise InputError("numbers", None, what, hint="fill in a number or remove the row") from None
        raise problem
    if not numbers.size:
        raise GermaneError(f"expected at least one {role}, found none")
    return numbers


def finite_numbers(column: Any, role: str) -> FloatArray:
    """Return a column of finite numbers, at least one."""
    numbers = numbers_in_rows(column, role)
    if not np.isfinite(numbers).all():
        row = int((~np.isfinite(numbers)).argmax())
        hint = "fill in the value or remove the row"
        raise GermaneError(f"expected a finite number as {role} in row {row + 1}, found {numbers[row]}", hint=hint)
    return numbers


def regression_performance(
    given: NumberPredictions, weight: Any, settings: Settings, name: str, clusters: IntArray | None = None
) -> Performance:
    """Evaluate predicted numbers and quantiles: the usual measures, or those asked for.

    Means of losses have Student's interval on the log scale, RMSE the root of that of MSE, shares have Wilson's; R² and
    explained variance are bootstrapped. With clusters of dependent items, intervals compare clusters and not items.
    """
    num_rows, weights = len(given), None
    if weight is not None:
        weights = as_weights(weight, num_rows)
        if clusters is None and weights.dtype.kind == "i" and weights.sum() <= MOST_DRAWS:
            # Integer weights mean repetition, in the intervals too.
            given, weights = given.repeated(weights), None
    measured = _Measured(given, weights, settings, clusters)
    overall = {each: measured.estimate(each) for each in _chosen(given, settings)}
    how: dict[str, Any] = {"level": settings.level, "seed": settings.seed, "resamples": settings.cell_resamples}
    known: dict[str, Any] = {"named": canonical_name, "described": describe, "asked": settings.measures}
    return Performance(name, "regression", num_rows, overall, numbers=given, notes=given.notes(), **how, **known)


def _chosen(given: NumberPredictions, settings: Settings) -> list[str]:
    """Return the names of the measures to compute; one asked for by its name alone means it at every quantile."""
    usual = list(REPORTED) if given.predicted is not None else []
    usual += [spell(name, [("quantile", share)]) for share in given.quantiles for name in OF_QUANTILES]
    usual += [spell(name, [("level", level)]) for level in given.intervals for name in OF_INTERVALS]
    found = list(usual) if settings.measures is None else []
    for name in settings.also if settings.measures is None else settings.measures:
        entry = DECISION_MEASURES.find(base_name(name))
        if entry is None or entry.of not in ("numbers", "intervals"):
            hint = f"choose from {', '.join(dict.fromkeys(map(base_name, (*usual, *_of_task(given)))))}"
            raise GermaneError(f"not a measure of task regression: {name}", hint=hint)
        at_quantiles = [each for each in usual if each not in REPORTED and base_name(each) == name]
        found += at_quantiles or [name]
    return list(dict.fromkeys(found))


def _of_task(given: NumberPredictions) -> Iterator[str]:
    """Return the measures that these predictions have, without parameters."""
    for entry in DECISION_MEASURES:
        if (entry.of == "numbers" and given.predicted is not None) or (entry.of == "intervals" and given.intervals):
            yield entry.name


class _Measured:
    """Predictions with their estimates, of which some share their resamples."""

    def __init__(
        self, given: NumberPredictions, weights: FloatArray | None, settings: Settings, clusters: IntArray | None
    ) -> None:
        self.given, self.weights, self.settings, self.clusters = given, weights, settings, clusters
        self._explained: dict[str, Estimate] | None = None

    def estimate(self, name: str) -> Estimate:
        """Return a measure with its interval."""
        entry, level = DECISION_MEASURES.parse(name), self.settings.level
        if entry.of == "intervals":
            return self._of_interval(name, entry)
        predicted = self._predicted(name, entry)
        if self.clusters is not None:
            return self._of_clusters(name, entry, predicted, self.clusters)
        if self.weights is not None:
            value = entry(self.given.truth, predicted, weight=self.weights)
            return Estimate(value, remark="weights are not integers")
        if entry.name in EXPLAINED:
            if self._explained is None:
                self._explained = _explained(self.given.truth, predicted, self.settings)
            return self._explained[entry.name]
        if entry.name == "RMSE":
            return _root(entry(self.given.truth, predicted), self.estimate("MSE"))
        if entry.name not in LOSSES:
            return Estimate(entry(self.given.truth, predicted))
        values = losses(name, self.given.truth, predicted)
        return share_estimate(values, level) if entry.name in SHARES else _mean(values, level, entry.bounds)

    def _predicted(self, name: str, entry: Any) -> FloatArray:
        """Return the predictions that a measure is about: a quantile if there is one for it."""
        share = entry.settings["quantile"] if entry.name in OF_QUANTILES else None
        if share is not None and share in self.given.quantiles:
            return self.given.quantiles[share]
        if self.given.predicted is None:
            known = ", ".join(f"{each:g}" for each in self.given.quantiles)
            needs = "predictions" if share is None else f"predictions, or the quantile {share:g}"
            raise GermaneError(f"{name} requires {needs}, found the quantiles {known}", hint="use `predicted=…`")
        return self.given.predicted

    def _of_interval(self, name: str, entry: Any) -> Estimate:
        asked = entry.settings["level"]
        ends = next((ends for level, ends in self.given.intervals.items() if math.isclose(level, asked)), None)
        if ends is None:
            tail = (1 - asked) / 2
            known = ", ".join(f"{share:g}" for share in self.given.quantiles) or "none"
            hint = f"use `quantiles={{{tail:g}: …, {1 - tail:g}: …}}`"
            raise GermaneError(f"{name} requires the quantiles {tail:g} and {1 - tail:g}, found {known}", hint=hint)
        values = interval_losses(entry.name, self.given.truth, *ends, asked)
        # A mean of nothing below 0 is bounded by 0; of crossed ends it is not.
        bounds = (0, math.inf) if (values >= 0).all() else UNBOUNDED
        if self.clusters is not None:
            return self._mean_of_clusters(entry.name, values, bounds, self.clusters)
        if self.weights is not None:
            value = entry(self.given.truth, *ends, weight=self.weights)
            return Estimate(value, remark="weights are not integers")
        if entry.name in SHARES:
            return share_estimate(values, self.settings.level)
        return _mean(values, self.settings.level, bounds)

    def _of_clusters(self, name: str, entry: Any, predicted: FloatArray, clusters: IntArray) -> Estimate:
        """Return a measure with an interval that compares clusters, where it is a mean or linearised."""
        truth = self.given.truth
        value = entry(truth, predicted, weight=self.weights)
        if entry.name in LOSSES:
            return self._mean_of_clusters(entry.name, losses(name, truth, predicted), entry.bounds, clusters)
        if entry.name == "RMSE":
            return _root(value, self.estimate("MSE"))
        values = linearised(entry.name, truth, predicted) if self.weights is None else None
        if values is None or math.isnan(value):
            return Estimate(value)
        # What is not explained is at least 0.
        rest = mean_of_clusters(1 - values, clusters, level=self.settings.level, bounds=(0, math.inf))
        return Estimate(value, 1 - rest.high, 1 - rest.low, rest.method.replace("t,", "t, linearised,", 1), rest.remark)

    def _mean_of_clusters(
        self, name: str, values: FloatArray, bounds: tuple[float, float], clusters: IntArray
    ) -> Estimate:
        weights = np.ones(len(values)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        if name not in SHARES:
            return mean_of_clusters(values, clusters, weights, level=self.settings.level, bounds=bounds)
        num, items = int(clusters.max()) + 1, float(np.count_nonzero(weights))
        sums, sizes = (sums_by_cluster(each, clusters, num) for each in (values * weights, weights))
        return proportion_of_clusters(sums, sizes, items=items, level=self.settings.level)


def share_estimate(values: FloatArray, level: float) -> Estimate:
    """Return the share of items with value 1, with Wilson's interval."""
    low, high = (float(end) for end in wilson(values.sum(), len(values), level))
    return Estimate(float(values.mean()), low, high, "wilson")


def _mean(values: FloatArray, level: float, bounds: tuple[float, float]) -> Estimate:
    return mean_loss_estimate(values, np.ones(len(values), dtype=np.int64), level, bounds)


def _root(value: float, squared: Estimate) -> Estimate:
    if not squared.has_interval:
        return Estimate(value, method=squared.method, remark=squared.remark)
    return Estimate(value, math.sqrt(squared.low), math.sqrt(squared.high), f"root of {squared.method}")


def _explained(truth: FloatArray, predicted: FloatArray, settings: Settings) -> dict[str, Estimate]:
    """Return R² and explained variance, from sums that a resample only reweights."""
    n = len(truth)
    points = {"R2": r_squared(truth, predicted), "explained_variance": explained_variance(truth, predicted)}
    if math.isnan(points["R2"]):
        return {name: Estimate(value, remark="all true values are equal") for name, value in points.items()}
    if n < 3:
        return {name: Estimate(value, remark="too few items to resample") for name, value in points.items()}
    error, centred = predicted - truth, truth - truth.mean()
    sums = np.stack([centred, centred**2, error, error**2], axis=1)
    taken = settings.resamples or max(200, min(2000, MOST_DRAWS // n))
    drawn = np.concatenate([block @ sums for block in bootstrap_counts(n, taken, settings.seed, columns=4)]) / n
    spread = drawn[:, 1] - drawn[:, 0] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        columns = {"R2": 1 - drawn[:, 3] / spread, "explained_variance": 1 - (drawn[:, 3] - drawn[:, 2] ** 2) / spread}
    return {name: _percentiles(points[name], column, settings.level) for name, column in columns.items()}


def _percentiles(value: float, drawn: FloatArray, level: float) -> Estimate:
    if not np.isfinite(drawn).all():
        return Estimate(value, remark="not finite in some resamples")
    low, high, obstacle = bootstrap_ends(value, drawn, tails_of(level))
    return Estimate(value, low, high, "none" if obstacle else "percentile", obstacle)
