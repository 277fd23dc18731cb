"""The top of each ranking, found on the cluster in bounded memory: what a pool needs of runs of any size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from germane import kernels
from germane.distributed.frames import (
    DOC,
    FRAME,
    PROBLEM,
    QUERY,
    SCORE,
    TAG,
    Place,
    Shape,
    called,
    shape_of,
    union_of,
    where,
)
from germane.distributed.session import collected
from germane.distributed.spark_run import SparkRun
from germane.distributed.whole_queries import Rows, WorkerRowError
from germane.errors import InputError
from germane.judging.pooling.run_hash import hash_of_sum, rows_sum
from germane.tables.columns.id_columns import from_arrow
from germane.tables.columns.ids import BoolArray, FloatArray, Ids, to_bytes, to_text
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.run import Run

TOP = f"{FRAME} int, {TAG} binary, {QUERY} binary, {DOC} binary, {SCORE} double, sum binary, {PROBLEM} binary"
"""A row has a retrieved document, or the sum over all rows of a run in this partition, or a problem."""


def top_rows_on_spark(runs: Sequence[tuple[str, Any]], depth: int, *, beside: bool) -> dict[str, list[tuple[Run, str]]]:
    """Return the rows of named frames down to a depth per query, ties by docno, and the hash of all rows, by frame.

    All rows are checked. `beside` says that there are other runs, which the names of tags then must not equal.
    """
    given = [(name, run if isinstance(run, SparkRun) else SparkRun(run)) for name, run in runs]
    shape = shape_of(given, "docno")
    sources = [run.path or name for name, run in given]
    table = collected(top_rows(union_of(given, shape), shape, depth, hashed=True))
    found = _by_place(table, sources)
    result: dict[str, list[tuple[Run, str]]] = {}
    for number, (name, _) in enumerate(given):
        tags = sorted(tag for frame, tag in found if frame == number)
        if not tags:
            raise InputError(sources[number], None, "expected rows, found none")
        names = [name] if len(tags) == 1 else [called(name, to_text(tag), beside=beside) for tag in tags]
        result[name] = [_run(found[number, tag], own) for tag, own in zip(tags, names, strict=True)]
    return result


def top_rows(rows: Any, shape: Shape, depth: int, *, hashed: bool = False) -> Any:
    """Return the rows down to a depth per query as a frame with the columns of `TOP`, which has problems, too."""
    # Documents in byte order are the order of ties, and bring duplicates together.
    neighbours = rows.repartition(*shape.keys).sortWithinPartitions(*shape.keys, DOC)
    return neighbours.mapInArrow(TopTask(shape, depth, hashed), TOP)


def retrieved_on_spark(runs: Sequence[tuple[str, Any]], documents: Sequence[str]) -> set[str]:
    """Return which of these documents some run retrieves."""
    import pyarrow as pa

    given = [(name, run if isinstance(run, SparkRun) else SparkRun(run)) for name, run in runs]
    docs = union_of(given, shape_of(given, "docno")).select(DOC)
    wanted = docs.sparkSession.createDataFrame(pa.table({DOC: pa.array(list(map(to_bytes, documents)), pa.binary())}))
    return {to_text(doc) for doc in collected(wanted.join(docs, DOC, "left_semi")).column(DOC).to_pylist()}


def _by_place(table: Any, sources: Sequence[str]) -> dict[Place, Any]:
    """Group rows by run; raise the problem of the first run that has one."""
    import pyarrow.compute as pc

    problems = table.filter(pc.is_valid(table.column(PROBLEM))).to_pylist()
    for row in sorted(problems, key=lambda row: (row[FRAME], row[TAG], row[PROBLEM]))[:1]:
        raise InputError(where((row[FRAME], row[TAG]), sources), None, to_text(row[PROBLEM]))
    places = dict.fromkeys(zip(table.column(FRAME).to_pylist(), table.column(TAG).to_pylist(), strict=True))
    return {
        (frame, tag): table.filter(pc.and_(pc.equal(table.column(FRAME), frame), pc.equal(table.column(TAG), tag)))
        for frame, tag in places
    }


def _run(rows: Any, name: str) -> tuple[Run, str]:
    import pyarrow.compute as pc

    sums = [int(each, 16) for each in rows.column("sum").to_pylist() if each is not None]
    kept = rows.filter(pc.is_valid(rows.column(QUERY)))
    queries, query = from_arrow(kept.column(QUERY)).numbered()
    run = Run(queries, Stretches.of(query), from_arrow(kept.column(DOC)), kept.column(SCORE).to_numpy(), name=name)
    return run, hash_of_sum(sum(sums))


@dataclass(frozen=True, eq=False)
class TopTask:
    """Keeps the top of each ranking of one partition, whose rows are in order of ranking and document."""

    shape: Shape
    depth: int
    hashed: bool

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the top rows of each ranking and, if `hashed`, the sum over all rows of each run."""
        import pyarrow as pa

        sums: dict[Place, int] = {}
        ranking: _Ranking | None = None
        try:
            for batch in batches:
                if not batch.num_rows:
                    continue
                rows = Rows(pa.Table.from_batches([batch]), self.shape)
                done = []
                for part in rows.by_run(len(rows.starts) - 1):
                    for i, query in enumerate(part.queries):
                        a, b = part.starts[i : i + 2].tolist()
                        if ranking is None or (ranking.place, ranking.query) != (part.place, query):
                            done += [] if ranking is None else [ranking]
                            ranking = _Ranking(part.place, query, self.depth)
                        docs = part.docs.take(np.arange(a, b))
                        ranking.add(docs, part.score[a:b])
                        if self.hashed:
                            row_sum = rows_sum([query] * (b - a), docs.to_bytes_list(), part.score[a:b].tolist())
                            sums[part.place] = sums.get(part.place, 0) + row_sum
                if done:
                    yield _batch(done)
        except WorkerRowError as error:
            yield _batch([], problem=error)
            deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows
            return
        yield _batch([] if ranking is None else [ranking], sums)


