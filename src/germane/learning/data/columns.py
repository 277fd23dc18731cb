"""Columns of a table with missing values, from a data frame, an array or a list of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import as_list, dense_array, frame_column, frame_columns, one_column, plain_array

Column = Sequence[Any] | npt.NDArray[Any]
Category = str | int | float | bool


def columns_of(X: Any) -> tuple[list[str], list[Column]]:
    """Return the names and values of the columns.

    >>> columns_of([[1, "a"], [None, "b"]])
    (['column 0', 'column 1'], [(1, None), ('a', 'b')])
    """
    frame = frame_columns(X)
    if frame is not None:
        names = [str(name) for name in frame]
        columns: list[Column] = [as_list(frame_column(X, name)) for name in frame]
    else:
        array = dense_array(X, "feature", "X")
        if array is None and hasattr(X, "__array__"):
            array = X if isinstance(X, np.ndarray) else np.asarray(X)
        columns = _list_columns(_rows_of(X)) if array is None else _array_columns(plain_array(array, "feature", "X"))
        names = [f"column {place}" for place in range(len(columns))]
    if not columns or not len(columns[0]):
        hint = None
        if hasattr(X, "shape"):
            hint = f"X has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required; add a column"
        raise InputError("X", None, "expected rows with at least one column, found none", hint=hint)
    return names, columns


def _rows_of(X: Any) -> list[list[Any]]:
    """Return the rows of a list or iterable, each as a list."""
    rows = [*one_column(X, "rows", "X")]
    for number, row in enumerate(rows):
        if isinstance(row, str | bytes | Mapping | Set) or not isinstance(row, Iterable):
            hint = "give one row per item and one column per feature; a single feature is [[1], [2], [3]]"
            raise InputError("X", None, f"row {number}: expected a list of values, found {row!r}", hint=hint)
    return [list(row) for row in rows]


def _array_columns(X: npt.NDArray[Any]) -> list[Column]:
    if X.ndim != 2:
        hint = "Reshape your data: X.reshape(-1, 1) for one column, X.reshape(1, -1) for one row"
        raise InputError("X", None, f"expected rows × columns, found shape {X.shape}", hint=hint)
    if X.dtype.kind == "c":
        hint = "use X.real and X.imag as columns; Complex data not supported"
        raise InputError("X", None, "expected real numbers, found complex ones", hint=hint)
    if X.dtype.kind == "U" and (lost := np.isin(X, ["nan", "None"])).any():
        row, place = np.argwhere(lost)[0].tolist()
        found = f"row {row}, column {place}: {str(X[row, place])!r} in an array of text may have been a missing value"
        raise InputError("X", None, found, hint="use np.array(…, dtype=object), which keeps None and NaN")
    return list(X.T)


def _list_columns(rows: list[list[Any]]) -> list[Column]:
    if wrong := [number for number, row in enumerate(rows) if len(row) != len(rows[0])]:
        found = len(rows[wrong[0]])
        raise InputError("X", None, f"row {wrong[0]}: expected {len(rows[0])} values as in row 0, found {found}")
    return list(zip(*rows, strict=True))


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT.

    >>> [is_missing(value) for value in (None, float("nan"), 0, "", "nan")]
    [True, True, False, False, False]
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def is_numeric(column: Column) -> bool:
    """Whether all observed values are numbers; booleans are categories.

    >>> is_numeric([1, None, 2.5]), is_numeric([1, "a"]), is_numeric([True, False])
    (True, False, False)
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return True
    numbers = (int, float, np.integer, np.floating)
    return all(is_missing(value) or (isinstance(value, numbers) and not isinstance(value, bool)) for value in column)


def numbers_of(column: Column, name: str, hint: str | None = None) -> FloatArray:
    """Return a column as floats, NaN where missing; `hint` is that of the error about other values.

    >>> numbers_of([1, None, 2.5], "pH")
    array([1. , nan, 2.5])
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        values = column.astype(np.float64)
    else:
        values = np.full(len(column), np.nan)
        for row, value in enumerate(column):
            if is_missing(value):
                continue
            if not isinstance(value, int | float | np.integer | np.floating | np.bool_):
                raise InputError(name, None, f"row {row}: expected a number, found {value!r}", hint=hint)
            values[row] = float(value)
    if np.isinf(values).any():
        raise InputError(name, None, f"row {np.argmax(np.isinf(values))}: expected a finite number, found infinity")
    return values


def categories_of(column: Column, name: str) -> list[Category | None]:
    """Return a column of categories as Python values, None where missing.

    >>> categories_of(np.asarray([1.0, np.nan]), "floor")
    [1.0, None]
    """
    values = column.tolist() if isinstance(column, np.ndarray) else column
    found = [None if is_missing(v) else v.item() if isinstance(v, np.generic) else v for v in values]
    for row, value in enumerate(found):
        if value is not None and not isinstance(value, Category):
            raise InputError(name, None, f"row {row}: expected a category as text or number, found {value!r}")
    return found


def labels_of(y: Any) -> list[Any]:
    """Return one column of labels, some of which may be missing."""
    return as_list(one_column(y, "label", "y"))


def class_labels(y: Any, rows: int) -> npt.NDArray[Any]:
    """Return labels, one per row, none missing; all text or all numbers."""
    given = labels_of(y)
    if len(given) != rows:
        raise InputError("y", None, f"expected {rows} labels, one for each row; found {len(given)}")
    if absent := [row for row, value in enumerate(given) if is_missing(value)]:
        hint = "remove the row, or label it with PartitioningTransduction"
        raise InputError("y", None, f"row {absent[0]}: missing label", hint=hint)
    if len({isinstance(value, str) for value in given}) > 1:
        raise InputError("y", None, "expected labels that are all text or all numbers, found both")
    for row, value in enumerate(given):
        if not isinstance(value, Category | np.generic):
            raise InputError("y", None, f"row {row}: expected a label as text or number, found {value!r}")
    return np.asarray(given)
