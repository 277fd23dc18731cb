"""Errors of judging: the store, documents to show, bundles and releases, each provoked."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import germane as ge
from germane.cli import group
from germane.errors import GermaneError, MissingExtraError
from germane.judging.bundle import bundle_of, reserve
from germane.judging.documents import MOST_IMAGE_BYTES, open_documents
from germane.judging.store import sqlite
from germane.judging.store.connection import Database
from germane.judging.store.people import add_person, change_person
from germane.judging.store.project import Settings, load_pool
from tests.errors.provoking import provoked
from tests.judging.projects import pool_of

SAID = {"ann": {"q1": {"d1": 1, "d2": 0}}}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def in_a_store(call: Callable[[Database], Any]) -> Any:
    with Database("project.db") as database:
        load_pool(database, pool_of("q1: d1 d2"))
        return call(database)


test_the_store = provoked(
    [
        (
            "cannot create a bundle without a rubric",
            lambda: in_a_store(lambda database: reserve(database, "ann", 1)),
        ),
        ("unknown bundle 'lost'", lambda: in_a_store(lambda database: bundle_of(database, "lost"))),
        (
            "expected a role (organiser, assessor, viewer), found 'guest'",
            lambda: in_a_store(
                lambda database: change_person(database, add_person(database, "ann", "assessor"), role="guest")  # type: ignore[arg-type]
            ),
        ),
        (
            "expected lease_seconds of at least unseen_seconds (60), found 30",
            lambda: Settings(lease_seconds=30, unseen_seconds=60),
        ),
        ("expected a repeat_gap of 0 or more, found -1", lambda: Settings(repeat_gap=-1)),
        ("expected SQLite to keep a write-ahead log here, found journal mode 'memory'", lambda: Database(":memory:")),
    ]
)


def write_beside_another(database: Database) -> None:
    with database.write() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 20")
    assert database.path is not None
    with closing(sqlite3.connect(database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        add_person(database, "ann", "assessor")


def lose_the_transaction(database: Database) -> None:
    with database.together(), database.write() as connection:
        connection.exec_driver_sql("ROLLBACK")  # as SQLite does by itself when a disk is full


test_commits = provoked(
    [
        (
            "project.db: another process has been writing to this project for 30 s\nHint: wait until it has finished",
            lambda: in_a_store(write_beside_another),
        ),
        (
            "project.db: SQLite rolled back the transaction, so nothing was saved\nHint: check that the disk has free",
            lambda: in_a_store(lose_the_transaction),
        ),
    ]
)


def a_file_of_notes() -> str:
    Path("notes.txt").write_text("ann judges on Monday\n" * 50)
    return "notes.txt"


test_stores_that_are_none = provoked(
    [
        ("notes.txt: expected the database of a judging project (", lambda: Database(a_file_of_notes())),
        ("expected the address of a PostgreSQL database", lambda: Database("postgresql://ann@host:port/judging")),
        (
            "postgresql://ann:***@127.0.0.1:1/judging cannot be opened: ",
            lambda: Database("postgresql://ann:secret@127.0.0.1:1/judging"),
        ),
    ]
)


def test_a_store_on_a_network_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "network_file_system", lambda path: "nfs4")
    with pytest.raises(GermaneError, match=r"the folder is on a network file system \(nfs4\)"):
        Database("project.db")


def test_libraries_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match="a store on PostgreSQL needs an optional library"):
        Database("postgresql://ann@localhost/judging")
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, "germane.judging.store")
    with pytest.raises(MissingExtraError, match="the store of judgments needs an optional library"):
        importlib.import_module("germane.judging.store")


def documents(name: str, content: str = "") -> Any:
    Path(name).write_text(content)
    return open_documents(name)


def an_image_too_large() -> None:
    Path("docs").mkdir()
    with Path("docs/d1.png").open("wb") as file:
        file.truncate(MOST_IMAGE_BYTES + 1)  # a file of holes, which takes no room
    open_documents("docs").get("d1")


test_documents_to_show = provoked(
    [
        ("nowhere: no such file or folder of documents", lambda: open_documents("nowhere")),
        (f"d1.png: expected an image of at most {MOST_IMAGE_BYTES:,} bytes, found ", an_image_too_large),
        ("docs.jsonl:1: expected an id (", lambda: documents("docs.jsonl", '{"text": "red wine"}\n')),
        (
            "docs.jsonl:2: duplicate document 'd1' (first on line 1)",
            lambda: documents("docs.jsonl", '{"id": "d1", "text": "red"}\n{"id": "d1", "text": "wine"}\n'),
        ),
    ]
)


def check_release(manifest: str | None) -> Result:
    Path("release").mkdir()
    if manifest is not None:
        Path("release/manifest.json").write_text(manifest)
    return CliRunner().invoke(group, ["release", "--check", "release"], catch_exceptions=False)


test_releases = provoked(
    [
        ("expected min_grades of at least 1, found 0", lambda: ge.release(SAID, "release", min_grades=0)),
        ("release: expected judgments to release, found none", lambda: ge.release({}, "release")),
        ("manifest.json: no such file\nHint: use the folder of a release", lambda: check_release(None)),
        ("manifest.json: this is not the manifest of a release", lambda: check_release('{"files": 1}')),
    ]
)
