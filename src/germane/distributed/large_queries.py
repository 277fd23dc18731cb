"""Rank the judged documents of queries too large for a worker: each piece of a ranking counts, and counts are added.

A piece has the rows whose documents have the same hash, so that duplicates meet. All judged documents of the query are
added to it, and the kernel ranks them there. What lies above a document is what lies above it in each piece; the other
judged documents were counted once in every piece, which is subtracted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from germane import kernels
from germane.distributed.frames import DOC, FRAME, PIECE, QUERY, TAG, Place, Shape
from germane.distributed.large_rankings import numbers
from germane.distributed.matching_tasks import (
    GROUP,
    HIT,
    JUDGED,
    LARGE,
    PART,
    PROBLEM,
    RESULT,
    broadcast_value,
    explained,
    problem_of,
    result,
)
from germane.distributed.session import broadcast, collected
from germane.distributed.whole_queries import RunRows, WorkerRowError, whole_queries
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.rankings.judged_run import Ties
from germane.tables.rankings.matching import new_matcher
from germane.tables.rankings.qrels import Qrels

PIECE_ROWS = 1 << 17
"""Number of rows of a piece, about 30 MB in a worker."""
Ranking = tuple[Place, bytes]


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """The judged documents of a ranking: their rows in the judgments, ids, scores, and ranks by the rank column."""

    row: IntArray
    docs: Ids
    score: FloatArray
    rank: FloatArray

    @classmethod
    def of(cls, qrels: Qrels, found: IntArray) -> JudgedRows:
        """Return the documents in these rows (row, bits of score and rank), each once."""
        _, first = np.unique(found[:, 0], return_index=True)
        own = found[first]
        return cls(own[:, 0], qrels.docs.take(own[:, 0]), numbers(own[:, 1]), numbers(own[:, 2]))


def with_large_queries(rows: Any, found: Any, qrels: Qrels, judgments: Any, how: tuple[Shape, Ties, str]) -> Any:
    """Return the results of all tasks, completed by those on large queries, for which another job is run."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = found.column("kind")
    large = found.filter(pc.equal(kind, LARGE))
    if not large.num_rows or pc.any(pc.equal(kind, PROBLEM)).as_py():
        return found
    sizes = dict(zip(_rankings(large), large.column("a").to_pylist(), strict=True))
    hits = found.filter(pc.equal(kind, JUDGED))
    columns = np.stack([hits.column(name).to_numpy() for name in "abc"], axis=1)
    own: dict[Ranking, list[int]] = {ranking: [] for ranking in sizes}
    for row, ranking in enumerate(_rankings(hits)):
        own[ranking].append(row)
    judged = {ranking: JudgedRows.of(qrels, columns[own_rows]) for ranking, own_rows in own.items()}
    shape, ties, score_type = how
    with broadcast(rows, judged) as sent:
        task = PieceTask(judgments, sent, replace(shape, pieces=True), ties, score_type)
        counted = collected(_in_pieces(rows, sizes, shape).mapInArrow(task, RESULT))
    return pa.concat_tables([found, counted, *_summed(counted, sizes, judged, qrels, ties, score_type)])


def _rankings(table: Any) -> list[Ranking]:
    columns = (table.column(name).to_pylist() for name in ("frame", "tag", "text"))
    return [((frame, tag), query) for frame, tag, query in zip(*columns, strict=True)]


