"""Errors of files and of data in memory, each provoked."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import germane as ge
from germane.errors import GermaneError, MissingExtraError
from germane.formats.decisions.labelled_rows import read_labelled
from germane.formats.learning.vector_file import read_column
from germane.formats.rows.validation import check
from germane.formats.truth.judgments_file import read_judgments
from germane.formats.truth.pool_file import read_pool, write_pool
from germane.formats.truth.topics_file import read_topics
from tests.errors.provoking import provoked

QRELS = {"q1": {"d1": 1}, "q2": {"d1": 0}}
RUN = {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}
EVENT = {"event": "e1", "kind": "grade", "assessor": "ann", "topic": "t", "doc": "d", "grade": 1}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def run_with_metadata(metadata: str) -> ge.Run:
    table = pa.table({"qid": ["q1"], "docno": ["d1"], "score": [1.0]})
    parquet.write_table(table.replace_schema_metadata({"germane": metadata}), "run.parquet")
    return ge.read_run("run.parquet")


def problem_of_a_run_without_rows() -> None:
    """Checking gathers problems; the only one is raised here."""
    parquet.write_table(pa.table({"qid": pa.array([], pa.string()), "docno": [], "score": []}), "run.parquet")
    ((_, problem),) = check("run.parquet", "run").examples
    raise problem


def slices(content: str) -> ge.Scores:
    return ge.evaluate(QRELS, {"bm25": RUN}, ["AP"], slices=written("slices.txt", content))


test_runs_and_judgments = provoked(
    [
        (
            "expected one column as grade, found an array of shape (1, 2)",
            lambda: ge.measures.load_qrels({"qid": ["q1"], "docno": ["d1"], "grade": np.ones((1, 2))}),
        ),
        ("run.parquet: expected JSON in germane's metadata, found b'[1'", lambda: run_with_metadata("[1")),
        ("run.parquet: expected rows, found none", problem_of_a_run_without_rows),
        (
            "bm25: expected rows, found none",
            lambda: ge.evaluate(QRELS, {"bm25": {"qid": [], "docno": [], "score": []}}, ["AP"]),
        ),
        (
            "run.json: expected a dict of dicts, found a list",
            lambda: ge.read_run(written("run.json", "[1]"), format="json"),
        ),
        (
            "run.json: expected a query id (text or an integer), found ''",
            lambda: ge.read_run(written("run.json", '{"": {"d1": 1}}')),
        ),
        ("cannot open the file: embedded null byte", lambda: ge.read_run("bm25\0.run")),
        (
            "slices.txt: expected a query and its slice per line, found no lines",
            lambda: slices("# a comment, and no line\n"),
        ),
        (
            "slices.txt:2: expected a query and its slice, found 'q2 long late'",
            lambda: slices("q1 short\nq2 long late"),
        ),
        ("slices.txt: expected one slice per query, found several for 'q1'", lambda: slices("q1 short\nq1 long\n")),
        (
            "slices: unknown query 'q3'",
            lambda: ge.evaluate(QRELS, {"bm25": RUN}, ["AP"], slices={"q3": "short"}),
        ),
    ]
)


def index_of_a_file_called(name: bytes) -> None:
    Path("docs").mkdir()
    Path(os.fsdecode(b"docs/" + name)).write_text("red wine")
    ge.index("library", "docs")


def labels_cut_short() -> None:
    np.save("labels.npy", np.array(["red", "white"]))
    read_column(written("labels.npy", Path("labels.npy").read_bytes()[:-3]), "label", "labels")


test_documents_topics_and_vectors = provoked(
    [
        (
            "cran.all:1: expected .I and a number, found b' .I 1",
            lambda: ge.index("library", written("cran.all", " .I 1\n.W\nwings\n")),
        ),
        ("expected a file name in UTF-8", lambda: index_of_a_file_called(b"caf\xe9.txt")),
        (
            "topics.jsonl:2: expected a JSON object, found '[1]'",
            lambda: read_topics(written("topics.jsonl", '{"id": 1, "text": "wine"}\n[1]\n')),
        ),
        (
            "topics.jsonl:1: expected a JSON object, found '{\"id' (Unterminated string",
            lambda: read_topics(written("topics.jsonl", '{"id')),
        ),
        ("labels.npy: invalid .npy file: EOF: reading array data", labels_cut_short),
    ]
)


def agreement(**changed: Any) -> ge.Agreement:
    return ge.agree(written("events.jsonl", json.dumps(EVENT | changed)))


def pool_with_a_run(run: dict[str, str]) -> ge.truth.Pool:
    write_pool(ge.pool({"bm25": RUN}), "pool.jsonl")
    first, rest = Path("pool.jsonl").read_text().split("\n", 1)
    return read_pool(written("pool.jsonl", json.dumps(json.loads(first) | {"runs": [run]}) + "\n" + rest))


test_judgments_of_several_people_and_pools = provoked(
    [
        ("judgments: expected at least one file, found none", lambda: read_judgments([])),
        ("events.jsonl:1: expected a grade of 0 or more, found -1", lambda: agreement(grade=-1)),
        ("events.jsonl:1: expected an event id as 'supersedes', found 7", lambda: agreement(supersedes=7)),
        ("events.jsonl:1: expected a number as 'seconds', found 'ten'", lambda: agreement(seconds="ten")),
        ("events.jsonl:1: expected text as 'text', found 7", lambda: agreement(text=7)),
        (
            "events.jsonl:2: expected a JSON object, found '[1]'",
            lambda: ge.agree(written("events.jsonl", json.dumps(EVENT) + "\n[1]\n")),
        ),
        (
            "ann.csv:2: expected a query, a document and an assessor, found ['q1', '', '1']",
            lambda: ge.agree(written("ann.csv", "query,document,rating\nq1,,1\n")),
        ),
        ("pool.jsonl:1: expected runs with a name and a sha256", lambda: pool_with_a_run({"called": "bm25"})),
    ]
)


def test_judgments_from_a_stream_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Qrels have no assessor but the name of their file, which a stream has not."""
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"q1 0 d1 1\n")))
    with pytest.raises(GermaneError, match=r"<stdin>:1: expected events or a CSV header, found 'q1 0 d1 1'"):
        ge.agree("-")


