"""The formats of runs and judgments, and their detection from the first bytes and lines of a file, with the reason.

A new format is a module that declares a `Format`, and an entry in the list here. The inspected stream is returned with
nothing missing, so that standard input can be detected and then read.
"""

# ruff: noqa: A002 - what a file is in is called its format everywhere
from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from germane.errors import GermaneError, InputError, unknown
from germane.formats.files.json_text import STARTS_LIKE_JSON
from germane.formats.files.sources import is_plain_file, open_source, open_start, peek, source_name
from germane.formats.rankings import arrow_file, delimited, json_files, trec
from germane.formats.rankings.entry import Detected, Format, Guess, Head, is_binary_start
from germane.formats.rows import text
from germane.formats.rows.column_names import Kind
from germane.tables.notes.counts import counted

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        *(trec.FORMAT, trec.MSMARCO, delimited.CSV, delimited.TSV, delimited.BEIR),
        *(json_files.JSON, json_files.JSON_LINES, arrow_file.PARQUET, arrow_file.ORC, arrow_file.ARROW),
    )
}
"""The formats of runs and judgments, from general to specific: detection tries them in reverse order."""
HEAD = 1 << 16
LONGEST_HEAD = 1 << 25
"""Bytes to read at most while looking for the end of the first line; a longer line is judged by its start."""
SAMPLE_LINES = 20
SQLITE_START = b"SQLite format 3\0"
UNTAGGED_RUN = text.TREC_RUN._replace(num_fields=5, tag=None)


def detect(
    path: str | Path, kind: Kind | None = None, format: str | None = None, *, untagged: bool = False
) -> Detected:
    """Open a file and detect its format and, unless given, its kind (run or judgments).

    `format` overrides the detection. `untagged` accepts TREC runs of five fields, without a tag.
    """
    source = source_name(path)
    named = None if format is None else known_format(format, kind)
    stream = open_start(path)
    try:
        head, stream = _read_head(stream, source)
        first = head.rows[0] if head.lines else []
        lacks_tag = len(first) == 5 and text.NUMBER.fullmatch(first[4]) is not None
        if untagged and lacks_tag and kind != "qrels" and named in (None, trec.FORMAT):
            guess = Guess("trec", "run", "5 fields per line: a run without a tag", UNTAGGED_RUN)
        else:
            found = None if named is None else named.guess(head, kind, source, named=True)
            guess = found or _guess(head, kind, source)
        layout, told, quoted = guess.layout, named is not None, None
        if layout is not None and layout.delimiter is not None and (layout.sampled or _has_quotes(path, head.data)):
            layout, quoted = None, layout
        detected = Detected(
            path if isinstance(path, str) else str(path),  # `Parts` stay what they are
            guess.kind,
            guess.format,
            guess.why,
            stream,
            layout,
            quoted,
            guess.left_out,
            told,
        )
        find_kind = FORMATS[guess.format].find_kind if kind is None else None
        return detected if find_kind is None else find_kind(detected)
    except BaseException:
        stream.close()
        raise


def known_format(name: str, kind: Kind | None = None) -> Format:
    """Return the format with this name, which may include the kind of file: ``trec-run``."""
    entry = FORMATS.get(name.removesuffix("-run").removesuffix("-qrels"))
    if entry is None:
        raise unknown("format", name, FORMATS)
    if kind is not None and kind not in entry.kinds:
        able = ", ".join(other.name for other in FORMATS.values() if kind in other.kinds)
        what = "runs" if kind == "run" else "judgments"
        raise GermaneError(f"{entry.name} is not a format for {what}", hint=f"choose from {able}")
    return entry


def binary_format(data: bytes) -> str | None:
    """Return the binary format whose magic bytes a file starts with, or None."""
    return next((entry.name for entry in FORMATS.values() if is_binary_start(data, entry.starts)), None)


def _read_head(stream: BinaryIO, source: str) -> tuple[Head, BinaryIO]:
    size = HEAD
    while True:
        data, stream = peek(stream, size)
        whole = len(data) < size
        head = Head(data, _data_lines(data, whole=whole))
        if head.lines or whole or binary_format(data):
            break
        size *= 8  # only comments so far, or a longer line than was read
    try:
        _reject_unreadable(head, source)
    except InputError:
        stream.close()
        raise
    return head, stream


