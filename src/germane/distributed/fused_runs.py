"""Fuse runs on a cluster: each task fuses complete queries, and the fused rows stay on the cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from germane.distributed.frames import (
    DOC,
    FRAME,
    PROBLEM,
    QUERY,
    ROW,
    TAG,
    Place,
    Shape,
    require_tie_rule,
    runs_in,
    shape_of,
    union_of,
    where,
)
from germane.distributed.problems import ANSWER, Problem, answer, values_of
from germane.distributed.session import collected
from germane.distributed.spark_run import FusedFrame, SparkRun
from germane.distributed.top_rows import top_rows
from germane.distributed.whole_queries import Rows, WorkerRowError, complete
from germane.errors import GermaneError, InputError
from germane.retrieval.fusion.facts import FusionFacts
from germane.retrieval.fusion.fuse_runs import FusionPlan, plan_fusion
from germane.tables.columns.id_columns import find_duplicate
from germane.tables.columns.ids import Ids, to_text
from germane.tables.columns.stretches import Stretches
from germane.tables.rankings.run import Run
from germane.tables.results.rankings import Rankings

FUSED = "qid string, docno string, score double, rank double, tag string"
"""Columns of a fused run, with the names that files have."""
OF_ROWS, OF_QUERIES = range(2)
"""Precedence of problems: those of rows come first."""


def fuse_on_spark(
    runs: Sequence[tuple[str, Any]], method: Any, weights: Mapping[str, float] | None, normalise: str | None, **how: Any
) -> FusedFrame:
    """Fuse named frames; `germane.fuse` documents the parameters.

    A first job checks all rows and counts what the notes say. The rows are computed when the frame is used or written.
    One Python worker holds the rows of a query of all runs at once: all, or those down to the depth.
    """
    require_tie_rule(how["ties"])
    given = [(name, run if isinstance(run, SparkRun) else SparkRun(run)) for name, run in runs]
    shape = shape_of(given, how["ties"])
    rows = union_of(given, shape)
    named = runs_in(rows, shape, [name for name, _ in given])
    if len(named) < 2:
        raise GermaneError("expected two runs or more to fuse, found one", hint="pass another frame, or more tags")
    plan = plan_fusion(list(named.values()), method, weights, normalise, **how)
    sources = [run.path or name for name, run in given]
    if how["depth"] is not None and how["ties"] == "docno":
        # Only these are brought together, so that a query may have any number of rows.
        rows = top_rows(rows, shape, how["depth"])
        shape = Shape(frames=True, tags=shape.tags, ranks=False, text=False)
        neighbours = rows.repartition(QUERY).sortWithinPartitions(QUERY, FRAME, TAG, PROBLEM, DOC)
    else:
        neighbours = rows.repartition(QUERY).sortWithinPartitions(QUERY, *shape.keys[:-1], ROW)
    task = FusingTask(plan, {place: number for number, place in enumerate(named)}, shape, sources)
    parts: list[tuple[FusionFacts, int, int]] = values_of(collected(neighbours.mapInArrow(task, ANSWER)))
    if not parts:
        raise InputError(sources[0], None, "expected rows, found none")
    facts = reduce(FusionFacts.merged, (part for part, _, _ in parts))
    for (number, _), own in zip(named, facts.own, strict=True):
        if not own:
            raise InputError(sources[number], None, "expected rows, found none")
    facts.require_shared_queries(plan.names)
    frame = neighbours.mapInArrow(replace(task, writes=True), FUSED)
    num_queries, num_docs = sum(queries for _, queries, _ in parts), sum(docs for _, _, docs in parts)
    notes = tuple(facts.notes(plan))
    return FusedFrame(frame, tag=plan.tag, notes=notes, num_queries=num_queries, num_docs=num_docs)


@dataclass(frozen=True, eq=False)
class FusingTask:
    """Fuses the queries of one partition; it returns the fused rows if it `writes`, otherwise facts and problems."""

    plan: FusionPlan
    places: Mapping[Place, int]
    """The number of each run."""
    shape: Shape
    sources: Sequence[str]
    writes: bool = False

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield fused rows, or facts on all queries of the partition and its problems."""
        merged: FusionFacts | None = None
        num_queries = num_docs = 0
        try:
            for rows, _, num_rankings in complete(_without_problems(batches), self.shape, of_all_runs=True):
                if not num_rankings:
                    continue
                try:
                    fused, facts = self._fused(rows, num_rankings)
                except GermaneError as error:
                    if self.writes:  # the rows have changed since they were checked
                        raise
                    yield answer(problem=self._problem(error))
                    continue
                if self.writes:
                    yield rows_of(fused)
                merged = facts if merged is None else merged.merged(facts)
                num_queries, num_docs = num_queries + len(fused.queries), num_docs + len(fused.docs)
        except WorkerRowError as error:
            if self.writes:
                raise
            number = self.places.get(error.place, 0)
            yield answer(problem=(OF_ROWS, number, "", where(error.place, self.sources), error.problem, None))
            deque(batches, maxlen=0)  # Spark requires a task to consume all of its rows
            return
        if merged is not None and not self.writes:
            yield answer((merged, num_queries, num_docs))

    def _fused(self, rows: Rows, num_rankings: int) -> tuple[Rankings, FusionFacts]:
        lists = self.plan.lists(self._runs(rows, num_rankings))
        facts = FusionFacts.of(lists)
        fused = self.plan.fuse(lists, facts)
        for ids in (fused.queries, fused.docs):
            _require_text(ids)
        return fused, facts

    def _runs(self, rows: Rows, num_rankings: int) -> list[Run]:
        """Return the rows of each run; problems of rows are those of the first run that has one."""
        heads, sizes = rows.starts[:num_rankings], np.diff(rows.starts[: num_rankings + 1])
        run = np.repeat([self.places[rows.place(head)] for head in heads.tolist()], sizes)
        code = np.cumsum(rows.new_query[heads]) - 1
        names = rows.queries.take(heads[rows.new_query[heads]])
        query = np.repeat(code, sizes)
        runs = []
        for place, number in self.places.items():
            own = np.flatnonzero(run == number)
            docs, rank = rows.docs.take(own), None if rows.rank is None else rows.rank[own]
            if (pair := find_duplicate(query[own], docs)) is not None:
                found = f"{docs[pair[1]]!r} for query {names[int(query[own][pair[1]])]!r}"
                raise WorkerRowError(place, f"duplicate document {found}")
            name = self.plan.names[number]
            runs.append(Run(names, Stretches.of(query[own]), docs, rows.score[own], rank, name=name))
        return runs

    def _problem(self, error: GermaneError) -> Problem:
        source = error.source if isinstance(error, InputError) else None
        number = self.plan.names.index(source) if source in self.plan.names else 0
        problem = error.problem if isinstance(error, InputError) else error.message
        return OF_QUERIES, number, "", source, problem, error.hint


