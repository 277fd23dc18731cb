"""Check columns of labels and of numbers: every row has a value, and numeric columns contain numbers.

Fields of text files become numbers only if all of them are: true and predicted labels are considered together, so that
``1`` is the same label in both. A code such as ``007`` stays text. White space around a field is ignored. An empty
field and ``nan`` are missing values; so are ``NA``, ``null`` and ``none``, but only among numbers: among words they are
ordinary labels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.formats.rows.number_text import number_of
from germane.tables.columns.id_columns import decoded, from_decimals
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.labels import is_hashable

NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
MISSING = frozenset({"", "nan"})
MISSING_AMONG_NUMBERS = MISSING | {"na", "n/a", "null", "none"}
MISSING_HINT = "fill in the value or remove the row"


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


@dataclass(frozen=True, eq=False)
class CodedText:
    """A column of text fields as codes of the distinct ones, which may be repeated.

    >>> list(CodedText.of(["x", " x", "x"]))
    ['x', ' x', 'x']
    """

    values: list[str]
    codes: npt.NDArray[np.int32]

    @classmethod
    def of(cls, fields: list[str] | CodedText) -> CodedText:
        """Return the codes of a list of fields."""
        if isinstance(fields, CodedText):
            return fields
        codes, firsts = kernels.encode_objects(fields)
        return cls([fields[row] for row in firsts.tolist()], codes)

    @classmethod
    def of_bytes(cls, values: Sequence[bytes], codes: npt.NDArray[np.int32]) -> CodedText:
        """Return the column from the bytes of the distinct fields."""
        return cls([value.decode("utf-8", "surrogateescape") for value in values], codes)

    @classmethod
    def joined(cls, parts: Sequence[CodedText]) -> CodedText:
        """Return the columns one after the other."""
        place: dict[str, int] = {}
        codes = []
        for part in parts:
            places = [place.setdefault(value, len(place)) for value in part.values]
            same = places == list(range(len(places)))
            codes.append(part.codes if same else np.asarray(places, dtype=np.int32)[part.codes])
        return cls(list(place), np.concatenate(codes))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice) -> CodedText:
        return CodedText(self.values, self.codes[rows])

    def __iter__(self) -> Iterator[str]:
        return iter(self.replaced(self.values))

    def replaced(self, values: Sequence[str]) -> list[str]:
        """Return a list with these values instead of the distinct fields."""
        objects = np.empty(len(values), dtype=object)
        objects[:] = values
        found: list[str] = objects[self.codes].tolist()
        return found

    def distinct(self) -> dict[str, str]:
        """Return the fields that occur, with the text that each stands for: without white space around it."""
        present = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return {value: value.strip() for value, count in zip(self.values, present, strict=True) if count}

    def first_row(self, fields: Set[str]) -> int:
        """Return the first row that has one of these fields."""
        wanted = np.asarray([value in fields for value in self.values], dtype=np.bool_)
        return int(wanted[self.codes].argmax())


class LabelKind:
    """Whether the labels of a text file are numbers, as decided by the first rows read."""

    def __init__(self) -> None:
        self.numbers: bool | None = None

    def convert(self, columns: Mapping[str, list[str] | CodedText], where: Where) -> dict[str, Any]:
        """Convert label columns of text fields: arrays of numbers if every label is one, else lists of text."""
        coded = {name: CodedText.of(column) for name, column in columns.items()}
        distinct = {name: column.distinct() for name, column in coded.items()}
        labels = {label for fields in distinct.values() for label in fields.values()}
        rest = {label for label in labels if label.lower() not in MISSING_AMONG_NUMBERS}
        numbers = bool(rest) and all(map(is_label_number, rest))
        if self.numbers is None:
            self.numbers = numbers
        words = MISSING_AMONG_NUMBERS if self.numbers else MISSING
        for name, fields in distinct.items():
            if absent := {field for field, label in fields.items() if label.lower() in words}:
                row = coded[name].first_row(absent)
                raise missing(name, _field_at(coded[name], row).strip(), row, where)
        if self.numbers and not numbers:
            raise self._late_word(coded, distinct, where)
        if not self.numbers:
            return {name: column.replaced([value.strip() for value in column.values]) for name, column in coded.items()}
        whole = all(map(INTEGER.fullmatch, labels))
        number: Callable[[str], float] = int if whole else float
        return {
            # A field that does not occur in these rows may be any text.
            name: np.asarray(
                [number(field) if field in distinct[name] else 0 for field in column.values],
                np.int64 if whole else np.float64,
            )[column.codes]
            for name, column in coded.items()
        }

    def typed(self, column: Any, name: str, where: Where) -> Any:
        """Return a typed column of labels, after checking that no value is missing."""
        return typed_labels(column, name, where)

    def _late_word(
        self, columns: Mapping[str, CodedText], distinct: Mapping[str, Mapping[str, str]], where: Where
    ) -> InputError:
        for name, column in columns.items():
            if words := {field for field, label in distinct[name].items() if not is_label_number(label)}:
                row = column.first_row(words)
                problem = (
                    f"expected a number in column {name!r}, as in all previous rows, found {_field_at(column, row)!r}"
                )
                return where.error(
                    row,
                    problem,
                    "use only numbers or only text as labels, or read all rows at once",
                )
        raise AssertionError("every label is a number")


def _field_at(column: CodedText, row: int) -> str:
    return column.values[int(column.codes[row])]


def is_label_number(text: str) -> bool:
    """Return whether a label is a number, and not a code that only looks like one.

    >>> [is_label_number(text) for text in ("1", "-0.5", "1e3", "007", "cat", "1" * 100_000 + "x")]
    [True, True, True, False, False, False]
    >>> is_label_number("12345678901234567890")
    False
    """
    if not NUMBER.fullmatch(text):
        return False
    return not text.lstrip("+-").isdecimal() or INTEGER.fullmatch(text) is not None


def missing(name: str, found: object, row: int, where: Where) -> InputError:
    """Return the error about a missing value."""
    is_null = found is None or str(found) == "<NA>"  # the latter is pandas' NA, which cannot be compared
    shown = "none (null)" if is_null else "an empty field" if found == "" else found
    return where.error(row, f"expected a value in column {name!r}, found {shown}", MISSING_HINT)


def typed_labels(column: Any, name: str, where: Where) -> Any:
    """Return a typed column of labels (NumPy, Arrow, a list), after checking that no value is missing."""
    if is_arrow(column):
        _reject_missing_in_arrow(column, name, where)
        return column
    if is_categorical(column):
        if (absent := np.asarray(column.isna())).any():
            raise missing(name, None, int(absent.argmax()), where)
        return column
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        absent = np.isnan(column) if column.dtype.kind == "f" else column == np.zeros(1, column.dtype)[0]
        if column.dtype.kind in "fUS" and absent.any():  # the zero of a text type is the empty string
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
    """Return a column of numbers; infinite values are allowed (a logit may be infinite), NaN is not."""
    values = _arrow_numbers(column, name, role, where) if is_arrow(column) else _numbers(column, name, role, where)
    absent = np.isnan(values)
    if absent.any():
        row = int(absent.argmax())
        raise where.error(row, f"expected a number as {role} in column {name!r}, found NaN", MISSING_HINT)
    return values


def weights(column: Any, name: str, where: Where) -> FloatArray:
    """Return a column of weights, which must be finite and not negative."""
    values = numbers(column, name, "weight", where)
    bad = ~(np.isfinite(values) & (values >= 0))
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
    if all(map(_is_number_kind, set(map(type, values)))):
        try:
            return np.asarray(values, dtype=np.float64)
        except OverflowError:
            problem = f"expected numbers as {role} in column {name!r}, found one too large for a float"
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
    """Convert fields of a text file to numbers."""
    try:
        return np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        for row, field in enumerate(fields):
            text = field.strip()
            if text.lower() in MISSING_AMONG_NUMBERS:
                raise missing(name, text, row, where) from None
            if number_of(text) is None:
                hint = "if the first line is a header, use column names" if where.starts_file(row) else None
                if re.fullmatch(r"[-+]?\d+,\d+", text):
                    hint = "use a decimal point, not a comma"
                elif hint is None and role == "score":
                    hint = "for predicted labels use `predicted=…`"
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
    if pa.types.is_decimal(kind):
        column = from_decimals(decoded(column))
    array: npt.NDArray[Any] = np.asarray(column.cast(pa.float64(), safe=False))  # integers above 2**53 are rounded
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
        return value is None or value == "" or bool(value != value)  # noqa: PLR0124 (only NaN differs from itself)
    except ValueError:
        return False  # comparing arrays is ambiguous
    except TypeError:
        return True  # pandas' NA cannot be compared
