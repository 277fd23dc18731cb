"""Extract complete queries from Arrow batches: a query may span batches, so rows are held until it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from germane import kernels
from germane.distributed.frames import DOC, FRAME, PIECE, QUERY, RANK, SCORE, TAG, TEXT, Place, Shape
from germane.tables.columns.id_columns import from_arrow
from germane.tables.columns.ids import BoolArray, FloatArray, Ids, IntArray, to_text

LARGE_QUERY = 1 << 18
"""Maximum number of rows of a ranking that a worker holds, at about 240 bytes each; up to twice as many are read."""


REPLACEMENT = "\ufffd".encode()


class WorkerRowError(Exception):
    """A problem with a row of a run."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem


@dataclass(frozen=True, eq=False)
class RunRows:
    """Complete queries of one run: rows ``starts[i]`` to ``starts[i + 1]`` of the columns belong to ``queries[i]``."""

    place: Place
    queries: list[bytes]
    starts: IntArray
    docs: Ids
    score: FloatArray
    rank: FloatArray | None


@dataclass(frozen=True, eq=False)
class LargePart:
    """Some rows of a ranking that is too large to be held."""

    place: Place
    query: bytes
    docs: Any
    """An Arrow column."""
    score: FloatArray
    rank: FloatArray | None


def whole_queries(batches: Iterator[Any], shape: Shape, limit: int = LARGE_QUERY) -> Iterator[RunRows | LargePart]:
    """Yield the rows of all batches, some complete rankings at a time; rows of a ranking must be neighbours.

    A ranking with more rows than the limit comes in parts.
    """
    for rows, part, num_rankings in complete(batches, shape, limit=limit):
        if part is None:
            yield from rows.by_run(num_rankings)
        else:
            yield rows.large_part(part)


def complete(
    batches: Iterator[Any], shape: Shape, *, of_all_runs: bool = False, limit: int | None = None
) -> Iterator[tuple[Rows, slice | None, int]]:
    """Yield rows with their number of complete rankings; with `of_all_runs`, those of a query stay together.

    Rows of a ranking beyond the limit are yielded as they come, with the part of the rows that belongs to it.
    """
    import pyarrow as pa

    held: list[Any] = []
    num_rows, enough = 0, 1
    large: tuple[Place, bytes] | None = None
    for batch in batches:
        rest = batch
        if large is not None and batch.num_rows:
            rows = Rows(pa.Table.from_batches([batch]), shape)
            end = int(rows.starts[1]) if rows.ranking(0) == large else 0
            if end:
                yield rows, slice(0, end), 0
            rest, large = batch.slice(end), large if end == batch.num_rows else None
        held.append(rest)
        num_rows += rest.num_rows
        if num_rows >= enough:
            rows = Rows(pa.Table.from_batches(held), shape)
            last = int((rows.query_starts if of_all_runs else rows.starts)[-2])
            yield rows, None, int(np.searchsorted(rows.starts, last))
            held = rows.table.slice(last).to_batches()
            num_rows -= last
            # One query may fill all that is held: look for its end again when twice as much is there.
            enough = 2 * num_rows
            if limit is not None and num_rows > limit:
                yield rows, slice(last, len(rows.score)), 0
                large, held, num_rows, enough = rows.ranking(last), [], 0, 1
    if num_rows:
        rows = Rows(pa.Table.from_batches(held), shape)
        yield rows, None, len(rows.starts) - 1


