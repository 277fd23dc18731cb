"""Readers of files with many documents: the fields of each record, and its position, so that it can be read again.

Formats: JSON lines, TSV, CSV, Parquet and SMART; TREC documents are in `sgml`.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from germane.errors import InputError
from germane.formats.documents.streams import decoded
from germane.formats.files.arrow_tables import pyarrow_for
from germane.formats.files.json_text import json_object
from germane.formats.rows.text import BOM, said_by
from germane.temporary import written_to_a_temporary_file

ID_NAMES = ("_id", "id", "docid", "doc_id", "docno", "pid", "document_id")
TEXT_NAMES = ("text", "contents", "content", "body", "passage", "abstract", "segment")
TITLE_NAMES = ("title", "headline")

MOST_FIELD_CHARACTERS = 2**31 - 1
PARQUET_START = b"PAR1"
ROWS_AT_ONCE = 256
"""Rows per batch; small, because rows may hold long texts and a whole batch is in memory."""


@dataclass(frozen=True)
class Record:
    """Position of a record (byte range and first line) and its fields. For Parquet there is no byte range, and the line
    is the row number."""

    start: int
    size: int
    line: int
    fields: Mapping[str, Any]


class RecordReader:
    """Reads one file. `errors` is how to handle bytes that are not UTF-8: ``strict`` or ``replace``."""

    rereads = True
    """Whether a single record can be read again."""

    def __init__(self, source: str, *, errors: str = "strict", id_names: Sequence[str] = ID_NAMES) -> None:
        self.source = source
        self.errors = errors
        self.id_names = id_names
        self.names: tuple[str, ...] = ()

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """Read all records, in order."""
        raise NotImplementedError

    def fields(self, data: bytes) -> Mapping[str, Any]:
        """Return the fields of one record, from its bytes; call it only after `records` has reached that record."""
        return self.parse(data.decode("utf-8", self.errors))

    def parse(self, text: str) -> Mapping[str, Any]:
        """Return the fields of one record, from its text."""
        raise NotImplementedError


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line number, byte offset, bytes) of each line, without a byte order mark."""
    start = 0
    for number, line in enumerate(stream, start=1):
        mark = len(BOM) if number == 1 and line.startswith(BOM) else 0
        yield number, start + mark, line[mark:]
        start += len(line)


class JsonLines(RecordReader):
    """Reader of JSON lines, one object each."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        for number, start, line in numbered_lines(stream):
            if line.strip():
                yield self.record(line, number, start)

    def record(self, line: bytes, number: int, start: int) -> Record:
        """Return the record in one line, which is not empty."""
        text = decoded(line, self.source, number, start, self.errors)
        fields = json_object(text, self.source, number)
        if self.errors == "strict" and "\\u" in text:
            self._check_surrogates(text, fields, number)
        return Record(start, len(line), number, fields)

    def parse(self, text: str) -> Mapping[str, Any]:
        return dict(json.loads(text))

    def _check_surrogates(self, text: str, fields: Mapping[str, Any], number: int) -> None:
        try:
            json.dumps(fields, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"\\u{ord(error.object[error.start]):04x}"
            problem = f"expected a surrogate pair, found {half} alone"
            raise InputError(
                self.source, number, problem, hint="write the character in UTF-8, or as both surrogates"
            ) from None


TSV_COLUMNS = {2: ("id", "text"), 3: ("id", "title", "text"), 4: ("id", "url", "title", "text")}
"""Columns of a TSV file without a header, by their number: passages; titled passages; MS MARCO documents."""


class TabSeparated(RecordReader):
    """Reader of tab-separated files without quoting; the first line may be a header."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        for number, start, line in numbered_lines(stream):
            if not line.strip():
                continue
            values = decoded(line, self.source, number, start, self.errors).rstrip("\r\n").split("\t")
            if not self.names:
                self.names = self._columns(values, number)
                if values == list(self.names):
                    continue
            if len(values) != len(self.names):
                problem = f"expected {len(self.names)} tab-separated fields, as on the first line, found {len(values)}"
                raise InputError(self.source, number, problem)
            yield Record(start, len(line), number, dict(zip(self.names, values, strict=True)))

    def parse(self, text: str) -> Mapping[str, Any]:
        return dict(zip(self.names, text.rstrip("\r\n").split("\t"), strict=True))

    def _columns(self, values: list[str], line: int) -> tuple[str, ...]:
        # Without a header the id comes first, so a header with the id elsewhere is recognised by its other names.
        lowered, ids = ({value.lower() for value in named} for named in (values, self.id_names))
        if values[0].lower() in ids or (lowered & ids and lowered & {*TEXT_NAMES, *TITLE_NAMES}):
            return different(values, self.source, line)
        if len(values) not in TSV_COLUMNS:
            problem = f"expected 2 to 4 fields (id, text; id, title, text; id, url, title, text), found {len(values)}"
            hint = "for other columns, add a header with their names (id, title, text, …)"
            raise InputError(self.source, line, problem, hint=hint)
        return TSV_COLUMNS[len(values)]


