"""Errors of evaluating on Spark, each provoked without a cluster: what Spark says or gives is said or given for it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

import germane as ge
from germane.api.rankings.spark_runs import judged_where_they_lie
from germane.distributed.checked_frames import require_typed_rows
from germane.distributed.decision_counts import count_on_spark
from germane.distributed.frames import Shape
from germane.distributed.fused_runs import FusingTask
from germane.distributed.judged_runs import put_together
from germane.distributed.matching_tasks import MatchingTask
from germane.distributed.problems import values_of
from germane.distributed.reading import read_runs
from germane.distributed.session import collected, spark_session
from germane.distributed.spark_run import SparkRun
from germane.distributed.writing import write_frame
from germane.errors import GermaneError
from germane.formats.decisions.labelled_columns import Asked, choose_columns
from germane.retrieval.fusion.fuse_runs import plan_fusion
from germane.tables.results.scores import RunInfo
from tests.errors.provoking import provoked

pyspark_errors = pytest.importorskip("pyspark.errors", reason="the errors of Spark are its own")
from pyspark.sql import SparkSession  # noqa: E402 - after the check that it is there

QRELS = ge.measures.load_qrels({"q1": {"d1": 1}, "q2": {"d1": 0}})
LACKING = "An exception was thrown:\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'germane'"


class Frame:
    """A frame that Spark Connect would give: whatever is done with it, in the end it has these rows, or fails."""

    __module__ = "pyspark.sql.connect.dataframe"

    def __init__(self, rows: Any = None, error: Exception | None = None) -> None:
        self.rows, self.error = rows, error
        self.sparkSession = self

    def select(self, *columns: str) -> Frame:
        return self

    def mapInArrow(self, task: Any, schema: str) -> Frame:  # noqa: N802 - Spark's names
        return self

    def repartition(self, number: int) -> Frame:
        return self

    def toArrow(self) -> Any:  # noqa: N802
        if self.error is not None:
            raise self.error
        return self.rows


def count_rows_that_are_gone() -> None:
    """The first rows were there; when all are counted, somebody has emptied the files."""
    nothing = pa.table({name: pa.array([], pa.string()) for name in ("counts", "problem", "hint")})
    chosen = choose_columns(["truth", "score"], Asked.of(), "rows.parquet")
    count_on_spark(Frame(nothing), chosen, positive=1, cuts=np.array([0.5]), source="rows.parquet")


def read_where(error: Exception) -> None:
    reader = SimpleNamespace(load=lambda path: (_ for _ in ()).throw(error))
    reader.format = reader.options = lambda *_, **__: reader
    read_runs(SimpleNamespace(read=reader), ["runs/bm25.parquet"])


def judge(query: str | None, doc: str | None) -> None:
    """One row, as a task of the cluster gets it; the driver puts together what tasks give."""
    ids = {"query": query, "document": doc}
    columns = {name: pa.array([None if text is None else text.encode()], pa.binary()) for name, text in ids.items()}
    rows = pa.table({**columns, "score": [1.0]}).to_batches()
    shape = Shape(frames=False, tags=False, ranks=False, text=False)
    found = list(MatchingTask(QRELS, shape, "docno", "float64")(iter(rows)))
    put_together(pa.Table.from_batches(found), [("bm25", "bm25")], QRELS, "docno")


def fuse_bytes(doc: bytes) -> None:
    """Two runs with one document each, as a task of the cluster gets them."""
    both = {"frame": pa.array([0, 1], pa.int32()), "query": [b"q1", b"q1"], "document": [doc, doc], "score": [1.0, 2.0]}
    shape = Shape(frames=True, tags=False, ranks=False, text=False)
    task = FusingTask(plan_fusion(["a", "b"]), {(0, b""): 0, (1, b""): 1}, shape, ["a", "b"])
    values_of(pa.Table.from_batches(list(task(iter(pa.table(both).to_batches())))))


def write_where(error: Exception) -> None:
    writer = SimpleNamespace(save=lambda path: (_ for _ in ()).throw(error))
    writer.format = writer.options = writer.mode = lambda *_, **__: writer
    write_frame(SimpleNamespace(write=writer), "runs/fused.csv", "csv", overwrite=False)


test_rows_on_a_cluster = provoked(
    [
        ("expected ids in UTF-8 to write them as text, found b'\\xff'", lambda: fuse_bytes(b"\xff")),
        (
            "runs/fused.csv: file already exists",
            lambda: write_where(pyspark_errors.AnalysisException("[PATH_ALREADY_EXISTS] Path")),
        ),
        (
            "Spark could not write runs/fused.csv: [IO] no space",
            lambda: write_where(pyspark_errors.PySparkException("[IO] no space\nand so on")),
        ),
        (
            "run.csv: expected Parquet or ORC files to check on Spark, found text",
            lambda: require_typed_rows("run.csv", None),
        ),
        (
            "the executors are missing a library: ModuleNotFoundError: No module named 'germane'",
            lambda: collected(Frame(error=pyspark_errors.PySparkException(LACKING))),
        ),
        (
            "expected one column of scores on Spark, found a table of probabilities",
            lambda: ge.classify(
                SparkRun(SimpleNamespace(columns=["label", "p_red", "p_white"])), truth="label", score=["p_*"]
            ),
        ),
        ("rows.parquet: expected rows, found none", count_rows_that_are_gone),
        (
            "runs/bm25.parquet: cannot be read as parquet: [UNABLE_TO_INFER_SCHEMA] Unable to infer schema",
            lambda: read_where(pyspark_errors.AnalysisException("[UNABLE_TO_INFER_SCHEMA] Unable to infer schema")),
        ),
        ("bm25: expected a query in every row, found none (null)", lambda: judge(None, None)),
        (
            "bm25: expected the id of a query in every row, found an empty one for document 'd1'",
            lambda: judge("", "d1"),
        ),
        ("bm25: expected the id of a query in every row, found an empty one", lambda: judge("", "")),
    ]
)


def test_a_tag_makes_a_name_that_another_run_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame of two tags is two runs, which are called after the frame and the tag."""
    tags = [SimpleNamespace(name="short"), SimpleNamespace(name="long")]
    monkeypatch.setattr("germane.api.rankings.spark_runs.judge_on_spark", lambda *_, **__: [(0, tag) for tag in tags])
    named = [(RunInfo("bm25", None), SparkRun(cast("Any", None))), (RunInfo("bm25/long", None), {"q1": {"d1": 1.0}})]
    with pytest.raises(GermaneError, match="duplicate run name 'bm25/long'"):
        judged_where_they_lie(QRELS, named, "docno", "float64")


def test_a_session_of_another_cluster_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    active = SimpleNamespace(conf={"spark.master": "yarn"})
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: active)
    said = r"expected a Spark session with master local\[2\], found an active one with yarn"
    with pytest.raises(GermaneError, match=said), spark_session("local[2]"):
        pass


def test_no_session_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_java(builder: Any) -> None:
        raise pyspark_errors.PySparkRuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited\nand so on")

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", without_java)
    said = r"could not start a Spark session: \[JAVA_GATEWAY_EXITED\] Java gateway process exited\nHint: install Java"
    with pytest.raises(GermaneError, match=said), spark_session("local[2]"):
        pass