class Rows:
    """Rows as received, checked; at least one."""

    def __init__(self, table: Any, shape: Shape) -> None:
        self.table = table
        self.shape = shape
        self._reject_nulls()
        self.queries, self.docs = from_arrow(table.column(QUERY)), from_arrow(table.column(DOC))
        self.tags = from_arrow(table.column(TAG)) if shape.tags else None
        self.score: FloatArray = table.column(SCORE).to_numpy()
        self.rank: FloatArray | None = table.column(RANK).to_numpy() if shape.ranks else None
        self._reject_empty()
        self._reject_replaced()
        self._reject_infinite()

    @cached_property
    def new_run(self) -> BoolArray:
        """Whether a row belongs to another run than the one before."""
        new = np.zeros(len(self.score), dtype=bool)
        new[0] = True
        if self.shape.frames:
            frames = self.table.column(FRAME).to_numpy()
            new[1:] |= frames[1:] != frames[:-1]
        if self.tags is not None:
            new |= np.asarray(kernels.changes(self.tags.data, self.tags.offsets), dtype=bool)
        return new

    @cached_property
    def starts(self) -> IntArray:
        """Start of each ranking, followed by the number of rows."""
        new = self.new_query | self.new_run
        if self.shape.pieces:
            piece = self.table.column(PIECE).to_numpy()
            new[1:] |= piece[1:] != piece[:-1]
        return np.append(np.flatnonzero(new), len(self.score))

    @cached_property
    def new_query(self) -> BoolArray:
        """Whether a row belongs to another query than the one before."""
        return np.asarray(kernels.changes(self.queries.data, self.queries.offsets), dtype=bool)

    @cached_property
    def query_starts(self) -> IntArray:
        """Start of the rows of each query, of any run, followed by the number of rows."""
        return np.append(np.flatnonzero(self.new_query), len(self.score))

    def by_run(self, num_rankings: int) -> Iterator[RunRows]:
        """Yield the first `num_rankings` rankings, run by run."""
        heads = self.starts[:num_rankings]
        first = np.append(np.flatnonzero(self.new_run[heads]), num_rankings)
        if num_rankings:
            first[0] = 0
        for a, b in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            queries = self.queries.take(heads[a:b]).to_bytes_list()
            place, starts = self.place(int(heads[a])), self.starts[a : b + 1]
            yield RunRows(place, queries, starts, self.docs, self.score, self.rank)

    def large_part(self, part: slice) -> LargePart:
        """Return rows of a single ranking."""
        place, query = self.ranking(part.start)
        docs = self.table.column(DOC).slice(part.start, part.stop - part.start).combine_chunks()
        return LargePart(place, query, docs, self.score[part], None if self.rank is None else self.rank[part])

    def ranking(self, row: int) -> tuple[Place, bytes]:
        """Return run and query of a row."""
        return self.place(row), self.queries.bytes_at(row)

    def place(self, row: int) -> Place:
        """Return the run of a row."""
        frame = self.table.column(FRAME)[row].as_py() if self.shape.frames else 0
        tag = self.table.column(TAG)[row].as_py() if self.shape.tags else b""
        return frame, tag or b""

    def _reject_nulls(self) -> None:
        if self.shape.text:
            text = self.table.column(TEXT)
            if text.null_count < len(text):
                row = _first(text.is_valid())
                raise self.problem(row, f"expected a finite number as score, found {text[row].as_py()!r}")
        for name in [QUERY, DOC, SCORE] + [TAG] * self.shape.tags + [RANK] * self.shape.ranks:
            column = self.table.column(name)
            if column.null_count:
                raise self.problem(_first(column.is_null()), f"expected a {name} in every row, found none (null)")

    def _reject_empty(self) -> None:
        for ids, role in ((self.queries, "query"), (self.docs, "document"), (self.tags, "tag")):
            if ids is not None and (empty := ids.offsets[1:] == ids.offsets[:-1]).any():
                row = int(empty.argmax())
                raise self.problem(row, f"expected the id of a {role} in every row, found an empty one")

    def _reject_replaced(self) -> None:
        """Reject ids of text files that are not UTF-8: Spark has replaced the bytes that it cannot read."""
        for ids in (self.queries, self.docs, self.tags) if self.shape.text else ():
            if ids is not None and REPLACEMENT in ids.data.tobytes():
                row = next(i for i, each in enumerate(ids.to_bytes_list()) if REPLACEMENT in each)
                raise self.problem(row, "expected ids in UTF-8, found other bytes")

    def _reject_infinite(self) -> None:
        for values, role in ((self.score, "score"), (self.rank, "rank")):
            if values is not None and not (finite := np.isfinite(values)).all():
                row = int(finite.argmin())
                raise self.problem(row, f"expected a finite number as {role} in every row, found {values[row]}")

    def problem(self, row: int, problem: str) -> WorkerRowError:
        """Return an error that names query and document: on a cluster, rows have no numbers."""
        query, doc = (self.table.column(name)[row].as_py() for name in (QUERY, DOC))
        whose = f" for document {to_text(doc)!r}" if doc else ""
        whose += f"{' of' if whose else ' for'} query {to_text(query)!r}" if query else ""
        return WorkerRowError(self.place(row), problem + whose)


def _first(flags: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.index(flags, True).as_py())
