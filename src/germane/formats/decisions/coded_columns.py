"""Columns of labels as codes of the distinct ones, so that each label is looked at once, however many rows have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.formats.decisions.labelled_values import Where, is_arrow, is_categorical
from germane.tables.columns.id_columns import is_text
from germane.tables.columns.ids import BoolArray
from germane.tables.decisions.labels import MOST_LABELS, is_hashable


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

    def rows_of(self, fields: Set[str]) -> BoolArray:
        """Return which rows have one of these fields."""
        wanted = np.asarray([value in fields for value in self.values], dtype=np.bool_)
        return wanted[self.codes] if wanted.any() else np.zeros(len(self), dtype=np.bool_)

    def first_row(self, fields: Set[str]) -> int:
        """Return the first row that has one of these fields."""
        return int(self.rows_of(fields).argmax())

    def label_at(self, row: int) -> str:
        """Return the field of a row without white space around it."""
        return self.values[int(self.codes[row])].strip()

    def mapped(self, value_of: Callable[[str], Any], dtype: Any = np.bool_) -> npt.NDArray[Any]:
        """Return the values of all rows, given that of each distinct field."""
        return np.asarray([value_of(field.strip()) for field in self.values], dtype)[self.codes]


@dataclass(frozen=True, eq=False)
class Coded:
    """A typed column as codes of its distinct values; a null is a value of its own, None."""

    values: list[Any]
    codes: npt.NDArray[Any]

    def distinct(self) -> list[Any]:
        """Return the values that occur."""
        present = np.bincount(self.codes, minlength=len(self.values)).tolist()
        return [value for value, count in zip(self.values, present, strict=True) if count]

    def rows_of(self, is_wanted: Callable[[Any], bool]) -> BoolArray:
        """Return which rows have such a value."""
        wanted = np.asarray([is_wanted(value) for value in self.values], dtype=np.bool_)
        return wanted[self.codes] if wanted.any() else np.zeros(len(self.codes), dtype=np.bool_)

    def first_row(self, value: Any) -> int:
        """Return the first row that has this value."""
        return int(self.rows_of(lambda other: other is value).argmax())

    def mapped(self, is_true: Callable[[Any], bool]) -> BoolArray:
        """Return the truth value of all rows, given that of each distinct value."""
        truths: BoolArray = np.asarray([is_true(value) for value in self.values], dtype=np.bool_)[self.codes]
        return truths


def coded_column(column: Any, name: str, where: Where) -> tuple[Any, Coded | None, BoolArray]:
    """Return a typed column, its codes if it holds text or objects, and which of its rows are null or NaN."""
    if is_arrow(column):
        return _coded_arrow(column)
    if is_categorical(column):
        categories = getattr(column, "cat", column)  # of a Series, or a Categorical itself
        codes = np.asarray(categories.codes).astype(np.int32)
        values = categories.categories.tolist()
        return column, Coded([*values, None], np.where(codes < 0, len(values), codes)), codes < 0
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        absent = np.isnan(column) if column.dtype.kind == "f" else np.zeros(len(column), dtype=np.bool_)
        return column, None, absent
    if isinstance(column, np.ndarray) and column.dtype.kind in "SU" and len(column) and column.dtype.itemsize:
        rows = np.ascontiguousarray(column).view(np.uint8).reshape(len(column), -1)
        codes, firsts = kernels.encode_rows(rows, MOST_LABELS)
        absent = column == np.zeros(1, column.dtype)[0]  # the zero of a text type is the empty string
        several = len(firsts) > MOST_LABELS  # hardly labels: whoever encodes them says so
        return column, None if several else Coded(_texts(column[firsts].tolist()), codes), absent
    if isinstance(column, np.ndarray) and column.dtype.kind not in "OTSU":
        return column, None, np.zeros(len(column), dtype=np.bool_)
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    try:
        codes, firsts = kernels.encode_objects(values)
    except TypeError:
        row = next((row for row, value in enumerate(values) if not is_hashable(value)), 0)  # or they do not compare
        raise where.error(row, f"expected one label in column {name!r}, found {values[row]!r}") from None
    return values, Coded([values[row] for row in firsts.tolist()], codes), np.zeros(len(values), dtype=np.bool_)


def _texts(values: Sequence[Any]) -> list[Any]:
    return [value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value for value in values]


def _coded_arrow(column: Any) -> tuple[Any, Coded | None, BoolArray]:
    """Return an Arrow column, with text as a dictionary, which is what encoding labels needs too."""
    import pyarrow as pa
    import pyarrow.compute as pc

    absent = np.zeros(len(column), dtype=np.bool_)
    is_dictionary = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if is_dictionary else column.type
    if not is_text(kind) or not len(column):
        if column.null_count:
            absent = np.asarray(pc.is_null(column))
        if pa.types.is_floating(kind) and not is_dictionary:
            absent = absent | np.asarray(pc.fill_null(pc.is_nan(column), False))
        return column, None, absent
    encoded = column if is_dictionary else column.dictionary_encode()
    chunks = [encoded]
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries()
        chunks = encoded.chunks
    values = _texts(chunks[0].dictionary.to_pylist())
    codes = np.concatenate([np.asarray(pc.fill_null(chunk.indices.cast(pa.int32()), len(values))) for chunk in chunks])
    return encoded, Coded([*values, None], codes), absent


def is_truth_array(column: Any) -> bool:
    """Return whether a numeric column without missing values is Boolean, or holds only 0 and 1."""
    if is_arrow(column):
        import pyarrow as pa

        if pa.types.is_boolean(column.type):
            return True
        if pa.types.is_dictionary(column.type):
            return False
        column = np.asarray(column.drop_null())
    values = np.asarray(column)
    return values.dtype.kind == "b" or bool(np.isin(values[values == values], (0, 1)).all())  # noqa: PLR0124 (NaN)
