"""Errors of files that germane wrote, and somebody or something changed: each provoked."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from germane.api.files.file_types import recognise
from germane.formats.truth.judgments_file import write_events
from germane.judging.release import check_release
from germane.judging.store.connection import Database
from germane.judging.store.events import catch_up_journal
from germane.judging.store.project import pools_of, record_of, rubrics_of, settings_of
from germane.learning.tuning.journal import Journal
from tests.damage.own_files import ABOUT, EVENTS, OWN_FILES
from tests.errors.provoking import provoked


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def changed(name: str, old: str, new: str, place: int = 0) -> Callable[[], object]:
    """One of our files is written, one text in it becomes another, and it is read."""

    def call() -> object:
        own = next(own for own in OWN_FILES if own.name == name)
        own.write(Path())
        path = Path(own.files[place])
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return own.read(Path())

    return call


test_what_was_edited = provoked(
    [
        (
            "agent.json: the agent was damaged or edited: expected checksum",
            changed("agent", '"depth": 5', '"depth": 6'),
        ),
        (
            "agent.json: expected an agent of version 4, found 3",
            changed("agent", '"germane_agent": 4', '"germane_agent": 3'),
        ),
        ("split.json: the split record was damaged or edited", changed("split", '"seed": 1', '"seed": 2')),
        ('expected a split record ("germane_split": 2), found 1', changed("split", '_split": 2', '_split": 1')),
        ("expected checksum 'none', found", changed("split", '"checksum"', '"other"')),
        ("x.run.json: the record of a run was damaged or edited", changed("retrieved run", "0.25", "0.21", 1)),
        ("x.run.json: the record does not match x.run", changed("retrieved run", "d2", "d7")),
        ("tuning.jsonl:2: the line was damaged or edited", changed("tuning journal", "0.25", "0.26")),
        ("tuning.jsonl:1: the journal was damaged or edited", changed("tuning journal", '"AP"', '"RR"')),
        (
            "tuning.jsonl:1: expected a journal of version 2, found 1",
            changed("tuning journal", '_tuning": 2', '_tuning": 1'),
        ),
        ("manifest.json: the manifest of a release was damaged or edited", changed("release", "majority", "median")),
        ("manifest.json: expected a release of version 2, found 1", changed("release", '_release": 2', '_release": 1')),
        ("release: qrels.txt was changed", changed("release", "t1 0 d1 1", "t1 0 d1 2", 1)),
        ("pool.jsonl:1: expected a plain list or a pool with a complete first line", changed("pool", "{", "<")),
        (
            "pool.jsonl:2: expected a plain list or a pool with a complete first line",
            changed("pool", '{"germane_pool"', "x pool"),
        ),
        (
            "project.db.events.jsonl:1: event '",
            changed("judging project", '"grade": 0.0', '"grade": 2.0', 1),
        ),
    ]
)


def resume(content: str) -> None:
    Path("tuning.jsonl").write_text(content)
    try:
        Journal(Path("tuning.jsonl"), ABOUT)
    finally:
        assert Path("tuning.jsonl").read_text() == content, "a file that is not ours stays as it is"


def open_empty() -> object:
    Path("tuning.jsonl").write_bytes(b"")
    return Journal.open_again("tuning.jsonl")


test_files_that_are_no_journal = provoked(
    [
        ("tuning.jsonl:1: expected a tuning journal, found something else", lambda: resume("my only copy")),
        ("tuning.jsonl:1: expected a tuning journal, found something else", lambda: resume("{}\n")),
        ("tuning.jsonl:1: expected a line of a tuning journal, found something else", open_empty),
    ]
)


def test_a_first_line_that_was_cut_is_written_again() -> None:
    Journal(Path("tuning.jsonl"), ABOUT).__exit__(None, None, None)
    whole = Path("tuning.jsonl").read_bytes()
    Path("tuning.jsonl").write_bytes(whole[:20])
    with Journal(Path("tuning.jsonl"), ABOUT) as journal:
        assert journal.was_torn
    assert Path("tuning.jsonl").read_bytes() == whole


def store_with(change: str, read: Callable[[Database], object]) -> Callable[[], object]:
    """A project whose tables somebody else changed."""

    def call() -> object:
        next(own for own in OWN_FILES if own.name == "judging project").write(Path())
        with closing(sqlite3.connect("project.db")) as connection:
            connection.execute(change)
            connection.commit()
        with Database("project.db") as database:
            return read(database)

    return call


def misplaced_pages() -> object:
    next(own for own in OWN_FILES if own.name == "judging project").write(Path())
    data = bytearray(Path("project.db").read_bytes())
    data[8192:12288], data[12288:16384] = data[12288:16384], data[8192:12288]
    Path("project.db").write_bytes(data)
    return Database("project.db")


def cut_and_recognised() -> object:
    next(own for own in OWN_FILES if own.name == "judging project").write(Path())
    Path("project.db").write_bytes(Path("project.db").read_bytes()[:5000])
    return recognise("project.db")


DAMAGED = "project.db: the database of a judging project is damaged: "
test_judging_projects = provoked(
    [
        (DAMAGED, misplaced_pages),
        ("project.db: damaged SQLite database", cut_and_recognised),
        (f"{DAMAGED}expected settings, found a wrong or missing value",
         store_with("update settings set body = '{'", settings_of)),
        (f"{DAMAGED}expected a rubric, found", store_with("update rubrics set body = '[]'", rubrics_of)),
        (f"{DAMAGED}expected a pool, found", store_with("update pools set manifest = '{}'", pools_of)),
        (f"{DAMAGED}expected settings and pools, found", store_with("update pools set manifest = '7'", record_of)),
        (f"{DAMAGED}Could not decode to UTF-8",
         store_with("update items set topic = cast(x'ff' as text) where item = 1", catch_up_journal)),
    ]
)  # fmt: skip


def test_a_folder_in_place_of_a_released_file() -> None:
    next(own for own in OWN_FILES if own.name == "release").write(Path())
    Path("release/qrels.txt").unlink()
    Path("release/qrels.txt").mkdir()
    Path("release/more").mkdir()
    assert check_release("release") == ["more is not in the manifest", "qrels.txt was changed"]


def test_events_may_be_edited() -> None:
    """They are a format that people write: no checksum."""
    write_events(EVENTS, "events.jsonl")
    assert "checksum" not in Path("events.jsonl").read_text()
