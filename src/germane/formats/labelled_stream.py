"""Reading files of decisions part by part, so that a file may be larger than memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from germane.errors import GermaneError, InputError, did_you_mean
from germane.formats.detect import BINARY_STARTS, HEAD
from germane.formats.joined_parts import naming_parts
from germane.formats.labelled_columns import Asked, Chosen, Name, Names
from germane.formats.labelled_rows import LabelledRows, rows_of
from germane.formats.labelled_text import Part, delimited_parts, jsonl_parts
from germane.formats.labelled_values import LabelKind
from germane.formats.sources import is_plain_file, open_source, peek, source_name
from germane.formats.text import BOM, CONTROL, show

FORMATS = ("csv", "tsv", "jsonl", "parquet", "arrow")
BATCH_ROWS = 1 << 20


def stream_labelled(
    path: str | Path,
    *,
    truth: Name | None = None,
    predicted: Names = (),
    score: Names = (),
    weight: Name | None = None,
    id: Name | None = None,  # noqa: A002
    probabilities: Names = (),
    format: str | None = None,  # noqa: A002
    batch_rows: int = BATCH_ROWS,
) -> Iterator[LabelledRows]:
    """What `read_labelled` reads, in parts of about `batch_rows` rows; only the columns that are needed are read.

    Whether the labels of a text file are numbers is settled by the first part; a word in a later part is an error then.
    """
    asked = Asked.of(truth, predicted, score, weight, id, probabilities)
    kind = LabelKind()
    with closing(labelled_parts(path, asked, format, batch_rows)) as parts:
        for chosen, part in parts:
            yield rows_of(chosen, part, kind)


def labelled_parts(
    path: str | Path,
    asked: Asked,
    format: str | None,  # noqa: A002
    batch_rows: int | None,
) -> Generator[tuple[Chosen, Part], None, None]:
    """Which column is what, and the rows of a file in parts; without `batch_rows`, all in one."""
    with naming_parts(path):
        yield from _parts(path, asked, format, batch_rows)


def _parts(
    path: str | Path,
    asked: Asked,
    format: str | None,  # noqa: A002
    batch_rows: int | None,
) -> Generator[tuple[Chosen, Part], None, None]:
    source = source_name(path)
    if format is not None and format not in FORMATS:
        problem = f"no format is called {format!r}{did_you_mean(format, FORMATS)}"
        raise GermaneError(problem, hint=f"the formats are {', '.join(FORMATS)}")
    stream = open_source(path)
    try:
        head, stream = peek(stream, HEAD)
        name = format or _format_of(head, source)
        if name in ("parquet", "arrow"):
            from germane.formats.labelled_objects import arrow_parts

            parts = arrow_parts(path if is_plain_file(path) else None, stream, name, asked, source, batch_rows)
        elif name == "jsonl":
            parts = jsonl_parts(stream, asked, source, batch_rows)
        else:
            parts = delimited_parts(stream, head, asked, source, format, batch_rows)
        empty = True
        with closing(parts):
            for chosen, part in parts:
                empty = False
                yield chosen, part
        if empty:
            raise InputError(source, None, "expected rows, found none", hint="is this the right file?")
    finally:
        stream.close()


def _format_of(head: bytes, source: str) -> str:
    """What a file is, from its first bytes."""
    if not head.strip():
        found = "only blank lines" if head else "an empty file"
        raise InputError(source, None, f"expected data, found {found}", hint="is this the right file?")
    if CONTROL.search(head[:64]):
        name = next((name for start, name in BINARY_STARTS.items() if head.startswith(start)), None)
        if name is not None:
            return name
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\0" in head:
        raise InputError(source, None, "expected UTF-8 text, found UTF-16", hint="save the file as UTF-8")
    if found_byte := CONTROL.search(head):
        line = head.count(b"\n", 0, found_byte.start()) + 1
        text = head.split(b"\n")[line - 1]
        problem = f"expected text, found byte 0x{found_byte.group()[0]:02x} (binary data?): {show(text)}"
        hint = "this is a .zip archive: unpack it first" if head.startswith(b"PK\x03\x04") else None
        raise InputError(source, line, problem, hint=hint)
    start = head.removeprefix(BOM).lstrip()
    if start.startswith(b"["):
        problem = f"expected a JSON object per line, found {show(start.splitlines()[0])}"
        raise InputError(source, 1, problem, hint="`jq -c '.[]'` writes the objects of a list one to a line")
    return "jsonl" if start.startswith(b"{") else "delimited"