class CommaSeparated(RecordReader):
    """Reader of CSV files with a header; quoted fields may contain line breaks."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        # The limit is global to the process, so only raise it: another reader may rely on a higher one.
        csv.field_size_limit(max(csv.field_size_limit(), MOST_FIELD_CHARACTERS))
        end, first_line = 0, 1

        def text_lines() -> Iterator[str]:
            nonlocal end
            for number, start, line in numbered_lines(stream):
                end = start + len(line)
                yield decoded(line, self.source, number, start, self.errors)

        reader = csv.reader(text_lines(), strict=True)
        begin = 0
        while True:
            try:
                values = next(reader, None)
            except csv.Error as error:
                hint = 'close every quoted field, and double quotes inside it ("")'
                raise InputError(self.source, first_line, f"invalid CSV: {error}", hint=hint) from None
            if values is None:
                return
            record = Record(begin, end - begin, first_line, dict(zip(self.names, values, strict=False)))
            begin, first_line = end, reader.line_num + 1
            if not values:
                continue
            if not self.names:
                self._read_header(values, record.line)
            elif len(values) != len(self.names):
                problem = f"expected {len(self.names)} fields, as in the header, found {len(values)}"
                raise InputError(self.source, record.line, problem)
            else:
                yield record

    def parse(self, text: str) -> Mapping[str, Any]:
        lines = io.StringIO(text, newline="")
        return dict(zip(self.names, next(row for row in csv.reader(lines) if row), strict=True))

    def _read_header(self, values: list[str], line: int) -> None:
        names = different([name.strip().lower() for name in values], self.source, line)
        if not {name.lower() for name in self.id_names} & set(names):
            problem = f"expected a header with an id column ({', '.join(self.id_names)}), found {', '.join(names)}"
            raise InputError(self.source, line, problem, hint=id_field_hint(names))
        self.names = names


class ParquetRows(RecordReader):
    """Reader of Parquet files; nested columns (lists, structures) are not read."""

    rereads = False

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        pa = pyarrow_for("reading Parquet files")
        from pyarrow import parquet

        with written_to_a_temporary_file(f"a copy of {self.source}"), tempfile.TemporaryFile() as spool:
            if not stream.seekable():  # the file's metadata is at its end
                shutil.copyfileobj(stream, spool)
                spool.seek(0)
            try:
                file = parquet.ParquetFile(stream if stream.seekable() else spool)
                names = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
                batches = file.iter_batches(batch_size=ROWS_AT_ONCE, columns=names)
                rows = chain.from_iterable(batch.to_pylist() for batch in batches)
                number = 0
                for number, row in enumerate(rows, start=1):
                    yield Record(0, 0, number, row)
                if number != file.metadata.num_rows:  # pyarrow ends without an error at a damaged page
                    raise pa.ArrowInvalid(f"expected {file.metadata.num_rows} rows, found {number}")
            except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
                problem = f"invalid Parquet file: {said_by(error)}"
                raise InputError(self.source, None, problem, hint="check that the file is complete") from None


SMART_START = re.compile(rb"\.I\s+\S+\s*\r?\n\.[A-Z]\s")
"""The start of a SMART file."""

NEXT_SMART = re.compile(rb"\.I(?:\s+(.*?))?\s*$", re.DOTALL)
SMART_PART = re.compile(r"\.([A-Z])\s*")


class SmartRecords(RecordReader):
    """Reader of SMART files, the format of Cranfield, CISI and MED: ``.I`` and a number, then a letter for each part
    (``.T`` title, ``.A`` author, ``.B`` source, ``.W`` words). Repeated parts are joined."""

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        held: list[bytes] = []
        first_line, first_byte = 1, 0
        for number, start, line in numbered_lines(stream):
            is_next = line.startswith(b".I") and NEXT_SMART.fullmatch(line)
            if is_next and held:
                yield self._record(held, first_line, first_byte)
            if is_next:
                held, first_line, first_byte = [line], number, start
            elif held:
                held.append(line)
            elif line.strip():
                raise InputError(self.source, number, f"expected .I and a number, found {line[:80]!r}")
        if held:
            yield self._record(held, first_line, first_byte)

    def _record(self, lines: list[bytes], line: int, start: int) -> Record:
        data = b"".join(lines)
        return Record(start, len(data), line, smart_parts(decoded(data, self.source, line, start, self.errors)))

    def parse(self, text: str) -> Mapping[str, Any]:
        return smart_parts(text)


def smart_parts(text: str) -> dict[str, str]:
    """Return the parts of one SMART record, by letter.

    >>> smart_parts(".I 7\\n.T\\nOn wings\\n.W\\na wing\\nin a slipstream\\n")
    {'I': '7', 'T': 'On wings', 'W': 'a wing\\nin a slipstream'}
    """
    first, *rest = text.replace("\r\n", "\n").split("\n")
    parts: dict[str, list[str]] = {"I": [first.removeprefix(".I").strip()]}
    part = "W"  # text before any letter
    for line in rest:
        if found := SMART_PART.fullmatch(line):
            part = found[1]
            parts.setdefault(part, [])
        else:
            parts.setdefault(part, []).append(line)
    return {name: "\n".join(found).strip() for name, found in parts.items()}


def id_field_hint(names: Sequence[str]) -> str | None:
    """Return a hint to use the most likely of these fields as the id.

    >>> id_field_hint(["title", "article_id", "text"])
    "use `id_field='article_id'`"
    """
    likely = [name for name in names if name.lower().endswith(("id", "no", "number", "key"))] or list(names)
    return f"use `id_field={likely[0]!r}`" if likely else None


def different(names: Sequence[str], source: str, line: int) -> tuple[str, ...]:
    """Return the column names, after checking that none is duplicated."""
    for name in names:
        if list(names).count(name) > 1:
            problem = f"duplicate column {name!r} among {', '.join(names)}"
            raise InputError(source, line, problem, hint="rename one of them")
    return tuple(names)
