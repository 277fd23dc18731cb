"""`germane tune`: it prints what the library found."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.api.learning.tuning import tune
from germane.cli.commands.tune import command
from germane.errors import GermaneError
from germane.formats.documents.reading import Document
from germane.retrieval.indexes.build import build_index

TEXTS = {
    "d1": "wine wine wine", "d2": "wine wine rose", "d3": "wine merlot grape", "d4": "merlot grape grape", "d5": "rose",
    "d6": "beer", "d7": "beer malt hops", "d8": "malt hops", "d9": "water",
}  # fmt: skip
SPACE = ("--space", "BM25(b={0,0.75}){,+rm3}", "--space", "QL")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tune")
    build_index(folder / "index", (Document(name, text) for name, text in TEXTS.items()), analyser="plain")
    (folder / "topics.tsv").write_text("q1\twine\nq2\tbeer\nq3\trose\nq4\tmalt\n")
    (folder / "qrels.txt").write_text("q1 0 d3 1\nq1 0 d4 1\nq2 0 d7 1\nq2 0 d8 1\nq3 0 d5 1\nq4 0 d8 1\n")
    return folder


def run(files: Path, *options: str) -> Result:
    names = [str(files / name) for name in ("index", "topics.tsv", "qrels.txt")]
    folds = () if "--folds" in options else ("--folds", "2")
    return CliRunner().invoke(command, [*names, *SPACE, *folds, *options])


def test_the_tables_have_rules_folds_and_the_best(files: Path) -> None:
    result = run(files, "--digits", "2", "--show", "2")
    assert result.exit_code == 0, result.output
    titles, tables = result.stdout.split("\n\n")[::2], result.stdout.split("\n\n")[1::2]
    rules, folds, best = (block.splitlines() for block in tables)
    assert rules[0].split()[:5] == ["rule", "strategy", "tuned", "held", "out"]
    assert [line.split()[0] for line in rules[1:]] == ["best", "razor", "simplest"]
    assert [line.split()[:2] for line in folds[1:]] == [["best", "1"], ["best", "2"], ["razor", "1"], ["razor", "2"]]
    assert [title.rpartition(", by ")[2] for title in titles] == ["AP", "Choices by fold", "AP"]
    assert titles[2].startswith("Best of 5 strategies on all queries")
    assert len(best) == 3
    assert "20 rankings evaluated (strategies × queries), each once" in result.stderr


def test_json_is_the_whole_result(files: Path) -> None:
    found = json.loads(run(files, "--format", "json", "-m", "nDCG@3", "--seed", "3").stdout)
    library = tune(
        files / "index", files / "topics.tsv", files / "qrels.txt", space=SPACE[1::2], folds=2, measure="nDCG@3", seed=3
    )
    assert (found["winner"], found["chosen"], found["seed"]) == (str(library.winner), str(library.chosen), 3)
    for own, theirs in zip(library.procedures.values(), found["procedures"], strict=True):
        assert (theirs["rule"], theirs["held_out"], theirs["gap"]) == (own.rule, own.held_out, own.gap)
        assert list(theirs["queries"].values()) == own.held_out_values.tolist()
    assert [list(each["queries"].values()) for each in found["strategies"]] == library.values.tolist()
    assert [point["x"] for point in found["learning_curve"]] == [point.x for point in library.learning_curve]
    assert set(found["validation_curves"]) == {"BM25.b", "parts"}
    assert set(found["folds"].values()) == {1, 2}


def test_curves_are_printed_and_drawn(files: Path, tmp_path: Path) -> None:
    result = run(files, "--curves", "--figure", str(tmp_path / "b.json"), "--curve", "BM25.b")
    assert result.exit_code == 0, result.output
    assert "BM25.b" in result.stdout
    assert "training queries" in result.stdout
    spec = json.loads((tmp_path / "b.json").read_text())
    assert {(row["series"], row["x"]) for row in spec["datasets"]["rows"]} == {
        (series, x) for series in ("tuned", "held out") for x in (0.0, 0.75)
    }


def test_a_journal_is_resumed(files: Path, tmp_path: Path) -> None:
    first = run(files, "--resume", str(tmp_path / "journal.jsonl"))
    second = run(files, "--resume", str(tmp_path / "journal.jsonl"))
    assert first.stdout == second.stdout
    assert "20 rankings reused from the journal" in second.stderr


def test_the_default_space_is_printed() -> None:
    result = CliRunner().invoke(command, ["--list"])
    assert result.exit_code == 0
    assert "BM25(k1={" in result.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--folds", "9"), "as many judged queries as folds (9), found 4"),
        (("--candidates", "2"), "grid search evaluates all 5"),
        (("--space", "BM52"), "unknown model 'BM52'"),
        (("--figure", "curve.gif"), "expected one of the file extensions"),
        (("--figure", "curve.svg", "--curve", "BM25.bb"), "unknown curve 'BM25.bb'; did you mean BM25.b"),
        (("--figure", "curve.svg", "--search", "halving"), "curves are not supported with --search halving"),
        (("--curves", "--search", "halving"), "--curves is not supported with --search halving"),
    ],
)
def test_a_slip_is_told(files: Path, options: tuple[str, ...], message: str) -> None:
    result = run(files, *options)
    assert isinstance(result.exception, GermaneError)
    assert message in str(result.exception)
