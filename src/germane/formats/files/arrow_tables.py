"""Read Parquet files, Arrow files and data frames with pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from germane.errors import InputError, MissingExtraError
from germane.formats.rows.text import said_by
from germane.tables.columns.threads import map_in_threads, num_threads

READ_BUFFER = 1 << 20
"""Bytes of a column buffered at once, independent of the size of a Parquet file's row groups."""
WHOLE_ROWS = 1 << 20
"""Rows per batch where a table is read as a whole."""
ARROW_FILE = b"ARROW1"
Opens = str | BinaryIO | Callable[[], Any]
"""A table to open: the path of a local file, its bytes, or a function that opens it each time it is called."""
ColumnAt = Callable[[int], Any]
"""Function that returns a column of a table by its index."""


def pyarrow_for(what: str) -> Any:
    """Import and return pyarrow; raise an error that `what` requires it if it is not installed."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError(what, "arrow") from None
    return pa


class Piece(NamedTuple):
    """A part of an open table that can be read on its own, in any thread: a row group, a stripe, a record batch.

    `read` yields its rows, given the columns, those of them to read as dictionaries where the format allows it, and the
    rows per batch. `weight` is its size relative to the other pieces.
    """

    weight: int
    read: Callable[[Sequence[str] | None, Sequence[str], int], Iterator[Any]]


class ArrowTable(NamedTuple):
    """An open table: its schema, and its pieces in order."""

    schema: Any
    pieces: Sequence[Piece]

    def batches(self, columns: Sequence[str] | None, batch_rows: int | None) -> Iterator[Any]:
        """Yield the rows, of these columns or of all, in batches; without `batch_rows` as one table."""
        if batch_rows is None:
            yield self._whole(columns)
            return
        for piece in self.pieces:
            for batch in piece.read(columns, (), batch_rows):
                yield from (batch.slice(start, batch_rows) for start in range(0, batch.num_rows, batch_rows))

    def _whole(self, columns: Sequence[str] | None) -> Any:
        import pyarrow as pa

        read = map_in_threads(lambda share: [*_read(share, columns)], shares(self.pieces, num_threads()))
        schema = self.schema
        if columns is not None:
            schema = pa.schema([schema.field(schema.names.index(name)) for name in columns], schema.metadata)
        # Parts may differ in whether a column may lack values, which the schema says. All columns are taken by their
        # places, since two may have the same name.
        found = [
            pa.RecordBatch.from_arrays(
                batch.columns if columns is None else [batch.column(name) for name in columns], schema=schema
            )
            for batches in read
            for batch in batches
        ]
        return pa.Table.from_batches(found, schema)


def _read(pieces: Sequence[Piece], columns: Sequence[str] | None) -> Iterator[Any]:
    for piece in pieces:
        yield from piece.read(columns, (), WHOLE_ROWS)


def shares(pieces: Sequence[Piece], wanted: int) -> list[Sequence[Piece]]:
    """Divide pieces into at most `wanted` runs of neighbours of about the same weight."""
    weights = np.asarray([piece.weight for piece in pieces], dtype=np.float64)
    middles = np.cumsum(weights) - weights / 2
    cuts = np.searchsorted(middles, np.arange(1, wanted) * weights.sum() / wanted).tolist()
    return [pieces[a:b] for a, b in pairwise([0, *cuts, len(pieces)]) if b > a]


@contextmanager
def open_arrow(where: Opens, name: str, source: object) -> Iterator[ArrowTable]:
    """Open a Parquet, ORC or Arrow file, by path or in memory; errors of pyarrow become errors that name the file."""
    with arrow_errors(name, source), ExitStack() as opened:
        yield _OPENERS[name](_opener(where, name), opened)


@contextmanager
def arrow_errors(name: str, source: object) -> Iterator[None]:
    """Turn errors of pyarrow into errors that name the file."""
    pa = pyarrow_for("reading Parquet and Arrow files")
    try:
        yield
    except InputError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        problem = f"invalid {TITLES[name]} file: {said_by(error)}"
        raise InputError(str(source), None, problem, hint="check that the file is complete") from None


def _opener(where: Opens, name: str) -> Callable[[], Any]:
    """Return a function that opens a file again and again, for each thread that reads it."""
    import pyarrow as pa

    if isinstance(where, str):  # the pages of a mapped file count as memory, so map only what is not copied
        return partial(pa.memory_map if name == "arrow" else pa.OSFile, where)
    if callable(where):
        return where
    data = pa.py_buffer(where.read())
    return partial(pa.BufferReader, data)


def _parquet_table(opener: Callable[[], Any], opened: ExitStack) -> ArrowTable:
    from pyarrow import parquet

    file = opened.enter_context(parquet.ParquetFile(opened.enter_context(opener())))
    metadata = file.metadata

    def piece(group: int) -> Piece:
        num_rows = metadata.row_group(group).num_rows

        def read(columns: Sequence[str] | None, texts: Sequence[str], batch_rows: int) -> Iterator[Any]:
            buffered: dict[str, Any] = {"buffer_size": READ_BUFFER, "pre_buffer": False, "read_dictionary": texts}
            found = 0
            with opener() as data, parquet.ParquetFile(data, metadata=metadata, **buffered) as own:
                for batch in own.iter_batches(batch_rows, row_groups=[group], columns=columns, use_threads=False):
                    found += batch.num_rows
                    yield batch
            if found != num_rows:  # pyarrow ends without an error at a damaged page
                raise ValueError(f"expected {num_rows} rows in row group {group + 1}, found {found}")

        return Piece(num_rows, read)

    pieces = [piece(group) for group in range(metadata.num_row_groups)]
    if (found := sum(each.weight for each in pieces)) != metadata.num_rows:
        raise ValueError(f"expected {metadata.num_rows} rows, found {found} in its row groups")
    return ArrowTable(file.schema_arrow, pieces)


def _orc_table(opener: Callable[[], Any], opened: ExitStack) -> ArrowTable:
    from pyarrow import orc

    file = orc.ORCFile(opened.enter_context(opener()))

    def piece(stripe: int) -> Piece:
        def read(columns: Sequence[str] | None, _: Sequence[str], __: int) -> Iterator[Any]:
            with opener() as data:
                yield orc.ORCFile(data).read_stripe(stripe, columns)

        return Piece(1, read)

    return ArrowTable(file.schema, [piece(stripe) for stripe in range(file.nstripes)])


def _ipc_table(opener: Callable[[], Any], opened: ExitStack) -> ArrowTable:
    from pyarrow import ipc

    data = opened.enter_context(opener())
    is_file = data.read(len(ARROW_FILE)) == ARROW_FILE
    data.seek(0)
    first = (ipc.open_file if is_file else ipc.open_stream)(data)
    schema = first.schema

    def options(columns: Sequence[str] | None) -> Any:
        chosen = None if columns is None else sorted(map(schema.names.index, columns))
        return ipc.IpcReadOptions(included_fields=chosen, use_threads=False)

    def piece(place: int) -> Piece:
        def read(columns: Sequence[str] | None, _: Sequence[str], __: int) -> Iterator[Any]:
            with opener() as own:
                yield ipc.open_file(own, options=options(columns)).get_batch(place)

        return Piece(1, read)

    def stream(columns: Sequence[str] | None, _: Sequence[str], __: int) -> Iterator[Any]:
        with opener() as own:
            yield from ipc.open_stream(own, options=options(columns))

    pieces = [piece(place) for place in range(first.num_record_batches)] if is_file else [Piece(1, stream)]
    return ArrowTable(schema, pieces)


_OPENERS = {"parquet": _parquet_table, "orc": _orc_table, "arrow": _ipc_table}
TITLES = {"parquet": "Parquet", "orc": "ORC", "arrow": "Arrow"}


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