def _without_problems(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield batches of rows; raise the problem of a run, which has no query and so comes first."""
    for batch in batches:
        if PROBLEM in batch.schema.names and batch.num_rows and batch.column(PROBLEM)[0].is_valid:
            frame, tag, problem = (batch.column(name)[0].as_py() for name in (FRAME, TAG, PROBLEM))
            raise WorkerRowError((frame, tag), to_text(problem))
        yield batch


def _require_text(ids: Ids) -> None:
    """Refuse ids that are not UTF-8: a column of text cannot hold them."""
    try:
        ids.data.tobytes().decode()
    except UnicodeDecodeError:
        bad = next(each for each in ids.to_bytes_list() if "\udc80" <= max(to_text(each), default="") <= "\udcff")
        hint = "convert the ids to text first"
        raise GermaneError(f"expected ids in UTF-8 to write them as text, found {bad!r}", hint=hint) from None


def rows_of(fused: Rankings) -> Any:
    """Return a fused run as a batch of rows."""
    import pyarrow as pa

    def text(ids: Ids) -> Any:
        buffers = [None, pa.py_buffer(ids.offsets), pa.py_buffer(np.ascontiguousarray(ids.data))]
        return pa.Array.from_buffers(pa.large_string(), len(ids), buffers).cast(pa.string())

    return pa.RecordBatch.from_pydict(
        {
            "qid": text(fused.queries).take(pa.array(fused.query)),
            "docno": text(fused.docs),
            "score": pa.array(fused.score),
            "rank": pa.array(fused.rank),
            "tag": pa.repeat(pa.scalar(fused.tag, pa.string()), len(fused.docs)),
        }
    )
