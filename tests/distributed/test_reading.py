"""Paths that Spark reads: their names, their formats, and the command that takes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import germane
from germane.cli import group
from germane.cli.commands.eval import command
from germane.distributed.checked_frames import check_on_spark
from germane.distributed.reading import format_of, read_runs, run_name
from germane.distributed.session import collected, spark_session
from germane.distributed.writing import write_frame
from germane.errors import GermaneError, InputError, MissingExtraError

NAMES = [
    # path                                    name       format
    ("bm25.parquet", "bm25", "parquet"),
    ("runs/bm25.csv.gz", "bm25", "csv"),
    ("hdfs://host:9000/runs/dense/*.parquet", "dense", "parquet"),
    ("s3a://bucket/dense.orc/", "dense", "orc"),
    ("logs/20{24,25}/*.jsonl", "logs", "jsonl"),
    ("*.tsv", "*.tsv", "tsv"),
    ("run.parquet/part-00000", "part-00000", "parquet"),
]


@pytest.mark.parametrize(("path", "name", "file_format"), NAMES)
def test_names_and_formats(path: str, name: str, file_format: str) -> None:
    assert (run_name(path), format_of(path)) == (name, file_format)


def test_a_folder_does_not_say_how_its_files_are_written() -> None:
    with pytest.raises(InputError, match="`run_format='parquet'`"):
        format_of("hdfs://host/run")
    assert format_of("hdfs://host/run", "orc") == "orc"
    with pytest.raises(GermaneError, match="did you mean parquet"):
        format_of("run", "parket")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"germane\[spark\]"), spark_session():
        pass


def test_a_master_is_for_spark(tmp_path: Path) -> None:
    with pytest.raises(GermaneError, match="--master requires --engine spark"):
        CliRunner().invoke(command, ["qrels", "run", "--master", "local[2]"], catch_exceptions=False)


NO_SESSION_NEEDED = [
    (["eval", "qrels", "run.parquet", "--ties", "order"], "--ties order is not supported on a cluster"),
    (["eval", "qrels", "run.parquet", "run.txt"], r"(?s)run\.txt: expected a file extension .*--run-format"),
    (["eval", "qrels", "run.txt", "--run-format", "trec"], "unknown format 'trec'"),
    (["eval", "qrels", "run.orc", "run.orc"], "duplicate run"),
    (["classify", "items"], r"(?s)items: expected a file extension .*'folder/\*\.parquet'"),
    (["classify", "items.csv"], r"items\.csv: expected Parquet, ORC or JSON files"),
]


@pytest.mark.parametrize(("arguments", "problem"), NO_SESSION_NEEDED)
def test_what_cannot_be_read_is_refused_before_spark_starts(
    arguments: list[str], problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_: object) -> None:
        raise AssertionError("a session was started")

    monkeypatch.setattr("germane.distributed.session.spark_session", start)
    with pytest.raises(GermaneError, match=problem):
        CliRunner().invoke(group, [*arguments, "--engine", "spark"], catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same run in three formats, its queries spread over files."""
    pa = pytest.importorskip("pyarrow", reason="writing Parquet needs pyarrow")
    from pyarrow import parquet

    rows = [(f"00{q}", f"d{d}", (d * 7 + q) % 10 + 0.5) for d in range(30) for q in range(5)]
    (tmp_path / "qrels").write_text("".join(f"00{q} 0 d{d} {d % 3}\n" for q in range(6) for d in range(0, 30, 4)))
    (tmp_path / "bm25").mkdir()
    for part in range(3):
        query, doc, score = (list(column) for column in zip(*rows[part::3], strict=True))
        table = pa.table({"query_id": query, "doc_id": doc, "score": score})
        parquet.write_table(table, tmp_path / "bm25" / f"part-{part}.parquet")
    lines = [f"{query},{doc},{score}\n" for query, doc, score in rows]
    (tmp_path / "dense.csv").write_text("".join(["qid,docno,score\n", *lines]))
    objects = [json.dumps(dict(zip(("qid", "docno", "score"), row, strict=True))) for row in rows]
    (tmp_path / "sparse.jsonl").write_text("\n".join(objects) + "\n")
    return tmp_path


def evaluated(folder: Path, *arguments: str) -> Any:
    result = CliRunner().invoke(command, [str(folder / "qrels"), *arguments, "--format", "json"])
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