class DamagedFrame:
    """A data frame that cannot be handed over."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise pa.ArrowInvalid("the buffers are gone")


test_labelled_rows = provoked(
    [
        (
            "matrix.json: invalid JSON: Expecting property name",
            lambda: ge.classify(written("matrix.json", "{1"), matrix=True),
        ),
        (
            "rows.csv: expected data, found only blank lines",
            lambda: ge.classify(written("rows.csv", '""\n" "\n')),
        ),
        (
            "rows.jsonl: expected data, found only blank lines",
            lambda: read_labelled(written("rows.jsonl", "\n \n"), format="jsonl"),
        ),
        (
            "cannot convert the data frame to an Arrow table: the buffers are gone",
            lambda: ge.classify(DamagedFrame()),
        ),
    ]
)

WITHOUT_PYARROW = [
    # what is done                                                      what is said
    (lambda: ge.index("library", "docs.parquet"),                 "reading Parquet files"),
    (lambda: ge.classify("rows.parquet"),                          "reading Parquet and Arrow files"),
    (lambda: ge.classify(DamagedFrame()),                          "reading a data frame"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "doing"), WITHOUT_PYARROW)
def test_pyarrow_is_missing(call: Any, doing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(pa.table({"docno": ["d1"], "text": ["red wine"]}), "docs.parquet")
    parquet.write_table(pa.table({"label": [0, 1], "score": [0.1, 0.2]}), "rows.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=f"{doing} needs an optional library"):
        call()


def test_zstandard_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"writing \.zst files needs an optional library"):
        ge.write_qrels(ge.measures.load_qrels(QRELS), "qrels.txt.zst")
