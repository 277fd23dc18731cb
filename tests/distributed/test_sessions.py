"""Frames in, frames out, and nothing is set on the session of whoever calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import germane as ge
from germane.distributed.checked_frames import check_on_spark
from germane.distributed.reading import read_runs
from germane.distributed.session import collected, frame_of_arrow
from germane.errors import GermaneError
from germane.formats.rows.memory import run_from
from tests.distributed.lost_executors import lethal, was_killed
from tests.distributed.test_fused_runs import RUN, RUNS, here, there
from tests.laws.result_specimens import SPECIMENS, specimen

pa = pytest.importorskip("pyarrow", reason="tables for Spark need pyarrow")
GRADES = [(f"q{q}", f"d{d}", (d * q) % 3) for q in range(2, 9) for d in range(q, 30, 3)]


@pytest.fixture(scope="module")
def frames(spark: Any) -> dict[str, Any]:
    return there(spark, RUNS)


def test_every_result_is_a_frame_of_spark(spark: Any) -> None:
    """A frame for each table; Spark is asked for the values of one of each type of column only, since each is a job."""
    seen: set[Any] = set()
    for name in SPECIMENS:
        for made in specimen(name).tables(**SPECIMENS[name][1]):
            local = specimen(name).to_frame(made.name, backend="pyarrow", **SPECIMENS[name][1])
            found = specimen(name).to_frame(made.name, backend="spark", **SPECIMENS[name][1])
            assert found.columns == local.column_names
            if new := {str(kind) for kind in local.schema.types} - seen:
                seen |= new
                assert found.toArrow().to_pydict() == local.to_pydict() or "nan" in str(local.to_pydict())


def test_runs_and_judgments_are_frames_of_spark(spark: Any) -> None:
    for made in (run_from([("q1", "d1", 2.0)]), ge.measures.load_qrels([("q1", "d1", 2)])):
        on_spark: Any = made.to_frame(backend="spark")
        as_arrow: Any = made.to_frame(backend="pyarrow")
        assert on_spark.toArrow().to_pydict() == as_arrow.to_pydict()


def test_a_column_without_a_type_is_a_list(spark: Any) -> None:
    frame = frame_of_arrow(pa.table({"a": pa.nulls(2), "b": [1, 2]}))
    assert [row.a for row in frame.collect()] == [None, None]
    assert frame.dtypes == [("a", "array<string>"), ("b", "bigint")]


@pytest.mark.usefixtures("spark")
def test_a_thread_uses_the_default_session() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: frame_of_arrow(pa.table({"a": [7]})).collect()).result()[0].a == 7


def test_without_a_session_there_is_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    with pytest.raises(GermaneError, match="expected an active Spark session, found none\nHint: start one first"):
        ge.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}).to_frame(backend="spark")


def test_without_spark_there_is_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(GermaneError, match=r"a Spark data frame needs an optional library(?s:.*)germane\[spark\]"):
        ge.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}).to_frame(backend="spark")


def test_judgments_are_a_frame(spark: Any, frames: dict[str, Any]) -> None:
    qrels = spark.createDataFrame(
        [(*row, "x") for row in GRADES], "query_id string, doc_id string, rel int, other string"
    )
    local, found = ge.compare(GRADES, here(RUNS), "AP"), ge.compare(qrels, frames, "AP")
    assert found.to_dict() == local.to_dict()
    assert ge.compare(qrels, frames, "RR").to_dict() != local.to_dict()


def test_a_comparison_outlives_an_executor(frames: dict[str, Any], tmp_path: Path) -> None:
    deadly = frames | {"c": lethal(frames["c"], tmp_path / "killed")}
    assert ge.compare(GRADES, deadly, "AP").to_dict() == ge.compare(GRADES, here(RUNS), "AP").to_dict()
    assert was_killed(tmp_path / "killed")


def settings_of(spark: Any) -> Any:
    """Whatever a session and its context are set to, hold, and have sent to the executors."""
    context = spark.sparkContext
    conf = spark._jsparkSession.conf().getAll()
    session = {entry._1(): entry._2() for entry in (conf.toSeq().apply(i) for i in range(conf.size()))}
    files = sorted(Path(context._temp_dir).parent.rglob("*.zip")), list(context._python_includes)
    held = [table.name for table in spark.catalog.listTables()], context._jsc.sc().getPersistentRDDs().size()
    return held, session, sorted(context.getConf().getAll()), context.getLocalProperty("spark.jobGroup.id"), files


def settings_changed_by(spark: Any, work: Callable[[], object]) -> bool:
    before = settings_of(spark)
    work()
    return bool(settings_of(spark) != before)


def test_nothing_is_set_on_the_session(spark: Any, frames: dict[str, Any], tmp_path: Path) -> None:
    items = spark.createDataFrame([(i % 2, i / 9) for i in range(9)], "label int, score double")
    frames["a"].write.partitionBy("qid").parquet(str(tmp_path / "keys"))
    verbs: dict[str, Callable[[], object]] = {
        "evaluate": lambda: ge.evaluate(GRADES, frames).to_frame(backend="spark"),
        "compare": lambda: ge.compare(GRADES, frames),
        "classify": lambda: ge.classify(items, threshold=0.5),
        "fuse": lambda: collected(ge.fuse(frames).frame),
        "pool": lambda: ge.pool(frames),
        "check": lambda: check_on_spark(
            next(iter(read_runs(spark, [str(tmp_path / "keys")]).values())), None, None, max_examples=5
        ),
        "paths": lambda: ge.evaluate(GRADES, read_runs(spark, [str(tmp_path / "keys")])),
    }
    assert [name for name, work in verbs.items() if settings_changed_by(spark, work)] == []


def test_a_setting_that_is_changed_is_seen(spark: Any) -> None:
    assert settings_changed_by(spark, lambda: spark.conf.set("spark.sql.shuffle.partitions", "4"))
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    assert settings_changed_by(spark, lambda: spark.range(1).createOrReplaceTempView("left_behind"))
    spark.catalog.dropTempView("left_behind")
    cached = spark.range(1).cache()
    assert settings_changed_by(spark, cached.count)
    cached.unpersist()


def test_keys_of_folders_stay_text(spark: Any, tmp_path: Path) -> None:
    rows = [(query.replace("q", "00"), *rest) for query, *rest in RUNS["a"]]
    spark.createDataFrame(rows, RUN).write.partitionBy("qid").parquet(str(tmp_path / "x=1" / "keys"))
    ((_, run),) = read_runs(spark, [str(tmp_path / "x=1" / "keys")]).items()
    assert sorted({row.qid for row in run.frame.select("qid").distinct().collect()})[0] == "000"
