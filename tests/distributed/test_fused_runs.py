"""Fusion on a cluster: rows, order, notes and errors are those of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import germane as ge
from germane.distributed.frames import Shape
from germane.distributed.fused_runs import FusingTask
from germane.distributed.problems import values_of
from germane.distributed.reading import read_runs
from germane.distributed.whole_queries import WorkerRowError
from germane.distributed.writing import write_frame
from germane.errors import GermaneError, InputError
from germane.retrieval.fusion import FUSION, NORMALISATIONS
from germane.retrieval.fusion.fuse_runs import plan_fusion
from tests.distributed.lost_executors import lethal, was_killed

RUN = "qid string, docno string, score double, rank int"
Row = tuple[str, str, float, int]


def made(seed: int, *, low: int = 0, ties: int = 7) -> list[Row]:
    """Rows of a run with many ties, in random order; queries and documents differ from run to run."""
    draw = np.random.default_rng(seed)
    rows = [
        (f"q{query}", f"d{doc}", float(draw.integers(low, ties)) / 3, int(draw.integers(1, 9)))
        for query in range(seed, seed + 9)
        for doc in draw.permutation(30)[: 3 + query]
    ]
    return [rows[i] for i in draw.permutation(len(rows))]


RUNS = {"a": made(0), "b": made(1), "c": made(2)}


def here(runs: dict[str, list[Row]]) -> dict[str, Any]:
    columns = ("qid", "docno", "score", "rank")
    return {name: dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)) for name, rows in runs.items()}


def there(spark: Any, runs: dict[str, list[Row]]) -> dict[str, Any]:
    return {name: spark.createDataFrame(rows, RUN).coalesce(1) for name, rows in runs.items()}


def rows_of(fused: Any) -> list[tuple[Any, ...]]:
    """The rows of a fused run, wherever it lies, in the order of queries and ranks."""
    if hasattr(fused, "frame"):
        return sorted(map(tuple, fused.frame.collect()), key=lambda row: (row[0].encode(), row[3]))
    queries = [fused.queries[code] for code in fused.query.tolist()]
    columns = queries, fused.docs, fused.score.tolist(), fused.rank.tolist(), [fused.tag] * len(queries)
    return list(zip(*columns, strict=True))


@pytest.fixture(scope="module")
def frames(spark: Any) -> dict[str, Any]:
    return there(spark, RUNS)


def as_task_rows(runs: dict[str, list[Row]], *, ranks: bool = False) -> tuple[Iterator[Any], Shape]:
    """What a task gets: rows in order of query and run, in batches that cut queries."""
    rows = sorted(
        ((query.encode(), number, i, doc.encode(), score, float(rank)))
        for number, run in enumerate(runs.values())
        for i, (query, doc, score, rank) in enumerate(run)
    )
    query, number, _, doc, score, rank = (list(column) for column in zip(*rows, strict=True))
    table = pa.table({"frame": pa.array(number, pa.int32()), "query": query, "document": doc, "score": score})
    table = table.append_column("rank", pa.array(rank)) if ranks else table
    return iter(table.to_batches(max_chunksize=7)), Shape(frames=True, tags=False, ranks=ranks, text=False)


def fused_by_task(runs: dict[str, list[Row]], method: str, **how: Any) -> tuple[list[tuple[Any, ...]], Any]:
    """The rows, facts and sizes that a task gives."""
    batches, shape = as_task_rows(runs, ranks=how.get("ties") == "rank")
    plan = plan_fusion(list(runs), method, **how)
    task = FusingTask(plan, {(i, b""): i for i in range(len(runs))}, shape, list(runs))
    ((facts, *sizes),) = values_of(pa.Table.from_batches(list(task(batches))))
    batches, _ = as_task_rows(runs, ranks=how.get("ties") == "rank")
    table = pa.Table.from_batches(list(replace(task, writes=True)(batches)))
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True)), (facts.notes(plan), sizes)


METHODS = [(method.name, None) for method in FUSION] + [("combmnz", each.name) for each in NORMALISATIONS]


@pytest.mark.parametrize(("method", "normalise"), METHODS)
@pytest.mark.parametrize("how", [{}, {"depth": 4}, {"k": 2}, {"ties": "rank"}], ids=str)
def test_tasks_give_what_one_machine_gives(method: str, normalise: str | None, how: dict[str, Any]) -> None:
    weights = {"a": 0.1, "b": 0.7, "c": 1 / 3}
    how = {**how, "weights": None if FUSION[method].weights == "refused" else weights, "normalise": normalise}
    local = ge.fuse(here(RUNS), method, **how)
    rows, (notes, sizes) = fused_by_task(RUNS, method, **how)
    assert rows == rows_of(local)
    assert tuple(notes) == local.notes
    assert sizes == [len(local.queries), len(local.docs)]


def test_a_cluster_gives_what_one_machine_gives(frames: dict[str, Any]) -> None:
    local, found = ge.fuse(here(RUNS), "combmnz", ties="rank"), ge.fuse(frames, "combmnz", ties="rank")
    assert rows_of(found) == rows_of(local)
    assert (found.notes, found.tag) == (local.notes, local.tag)
    assert rows_of(found) != rows_of(ge.fuse(here(RUNS), "combmnz", depth=5))


@pytest.mark.parametrize("method", ["rrf", "borda", "condorcet", "combsum"])
def test_with_a_depth_only_the_top_of_each_ranking_is_brought_together(frames: dict[str, Any], method: str) -> None:
    local, found = ge.fuse(here(RUNS), method, depth=4), ge.fuse(frames, method, depth=4)
    assert rows_of(found) == rows_of(local)
    assert (found.notes, found.tag, found.num_queries) == (local.notes, local.tag, len(local.queries))
    assert rows_of(found) != rows_of(ge.fuse(here(RUNS), method))
    ranked = ge.fuse(frames, method, depth=4, ties="rank")
    assert rows_of(ranked) == rows_of(ge.fuse(here(RUNS), method, depth=4, ties="rank"))


def test_the_first_problem_of_the_first_run_is_told_with_a_depth(spark: Any) -> None:
    wrong: Any = [("q3", "d1", 1.0, 1), ("q3", "d1", 1.0, 2), ("q2", None, 1.0, 3)]
    with pytest.raises(GermaneError) as caught:
        ge.fuse(there(spark, {"a": wrong, "b": [GOOD, GOOD]}), depth=2)
    assert caught.value.message.startswith("a: ")


def test_tags_are_runs_and_a_fused_run_is_a_run(spark: Any, frames: dict[str, Any]) -> None:
    rows = [(name, *row) for name in ("a", "b") for row in RUNS[name]]
    fused = ge.fuse([spark.createDataFrame(rows, f"tag string, {RUN}")])
    local = ge.fuse({name: here(RUNS)[name] for name in ("a", "b")})
    assert rows_of(fused) == rows_of(local)
    assert repr(fused) == f"<rrf(k=60) on Spark: {len(local.queries)} queries, {len(local.docs)} documents>"
    qrels = {"q3": {"d1": 1, "d2": 0}}
    assert ge.evaluate(qrels, fused, "AP").to_dict() == ge.evaluate(qrels, local, "AP").to_dict()
    beside = ge.fuse({"a/b": spark.createDataFrame(rows, f"tag string, {RUN}"), "c": frames["c"]}, "combsum")
    tops = ge.fuse([spark.createDataFrame(rows, f"tag string, {RUN}")], "combsum", depth=3)
    assert rows_of(tops) == rows_of(ge.fuse({name: here(RUNS)[name] for name in ("a", "b")}, "combsum", depth=3))
    named = {"a/b/a": here(RUNS)["a"], "a/b/b": here(RUNS)["b"], "c": here(RUNS)["c"]}
    assert rows_of(beside) == rows_of(ge.fuse(named, "combsum"))
    assert beside.notes == ge.fuse(named, "combsum").notes


GOOD: Row = ("q1", "d1", 2.0, 1)
WRONG = [
    # the rows of b                              how                                      said
    ([GOOD, GOOD], {}, "b: duplicate document 'd1' for query 'q1'"),
    (
        [("q1", "d1", None, 1)],
        {},
        "b: expected a score in every row, found none (null) for document 'd1' of query 'q1'",
    ),
    ([], {}, "b: expected rows, found none"),
    ([("x1", "d1", 1.0, 1)], {}, "the runs share no query: a has q1; b has x1"),
    (
        [("q1", "d1", -1.0, 1)],
        {"method": "combsum", "normalise": "max"},
        "b: expected a highest score above 0 to divide by, found -1 for query 'q1'",
    ),
    (
        [("q1", "d1", 1e308, 1)],
        {"method": "weighted", "weights": {"a": 1, "b": 9}, "normalise": "none"},
        "weighted: the scores are too large to sum",
    ),
    (
        [("q1", "d1", 1.7e308, 1), ("q1", "d2", -1.7e308, 2)],
        {"method": "combsum"},
        "b: the scores of query 'q1' are too far apart to normalise",
    ),
]


@pytest.mark.parametrize(("rows", "how", "said"), WRONG, ids=[said[:50] for _, _, said in WRONG])
@pytest.mark.parametrize("depth", [None, 5])
def test_what_is_wrong_is_told_in_the_words_of_one_machine(
    spark: Any, rows: Any, how: Any, said: str, depth: int | None
) -> None:
    how = {**how, "depth": depth}
    with pytest.raises(GermaneError) as caught:
        ge.fuse(there(spark, {"a": [GOOD], "b": rows}), **how)
    assert caught.value.message == said
    if rows and rows[0][2] is not None:
        with pytest.raises(GermaneError) as local:
            ge.fuse(here({"a": [GOOD], "b": rows}), **how)
        assert local.value.message.partition(" in rows")[0] == said
        assert local.value.hint == caught.value.hint


def test_what_cannot_be_fused_together(spark: Any, frames: dict[str, Any]) -> None:
    with pytest.raises(GermaneError, match="expected all runs as Spark data frames, found b elsewhere"):
        ge.fuse({"a": frames["a"], "b": {"q1": {"d1": 1.0}}})
    with pytest.raises(GermaneError, match="expected two runs or more to fuse, found one"):
        ge.fuse([frames["a"]])
    with pytest.raises(GermaneError, match="is not supported on a cluster, where rows have no order"):
        ge.fuse(frames, ties="order")
    rows = [(bytearray(b"q1"), bytearray(b"\xff"), 1.0)]
    strange = spark.createDataFrame(rows, "qid binary, docno binary, score double")
    with pytest.raises(GermaneError, match=r"expected ids in UTF-8 to write them as text, found b'\\xff'"):
        ge.fuse({"a": strange, "b": strange})
    tagged = spark.createDataFrame([("x", *GOOD), ("y", *GOOD)], f"tag string, {RUN}")
    with pytest.raises(GermaneError, match="duplicate run name 'b/x'"):
        ge.fuse({"b": tagged, "b/x": frames["a"]})
    with pytest.raises(InputError, match="expected rows, found none"):
        ge.fuse(there(spark, {"a": [], "b": []}))


def test_rows_that_changed_since_they_were_checked_are_an_error() -> None:
    batches, shape = as_task_rows({"a": [GOOD], "b": [GOOD, GOOD]})
    task = FusingTask(plan_fusion(["a", "b"]), {(0, b""): 0, (1, b""): 1}, shape, ["a", "b"], writes=True)
    with pytest.raises(WorkerRowError, match="duplicate document 'd1'"):
        list(task(batches))
    batches, shape = as_task_rows({"a": [GOOD], "b": [("q1", "d1", -1.0, 1)]})
    plan = plan_fusion(["a", "b"], "combsum", normalise="max")
    with pytest.raises(GermaneError, match="expected a highest score above 0"):
        list(replace(task, plan=plan, shape=shape)(batches))


def test_an_output_that_holds_a_run_is_not_replaced(spark: Any, frames: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "the runs"
    for name in ("a", "b"):
        frames[name].write.parquet(str(folder / f"{name}.parquet"))
    fused = ge.fuse(read_runs(spark, [str(folder / "a.parquet"), str(folder / "b.parquet")]))
    write_frame(fused.frame, str(tmp_path / "the run"), "parquet", overwrite=True)
    for path in (tmp_path, folder, folder / "b.parquet", f"file://{folder}"):
        with pytest.raises(InputError, match=r"expected an output that holds no input, found file:/.*parquet"):
            write_frame(fused.frame, str(path), "parquet", overwrite=True)
    assert rows_of(fused) == rows_of(ge.fuse({name: here(RUNS)[name] for name in ("a", "b")}))


def test_a_lost_executor_costs_a_retry_not_the_result(spark: Any, frames: dict[str, Any], tmp_path: Path) -> None:
    deadly = frames | {"c": lethal(frames["c"], tmp_path / "killed")}
    assert rows_of(ge.fuse(deadly, "combsum", normalise="zmuv")) == rows_of(
        ge.fuse(here(RUNS), "combsum", normalise="zmuv")
    )
    assert was_killed(tmp_path / "killed")
