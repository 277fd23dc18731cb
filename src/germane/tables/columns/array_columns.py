"""One column of any library, as ids or as numbers: lists, NumPy arrays, Arrow arrays.

A missing value, a Boolean or NaN is never converted to something else: it is an `InputError`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.tables.columns import id_columns
from germane.tables.columns.ids import FloatArray, Ids, first_row
from germane.tables.columns.one_column import one_column
from germane.tables.columns.stretches import Stretches

NUMBERS = (int, float, np.integer, np.floating)
FLOAT_MAX = int(np.finfo(np.float64).max)
ID_HINT = "use text, bytes or integers as ids"


def as_queries(column: Any, source: str) -> tuple[Ids, Stretches]:
    """Return the distinct queries, and the stretches of rows of each."""
    column = one_column(column, "query", source)
    if not _is_arrow(column):
        column = _as_array(column)
        if column.dtype.kind == "S":
            _require_filled(column == b"", "query", source)
        if column.dtype.kind in "iuS":
            return id_columns.encode_plain(column)
    return id_columns.encode_queries(as_ids(column, "query", source))


def as_ids(column: Any, role: str, source: str, *, empty: bool = False) -> Ids:
    """Return a column of ids; with `empty`, some may be empty text."""
    column = one_column(column, f"{role} id", source)
    ids = _arrow_ids(column, role, source) if _is_arrow(column) else _plain_ids(_as_array(column), role, source)
    if not empty and not isinstance(ids, id_columns.DecimalIds):
        is_empty = ids.column[:, 0] == 0 if isinstance(ids, id_columns.PaddedIds) else np.diff(ids.offsets) == 0
        _require_filled(is_empty, role, source)
    return ids


def given_ids(column: Any, role: str, source: str, *, empty: bool = False) -> Ids:
    """Return a column of ids, which may be `Ids` already."""
    return column if isinstance(column, Ids) else as_ids(column, role, source, empty=empty)


def as_groups(column: Any, source: str) -> Ids:
    """Return a column of groups (subtopics), which are ids too."""
    return as_ids(column, "group", source)


def as_tags(column: Any, source: str) -> tuple[str, ...]:
    """Return the distinct tags of a column, in order of first appearance."""
    return tuple(id_columns.encode_queries(as_ids(column, "tag", source))[0])


def as_numbers(column: Any, role: str, source: str) -> FloatArray:
    """Return a column of finite numbers."""
    column = one_column(column, role, source)
    array = _arrow_numbers(column, role, source) if _is_arrow(column) else _plain_numbers(column, role, source)
    values = array.astype(np.float64, copy=False)
    if (row := first_row(~np.isfinite(values))) is not None:
        problem = f"expected a finite number as {role} in every row, found {values[row]} in row {row + 1}"
        raise InputError(source, None, problem)
    return values


def _is_arrow(column: Any) -> bool:
    return hasattr(column, "combine_chunks") or (hasattr(column, "buffers") and hasattr(column, "null_count"))


def _as_array(column: Any) -> npt.NDArray[Any]:
    if isinstance(column, list | tuple):
        array = np.empty(len(column), dtype=object)  # np.asarray would make text of [1, "a"], and numbers of [True, 2]
        array[:] = column
        return array
    return np.asarray(column)


def _require_filled(is_empty: npt.NDArray[np.bool_], role: str, source: str) -> None:
    if (row := first_row(is_empty)) is not None:
        found = f"found an empty one in row {row + 1}"
        raise InputError(source, None, f"expected the id of a {role} in every row, {found}")


def _plain_ids(array: npt.NDArray[Any], role: str, source: str) -> Ids:
    if array.dtype.kind in "iu":
        return id_columns.from_integers(array)
    if array.dtype.kind in "SU":
        try:
            return id_columns.from_fixed_width(array)
        except ValueError as error:  # of which UnicodeError is one
            problem = f"expected text as {role} ids, found values that are not valid text"
            raise InputError(source, None, problem) from error
    if array.dtype.kind not in "OT":
        raise InputError(source, None, f"expected text as {role} ids, found an array of {array.dtype}", hint=ID_HINT)
    values = array.tolist()
    if found := _first_not_of(values, (str, bytes, int, np.integer)):
        raise InputError(source, None, f"expected text as {role} ids, {found}", hint=ID_HINT)
    try:
        return Ids.of(values)
    except UnicodeEncodeError as error:
        problem = f"expected text as {role} ids, found {error.object!r}, which cannot be encoded as UTF-8"
        raise InputError(source, None, problem) from None


def _arrow_ids(column: Any, role: str, source: str) -> Ids:
    import pyarrow as pa

    kind = _arrow_kind(column, role, source)
    if not (pa.types.is_integer(kind) or id_columns.is_text(kind)):
        raise InputError(source, None, f"expected text as {role} ids, found a column of {kind}", hint=ID_HINT)
    return id_columns.from_arrow(column)


def _plain_numbers(column: Any, role: str, source: str) -> npt.NDArray[Any]:
    values = column  # a list of plain numbers, the common case, is not worth an array of objects
    if not isinstance(column, list):
        array = _as_array(column)
        if array.dtype.kind in "iuf":
            return array
        if array.dtype.kind != "O":
            raise InputError(source, None, f"expected numbers as {role}, found an array of {array.dtype}")
        values = array.tolist()
    if found := _first_not_of(values, NUMBERS):
        raise InputError(source, None, f"expected a number as {role} in every row, {found}")
    try:
        return np.fromiter(values, dtype=np.float64, count=len(values))
    except OverflowError:
        row = next(row for row, value in enumerate(values) if abs(value) > FLOAT_MAX)
        problem = f"expected a finite number as {role} in every row, found one too large in row {row + 1}"
        raise InputError(source, None, problem) from None


def _first_not_of(values: list[Any], kinds: tuple[type, ...]) -> str:
    """Return a description of the first value that has none of these types, or is a Boolean; empty if there is none."""
    for kind in set(map(type, values)):
        if kind is bool or not issubclass(kind, kinds):
            row = next(row for row, value in enumerate(values) if type(value) is kind)
            return f"found {values[row]!r} ({kind.__name__}) in row {row + 1}"
    return ""


def _arrow_numbers(column: Any, role: str, source: str) -> npt.NDArray[Any]:
    import pyarrow as pa

    kind = _arrow_kind(column, role, source)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(source, None, f"expected numbers as {role}, found a column of {kind}")
    column = id_columns.decoded(column)
    if pa.types.is_decimal(kind):
        column = id_columns.from_decimals(column)
    return id_columns.numbers_of(column)


def _arrow_kind(column: Any, role: str, source: str) -> Any:
    """Return the type of a column without missing values."""
    import pyarrow as pa

    if column.null_count:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(column), True).as_py()
        raise InputError(source, None, f"expected a {role} in every row, found none (null) in row {row + 1}")
    return column.type.value_type if pa.types.is_dictionary(column.type) else column.type
