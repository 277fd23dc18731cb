"""Match runs on a cluster with judgments: one job for any number of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from germane.distributed.frames import ROW, Place, shape_of, union_of, where
from germane.distributed.large_queries import with_large_queries
from germane.distributed.matching_tasks import GROUP, HIT, PROBLEM, RESULT, RISING, UNKNOWN, MatchingTask
from germane.distributed.session import broadcast, collected
from germane.distributed.spark_run import SparkRun
from germane.errors import InputError
from germane.tables.columns.ids import IntArray, to_text
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import assemble
from germane.tables.rankings.qrels import Qrels


def judge_on_spark(
    qrels: Qrels, runs: Sequence[tuple[str, Any]], *, ties: Ties = "docno", score_type: str = "float64"
) -> list[tuple[int, JudgedRun]]:
    """Match named frames with judgments; return each judged run with the number of its frame, in order.

    A tag column (tag, run, run_id, system) with several values makes one run per value, named after it; with one value,
    or without such a column, the frame is one run with the given name. Rows are grouped by query on the cluster, the
    kernels run where the rows are, and only results on judged documents come back. A query too large for a worker
    is divided into pieces, in another job.
    """
    given = [(name, run if isinstance(run, SparkRun) else SparkRun(run)) for name, run in runs]
    shape = shape_of(given, ties)
    rows = union_of(given, shape)
    # Rows of each query of each run become neighbours, in the order of their frame; Spark spills to disk if needed.
    neighbours = rows.repartition(*shape.keys).sortWithinPartitions(*shape.keys, ROW)
    # Only what matching needs: ids, and which documents belong to which query.
    with broadcast(rows, replace(qrels, grade=np.zeros(0), groups=None, sampling=None)) as judgments:
        found = collected(neighbours.mapInArrow(MatchingTask(judgments, shape, ties, score_type), RESULT))
        results = with_large_queries(rows, found, qrels, judgments, (shape, ties, score_type))
    return put_together(results, [(name, run.path or name) for name, run in given], qrels, ties)


def put_together(
    table: Any, frames: Sequence[tuple[str, str]], qrels: Qrels, ties: Ties
) -> list[tuple[int, JudgedRun]]:
    """Assemble judged runs from the results of all tasks; frames have a name, and a source for error messages."""
    results = _by_run(table)
    # Errors first: a task with a problem has skipped the rest of its rows.
    for (number, tag), found in sorted(results.items(), key=lambda item: item[0]):
        if found.problems:
            source = where((number, tag), [source for _, source in frames])
            raise InputError(source, None, to_text(min(found.problems)))
    judged: list[tuple[int, JudgedRun]] = []
    for number, (name, source) in enumerate(frames):
        tags = sorted(tag for frame, tag in results if frame == number)
        if not tags:
            raise InputError(source, None, "expected rows, found none")
        for tag in tags:
            found = results[number, tag]
            called = name if len(tags) == 1 else to_text(tag)
            judged.append((number, assemble(qrels, [found], ties=ties, name=called, queries=found.unknown)))
    return judged


def _by_run(table: Any) -> dict[Place, _Found]:
    """Group the results of the tasks by run."""
    tags = table.column("tag").combine_chunks().dictionary_encode()
    names = tags.dictionary.to_pylist()
    run = table.column("frame").to_numpy().astype(np.int64) * max(1, len(names)) + tags.indices.to_numpy()
    order = np.argsort(run, kind="stable")
    ordered = table.take(order)
    found = {}
    for code, start, size in zip(*np.unique(run[order], return_index=True, return_counts=True), strict=True):
        frame, tag = divmod(int(code), len(names))
        found[frame, names[tag]] = _Found(ordered.slice(int(start), int(size)))
    return found


class _Found:
    """Results of all tasks for one run."""

    def __init__(self, rows: Any) -> None:
        kind = rows.column("kind").to_numpy()
        numbers = np.stack([rows.column(name).to_numpy() for name in "abcd"], axis=1)
        self._groups, self._hits = numbers[kind == GROUP][:, :2], numbers[kind == HIT]
        self.rising_queries = int(numbers[kind == RISING][:, 0].sum())
        self.unknown, self.problems = (
            rows.column("text").filter(kind == which).to_pylist() for which in (UNKNOWN, PROBLEM)
        )

    def found(self) -> tuple[IntArray, IntArray]:
        return self._groups, self._hits

    def names(self) -> list[bytes]:
        return []
