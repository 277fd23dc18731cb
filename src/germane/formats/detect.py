"""Which format a file is in, told from its first bytes and lines, with the reason.

The stream that was looked at comes back with nothing missing, so standard input can be detected and then read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.column_names import Kind, Roles, find_roles, guess_kind, has_names
from germane.formats.layout import MSMARCO_RUN, TREC_QRELS, TREC_RUN, TextLayout
from germane.formats.sources import is_plain_file, open_source, peek, source_name
from germane.formats.text import (
    BOM,
    CONTROL,
    INTEGER,
    NOT_FINITE,
    NUMBER,
    SWAPPED_QRELS,
    SWAPPED_RUN,
    field_names,
    looks_like_run,
    show,
)
from germane.tables.counted import counted
from germane.tables.ids import to_text

FORMAT_NAMES = ("trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet", "arrow")
HEAD = 1 << 16
LONGEST_HEAD = 1 << 25
"""A first line longer than so many bytes is judged by its start."""
SAMPLE_LINES = 20
DELIMITERS = {"csv": b",", "tsv": b"\t", "beir": b"\t"}
BINARY_STARTS = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
SQLITE_START = b"SQLite format 3\0"
UNTAGGED_RUN = replace(TREC_RUN, num_fields=5, tag=None)
BEIR_HEADER = ["query-id", "corpus-id", "score"]
STARTS_LIKE_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:["}]|$)')
FIRST_JSON_VALUE = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(.)', re.DOTALL)


@dataclass
class Detected:
    """What a file is, and the stream to read it from, which its owner closes (use it in a `with`).

    `layout` is there where lines divided by that layout are all there is to the format. Delimited files whose fields
    may be in quotes have `quoted_layout` instead; JSON and Arrow have neither. `left_out` names columns without a role.
    """

    path: str
    kind: Kind
    format: str
    why: str
    stream: BinaryIO
    layout: TextLayout | None = None
    quoted_layout: TextLayout | None = None
    left_out: tuple[str, ...] = ()
    told: bool = False
    """The format was named, not found out."""

    @property
    def source(self) -> str:
        """How errors name the file."""
        return source_name(self.path)

    def __enter__(self) -> Detected:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()


@dataclass(frozen=True)
class Head:
    """The beginning of a file: its bytes, and the first lines that are neither blank nor comments."""

    data: bytes
    lines: Sequence[tuple[int, bytes]]


@dataclass(frozen=True)
class Guess:
    """What `Detected` says, before there is a stream."""

    format: str
    kind: Kind
    why: str
    layout: TextLayout | None = None
    left_out: tuple[str, ...] = ()


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
    name = None if format is None else _known(format, kind)
    stream = open_source(path)
    try:
        head, stream = _read_head(stream, source)
        if untagged and kind != "qrels" and name in (None, "trec") and _lacks_tag(head):
            guess = Guess("trec", "run", "5 fields to a line: a run without a tag", UNTAGGED_RUN)
        else:
            guess = _guess(head, kind, source) if name is None else _as_told(name, head, kind, source)
        detected = Detected(
            str(path), guess.kind, guess.format, guess.why, stream, left_out=guess.left_out, told=name is not None
        )
        if kind is None and guess.format in ("parquet", "arrow"):
            from germane.formats.arrow_file import kind_of

            return kind_of(detected)
        if guess.layout is None or guess.layout.delimiter is None:
            return replace(detected, layout=guess.layout)
        if guess.layout.sampled or b'"' in head.data or not is_plain_file(path) or _has_quotes(path):
            return replace(detected, quoted_layout=guess.layout)
        return replace(detected, layout=guess.layout)
    except BaseException:
        stream.close()
        raise


def _known(format: str, kind: Kind | None) -> str:  # noqa: A002
    name, _, ending = format.rpartition("-")
    if ending not in ("run", "qrels"):
        name = format
    if name not in FORMAT_NAMES:
        raise GermaneError(
            f"no format is called {format!r}{did_you_mean(format, FORMAT_NAMES)}",
            hint=f"the formats are {', '.join(FORMAT_NAMES)}",
        )
    if (name, kind) in (("msmarco", "qrels"), ("beir", "run")):
        hint = "MS MARCO's judgments are in TREC format" if name == "msmarco" else "BEIR's format is one for judgments"
        raise GermaneError(f"{name} is not a format for {'runs' if kind == 'run' else 'judgments'}", hint=hint)
    return name


def _read_head(stream: BinaryIO, source: str) -> tuple[Head, BinaryIO]:
    size = HEAD
    while True:
        data, stream = peek(stream, size)
        whole = len(data) < size
        head = Head(data, _data_lines(data, whole=whole))
        if not head.lines and not whole and not _binary_format(data):
            size *= 8  # comments only, so far, or a line that is longer than what was read of it
            continue
        try:
            _reject_what_is_no_input(head, source)
        except InputError:
            stream.close()
            raise
        return head, stream


def _binary_format(data: bytes) -> str | None:
    if not CONTROL.search(data[:64]):
        return None  # a query may be called PAR1
    return next((name for start, name in BINARY_STARTS.items() if data.startswith(start)), None)


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
    if _binary_format(head.data):
        return
    if head.data.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in head.data:
        raise InputError(source, None, "expected UTF-8 text, found UTF-16", hint="save the file as UTF-8")
    if head.data.startswith(SQLITE_START):
        released = f"`germane release {source} -o release` makes judgments (qrels) of what `germane judge` keeps"
        raise InputError(source, None, "expected text, found an SQLite database", hint=released)
    if not head.lines:
        what = "an empty file" if not head.data else "only blank lines and comments"
        raise InputError(source, None, f"expected data, found {what}", hint="is this the right file?")
    for number, line in head.lines:
        if found := CONTROL.search(line):
            problem = f"expected text, found byte 0x{found.group()[0]:02x} (binary data?): {show(line)}"
            hint = "this is a .zip archive: unpack it first" if head.data.startswith(b"PK\x03\x04") else None
            raise InputError(source, number, problem, hint=hint)
    if b"\n" not in head.data and b"\r" in head.data.rstrip():
        hint = "convert its line ends first, for example with `tr '\\r' '\\n'`"
        raise InputError(source, None, "expected lines that end with \\n, found only \\r, as on old Macs", hint=hint)


def _guess(head: Head, kind: Kind | None, source: str) -> Guess:
    if name := _binary_format(head.data):
        return Guess(name, kind or "run", f"starts with the bytes of {name.capitalize()}")
    number, first = head.lines[0]
    if STARTS_LIKE_JSON.match(first):
        return _guess_json(head, kind)
    for name in ("tsv", "csv"):
        if has_names(_header(first, DELIMITERS[name])):
            return _with_header(name, head, kind, source)
    rows = [line.split() for _, line in head.lines]
    if kind is None and len(rows[0]) == 5 and rows[0][1] == b"Q0":
        return _trec("run", "the second field is Q0, as in a run, though one of its six fields is missing")
    if kind != "qrels":
        if any(_fits_run(row) and (kind == "run" or _like_a_number(row[4])) for row in rows):
            return _trec("run", f"{len(rows[0])} fields to a line, a score the fifth")
        if len(rows[0]) == 3 and all(INTEGER.fullmatch(row[2]) for row in rows if len(row) == 3):
            return Guess("msmarco", "run", "3 fields to a line, a whole number the last: its rank", MSMARCO_RUN)
    if kind != "run" and any(map(_fits_qrels, rows)) and not looks_like_run(rows[0]):
        return _trec("qrels", f"{len(rows[0])} fields to a line, a grade the fourth")
    raise _unknown(rows[0], first, number, kind, source)


def _lacks_tag(head: Head) -> bool:
    fields = head.lines[0][1].split() if head.lines else []
    return len(fields) == 5 and NUMBER.fullmatch(fields[4]) is not None


def _trec(kind: Kind, why: str) -> Guess:
    return Guess("trec", kind, why, TREC_RUN if kind == "run" else TREC_QRELS)


def _fits_run(fields: list[bytes]) -> bool:
    return len(fields) >= 6 and (_like_a_number(fields[4]) or INTEGER.fullmatch(fields[3]) is not None)


def _fits_qrels(fields: list[bytes]) -> bool:
    return len(fields) >= 4 and (_like_a_number(fields[3]) or fields[1] in (b"0", b"Q0"))


def _like_a_number(text: bytes) -> bool:
    """A number, or what the reader should complain about by itself: ``nan`` and the infinities."""
    return NUMBER.fullmatch(text) is not None or text.lower().lstrip(b"+-") in NOT_FINITE


def _guess_json(head: Head, kind: Kind | None) -> Guess:
    first_value = FIRST_JSON_VALUE.match(head.data.removeprefix(BOM))
    if first_value is None or first_value.group(1) == b"{":
        values = re.findall(rb":\s*(-?[0-9][0-9.eE+-]*)", head.data)
        whole = all(INTEGER.fullmatch(value) for value in values)
        return Guess("json", kind or ("qrels" if whole else "run"), "starts with { and holds objects: a dict of dicts")
    names = [to_text(name) for name in re.findall(rb'"((?:[^"\\]|\\.)*)"\s*:', head.lines[0][1])]
    return Guess("jsonl", kind or guess_kind(names), "starts with { and holds plain values: an object per line")


def _header(line: bytes, delimiter: bytes) -> list[str]:
    names = line.removeprefix(BOM).rstrip(b"\r\n").split(delimiter)
    return [to_text(name.strip().strip(b'"')) for name in names]


def _with_header(name: str, head: Head, kind: Kind | None, source: str) -> Guess:
    number, first = head.lines[0]
    delimiter = DELIMITERS[name]
    names = _header(first, delimiter)
    kind = kind or guess_kind(names)
    if name == "tsv" and kind == "qrels" and names == BEIR_HEADER:
        name = "beir"
    roles = find_roles(names, kind, source, number)
    why = f"a header with {'commas' if delimiter == b',' else 'tabs'}: {', '.join(names)}"
    return Guess(name, kind, why, _layout(name, kind, roles, len(names)), roles.left_out)


def _layout(name: str, kind: Kind, roles: Roles, num_fields: int) -> TextLayout:
    return TextLayout(
        f"{name}-{kind}",
        query=roles.query,
        doc=roles.doc,
        value=roles.value,
        num_fields=num_fields,
        delimiter=DELIMITERS[name],
        rank=roles.rank,
        group=roles.group,
        tag=roles.tag,
        header_lines=1,
        rank_only=roles.rank_only,
        stratum=roles.stratum,
        inclusion=roles.inclusion,
    )


def _as_told(name: str, head: Head, kind: Kind | None, source: str) -> Guess:
    told = f"told to read it as {name}"
    if name in DELIMITERS:
        return replace(_with_header(name, head, kind, source), format=name, why=told)
    if name == "msmarco":
        return Guess(name, "run", told, MSMARCO_RUN)
    if name == "trec":
        fields = head.lines[0][1].split() if head.lines else []
        return _trec(kind or ("run" if _fits_run(fields) else "qrels"), told)
    if name in ("json", "jsonl"):
        return replace(_guess_json(head, kind), format=name, why=told)
    return Guess(name, kind or "run", told)


def _unknown(fields: list[bytes], line: bytes, number: int, kind: Kind | None, source: str) -> InputError:
    wanted = {"run": "a run", "qrels": "judgments", None: "a run or judgments"}[kind]
    hint = f"the formats are {', '.join(FORMAT_NAMES)}; see `germane convert --help`"
    expected = f"expected {wanted}"
    if kind == "run" and len(fields) == 4 and _fits_qrels(fields):
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
