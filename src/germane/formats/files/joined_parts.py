"""Join the part files of a table into one stream, so that every reader of files can read such a folder too.

Text parts are concatenated, with a common header only once. Parquet and Arrow parts become one file of that format.
The columns of key=value folders are added to every row: as integers in Parquet and Arrow if all values are integers,
else as text, so that an id such as 007 is kept.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.decisions.labelled_columns import GUESSES
from germane.formats.files.arrow_tables import ArrowTable, open_arrow, pyarrow_for
from germane.formats.files.part_folders import PartFile
from germane.formats.files.sources import first_bytes, is_plain_file, open_source, piece_stream
from germane.formats.rows.column_names import has_names, plain_name
from germane.formats.rows.text import BOM, CONTROL, NUMBER, said_by
from germane.tables.columns.ids import to_bytes, to_text

HEAD = 1 << 16
BATCH_ROWS = 1 << 16
BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow"}
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def open_parts(folder: str | Path, parts: list[PartFile]) -> BinaryIO:
    """Open the parts of a table as one stream of bytes in the same format."""
    heads = {part.path: first_bytes(part.path, HEAD) for part in parts}
    full = [part for part in parts if heads[part.path].strip()]
    kinds = {part.path: _kind(heads[part.path], part.path) for part in full}
    if len(set(kinds.values())) > 1:
        (one, first), (other, second) = list({kind: path for path, kind in kinds.items()}.items())[:2]
        found = f"{first.name!r} ({one}) and {second.name!r} ({other})"
        raise InputError(
            folder, None, f"expected parts of one format, found {found}", hint="write all parts in the same format"
        )
    kind = next(iter(kinds.values()), "text")
    if kind != "text":
        return _joined_tables(folder, full, kind)
    return piece_stream(_text(full, header_of(folder, full)))


def header_of(folder: str | Path, parts: list[PartFile]) -> bytes | None:
    """Return the common header of the parts of a text table, or None; raise an error if only some have it."""
    firsts = {part.path: _first_line(part.path) for part in parts}
    lines = list(dict.fromkeys(firsts.values()))
    if len(lines) == 1:
        return lines[0] if _like_a_header(lines[0]) else None
    named = next((path for path, line in firsts.items() if _names_known_columns(line)), None)
    if named is None:
        return None
    other = next(path for path, line in firsts.items() if line != firsts[named])
    problem = f"expected the same header in every part, found {_shown(firsts[named])} in {named.name}"
    found = f"{_shown(firsts[other])} in {other.name}"
    raise InputError(folder, None, f"{problem} and {found}", hint="write the same header in every part")


def place_of(folder: str | Path, parts: list[PartFile], line: int) -> tuple[Path, int]:
    """Return the part that contains a line of the joined table (a row for binary formats), and the number in it."""
    full = [part for part in parts if first_bytes(part.path, HEAD).strip()]
    kind = _kind(first_bytes(full[0].path, HEAD), full[0].path)
    header = header_of(folder, full) if kind == "text" else None
    for number, part in enumerate(full):
        repeated = 1 if header is not None and number else 0  # only the first header is kept
        size = _size(part.path, kind) - repeated
        if line <= size:
            return part.path, line + repeated
        line -= size
    return full[-1].path, line


def _kind(head: bytes, path: Path) -> str:
    found = next((kind for start, kind in BINARY.items() if head.startswith(start) and CONTROL.search(head)), "text")
    if found == "text" and CONTROL.search(head):
        raise InputError(path, None, "expected text, Parquet or Arrow parts, found other binary data")
    return found


# Text --------------------------------------------------------------------------------------------------------------


def _first_line(path: Path) -> bytes:
    with open_source(path) as stream:
        lines = (line.removeprefix(BOM).rstrip(b"\r\n") for line in stream)
        return next((line for line in lines if line.strip()), b"")


def _delimiter(line: bytes) -> str:
    if b"\t" in line:
        return "\t"
    return ";" if line.count(b";") > line.count(b",") else ","


def _fields(line: bytes) -> list[bytes]:
    return [field.strip().strip(b'"') for field in line.split(_delimiter(line).encode())]


def _like_a_header(line: bytes) -> bool:
    """Return whether a line is several distinct names, none a number, or just "query"; not JSON or markup."""
    fields = _fields(line)
    if len(fields) == 1:
        return fields[0].lower() == b"query"
    is_markup = line.lstrip().startswith((b"{", b"[", b"<"))
    return not is_markup and len(set(fields)) == len(fields) and not any(not f or NUMBER.fullmatch(f) for f in fields)


def _names_known_columns(line: bytes) -> bool:
    """Return whether a line is certainly a header: it contains usual column names."""
    names = [plain_name(field.decode("utf-8", "replace")) for field in _fields(line)]
    labels = {name for groups in GUESSES.values() for group in groups for name in group}
    known = has_names(names) or sum(name in labels for name in names) > 1 or "query" in names
    return known and _like_a_header(line)


def _text(parts: list[PartFile], header: bytes | None) -> Generator[bytes, None, None]:
    """Yield the bytes of all parts; each part ends with a line break."""
    for number, part in enumerate(parts):
        with open_source(part.path) as stream:
            lines = (line if place else line.removeprefix(BOM) for place, line in enumerate(stream))
            if header is not None and number:
                next((line for line in lines if line.strip()), None)
            if not part.columns:
                yield from _ended(lines)
            elif _first_line(part.path).lstrip().startswith(b"{"):
                yield from _ended(_objects_with(lines, part))
            elif header is not None:
                yield from _rows_with(lines, part, header, with_header=number == 0)
            else:
                problem = "expected named columns in key=value folders (CSV with a header, JSON lines, Parquet)"
                raise InputError(part.path, None, f"{problem}, found {_shown(_first_line(part.path))}")


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    last = b"\n"
    for last in lines:
        yield last
    if not last.endswith(b"\n"):
        yield b"\n"


def _objects_with(lines: Iterator[bytes], part: PartFile) -> Iterator[bytes]:
    added = json.dumps(part.columns)[1:-1].encode()
    for line in lines:
        rest = line.lstrip().removeprefix(b"{")
        begun = b"{" + added + (b"" if rest.lstrip().startswith(b"}") else b", ")
        yield begun + rest if line.strip() else line


def _rows_with(lines: Iterator[bytes], part: PartFile, header: bytes, *, with_header: bool) -> Iterator[bytes]:
    delimiter = _delimiter(header)
    rows = csv.reader(map(to_text, lines), delimiter=delimiter)
    try:
        for number, row in enumerate(rows):
            out = io.StringIO()
            added = part.columns if number == 0 and with_header else part.columns.values()
            csv.writer(out, delimiter=delimiter, lineterminator="\n").writerow([*row, *added] if row else [])
            yield to_bytes(out.getvalue())
    except csv.Error as error:
        raise InputError(part.path, rows.line_num, f"cannot split the line into fields: {error}") from None


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("utf-8", "replace"))


# Parquet and Arrow -------------------------------------------------------------------------------------------------


def _joined_tables(folder: str | Path, parts: list[PartFile], kind: str) -> BinaryIO:
    pa = pyarrow_for("reading Parquet and Arrow files")
    from pyarrow import ipc, parquet

    opened = tempfile.TemporaryFile()  # noqa: SIM115 - the reader closes it
    try:
        schema = pa.unify_schemas([_schema_of(part.path, kind) for part in parts], promote_options="default")
        schema = schema.with_metadata(_schema_of(parts[0].path, kind).metadata)
        for name in parts[0].columns:
            if name in schema.names:
                raise InputError(folder, None, f"column {name!r} is in both the files and the folder names")
            whole = all(WHOLE_NUMBER.fullmatch(part.columns[name]) for part in parts)
            schema = schema.append(pa.field(name, pa.int64() if whole else pa.string()))
        make = parquet.ParquetWriter if kind == "parquet" else ipc.new_file
        with make(opened, schema) as writer:
            for part in parts:
                for batch in _batches(part.path, kind):
                    writer.write_batch(_in_schema(batch, schema, part))
    except BaseException as error:
        opened.close()
        if isinstance(error, InputError) or not isinstance(error, pa.ArrowException | OSError | ValueError):
            raise
        problem = f"expected the same column types in all parts: {said_by(error)}"
        raise InputError(folder, None, problem, hint="write the parts again with the same types") from None
    opened.seek(0)
    return opened


def _in_schema(batch: Any, schema: Any, part: PartFile) -> Any:
    import pyarrow as pa

    columns = []
    for field in schema:
        if field.name in part.columns:
            value = part.columns[field.name]
            columns.append(pa.repeat(pa.scalar(int(value) if field.type == pa.int64() else value), batch.num_rows))
        elif field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        else:
            columns.append(pa.nulls(batch.num_rows, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _opened(path: Path, kind: str) -> AbstractContextManager[ArrowTable]:
    if is_plain_file(path):
        return open_arrow(str(path), kind, path)
    with open_source(path) as stream:
        return open_arrow(io.BytesIO(stream.read()), kind, path)


def _schema_of(path: Path, kind: str) -> Any:
    with _opened(path, kind) as file:
        return file.schema


def _batches(path: Path, kind: str) -> Iterator[Any]:
    with _opened(path, kind) as file:
        yield from file.batches(None, BATCH_ROWS)


def _size(path: Path, kind: str) -> int:
    """Count the lines of a text part, or the rows of a binary one."""
    if kind != "text":
        return sum(batch.num_rows for batch in _batches(path, kind))
    with open_source(path) as stream:
        return sum(1 for _ in stream)
