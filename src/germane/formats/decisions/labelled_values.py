"""Columns of labels and of numbers, checked: every row has a value, and what must be a number is one.

Fields of text files become numbers only where all of them are: the labels of truth and predictions are looked at
together, so that ``1`` is the same label in both. A code such as ``007`` stays text. White space around a field does
not count. An empty field and ``nan`` are missing; so are ``NA``, ``null`` and ``none``, but only among numbers: among
words they are labels like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import InputError
from germane.formats.rows.number_text import number_of
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.labels import is_hashable

NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
MISSING = frozenset({"", "nan"})
MISSING_AMONG_NUMBERS = MISSING | {"na", "n/a", "null", "none"}
MISSING_HINT = "fill in the value or leave out the row: what is not known cannot be counted"


@dataclass(frozen=True)
class Where:
    """Where the rows of a table, or of a part of one, are: in which lines of which file, or which rows of what."""

    source: str
    lines: Sequence[Sequence[int]] | None = None
    """The number of the line of each row, in stretches. None: there are no lines, and rows are counted."""
    rows_before: int = 0

    def error(self, row: int, problem: str, hint: str | None = None) -> InputError:
        """An error about the row in this place (from 0)."""
        if self.lines is None:
            return InputError(self.source, None, f"{problem} in row {self.rows_before + row + 1}", hint=hint)
        for stretch in self.lines:
            if row < len(stretch):
                return InputError(self.source, stretch[row], problem, hint=hint)
            row -= len(stretch)
        raise AssertionError("a row that is in no line")

    def starts_file(self, row: int) -> bool:
        """Whether this row is the first line of its file."""
        return row == 0 and bool(self.lines) and self.lines is not None and self.lines[0][0] == 1


class LabelKind:
    """Whether the labels of a text file are numbers: settled by the first rows that are read, and kept to."""

    def __init__(self) -> None:
        self.numbers: bool | None = None

    def convert(self, columns: Mapping[str, list[str]], where: Where) -> dict[str, Any]:
        """The label columns of text fields: arrays of numbers where every label is one, else lists of text."""
        distinct = {name: {field: field.strip() for field in set(column)} for name, column in columns.items()}
        labels = {label for fields in distinct.values() for label in fields.values()}
        rest = {label for label in labels if label.lower() not in MISSING_AMONG_NUMBERS}
        numbers = bool(rest) and all(map(is_label_number, rest))
        if self.numbers is None:
            self.numbers = numbers
        self._reject_missing(columns, where)
        if self.numbers and not numbers:
            raise self._late_word(columns, where)
        if not self.numbers:
            return {name: list(map(distinct[name].__getitem__, column)) for name, column in columns.items()}
        whole = all(map(INTEGER.fullmatch, labels))
        dtype = np.int64 if whole else np.float64
        return {name: np.asarray(list(map(int if whole else float, column)), dtype) for name, column in columns.items()}

    def _reject_missing(self, columns: Mapping[str, list[str]], where: Where) -> None:
        words = MISSING_AMONG_NUMBERS if self.numbers else MISSING
        for name, column in columns.items():
            if any(field.strip().lower() in words for field in set(column)):
                row = next(row for row, field in enumerate(column) if field.strip().lower() in words)
                raise missing(name, column[row].strip(), row, where)

    def _late_word(self, columns: Mapping[str, list[str]], where: Where) -> InputError:
        for name, column in columns.items():
            for row, text in enumerate(column):
                if not is_label_number(text.strip()):
                    problem = f"expected a number in column {name!r}, as in all rows before, found {text!r}"
                    return where.error(row, problem, "reading in parts takes all labels for numbers or all for text")
        raise AssertionError("every label is a number")


def is_label_number(text: str) -> bool:
    """Whether a label is written as a number, and not as a code that only looks like one.

    >>> [is_label_number(text) for text in ("1", "-0.5", "1e3", "007", "cat", "1" * 100_000 + "x")]
    [True, True, True, False, False, False]
    >>> is_label_number("12345678901234567890")
    False
    """
    if not NUMBER.fullmatch(text):
        return False
    return not text.lstrip("+-").isdecimal() or INTEGER.fullmatch(text) is not None


def missing(name: str, found: object, row: int, where: Where) -> InputError:
    """What to say about a value that is not there."""
    is_null = found is None or str(found) == "<NA>"  # the latter is what pandas has, and it refuses to be compared
    said = "none (null)" if is_null else "an empty field" if found == "" else found
    return where.error(row, f"expected a value in column {name!r}, found {said}", MISSING_HINT)


def typed_labels(column: Any, name: str, where: Where) -> Any:
    """A column of labels that has types of its own (NumPy, Arrow, a list), if no value is missing."""
    if is_arrow(column):
        _reject_missing_in_arrow(column, name, where)
        return column
    if is_categorical(column):
        if (absent := np.asarray(column.isna())).any():
            raise missing(name, None, int(absent.argmax()), where)
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        absent = np.isnan(column) if column.dtype.kind == "f" else column == np.zeros(1, column.dtype)[0]
        if column.dtype.kind in "fUS" and absent.any():  # the zero of text is the empty text
            row = int(absent.argmax())
            raise missing(name, "NaN" if column.dtype.kind == "f" else "", row, where)
        return column
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    try:
        distinct: Iterable[Any] = set(values)
    except TypeError:
        row = next((row for row, value in enumerate(values) if not is_hashable(value)), 0)
        raise where.error(row, f"expected one label in column {name!r}, found {values[row]!r}") from None
    if any(map(_is_missing, distinct)):
        row = next(row for row, value in enumerate(values) if _is_missing(value))
        raise missing(name, values[row], row, where)
    return values


def numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    """A column of numbers; infinities are numbers (a logit may be one), NaN is not."""
    values = _arrow_numbers(column, name, role, where) if is_arrow(column) else _numbers(column, name, role, where)
    absent = np.isnan(values)
    if absent.any():
        row = int(absent.argmax())
        raise where.error(row, f"expected a number as {role} in column {name!r}, found NaN", MISSING_HINT)
    return values


def weights(column: Any, name: str, where: Where) -> FloatArray:
    """A column of weights: finite and not negative."""
    values = numbers(column, name, "weight", where)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise where.error(row, f"expected a weight of 0 or more in column {name!r}, found {values[row]:g}")
    return values


def is_arrow(column: Any) -> bool:
    """Whether this is an array of Arrow, whole or in chunks."""
    return hasattr(column, "null_count") and hasattr(column, "type")


def is_categorical(column: Any) -> bool:
    """Whether this is a column of categories of pandas, which may have an order to keep."""
    return str(getattr(column, "dtype", "")) == "category" and hasattr(column, "isna")


def _numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf" and column.ndim == 1:
        return column.astype(np.float64, copy=False)
    values = column.tolist() if hasattr(column, "tolist") else column
    if all(map(_is_number_kind, set(map(type, values)))):
        try:
            return np.asarray(values, dtype=np.float64)
        except OverflowError:
            problem = f"expected numbers as {role} in column {name!r}, found one beyond the largest float"
            raise InputError(where.source, None, problem) from None
    for row, value in enumerate(values):
        if _is_missing(value):
            raise missing(name, value, row, where)
        if not _is_number_kind(type(value)):
            raise where.error(row, f"expected a number as {role} in column {name!r}, found {value!r}")
    raise AssertionError("every value is a number")


def _is_number_kind(kind: type) -> bool:
    return kind is not bool and issubclass(kind, int | float | np.integer | np.floating)


def fields_to_numbers(fields: Sequence[str], name: str, role: str, where: Where) -> FloatArray:
    """Fields of a text file as numbers."""
    try:
        return np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        for row, field in enumerate(fields):
            text = field.strip()
            if text.lower() in MISSING_AMONG_NUMBERS:
                raise missing(name, text, row, where) from None
            if number_of(text) is None:
                hint = "if the first line is a header, give columns by name" if where.starts_file(row) else None
                if re.fullmatch(r"[-+]?\d+,\d+", text):
                    hint = "write decimals with a point, not with a comma"
                elif hint is None and role == "score":
                    hint = "a score is a number; for predicted labels use `predicted=…`"
                problem = f"expected a number as {role} in column {name!r}, found {text!r}"
                raise where.error(row, problem, hint) from None
        raise


def _arrow_numbers(column: Any, name: str, role: str, where: Where) -> FloatArray:
    import pyarrow as pa

    _reject_nulls(column, name, where)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        problem = f"expected numbers as {role} in column {name!r}, found a column of {kind}"
        raise InputError(where.source, None, problem)
    array: npt.NDArray[Any] = np.asarray(column.cast(pa.float64(), safe=False))  # whole numbers above 2**53 are rounded
    return array


def _reject_missing_in_arrow(column: Any, name: str, where: Where) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    _reject_nulls(column, name, where)
    if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
        raise missing(name, "NaN", pc.index(pc.is_nan(column), True).as_py(), where)
    if str(column.type) in ("string", "large_string") and pc.any(pc.equal(column, "")).as_py():
        raise missing(name, "", pc.index(pc.equal(column, ""), True).as_py(), where)


def _reject_nulls(column: Any, name: str, where: Where) -> None:
    if column.null_count:
        import pyarrow.compute as pc

        raise missing(name, None, pc.index(pc.is_null(column), True).as_py(), where)


def _is_missing(value: Any) -> bool:
    try:
        return value is None or value == "" or bool(value != value)  # noqa: PLR0124 (which is how NaN is told)
    except ValueError:
        return False  # an array does not say whether it differs from itself
    except TypeError:
        return True  # pandas' NA refuses to be compared
