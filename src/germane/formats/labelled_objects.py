"""Decisions that have columns with types: Parquet and Arrow files, data frames, dicts of columns, lists of dicts."""

from __future__ import annotations

import io
import reprlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError, MissingExtraError
from germane.formats.labelled_columns import Asked, Chosen, choose_columns
from germane.formats.labelled_text import Part
from germane.formats.labelled_values import Where, is_arrow, is_categorical
from germane.formats.text import said_by
from germane.tables.aligned_columns import aligned_columns
from germane.tables.one_column import one_column

READ_BUFFER = 1 << 20
"""Bytes of a column that are in memory at once, however large the row groups of a Parquet file are."""


def arrow_parts(
    path: str | Path | None, stream: BinaryIO, name: str, asked: Asked, source: str, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """The rows of a Parquet or Arrow file. Without a path (of a plain file) it is read from the stream, all at once."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading Parquet and Arrow files", "arrow") from None
    with ExitStack() as stack:
        try:
            where = io.BytesIO(stream.read()) if path is None else str(path)
            opened = _open_parquet if name == "parquet" else _open_ipc
            names, batches = opened(where, stack)
            chosen = choose_columns(names, asked, source)
            rows_before = 0
            for table in batches(list(chosen.needed), batch_rows):
                table.validate(full=True)  # a damaged file may have offsets that point anywhere
                if not table.num_rows:
                    continue
                columns = {name: table.column(name) for name in chosen.needed}
                yield chosen, Part(columns, Where(source, None, rows_before), table.num_rows)
                rows_before += table.num_rows
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise InputError(
                source, None, f"cannot be read as {name}: {said_by(error)}", hint="is the file complete?"
            ) from None


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


Batches = Callable[[list[str], int | None], Iterator[Any]]


def _open_parquet(where: Any, stack: ExitStack) -> tuple[list[str], Batches]:
    from pyarrow import parquet

    file = stack.enter_context(parquet.ParquetFile(where, buffer_size=READ_BUFFER, pre_buffer=False))

    def batches(columns: list[str], batch_rows: int | None) -> Iterator[Any]:
        if batch_rows is None:
            yield file.read(columns=columns)
        else:
            yield from file.iter_batches(batch_size=batch_rows, columns=columns, use_threads=False)

    return file.schema_arrow.names, batches


def _open_ipc(where: Any, stack: ExitStack) -> tuple[list[str], Batches]:
    import pyarrow as pa
    from pyarrow import ipc

    source = pa.memory_map(where) if isinstance(where, str) else pa.BufferReader(where.getvalue())
    stack.enter_context(source)
    is_file = source.read(6) == b"ARROW1"
    source.seek(0)
    names = (ipc.open_file(source) if is_file else ipc.open_stream(source)).schema.names

    def batches(columns: list[str], batch_rows: int | None) -> Iterator[Any]:
        source.seek(0)
        options = ipc.IpcReadOptions(included_fields=sorted(map(names.index, columns)))
        reader = (ipc.open_file if is_file else ipc.open_stream)(source, options=options)
        if batch_rows is None:
            yield reader.read_all()
            return
        parts = (reader.get_batch(place) for place in range(reader.num_record_batches)) if is_file else reader
        for part in parts:
            yield from (part.slice(start, batch_rows) for start in range(0, part.num_rows, batch_rows))

    return names, batches


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
        return _frame_columns(data, source)
    if isinstance(data, np.ndarray) and data.dtype.names:
        fields = list(data.dtype.names)
        return fields, lambda place: data[fields[place]]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _row_columns(data, source)
    hint = "read_labelled(path) reads a file" if isinstance(data, str | bytes | Path) else None
    expected = "a dict of columns, a list of dicts, a structured NumPy array or a data frame"
    raise InputError(source, None, f"expected {expected}, found {type(data).__name__}", hint=hint)


def _frame_columns(frame: Any, source: str) -> tuple[list[str], Callable[[int], Any]]:
    try:
        import pyarrow as pa
    except ImportError:
        if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):  # pandas and polars, without pyarrow
            labels = list(frame.columns)
            return [str(label) for label in labels], lambda place: frame[labels[place]].to_numpy()
        raise MissingExtraError("reading a data frame", "arrow") from None
    try:
        table = frame if isinstance(frame, pa.Table) else pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(source, None, f"the data frame cannot be read as an Arrow table: {said_by(error)}") from None
    return list(table.column_names), table.column


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
