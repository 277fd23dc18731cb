"""How a table of labels and scores is read, and what was met on the way: kinds of labels, and missing values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, TypedDict

import numpy as np

from germane.errors import GermaneError, InputError
from germane.formats.decisions.label_kinds import LabelKind
from germane.formats.decisions.labelled_columns import ColumnNames
from germane.formats.decisions.missing_values import Missing, MissingValues
from germane.formats.files.encodings import as_utf8, encoding_of, require_encoding
from germane.formats.files.sources import peek
from germane.formats.rankings.detect import HEAD
from germane.tables.columns.ids import BoolArray
from germane.tables.notes.note import Note

DECIMALS = (".", ",")
OPTIONS = ("missing", "decimal", "encoding")
"""Parameters that say how to read, and not which columns."""


class ReadingOptions(TypedDict, total=False):
    """What to do with missing values, and how numbers and letters are written in a text file."""

    missing: Missing | None
    decimal: str | None
    encoding: str | None


class TableOptions(ColumnNames, ReadingOptions, total=False):
    """Columns by role, and how to read them."""


def reading_and_columns(options: Mapping[str, Any]) -> tuple[Reading, ColumnNames]:
    """Return a new reading with its own among these options, and the others, which name columns."""
    own = {name: value for name, value in options.items() if name in OPTIONS}
    columns: Any = {name: value for name, value in options.items() if name not in OPTIONS}
    return Reading(**own), columns


class Reading:
    """One reading of a table, in one part or in many: its options, and what was found so far."""

    def __init__(self, missing: str | None = None, decimal: str | None = None, encoding: str | None = None) -> None:
        if decimal not in (None, *DECIMALS):
            raise GermaneError(f"expected a decimal point or comma, found {decimal!r}", hint='use `decimal=","`')
        self.decimal = decimal or "."
        self.encoding = None if encoding is None else require_encoding(encoding)
        self.kind = LabelKind(self.decimal)
        self.missing = MissingValues(missing)
        self._given = {"decimal": decimal, "encoding": encoding}

    def notes(self, *, several: bool = False) -> tuple[Note, ...]:
        """Return the notes on excluded rows and on labels, of all parts read so far."""
        return (*self.missing.notes(several=several), *self.kind.notes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reading) and self.notes() == other.notes()

    __hash__ = None  # type: ignore[assignment]  # it changes with every part

    def __repr__(self) -> str:
        return f"Reading with the notes {self.notes()}"

    def refuse_beside(self, source: str, what: str, *names: str) -> None:
        """Refuse options of text files for what is not one, so that none is ignored."""
        for name in names or self._given:
            if self._given[name] is not None:
                raise InputError(source, None, f"`{name}=` is not supported with {what}", hint=f"remove `{name}=`")

    def in_utf8(self, head: bytes, stream: BinaryIO, source: str) -> tuple[bytes, BinaryIO]:
        """Return the start and the stream of a text file in UTF-8; one in UTF-16 is refused unless it is named."""
        if self.encoding is None:
            if (found := encoding_of(head)) is not None:
                problem = f"expected UTF-8 text, found {found.upper()}"
                raise InputError(source, None, problem, hint=f'use `encoding="{found}"`, or save the file as UTF-8')
            return head, stream
        return peek(as_utf8(stream, self.encoding, source), HEAD)


def without_rows(columns: Mapping[str, Any], complete: BoolArray | None) -> dict[str, Any]:
    """Return the columns with the complete rows only; None means that all are."""
    return {name: column if complete is None else _filtered(column, complete) for name, column in columns.items()}


def _filtered(column: Any, complete: BoolArray) -> Any:
    if isinstance(column, list | tuple):
        return [value for value, is_kept in zip(column, complete.tolist(), strict=True) if is_kept]
    if hasattr(column, "filter") and hasattr(column, "null_count"):  # Arrow
        import pyarrow as pa

        return column.filter(pa.array(complete))
    return column[np.flatnonzero(complete)] if isinstance(column, np.ndarray) else column[complete]
