"""The declaration of a format: how its files are detected, read and written, and what they can store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

import numpy as np

from germane.errors import InputError
from germane.formats.files.sources import source_name
from germane.formats.rows.column_names import Kind
from germane.formats.rows.columns import Columns
from germane.formats.rows.text import BOM, CONTROL, RowError, TextLayout, TextRow, scan_text
from germane.formats.rows.text_lines import has_bytes
from germane.tables.columns.ids import Ids, to_text
from germane.tables.rankings.qrels import Qrels
from germane.tables.rankings.run import Run

CANNOT_BE_A_FIELD = re.compile(rb"[\x00-\x20]")
CANNOT_BE_DELIMITED = re.compile(rb"[\x00-\x1f]")

Scan = Callable[["Detected"], Iterator[TextRow | RowError]]


class Head(NamedTuple):
    """The start of a file: its bytes, and the first lines that are neither blank nor comments."""

    data: bytes
    lines: Sequence[tuple[int, bytes]]

    @property
    def rows(self) -> list[list[bytes]]:
        """The fields of each line, split at white space."""
        return [line.split() for _, line in self.lines]


class Guess(NamedTuple):
    """The detected format and kind of a file, with the reason."""

    format: str
    kind: Kind
    why: str
    layout: TextLayout | None = None
    left_out: tuple[str, ...] = ()


@dataclass
class Detected:
    """The detected format and kind of a file, and the open stream to read it from (use it in a `with`).

    `layout` is set if the file can be read line by line with that layout. Delimited files that may contain quoted
    fields have `quoted_layout` instead; JSON and Arrow have neither. `left_out` names columns without a role.
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
    """Whether the format was specified rather than detected."""

    @property
    def source(self) -> str:
        """Name of the file in error messages."""
        return source_name(self.path)

    def __enter__(self) -> Detected:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()


Recognise = Callable[[Head, Kind | None, str, bool], Guess | None]
"""Function that recognises a format from the start of a file; None if the file is in another format.

Its arguments are the start, the kind if known, the name in error messages, and whether the format was specified, in
which case the file is read in this format regardless of its content.
"""


class Format(NamedTuple):
    """A file format: how to detect, read and write it, and what it stores besides queries, documents and values.

    `scan` reads row by row and reports the errors of each; `read`, if the format has a faster way, returns all columns
    at once. `write_run` takes a run in pieces of consecutive rows. `example` is a line or two of such a file. Binary
    formats are detected by their first bytes, and `find_kind` reads on to tell runs from judgments; all others are
    detected by `recognise`.
    """

    name: str
    description: str
    example: str
    endings: tuple[str, ...]
    scan: Scan
    write_run: Callable[[Iterable[Run], BinaryIO], None] | None
    write_qrels: Callable[[Qrels, BinaryIO], None] | None
    holds: frozenset[str] = frozenset()
    read: Callable[[Detected], Columns] | None = None
    recognise: Recognise | None = None
    starts: tuple[bytes, ...] = ()
    find_kind: Callable[[Detected], Detected] | None = None
    separator: bytes | None = None
    """Field separator (a space means any white space); None if ids may contain any character."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of files it can store: runs, judgments or both."""
        run: tuple[Kind, ...] = () if self.write_run is None else ("run",)
        return run if self.write_qrels is None else (*run, "qrels")

    @property
    def has_fixed_fields(self) -> bool:
        """Whether the number of fields determines the kind of file, rather than column names."""
        return self.separator == b" "

    def guess(self, head: Head, kind: Kind | None, source: str, *, named: bool) -> Guess | None:
        """Return the format and kind of a file if it is in this format, else None."""
        guess = None
        if self.recognise is not None:
            guess = self.recognise(head, kind, source, named)
        elif named or is_binary_start(head.data, self.starts):
            guess = Guess(self.name, kind or "run", f"starts with the magic bytes of {self.name.capitalize()}")
        return guess._replace(why=f"read as {self.name} as requested") if guess is not None and named else guess

    def read_columns(self, detected: Detected) -> Columns:
        """Read all columns of a file; raise the first error found."""
        if self.read is not None:
            return self.read(detected)
        return Columns.from_rows(self.scan(detected), detected.source, detected.left_out)

    def reject_ids(self, given: Mapping[str, Ids | None]) -> None:
        """Raise an error for ids that a line of this format cannot contain; `given` maps their role to the ids."""
        if self.separator is None:
            return
        forbidden = CANNOT_BE_A_FIELD if self.separator == b" " else CANNOT_BE_DELIMITED
        lowest = 0x21 if self.separator == b" " else 0x20
        for what, ids in given.items():
            starts_line = what == "query id" and self.separator != b","
            if ids is None or not (starts_line or has_bytes(ids, below=lowest) or (np.diff(ids.offsets) == 0).any()):
                continue
            for data in ids.to_bytes_list():
                if starts_line and data.startswith((b"#", BOM)):
                    why = "it looks like a comment"
                elif not data or forbidden.search(data):
                    why = "it is empty, or contains white space or control characters"
                else:
                    continue
                problem = f"this format cannot store the {what} {to_text(data)!r}: {why}"
                raise InputError(self.name, None, problem, hint="use json, jsonl, parquet or arrow")


def is_binary_start(data: bytes, starts: tuple[bytes, ...]) -> bool:
    """Return whether a file starts with one of these bytes and is not text, since PAR1 may be a query id."""
    return data.startswith(starts) and CONTROL.search(data[:64]) is not None


def scan_lines(detected: Detected) -> Iterator[TextRow | RowError]:
    """Yield the rows of a file described by a `TextLayout`."""
    layout = detected.layout or detected.quoted_layout
    assert layout is not None
    return scan_text(detected.stream, layout, detected.source, quoted=detected.layout is None)
