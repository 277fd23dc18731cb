"""All formats of runs and judgments, and which one a file is in: by its first bytes and lines, with the reason.

A new format is one file that declares a `Format`, and a line in the list here. The stream that was looked at comes back
with nothing missing, so standard input can be detected and then read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from germane.errors import GermaneError, InputError, unknown
from germane.formats.files.json_text import STARTS_LIKE_JSON
from germane.formats.files.sources import is_plain_file, open_source, peek, source_name
from germane.formats.rankings import arrow_file, delimited, json_files, trec
from germane.formats.rankings.entry import Detected, Format, Guess, Head, is_binary_start
from germane.formats.rows.column_names import Kind
from germane.formats.rows.text import (
    BOM,
    CONTROL,
    NUMBER,
    SWAPPED_QRELS,
    SWAPPED_RUN,
    TREC_RUN,
    field_names,
    looks_like_run,
    show,
)
from germane.tables.notes.counts import counted

FORMATS: dict[str, Format] = {
    entry.name: entry
    for entry in (
        *(trec.FORMAT, trec.MSMARCO, delimited.CSV, delimited.TSV, delimited.BEIR),
        *(json_files.JSON, json_files.JSON_LINES, arrow_file.PARQUET, arrow_file.ARROW),
    )
}
"""The formats of runs and judgments; what is more particular than another stands below it."""
HEAD = 1 << 16
LONGEST_HEAD = 1 << 25
"""A first line longer than so many bytes is judged by its start."""
SAMPLE_LINES = 20
SQLITE_START = b"SQLite format 3\0"
UNTAGGED_RUN = TREC_RUN._replace(num_fields=5, tag=None)


def detect(
    path: str | Path,
    kind: Kind | None = None,
    format: str | None = None,  # noqa: A002
    *,
    untagged: bool = False,
) -> Detected:
    """Open a file and say what it is. Without a kind, that is guessed too.

    `format` overrules the guess. `untagged` accepts TREC runs of five fields, which lack the run's tag.
    """
    source = source_name(path)
    named = None if format is None else known_format(format, kind)
    stream = open_source(path)
    try:
        head, stream = _read_head(stream, source)
        if untagged and kind != "qrels" and named in (None, trec.FORMAT) and _lacks_tag(head):
            guess = Guess("trec", "run", "5 fields to a line: a run without a tag", UNTAGGED_RUN)
        else:
            found = None if named is None else named.guess(head, kind, source, named=True)
            guess = found or _guess(head, kind, source)
        detected = Detected(
            str(path), guess.kind, guess.format, guess.why, stream, left_out=guess.left_out, told=named is not None
        )
        if kind is None and (find_kind := FORMATS[guess.format].find_kind) is not None:
            return find_kind(detected)
        if guess.layout is None or guess.layout.delimiter is None:
            return replace(detected, layout=guess.layout)
        if guess.layout.sampled or b'"' in head.data or not is_plain_file(path) or _has_quotes(path):
            return replace(detected, quoted_layout=guess.layout)
        return replace(detected, layout=guess.layout)
    except BaseException:
        stream.close()
        raise


def known_format(name: str, kind: Kind | None = None) -> Format:
    """Return the format of a name, which may end with the kind of file: ``trec-run``."""
    entry = FORMATS.get(name.removesuffix("-run").removesuffix("-qrels"))
    if entry is None:
        raise unknown("format", name, FORMATS)
    if kind is not None and kind not in entry.kinds:
        able = ", ".join(other.name for other in FORMATS.values() if kind in other.kinds)
        what = "runs" if kind == "run" else "judgments"
        raise GermaneError(f"{entry.name} is not a format for {what}", hint=f"choose from {able}")
    return entry


def binary_format(data: bytes) -> str | None:
    """Return the name of the format whose bytes a file starts with; None if that of no binary format."""
    starting = (entry.name for entry in FORMATS.values() if entry.starts and is_binary_start(data, entry.starts))
    return next(starting, None)


def _read_head(stream: BinaryIO, source: str) -> tuple[Head, BinaryIO]:
    size = HEAD
    while True:
        data, stream = peek(stream, size)
        whole = len(data) < size
        head = Head(data, _data_lines(data, whole=whole))
        if not head.lines and not whole and not binary_format(data):
            size *= 8  # comments only, so far, or a line that is longer than what was read of it
            continue
        try:
            _reject_what_is_no_input(head, source)
        except InputError:
            stream.close()
            raise
        return head, stream


def _data_lines(data: bytes, *, whole: bool) -> list[tuple[int, bytes]]:
    lines = data.removeprefix(BOM).split(b"\n")
    if not whole and (len(lines) > 1 or _may_grow(data)):
        lines.pop()  # the last one may be cut off
    data_lines = (
        (number, line) for number, line in enumerate(lines, start=1) if line.strip() and not line.startswith(b"#")
    )
    return list(islice(data_lines, SAMPLE_LINES))


def _may_grow(data: bytes) -> bool:
    """Whether to read on for the end of the first line: not where the start of it says what the file is."""
    return len(data) < LONGEST_HEAD and not STARTS_LIKE_JSON.match(data) and not CONTROL.search(data)


def _reject_what_is_no_input(head: Head, source: str) -> None:
    if binary_format(head.data):
        return
    if head.data.startswith(SQLITE_START):
        released = f"`germane release {source} -o release` makes judgments (qrels) of what `germane judge` keeps"
        raise InputError(source, None, "expected text, found an SQLite database", hint=released)
    if not head.lines:
        what = "an empty file" if not head.data else "only blank lines and comments"
        raise InputError(source, None, f"expected data, found {what}", hint="is this the right file?")
    reject_binary(head.data, head.lines, source)
    if b"\n" not in head.data and b"\r" in head.data.rstrip():
        hint = "convert its line ends first, for example with `tr '\\r' '\\n'`"
        raise InputError(source, None, "expected lines that end with \\n, found only \\r, as on old Macs", hint=hint)


def reject_binary(data: bytes, lines: Iterable[tuple[int, bytes]], source: str) -> None:
    """Refuse the beginning of a file that is not text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in data:
        raise InputError(source, None, "expected UTF-8 text, found UTF-16", hint="save the file as UTF-8")
    for number, line in lines:
        if found := CONTROL.search(line):
            problem = f"expected text, found byte 0x{found.group()[0]:02x} (binary data?): {show(line)}"
            hint = "this is a .zip archive: unpack it first" if data.startswith(b"PK\x03\x04") else None
            raise InputError(source, number, problem, hint=hint)


