"""The strict line reader, in plain Python: the reference for the compiled scanner, and the source of error messages.

The rules, for every text format:

- Lines end with ``\\n`` or ``\\r\\n``. A UTF-8 byte order mark at the start is skipped.
- Blank lines are skipped and, unless fields are comma-separated, lines that start with ``#``. A header is the first
  remaining line.
- White space is space, ``\\t``, ``\\r``, ``\\v``, ``\\f``. Any other byte below 0x20 means that the file is not text.
- If fields are separated by white space, extra fields are ignored; with a delimiter, the number of fields is exact and
  a field is everything between two delimiters.
- A number is decimal and finite: ``-1``, ``+2.50``, ``5.``, ``1e-3``, also without a digit before the point.
- Ids are bytes. A document may occur once per query (in qrels: once per query and group).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from germane.errors import InputError
from germane.tables.columns.ids import to_text

BOM = b"\xef\xbb\xbf"
NUMBER = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(rb"[+-]?[0-9]+")
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
NOT_FINITE = (b"nan", b"inf", b"infinity")
"""Values that other programs read as numbers, without sign and in lower case."""
SWAPPED_RUN = "this looks like judgments; are QRELS and RUN swapped?"
SWAPPED_QRELS = "this looks like a run; are QRELS and RUN swapped?"

Key = bytes | tuple[bytes, bytes]


class TextLayout(NamedTuple):
    """The columns of a text format, as passed to the scanning kernel.

    Columns are numbered from 0. `delimiter` None is any white space; `value` is the score of a run or the grade of
    qrels. `rank_only` means that there is no score and the value column is the rank (MS MARCO's three columns).
    `comments` means that lines starting with # are skipped, unless fields are comma-separated.
    """

    format: str
    query: int
    doc: int
    value: int
    num_fields: int
    delimiter: bytes | None = None
    rank: int | None = None
    group: int | None = None
    tag: int | None = None
    header_lines: int = 0
    rank_only: bool = False
    stratum: int | None = None
    inclusion: int | None = None
    comments: bool = True

    @property
    def sampled(self) -> bool:
        """Whether it has sampling columns, which only the strict reader reads."""
        return self.stratum is not None or self.inclusion is not None


TREC_RUN = TextLayout("trec-run", query=0, doc=2, value=4, num_fields=6, rank=3, tag=5)
TREC_QRELS = TextLayout("trec-qrels", query=0, doc=2, value=3, num_fields=4, group=1)


class TextRow(NamedTuple):
    """The fields of one line. `value` is the score or the grade, or ``-rank`` if a run has only ranks. `extra` is the
    number of fields beyond the layout."""

    line: int
    query: bytes
    doc: bytes
    value: float
    rank: bytes | None = None
    group: bytes | None = None
    tag: bytes | None = None
    extra: int = 0
    stratum: bytes | None = None
    inclusion: float | None = None


class RowError(InputError):
    """An error in one row; `kind` is its category, for counting similar errors."""

    def __init__(self, source: str, line: int | None, kind: str, problem: str, *, hint: str | None = None) -> None:
        self.kind = kind
        super().__init__(source, line, problem, hint=hint)


def without_problems(rows: Iterable[TextRow | RowError]) -> Iterator[TextRow]:
    """Yield the rows; raise the first error among them.

    >>> import io
    >>> list(without_problems(scan_text(io.BytesIO(b"301 0 d1 1"), TREC_QRELS, "qrels")))
    [TextRow(line=1, query=b'301', doc=b'd1', value=1.0, rank=None, group=b'0', tag=None, extra=0, stratum=None,
     inclusion=None)]
    """
    for row in rows:
        if isinstance(row, RowError):
            raise row
        yield row


def scan_text(
    lines: BinaryIO, layout: TextLayout, source: str, *, quoted: bool = False, first_line: int = 1
) -> Iterator[TextRow | RowError]:
    """Yield each row or its error; `quoted` reads fields in double quotes, as in CSV files.

    `first_line` is the number of the first line.
    """
    is_run = not layout.format.endswith("qrels")
    header_lines = layout.header_lines
    duplicates = Duplicates(source)
    empty = True
    for record in _records(lines, layout, source, quoted=quoted, first_line=first_line):
        if header_lines:
            header_lines -= 1
            continue
        empty = False
        if isinstance(record, RowError):
            yield record
            continue
        line, fields, text = record
        if problem := _wrong_fields(fields, layout, source, line, text):
            yield problem
            continue
        query, doc, number = fields[layout.query], fields[layout.doc], fields[layout.value]
        if not NUMBER.fullmatch(number) or math.isinf(value := float(number)):
            what = "rank" if layout.rank_only else "score" if is_run else "grade"
            found = f"expected a finite number as {what}, found {show(number)}: {show(text)}"
            yield RowError(source, line, "number", found, hint=_hint_for_number(number, line, is_run=is_run))
            continue
        inclusion = None
        if layout.inclusion is not None:
            chance = fields[layout.inclusion]
            if not NUMBER.fullmatch(chance) or math.isinf(inclusion := float(chance)):
                found = f"expected an inclusion probability, found {show(chance)}: {show(text)}"
                yield RowError(source, line, "number", found)
                continue
        # Written out, because a loop over them would take a tenth of the reading time.
        rank = None if layout.rank is None else fields[layout.rank]
        group = None if layout.group is None else fields[layout.group]
        tag = None if layout.tag is None else fields[layout.tag]
        stratum = None if layout.stratum is None else fields[layout.stratum]
        if layout.rank_only:
            value, rank = -value, number
        extra = len(fields) - layout.num_fields
        repeated = duplicates.check(query, doc, group, line)
        yield repeated or TextRow(line, query, doc, value, rank, group, tag, extra, stratum, inclusion)
    if empty:
        expected = f"expected lines of data{' after the header' if layout.header_lines else ''}, found none"
        yield RowError(source, None, "empty", expected, hint="check that this is the right file")


class Duplicates:
    """Detects duplicate documents of a query (and group), and remembers their first line."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._seen: dict[bytes, dict[Key, int]] = {}

    def check(self, query: bytes, doc: bytes, group: bytes | None, line: int) -> RowError | None:
        """Remember the row and return None, or return the error if it is a duplicate."""
        first = self._seen.setdefault(query, {}).setdefault(doc if group is None else (doc, group), line)
        return None if first == line else duplicate_problem(self._source, line, first, query, doc, group)


def duplicate_problem(source: str, line: int, first: int, query: bytes, doc: bytes, group: bytes | None) -> RowError:
    """Return the error of a line that repeats a document of the line `first`."""
    where = f"query {show(query)}" + ("" if group is None else f" and group {show(group)}")
    problem = f"duplicate document {show(doc)} for {where} (first on line {first})"
    return RowError(source, line, "duplicate", problem)


def show(data: bytes) -> str:
    """Quote bytes for an error message, as text and truncated."""
    text = to_text(data)
    return repr(text if len(text) <= 120 else text[:117] + "...")


def said_by(error: Exception) -> str:
    """Return a library's error message, phrased in terms of the data.

    >>> try:
    ...     b"\\xff".decode()
    ... except UnicodeDecodeError as error:
    ...     said_by(error)
    'byte 0xff is not UTF-8'
    """
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return f"{error.object[error.start]!r} is half of a surrogate pair"
    return str(error)


def field_names(layout: TextLayout) -> str:
    """Return the names of the fields of a line; a TREC run includes its rank even if it is not used."""
    value = "rank" if layout.rank_only else "grade" if layout.format.endswith("qrels") else "score"
    roles = {layout.query: "query", layout.doc: "document", layout.value: value}
    optional = ((layout.rank, "rank"), (layout.group, "iteration"), (layout.tag, "tag"))
    roles |= {column: name for column, name in optional if column is not None}
    if layout.format == "trec-run":
        roles |= {3: "rank"}
    return " ".join(roles.get(column, "Q0" if layout.delimiter is None else "…") for column in range(layout.num_fields))


def looks_like_judgments(fields: list[bytes]) -> bool:
    """Return whether a line looks like ``301 0 FT911-3 1``."""
    return len(fields) == 4 and fields[1] in (b"0", b"Q0") and INTEGER.fullmatch(fields[3]) is not None


def looks_like_number(text: bytes) -> bool:
    """Return whether this is a number, or ``nan`` or an infinity, which the reader reports itself."""
    return NUMBER.fullmatch(text) is not None or text.lower().lstrip(b"+-") in NOT_FINITE


def looks_like_run(fields: list[bytes]) -> bool:
    """Return whether a line looks like ``301 Q0 FT911-3 1 12.5 bm25``."""
    if len(fields) < 6 or fields[1].upper() != b"Q0":
        return False
    return INTEGER.fullmatch(fields[3]) is not None and NUMBER.fullmatch(fields[4]) is not None


def _wrong_fields(fields: list[bytes], layout: TextLayout, source: str, line: int, text: bytes) -> RowError | None:
    found = len(fields)
    if found < layout.num_fields or (layout.delimiter is not None and found > layout.num_fields):
        expected = f"expected {layout.num_fields} fields ({field_names(layout)}), found {found}: {show(text)}"
        return RowError(source, line, "fields", expected, hint=_hint_for_fields(fields, layout))
    if layout.format == "trec-qrels" and found >= 6 and looks_like_run(fields):
        expected = f"expected a judgment ({field_names(layout)}), found {show(text)}"
        return RowError(source, line, "fields", expected, hint=SWAPPED_QRELS)
    if layout.delimiter is not None:
        for column, name in ((layout.query, "query"), (layout.doc, "document")):
            if not fields[column]:
                return RowError(source, line, "empty id", f"expected a {name} id, found an empty field: {show(text)}")
    return None


def _hint_for_fields(fields: list[bytes], layout: TextLayout) -> str | None:
    if layout.format == "trec-run":
        if looks_like_judgments(fields):
            return SWAPPED_RUN
        if len(fields) == 5 and not INTEGER.fullmatch(fields[3]) and NUMBER.fullmatch(fields[3]):
            return "the rank is missing; write query Q0 document rank score tag"
        if len(fields) == 5 and fields[1] != b"Q0":
            return "the second column, Q0, seems to be missing; write query Q0 document rank score tag"
        if len(fields) == 5:
            return "the tag at the end of the line is missing; add it with `germane convert --tag NAME`"
    if layout.format == "trec-qrels" and len(fields) == 3:
        return "the second column (0 or a subtopic) is missing; write query 0 document grade"
    if layout.delimiter is not None and len(fields) == 1:
        separator = "tabs" if layout.delimiter == b"\t" else "commas"
        return f"separate fields by {separator}, as in the header"
    return None


def _hint_for_number(number: bytes, line: int, *, is_run: bool) -> str | None:
    """Return a hint for a field that is not a finite number; text on line 1 may be a header."""
    if number.lower().lstrip(b"+-") in NOT_FINITE:
        return f"remove the line, or write the {'score' if is_run else 'grade'} as a finite number"
    return "if this is a header, delete the line" if line == 1 and not re.search(rb"[0-9]", number) else None


Record = tuple[int, list[bytes], bytes]


def _records(
    lines: BinaryIO, layout: TextLayout, source: str, *, quoted: bool, first_line: int
) -> Iterator[Record | RowError]:
    import csv

    for number, line in data_lines(lines, b"#" if layout.comments and layout.delimiter != b"," else None, first_line):
        text = line.rstrip(b"\r\n")
        if CONTROL.search(line):
            yield RowError(source, number, "binary", binary_problem(line) or "")
        elif layout.delimiter is None:  # no quoting in white-space-separated files
            yield number, line.split(), text
        elif not quoted:
            yield number, text.split(layout.delimiter), text
        else:
            try:
                # Line by line, since an id with a line break and a quote that is never closed are errors.
                (fields,) = csv.reader([to_text(text)], delimiter=layout.delimiter.decode(), strict=True)
            except csv.Error as error:
                problem = f"invalid quoting ({error}): {show(text)}"
                hint = 'close every quoted field, and double quotes inside it ("")'
                yield RowError(source, number, "quotes", problem, hint=hint)
                continue
            yield number, [field.encode("utf-8", "surrogateescape") for field in fields], text


def data_lines(
    lines: Iterable[bytes], comment: bytes | None = None, first_line: int = 1
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are neither blank nor comments, with their numbers, without a byte order mark."""
    for number, line in enumerate(lines, start=first_line):
        data = line.removeprefix(BOM) if number == 1 else line
        if data and not data.isspace() and not (comment is not None and data.startswith(comment)):
            yield number, data


def binary_problem(line: bytes) -> str | None:
    """Return the error message for a line that is not text, or None if it is."""
    found = CONTROL.search(line)
    return found and f"expected text, found byte 0x{found.group()[0]:02x} (binary data?): {show(line)}"
