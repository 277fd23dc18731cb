"""Errors of files and values that are almost right: cut off, of the wrong kind or far too large, each provoked."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.formats.files.json_text import checksum_of, with_checksum
from germane.formats.rankings.leaderboard import read_leaderboard
from germane.judging.rubric import Rubric, binary
from germane.learning.learners.estimator import array_from_json
from tests.errors.provoking import provoked

HALF = "\ud800"
"""Half of a character, which no file can hold."""


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, content: str) -> str:
    Path(name).write_text(content)
    return name


def qrels(doc: Any, grade: Any) -> ge.Qrels:
    return ge.measures.load_qrels({"qid": ["q1"], "docno": doc, "grade": grade})


def matrix(name: str, content: str) -> Any:
    return ge.classify(written(name, content), matrix=True)


def event(**changed: Any) -> str:
    said = {"event": "e1", "kind": "grade", "assessor": "ann", "topic": "t", "doc": "d", "grade": 1}
    return written("events.jsonl", json.dumps(said | changed))


test_values_and_tables = provoked(
    [
        (
            "expected a finite number as grade in every row, found one too large in row 1",
            lambda: qrels(["d1"], [10**400]),
        ),
        ("expected text as document ids, found values that are not valid text", lambda: qrels(np.array([HALF]), [1])),
        (
            "run.json: invalid JSON: a number with too many digits",
            lambda: ge.read_run(written("run.json", '{"q1": {"d1": ' + "9" * 5000 + "}}")),
        ),
        (
            "events.jsonl:1: expected text as 'text', found half of a surrogate pair in",
            lambda: ge.agree(event(text=HALF)),
        ),
        ("matrix.csv: expected rows of counts, found none", lambda: matrix("matrix.csv", ",,\n,,\n")),
        (
            "matrix.json: expected a list of labels, found 7",
            lambda: matrix("matrix.json", '{"labels": 7, "matrix": [[1, 2], [3, 4]]}'),
        ),
        (
            "board.json: expected a number as AP of 'bm25', found one too large",
            lambda: read_leaderboard(
                written("board.json", json.dumps({"runs": [{"name": "bm25", "mean": {"AP": 10**400}}]}))
            ),
        ),
        (
            "rows of 16,777,216 features would take",
            lambda: ge.learning.read_letor(written("rows.txt", "1 qid:1 16777216:1\n" * 1024)),
        ),
    ]
)


def rubric(**changed: Any) -> Rubric:
    return Rubric.from_json(json.dumps(json.loads(binary().as_json()) | changed))


def split(**sides: list[str]) -> ge.learning.Split:
    ge.learning.write_split(
        ge.learning.split_by_share(["q1", "q2", "q3", "q4"], {"train": 0.5, "test": 0.5}), "split.json"
    )
    record = json.loads(Path("split.json").read_text())
    return ge.learning.read_split(written("split.json", json.dumps(with_checksum(record | {"sides": sides}))))


def index_with_manifest(**changed: Any) -> ge.retrieval.Index:
    ge.index("library", {"d1": "red wine"})
    path = Path("library/manifest.json")
    body = json.loads(path.read_text()) | changed
    path.write_text(json.dumps(body | {"checksum": checksum_of(body)}))
    return ge.retrieval.Index.open("library")


def file_entry(**changed: Any) -> dict[str, Any]:
    return {"size": 128, "dtype": "<i4", "length": 0, "sums": "00000000"} | changed


def index_with_file_entry(file: str, **changed: Any) -> ge.retrieval.Index:
    ge.index("library", {"d1": "red wine"})
    path = Path("library/manifest.json")
    body = json.loads(path.read_text())
    files = body["segments"][0]["files"]
    files[file] = files.get(file, file_entry()) | changed
    path.write_text(json.dumps(body | {"checksum": checksum_of(body)}))
    return ge.retrieval.Index.open("library")


def segment(**changed: Any) -> list[dict[str, Any]]:
    return [{"folder": "s1", "files": {}, "num_docs": 1, "deleted": None, "deleted_file": None} | changed]


test_records_of_our_own = provoked(
    [
        ("expected a rubric, found a wrong or missing 'label'", lambda: rubric(grades=[{"value": 1}])),
        (
            "expected text for labels, keys and descriptions of a rubric",
            lambda: rubric(text=7),
        ),
        (
            "expected an array shape, found [-1]",
            lambda: array_from_json({"dtype": "<f8", "base64": "", "shape": [-1]}),
        ),
        ("split.json: duplicate id: q2", lambda: split(train=["q1", "q2"], test=["q2"])),
        ("wrong type of value under 'positions'", lambda: index_with_manifest(positions=1)),
        ("wrong type of value under 'segments'", lambda: index_with_manifest(segments=segment(num_docs="many"))),
        ("found a damaged file: a wrong or missing value", lambda: index_with_manifest(segments=segment(files=[1]))),
        (
            "wrong type of value under 'files'",
            lambda: index_with_manifest(segments=segment(files={"terms": file_entry(size="many")})),
        ),
        (
            "wrong type of value under 'files'",
            lambda: index_with_manifest(segments=segment(files={"terms": file_entry(dtype="O")})),
        ),
        (
            "manifest.json: damaged index: missing file 'cf'",
            lambda: index_with_manifest(segments=segment()),
        ),
        (
            "manifest.json: damaged index: unknown file 'x'",
            lambda: index_with_file_entry("x"),
        ),
        (
            "tf.npy: damaged index: expected 2 values of type |u1 or <u2 or <i4, found 2 of <i8",
            lambda: index_with_file_entry("tf", dtype="<i8"),
        ),
        (
            "ids.npy: damaged index: expected 1,000 values and a checksum for each block",
            lambda: index_with_file_entry("ids", length=1000),
        ),
        (
            "library: analyser 'words+nonsense': unknown step",
            lambda: index_with_manifest(analyser="words+nonsense"),
        ),
        ("wrong type of value under 'stop_lists'", lambda: index_with_manifest(stop_lists={"own": "the"})),
    ]
)


def test_a_field_without_an_end() -> None:
    limit = csv.field_size_limit(1000)  # of the whole process, and raised by whoever reads long documents
    try:
        with pytest.raises(GermaneError, match=r"matrix\.csv:2: invalid table: field larger than field limit"):
            matrix("matrix.csv", "1,2\n" + "3" * 2000 + ",4\n")
    finally:
        csv.field_size_limit(limit)
