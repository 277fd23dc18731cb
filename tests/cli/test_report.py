"""`germane report` and `germane plot`: what they write, and what they refuse."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq3 0 d3 2\n"
RUN = "q1 Q0 d2 1 2 x\nq1 Q0 d1 2 1 x\nq2 Q0 d1 1 1 x\nq3 Q0 d1 1 1 x\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert", reason="vl-convert-python is not installed")
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("old.run").write_text(RUN)
    Path("new.run").write_text(RUN.replace("d2 1 2", "d2 1 0.5"))
    Path("questions.tsv").write_text("q1\tred wine\tWhich one?\nq2\twhite wine\nq9\tbeer\n")
    Path("documents.jsonl").write_text('{"id": "d1", "text": "All about wine."}\n')
    Path("costs.csv").write_text("run,ms\nold,1\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments)


def test_a_page_is_written() -> None:
    found = run(
        "report", "qrels.txt", "old.run", "new.run", "-o", "page.html", "--run-costs", "costs.csv", "--title", "A < B"
    )
    assert found.exit_code == 0, found.output
    assert found.stdout == ""
    assert "<title>A &lt; B</title>" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["qrels.txt", "./old.run", "new.run", "costs.csv", "questions.tsv", "documents.jsonl"])
def test_a_page_never_replaces_what_it_is_made_from(name: str) -> None:
    before = Path(name).read_bytes()
    beside = ["--run-costs", "costs.csv", "--query-texts", "questions.tsv", "--documents", "documents.jsonl"]
    found = run("report", "qrels.txt", "old.run", "new.run", *beside, "-o", name)
    assert "the output is also an input\nHint: choose another name" in str(found.exception)
    assert Path(name).read_bytes() == before


def test_a_figure_never_replaces_its_judgments() -> None:
    Path("qrels.json").write_text(judgments := '{"q1": {"d1": 1}}')
    found = run("plot", "pr", "qrels.json", "old.run", "-o", "qrels.json")
    assert "the output is also an input" in str(found.exception)
    assert Path("qrels.json").read_text() == judgments


def test_a_page_can_be_written_again() -> None:
    for _ in range(2):
        assert run("report", "qrels.txt", "old.run", "-o", "page.html").exit_code == 0


def test_queries_and_documents_are_put_in_words() -> None:
    words = ["--query-texts", "questions.tsv", "--documents", "documents.jsonl"]
    found = run("report", "qrels.txt", "old.run", "-o", "page.html", *words)
    assert found.exit_code == 0, found.output
    page = Path("page.html").read_text(encoding="utf-8")
    overview, documents = (block_of(page, name) for name in ("overview", "documents"))
    assert overview["questions"] == [
        {"title": "red wine", "description": "Which one?", "narrative": ""},
        {"title": "white wine", "description": "", "narrative": ""},
        None,
    ]
    assert documents == {"texts": {"d1": "All about wine."}, "words": {"q1": ["wine"], "q2": ["wine"]}}


def block_of(page: str, name: str) -> Any:
    found = re.search(rf'id="data-{name}"( data-packed="gzip")?>(.*?)</script>', page)
    assert found is not None
    if not found[1]:
        return json.loads(found[2])
    whole = gzip.decompress(base64.b64decode(found[2]))
    return json.loads(whole[4 : 4 + int.from_bytes(whole[:4], "little")])["value"]


def test_the_same_input_makes_the_same_page() -> None:
    for name in ("one.html", "two.html"):
        run("report", "qrels.txt", "old.run", "new.run", "-o", name)
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


def test_a_figure_is_written_and_a_baseline_may_be_its_file() -> None:
    found = run("plot", "forest", "qrels.txt", "old.run", "new.run", "--baseline", "new.run", "-m", "AP", "-o", "f.svg")
    assert found.exit_code == 0, found.output
    assert "system − new" in Path("f.svg").read_text(encoding="utf-8")


def test_the_kinds_are_listed_without_any_file() -> None:
    assert "leaderboard" in run("plot", "--list").stdout


BY_POSITION = ["--query-texts", "questions.tsv", "--topic-numbers", "position"]
WRONG = [
    (["report", "qrels.txt", "-o", "p.html"], "at least one run"),
    (["report", "qrels.txt", "old.run", "-o", "gone/p.html"], "no such folder: gone"),
    (["report", "qrels.txt", "old.run", "new.run", "--baseline", "nwe", "-o", "p.html"], "did you mean new"),
    (["report", "qrels.txt", "old.run", "-m", "APP", "-o", "p.html"], "unknown measure 'APP'"),
    (["report", "qrels.txt", "old.run", "--query-texts", "qrels.txt", "-o", "p.html"], "2 to 4 tab-separated fields"),
    (
        ["report", "qrels.txt", "old.run", "--topic-numbers", "position", "-o", "p.html"],
        "requires a file of query texts",
    ),
    (
        ["report", "qrels.txt", "old.run", *BY_POSITION, "-o", "p.html"],
        "query texts have 1, 2, 3, qrels have q1, q2, q3",
    ),
    (
        ["report", "detector.csv", "--query-texts", "questions.tsv", "-o", "p.html"],
        "--query-texts requires QRELS and RUN",
    ),
    (["plot", "leaderbord", "qrels.txt", "old.run", "-o", "f.svg"], "did you mean leaderboard"),
    (["plot", "leaderboard", "qrels.txt", "old.run", "-o", "f.gif"], "expected one of the file extensions"),
    (
        ["plot", "forest", "qrels.txt", "old.run", "new.run", "--query", "q1", "-o", "f.svg"],
        "--query is not supported with forest",
    ),
    (["plot", "pr", "qrels.txt", "old.run", "--query", "q9", "-o", "f.svg"], "unknown query 'q9'"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_what_is_wrong_is_said(arguments: list[str], message: str) -> None:
    found = run(*arguments)
    assert isinstance(found.exception, GermaneError)
    assert message in str(found.exception)
