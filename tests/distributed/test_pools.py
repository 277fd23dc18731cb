"""Pools from runs on a cluster: the same documents, notes and errors as on one machine; only the top comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import germane as ge
from germane.distributed.frames import Shape
from germane.distributed.top_rows import TopTask
from germane.errors import GermaneError
from germane.judging.pooling.run_hash import hash_of_sum, rows_sum
from tests.distributed.lost_executors import lethal, was_killed
from tests.distributed.test_fused_runs import GOOD, RUN, RUNS, here, there

pa = pytest.importorskip("pyarrow", reason="batches of rows need pyarrow")


@pytest.fixture(scope="module")
def frames(spark: Any) -> dict[str, Any]:
    return there(spark, RUNS)


def same(found: Any, local: Any) -> bool:
    names = ("hash", "items", "unsampled", "notes")
    return [getattr(found, name) for name in names] == [getattr(local, name) for name in names]


def test_pools_are_those_of_one_machine(frames: dict[str, Any]) -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("rrf", {"budget": 3, "depth": 5}),
        ("stratified(strata=1:1/3:0.5)", {"depth": 3, "seed": 4}),
    ]
    for method, how in cases:
        local = ge.pool(here(RUNS), method, **how)
        assert same(ge.pool(frames, method, **how), local)
        assert not same(ge.pool({**frames, "a": frames["b"]}, method, **how), local)


def test_distractors_are_documents_that_no_run_has_at_any_rank(frames: dict[str, Any]) -> None:
    how: dict[str, Any] = {"depth": 1, "distractors": 2, "collection": [f"d{i}" for i in range(40)], "seed": 3}
    mixed = {"a": frames["a"], "b": here(RUNS)["b"], "c": frames["c"]}
    assert same(ge.pool(mixed, **how), ge.pool(here(RUNS), **how))


def test_tags_are_runs(spark: Any) -> None:
    rows = [(name, *row) for name in ("a", "b") for row in RUNS[name]]
    found = ge.pool(spark.createDataFrame(rows, f"tag string, {RUN}"), depth=4)
    assert same(found, ge.pool({name: here(RUNS)[name] for name in ("a", "b")}, depth=4))


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("depth", [1, 4, 1000])
def test_batches_of_any_size_give_the_top_of_each_ranking(size: int, depth: int) -> None:
    rows = sorted((query.encode(), doc.encode(), score) for query, doc, score, _ in RUNS["a"])
    table = pa.table(dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True)))
    task = TopTask(Shape(frames=False, tags=False, ranks=False, text=False), depth, hashed=True)
    found = pa.Table.from_batches(list(task(iter(table.to_batches(max_chunksize=size))))).to_pylist()
    best: dict[bytes, list[tuple[float, bytes]]] = {}
    for query, doc, score in rows:
        best.setdefault(query, []).append((score, doc))
    top = {(query, doc) for query, own in best.items() for _, doc in sorted(own, reverse=True)[:depth]}
    assert {(row["query"], row["document"]) for row in found if row["query"]} == top
    total = hash_of_sum(rows_sum(*zip(*rows, strict=True)))
    assert [row["sum"].decode() for row in found if row["sum"]] == [total]


WRONG = [
    ([GOOD, GOOD], "b: duplicate document 'd1' for query 'q1'"),
    ([("q1", None, 1.0, 1)], "b: expected a document in every row, found none (null) for query 'q1'"),
    ([], "b: expected rows, found none"),
]


@pytest.mark.parametrize(("rows", "said"), WRONG)
def test_what_is_wrong_with_rows(spark: Any, rows: Any, said: str) -> None:
    with pytest.raises(GermaneError) as caught:
        ge.pool(there(spark, {"a": [GOOD], "b": rows}))
    assert caught.value.message == said


def test_a_lost_executor_costs_a_retry_not_the_result(spark: Any, frames: dict[str, Any], tmp_path: Path) -> None:
    deadly = frames | {"c": lethal(frames["c"], tmp_path / "killed")}
    assert same(ge.pool(deadly, depth=3), ge.pool(here(RUNS), depth=3))
    assert was_killed(tmp_path / "killed")
