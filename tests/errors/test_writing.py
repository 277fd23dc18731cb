"""Errors of writers that meet another one, each provoked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import germane as ge
from germane.formats.files.file_lock import only_writer
from germane.formats.files.targets import open_target
from germane.learning.tuning.journal import Journal
from tests.errors.provoking import provoked
from tests.learning.agent import small_world

ABOUT = {"measure": "AP", "queries": ["q1"]}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_what_another_holds() -> None:
    with only_writer("agent.json"), only_writer("agent.json", wait_seconds=0):
        pass


def write_where_nothing_is() -> None:
    with only_writer("nowhere/agent.json"):
        pass


def begin_a_journal_twice() -> None:
    with Journal("tuning.jsonl", ABOUT) as journal:
        journal.add("BM25", np.array([0]), np.array([0.5]))
        Journal("tuning.jsonl", ABOUT)


def finish_second() -> None:
    with open_target("result.txt", overwrite=False) as target:
        target.write(b"second")
        Path("result.txt").write_bytes(b"first")


def save_over_another_agent() -> None:
    one = small_world.trained(space=["BM25", "VSM"])
    one.learn("grape", {"wine1": True})
    one.save("agent.json")
    small_world.trained(space=["VSM"]).save("agent.json")


def save_over_something_else() -> None:
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    small_world.trained(space=["BM25"]).save("qrels.txt")


def train_into_a_file_that_appeared() -> None:
    agent = small_world.trained(space=["BM25"])
    agent.save("agent.json")
    agent.save("agent.json", overwrite=False)


test_writers = provoked(
    [
        ("agent.json: another process is writing to this file", write_what_another_holds),
        ("nowhere/agent.json: cannot write the file: No such file or directory", write_where_nothing_is),
        ("tuning.jsonl: another process is writing to this journal", begin_a_journal_twice),
        ("result.txt: file already exists\nHint: another process has just written it", finish_second),
        (
            "agent.json: expected a new file or that of this agent, found another agent with 1 judgment",
            save_over_another_agent,
        ),
        ("qrels.txt:1: expected an agent, found a damaged file", save_over_something_else),
        ("agent.json: file already exists\nHint: an agent may hold feedback", train_into_a_file_that_appeared),
    ]
)


def test_what_was_there_stays_and_nothing_else_is_left() -> None:
    for provoke in (finish_second, write_what_another_holds):
        with pytest.raises(ge.GermaneError):
            provoke()
    assert Path("result.txt").read_bytes() == b"first"
    assert [path.name for path in Path().iterdir()] == ["result.txt"]
