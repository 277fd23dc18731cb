"""What a format declares: how its files are recognised, read and written, and what they can hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from germane.errors import InputError
from germane.formats.files.sources import source_name
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns
from germane.formats.rows.text import BOM, CONTROL, RowError, TextLayout, TextRow, scan_text
from germane.tables.columns.ids import Ids, to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

CANNOT_BE_A_FIELD = re.compile(rb"[\x00-\x20]")
CANNOT_BE_DELIMITED = re.compile(rb"[\x00-\x1f]")

Scan = Callable[["Detected"], Iterator[TextRow | RowError]]


class Head(NamedTuple):
    """The beginning of a file: its bytes, and the first lines that are neither blank nor comments."""

    data: bytes
    lines: Sequence[tuple[int, bytes]]

    @property
    def rows(self) -> list[list[bytes]]:
        """The fields of each line, divided at white space."""
        return [line.split() for _, line in self.lines]


class Guess(NamedTuple):
    """What `Detected` says, before there is a stream."""

    format: str
    kind: Kind
    why: str
    layout: TextLayout | None = None
    left_out: tuple[str, ...] = ()


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


Recognise = Callable[[Head, Kind | None, str, bool], Guess | None]
"""Recognise a format from the beginning of a file that errors call `source`; None where it is in another format.

The last argument says that the format was named: then the file is read as such, whatever it looks like.
"""


class Format(NamedTuple):
    """One format: how to recognise, read and write it, and what it holds beside queries, documents, scores and grades.

    `scan` goes row by row and reports what is wrong with each; `read`, where a format has a faster way, gives all
    columns at once. `example` is a line or two of such a file. Binary formats are recognised by the bytes that they
    start with, and `find_kind` reads on to see whether it is a run or judgments; all others by `recognise`.
    """

    name: str
    description: str
    example: str
    endings: tuple[str, ...]
    scan: Scan
    write_run: Callable[[Run, BinaryIO], None] | None
    write_qrels: Callable[[Qrels, BinaryIO], None] | None
    holds: frozenset[str] = frozenset()
    read: Callable[[Detected], Columns] | None = None
    recognise: Recognise | None = None
    starts: tuple[bytes, ...] = ()
    find_kind: Callable[[Detected], Detected] | None = None
    separator: bytes | None = None
    """What divides the fields of a line (a blank stands for any white space); None where ids may hold anything."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Whether it is a format of runs, of judgments or of both."""
        run: tuple[Kind, ...] = () if self.write_run is None else ("run",)
        return run if self.write_qrels is None else (*run, "qrels")

    @property
    def has_fixed_fields(self) -> bool:
        """Whether the number of fields says what a file is, so that its kind is not a guess by names."""
        return self.separator == b" "

    def guess(self, head: Head, kind: Kind | None, source: str, *, named: bool) -> Guess | None:
        """Return what a file is, if it is in this format."""
        guess = None
        if self.recognise is not None:
            guess = self.recognise(head, kind, source, named)
        elif named or is_binary_start(head.data, self.starts):
            guess = Guess(self.name, kind or "run", f"starts with the bytes of {self.name.capitalize()}")
        return guess._replace(why=f"told to read it as {self.name}") if guess is not None and named else guess

    def read_columns(self, detected: Detected) -> Columns:
        """All columns of a file; raises at the first thing that is wrong."""
        if self.read is not None:
            return self.read(detected)
        return Columns.from_rows(self.scan(detected), detected.source, detected.left_out)

    def reject_ids(self, given: Mapping[str, Ids | None]) -> None:
        """Refuse ids that a line of this format cannot hold, by what they are; a query id comes first on it."""
        if self.separator is None:
            return
        forbidden = CANNOT_BE_A_FIELD if self.separator == b" " else CANNOT_BE_DELIMITED
        for what, ids in given.items():
            starts_line = what == "query id" and self.separator != b","
            for data in ids.to_bytes_list() if ids is not None else ():
                if starts_line and data.startswith((b"#", BOM)):
                    why = "starts like a comment"
                elif not data or forbidden.search(data):
                    why = "has white space or control characters in it, or nothing"
                else:
                    continue
                problem = f"this format cannot hold the {what} {to_text(data)!r}: it {why}"
                raise InputError(self.name, None, problem, hint="json, jsonl, parquet and arrow files can")


def is_binary_start(data: bytes, starts: tuple[bytes, ...]) -> bool:
    """Whether a file begins with one of these bytes and is not text: a query may be called PAR1."""
    return data.startswith(starts) and CONTROL.search(data[:64]) is not None


def scan_lines(detected: Detected) -> Iterator[TextRow | RowError]:
    """The rows of any format that a `TextLayout` describes."""
    layout = detected.layout or detected.quoted_layout
    assert layout is not None
    return scan_text(detected.stream, layout, detected.source, quoted=detected.layout is None)
