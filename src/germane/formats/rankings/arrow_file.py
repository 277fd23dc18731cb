"""Parquet, ORC and Arrow IPC files: typed columns with the usual names, read without a Python object per row.

The highest grade of the scale and the size of the collection are stored in the schema metadata.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError
from germane.formats.files.arrow_tables import ArrowTable, pyarrow_for
from germane.formats.files.part_tables import can_be_reopened, open_table
from germane.formats.rankings.entry import Detected, Format
from germane.formats.rows.column_names import find_roles, guess_kind
from germane.formats.rows.columns import Columns, scan_objects
from germane.formats.rows.memory import from_named_arrays
from germane.formats.rows.number_text import judgments, sampled_rows
from germane.formats.rows.text import RowError, TextRow
from germane.tables.columns.ids import Ids
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

METADATA_KEY = b"germane"
ROWS_AT_ONCE = 1 << 14
ROW_GROUP = 1 << 18
"""Rows of a row group of a Parquet file."""
Write = Callable[[Iterator[Any], BinaryIO], None]
"""Function that writes tables with the same columns as one file."""
WRITING = "writing Parquet and Arrow files"


def read(detected: Detected) -> Columns:
    """Read all columns at once."""
    table = _load(detected)
    metadata = metadata_of(table.schema, detected.source)
    columns = from_named_arrays(table.column_names, table.column, detected.kind, detected.source, metadata)
    if len(columns.queries) == 0:
        raise InputError(detected.source, None, "expected rows, found none", hint="check that this is the right file")
    return columns


def scan(detected: Detected) -> Iterator[TextRow | RowError]:
    """Read row by row and check each one; rows are numbered from 1."""
    table = _load(detected)
    if len({*table.column_names}) < table.num_columns:  # rows as objects would hide a column given twice
        find_roles(table.column_names, detected.kind, detected.source)
    batches = table.to_batches(max_chunksize=ROWS_AT_ONCE)
    rows = chain.from_iterable(batch.to_pylist() for batch in batches)
    return scan_objects(enumerate(rows, start=1), detected.kind, detected.source)


def kind_of(detected: Detected) -> Detected:
    """Return the detected file with its kind inferred from the column names."""
    with open_columns(detected) as table:
        return replace(detected, kind=guess_kind(table.schema.names))


def open_columns(detected: Detected) -> AbstractContextManager[ArrowTable]:
    """Open the table of a detected file; one that cannot be opened again by its path is kept in memory."""
    stream = detected.stream
    if not can_be_reopened(detected.path):
        with stream:
            data = stream.read()
        detected.stream, stream = io.BytesIO(data), io.BytesIO(data)
    return open_table(detected.path, stream, detected.format, detected.source)


def _load(detected: Detected) -> Any:
    with open_columns(detected) as file:
        (table,) = file.batches(None, None)
        table.validate(full=True)  # a damaged file may have offsets that point anywhere
    return table


def metadata_of(schema: Any, source: str) -> dict[str, Any]:
    """Return what germane stored with a table."""
    kept = (schema.metadata or {}).get(METADATA_KEY)
    try:
        return {} if kept is None else dict(json.loads(kept))
    except (TypeError, ValueError):
        raise InputError(source, None, f"expected JSON in germane's metadata, found {kept!r}") from None


def write_run(pieces: Iterable[Run], target: BinaryIO, *, write: Write) -> None:
    """Write one row per retrieved document, in the order of the run."""
    write(map(_run_table, pieces), target)


def _run_table(run: Run) -> Any:
    pa = pyarrow_for(WRITING)
    queries = _text(run.queries).take(pa.array(run.query))
    columns = {"qid": queries, "docno": _text(run.docs), "score": pa.array(run.score)}
    if run.rank is not None:
        columns["rank"] = pa.array(run.rank)
    if run.tag is not None:
        columns["tag"] = _text(Ids.of([run.tag])).take(pa.array(np.zeros(len(run.docs), dtype=np.int64)))
    return pa.table(columns)


def write_qrels(qrels: Qrels, target: BinaryIO, *, write: Write) -> None:
    """Write one row per judgment."""
    pa = pyarrow_for(WRITING)
    query, doc, grade, group = zip(*judgments(qrels), strict=True)
    columns = {"qid": _text(Ids.of(query)), "docno": _text(Ids.of(doc)), "relevance": pa.array(grade, pa.float64())}
    if qrels.groups is not None:
        columns["subtopic"] = _text(Ids.of(group))
    if qrels.sampling is not None:
        stratum, inclusion = zip(*sampled_rows(qrels), strict=True)
        columns |= {"stratum": _text(Ids.of(stratum)), "inclusion": pa.array(inclusion, pa.float64())}
    kept = {"scale": qrels.scale, "collection_size": qrels.collection_size}
    table = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(kept).encode()})
    write(iter([table]), target)


def _text(ids: Ids) -> Any:
    """Convert ids to a text column or, if they are not all UTF-8, to a binary column."""
    pa = pyarrow_for(WRITING)
    buffers = [None, pa.py_buffer(ids.offsets), pa.py_buffer(ids.data)]
    array = pa.Array.from_buffers(pa.large_string(), len(ids), buffers)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return pa.Array.from_buffers(pa.large_binary(), len(ids), buffers)
    return array


def _write_parquet(tables: Iterator[Any], target: BinaryIO) -> None:
    from pyarrow import parquet

    groups = _row_groups(tables)
    first = next(groups)
    with parquet.ParquetWriter(target, first.schema) as writer:
        for table in chain([first], groups):
            writer.write_table(table, ROW_GROUP)


def _write_orc(tables: Iterator[Any], target: BinaryIO) -> None:
    from pyarrow import orc

    first = next(tables)
    with orc.ORCWriter(target) as writer:
        for table in chain([first], tables):
            writer.write(table)


def _row_groups(tables: Iterator[Any]) -> Iterator[Any]:
    """Join tables until they have the rows of a row group."""
    import pyarrow as pa

    held: list[Any] = []
    for table in tables:
        held.append(table)
        if sum(map(len, held)) >= ROW_GROUP:
            yield pa.concat_tables(held)
            held = []
    if held:
        yield pa.concat_tables(held)


def _write_arrow(tables: Iterator[Any], target: BinaryIO) -> None:
    from pyarrow import ipc

    first = next(tables)
    with ipc.new_file(target, first.schema) as writer:
        for table in chain([first], tables):
            writer.write_table(table)


PARQUET = Format(
    name="parquet",
    description="Parquet with the usual column names",
    example="",
    endings=("parquet", "pq"),
    scan=scan,
    write_run=partial(write_run, write=_write_parquet),
    write_qrels=partial(write_qrels, write=_write_parquet),
    holds=frozenset({"score", "rank", "tag", "groups", "scale", "collection size", "sampling"}),
    read=read,
    starts=(b"PAR1",),
    find_kind=kind_of,
)
ORC = PARQUET._replace(
    name="orc",
    description="ORC with the usual column names",
    endings=("orc",),
    write_run=partial(write_run, write=_write_orc),
    write_qrels=partial(write_qrels, write=_write_orc),
    holds=PARQUET.holds - {"scale", "collection size"},
    starts=(b"ORC",),
)
ARROW = PARQUET._replace(
    name="arrow",
    description="Arrow IPC (file or stream; also called Feather) with the usual column names",
    endings=("arrow", "feather", "ipc"),
    write_run=partial(write_run, write=_write_arrow),
    write_qrels=partial(write_qrels, write=_write_arrow),
    starts=(b"ARROW1", b"\xff\xff\xff\xff"),
)
BINARY = frozenset({PARQUET.name, ORC.name, ARROW.name})
"""The formats with typed columns, which pyarrow reads."""