def _data_lines(data: bytes, *, whole: bool) -> list[tuple[int, bytes]]:
    lines = data.removeprefix(text.BOM).split(b"\n")
    if not whole and (len(lines) > 1 or _may_grow(data)):
        lines.pop()  # the last line may be incomplete
    numbered = enumerate(lines, start=1)
    return list(islice((each for each in numbered if each[1].strip() and each[1][:1] != b"#"), SAMPLE_LINES))


def _may_grow(data: bytes) -> bool:
    """Return whether to read on to the end of the first line: not if its start already determines the format."""
    return len(data) < LONGEST_HEAD and not STARTS_LIKE_JSON.match(data) and not text.CONTROL.search(data)


def _reject_unreadable(head: Head, source: str) -> None:
    if binary_format(head.data):
        return
    if head.data.startswith(SQLITE_START):
        released = f"for a project of `germane judge`, export the qrels with `germane release {source} -o release`"
        raise InputError(source, None, "expected text, found an SQLite database", hint=released)
    if not head.lines:
        what = "an empty file" if not head.data else "only blank lines and comments"
        raise InputError(source, None, f"expected data, found {what}", hint="check that this is the right file")
    reject_binary(head.data, head.lines, source)
    if b"\n" not in head.data and b"\r" in head.data.rstrip():
        hint = "convert the line endings first, for example with `tr '\\r' '\\n'`"
        raise InputError(source, None, "expected line endings \\n, found only \\r (classic Mac)", hint=hint)


def reject_binary(data: bytes, lines: Iterable[tuple[int, bytes]], source: str) -> None:
    """Raise an error if the start of a file is not text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in data:
        raise InputError(source, None, "expected UTF-8 text, found UTF-16", hint="save the file as UTF-8")
    for number, line in lines:
        if problem := text.binary_problem(line):
            hint = (
                "this is a .zip archive; unpack it first"
                if data.startswith(b"PK\x03\x04")
                else "check that this is the right file"
            )
            raise InputError(source, number, problem, hint=hint)


def _guess(head: Head, kind: Kind | None, source: str) -> Guess:
    for entry in reversed(FORMATS.values()):  # specific formats before general ones
        if (guess := entry.guess(head, kind, source, named=False)) is not None:
            return guess
    number, first = head.lines[0]
    raise _unknown(head.rows[0], first, number, kind, source)


def _unknown(fields: list[bytes], line: bytes, number: int, kind: Kind | None, source: str) -> InputError:
    wanted = {"run": "a run", "qrels": "judgments", None: "a run or judgments"}[kind]
    hint = f"supported formats: {', '.join(FORMATS)}; see `germane convert --help`"
    expected = f"expected {wanted}"
    if kind == "run" and len(fields) == 4 and trec.fits_qrels(fields):
        hint = text.SWAPPED_RUN
    elif kind == "qrels" and text.looks_like_run(fields):
        hint = text.SWAPPED_QRELS
    elif len(fields) == 5 and kind != "qrels":
        expected = f"expected 6 fields ({text.field_names(text.TREC_RUN)})"
        hint = "the tag at the end of the line is missing; add it with `germane convert --tag NAME`"
    elif len(fields) == 3:
        hint = "three columns without a header must be query, document, rank (MS MARCO); add a header for other columns"
        if kind == "qrels":
            hint = "use four columns (query 0 document grade), or add a header such as `qid docno relevance`"
    elif line.count(b",") >= 2 and len(fields) == 1:
        hint = "add a CSV header, such as qid,docno,score or qid,docno,relevance"
    elif line.startswith(b"["):
        hint = "use a JSON object of objects, or one object per line (jsonl)"
    found = f"{counted(len(fields), 'field')}: {text.show(line.rstrip())}"
    return InputError(source, number, f"{expected}, found {found}", hint=hint)


def _has_quotes(path: str | Path, head: bytes) -> bool:
    """Return whether a file contains quotes; True if it cannot be searched."""
    if b'"' in head or not is_plain_file(path):
        return True
    with open_source(path) as file:
        return any(b'"' in block for block in iter(lambda: file.read(1 << 20), b""))
