"""Decisions that have columns with types: Parquet and Arrow files, data frames, dicts of columns, lists of dicts."""

from __future__ import annotations

import io
import reprlib
from collections.abc import Callable, Generator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError
from germane.formats.decisions.labelled_columns import Asked, Chosen, choose_columns
from germane.formats.decisions.labelled_text import Part
from germane.formats.decisions.labelled_values import Where, is_arrow, is_categorical
from germane.formats.files.arrow_tables import frame_columns, open_arrow
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.one_column import one_column


def arrow_parts(
    path: str | Path | None, stream: BinaryIO, name: str, asked: Asked, source: str, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """The rows of a Parquet or Arrow file. Without a path (of a plain file) it is read from the stream, all at once."""
    with open_arrow(io.BytesIO(stream.read()) if path is None else str(path), name, source) as file:
        chosen = choose_columns(file.schema.names, asked, source)
        rows_before = 0
        for table in file.batches(chosen.needed, batch_rows):
            table.validate(full=True)  # a damaged file may have offsets that point anywhere
            if table.num_rows:
                columns = {name: table.column(name) for name in chosen.needed}
                yield chosen, Part(columns, Where(source, None, rows_before), table.num_rows)
                rows_before += table.num_rows


def object_part(data: object, asked: Asked, source: str) -> tuple[Chosen, Part]:
    """The columns of whatever is in memory."""
    names, column = _named_columns(data, source)
    chosen = choose_columns(names, asked, source)
    columns = {name: _plain_column(column(names.index(name)), name, source) for name in chosen.needed}
    sizes = {name: len(values) for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size} in {name!r}" for name, size in sizes.items())
        raise InputError(source, None, f"expected columns of one length, found {found}")
    return chosen, Part(columns, Where(source), sizes[chosen.truth])


def _named_columns(data: Any, source: str) -> tuple[list[str], Callable[[int], Any]]:
    """The names of the columns, and how to get one by its place."""
    if isinstance(data, Mapping):
        for name, array in data.items():
            if not hasattr(array, "__len__") or isinstance(array, str | bytes | Set):
                problem = f"expected a dict of columns, found {type(array).__name__} in {name!r}"
                raise InputError(source, None, problem)
        arrays = list(aligned_columns({repr(name): array for name, array in data.items()}, source).values())
        return [str(name) for name in data], arrays.__getitem__
    if hasattr(data, "__arrow_c_stream__"):
        return frame_columns(data, source)
    if isinstance(data, np.ndarray) and data.dtype.names:
        fields = list(data.dtype.names)
        return fields, lambda place: data[fields[place]]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _row_columns(data, source)
    hint = "read_labelled(path) reads a file" if isinstance(data, str | bytes | Path) else None
    expected = "a dict of columns, a list of dicts, a structured NumPy array or a data frame"
    raise InputError(source, None, f"expected {expected}, found {type(data).__name__}", hint=hint)


def _row_columns(rows: Sequence[Any], source: str) -> tuple[list[str], Callable[[int], Any]]:
    if not rows:
        raise InputError(source, None, "expected rows, found none")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            problem = f"expected a list of dicts, found {reprlib.repr(row)} as row {number}"
            raise InputError(source, None, problem, hint="arrays go in by name: {'truth': y_true, 'score': y_score}")
    names = list(rows[0])

    def column(place: int) -> list[Any]:
        try:
            return [row[names[place]] for row in rows]
        except KeyError:
            number = next(number for number, row in enumerate(rows, start=1) if names[place] not in row)
            raise InputError(
                source, None, f"expected {names[place]!r} in every row, not found in row {number}"
            ) from None

    return [str(name) for name in names], column


def _plain_column(given: Any, name: str, source: str) -> Any:
    column = one_column(given, repr(name), source)
    if isinstance(column, np.ndarray | list | tuple) or is_arrow(column) or is_categorical(column):
        return column
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
