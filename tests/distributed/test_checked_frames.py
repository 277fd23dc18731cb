"""Checks on a cluster: the findings and counts of one machine, which also has line numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from germane.distributed.checked_frames import check_on_spark
from germane.distributed.reading import read_runs
from germane.errors import InputError
from germane.formats.rows.validation import Checked, check
from tests.distributed.lost_executors import lethal, was_killed
from tests.distributed.test_fused_runs import RUN, RUNS

NAN, INF = float("nan"), float("inf")
IDS = "qid string, docno string"
ROW = ("q1", "d1", 1.0, 1)
RUN_FILES: dict[str, tuple[str, list[Any]]] = {
    "good, with ties and contradicting ranks": (RUN, RUNS["a"]),
    "ranks in order": (RUN, [("q1", "d1", 3.0, 1), ("q1", "d2", 2.0, 2), ("q1", "d3", 2.0, 3), ("q2", "d1", 1.0, 1)]),
    "ranks alone, and another column": ("qid string, docno string, rank int, url string", [("q1", "d1", 1, "x")]),
    "tags": (f"{RUN}, tag string", [(*ROW, "b"), ("q1", "d2", 1.0, 2, "a"), ("q1", "d3", 1.0, 3, "b")]),
    "numbers as ids": ("qid int, docno bigint, score float", [(1, 7, 0.1), (1, 8, 0.1), (2, 7, 0.25)]),
    "duplicates": (RUN, [ROW, ROW, ("q1", "d2", 0.5, 1), ROW, ("q2", "d1", 1.0, 1), ("q2", "d1", 1.0, 2)]),
    "wrong values": (RUN, [ROW, ("q1", "d2", NAN, 1), ("q1", "d3", INF, 1), (None, "d4", 1.0, 1), ("q1", "", 1.0, 1),
                           ("q1", "d5", None, 1), ("q1", "d6", 1.0, None), ROW]),
    "no numbers at all": ("qid string, docno string, score string", [("q1", "d1", "1")]),
    "decimal scores": ("qid string, docno string, score decimal(4,1)", [("q1", "d1", None)]),
    "no rows": (RUN, []),
    "no documents": ("qid string, score double", [("q1", 1.0)]),
    "judgments": (f"{IDS}, relevance int", [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", 0)]),
    "wrong judgments": (f"{IDS}, relevance double", [("q1", "d1", NAN), ("q2", "d2", 1.0), ("q2", "d2", 1.0)]),
    "subtopics": (f"{IDS}, relevance int, subtopic string", [("q1", "d1", 1, "a"), ("q1", "d1", 0, "b")]),
    "strata": (f"{IDS}, relevance int, inclusion double", [("q1", "d1", 1, 2.0)]),
}  # fmt: skip


def findings(checked: Checked) -> dict[str, Any]:
    """What must be the same; not the place, the order of examples, or a remark on the order of lines."""
    said = [
        (kind, each.problem.partition(" (first on line ")[0].partition(" for document ")[0], each.hint)
        for kind, each in checked.examples
    ]
    return {
        "kind": checked.content.partition(" in ")[0],
        "counts": dict(checked.counts),
        "problems": sorted(said, key=str),
        "summary": checked.summary,
        "remarks": [remark for remark in checked.remarks if "not grouped" not in remark],
    }


def both(spark: Any, path: Path, schema: str, rows: list[Any], **how: Any) -> tuple[Checked, Checked]:
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(str(path))
    (run,) = read_runs(spark, [str(path)]).values()
    return check(str(path), **how), check_on_spark(run, None, None, **how)


@pytest.mark.parametrize("name", RUN_FILES)
def test_findings_are_those_of_one_machine(spark: Any, tmp_path: Path, name: str) -> None:
    local, found = both(spark, tmp_path / "run.parquet", *RUN_FILES[name], max_examples=9)
    assert findings(found) == findings(local)


def test_a_finding_that_is_lost_is_seen(spark: Any, tmp_path: Path) -> None:
    schema, rows = RUN_FILES["duplicates"]
    _, found = both(spark, tmp_path / "some.parquet", schema, rows[:-1], max_examples=9)
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(str(tmp_path / "all.parquet"))
    assert findings(found) != findings(check(str(tmp_path / "all.parquet"), max_examples=9))


def test_few_problems_are_shown_and_all_are_counted(spark: Any, tmp_path: Path) -> None:
    rows = [("q1", f"d{i}", NAN, 1) for i in range(5)] + [ROW] * 4
    local, found = both(spark, tmp_path / "run.parquet", RUN, rows, max_examples=2)
    assert found.counts == local.counts == {"value": 5, "duplicate": 3}
    assert [kind for kind, _ in found.examples] == ["value", "value", "duplicate", "duplicate"]
    assert found.examples[0][1].problem.endswith("found nan for document 'd0' of query 'q1'")


def test_text_is_refused(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([ROW], RUN).write.csv(str(tmp_path / "run.csv"), header=True)
    (run,) = read_runs(spark, [str(tmp_path / "run.csv")]).values()
    with pytest.raises(InputError, match="expected Parquet or ORC files to check on Spark, found text"):
        check_on_spark(run, None, None, max_examples=5)


def test_a_lost_executor_costs_a_retry_not_the_result(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    spark.createDataFrame(RUNS["a"], RUN).coalesce(1).write.parquet(str(path))
    (run,) = read_runs(spark, [str(path)]).values()
    deadly = replace(run, frame=lethal(run.frame, tmp_path / "killed"))
    assert findings(check_on_spark(deadly, None, None, max_examples=5)) == findings(check(str(path)))
    assert was_killed(tmp_path / "killed")
