"""From the numbers of a report on predicted numbers to the rows that each figure takes."""

from __future__ import annotations

from typing import Any

import numpy as np

from germane.api.reports.regression import RegressionNumbers
from germane.output.reports.classification_rows import short_names
from germane.stats.intervals.proportions import wilson
from germane.tables.columns.ids import IntArray

MAX_POINTS = 2000
"""Maximum number of items drawn of each model: more would hide each other."""

Found = dict[str, Any]


def predicted_rows(numbers: RegressionNumbers) -> Found:
    """Return true and predicted values of each model, and the ends that both axes share."""
    models = numbers.require_predictions("predicted")
    columns = [column for each in models.values() for column in (each.truth, each.predicted) if column is not None]
    ends = [float(min(column.min() for column in columns)), float(max(column.max() for column in columns))]
    return {"rows": _points(numbers), "systems": short_names(list(models)), "ends": ends if ends[0] < ends[1] else []}


def error_rows(numbers: RegressionNumbers) -> Found:
    """Return predictions and errors of each model."""
    models = numbers.require_predictions("residuals")
    return {"rows": _points(numbers), "systems": short_names(list(models))}


def quantile_rows(numbers: RegressionNumbers) -> Found:
    """Return the observed share below each predicted quantile, with Wilson's interval."""
    found = numbers.require_quantiles("quantiles")
    assert found.numbers is not None
    rows, truth = [], found.numbers.truth
    for share, column in found.numbers.quantiles.items():
        below = int((truth <= column).sum())
        low, high = (float(end) for end in wilson(below, len(truth), found.level))
        rows.append({"quantile": share, "observed": below / len(truth), "low": low, "high": high})
    return {"rows": rows, "level": found.level}


def _points(numbers: RegressionNumbers) -> list[Found]:
    models = numbers.predicted
    rows = []
    for name, each in zip(short_names(list(models)), models.values(), strict=True):
        assert each.predicted is not None
        for row in drawn_items(len(each)).tolist():
            truth, predicted = float(each.truth[row]), float(each.predicted[row])
            point = {"truth": truth, "predicted": predicted, "error": predicted - truth}
            rows.append({"system": name, "row": row + 1, **point})
    return rows


def drawn_items(num_items: int) -> IntArray:
    """Return the items that a figure shows: all, or a sample drawn at random, the same for every model."""
    if num_items <= MAX_POINTS:
        return np.arange(num_items)
    return np.sort(np.random.default_rng(0).choice(num_items, MAX_POINTS, replace=False))
