"""Survey a run or judgments without keeping the rows: what is wrong with them, and what is worth telling of them.

Rows are taken as they come, query by query. If the queries of a text are interleaved, its lines are indexed (16 bytes
per line) and visited query by query.
"""

from __future__ import annotations

import heapq
import io
import mmap
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from germane import kernels
from germane.errors import InputError
from germane.formats.files.sources import is_plain_file, open_source
from germane.formats.rankings.arrow_file import BINARY, open_columns
from germane.formats.rankings.column_pieces import column_pieces
from germane.formats.rankings.entry import Detected
from germane.formats.rankings.pieces import (
    Advance,
    Codes,
    Heads,
    Piece,
    StrictReaderNeededError,
    TextLines,
    columns_of,
    text_pieces,
)
from germane.formats.rankings.scan import BLOCK, SLACK, plain_copy
from germane.formats.rows.text import RowError, TextLayout, duplicate_problem, scan_text
from germane.tables.columns.ids import Ids, IntArray
from germane.tables.columns.stretches import Stretches

GATHERED = 1 << 22
"""Bytes of lines that are collected at once from a file whose queries are interleaved."""


class InterleavedError(Exception):
    """The rows of a query are not neighbours."""


class Totals(NamedTuple):
    """What a survey counted; `least` and `greatest` are scores, and `only_ranks` means that each is a negated rank."""

    num_rows: int
    num_tied: int
    num_contradicted: int
    least: float
    greatest: float
    only_ranks: bool


class Survey:
    """The queries, labels (tags or groups) and totals of rows without problems, and the problems of the others.

    With `keep`, the rows are kept as well.
    """

    def __init__(self, source: str, *, is_run: bool, keep: bool = False) -> None:
        self.kept: list[Piece] | None = [] if keep else None
        self.queries, self.labels = Codes(), Codes()
        self.num_extra = 0
        self.is_text = True
        self.interleaved = self.ranked = False
        self._kernel = kernels.Survey()
        self._source = source
        self._is_run = is_run
        self._open = -1

    def problems(self, pieces: Iterator[Piece | RowError]) -> Iterator[RowError]:
        """Take all rows, and yield the errors in them; queries that come back raise an `InterleavedError`."""
        for piece in pieces:
            if isinstance(piece, RowError):
                yield piece
                continue
            self.note(piece)
            repeated = list(self.repeated(piece))
            yield from repeated
            if piece.problem is not None and not repeated:
                yield piece.problem

    def repeated(self, piece: Piece) -> Iterator[RowError]:
        """Yield the errors of rows that repeat a document."""
        rows, firsts = self.add(piece, self._codes(piece.queries), piece.line)
        for row, first in zip(rows.tolist(), firsts.tolist(), strict=True):
            query, group = (_id_at(heads, row) for heads in (piece.queries, piece.groups))
            assert query is not None
            doc, group = piece.docs.bytes_at(row), None if self._is_run else group
            yield duplicate_problem(self._source, int(piece.line[row]), first, query, doc, group)

    def note(self, piece: Piece) -> None:
        """Note what does not depend on the order of the rows."""
        self.num_extra += piece.num_extra
        self.ranked = piece.rank is not None
        if piece.groups is not None:
            self.labels.of(piece.groups)
        if self.kept is not None:
            self.kept.append(piece)
        self.is_text = self.is_text and _is_text(piece.docs) and _is_text(piece.queries.ids)

    def _codes(self, heads: Heads) -> IntArray:
        known = len(self.queries)
        codes = self.queries.of(heads).code
        # Numbers of queries only rise while none comes back.
        if codes[0] not in (self._open, known) or (np.diff(codes) <= 0).any():
            raise InterleavedError
        self._open = int(codes[-1])
        return codes

    def add(self, piece: Piece, codes: IntArray, line: IntArray) -> tuple[IntArray, IntArray]:
        """Add rows of the queries `codes`; return the repeated rows, and the line of the first of each."""
        groups = None if piece.groups is None or self._is_run else self.labels.of(piece.groups).rows
        docs, start = piece.docs, piece.queries.start
        return self._kernel.add(codes, start, docs.data, docs.offsets, groups, piece.value, piece.rank, line)

    def totals(self) -> Totals:
        """Return what was counted."""
        return Totals(*self._kernel.totals())


def survey_problems(
    survey: Survey, detected: Detected, file: str | Path, *, interleaved: bool, advance: Advance | None = None
) -> Iterator[RowError]:
    """Survey a file, and yield the errors in its rows; without `interleaved`, an `InterleavedError` is possible.

    A `StrictReaderNeededError` means that the file has to be read row by row.
    """
    survey.interleaved = interleaved
    if detected.format in BINARY and detected.kind == "run":
        try:
            with open_columns(detected) as table:
                pieces = column_pieces(table, detected, advance)
                if interleaved:
                    held = list(pieces)
                    for piece in held:
                        survey.note(piece)
                    whole = regrouped(held)
                    yield from sorted(survey.repeated(whole), key=lambda problem: problem.line or 0)
                else:
                    yield from survey.problems(pieces)
        except InputError:  # a damaged file, or one without the columns
            raise StrictReaderNeededError from None
    elif detected.layout is None:
        raise StrictReaderNeededError
    elif interleaved:
        with nullcontext(file) if is_plain_file(file) else plain_copy(file) as copy:
            yield from _interleaved_problems(survey, Path(copy), detected, detected.layout, advance)
    else:
        with open_source(file) as stream:
            yield from survey.problems(text_pieces(stream, detected.layout, detected.source, advance))


