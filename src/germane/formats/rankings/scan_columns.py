"""Match a run in a Parquet, ORC or Arrow table with judgments, without holding the run in memory.

The pieces of the table (row groups, stripes, record batches) are divided among the cores and read in batches. A query
may span batches and pieces: its rows are collected until the next query begins. Whatever is out of the ordinary, such
as a missing value, a repeated document, or a query that comes back, is left to the reader of whole tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from germane import kernels
from germane.errors import InputError
from germane.formats.files.arrow_tables import ArrowTable, Piece, shares
from germane.formats.rows.column_names import Roles
from germane.tables.columns.array_columns import as_ids, as_numbers, as_queries
from germane.tables.columns.id_columns import WrittenLater, numbers_of
from germane.tables.columns.ids import IntArray
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import ROWS_PER_THREAD, assemble, new_matcher, shared_queries
from germane.tables.rankings.qrels import Qrels

if TYPE_CHECKING:
    from germane.kernels.reference import Matcher

BATCH_ROWS = 1 << 16
"""Rows that each thread reads at once."""


class _Open(NamedTuple):
    """A query whose last row may not have been read yet: its id and its rows so far, as slices of batches."""

    query: bytes
    rows: list[Any]


class _Edges(NamedTuple):
    """The queries at the ends of a thread's share, which neighbours may continue; `last` is None if there is one."""

    first: _Open | None
    last: _Open | None


class _Reading(NamedTuple):
    """The names of the columns to read."""

    query: str
    doc: str
    value: str
    rank: str | None
    rank_only: bool
    source: str

    @property
    def values(self) -> list[str]:
        """The names of all columns but the query."""
        return list(dict.fromkeys(name for name in (self.doc, self.value, self.rank) if name is not None))


def match_columns(
    qrels: Qrels, table: ArrowTable, roles: Roles, source: str, *, ties: Ties, score_type: str
) -> JudgedRun | None:
    """Match a table with judgments; None if anything in it is out of the ordinary."""
    import pyarrow as pa

    names = table.schema.names
    rank = roles.value if roles.rank_only else roles.rank
    reading = _Reading(
        names[roles.query],
        names[roles.doc],
        names[roles.value],
        names[rank] if ties == "rank" and rank is not None else None,
        roles.rank_only,
        source,
    )
    rows = sum(piece.weight for piece in table.pieces)
    parts = shares(table.pieces, max(1, min(num_threads(), rows // ROWS_PER_THREAD)))
    matchers = [new_matcher(qrels, ties, score_type) for _ in (*parts, "the edges")]
    try:
        edges = map_in_threads(
            lambda share: _feed(share[0], share[1], reading), list(zip(matchers, parts, strict=False))
        )
        for query in _joined(edges):
            _match_query(matchers[-1], query, reading)
    except (InputError, pa.ArrowException, OSError, ValueError):
        return None
    states = {matcher.finish() for matcher in matchers}
    if states != {kernels.OK} or not any(edge.first for edge in edges) or shared_queries(matchers):
        return None
    return assemble(qrels, matchers, ties=ties, name=source)


def _feed(matcher: Matcher, pieces: Sequence[Piece], reading: _Reading) -> _Edges:
    """Match all queries but the first and the last, which are returned."""
    first: _Open | None = None
    last: _Open | None = None
    for batch in _batches(pieces, reading):
        names, starts = _stretches(batch.column(reading.query), reading.source)
        rest = batch.select(reading.values)
        begin = 0
        if last is not None and last.query == names[0]:
            last.rows.append(rest.slice(0, int(starts[1])))
            begin = 1
        if begin == len(names):
            continue
        if last is not None:
            if first is None:
                first = last
            else:
                _match_query(matcher, last, reading)
        last = _Open(names[-1], [rest.slice(int(starts[-2]))])
        end = len(names) - 1
        if first is None and begin < end:
            first = _Open(names[begin], [rest.slice(int(starts[begin]), int(starts[begin + 1] - starts[begin]))])
            begin += 1
        if begin < end:
            codes = np.asarray([matcher.code_of(name) for name in names[begin:end]], dtype=np.int64)
            matcher.columns(codes, starts[begin : end + 1], *_values(batch, reading), None)
    return _Edges(first or last, None if first is None else last)


def _joined(edges: Sequence[_Edges]) -> Iterator[_Open]:
    """Yield the queries at the edges, with the rows of neighbours joined."""
    current: _Open | None = None
    for query in (each for edge in edges for each in edge if each is not None):
        if current is not None and current.query == query.query:
            current.rows.extend(query.rows)
            continue
        if current is not None:
            yield current
        current = query
    if current is not None:
        yield current


def _match_query(matcher: Matcher, query: _Open, reading: _Reading) -> None:
    import pyarrow as pa

    rows = query.rows[0]
    if len(query.rows) > 1:
        whole = pa.Table.from_batches(query.rows).combine_chunks()
        rows = whole.to_batches()[0] if len(whole.to_batches()) == 1 else whole  # text beyond 2 GiB stays in chunks
    codes = np.asarray([matcher.code_of(query.query)], dtype=np.int64)
    matcher.columns(codes, np.asarray([0, rows.num_rows]), *_values(rows, reading), None)


def _batches(pieces: Sequence[Piece], reading: _Reading) -> Iterator[Any]:
    for piece in pieces:
        for read in piece.read([reading.query, *reading.values], (reading.query,), BATCH_ROWS):
            for start in range(0, read.num_rows, BATCH_ROWS):
                batch = read.slice(start, BATCH_ROWS)
                batch.validate(full=True)  # a damaged file may have offsets that point anywhere
                yield batch


def _stretches(column: Any, source: str) -> tuple[list[bytes], IntArray]:
    """Return the query of each stretch of rows, and where each begins; the last entry is the number of rows."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type) and not column.null_count:
        places = numbers_of(column.indices)
        starts = np.concatenate(([0], np.flatnonzero(places[1:] != places[:-1]) + 1))
        heads = as_ids(column.dictionary, "query", source).take(places[starts])
        return heads.to_bytes_list(), np.append(starts, len(column))
    queries, stretches = as_queries(column, source)
    distinct = queries.to_bytes_list()
    return [distinct[code] for code in stretches.code.tolist()], stretches.start


def _values(rows: Any, reading: _Reading) -> tuple[Any, Any, Any, Any]:
    """Return the documents, their offsets, the scores and the ranks of rows."""
    docs = as_ids(rows.column(reading.doc), "document", reading.source)
    value = as_numbers(rows.column(reading.value), "score", reading.source)
    rank = None if reading.rank is None else as_numbers(rows.column(reading.rank), "rank", reading.source)
    ids = (docs.column, None) if isinstance(docs, WrittenLater) else (docs.data, docs.offsets)
    return *ids, -value if reading.rank_only else value, rank
