"""`germane pool` and `germane pool simulate`, as people type them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from germane.cli import group
from germane.errors import GermaneError
from germane.formats.truth.pool_file import read_pool


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 1\nq1 0 d 0\nq1 0 n 0\n")
    Path("one.run").write_text("q1 Q0 a 1 3 one\nq1 Q0 b 2 2 one\n")
    Path("two.run").write_text("q1 Q0 c 1 3 two\nq1 Q0 d 2 2 two\n")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(group, ["pool", *arguments])


@pytest.mark.parametrize(
    "arguments",
    [
        ("one.run", "two.run", "-o", "pool.jsonl", "--depth", "1"),
        ("make", "one.run", "two.run", "-o", "pool.jsonl", "--depth", "1"),
        ("--depth", "1", "-o", "pool.jsonl", "one.run", "two.run"),
    ],
)
def test_a_pool_is_written(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "2 documents to judge for 1 topic (2 to 2 per topic), pooled by depth" in done.stderr
    pool = read_pool("pool.jsonl")
    assert (pool.docs("q1"), [entry.name for entry in pool.runs]) == (("a", "c"), ["one", "two"])


def test_a_pool_on_standard_output_can_be_read_by_the_next_program() -> None:
    done = run("one.run", "-o", "-", "--method", "stratified(strata=1:1/2:0.5)", "--seed", "4")
    head, *items = map(json.loads, done.stdout.splitlines())
    assert (head["method"], head["seed"], head["parameters"]["strata"]) == ("stratified", 4, "1:1/2:0.5")
    assert items[0] == {"topic": "q1", "doc": "a", "stratum": "1-1"}


def test_a_pool_is_described_in_the_format_asked_for() -> None:
    done = run("one.run", "two.run", "-o", "p.jsonl", "--depth", "1", "--format", "csv", "--table", "topics")
    assert done.stdout == "topic,num_docs,num_unsampled\nq1,2,0\n"
    assert done.stderr == ""
    assert "both write to standard output" in str(run("one.run", "-o", "-", "--format", "csv").exception)


def test_distractors_and_replays() -> None:
    done = run(
        "one.run",
        "two.run",
        "-o",
        "p",
        "--method",
        "mtf",
        "--budget",
        "2",
        "--qrels",
        "qrels.txt",
        "--distractors",
        "1",
    )
    assert done.exit_code == 0, done.output
    assert "including 1 distractor" in done.stderr
    assert len(read_pool("p").items) == 3


def test_a_pool_is_not_replaced_unasked() -> None:
    assert run("one.run", "-o", "p").exit_code == 0
    assert "p: file already exists" in str(run("two.run", "-o", "p").exception)
    assert run("two.run", "-o", "p", "--overwrite").exit_code == 0
    assert read_pool("p").docs("q1") == ("c", "d")


def test_simulate_prints_a_table() -> None:
    done = run(
        "simulate", "qrels.txt", "one.run", "two.run", "--method", "depth", "--budgets", "1,4", "--leave-one-out"
    )
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["method", "budget", "judged", "unjudged", "found", "share", "tau"]
    assert lines[2].split()[:6] == ["depth", "4", "4", "0", "2", "1.0000"]
    assert "mean rank drop" in done.stdout
    assert "unique relevant" in done.stdout


def test_simulate_draws_a_figure() -> None:
    pytest.importorskip("vl_convert", reason="no vl-convert here")
    arguments = ("simulate", "qrels.txt", "one.run", "two.run", "--method", "depth", "--budgets", "1,4", "--figure")
    assert run(*arguments, "sim.json").exit_code == 0
    spec = json.loads(Path("sim.json").read_text())
    assert [row["budget"] for row in spec["datasets"]["rows"]] == [1, 4]
    assert [panel["encoding"]["y"]["field"] for panel in spec["hconcat"]] == ["share", "tau"]
    assert run(*arguments, "sim.svg").exit_code == 0
    assert Path("sim.svg").read_text().startswith("<svg")
    assert "expected one of the file extensions" in str(run(*arguments, "sim.jpg").exception)


def test_simulate_for_programs() -> None:
    arguments = ("simulate", "qrels.txt", "one.run", "two.run", "--budgets", "2", "--format")
    data = json.loads(run(*arguments, "json").stdout)
    assert {row["method"] for row in data["budgets"]} >= {"depth", "rrf", "mtf", "hedge", "base+top", "stratified"}
    assert data["runs"][0]["name"] == "one"
    assert run(*arguments, "csv").stdout.startswith("method,budget,judged,unjudged,found,share,tau,tau_low,")


def test_teams_come_from_a_file() -> None:
    Path("teams").write_text("one.run A\ntwo.run A\n")
    done = run(
        "simulate", "qrels.txt", "one.run", "two.run", "--method", "depth", "--leave-one-out", "--teams", "teams"
    )
    assert done.exit_code == 0, done.output
    Path("teams").write_text("one.run\n")
    done = run("simulate", "qrels.txt", "one.run", "--teams", "teams")
    assert "teams:1: expected a run and its team" in str(done.exception)


def test_help_names_both_commands_and_every_method() -> None:
    text = run("--help").output
    assert "germane pool [make] RUN" in text
    assert "germane pool simulate QRELS RUN" in text
    methods = run("one.run", "--list").output
    assert "thompson: Thompson sampling" in methods
    assert "Reference:  Losada" in methods


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("one.run", "-o", "p", "--method", "deep"), "unknown pooling method 'deep'"),
        (
            ("one.run", "-o", "p", "--method", "mtf", "--budget", "1"),
            "mtf is adaptive: with a budget it requires judgments, found none",
        ),
        (("simulate", "qrels.txt", "one.run", "--budgets", "few"), "expected budgets such as 10,50,100, found 'few'"),
        (("gone.run", "-o", "p"), "no such file"),
    ],
)
def test_what_is_wrong_is_said(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, GermaneError)
    assert message in str(done.exception)
    assert not Path("p").exists()
