import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError


def germane(*arguments: object) -> Result:
    return CliRunner().invoke(group, ["vectors", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("queries.npy", np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32))
    np.save("dense.npy", np.array([[1, 0], [2, 0], [1, 1], [0, 1], [-1, 0]], dtype=np.float32))
    Path("other").mkdir()
    np.save("other/dense.npy", np.array([[0, 1], [2, 0], [1, 1], [0, 1], [-1, 0]], dtype=np.float32))
    np.save("bits.npy", np.array([[1], [3], [7]], dtype=np.uint8))
    Path("qrels").write_text("0 0 0 1\n1 0 3 1\n")
    Path("query_labels").write_text("a\nb\nc\n")
    Path("doc_labels").write_text("a\na\nb\nb\nx\n")
    Path("cameras").write_text("1\n1\n2\n")
    return tmp_path


EMBEDDING = ("--queries", "queries.npy", "--docs", "dense.npy", "--similarity", "dot")
BY_CAMERA = ("--query-labels", "cameras", "-m", "CMC@1", "--format", "json")
LABELS = ("--query-labels", "query_labels", "--doc-labels", "doc_labels")


def test_the_table_is_that_of_eval(files: Path) -> None:
    found = germane("qrels", *EMBEDDING, "-m", "RR P@1", "-q")
    assert found.stdout == (
        "run    query  queries      RR     P@1\n"
        "dense  0               0.3333  0.0000\n"
        "dense  1               1.0000  1.0000\n"
        "dense  mean         2  0.6667  0.5000\n"
    )
    assert "dense: 1 query not in qrels; ignored (2)" in found.stderr


def test_json_and_an_interval(files: Path) -> None:
    found = germane("qrels", *EMBEDDING, "-m", "RR", "--format", "json", "--interval", "t", "--level", ".9")
    [run] = json.loads(found.stdout)["runs"]
    assert run["mean"] == {"RR": pytest.approx(2 / 3)}
    assert run["interval"]["RR"][0] < 2 / 3
    assert run["path"] == "dense.npy"
    alone = germane("--queries", "bits.npy", "--dtype", "binary", "--similarity", "hamming", *BY_CAMERA)
    assert json.loads(alone.stdout)["runs"][0]["path"] == "bits.npy"


def test_labels_in_place_of_judgments(files: Path) -> None:
    assert germane(*EMBEDDING, *LABELS, "-m", "CMC@1 MAP@R", "--no-relevant", "skip").stdout == (
        "run    queries  Success@1  AP(within=R)\ndense        2     1.0000        0.7500\n"
    )


def test_several_embeddings_have_lines_of_their_own(files: Path) -> None:
    more = ("--queries", "queries.npy", "--docs", "other/dense.npy")
    assert germane("qrels", *EMBEDDING, *more, "-m", "RR").stdout == (
        "run          queries      RR\ndense              2  0.6667\nother/dense        2  0.6250\n"
    )


def test_queries_that_are_the_documents(files: Path) -> None:
    found = germane(
        "--queries",
        "bits.npy",
        "--dtype",
        "binary",
        "--similarity",
        "hamming",
        "--query-labels",
        "cameras",
        "-m",
        "CMC@1 NumRet",
    )
    assert found.stdout == "run   queries  Success@1  NumRet\nbits        3     0.3333       6\n"


def test_a_gate_fails(files: Path) -> None:
    assert germane("qrels", *EMBEDDING, "--fail-under", "RR=.6").exit_code == 0
    failed = germane("qrels", *EMBEDDING, "--fail-under", "RR=.7")
    assert failed.exit_code == 1
    assert "germane: dense: RR is 0.6667, below 0.7" in failed.stderr


def test_vectors_have_no_rank_column(files: Path) -> None:
    refused = germane("qrels", *EMBEDDING, "--ties", "rank")
    assert refused.exit_code == 2
    assert "expected docno, order, best, worst or expected, found 'rank'" in refused.stderr
    assert "rank column" not in germane("--help").stdout


def test_two_ways_to_write_queries_for_the_same_documents(files: Path) -> None:
    np.save("longer.npy", np.array([[3, 1], [1, 3], [1, 1]], dtype=np.float32))
    again = ("--queries", "longer.npy", "--docs", "dense.npy")
    found = germane("qrels", *EMBEDDING, *again, "-m", "RR", "--format", "json")
    assert [run["name"] for run in json.loads(found.stdout)["runs"]] == ["queries", "longer"]


WRONG = [
    (EMBEDDING, "expected judgments or labels, found neither\nHint: add QRELS, or use --query-labels FILE"),
    (("qrels", *EMBEDDING, *LABELS), "expected judgments or labels, found both"),
    (("qrels", *EMBEDDING, "--queries", "queries.npy"), "expected as many --docs as --queries, found 1 and 2"),
    (("qrels", *EMBEDDING, *EMBEDDING[:4]), "duplicate embedding"),
    (("qrels", *EMBEDDING, "--level", ".9"), "--level requires --interval"),
    (("qrels", *EMBEDDING, "--dtype", "binary"), "dense.npy: expected binary vectors, found float32"),
    (("qrels", "--queries", "bits.npy"), "bits.npy: expected one of .*, found uint8\nHint: if these are packed bits"),
    (("qrels", *EMBEDDING, "--doc-ids", "query_labels"), "expected an id for each of 5 vectors, found 3 ids"),
    (("qrels", *EMBEDDING, "--doc-ids", "doc_labels"), "doc_labels: duplicate id 'a' in rows 1 and 2"),
    (("qrels", "--queries", "qrels"), "qrels: expected a .npy file"),
    ((*EMBEDDING, *LABELS, "--query-cameras", "cameras"), "expected cameras for the documents too, found none"),
    ((*EMBEDDING, *LABELS, "--topics", "both"), "--topics requires judgments"),
    (("qrels", *EMBEDDING, "--fail-under", "RR"), "expected --fail-under MEASURE=VALUE"),
    (("qrels", *EMBEDDING, "--device", "gpu"), "expected a device"),
]


@pytest.mark.parametrize(("arguments", "problem"), WRONG)
def test_wrong_combinations_are_refused(files: Path, arguments: tuple[str, ...], problem: str) -> None:
    found = germane(*arguments)
    assert isinstance(found.exception, GermaneError)
    with pytest.raises(GermaneError, match=problem):
        raise found.exception
