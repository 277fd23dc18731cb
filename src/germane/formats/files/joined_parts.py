"""Join the part files of a table into one stream, so that every reader of files can read such a folder too.

Text parts are concatenated, with a common header only once, and with the columns of key=value folders as text. Parquet
and Arrow parts become one file of that format, for readers that need one; tables of rows are read where they lie, by
`part_tables`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from germane.errors import InputError
from germane.formats.decisions.labelled_columns import GUESSES
from germane.formats.files.addresses import Address
from germane.formats.files.arrow_tables import arrow_errors, open_arrow
from germane.formats.files.part_folders import PartFile
from germane.formats.files.part_tables import full_parts, kind_of_parts, opens, table_of_parts
from germane.formats.files.sources import open_source, piece_stream
from germane.formats.rows.column_names import has_names, plain_name
from germane.formats.rows.text import BOM, NUMBER
from germane.tables.columns.ids import to_bytes, to_text
from germane.temporary import written_to_a_temporary_file

BATCH_ROWS = 1 << 16


def open_parts(folder: str | Path | Address, parts: list[PartFile]) -> BinaryIO:
    """Open the parts of a table as one stream of bytes in the same format."""
    full = full_parts(parts)
    kind = kind_of_parts(folder, full)
    if kind != "text":
        return _joined_tables(folder, full, kind)
    return piece_stream(_text(full, header_of(folder, full)))


def header_of(folder: str | Path | Address, parts: list[PartFile]) -> bytes | None:
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


def place_of(folder: str | Path | Address, parts: list[PartFile], line: int) -> tuple[Path | Address, int]:
    """Return the part that contains a line of the joined table (a row for binary formats), and the number in it."""
    full = full_parts(parts)
    kind = kind_of_parts(folder, full)
    header = header_of(folder, full) if kind == "text" else None
    for number, part in enumerate(full):
        repeated = 1 if header is not None and number else 0  # only the first header is kept
        size = _size(part.path, kind) - repeated
        if line <= size:
            return part.path, line + repeated
        line -= size
    return full[-1].path, line


# Text --------------------------------------------------------------------------------------------------------------


def _first_line(path: Path | Address) -> bytes:
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


def _joined_tables(folder: str | Path | Address, parts: list[PartFile], kind: str) -> BinaryIO:
    import tempfile  # which takes a millisecond to load

    from pyarrow import ipc, parquet

    written = written_to_a_temporary_file("a table of all parts")
    with (
        table_of_parts(folder, parts, kind) as table,
        arrow_errors(kind, folder),
        written,
        ExitStack() as unless_it_works,
    ):
        opened = unless_it_works.enter_context(tempfile.TemporaryFile())
        make = parquet.ParquetWriter if kind == "parquet" else ipc.new_file
        with make(opened, table.schema) as writer:
            for batch in table.batches(None, BATCH_ROWS):
                writer.write_batch(batch)
        opened.seek(0)
        unless_it_works.pop_all()
    return opened


def _size(path: Path | Address, kind: str) -> int:
    """Count the lines of a text part, or the rows of a binary one."""
    if kind != "text":
        with open_arrow(opens(path), kind, path) as table:
            return sum(batch.num_rows for batch in table.batches(None, BATCH_ROWS))
    with open_source(path) as stream:
        return sum(1 for _ in stream)
