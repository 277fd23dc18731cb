"""Arrays of labels and scores as tables are read: truth values in any spelling, and rows with missing values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from germane.formats.decisions.labelled_rows import plain_column
from germane.formats.decisions.labelled_values import Where
from germane.formats.decisions.reading import Reading, without_rows
from germane.tables.columns.ids import BoolArray
from germane.tables.columns.one_column import frame_column, frame_columns, number_column, number_matrix
from germane.tables.notes.note import Note


def complete_arrays(
    given: Mapping[str, Any], missing: str | None, source: str
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return the arrays by parameter, without rows that lack a value, and the notes on this.

    >>> found, _ = complete_arrays({"y_true": ["TRUE", "False"], "y_score": [1.0, 0.0]}, None, "classifier")
    >>> found["y_true"].tolist()
    [True, False]
    """
    arrays = {name: array for name, array in given.items() if array is not None}
    labels: dict[str, Any] = {
        name: plain_column(arrays[name], name, source) for name in ("y_true", "y_pred") if name in arrays
    }
    num_rows = len(labels.get("y_true", ()))
    if "y_true" not in labels or any(len(column) != num_rows for column in labels.values()):
        return dict(given), ()  # an error, which whoever compares them explains
    reading, where = Reading(missing), Where(source)
    found, absent = reading.kind.of_values(labels, where)
    if reading.missing.exclude and "y_proba" in arrays:
        arrays["y_proba"] = _by_column(arrays["y_proba"])
    for name in ("y_score", "y_proba", "sample_weight"):
        mask = _absent(arrays.get(name), name, source, every=reading.missing.exclude)
        if mask is not None and len(mask) == num_rows:
            absent[name] = mask
    complete = reading.missing.complete(absent, num_rows, where)
    reading.missing.require_handled(source)
    if complete is None and reading.kind.kind != "truth":
        return dict(given), reading.notes()
    kept = {name: array for name, array in arrays.items() if name not in found}
    proba = kept.pop("y_proba", None)
    rows = without_rows(found | {name: plain_column(array, name, source) for name, array in kept.items()}, complete)
    if isinstance(proba, Mapping):
        rows["y_proba"] = without_rows(proba, complete)
    elif proba is not None:
        rows["y_proba"] = proba if complete is None else proba[complete]
    return {name: rows.get(name) for name in given}, reading.notes()


def _by_column(proba: Any) -> Any:
    """Return probabilities as columns by label, or as a matrix if their columns have no names."""
    names = list(proba) if isinstance(proba, Mapping) else frame_columns(proba)
    if names is None:
        return number_matrix(proba, "probability", "y_proba")
    columns = {name: proba[name] if isinstance(proba, Mapping) else frame_column(proba, name) for name in names}
    return {name: number_column(column, f"probability of {name}", "y_proba") for name, column in columns.items()}


def _absent(given: Any, name: str, source: str, *, every: bool) -> BoolArray | None:
    """Return which rows lack a number; unless `every` column is asked for, of arrays of numbers only."""
    if isinstance(given, Mapping):
        columns = [np.isnan(column) for column in given.values()] if every else []
        same = len({len(column) for column in columns}) == 1
        return np.any(np.stack(columns), axis=0) if same else None
    if isinstance(given, np.ndarray) and given.dtype.kind == "f" and given.ndim in (1, 2):
        return np.asarray(np.isnan(given).any(axis=tuple(range(1, given.ndim))), dtype=np.bool_)
    if given is None or not every or name == "y_proba":
        return None
    return np.isnan(number_column(given, name, source))
