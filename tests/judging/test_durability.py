"""Nothing is acknowledged before it is on disk: the order of commit, journal and reply, and what SQLite was told."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from germane.errors import GermaneError
from germane.judging.store.answers import Answer, Receipt
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, num_events, record
from germane.judging.store.journal import Journal
from germane.judging.store.leases import give_back
from germane.judging.store.order import candidates
from germane.judging.store.project import settings_of
from germane.judging.store.queues import next_tasks
from germane.judging.store.sqlite import BusyError
from tests.judging.projects import answer, project

batches = pytest.importorskip("germane.web.batches", reason="germane[judge] is not installed")
resource = pytest.importorskip("resource", reason="this system has no limits on the size of files")

PRAGMAS = [
    # name               value   why
    ("journal_mode",     "wal",  "a commit is one append to the log, and readers never wait"),
    ("synchronous",      2,      "FULL: the log is synced before COMMIT returns, so it survives a loss of power"),
    ("foreign_keys",     1,      "an answer belongs to a task, and a task to an item"),
]  # fmt: skip


class Watched:
    """A project whose commits and journal are written down, in the order in which they happen."""

    def __init__(self, folder: Path) -> None:
        self.seen: list[str] = []
        self.database = Database(folder / "project.db", journal=folder / "journal.jsonl")
        project(self.database, "q0: " + " ".join(f"d{number}" for number in range(40)))
        sa.event.listen(self.database._writer, "commit", lambda _: self.seen.append("commit begins"))
        dialect: Any = self.database._writer.dialect
        commit = dialect.do_commit

        def do_commit(connection: Any) -> None:
            commit(connection)
            self.seen.append("committed")

        dialect.do_commit = do_commit
        journal = self.database.journal
        assert journal is not None
        append = journal._append

        def written(lines: str) -> None:
            append(lines)
            self.seen.append("in the journal")

        journal._append = written  # type: ignore[method-assign]

    def answers(self, number: int) -> list[Callable[[], Receipt]]:
        """Answers of this many people to one document each, not recorded yet."""
        found: list[Callable[[], Receipt]] = []
        for name in (f"a{each}" for each in range(number)):
            (task,) = next_tasks(self.database, name, 1)
            found.append(partial(self._record, name, answer(task)))
        self.seen.clear()
        return found

    def _record(self, name: str, given: Answer) -> Receipt:
        return record(self.database, name, [given])[0]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    found = Watched(tmp_path)
    yield found
    found.database.close()


def acknowledge(watched: Watched, runner: Any, number: int) -> list[str]:
    """Send answers at once, write down each acknowledgement, and return what happened in order."""

    async def one(function: Callable[[], Receipt]) -> None:
        receipt = await runner.run(function)
        assert receipt.status == "stored"
        watched.seen.append("acknowledged")

    async def everybody() -> None:
        await asyncio.gather(*map(one, watched.answers(number)))

    asyncio.run(everybody())
    return watched.seen


def too_early(seen: list[str]) -> bool:
    """Whether anything was acknowledged before the commit had returned and the journal was written."""
    first = seen.index("acknowledged")
    return "committed" not in seen[:first] or "in the journal" not in seen[:first]


class EarlyAcknowledger(batches.Batches):  # type: ignore[misc, name-defined]
    """The broken specimen: it replies as soon as an answer was recorded, before the commit that it shares."""

    def __init__(self, watched: Watched) -> None:
        super().__init__(watched.database)
        self.watched = watched

    def _run_together(self, functions: Any) -> Any:
        with self.database.together():
            found = batches._outcomes(functions)
            self.watched.seen.append("acknowledged")
        return found


def test_answers_that_share_a_commit_are_acknowledged_after_it(watched: Watched) -> None:
    seen = acknowledge(watched, batches.Batches(watched.database), 8)
    assert not too_early(seen)
    assert seen.count("acknowledged") == 8
    assert seen.count("committed") < 8, "several answers share a commit"
    assert seen.count("in the journal") == seen.count("committed")
    assert num_events(watched.database) == 8


def test_an_early_acknowledgement_is_caught(watched: Watched) -> None:
    assert too_early(acknowledge(watched, EarlyAcknowledger(watched), 3))


def test_an_answer_by_itself_is_on_disk_when_it_is_recorded(watched: Watched) -> None:
    (alone,) = watched.answers(1)
    alone()
    assert watched.seen == ["commit begins", "committed", "in the journal"]


@pytest.mark.parametrize(("name", "value", "why"), PRAGMAS)
def test_what_sqlite_was_told(watched: Watched, name: str, value: object, why: str) -> None:
    with watched.database.write() as connection:
        assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value, why


def test_a_failed_commit_acknowledges_nobody(watched: Watched) -> None:
    functions = watched.answers(3)

    def fail(_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    dialect: Any = watched.database._writer.dialect
    dialect.do_commit = fail
    outcomes = batches.Batches(watched.database)._run_together(functions)
    assert [type(error).__name__ for _, error in outcomes] == ["OperationalError"] * 3
    assert watched.seen.count("in the journal") == 0
    del dialect.do_commit
    watched.database._writer.dispose()
    assert num_events(watched.database) == 0


def test_what_was_not_committed_is_not_remembered(tmp_path: Path) -> None:
    with Database(tmp_path / "project.db") as database:
        project(database, "q0: " + " ".join(f"d{number}" for number in range(9)), repeat_share=1.0, repeat_gap=0)
        settings, (task,) = settings_of(database), next_tasks(database, "ann", 1)
        give_back(database, "ann")
        before = candidates(database, "ann", settings, 100)

        def judge() -> None:
            assert record(database, "ann", [answer(task)])[0].status == "stored"
            assert candidates(database, "ann", settings, 100) != before

        def fail(_: Any) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        dialect: Any = database._writer.dialect
        dialect.do_commit = fail
        ((_, error),) = batches.Batches(database)._run_together([judge])
        assert isinstance(error, sa.exc.OperationalError | sqlite3.OperationalError)
        del dialect.do_commit
        database._writer.dispose()
        assert candidates(database, "ann", settings, 100) == before


def test_one_that_fails_leaves_the_others(watched: Watched) -> None:
    first, second, third = watched.answers(3)

    def half_done() -> None:
        with watched.database.write() as connection:
            connection.exec_driver_sql("UPDATE tasks SET lease_until = 7")
            raise ValueError("stopped in the middle")

    outcomes = batches.Batches(watched.database)._run_together([first, half_done, third])
    assert [error is None for _, error in outcomes] == [True, False, True]
    assert watched.database.value(sa.text("SELECT count(*) FROM tasks WHERE lease_until = 7")) == 0
    assert num_events(watched.database) == 2
    assert second().status == "stored"


def test_a_transaction_that_sqlite_gave_up_is_not_taken_for_committed(watched: Watched) -> None:
    functions = watched.answers(2)

    def give_up() -> None:
        with watched.database.write() as connection:
            connection.exec_driver_sql("ROLLBACK")
            raise sqlite3.OperationalError("database or disk is full")

    outcomes = batches.Batches(watched.database)._run_together([functions[0], give_up])
    assert all(isinstance(error, GermaneError) for _, error in outcomes)
    assert "rolled back" in str(outcomes[0][1])
    assert list(all_events(watched.database)) == []


def test_another_writer_is_waited_for(watched: Watched) -> None:
    (function,) = watched.answers(1)
    with other_writer(watched.database) as end:
        threading.Timer(0.2, end).start()
        ((receipt, error),) = batches.Batches(watched.database)._run_together([function])
    assert error is None
    assert receipt.status == "stored"


def test_another_writer_that_does_not_end_is_an_error_that_says_so(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    (function,) = watched.answers(1)
    with watched.database.write() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 50")
    with other_writer(watched.database):
        ((_, error),) = batches.Batches(watched.database)._run_together([function])
    assert isinstance(error, BusyError)
    assert "another process has been writing to this project" in str(error)
    assert function().status == "stored", "afterwards it is taken"


@contextmanager
def other_writer(database: Database) -> Iterator[Callable[[], None]]:
    """Another process's transaction, as far as SQLite can tell; what is given ends it."""
    assert database.path is not None
    other = sqlite3.connect(database.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other.rollback
    finally:
        other.close()


def test_opening_a_project_does_not_wait_for_its_writer(watched: Watched) -> None:
    assert watched.database.path is not None
    with other_writer(watched.database), Database(watched.database.path) as second:
        assert num_events(second) == 0


def test_a_full_disk_leaves_no_half_event_in_the_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add([{"event": "e1"}])
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (journal.path.stat().st_size + 7, before[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            journal.add([{"event": "e2"}])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    journal.add([{"event": "e3"}])
    assert [name for _, name, _ in journal.events()] == ["e1", "e3"]


def test_the_journal_of_a_block_that_fails_is_dropped(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")

    def fail() -> None:
        with journal.later():
            journal.add([{"event": "e1"}])
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    with journal.later():
        journal.add([{"event": "e2"}])
        assert list(journal.events()) == []
    assert [name for _, name, _ in journal.events()] == ["e2"]
