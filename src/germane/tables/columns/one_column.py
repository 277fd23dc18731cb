"""One column of values, from lists, arrays, tensors, columns and frames of any library.

An unambiguous shape is accepted; an ambiguous one is an error that names both readings. Nothing else is a column: a
dict has ids, a set has no order, a text is one value.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Set
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns.ids import FloatArray

MAX_LISTED_COLUMNS = 5
"""Maximum number of columns listed in an error message."""


def library_of(given: object) -> str:
    """Return the library of an object's class, without importing it.

    >>> library_of(np.zeros(2)), library_of([1])
    ('numpy', 'builtins')
    """
    return type(given).__module__.partition(".")[0]


def one_column(given: Any, role: str, source: str = "values") -> Any:
    """Return one column: a list, a tuple, an array of one axis, or a column of pandas, polars or Arrow.

    A matrix or frame with one column is that column. A row, a matrix, a mapping or a single value is an error.

    >>> one_column(np.asarray([[1], [2]]), "score").tolist(), one_column(range(3), "score")
    ([1, 2], [0, 1, 2])
    >>> one_column(np.asarray([[1, 2]]), "score")
    Traceback (most recent call last):
    germane.errors.InputError: values: expected one column as score, found an array of shape (1, 2)
    Hint: it is 2 items in a row, or one item with 2 columns; for 2 items pass array.ravel()
    """
    if isinstance(given, list | tuple):
        return given
    dense = plain_array(given, role, source) if isinstance(given, np.ndarray) else dense_array(given, role, source)
    if dense is not None:
        return _one_axis(dense, role, source)
    names = frame_columns(given)
    if names is not None:
        if len(names) != 1:
            raise _several_columns(names, role, source)
        return frame_column(given, names[0])
    if library_of(given) in ("pandas", "polars", "pyarrow") and hasattr(given, "__len__"):
        return given
    is_array = hasattr(given, "__array__") and not isinstance(given, np.generic)
    if isinstance(given, str | bytes | PurePath | Mapping | Set) or not (is_array or isinstance(given, Iterable)):
        raise _not_a_column(given, role, source)
    if is_array:
        return _one_axis(np.asarray(given), role, source)
    return list(given)


def as_list(column: Any) -> list[Any]:
    """Return the values of a column from `one_column` as plain Python objects.

    >>> as_list(np.asarray([1, 2]))
    [1, 2]
    """
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)


def number_column(given: Any, role: str, source: str = "values") -> FloatArray:
    """Return one column of numbers in double precision; NaN and infinity are allowed.

    >>> number_column([1, 2.5], "score")
    array([1. , 2.5])
    """
    column = one_column(given, role, source)
    try:
        array = np.asarray(column)
        if array.ndim == 1 and array.dtype.kind in "biufO":
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError, np.exceptions.DTypePromotionError):
        raise InputError(source, None, f"expected a number as {role} in every row, found other values") from None
    if array.ndim == 1:
        raise InputError(source, None, f"expected a number as {role} in every row, found {_kind(array)}")
    return _one_axis(array, role, source).astype(np.float64)


def number_matrix(given: Any, role: str, source: str = "values") -> FloatArray:
    """Return rows × columns of numbers in double precision, from an array, a frame, a tensor or a list of rows.

    >>> number_matrix([[1, 2], [3, 4]], "feature").shape
    (2, 2)
    """
    numbers = number_array(given, role, source)
    if numbers.ndim != 2:
        found = f"found an array of shape {numbers.shape}"
        raise InputError(source, None, f"expected rows × columns of numbers as {role}, {found}")
    return numbers


def number_array(given: Any, role: str, source: str = "values") -> FloatArray:
    """Return numbers in double precision, with unchanged axes; a frame has rows and columns."""
    dense = dense_array(given, role, source)
    if dense is None:
        names = frame_columns(given)
        if names is not None:
            columns = [number_column(frame_column(given, name), str(name), source) for name in names]
            return np.stack(columns, axis=1) if columns else np.zeros((0, 0))
        if isinstance(given, str | bytes | PurePath | Mapping | Set) or not isinstance(given, Iterable):
            raise InputError(source, None, f"expected numbers as {role}, found {_shown(given)}")
        dense = plain_array(given, role, source) if isinstance(given, np.ndarray) else None
    try:
        array = dense if dense is not None else np.asarray(given if hasattr(given, "__array__") else list(given))
        if array.dtype.kind in "biufO":
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(source, None, f"expected a number as {role} in every row, found other values") from None
    raise InputError(source, None, f"expected a number as {role} in every row, found {_kind(array)}")


def plain_array(array: npt.NDArray[Any], role: str, source: str) -> npt.NDArray[Any]:
    """Return an array without a mask; a masked value is missing, which is an error."""
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array)
        if mask.any():
            row = int(np.argwhere(np.atleast_1d(mask))[0][0])
            problem = f"expected a value as {role} in every row, found a masked one in row {row + 1}"
            raise InputError(source, None, problem, hint="remove masked rows from every column: array[~mask]")
        return np.asarray(array.data)
    names = array.dtype.names or ()
    if len(names) > 1:
        raise _several_columns(list(names), role, source)
    return np.asarray(array[names[0]] if names else array)


def dense_array(given: Any, role: str, source: str) -> npt.NDArray[Any] | None:
    """Return a torch tensor, or a sparse SciPy matrix, as a NumPy array; None for anything else.

    A tensor is detached and copied to the host; bfloat16, which NumPy lacks, becomes single precision without loss.
    """
    if library_of(given) == "torch" and hasattr(given, "detach"):
        values = given.detach().cpu()
        try:
            return np.asarray((values.float() if str(values.dtype) == "torch.bfloat16" else values).numpy())
        except (RuntimeError, TypeError) as error:  # such as quantised or sparse ones
            problem = f"expected a dense tensor of numbers as {role}, found one of {given.dtype}"
            raise InputError(source, None, problem, hint="for example tensor.to_dense() or tensor.float()") from error
    if type(given).__module__.startswith("scipy.sparse") and hasattr(given, "toarray"):
        return np.asarray(given.toarray())
    return None


def frame_columns(given: Any) -> list[Any] | None:
    """Return the names of the columns of a data frame; None if it is not one.

    >>> frame_columns([1, 2]) is None
    True
    """
    if library_of(given) not in ("pandas", "polars", "pyarrow"):
        return None
    names = getattr(given, "column_names", None) or getattr(given, "columns", None)  # pyarrow's columns are arrays
    if names is None and hasattr(given, "schema") and hasattr(given, "num_rows"):
        return list(given.schema.names)  # a record batch without columns
    return None if names is None else list(names)


def frame_column(frame: Any, name: Any) -> Any:
    """Return one column of a data frame by its name."""
    return frame.column(name) if library_of(frame) == "pyarrow" else frame[name]


def _one_axis(array: npt.NDArray[Any], role: str, source: str) -> npt.NDArray[Any]:
    found, hint = f"an array of shape {array.shape}", None
    match array.shape:
        case (_,):
            return array
        case (_, 1):
            return array.ravel()
        case ():
            found = f"a single value: {array.item()!r}"
        case (1, n):
            hint = f"it is {n} items in a row, or one item with {n} columns; for {n} items pass array.ravel()"
        case (_, _):
            hint = "choose a column, such as array[:, 0]"
    raise InputError(source, None, f"expected one column as {role}, found {found}", hint=hint)


def _several_columns(names: list[Any], role: str, source: str) -> InputError:
    listed = ", ".join(map(repr, names[:MAX_LISTED_COLUMNS])) + ", …" * (len(names) > MAX_LISTED_COLUMNS)
    found = f"{len(names)}: {listed}" if names else "none"
    hint = f"choose one, such as frame[{names[0]!r}]" if names else None
    return InputError(source, None, f"expected one column as {role}, found {found}", hint=hint)


def _not_a_column(given: Any, role: str, source: str) -> InputError:
    hint = "a set has no order: pass a list" if isinstance(given, Set) else None
    if isinstance(given, Mapping):
        hint = "pass every column as {id: value}, or all of them as lists"
    return InputError(source, None, f"expected one column as {role}, found {_shown(given)}", hint=hint)


def _shown(given: Any) -> str:
    return f"{reprlib.repr(given)} ({type(given).__name__})"


def _kind(array: npt.NDArray[Any]) -> str:
    return "text" if array.dtype.kind in "SUT" else f"an array of {array.dtype}"