def _id_at(heads: Heads | None, row: int) -> bytes | None:
    if heads is None:
        return None
    return heads.ids.bytes_at(int(np.searchsorted(heads.start, row, side="right")) - 1)


def _is_text(ids: Ids) -> bool:
    """Return whether all ids, of which none is empty, are UTF-8."""
    if not len(ids) or ids.data.max() < 0x80:
        return True
    first = ids.data[ids.offsets[:-1]]
    try:
        ids.data.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return not ((first >= 0x80) & (first < 0xC0)).any()  # no character is shared by two ids


# Text whose queries are interleaved ------------------------------------------------------------------------------


def _interleaved_problems(
    survey: Survey, file: Path, detected: Detected, layout: TextLayout, advance: Advance | None
) -> Iterator[RowError]:
    """Do the same as `Survey.problems` for a plain text file whose queries are interleaved."""
    codes: list[IntArray] = []
    places: list[IntArray] = []
    problems: list[RowError] = []
    with file.open("rb") as stream:
        for piece in text_pieces(stream, layout, detected.source, advance):
            if isinstance(piece, RowError):
                problems.append(piece)
                continue
            survey.note(piece)
            codes.append(survey.queries.of(piece.queries).rows.astype(np.uint32))
            places.append(piece.place.copy())  # a view would keep the rest of the piece
            if piece.problem is not None:
                problems.append(piece.problem)
    if not codes:
        yield from problems
        return
    number = np.concatenate(codes)
    codes.clear()  # each of these has gigabytes for a large file, so none is kept beyond its use
    place = np.concatenate(places)
    places.clear()
    order = np.argsort(number.astype(np.uint16) if len(survey.queries) <= 1 << 16 else number, kind="stable")
    number = number[order]
    place = place[order]
    del order
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as source:
        again, first = _repeated(survey, source, number, place, layout)
        lines = _line_numbers(file, np.concatenate((again, first)))
        repeats = sorted(zip(lines[: len(again)].tolist(), lines[len(again) :].tolist(), again.tolist(), strict=True))
        repeated_lines = {line for line, _, _ in repeats}
        # A row without a valid rank that is also repeated is only reported as the latter.
        others = (each for each in problems if not (each.kind == "rank" and each.line in repeated_lines))
        found = (_duplicate(source, place, line, first, layout, detected) for line, first, place in repeats)
        yield from heapq.merge(others, found, key=lambda problem: problem.line or 0)


def _repeated(
    survey: Survey, source: mmap.mmap, number: IntArray, place: IntArray, layout: TextLayout
) -> tuple[IntArray, IntArray]:
    """Survey the lines at these places, query by query; return the places of repeated lines and of the first ones."""
    found: list[tuple[IntArray, IntArray]] = []
    buffer = bytearray(GATHERED + SLACK)
    done = 0
    while done < len(place):
        with memoryview(source) as view:
            count, filled = kernels.gather_lines(view, place[done:], buffer, 0, len(buffer) - SLACK)
        if count == 0:  # a line that is longer than the buffer
            buffer = bytearray(2 * len(buffer))
            continue
        for piece in TextLines(layout, "").pieces(bytes(buffer[:filled])):
            assert isinstance(piece, Piece)
            rows = slice(done, done + len(piece.docs))
            codes = number[rows][piece.queries.start[:-1]].astype(np.int64)
            again, first = survey.add(piece, codes, place[rows])
            found.append((place[rows][again], first))
            done += len(piece.docs)
        if hasattr(source, "madvise") and hasattr(mmap, "MADV_DONTNEED"):
            source.madvise(mmap.MADV_DONTNEED)
    again, first = (np.concatenate(each) for each in zip(*found, strict=True))
    return again, first


def _line_numbers(file: Path, places: IntArray) -> IntArray:
    """Return the numbers of the lines at these byte offsets."""
    order = np.argsort(places)
    numbers = np.zeros(len(places), dtype=np.int64)
    cuts = [0, *places[order].tolist()]
    line = 1
    with file.open("rb") as stream:
        for i, (start, end) in enumerate(pairwise(cuts)):
            left = end - start
            while left > 0 and (block := stream.read(min(left, BLOCK))):
                line += block.count(b"\n")
                left -= len(block)
            numbers[order[i]] = line
    return numbers


def _duplicate(
    source: mmap.mmap, place: int, line: int, first: int, layout: TextLayout, detected: Detected
) -> RowError:
    end = source.find(b"\n", place)
    text = source[place : len(source) if end < 0 else end + 1]
    (row,) = scan_text(io.BytesIO(text), layout._replace(header_lines=0), detected.source, first_line=line)
    assert not isinstance(row, RowError)
    return duplicate_problem(detected.source, line, first, row.query, row.doc, row.group)


# Tables whose queries are interleaved -----------------------------------------------------------------------------


def regrouped(pieces: Sequence[Piece]) -> Piece:
    """Return all rows of a run as one piece, query by query."""
    columns = columns_of(pieces, is_run=True, left_out=())
    order = np.argsort(columns.query, kind="stable")
    stretches = Stretches.of(columns.query[order])
    queries = Heads(columns.queries.take(stretches.code), stretches.start)
    rank = None if columns.rank is None else columns.rank[order]
    line = np.concatenate([piece.line for piece in pieces])[order]
    return Piece(queries, columns.doc.take(order), columns.value[order], rank, None, line, line)
