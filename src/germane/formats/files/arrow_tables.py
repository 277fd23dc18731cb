"""Read Parquet files, Arrow files and data frames with pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from germane.errors import InputError, MissingExtraError
from germane.formats.rows.text import said_by

READ_BUFFER = 1 << 20
"""Bytes of a column buffered at once, independent of the size of a Parquet file's row groups."""
ARROW_FILE = b"ARROW1"
ColumnAt = Callable[[int], Any]
"""Function that returns a column of a table by its index."""


def pyarrow_for(what: str) -> Any:
    """Import and return pyarrow; raise an error that `what` requires it if it is not installed."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(what, "arrow") from None
    return pa


class ArrowTable(NamedTuple):
    """An open file: its schema, and a function that yields its rows, given columns and rows per batch (None: all)."""

    schema: Any
    batches: Callable[[Sequence[str] | None, int | None], Iterator[Any]]


@contextmanager
def open_arrow(where: str | BinaryIO, name: str, source: object, *, whole: bool = False) -> Iterator[ArrowTable]:
    """Open a Parquet or Arrow file, by path or in memory; errors of pyarrow become errors that name the file.

    With `whole`, the file is read at once, and buffered for speed rather than memory.
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
        problem = f"invalid {name} file: {said_by(error)}"
        raise InputError(str(source), None, problem, hint="check that the file is complete") from None


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
    """Return the names of a data frame's columns, and a function that returns a column by its index."""
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
        raise InputError(source, None, f"cannot convert the data frame to an Arrow table: {said_by(error)}") from None
    return list(table.column_names), table.column
