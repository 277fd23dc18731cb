"""Read runs and judgments piece by piece, as columns: text through the scanning kernel, tables through Arrow.

Lines that the kernel does not accept are passed to the strict reader, which explains what is wrong with them or, since
the kernel accepts less (very long numbers, for example), reads them after all.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np

from germane import kernels
from germane.formats.rankings.scan import SLACK, skip_header
from germane.formats.rows.columns import Columns, rank_problem, with_extra_fields
from germane.formats.rows.text import BOM, RowError, TextLayout, TextRow, scan_text
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.columns.stretches import Stretches

if TYPE_CHECKING:
    from germane.kernels.reference import TableReader

BLOCK = 1 << 20
"""Bytes of text read at once."""
MAX_ODD_LINES = 1000
"""Lines explained one by one; beyond these, at most one in `ODD_SHARE`, since each stops the kernel."""
ODD_SHARE = 1000


class StrictReaderNeededError(Exception):
    """A file has something that only the strict reader explains, or enough odd lines for it to be faster."""


class Heads(NamedTuple):
    """Ids that neighbouring rows share: ``start[i]`` to ``start[i + 1]`` have the id ``ids[i]``."""

    ids: Ids
    start: IntArray

    @property
    def stretches(self) -> Stretches:
        """The stretches of rows, numbered as the ids are."""
        return Stretches(np.arange(len(self.ids)), self.start)

    def take(self, first: int, last: int) -> Heads:
        """Return the ids from `first` to before `last`, with the rows counted from there."""
        return Heads(self.ids.take(np.arange(first, last)), self.start[first : last + 1] - self.start[first])


class Piece(NamedTuple):
    """Consecutive rows of a file. `groups` are the groups of judgments or the tags of a run.

    `line` and `place` are the number and the byte offset of the line of each row. A row whose rank is not a number
    forms a piece of its own, with its `problem`.
    """

    queries: Heads
    docs: Ids
    value: FloatArray
    rank: FloatArray | None
    groups: Heads | None
    line: IntArray
    place: IntArray
    num_extra: int = 0
    problem: RowError | None = None


Advance = Callable[[int, int | None], None]
"""Function that is told how much of a file was read, and of how much (None: unknown)."""


def text_pieces(
    stream: BinaryIO, layout: TextLayout, source: str, advance: Advance | None = None
) -> Iterator[Piece | RowError]:
    """Yield the rows of a text and the errors in its lines, in order; `advance` is told how many bytes were read."""
    lines = TextLines(layout, source)
    header = _CountedLines(stream)
    kept = skip_header(header, layout)  # type: ignore[arg-type] # it only reads lines
    lines.number = header.num_lines if kept else header.num_lines + 1
    lines.place = stream.tell() - len(kept)
    size = _size(stream)
    while data := stream.read(max(BLOCK, len(kept))):
        if advance is not None:
            advance(lines.place + len(kept) + len(data), size)
        kept = yield from lines.pieces(kept + data)
    yield from lines.pieces(kept if not kept or kept.endswith(b"\n") else kept + b"\n")


def _size(stream: BinaryIO) -> int | None:
    if not stream.seekable():
        return None
    place = stream.tell()
    size = stream.seek(0, io.SEEK_END)
    stream.seek(place)
    return size


class _CountedLines:
    """A stream that counts the lines read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.num_lines = 0

    def readline(self) -> bytes:
        self.num_lines += 1
        return self._stream.readline()


class TextLines:
    """The lines of a text: the number and the place of the next one, and how many had to be explained."""

    def __init__(self, layout: TextLayout, source: str) -> None:
        # Runs have no groups, so the kernel's group column reads the tags.
        self.layout = layout._replace(header_lines=0)
        asked = layout if layout.group is not None else layout._replace(group=layout.tag)
        self._reader: TableReader = kernels.TableReader(asked)
        self._has_groups = asked.group is not None
        self._source = source
        self._num_odd = 0
        self.number = 1
        self.place = 0

    def pieces(self, data: bytes) -> Generator[Piece | RowError, None, bytes]:
        """Yield the rows and errors of the whole lines in `data`, and return the rest of it."""
        size = data.rfind(b"\n") + 1
        buffer = bytearray(data)
        buffer += bytes(SLACK)
        while size:
            state, reached, num_lines, num_extra, *columns = self._reader.read(buffer, size, self.number, self.place)
            if num_extra and self.layout.format == "trec-qrels":
                raise StrictReaderNeededError  # longer lines may be those of a run, which is an error
            if len(columns[-1]):
                yield self._piece(columns, num_extra)
            self.number += num_lines
            self.place += reached
            if state == kernels.OK:
                break
            end = buffer.index(b"\n", reached) + 1
            yield from self._explained(bytes(buffer[reached:end]))
            self.number += 1
            self.place += end - reached
            del buffer[:end]
            size -= end
        return data[data.rfind(b"\n") + 1 :]

    def _piece(self, columns: list[Any], num_extra: int) -> Piece:
        query, query_ends, query_start, doc, doc_ends, group, group_ends, group_start, value, rank, *where = columns
        layout, line, place = self.layout, *where
        ranks = -value if layout.rank_only else None if layout.rank is None else rank
        groups = Heads(Ids(group, group_ends), group_start) if self._has_groups else None
        queries, docs = Heads(Ids(query, query_ends), query_start), Ids(doc, doc_ends)
        return Piece(queries, docs, value, ranks, groups, line, place, num_extra)

    def _explained(self, line: bytes) -> Iterator[Piece | RowError]:
        """Let the strict reader read a line."""
        self._num_odd += 1
        if self._num_odd > MAX_ODD_LINES and self._num_odd * ODD_SHARE > self.number:
            raise StrictReaderNeededError
        begin = BOM if self.number == 1 else b""  # the strict reader would take another one off the first line
        for row in scan_text(io.BytesIO(begin + line), self.layout, self._source, first_line=self.number):
            if not isinstance(row, RowError):
                yield self._piece_of(row)
            elif row.kind != "empty":  # a blank line
                yield row

    def _piece_of(self, row: TextRow) -> Piece:
        problem = rank_problem(row, self._source)
        label = row.group if row.group is not None else row.tag
        rank = None if row.rank is None else np.array([np.nan if problem else float(row.rank)])
        start, line, place = np.array([0, 1]), np.array([row.line]), np.array([self.place])
        groups = None if label is None else Heads(Ids.of([label]), start)
        value, extra = np.array([row.value]), int(row.extra > 0)
        return Piece(
            Heads(Ids.of([row.query]), start), Ids.of([row.doc]), value, rank, groups, line, place, extra, problem
        )


