"""The records of a file of documents: where each one is, so that it can be read again alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.text import BOM

ID_NAMES = ("_id", "id", "docid", "doc_id", "docno", "pid", "document_id")


@dataclass(frozen=True)
class Record:
    """Where a record is, its id, and what it says."""

    start: int
    size: int
    line: int
    fields: Mapping[str, Any]

    @property
    def id(self) -> str | None:
        return next((str(self.fields[name]) for name in ID_NAMES if name in self.fields), None)


Records = Callable[[BinaryIO, str], Iterator[Record]]
"""Reads a stream; the name of the source is for errors."""


def _lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """(line number, where it starts, its bytes), without a byte order mark."""
    start = 0
    for number, line in enumerate(stream, start=1):
        mark = len(BOM) if number == 1 and line.startswith(BOM) else 0
        yield number, start + mark, line[mark:]
        start += len(line)


def json_records(stream: BinaryIO, source: str) -> Iterator[Record]:
    """JSON lines, one object each."""
    for number, start, line in _lines(stream):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise InputError(source, number, f"expected a JSON object, found {line[:80]!r} ({error})") from None
        if not isinstance(fields, dict):
            raise InputError(source, number, f"expected a JSON object, found {line[:80]!r}")
        yield Record(start, len(line), number, fields)


def json_fields(data: bytes) -> Mapping[str, Any]:
    """The fields of one JSON line."""
    fields: Mapping[str, Any] = json.loads(data)
    return fields


TSV_COLUMNS = {2: ("id", "text"), 3: ("id", "title", "text"), 4: ("id", "url", "title", "text")}
"""What a TSV file without a header holds, by its number of columns: passages; titled passages; MS MARCO's documents."""


def tsv_records(stream: BinaryIO, source: str) -> Iterator[Record]:
    """Fields with tabs between, nothing quoted; the first line may name the columns."""
    names: tuple[str, ...] = ()
    for number, start, line in _lines(stream):
        if not line.strip():
            continue
        values = _tsv_values(line)
        if not names:
            names = _tsv_names(values, source, number)
            if values == list(names):
                continue
        if len(values) != len(names):
            raise InputError(source, number, f"expected {len(names)} fields with tabs between, found {len(values)}")
        yield Record(start, len(line), number, dict(zip(names, values, strict=True)))


def _tsv_values(line: bytes) -> list[str]:
    return line.decode("utf-8", errors="replace").rstrip("\r\n").split("\t")


def _tsv_names(values: list[str], source: str, line: int) -> tuple[str, ...]:
    if values[0].lower() in ID_NAMES:
        return tuple(values)
    if len(values) not in TSV_COLUMNS:
        raise InputError(
            source, line, f"expected fields (id, text; id, title, text; id, url, title, text), found {len(values)}",
            hint="a first line with the names of the columns (id, title, text) allows any number",
        )  # fmt: skip
    return TSV_COLUMNS[len(values)]


def csv_records(stream: BinaryIO, source: str) -> Iterator[Record]:
    """Comma-separated, quoted where need be (ends of lines too); the first line names the columns."""
    ends = [0]

    def text_lines() -> Iterator[str]:
        for _, start, line in _lines(stream):
            ends[0] = start + len(line)
            yield line.decode("utf-8", errors="replace")

    names: list[str] = []
    reader, start = csv.reader(text_lines()), 0
    for values in reader:
        begin, start = start, ends[0]
        if not values:
            continue
        if not names:
            names = [name.strip().lower() for name in values]
            if not set(names) & set(ID_NAMES):
                found = ", ".join(names)
                raise InputError(source, 1, f"expected a header with one of {', '.join(ID_NAMES)}, found {found}")
            continue
        if len(values) != len(names):
            raise InputError(source, reader.line_num, f"expected {len(names)} fields, found {len(values)}")
        yield Record(begin, start - begin, reader.line_num, dict(zip(names, values, strict=True)))


def reader_of(records: Records, path: Path) -> Callable[[bytes], Mapping[str, Any]]:
    """How the bytes of one record of this file become its fields again."""
    if records is json_records:
        return json_fields
    with path.open("rb") as stream:
        first = next(line for _, _, line in _lines(stream) if line.strip())
    if records is tsv_records:
        columns = _tsv_names(_tsv_values(first), str(path), 1)
        return lambda data: dict(zip(columns, _tsv_values(data), strict=True))
    header = [name.strip().lower() for name in next(csv.reader([first.decode("utf-8")]))]
    return lambda data: dict(
        zip(
            header,
            next(row for row in csv.reader(io.StringIO(data.decode("utf-8", errors="replace"), newline="")) if row),
            strict=True,
        )
    )
