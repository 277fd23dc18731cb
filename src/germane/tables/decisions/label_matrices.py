"""Matrices of items × labels: of 0 and 1 as scikit-learn has them, and of scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import (
    dense_array,
    frame_column,
    frame_columns,
    number_column,
    number_matrix,
    plain_array,
)
from germane.tables.decisions.confusion import Label

SOURCE = "label sets"
"""Name of these data in errors."""
INDICATOR_HINT = "1 means that an item (row) has a label (column); decide first, such as probabilities >= 0.5"


@dataclass(frozen=True, eq=False)
class NamedMatrix:
    """A matrix of items × labels with the names of its columns."""

    names: tuple[Label, ...]
    values: npt.NDArray[Any]


def indicator_matrix(given: Any, role: str) -> BoolArray:
    """Return a matrix of 0 and 1, items × labels, as truth values; any other value is an error.

    >>> indicator_matrix([[1, 0], [0, 1]], "truth").tolist()
    [[True, False], [False, True]]
    """
    dense = dense_array(given, role, SOURCE)
    if dense is None and (names := frame_columns(given)) is not None:
        columns = [np.asarray(frame_column(given, name)) for name in names]
        dense = np.stack(columns, axis=1) if columns else np.zeros((0, 0))
    elif dense is None and isinstance(given, np.ndarray):
        dense = plain_array(given, role, SOURCE)
    elif dense is None:
        dense = _of_rows(given, role)
    if dense.ndim != 2:
        raise wrong_labels(f"expected items × labels as {role}, found an array of shape {dense.shape}")
    fits = (dense == 0) | (dense == 1) if dense.dtype.kind in "biufO" else np.zeros(dense.shape, dtype=np.bool_)
    if not fits.all():
        row, column = np.argwhere(~fits)[0].tolist()
        found = f"found {dense[row, column]!r} in row {row + 1}, column {column + 1}"
        raise wrong_labels(f"expected 0 or 1 for each item and label as {role}, {found}", INDICATOR_HINT)
    return np.asarray(dense.astype(np.bool_))


def score_matrix(given: Any, role: str) -> FloatArray:
    """Return a matrix of scores, items × labels; infinite scores are allowed, missing ones are not.

    >>> score_matrix({"cat": [0.5, 1], "dog": [0, 0.25]}, "scores").tolist()
    [[0.5, 0.0], [1.0, 0.25]]
    """
    if isinstance(given, Mapping):
        columns = [number_column(column, f"{role} of {name!r}", SOURCE) for name, column in given.items()]
        if len({len(column) for column in columns}) > 1:
            sizes = ", ".join(f"{len(column)} of {name!r}" for name, column in zip(given, columns, strict=True))
            raise wrong_labels(f"expected columns of equal length as {role}, found {sizes}")
        found = np.stack(columns, axis=1) if columns else np.zeros((0, 0))
    elif isinstance(given, list | tuple):
        found = number_matrix(_of_rows(given, role), role, SOURCE)
    else:
        found = number_matrix(given, role, SOURCE)
    if (absent := np.isnan(found)).any():
        row, column = np.argwhere(absent)[0].tolist()
        raise wrong_labels(f"expected a number as {role}, found NaN in row {row + 1}, column {column + 1}")
    return found


def _of_rows(given: Any, role: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:
        rows = [*given]
        sizes = [len(row) if hasattr(row, "__len__") else 1 for row in rows]
        at = next((row for row, size in enumerate(sizes) if size != sizes[0]), 0)
        found = f"found rows of several lengths: {sizes[0]} in row 1, {sizes[at]} in row {at + 1}"
        raise wrong_labels(f"expected items × labels as {role}, {found}") from None


def wrong_labels(problem: str, hint: str | None = None) -> InputError:
    """Return an error about sets of labels."""
    return InputError(SOURCE, None, problem, hint=hint)
