"""Parquet files, Arrow files and data frames, read by pyarrow: the names of their columns, and their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from germane.errors import InputError, MissingExtraError
from germane.formats.rows.text import said_by

READ_BUFFER = 1 << 20
"""Bytes of a column that are in memory at once, however large the row groups of a Parquet file are."""
ARROW_FILE = b"ARROW1"
ColumnAt = Callable[[int], Any]
"""Gives a column of a table by its place."""


def pyarrow_for(what: str) -> Any:
    """Return pyarrow, or say that this needs it."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(what, "arrow") from None
    return pa


class ArrowTable(NamedTuple):
    """An open file: its schema; and its rows, in batches of at most so many or all at once, of these columns or all."""

    schema: Any
    batches: Callable[[Sequence[str] | None, int | None], Iterator[Any]]


@contextmanager
def open_arrow(where: str | BinaryIO, name: str, source: object, *, whole: bool = False) -> Iterator[ArrowTable]:
    """Open a Parquet or Arrow file, by its path or in memory; whatever pyarrow says is an error that names the file.

    A file that is read as a whole may take all the memory that makes it faster.
    """
    pa = pyarrow_for("reading Parquet and Arrow files")
    try:
        if name == "parquet":
            from pyarrow import parquet

            buffered = {"buffer_size": 0 if whole else READ_BUFFER, "pre_buffer": whole}
            with parquet.ParquetFile(where, **buffered) as file:
                yield ArrowTable(file.schema_arrow, partial(_parquet_batches, file))
        else:
            with pa.memory_map(where) if isinstance(where, str) else pa.BufferReader(where.read()) as data:
                yield _ipc_table(data)
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        problem = f"cannot be read as {name}: {said_by(error)}"
        raise InputError(str(source), None, problem, hint="is the file complete?") from None


def _parquet_batches(file: Any, columns: Sequence[str] | None, batch_rows: int | None) -> Iterator[Any]:
    if batch_rows is None:
        yield file.read(columns=columns)
    else:
        yield from file.iter_batches(batch_size=batch_rows, columns=columns, use_threads=False)


def _ipc_table(data: Any) -> ArrowTable:
    from pyarrow import ipc

    is_file = data.read(len(ARROW_FILE)) == ARROW_FILE
    data.seek(0)
    opened = ipc.open_file if is_file else ipc.open_stream
    schema = opened(data).schema

    def batches(columns: Sequence[str] | None, batch_rows: int | None) -> Iterator[Any]:
        data.seek(0)
        chosen = None if columns is None else sorted(map(schema.names.index, columns))
        reader = opened(data, options=ipc.IpcReadOptions(included_fields=chosen))
        if batch_rows is None:
            yield reader.read_all()
            return
        for part in (reader.get_batch(place) for place in range(reader.num_record_batches)) if is_file else reader:
            yield from (part.slice(start, batch_rows) for start in range(0, part.num_rows, batch_rows))

    return ArrowTable(schema, batches)


def frame_columns(frame: Any, source: str) -> tuple[list[str], ColumnAt]:
    """Return the names of a data frame's columns, and how to get one by its place."""
    try:
        pa = pyarrow_for("reading a data frame")
    except MissingExtraError:
        if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):  # pandas and polars, without pyarrow
            labels = list(frame.columns)
            return [str(label) for label in labels], lambda place: frame[labels[place]].to_numpy()
        raise
    try:
        table = frame if isinstance(frame, pa.Table) else pa.RecordBatchReader.from_stream(frame).read_all()
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise InputError(source, None, f"the data frame cannot be read as an Arrow table: {said_by(error)}") from None
    return list(table.column_names), table.column
