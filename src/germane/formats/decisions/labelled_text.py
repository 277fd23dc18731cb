"""Items in text files: one row per line, separated by commas, tabs, semicolons or white space; or JSON objects.

The first non-blank line is the header, unless columns are requested by number. Fields in double quotes may contain
anything, including line breaks; errors still give the right line number. There are no comments: a line that starts
with ``#`` may well be data, such as a tweet.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from typing import Any, BinaryIO

import numpy as np

from germane.errors import InputError
from germane.formats.decisions.coded_columns import CodedText
from germane.formats.decisions.label_kinds import encoding_hint, is_utf8
from germane.formats.decisions.labelled_columns import (
    NUMERIC_LABELS,
    Asked,
    Chosen,
    choose_columns,
    is_number,
    looks_like_header,
)
from germane.formats.decisions.labelled_scan import NUMBER, SKIP, TEXT, RowScanner, text_of
from germane.formats.decisions.labelled_values import Where, fields_to_numbers, numbers
from germane.formats.files.json_text import json_object, without_doubles
from germane.formats.rows.text import BOM, data_lines, show

ROWS_AT_ONCE = 1 << 14
LONGEST_HEADER = 1 << 20
"""Maximum number of bytes in the first line for the rest to be read by the kernel."""
Block = tuple[dict[str, Any], Sequence[int]]
"""Columns of some rows, and their line numbers."""
DELIMITERS = {"csv": ",", "tsv": "\t"}
QUOTES_HINT = 'close every field that starts with a quote ("), and double quotes inside it ("")'


@dataclass(frozen=True)
class Part:
    """Some rows of a table: the columns with a role, and the location of the rows."""

    columns: Mapping[str, Any]
    where: Where
    num_rows: int
    is_text: bool = False
    """Whether the labels are text fields that may still turn out to be numbers."""


def delimited_parts(
    stream: BinaryIO, delimiter: str, asked: Asked, source: str, batch_rows: int | None, decimal: str = "."
) -> Generator[tuple[Chosen, Part], None, None]:
    """Yield the rows of a delimited text file in batches."""
    with ExitStack() as opened:
        opened.callback(stream.close)
        begin = _first_line(stream).removeprefix(BOM)
        records = _header_records(begin, delimiter, source)
        is_line = records is not None
        if records is None:
            records = _Records(opened.enter_context(text_of(stream, begin)), delimiter, source)
        header, line = records.header()
        if damaged := [name for name in header if not is_utf8(name)]:
            problem = f"expected UTF-8 text as names of columns, found {damaged[0]!r}"
            raise InputError(source, line, problem, hint=encoding_hint(damaged[0]))
        first: list[list[str]] = []
        if _is_headerless(header, asked):
            if looks_like_header(header, asked):
                problem = f"expected a row of data, found a header: {', '.join(map(repr, header))}"
                raise InputError(source, line, problem, hint=f"use column names, as in `truth={header[0]!r}`")
            first, header = [header], [str(number) for number in range(1, len(header) + 1)]
        chosen = choose_columns(header, asked, source, line)
        kinds = _kinds(header, chosen, decimal)
        scanner = None
        if is_line:
            rest = begin[begin.rstrip(b"\r\n").rfind(b"\n") + 1 :] if first else b""
            scanner = RowScanner(stream, delimiter, kinds or b"", rest, line - bool(first))
            first = []

        def blocks() -> Iterator[Block]:
            rows = records
            if scanner is not None:
                if kinds is not None:
                    yield from _scanned(scanner, header, kinds)
                text = opened.enter_context(scanner.text_of_the_rest())
                rows = _Records(text, delimiter, source, scanner.line)
            yield from _plain(rows, header, first, line, chosen, source, decimal)

        yield from ((chosen, part) for part in _gather(blocks(), source, batch_rows, is_text=True))


def _first_line(stream: BinaryIO) -> bytes:
    """Read up to the end of the first line with data."""
    begin = b""
    while line := stream.readline(LONGEST_HEADER):
        begin += line
        if line.removeprefix(BOM).strip():
            break
    return begin


def _header_records(begin: bytes, delimiter: str, source: str) -> _Records | None:
    """Return the records of the first line with data, if it is one whole record."""
    lines = begin.splitlines()
    if not begin.endswith(b"\n") or begin.count(b"\n") != len(lines):
        return None

    def records() -> _Records:
        return _Records(io.StringIO(begin.decode("utf-8", "surrogateescape"), newline=""), delimiter, source)

    try:
        is_last = records().header()[1] == len(lines)
    except InputError:
        return None
    return records() if is_last else None


def _kinds(header: Sequence[str], chosen: Chosen, decimal: str) -> bytes | None:
    """Return the kind of each column for the kernel; None if it cannot read them."""
    values = {name for name, _ in _numeric(chosen)}
    texts = {name for name in (*chosen.labels, chosen.cluster, *chosen.slices) if name is not None}
    if chosen.id is not None or texts & values or (values and decimal != "."):
        return None
    return bytes(TEXT if name in texts else NUMBER if name in values else SKIP for name in header)


def _scanned(scanner: RowScanner, header: Sequence[str], kinds: bytes) -> Iterator[Block]:
    names = {kind: [name for name, its in zip(header, kinds, strict=True) if its == kind] for kind in (TEXT, NUMBER)}
    for texts, values, lines in scanner.blocks():
        yield dict(zip((*names[TEXT], *names[NUMBER]), (*texts, *values), strict=True)), lines


def _plain(
    records: _Records,
    header: Sequence[str],
    first: list[list[str]],
    line: int,
    chosen: Chosen,
    source: str,
    decimal: str,
) -> Iterator[Block]:
    place = {name: header.index(name) for name in chosen.needed}
    for rows, lines in records.rows(header, first, line):
        columns: dict[str, Any] = {name: list(map(itemgetter(place[name]), rows)) for name in chosen.needed}
        for name, role in _numeric(chosen):
            columns[name] = fields_to_numbers(columns[name], name, role, Where(source, [lines]), decimal)
        yield columns, lines


def jsonl_parts(
    stream: BinaryIO, asked: Asked, source: str, batch_rows: int | None
) -> Generator[tuple[Chosen, Part], None, None]:
    """Yield the rows of a file of JSON objects, one per line."""
    lines = data_lines(stream)
    first = next(lines, None)
    if first is None:
        raise InputError(
            source, None, "expected data, found only blank lines", hint="check that this is the right file"
        )
    chosen = choose_columns(list(json_object(first[1], source, first[0], unique=True)), asked, source, first[0])
    every = chain([first], lines)

    def blocks() -> Iterator[Block]:
        while block := list(islice(every, ROWS_AT_ONCE)):
            where = Where(source, [[number for number, _ in block]])
            rows = _all_objects(block) or [json_object(line, source, number, unique=True) for number, line in block]
            columns: dict[str, Any] = {name: _values(rows, name, where) for name in chosen.needed}
            for name, role in _numeric(chosen):
                columns[name] = numbers(columns[name], name, role, where)
            yield columns, [number for number, _ in block]

    yield from ((chosen, part) for part in _gather(blocks(), source, batch_rows, is_text=False))


def _is_headerless(first: Sequence[str], asked: Asked) -> bool:
    """Return whether columns are requested by number and the first line does not have these numbers as names."""
    names = asked.names
    named = set(names) <= set(first) and ("0" in names or not all(map(is_number, first)))
    return bool(names) and all(name.isdecimal() for name in names) and not named


def _numeric(chosen: Chosen) -> list[tuple[str, str]]:
    """Return the numeric columns, with their names in error messages."""
    called = {"score": "score", "weight": "weight", "probabilities": "probability", "vectors": "component"}
    if chosen.contents == "numbers":
        called |= NUMERIC_LABELS
    return [(name, called[role]) for role, names in chosen.roles.items() if role in called for name in names]


def _gather(blocks: Iterable[Block], source: str, batch_rows: int | None, *, is_text: bool) -> Iterator[Part]:
    """Join blocks of columns into parts; numeric columns are arrays already, which need less memory than text."""
    held: list[Block] = []
    count = 0
    for block in blocks:
        rest = block
        while rest[1]:
            room = len(rest[1]) if batch_rows is None else batch_rows - count
            taken, rest = _rows(rest, slice(room)), _rows(rest, slice(room, None))
            held.append(taken)
            count += len(taken[1])
            if count == batch_rows:
                yield _joined(held, source, count, is_text=is_text)
                held, count = [], 0
    if count:
        yield _joined(held, source, count, is_text=is_text)


def _rows(block: Block, rows: slice) -> Block:
    return {name: column[rows] for name, column in block[0].items()}, block[1][rows]


def _joined(held: list[Block], source: str, count: int, *, is_text: bool) -> Part:
    columns: dict[str, Any] = {}
    lines = [lines for _, lines in held]
    for name in tuple(held[0][0]):
        parts = [block.pop(name) for block, _ in held]  # each is freed as soon as it has been copied
        if all(isinstance(part, CodedText) for part in parts):
            columns[name] = CodedText.joined(parts)
        elif isinstance(parts[0], np.ndarray):
            columns[name] = np.concatenate(parts)
        else:
            columns[name] = list(chain.from_iterable(parts))
    return Part(columns, Where(source, lines), count, is_text)


def _values(rows: list[dict[str, Any]], name: str, where: Where) -> list[Any]:
    try:
        return [item[name] for item in rows]
    except KeyError:
        row = next(row for row, item in enumerate(rows) if name not in item)
        found = ", ".join(map(repr, rows[row])) or "none"
        raise where.error(row, f"expected the key {name!r}, found {found}") from None


class _Records:
    """The records of a delimited file, with line numbers."""

    def __init__(self, text: Iterable[str], delimiter: str, source: str, line: int = 0) -> None:
        self._source = source
        self._delimiter = delimiter
        self._line = self._lines_before = line
        self._reader = None if delimiter == " " else csv.reader(text, delimiter=delimiter, strict=True)
        self._rows: Iterator[list[str]] = map(str.split, text) if self._reader is None else self._reader

    def header(self) -> tuple[list[str], int]:
        """Return the fields of the first non-blank line, and its number."""
        while rows := self._take(1):
            line = self._line
            self._line += self._lines_of(rows)
            if not _is_blank(rows[0]):
                return [field.strip() for field in rows[0]], line + 1
        raise InputError(
            self._source, None, "expected data, found only blank lines", hint="check that this is the right file"
        )

    def rows(
        self, names: Sequence[str], first: list[list[str]], first_line: int
    ) -> Iterator[tuple[list[list[str]], range | list[int]]]:
        """Yield blocks of rows after the header, with their line numbers; `first` are rows to yield before them."""
        if first:
            yield first, range(first_line, first_line + 1)
        while rows := self._take(ROWS_AT_ONCE):
            start = self._line + 1
            num_lines = self._lines_of(rows)
            self._line += num_lines
            lengths = set(map(len, rows))
            lines: range | list[int] = range(start, start + len(rows))
            if num_lines != len(rows) or lengths != {len(names)}:
                rows, lines = self._checked(rows, names, start)
            yield rows, lines

    def _take(self, count: int) -> list[list[str]]:
        try:
            return list(islice(self._rows, count))
        except csv.Error as error:
            line = self._line + 1 if self._reader is None else self._lines_before + self._reader.line_num
            raise InputError(
                self._source, line, f"cannot split the line into fields: {error}", hint=QUOTES_HINT
            ) from None

    def _lines_of(self, rows: list[list[str]]) -> int:
        return len(rows) if self._reader is None else self._lines_before + self._reader.line_num - self._line

    def _checked(self, rows: list[list[str]], names: Sequence[str], start: int) -> tuple[list[list[str]], list[int]]:
        """Return the non-blank rows with their line numbers, after checking the number of fields of each."""
        kept, lines = [], []
        for row in rows:
            if not _is_blank(row):
                if len(row) != len(names):
                    shown = show(self._delimiter.join(row).encode("utf-8", "surrogateescape"))
                    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
                    problem = f"expected {len(names)} fields ({listed}), found {len(row)}: {shown}"
                    raise InputError(self._source, start, problem)
                kept.append(row)
                lines.append(start)
            start += 1 + sum(field.count("\n") or field.count("\r") for field in row)
        return kept, lines


def delimiter_of(head: bytes) -> str:
    """Detect the delimiter from the start of a file: tab, comma, semicolon, or a space for white space."""
    first = next((line for line in head.removeprefix(BOM).splitlines() if line.strip()), b"")
    if b"\t" in first:
        return "\t"
    if b"," in first or b";" in first:
        return "," if first.count(b",") >= first.count(b";") else ";"
    return " " if b" " in first.strip() and b'"' not in first else ","


def _is_blank(row: list[str]) -> bool:
    return not row or (len(row) == 1 and not row[0].strip())


def _all_objects(block: list[tuple[int, bytes]]) -> list[dict[str, Any]] | None:
    """Parse the objects of many lines at once, in half the time; None if any line is not an object."""
    try:
        text = b",".join([line for _, line in block]).decode("utf-8")
        items: list[Any] = json.loads(f"[{text}]", object_pairs_hook=without_doubles)
    except (ValueError, RecursionError):
        return None
    return items if len(items) == len(block) and set(map(type, items)) == {dict} else None
