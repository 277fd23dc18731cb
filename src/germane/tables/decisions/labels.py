"""A column of labels as codes, from lists, arrays and frames of any library.

Labels keep their type: a number is never turned into text, nor text into a number. A missing label is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.id_columns import decoded, is_text
from germane.tables.columns.ids import first_row
from germane.tables.columns.one_column import library_of, one_column
from germane.tables.decisions.confusion import Label

Codes = npt.NDArray[np.int32]

MOST_LABELS = 10_000
"""Maximum number of classes; a larger confusion matrix would not fit into memory, and the column is hardly labels."""

MOST_FRACTIONS = 20
"""Maximum number of different fractions in a column of labels; more are scores."""


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of all rows: the distinct ones, sorted, and the index of each row's label among them.

    The values of an ordered category keep its order (`ordered`), and may include some that no row has.

    >>> animals = encode_labels(["dog", "cat", "dog"])
    >>> animals.values, animals.codes.tolist()
    (('cat', 'dog'), [1, 0, 1])
    """

    values: tuple[Label, ...]
    codes: Codes
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def are_text(self) -> bool:
        """Whether the labels are text, and not numbers."""
        return any(isinstance(value, str) for value in self.values)


def encode_labels(column: Any, role: str = "label", source: str = "labels") -> Labels:
    """Return the labels of a column; `role` ("truth", "prediction") and `source` are for error messages."""
    column = one_column(column, role, source)
    if library_of(column) == "pandas" and str(getattr(column, "dtype", "")) == "category":
        categories = getattr(column, "cat", column)  # of a Series, or an Index or Categorical itself
        codes = np.asarray(categories.codes).astype(np.int32)
        return _from_dictionary(categories.categories.tolist(), codes, role, source, ordered=bool(categories.ordered))
    if library_of(column) == "polars":
        column = _polars_as_arrow(column)
    if library_of(column) == "pyarrow":
        return _from_arrow(column, role, source)
    if isinstance(column, list | tuple):
        return _from_objects(column, role, source)
    array = np.asarray(column)
    if array.dtype.kind in "OT" or (array.dtype.kind in "SU" and not (len(array) and array.dtype.itemsize)):
        return _from_objects(array.tolist(), role, source)
    if array.dtype.kind in "SU":
        return _from_rows(array, role, source)
    if array.dtype.kind in "biuf":
        return _from_numbers(array, role, source)
    raise InputError(source, None, f"expected labels as {role}, found an array of {array.dtype}", hint=_HINT)


_HINT = "use text, integers or Booleans as labels"


def as_values(labels: Sequence[Label]) -> tuple[Label, ...]:
    """Return labels as plain Python objects."""
    return tuple(label.item() if isinstance(label, np.generic) else label for label in labels)


def _from_rows(array: npt.NDArray[Any], role: str, source: str) -> Labels:
    """Return the labels of an array, which are equal where their bytes are."""
    rows = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
    codes, firsts = kernels.encode_rows(rows, MOST_LABELS)
    return _sorted(array[firsts].tolist(), codes, firsts, role, source)


def _from_numbers(array: npt.NDArray[Any], role: str, source: str) -> Labels:
    if array.dtype.kind == "f":
        array = array.astype(np.float64) + 0.0  # make -0.0 equal to 0.0
        if (row := first_row(np.isnan(array))) is not None:
            raise _missing(float("nan"), row, role, source)
    return _from_rows(array, role, source) if len(array) else Labels((), np.zeros(0, dtype=np.int32))


def _from_objects(values: Sequence[Any], role: str, source: str) -> Labels:
    held = list(values)
    try:
        codes, firsts = kernels.encode_objects(held)
    except TypeError:
        row = next((row for row, value in enumerate(held) if not is_hashable(value)), 0)  # or they do not compare
        problem = f"expected a label as {role}, found {held[row]!r} ({type(held[row]).__name__}) in row {row + 1}"
        raise InputError(source, None, problem, hint=_HINT) from None
    return _sorted([held[row] for row in firsts.tolist()], codes, firsts, role, source)