@pytest.mark.usefixtures("spark")
def test_the_command_reads_what_spark_reads(folder: Path) -> None:
    paths = [str(folder / name) for name in ("bm25/*.parquet", "dense.csv", "sparse.jsonl")]
    there = evaluated(folder, *paths, "--engine", "spark", "-q", "--interval", "t")
    here = evaluated(folder, paths[1], "-q", "--interval", "t")
    assert [(run["name"], run["path"]) for run in there["runs"]] == list(
        zip(("bm25", "dense", "sparse"), paths, strict=True)
    )
    for run in there["runs"]:
        assert {**run, "name": "", "path": ""} == {**here["runs"][0], "name": "", "path": ""}


@pytest.mark.usefixtures("spark")
def test_what_is_wrong_with_files(folder: Path) -> None:
    (folder / "bad.csv").write_text("qid,docno,score\n001,d1,1.5\n001,d2,7x\n")
    (folder / "latin.csv").write_bytes(b"qid,docno,score\n001,d\xe9,1.5\n")
    (folder / "text.parquet").write_text("PAR1 and no more")
    for name, said in (
        ("latin.csv", "expected ids in UTF-8, found other bytes for document 'd\ufffd' of query '001'"),
        ("text.parquet", "cannot be read as parquet: [FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER]"),
        ("bad.csv", "expected a finite number as score, found '7x' for document 'd2' of query '001'"),
        ("none.parquet", "no such file"),
    ):
        path = str(folder / name)
        result = CliRunner().invoke(command, [str(folder / "qrels"), path, "--engine", "spark"])
        assert str(result.exception).startswith(f"{path}: {said}")


MALFORMED = {"few": "001,d1\n", "many": "001,d1,1.5,7\n", "lines": '001,"d\n1",1.5\n'}


@pytest.mark.parametrize("rows", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_row_is_an_error(rows: str, spark: Any, tmp_path: Path) -> None:
    """Spark would drop the fields that are too many, and fill those that are missing."""
    (tmp_path / "run.csv").write_text("qid,docno,score\n001,d2,0.5\n" + rows)
    with pytest.raises(GermaneError, match=r"Spark job failed: .*run\.csv.*Malformed CSV record: 001,"):
        germane.evaluate({"001": {"d1": 1}}, read_runs(spark, [str(tmp_path / "run.csv")]))


def test_damage_is_told_in_one_line(spark: Any, folder: Path) -> None:
    path = folder / "bm25" / "part-0.parquet"
    path.write_bytes(b"PAR1" + b"x" * 300 + path.read_bytes()[304:])
    ((_, run),) = read_runs(spark, [str(folder / "bm25")]).items()
    for work in (
        lambda: germane.evaluate({"001": {"d1": 1}}, run),
        lambda: check_on_spark(run, None, None, max_examples=5),
        lambda: germane.classify(run, truth="doc_id", score="score", positive="d1"),
    ):
        with pytest.raises(GermaneError, match=r"^Spark job failed: \[FAILED_READ_FILE\S+ .*part-0\.parquet.*$"):
            work()


def test_quotes_backslashes_and_white_space_are_kept(spark: Any, tmp_path: Path) -> None:
    ids = ['a"b', " lead", "trail ", "back\\slash", "end\\", "comma,x", "'single'", "tab\tx"]
    frame = spark.createDataFrame(
        [("q1", doc, float(i)) for i, doc in enumerate(ids)], "qid string, docno string, score double"
    )
    for ending in ("csv", "tsv"):
        path = str(tmp_path / f"run.{ending}")
        write_frame(frame.coalesce(1), path, ending, overwrite=False)
        (there,) = read_runs(spark, [path]).values()
        assert sorted(collected(there.frame).column("docno").to_pylist()) == sorted(ids)
        assert sorted(germane.read_run(path).docs) == sorted(ids)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_a_session_of_its_own(folder: Path) -> None:
    """In a process of its own: a session is started, is quiet, and is gone when the command ends."""
    call = [sys.executable, "-c", "from germane.cli import main; main()", "eval", "qrels", "dense.csv"]
    how: dict[str, Any] = {"cwd": folder, "capture_output": True, "text": True}
    how["env"] = os.environ | {"PYTHONPATH": str(Path(germane.__file__).parents[1])}
    here = subprocess.run(call, check=True, **how)
    there = subprocess.run([*call, "--engine", "spark", "--master", "local[1]"], check=True, **how)
    assert there.stdout == here.stdout
    assert "Exception" not in there.stderr