def whole_queries(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield the rows of a run whose queries are not interleaved in pieces that hold whole queries, without tags."""
    held: list[Piece] = []
    for piece in pieces:
        if held and piece.queries.ids.bytes_at(0) != held[-1].queries.ids.bytes_at(0):
            yield _one(held)
            held = []
        last = len(piece.queries.ids) - 1
        if last:
            yield _one([*held, _part(piece, 0, last)])
            held = []
        held.append(_part(piece, last, last + 1))
    if held:
        yield _one(held)


def _part(piece: Piece, first: int, last: int) -> Piece:
    """Return the rows of the queries from `first` to before `last`."""
    rows = slice(*piece.queries.start[[first, last]].tolist())
    ends = piece.docs.offsets[rows.start : rows.stop + 1]
    docs = Ids(piece.docs.data[ends[0] : ends[-1]], ends - ends[0])
    rank = None if piece.rank is None else piece.rank[rows]
    queries = piece.queries.take(first, last)
    return Piece(queries, docs, piece.value[rows], rank, None, piece.line[rows], piece.place[rows])


def _one(pieces: list[Piece]) -> Piece:
    """Join pieces."""
    columns = columns_of(pieces, is_run=True, left_out=())
    line, place = (np.concatenate(each) for each in zip(*((piece.line, piece.place) for piece in pieces), strict=True))
    queries = Heads(columns.queries, columns.stretches.start)
    return Piece(queries, columns.doc, columns.value, columns.rank, None, line, place)


def columns_of(pieces: Sequence[Piece], *, is_run: bool, left_out: tuple[str, ...]) -> Columns:
    """Join the pieces of a whole file."""
    queries, groups = Codes(), Codes()
    stretches = _stretches([queries.of(piece.queries) for piece in pieces])
    left_out = with_extra_fields(left_out, sum(piece.num_extra for piece in pieces))
    labels = _stretches([groups.of(piece.groups) for piece in pieces if piece.groups is not None])
    group = Ids.of(groups).take(labels.rows) if groups and not is_run else None
    tags = tuple(Ids.of(groups)) if is_run else ()
    value = np.concatenate([piece.value for piece in pieces])
    ranks = [piece.rank for piece in pieces if piece.rank is not None]
    docs, rank = _joined([piece.docs for piece in pieces]), np.concatenate(ranks) if ranks else None
    return Columns(Ids.of(queries), stretches, docs, value, rank, group, tags, left_out)


class Codes(dict[bytes, int]):
    """Numbers of ids, in order of first appearance."""

    def of(self, heads: Heads) -> Stretches:
        """Return the numbers of these ids, new ones included."""
        numbers = [self.setdefault(name, len(self)) for name in heads.ids.to_bytes_list()]
        return Stretches(np.array(numbers, dtype=np.int64), heads.start)


def _stretches(parts: Sequence[Stretches]) -> Stretches:
    """Join stretches, of which two may meet that have the same number."""
    if not parts:
        return Stretches.of_sizes([])
    begins = np.cumsum([0, *map(len, parts)])
    code = np.concatenate([part.code for part in parts])
    start = np.concatenate([part.start[:-1] + begin for part, begin in zip(parts, begins, strict=False)])
    new = np.append(True, code[1:] != code[:-1])
    return Stretches(code[new], np.append(start[new], begins[-1]))


def _joined(parts: Sequence[Ids]) -> Ids:
    begins = np.cumsum([0, *(len(part.data) for part in parts)])
    offsets = [part.offsets[:-1] + begin for part, begin in zip(parts, begins, strict=False)]
    return Ids(np.concatenate([part.data for part in parts]), np.append(np.concatenate(offsets), begins[-1]))
