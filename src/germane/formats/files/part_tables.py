"""Open Parquet, ORC and Arrow tables: one file, or the part files of a folder without copying them.

The columns of key=value folders are added to every row: as integers if all values are integers, else as text, so that
an id such as 007 is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.files.addresses import Address, is_address, place
from germane.formats.files.arrow_tables import ArrowTable, Opens, Piece, arrow_errors, open_arrow, pyarrow_for
from germane.formats.files.part_folders import PartFile, is_folder, parts_of
from germane.formats.files.sources import compression, first_bytes, is_plain_file, open_raw, open_source
from germane.formats.rows.text import CONTROL, said_by

HEAD = 1 << 16
"""Bytes read from the start of a part to tell its format."""
BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow", b"ORC": "orc"}
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def open_table(
    path: str | Path | Address, stream: BinaryIO, name: str, source: str
) -> AbstractContextManager[ArrowTable]:
    """Open a table by its path if it can be read from any position or is in parts, else by its stream."""
    if (parts := parts_of(path)) is not None:
        return table_of_parts(path, full_parts(parts), name)
    return open_arrow(opens(path) if can_be_reopened(path) else stream, name, source)


def can_be_reopened(path: str | Path | Address) -> bool:
    """Return whether a table can be opened by its path more than once, and read from any position."""
    return is_plain_file(path) or is_address(path) or is_folder(path)


def first_binary_part(path: str | Path | Address) -> Path | Address | None:
    """Return the first part with rows of a table in Parquet, ORC or Arrow parts; None for anything else."""
    parts = full_parts(parts_of(path) or [])
    return parts[0].path if parts and kind_of_parts(path, parts) != "text" else None


def full_parts(parts: list[PartFile]) -> list[PartFile]:
    """Return the parts that are not empty."""
    return [part for part in parts if _kind(part.path) is not None]


def kind_of_parts(folder: str | Path | Address, parts: list[PartFile]) -> str:
    """Return the common format of the parts: parquet, orc, arrow or text."""
    kinds = {_kind(part.path) or "text": part.path for part in reversed(parts)}
    if len(kinds) > 1:
        (one, first), (other, second) = list(kinds.items())[::-1][:2]
        found = f"{first.name!r} ({one}) and {second.name!r} ({other})"
        raise InputError(
            folder, None, f"expected parts of one format, found {found}", hint="write all parts in the same format"
        )
    return next(iter(kinds), "text")


def _kind(path: Path | Address) -> str | None:
    """Return the format of a part, or None if it is empty; the same part is opened only once."""
    if isinstance(path, Address):
        return _kind_at(path, path.stamp)
    found = path.stat()
    return _kind_at(path, (found.st_size, found.st_mtime_ns))


@lru_cache(maxsize=1 << 14)
def _kind_at(path: Path | Address, _: tuple[int, int]) -> str | None:
    head = first_bytes(path, HEAD)
    if not head.strip():
        return None
    found = next((kind for start, kind in BINARY.items() if head.startswith(start) and CONTROL.search(head)), "text")
    if found == "text" and CONTROL.search(head):
        raise InputError(path, None, "expected text, Parquet, ORC or Arrow parts, found other binary data")
    return found


@contextmanager
def table_of_parts(folder: str | Path | Address, parts: list[PartFile], kind: str) -> Iterator[ArrowTable]:
    """Open the parts as one table; each part is opened again when its pieces are read."""
    pa = pyarrow_for("reading Parquet and Arrow files")
    tables = []
    for part in parts:
        with open_arrow(opens(part.path), kind, part.path) as table:
            tables.append(table)
        names = table.schema.names
        if (double := next((name for name in names if names.count(name) > 1), None)) is not None:
            raise InputError(part.path, None, f"duplicate column {double!r} among {', '.join(map(repr, names))}")
    try:
        schema = pa.unify_schemas([table.schema for table in tables], promote_options="default")
    except pa.ArrowException as error:
        problem = f"expected the same column types in all parts: {said_by(error)}"
        raise InputError(folder, None, problem, hint="write the parts again with the same types") from None
    schema = schema.with_metadata(tables[0].schema.metadata)
    for name in parts[0].columns:
        if name in schema.names:
            raise InputError(folder, None, f"column {name!r} is in both the files and the folder names")
        whole = all(WHOLE_NUMBER.fullmatch(part.columns[name]) for part in parts)
        schema = schema.append(pa.field(name, pa.int64() if whole else pa.string()))
    pieces = [
        Piece(piece.weight, _reader(piece, part, table.schema, schema, kind))
        for part, table in zip(parts, tables, strict=True)
        for piece in table.pieces
    ]
    yield ArrowTable(schema, pieces)


def opens(path: str | Path | Address) -> Opens:
    """Return how to open one file: by its path, where it lies elsewhere, or decompressed each time that it is read."""
    where = place(path)
    if is_plain_file(where):
        return str(where)
    import pyarrow as pa

    with open_raw(where) as stream:
        compressed = compression(stream.read(16)) is not None
    if isinstance(where, Address) and not compressed:
        return where.open_anywhere

    def decompressed() -> Any:
        with open_source(where) as stream:
            return pa.BufferReader(stream.read())

    return decompressed


def _reader(piece: Piece, part: PartFile, own: Any, schema: Any, kind: str) -> Callable[..., Iterator[Any]]:
    """Return a function that reads a piece of a part in the schema of the whole table."""

    def read(columns: Sequence[str] | None, texts: Sequence[str], batch_rows: int) -> Iterator[Any]:
        wanted = [field for field in schema if columns is None or field.name in columns]
        stored = [field.name for field in wanted if field.name in own.names]
        with arrow_errors(kind, part.path):
            for batch in piece.read(stored, [name for name in texts if name in own.names], batch_rows):
                yield _in_schema(batch, wanted, part)

    return read


def _in_schema(batch: Any, fields: Sequence[Any], part: PartFile) -> Any:
    import pyarrow as pa

    columns = []
    for field in fields:
        if field.name in part.columns:
            value = part.columns[field.name]
            columns.append(pa.repeat(pa.scalar(int(value) if field.type == pa.int64() else value), batch.num_rows))
        elif field.name not in batch.schema.names:
            columns.append(pa.nulls(batch.num_rows, field.type))
        else:
            column = batch.column(field.name)
            as_codes = pa.types.is_dictionary(column.type) and column.type.value_type == field.type
            columns.append(column if as_codes else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, [field.name for field in fields])