@dataclass(eq=False)
class _Ranking:
    """The best rows of a ranking so far, in byte order of the documents."""

    place: Place
    query: bytes
    depth: int
    docs: list[bytes] = field(default_factory=list)
    score: FloatArray = field(default_factory=lambda: np.zeros(0))
    last: bytes | None = None

    def add(self, docs: Ids, score: FloatArray) -> None:
        """Add rows, whose documents come after all others."""
        repeated: BoolArray = ~np.asarray(kernels.changes(docs.data, docs.offsets), dtype=bool)
        repeated[0] = docs.bytes_at(0) == self.last
        if repeated.any():
            doc, query = docs[int(repeated.argmax())], to_text(self.query)
            raise WorkerRowError(self.place, f"duplicate document {doc!r} for query {query!r}")
        self.last = docs.bytes_at(len(docs) - 1)
        # Of equal scores, the last document in byte order ranks first.
        best = np.sort(np.lexsort((-np.arange(len(score)), -score))[: self.depth])
        self.docs += docs.take(best).to_bytes_list()
        self.score = np.concatenate((self.score, score[best]))
        kept = np.sort(np.lexsort((-np.arange(len(self.score)), -self.score))[: self.depth])
        self.docs, self.score = [self.docs[i] for i in kept.tolist()], self.score[kept]


def _batch(rankings: Sequence[_Ranking], sums: dict[Place, int] | None = None, problem: Any = None) -> Any:
    import pyarrow as pa

    rows: list[tuple[Any, ...]] = [
        (*each.place, each.query, doc, score, None, None)
        for each in rankings
        for doc, score in zip(each.docs, each.score.tolist(), strict=True)
    ]
    for place, total in (sums or {}).items():
        rows.append((*place, None, None, None, hash_of_sum(total).encode(), None))
    if problem is not None:
        rows.append((*problem.place, None, None, None, None, problem.problem.encode("utf-8", "surrogateescape")))
    kinds = (pa.int32(), pa.binary(), pa.binary(), pa.binary(), pa.float64(), pa.binary(), pa.binary())
    names = (FRAME, TAG, QUERY, DOC, SCORE, "sum", PROBLEM)
    columns = zip(*rows, strict=True) if rows else [[]] * len(names)
    return pa.RecordBatch.from_arrays([pa.array(list(c), k) for c, k in zip(columns, kinds, strict=True)], names=names)