def is_hashable(value: Any) -> bool:
    """Whether a value is hashable, as labels must be; a tuple of lists is not."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _from_dictionary(values: list[Any], codes: Codes, role: str, source: str, *, ordered: bool) -> Labels:
    """Return labels from codes and values, which may be in any order, repeated or unused; code -1 is missing."""
    if (row := first_row(codes < 0)) is not None:
        raise _missing(None, row, role, source)
    if ordered:
        _require_labels(values, np.arange(len(values)), role, source)
        return Labels(as_values(values), codes, ordered=True)
    present, firsts = np.unique(codes, return_index=True)
    compact = np.searchsorted(present, codes).astype(np.int32)
    return _sorted([values[code] for code in present.tolist()], compact, firsts, role, source)


def _polars_as_arrow(column: Any) -> Any:
    try:
        return column.to_arrow()
    except ModuleNotFoundError:  # polars leaves that to pyarrow
        return column.to_list()


def _from_arrow(column: Any, role: str, source: str) -> Labels:
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        raise _missing(None, pc.index(pc.is_null(column), True).as_py(), role, source)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return _from_numbers(np.asarray(decoded(column)), role, source)
    if not is_text(kind):
        raise InputError(source, None, f"expected labels as {role}, found a column of {kind}", hint=_HINT)
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.unify_dictionaries()
        if encoded.num_chunks == 0:
            return Labels((), np.zeros(0, dtype=np.int32))
        dictionary = encoded.chunk(0).dictionary
        codes = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks])
    else:
        dictionary, codes = encoded.dictionary, encoded.indices.to_numpy()
    ordered = pa.types.is_dictionary(column.type) and bool(column.type.ordered)
    return _from_dictionary(dictionary.to_pylist(), codes.astype(np.int32), role, source, ordered=ordered)


def _sorted(values: list[Any], codes: Codes, firsts: npt.NDArray[Any], role: str, source: str) -> Labels:
    """Return sorted labels from those in order of appearance; `firsts` are the first rows of each."""
    if len(values) > MOST_LABELS:
        problem = f"expected labels as {role}, found more than {MOST_LABELS:,} different values"
        raise InputError(source, None, problem, hint="is this a column of scores or of ids?")
    plain = _require_labels(values, firsts, role, source)
    distinct = sorted(dict.fromkeys(plain))
    place = {label: i for i, label in enumerate(distinct)}
    places = np.asarray([place[label] for label in plain], dtype=np.int32)
    return Labels(tuple(distinct), codes if plain == distinct else places[codes])


def _require_labels(values: list[Any], firsts: npt.NDArray[Any], role: str, source: str) -> list[Any]:
    """Return the values as plain labels, all text or all numbers, integers as integers."""
    plain: list[Any] = []
    for value, row in zip(values, firsts.tolist(), strict=True):
        label = value.item() if isinstance(value, np.generic) else value
        # pandas' NA cannot be compared with itself.
        if label is None or type(label).__name__ == "NAType" or label != label:  # noqa: PLR0124
            raise _missing(value, row, role, source)
        if isinstance(label, bytes):
            label = label.decode("utf-8", "surrogateescape")
        if not isinstance(label, str | int | float):
            problem = f"expected a label as {role}, found {value!r} ({type(value).__name__}) in row {row + 1}"
            raise InputError(source, None, problem, hint=_HINT)
        if plain and isinstance(label, str) != isinstance(plain[0], str):
            problem = f"expected labels of one kind as {role}, found {plain[0]!r} and {label!r} (row {row + 1})"
            raise InputError(source, None, problem, hint="text and numbers are never the same label: convert one")
        plain.append(label)
    fractions = [label for label in plain if isinstance(label, float) and not label.is_integer()]
    if len(fractions) > MOST_FRACTIONS:
        found = f"found {len(fractions)} numbers that are not whole, such as {fractions[0]:g}"
        raise InputError(source, None, f"expected labels as {role}, {found}", hint="is this a column of scores?")
    return [int(label) if isinstance(label, float) and not fractions else label for label in plain]


def _missing(value: object, row: int, role: str, source: str) -> InputError:
    problem = f"expected a label as {role} in every row, found none ({value}) in row {row + 1}"
    return InputError(source, None, problem, hint="remove these rows, or give them a separate label")
