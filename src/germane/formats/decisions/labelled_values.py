"""Columns of numbers: scores, weights and probabilities, with NaN where a value is missing; and where rows are found.

White space around a field is ignored. Which texts are missing values, `missing_values` says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.formats.decisions.missing_values import MISSING_AMONG_VALUES, is_missing
from germane.formats.rows.number_text import number_of
from germane.tables.columns.id_columns import decoded, from_decimals
from germane.tables.columns.ids import FloatArray

DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Where:
    """Location of the rows of a table or a part of one: source and line numbers, or row numbers."""

    source: str
    lines: Sequence[Sequence[int]] | None = None
    """Line number of each row, in blocks; None if the source has no lines, so that rows are counted."""
    rows_before: int = 0

    def error(self, row: int, problem: str, hint: str | None = None) -> InputError:
        """Return an error about the row with this index, from 0."""
        if self.lines is None:
            return InputError(self.source, None, f"{problem} in row {self.rows_before + row + 1}", hint=hint)
        for stretch in self.lines:
            if row < len(stretch):
                return InputError(self.source, stretch[row], problem, hint=hint)
            row -= len(stretch)
        raise AssertionError("a row without a line")

    def starts_file(self, row: int) -> bool:
        """Return whether this row is the first line of its file."""
        return row == 0 and bool(self.lines) and self.lines is not None and self.lines[0][0] == 1


def numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    """Return a column of numbers, NaN where a value is missing; infinite values are allowed (a logit may be)."""
    return _arrow_numbers(column, name, role, where) if is_arrow(column) else _numbers(column, name, role, where)


def weights(column: Any, name: str, where: Where) -> FloatArray:
    """Return a column of weights, which must be finite and not negative, NaN where one is missing."""
    values = numbers(column, name, "weight", where)
    bad = ~(np.isfinite(values) & (values >= 0) | np.isnan(values))
    if bad.any():
        row = int(bad.argmax())
        raise where.error(row, f"expected a finite weight ≥ 0 in column {name!r}, found {values[row]:g}")
    return values


def is_arrow(column: Any) -> bool:
    """Return whether this is an Arrow array, chunked or not."""
    return hasattr(column, "null_count") and hasattr(column, "type")


def is_categorical(column: Any) -> bool:
    """Return whether this is a pandas categorical column, whose category order must be kept."""
    return str(getattr(column, "dtype", "")) == "category" and hasattr(column, "isna")


def _numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf" and column.ndim == 1:
        return column.astype(np.float64, copy=False)
    values = column.tolist() if hasattr(column, "tolist") else column
    if not all(map(_is_number_kind, set(map(type, values)))):
        values = [_number_or_nan(value, row, name, role, where) for row, value in enumerate(values)]
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        problem = f"expected numbers as {role} in column {name!r}, found one too large for a float"
        raise InputError(where.source, None, problem) from None


def _number_or_nan(value: Any, row: int, name: str, role: str, where: Where) -> Any:
    """Return a number, NaN if it is missing; anything else is an error."""
    if _is_number_kind(type(value)):
        return value
    if is_missing(value) or (isinstance(value, str) and value.strip().lower() in MISSING_AMONG_VALUES):
        return np.nan
    raise where.error(row, f"expected a number as {role} in column {name!r}, found {value!r}")


def _is_number_kind(kind: type) -> bool:
    return kind is not bool and issubclass(kind, int | float | np.integer | np.floating)


def fields_to_numbers(fields: Sequence[str], name: str, role: str, where: Where, decimal: str = ".") -> FloatArray:
    """Convert fields of a text file to numbers, NaN where a value is missing."""
    try:
        if decimal == ".":
            return np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        pass
    return np.fromiter(
        (_field_to_number(field.strip(), row, name, role, where, decimal) for row, field in enumerate(fields)),
        np.float64,
        len(fields),
    )


def _field_to_number(field: str, row: int, name: str, role: str, where: Where, decimal: str) -> float:
    if field.lower() in MISSING_AMONG_VALUES:
        return np.nan
    number = number_of(field if decimal == "." else with_point(field))
    if number is not None:
        return number
    hint = "if the first line is a header, use column names" if where.starts_file(row) else None
    expected = "a number" if decimal == "." else "a number with a decimal comma"
    if decimal == "." and DECIMAL_COMMA.fullmatch(field):
        hint = 'use `decimal=","` if the comma is a decimal point'
    elif decimal != "." and number_of(field) is not None:
        hint = "remove `decimal=`, or write all numbers with a comma"
    elif hint is None and role == "score":
        hint = "for predicted labels use `predicted=…`"
    raise where.error(row, f"expected {expected} as {role} in column {name!r}, found {field!r}", hint)


def with_point(number: str) -> str:
    """Return a number with a decimal comma as one with a point, and no text at all for one that has a point already.

    >>> with_point("0,93"), with_point("1.234,5")
    ('0.93', '')
    """
    return "" if "." in number else number.replace(",", ".")


def _arrow_numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        problem = f"expected numbers as {role} in column {name!r}, found a column of {kind}"
        raise InputError(where.source, None, problem)
    if pa.types.is_decimal(kind):
        column = from_decimals(decoded(column))
    array: npt.NDArray[Any] = np.asarray(column.cast(pa.float64(), safe=False))  # integers above 2**53 are rounded
    return array  # NaN where a value is null
