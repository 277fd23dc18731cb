"""A table in parts is read through every door as one file would be, and what is wrong with it is said of the part."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import ipc, parquet

import germane as ge
from germane.api.files.file_types import recognise
from germane.cli.commands.check import command as check_command
from germane.cli.commands.topics import command as topics_command
from germane.errors import GermaneError, InputError
from germane.formats.decisions.labelled_rows import read_labelled
from germane.formats.documents.reading import read_documents
from germane.formats.files.part_folders import Parts, parts_of, require_part_names
from germane.formats.files.sources import open_source
from germane.formats.rankings.ranking_files import read_qrels, read_run
from germane.formats.truth.judgments_file import read_judgments
from germane.formats.truth.topics_file import read_topics
from germane.judging.documents import open_documents


def folder_of(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = tmp_path / "table" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return tmp_path / "table"


RUN = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 d1 1 2.0 t\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n"
LABELS = "truth,score\n1,0.9\n0,0.2\n1,0.7\n"
OWN_LABELS = "mine,yours\ncat,dog\ncat,cat\ndog,dog\n"
TOPICS = "id\ttitle\nq1\tred wine\nq2\troses\nq3\toak\n"
DOCS = json.dumps({"id": "d1", "text": "red"}) + "\n" + json.dumps({"id": "d2", "text": "wine"}) + "\n"
LOG = "query,count\nwine,3\nroses,1\noak,2\n"
SMART = ".I 1\n.W\nred wine\n.I 2\n.W\nroses\n"


def shown(value: Any) -> str:
    return str({query: value[query] for query in value.queries} if hasattr(value, "queries") else value)


def documents(path: str | Path) -> list[tuple[str, str]]:
    return [(document.id, document.text) for document in read_documents(path)]


def judged_documents(path: str | Path) -> list[str]:
    opened = open_documents(path)
    try:
        return [found.text for doc in ("d1", "d2") if (found := opened.get(doc)) is not None]
    finally:
        opened.close()


def run_rows(path: str | Path) -> list[Any]:
    run = read_run(path)
    return [list(run.queries), run.query.tolist(), list(run.docs), run.score.tolist()]


def qrels_rows(path: str | Path) -> list[Any]:
    qrels = read_qrels(path)
    return [list(qrels.queries), list(qrels.docs), qrels.grade.tolist()]


def labelled(path: str | Path) -> list[Any]:
    rows = read_labelled(path)
    return [list(rows.truth), {name: list(values) for name, values in rows.scores.items()}]


def own_labels(path: str | Path) -> list[Any]:
    rows = read_labelled(path, truth="mine", predicted="yours")
    return [list(rows.truth), {name: list(values) for name, values in rows.predicted.items()}]


def sampled(path: str | Path) -> str:
    return CliRunner().invoke(topics_command, ["sample", str(path), "-n", "2", "--counts"]).stdout


DOORS: dict[str, tuple[Callable[[str | Path], Any], str, str, int]] = {
    # what is read: the reader, the whole file, its ending, lines of its header
    "a run": (run_rows, RUN, ".txt", 0),
    "judgments": (qrels_rows, QRELS, ".txt", 0),
    "judgments of assessors": (lambda path: len(read_judgments([path]).events), QRELS, ".txt", 0),
    "labelled rows": (labelled, LABELS, ".csv", 1),
    "labelled rows with names of their own": (own_labels, OWN_LABELS, ".csv", 1),
    "topics": (read_topics, TOPICS, ".tsv", 1),
    "documents": (documents, DOCS, ".jsonl", 0),
    "documents without an ending": (documents, DOCS, "", 0),
    "documents to judge": (judged_documents, DOCS, ".jsonl", 0),
    "a query log": (sampled, LOG, ".csv", 1),
    "matched runs": (lambda path: ge.evaluate({"q1": {"d1": 1}}, str(path), "AP").mean()["table"], RUN, ".txt", 0),
}


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize("door", DOORS)
def test_parts_of_text_are_read_as_the_whole(door: str, packed: str, tmp_path: Path) -> None:
    read, text, ending, header = DOORS[door]
    lines = text.splitlines(keepends=True)
    names, rows = lines[:header], lines[header:]
    whole = tmp_path / "whole" / f"table{ending}"
    whole.parent.mkdir()
    whole.write_text(text)
    parts = {f"part-0000{i}{ending}{packed}": "".join([*names, row]) for i, row in enumerate(rows)}
    empty = {f"part-00009{ending}": b"", "_SUCCESS": b"", f".part-00000{ending}.crc": b"\x00crc"}
    folder = folder_of(tmp_path, {**parts, **empty})
    assert read(folder) == read(whole)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_parts_of_parquet_and_arrow_are_read_as_the_whole(kind: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"_SUCCESS": b""})
    whole = pa.table({"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d1"], "score": [2.0, 1.0, 2.0]})
    for number, table in enumerate([whole.slice(0, 1), whole.slice(1), whole.slice(0, 0)]):
        path = folder / f"part-{number}"
        if kind == "parquet":
            parquet.write_table(table, path)
        else:
            with ipc.new_file(path, table.schema) as writer:
                writer.write_table(table)
    (tmp_path / "table.run").write_text(RUN)
    assert run_rows(folder) == run_rows(tmp_path / "table.run")


def test_parts_may_differ_in_whether_a_value_may_be_missing(tmp_path: Path) -> None:
    """A table that was written in several goes: some wrote a column as NOT NULL."""
    folder = folder_of(tmp_path, {"_SUCCESS": b""})
    for part, nullable in enumerate([True, False]):
        fields = [pa.field("label", pa.int64(), nullable), pa.field("score", pa.float64(), nullable)]
        rows = {"label": [part, 1], "score": [0.5, 0.75 + part / 4]}
        parquet.write_table(pa.table(rows, pa.schema(fields)), folder / f"part-{part}")
    read = read_labelled(folder, score=["score"])
    assert (np.asarray(read.truth).tolist(), read.scores["score"].tolist()) == ([0, 1, 1, 1], [0.5, 0.75, 0.5, 1.0])


def test_a_bad_row_of_a_parquet_part_is_named_after_the_part(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"_SUCCESS": b""})
    for part, scores in enumerate(([2.0, 1.0], [2.0, float("nan")])):
        docs = [f"d{part}{row}" for row in range(2)]
        parquet.write_table(pa.table({"qid": ["q1"] * 2, "docno": docs, "score": scores}), folder / f"part-{part}")
    result = CliRunner().invoke(check_command, [str(folder)])
    assert "part-1:2: " in result.stdout


def test_keys_of_folders_are_columns(tmp_path: Path) -> None:
    rows = "docno,score\nd1,2.0\nd2,1.0\n"
    folder = folder_of(tmp_path, {"qid=007/a.csv": rows, "qid=a%2Fb/b.csv": rows})
    assert run_rows(folder)[0] == ["007", "a/b"]
    objects = json.dumps({"docno": "d1", "score": 1.0}) + "\n{}\n"
    folder = folder_of(tmp_path / "json", {"qid=q1/a.jsonl": objects.replace("{}\n", "")})
    assert run_rows(folder) == [["q1"], [0], ["d1"], [1.0]]


CSV = "qid,docno,score\nq,d,1\n"
WRONG: list[tuple[dict[str, str | bytes], str]] = [
    # files, and what is said of them
    (
        {"part-0.txt": RUN, "bm25.txt": RUN},
        r"(?s)found both: 'part-0.txt' and 'bm25.txt'.*--folders one",
    ),
    (
        {"qid=1/x.csv": "docno,score\nd,1\n", "loose.csv": "x"},
        r"(?s)found both: 'qid=1' and 'loose.csv'.*--folders many",
    ),
    ({"_SUCCESS": ""}, "expected part files, found none"),
    ({"_delta_log/0.json": "{}", "part-0.txt": RUN}, "found a Delta table"),
    ({"part-0.txt": RUN, "old/a.txt": RUN}, "expected only part files, found the folder 'old'"),
    ({"a=1/x.txt": RUN, "b=1/x.txt": RUN}, "expected key=value folders with the same key, found a and b"),
    ({"a=1/a=2/x.txt": RUN}, "duplicate key 'a' in the folder names"),
    ({"a=__HIVE_DEFAULT_PARTITION__/x.txt": RUN}, "expected a value for 'a', found none"),
    ({"qid=1/x.txt": RUN}, "expected named columns in key=value folders"),
    (
        {"part-0.csv": CSV, "part-1.csv": "q,e,1\n"},
        r"expected the same header in every part, found 'qid,docno,score' in part-0\.csv and 'q,e,1' in part-1\.csv",
    ),
    (
        {"part-0.txt": RUN, "part-1.txt": b"\x00\x01\x02"},
        "expected text, Parquet, ORC or Arrow parts, found other binary data",
    ),
    ({"part-0.txt": RUN, "part-1": b"PAR1\x00\x00"}, "expected parts of one format, found"),
    ({"part-0": b"PAR1\x00\x00"}, "invalid Parquet file"),
    ({"part-0.txt": RUN, "part-1.txt": "q3 Q0 d1\n"}, r"part-1\.txt:1: expected 6 fields"),
    ({"qid=1/x.csv": "docno,score\nd\r,1\n"}, r"x\.csv:2: cannot split the line into fields"),
    ({"part-0.csv": CSV, "part-1.csv": CSV.replace("d,1", "e,x")}, r"part-1\.csv:2: "),
]


@pytest.mark.parametrize(("files", "said"), WRONG)
def test_what_is_wrong_with_a_table_in_parts(files: dict[str, str | bytes], said: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, files)
    with pytest.raises(InputError, match=said):
        ge.evaluate({"q1": {"d1": 1}}, str(folder), "AP")


def test_a_link_to_nothing_among_parts_is_an_error(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"part-0.txt": RUN})
    (folder / "part-1.txt").symlink_to("nowhere")
    with pytest.raises(InputError, match=r"found the special file 'part-1\.txt'"):
        parts_of(folder)


def test_a_column_in_files_and_folders_is_an_error(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"_SUCCESS": b""})
    (folder / "qid=1").mkdir()
    parquet.write_table(pa.table({"qid": ["1"], "docno": ["d"], "score": [1.0]}), folder / "qid=1" / "x.parquet")
    with pytest.raises(InputError, match="column 'qid' is in both the files and the folder names"):
        read_run(folder)


def test_a_folder_of_separate_files_is_no_table_unless_somebody_says_so(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.txt": "q1 0 d1 1\n", "b.txt": "q2 0 d1 1\n"})
    with pytest.raises(InputError, match=r"(?s)found a folder of separate files.*germane.formats.Parts"):
        open_source(folder)
    with pytest.raises(InputError, match=r"(?s)found a folder.*--folders one"):
        ge.evaluate(str(folder), {"q1": {"d1": 1.0}})
    assert qrels_rows(Parts(folder))[0] == ["q1", "q2"]
    assert ge.evaluate(Parts(folder), {"q1": {"d1": 1.0}}, "AP").mean() == {"run": {"AP": 0.5}}


def test_check_names_the_part_and_its_line(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"part-0.txt": RUN, "part-1.txt": "q3 Q0 d1 1 1.0 t\nq3 Q0 d2 2 x t\n"})
    result = CliRunner().invoke(check_command, [str(folder)])
    assert "part-1.txt:2: " in result.stdout
    assert result.exit_code == 2


def test_several_files_at_an_address_must_be_called_parts() -> None:
    require_part_names("hdfs://h/run", ["hdfs://h/run/part-0", "hdfs://h/run/part-1"])
    require_part_names("hdfs://h/run", ["hdfs://h/run/q=1/x", "hdfs://h/run/q=2/x"])
    require_part_names("hdfs://h/*", ["hdfs://h/one"])
    require_part_names(Parts("hdfs://h/*"), ["hdfs://h/a", "hdfs://h/b"])
    with pytest.raises(InputError, match=r"(?s)found 2 files, such as 'a'.*--folders one"):
        require_part_names("hdfs://h/*", ["hdfs://h/a", "hdfs://h/b"])


def test_the_option_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(RUN)
    for choice, where in (("one", "among the arguments"), ("many", "where several files can be named")):
        with pytest.raises(GermaneError, match=f"--folders {choice} needs a folder {where}, found none"):
            CliRunner().invoke(check_command, [str(tmp_path / "a.run"), "--folders", choice], catch_exceptions=False)


def test_smart_topics_are_queries_and_no_lines(tmp_path: Path) -> None:
    (tmp_path / "q.smart").write_text(SMART)
    result = CliRunner().invoke(topics_command, ["sample", str(tmp_path / "q.smart"), "-n", "2"])
    assert "sampled 2 of 2 distinct queries" in result.stderr
    assert sorted(line.split("\t")[1] for line in result.stdout.splitlines()) == ["red wine", "roses"]


def test_a_table_in_parts_is_recognised_for_what_it_is(tmp_path: Path) -> None:
    assert recognise(folder_of(tmp_path / "run", {"part-0.txt": RUN, "_SUCCESS": ""})).thing == "run"
    assert recognise(folder_of(tmp_path / "qrels", {"part-0.txt": QRELS})).thing == "qrels"
    assert recognise(folder_of(tmp_path / "runs", {"a.txt": RUN, "_notes": "x"})).thing == "runs"
