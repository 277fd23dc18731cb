"""`germane vectors` and the exact top k: written as a run, and held against approximate indexes."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import germane as ge
from germane.cli import group
from germane.errors import GermaneError


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    queries, docs = (rng.standard_normal((num, 6)).astype(np.float32) for num in (12, 200))
    np.save("q.npy", queries)
    np.save("d.npy", docs)
    best = [np.argsort(-docs @ queries[q])[:20:2] for q in range(12)]
    ge.write_qrels(ge.measures.load_qrels({str(q): {str(d): 1 for d in best[q]} for q in range(12)}), "qrels.txt")
    return tmp_path


def vectors(*arguments: str) -> Result:
    command = ["vectors", *arguments, "--queries", "q.npy", "--docs", "d.npy", "--similarity", "dot"]
    return CliRunner().invoke(group, command)


def test_the_written_run_evaluates_to_the_same_numbers(files: Path) -> None:
    assert vectors("--top", "15", "-o", "top.run").exit_code == 0
    measures = ["-m", "nDCG@15 P@15", "--format", "csv"]
    written = CliRunner().invoke(group, ["eval", "qrels.txt", "top.run", *measures]).stdout
    exact = vectors("qrels.txt", *measures).stdout
    assert written.replace("top,", "d,") == exact
    assert len((files / "top.run").read_text().splitlines()) == 12 * 15


@pytest.mark.usefixtures("files")
def test_a_run_that_lacks_the_best_document_is_told_what_that_costs() -> None:
    vectors("--top", "15", "-o", "top.run")
    rows = [line for line in Path("top.run").read_text().splitlines() if line.split()[3] != "1"]
    Path("index.run").write_text("\n".join(rows) + "\n")
    told = vectors("qrels.txt", "--approximate", "index.run", "--top", "10")
    assert told.exit_code == 0, told.exception
    assert "0.9000" in told.stdout, "nine of ten"
    assert "judged" not in vectors("--approximate", "index.run", "--top", "10").stderr
    as_json = json.loads(vectors("qrels.txt", "--approximate", "index.run", "--format", "json").stdout)
    assert as_json["comparison"]["pairs"][0]["difference"] < 0
    assert json.loads(vectors("--approximate", "top.run", "--format", "json").stdout)["comparison"] is None


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["qrels.txt", "--top", "5"], "--top requires --output or --approximate"),
        (["qrels.txt", "--output", "x.run"], "QRELS is not supported with --output"),
        (["--output", "x.run", "-q"], "-q is not supported with --output"),
        (["--output", "x.run", "--ties", "expected"], "--ties expected is not supported with --output"),
        (["--output", "d.npy"], "cannot infer the format from the file extension"),
        (["--approximate", "a.run", "--device", "cuda"], "--device is not supported with --approximate"),
        (["--approximate", "a.run", "--output", "x.run"], "--output cannot be combined with --approximate"),
        (["--approximate", "a.run", "--approximate", "b/a.run"], "duplicate file name 'a'"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], problem: str) -> None:
    refused = vectors(*arguments)
    assert isinstance(refused.exception, GermaneError)
    assert problem in f"{refused.exception} {refused.exception.hint}"


def test_a_run_is_replaced_only_if_asked(files: Path) -> None:
    assert vectors("--top", "3", "-o", "top.run").exit_code == 0
    assert "top.run: file already exists" in str(vectors("--top", "4", "-o", "top.run").exception)
    assert vectors("--top", "4", "-o", "top.run", "--overwrite").exit_code == 0
    assert "--overwrite requires --output" in str(vectors("qrels.txt", "--overwrite").exception)