def _guess(head: Head, kind: Kind | None, source: str) -> Guess:
    for entry in reversed(FORMATS.values()):  # the particular before the general
        if (guess := entry.guess(head, kind, source, named=False)) is not None:
            return guess
    number, first = head.lines[0]
    raise _unknown(head.rows[0], first, number, kind, source)


def _lacks_tag(head: Head) -> bool:
    fields = head.lines[0][1].split() if head.lines else []
    return len(fields) == 5 and NUMBER.fullmatch(fields[4]) is not None


def _unknown(fields: list[bytes], line: bytes, number: int, kind: Kind | None, source: str) -> InputError:
    wanted = {"run": "a run", "qrels": "judgments", None: "a run or judgments"}[kind]
    hint = f"germane reads {', '.join(FORMATS)}; see `germane convert --help`"
    expected = f"expected {wanted}"
    if kind == "run" and len(fields) == 4 and trec.fits_qrels(fields):
        hint = SWAPPED_RUN
    elif kind == "qrels" and looks_like_run(fields):
        hint = SWAPPED_QRELS
    elif len(fields) == 5 and kind != "qrels":
        expected = f"expected 6 fields ({field_names(TREC_RUN)})"
        hint = "a run line ends with the run's tag; `germane convert --tag NAME` adds one"
    elif len(fields) == 3:
        hint = "three columns without a header are MS MARCO's: query, document, rank; a header names others"
        if kind == "qrels":
            hint = "judgments have four columns (query 0 document grade), or a header such as `qid docno relevance`"
    elif line.count(b",") >= 2 and len(fields) == 1:
        hint = "a CSV file starts with a header, such as qid,docno,score or qid,docno,relevance"
    elif line.startswith(b"["):
        hint = "JSON files hold a dict of dicts; one object per line is read as jsonl"
    found = f"{counted(len(fields), 'field')}: {show(line.rstrip())}"
    return InputError(source, number, f"{expected}, found {found}", hint=hint)


def _has_quotes(path: str | Path) -> bool:
    with Path(path).open("rb") as file:
        return any(b'"' in block for block in iter(lambda: file.read(1 << 20), b""))
