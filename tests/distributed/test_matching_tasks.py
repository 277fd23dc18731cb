"""What one task does with its rows, without a cluster: batches of any size give the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import germane as ge
from germane.distributed.frames import Shape
from germane.distributed.judged_runs import put_together
from germane.distributed.matching_tasks import MatchingTask
from germane.distributed.whole_queries import RunRows, whole_queries
from germane.errors import InputError
from germane.tables.rankings.judged_run import JudgedRun, Ties
from tests.distributed.test_judged_runs import QRELS, differences, on_one_machine, runs

pa = pytest.importorskip("pyarrow", reason="batches of rows need pyarrow")
ONE_RUN = Shape(frames=False, tags=False, ranks=True, text=False)
TWO_RUNS = Shape(frames=True, tags=False, ranks=True, text=False)
Row = tuple[str, str, float, int]


def batches(rows: Sequence[Row], sizes: Sequence[int], frame: int = 0) -> list[Any]:
    """Rows as Spark would send them, sorted by query, in batches of these sizes over and over."""
    ordered = sorted(rows, key=lambda row: row[0])  # stable: the order within a query stays
    query, doc, score, rank = (list(column) for column in zip(*ordered, strict=True))
    table = pa.table(
        {
            "query": pa.array([text.encode() for text in query], pa.binary()),
            "document": pa.array([text.encode() for text in doc], pa.binary()),
            "score": pa.array(score, pa.float64()),
            "rank": pa.array(rank, pa.float64()),
            "frame": pa.array([frame] * len(rows), pa.int32()),
        }
    )
    cut, start, found = list(sizes), 0, []
    while start < len(rows):
        found += table.slice(start, cut[0]).combine_chunks().to_batches()
        start += cut[0]
        cut = [*cut[1:], cut[0]]
    return found


def judged(
    parts: Sequence[Sequence[Any]], shape: Shape, ties: Ties, names: Sequence[str] = ("run",)
) -> list[JudgedRun]:
    """The results of one task for each part, put together."""
    task = MatchingTask(QRELS, shape, ties, "float64")
    found = [batch for part in parts for batch in task(iter(part))]
    return [run for _, run in put_together(pa.Table.from_batches(found), [(name, name) for name in names], QRELS, ties)]


@given(
    runs(), st.lists(st.integers(1, 9), min_size=1, max_size=3), st.sampled_from(["docno", "rank", "best", "expected"])
)
def test_a_query_may_cross_batches(rows: list[Row], sizes: list[int], ties: Ties) -> None:
    [found] = judged([batches(rows, sizes)], ONE_RUN, ties)
    assert differences(found, on_one_machine(rows, ties)) == []


@given(runs(), runs(), st.integers(1, 9))
def test_a_task_may_have_rows_of_several_runs(first: list[Row], second: list[Row], size: int) -> None:
    both = judged([[*batches(first, [size]), *batches(second, [size], frame=1)]], TWO_RUNS, "docno", ["a", "b"])
    for found, rows in zip(both, (first, second), strict=True):
        assert differences(found, on_one_machine(rows)) == []


@given(runs(), st.integers(1, 9))
def test_a_run_may_be_shared_between_tasks(rows: list[Row], size: int) -> None:
    odd, even = ([row for row in rows if int(row[0][1:]) % 2 == rest] for rest in (1, 0))
    [found] = judged([batches(part, [size]) for part in (odd, even) if part], ONE_RUN, "docno")
    assert differences(found, on_one_machine(rows)) == []


def test_no_part_of_a_query_comes_alone() -> None:
    rows = (
        [("q1", f"d{i}", 1.0, 1) for i in range(5)]
        + [("q2", "d1", 1.0, 1)]
        + [("q3", f"d{i}", 1.0, 1) for i in range(9)]
    )
    found = whole_queries(iter(batches(rows, [2])), ONE_RUN)
    parts = [(part.queries, part.starts.tolist()) for part in found if isinstance(part, RunRows)]
    assert [query for queries, _ in parts for query in queries] == [b"q1", b"q2", b"q3"]
    assert [size for _, starts in parts for size in map(int.__sub__, starts[1:], starts)] == [5, 1, 9]


def test_empty_batches_and_partitions_are_nothing() -> None:
    rows = [("q2", "d2", 1.0, 1), ("q3", "d3", 1.0, 1)]
    [only] = batches(rows, [2])
    [found] = judged([[only.slice(0, 0), only, only.slice(0, 0)], []], ONE_RUN, "docno")
    assert differences(found, on_one_machine(rows)) == []


def test_after_a_problem_the_rest_is_taken_in_and_left() -> None:
    rows = [("q2", "d2", 1.0, 1), ("q2", "d2", 1.0, 1), *((f"q{3 + i}", "d", float(i), 1) for i in range(5))]
    left = iter(batches(rows, [2]))
    results = list(MatchingTask(QRELS, ONE_RUN, "docno", "float64")(left))
    assert len(results) == 1
    assert next(left, None) is None
    with pytest.raises(InputError, match="duplicate document 'd2' for query 'q2'"):
        put_together(pa.Table.from_batches(results), [("run", "run")], QRELS, "docno")


def test_the_reference_of_the_kernel_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from germane.kernels import reference

    rows = [(f"q{q}", f"d{d}", float(d % 4), d) for q in range(1, 7) for d in range(12)]
    [compiled] = judged([batches(rows, [5])], ONE_RUN, "docno")
    monkeypatch.setattr("germane.kernels.Matcher", reference.Matcher)
    [plain] = judged([batches(rows, [5])], ONE_RUN, "docno")
    assert differences(plain, compiled) == []
    assert ge.evaluate(QRELS, [plain], ["AP"]).mean() == ge.evaluate(QRELS, [compiled], ["AP"]).mean()