def _in_pieces(rows: Any, sizes: dict[Ranking, int], shape: Shape) -> Any:
    """Return the rows of these rankings, those of a piece as neighbours."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    places, queries = [place for place, _ in sizes], [query for _, query in sizes]
    keys = {FRAME: pa.array([frame for frame, _ in places], pa.int32())} if shape.frames else {}
    keys |= {TAG: pa.array([tag for _, tag in places], pa.binary())} if shape.tags else {}
    keys |= {QUERY: pa.array(queries, pa.binary()), PIECE: pa.array([-(-n // PIECE_ROWS) for n in sizes.values()])}
    wanted = F.broadcast(rows.sparkSession.createDataFrame(pa.table(keys)))
    cut = rows.join(wanted, shape.keys).withColumn(PIECE, F.pmod(F.xxhash64(DOC), F.col(PIECE)))
    return cut.repartition(*shape.keys, PIECE).sortWithinPartitions(*shape.keys, PIECE)


def _summed(
    counted: Any, sizes: dict[Ranking, int], judged: dict[Ranking, JudgedRows], qrels: Qrels, ties: Ties, score: str
) -> Iterator[Any]:
    """Yield the sizes of the rankings, and the ranks of their judged documents as the sums over all pieces."""
    import pyarrow as pa

    code = {query: i for i, query in enumerate(qrels.queries.to_bytes_list())}
    partial = np.stack([counted.column(name).to_numpy() for name in ("kind", *"abcd")], axis=1)
    rows_of: dict[Place, list[int]] = {}
    for i, (place, _) in enumerate(_rankings(counted)):
        rows_of.setdefault(place, []).append(i)
    parts = {place: partial[rows][partial[rows, 0] == PART, 1:] for place, rows in rows_of.items()}
    for (place, query), size in sizes.items():
        if query not in code:
            continue
        yield pa.Table.from_batches([result(place, GROUP, numbers=np.asarray([[code[query], size]]))])
        own = judged[place, query]
        if not len(own.row):
            continue
        alone = ranks(qrels, query, own.docs, own.score, own.rank, ties, score)
        assert alone is not None, "each document is there once"
        row = parts[place][np.isin(parts[place][:, 0], own.row)]
        total = np.zeros((len(own.row), 4), dtype=np.int64)
        np.add.at(total, np.searchsorted(own.row, row[:, 0]), row)
        num_pieces = len(row) // len(own.row)
        total -= (num_pieces - 1) * alone
        total[:, 0] = own.row
        yield pa.Table.from_batches([result(place, HIT, numbers=total)])


def ranks(
    qrels: Qrels, query: bytes, docs: Ids, score: FloatArray, rank: FloatArray, ties: Ties, score_type: str
) -> IntArray | None:
    """Return row, rank, first and last rank of each judged document among these; None if the kernel rejects them."""
    matcher = new_matcher(qrels, ties, score_type)
    code = np.asarray([matcher.code_of(query)], dtype=np.int64)
    starts = np.asarray([0, len(score)], dtype=np.int64)
    matcher.columns(code, starts, docs.data, docs.offsets, score, rank if ties == "rank" else None, None)
    if matcher.finish() != kernels.OK:
        return None
    _, hits = matcher.found()
    return np.asarray(hits[np.argsort(hits[:, 0])])


@dataclass(frozen=True, eq=False)
class PieceTask:
    """Ranks the judged documents of large queries in each piece of one partition."""

    judgments: Any
    judged: Any
    shape: Shape
    ties: Ties
    score_type: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield ranks in each piece."""
        try:
            for rows in whole_queries(batches, self.shape):
                assert isinstance(rows, RunRows), "pieces are small"
                for i, query in enumerate(rows.queries):
                    piece = replace(rows, queries=[query], starts=rows.starts[i : i + 2])
                    yield result(rows.place, PART, numbers=self._ranks(piece))
        except WorkerRowError as found:
            yield problem_of(found)
            deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows

    def _ranks(self, piece: RunRows) -> IntArray:
        qrels: Qrels = broadcast_value(self.judgments)
        (query,), (a, b) = piece.queries, piece.starts.tolist()
        judged: JudgedRows = broadcast_value(self.judged)[piece.place, query]
        docs = piece.docs.take(np.arange(a, b))
        here = set(docs.to_bytes_list()) if len(judged.row) else set()
        others = [i for i, doc in enumerate(judged.docs.to_bytes_list()) if doc not in here]
        both = Ids.of([*docs.to_bytes_list(), *judged.docs.take(np.asarray(others, dtype=np.int64)).to_bytes_list()])
        score = np.concatenate((piece.score[a:b], judged.score[others]))
        rank = score if piece.rank is None else np.concatenate((piece.rank[a:b], judged.rank[others]))
        found = ranks(qrels, query, both, score, rank, self.ties, self.score_type)
        if found is None:
            raise explained(piece, qrels, self.ties, self.score_type)
        return found
