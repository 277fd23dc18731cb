"""`germane fuse`, as people type it."""

import gzip
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli.commands.fuse import command
from germane.errors import GermaneError
from germane.formats.rankings.ranking_files import read_run
from germane.retrieval.fusion import FUSION, NORMALISATIONS


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bm25.run").write_text("q1 Q0 a 1 9 x\nq1 Q0 b 2 7 x\nq2 Q0 a 1 1 x\n")
    Path("dense.run").write_text("q1 Q0 b 1 0.8 y\nq1 Q0 c 2 0.5 y\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_runs_are_fused_into_a_file() -> None:
    done = run("bm25.run", "dense.run", "-o", "fused.run.gz", "--method", "rrf(k=0)")
    assert done.exit_code == 0, done.output
    assert gzip.decompress(Path("fused.run.gz").read_bytes()).decode().splitlines() == [
        "q1 Q0 b 1 1.5 rrf(k=0)",
        "q1 Q0 a 2 1.0 rrf(k=0)",
        "q1 Q0 c 3 0.5 rrf(k=0)",
        "q2 Q0 a 1 1.0 rrf(k=0)",
    ]
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "2 runs fused by rrf(k=0): 2 queries, 4 documents",
        "note: dense: 1 query without documents; fused from the other runs (q2)",
    ]


def test_the_runs_of_a_folder_are_counted() -> None:
    Path("runs").mkdir()
    for name in ("bm25.run", "dense.run"):
        Path(name).rename(Path("runs") / name)
    assert run("runs", "-o", "fused.run").stderr.startswith("2 runs fused by rrf(k=60)")


def test_a_fused_run_on_standard_output_can_be_read_by_the_next_program() -> None:
    done = run("bm25.run", "dense.run", "-o", "-", "--method", "borda", "--top", "1")
    assert done.stdout == "q1 Q0 b 1 5.0 borda(top=1)\nq2 Q0 a 1 1.0 borda(top=1)\n"


def test_weights_and_normalisation() -> None:
    choices = ("--method", "weighted", "--weights", "bm25=.75, dense=.25", "--normalise", "max", "--depth", "1")
    assert run("bm25.run", "dense.run", "-o", "w.jsonl", *choices).exit_code == 0
    fused = read_run("w.jsonl")
    assert list(zip(fused.docs, fused.score.tolist(), strict=True)) == [("a", 0.75), ("b", 0.25), ("a", 0.75)]
    assert fused.tag == "weighted(normalise=max,weights=bm25:0.75/dense:0.25,depth=1)"


def test_a_file_is_not_replaced_unasked() -> None:
    arguments = ("bm25.run", "dense.run", "-o", "fused.run")
    assert run(*arguments).exit_code == 0
    before = Path("fused.run").read_text()
    assert "fused.run: file already exists" in str(run(*arguments, "--method", "isr").exception)
    assert Path("fused.run").read_text() == before
    assert run(*arguments, "--method", "isr", "--overwrite").exit_code == 0
    assert Path("fused.run").read_text() != before


def test_what_a_format_cannot_hold_is_left_out_only_if_asked() -> None:
    assert "json format cannot store the tag" in str(run("bm25.run", "dense.run", "-o", "fused.json").exception)
    done = run("bm25.run", "dense.run", "-o", "fused.json", "--lossy")
    assert done.exit_code == 0, done.output
    assert "dropped: the tag 'rrf(k=60)'" in done.stderr
    assert run("bm25.run", "dense.run", "-o", "fused", "--to", "trec").exit_code == 0
    assert len(read_run("fused").docs) == 4


def test_every_method_and_normalisation_is_in_the_list() -> None:
    text = run("--list").stdout
    for entry in [*FUSION, *NORMALISATIONS]:
        assert f"\n{entry.name}: {entry.summary}\n  Formula:" in text
    assert "  Parameters: k = 60 (a number of 0 or more)\n" in text


WRONG = [
    (("bm25.run", "-o", "x.run"), "expected two runs or more to fuse, found one\nHint: use germane convert"),
    (("bm25.run", "dense.run", "-o", "x.run", "--weights", "bm25=1,dens=2"), "'dens'; did you mean dense?"),
    (
        ("bm25.run", "dense.run", "-o", "x.run", "--weights", "bm25,dense=2"),
        "expected weights such as bm25=0.7,dense=0.3",
    ),
    (("bm25.run", "dense.run", "-o", "x.run", "--weights", "bm25=a"), "found 'bm25=a' in 'bm25=a'"),
    (("bm25.run", "dense.run", "-o", "x.run", "--weights", "bm25=1,bm25=2"), "duplicate weight for bm25: 1 and 2"),
    (("bm25.run", "dense.run", "-o", "x.run", "--method", "borda(k=1)"), "borda has no parameter 'k'"),
    (
        ("bm25.run", "dense.run", "-o", "x.run", "--method", "rrf(k=-1)"),
        "rrf: expected a number of 0 or more for k, found '-1'",
    ),
    (("bm25.run", "gone.run", "-o", "x.run"), "gone.run"),
    (("bm25.run", "dense.run", "-o", "x.odd"), "cannot infer the format from the file extension"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, GermaneError)
    assert message in str(done.exception)
    assert not Path("x.run").exists()


def test_a_document_that_comes_twice_is_named_with_its_line() -> None:
    Path("twice.run").write_text("q1 Q0 a 1 9 x\nq1 Q0 a 2 7 x\n")
    assert "twice.run:2:" in str(run("twice.run", "dense.run", "-o", "x.run").exception)
