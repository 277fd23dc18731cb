"""Check training rows: features, a grade or label for each, and the query of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import number_column, number_matrix, one_column


def checked_features(given: Any, *, columns: int | None = None) -> FloatArray:
    """Return features as finite floats, one row per document, with as many columns as the model was fitted on.

    >>> checked_features([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
        ...
    germane.errors.GermaneError: expected finite features, found nan in row 2, column 2
    Hint: 1 of 4 values is not finite; impute missing values first (0, a mean, an indicator column)
    """
    features = np.ascontiguousarray(number_matrix(given, "feature", "X"))
    if columns is not None and features.shape[1] != columns:
        problem = f"expected {columns} features as in training, found {features.shape[1]}"
        hint = "pass the features of the training rows, in the same order"
        raise GermaneError(problem, hint=hint)
    is_finite = np.isfinite(features)
    if not is_finite.all():
        row, column = (int(place[0]) for place in np.nonzero(~is_finite))
        wrong = int((~is_finite).sum())
        raise GermaneError(
            f"expected finite features, found {features[row, column]} in row {row + 1}, column {column + 1}",
            hint=f"{wrong:,} of {features.size:,} values {'is' if wrong == 1 else 'are'} not finite; "
            "impute missing values first (0, a mean, an indicator column)",
        )
    return features


def checked_grades(given: Any, rows: int) -> FloatArray:
    """Return grades as finite numbers, one for each row.

    >>> checked_grades([1, 0], 3)
    Traceback (most recent call last):
        ...
    germane.errors.GermaneError: expected a grade for each of 3 rows, found 2
    """
    grades = number_column(given, "grade", "y")
    _require_one_each(grades, rows, "grade")
    if not np.isfinite(grades).all():
        row = int(np.flatnonzero(~np.isfinite(grades))[0])
        raise GermaneError(f"expected a finite grade, found {grades[row]} in row {row + 1}")
    return grades


def checked_labels(given: Any, rows: int) -> npt.NDArray[Any]:
    """Return labels of any sortable kind, one for each row."""
    labels = _array(given, "label", "y")
    _require_one_each(labels, rows, "label")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise GermaneError(f"expected a label, found nan in row {int(np.flatnonzero(np.isnan(labels))[0]) + 1}")
    if labels.dtype.kind not in "biufU":
        kinds = {type(label).__name__ for label in labels.tolist()}
        if kinds != {"str"}:
            raise GermaneError(f"expected labels that are all numbers or all text, found {', '.join(sorted(kinds))}")
        labels = labels.astype(np.str_)
    return labels


def query_numbers(given: Any, rows: int) -> IntArray:
    """Return the query of each row as a number from 0; queries may be numbers or names, with rows in any order.

    >>> query_numbers(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    """
    queries = _array(given, "query", "query")
    if queries.shape != (rows,):
        hint = "turn group sizes into queries with np.repeat(np.arange(len(sizes)), sizes)"
        raise GermaneError(f"expected a query for each of {rows} rows, found {_shown(queries)}", hint=hint)
    if queries.dtype.kind == "f" and np.isnan(queries).any():
        raise GermaneError(f"expected a query, found nan in row {int(np.flatnonzero(np.isnan(queries))[0]) + 1}")
    try:
        return np.unique(queries, return_inverse=True)[1].reshape(rows).astype(np.int64)
    except TypeError:
        raise GermaneError("expected queries that are all numbers or all text, found both") from None


def _array(given: Any, role: str, source: str) -> npt.NDArray[Any]:
    column = one_column(given, role, source)
    try:
        return np.asarray(column)
    except ValueError:
        raise GermaneError(f"expected one {role} for each row, found rows of several lengths") from None


def _require_one_each(values: npt.NDArray[Any], rows: int, what: str) -> None:
    if values.shape != (rows,):
        raise GermaneError(f"expected a {what} for each of {rows} rows, found {_shown(values)}")


def _shown(values: npt.NDArray[Any]) -> str:
    return str(len(values)) if values.ndim == 1 else f"an array of shape {values.shape}"
