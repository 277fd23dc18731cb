"""`germane feedback`: it prints what the library found."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.api.retrieval.feedback import evaluate_feedback
from germane.cli.commands.feedback import command
from germane.formats.documents.reading import Document
from germane.retrieval.indexes.build import build_index

TEXTS = {
    "d1": "wine wine wine", "d2": "wine wine rose", "d3": "wine merlot grape", "d4": "merlot grape grape", "d5": "rose",
    "d6": "beer", "d7": "beer malt hops", "d8": "malt hops", "d9": "water",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("feedback")
    build_index(folder / "index", (Document(name, text) for name, text in TEXTS.items()), analyser="plain")
    (folder / "topics.tsv").write_text("q1\twine\nq2\tbeer\n")
    (folder / "qrels.txt").write_text("q1 0 d3 1\nq1 0 d4 1\nq2 0 d7 1\nq2 0 d8 1\n")
    return folder


def run(files: Path, *options: str) -> Result:
    names = [str(files / name) for name in ("index", "topics.tsv", "qrels.txt")]
    return CliRunner().invoke(command, [*names, *options])


def test_the_table_has_before_and_after_and_the_full_list(files: Path) -> None:
    result = run(
        files, "--method", "rocchio", "--method", "rm3(original=1)", "--judged", "3", "-m", "AP", "--digits", "2"
    )
    assert result.exit_code == 0, result.output
    header, rocchio, rm3 = result.stdout.splitlines()[:3]
    assert header.split()[:7] == ["method", "round", "measure", "queries", "before", "after", "difference"]
    assert rocchio.split()[:7] == ["rocchio", "1", "AP", "2", "0.00", "1.00", "+1.00"]
    assert rm3.split()[:7] == ["rm3(original=1)", "1", "AP", "2", "0.00", "0.00", "+0.00"]
    assert "note: residual: seen documents are removed" in result.stderr
    assert "do not report them as retrieval effectiveness" in result.stderr


def test_json_is_the_whole_result(files: Path) -> None:
    result = run(files, "--judged", "2", "--rounds", "2", "--protocol", "frozen", "--format", "json")
    found = json.loads(result.stdout)
    library = evaluate_feedback(
        files / "index", files / "topics.tsv", files / "qrels.txt", judged=2, rounds=2, protocol="frozen"
    )
    assert [(trial["method"], trial["round"]) for trial in found["trials"]] == [("rocchio", 1), ("rocchio", 2)]
    for trial, own in zip(found["trials"], library.trials, strict=True):
        assert trial["after"] == own.scores.mean()["rocchio"]
        assert trial["full_list"]["after"] == own.full.mean()["rocchio"]
        assert set(trial["queries"]) == {"q1", "q2"}
    assert (found["protocol"], found["judged"], found["model"], found["no_relevant"]) == ("frozen", 2, "BM25", "skip")
    assert {note["code"] for note in found["notes"]} >= {"protocol", "full-list", "family"}


def test_queries_that_were_hurt_are_listed(files: Path) -> None:
    # d1 is seen and not relevant, so that nothing is left of the query `wine`; d6 likewise, and `beer`.
    options = ("--judged", "1", "--method", "rocchio(beta=0,gamma=2)", "-m", "AP", "--digits", "2")
    hurt = run(files, *options)
    assert hurt.exit_code == 0, hurt.output
    assert "Queries hurt most, by AP" in hurt.stdout
    assert [line.split()[1:] for line in hurt.stdout.splitlines()[-2:]] == [
        ["1", "q2", "0.50", "0.00"],
        ["1", "q1", "0.25", "0.00"],
    ]
    assert "Queries hurt" not in run(files, *options, "--show", "0").stdout
    said = "rocchio(beta=0,gamma=2): 2 queries in round 1: weight set to 0, so no longer in the query (wine, beer)"
    assert said in hurt.stderr


def test_the_methods_explain_themselves() -> None:
    result = CliRunner().invoke(command, ["--list"])
    assert result.exit_code == 0
    for name in ("rocchio", "probabilistic", "iterated", "rm3", "bo1", "kl"):
        assert f"\n{name}: " in f"\n{result.stdout}"
    assert "q' = alpha q + beta / |Dr|" in result.stdout


def test_a_wrong_method_is_explained(files: Path) -> None:
    result = run(files, "--method", "rochio")
    assert "did you mean rocchio?" in str(result.exception)
