"""Databases to test the store on: SQLite, and a PostgreSQL server where it is installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from germane.judging.store.connection import Database
from germane.judging.store.journal import Journal
from tests.judging.postgresql_server import empty, new_database, programs, running_server
from tests.judging.projects import Clock


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The folder of a running server's socket."""
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with running_server(folder) as address:
        yield address


@pytest.fixture(scope="session")
def postgresql_store(postgresql: str) -> Iterator[tuple[str, Database]]:
    """A database on that server, with its tables, and opened: SQLAlchemy then compiles each statement only once."""
    store = new_database(postgresql)
    with Database(store) as database:
        yield store, database


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a database may be opened that holds nothing yet."""
    if request.param == "sqlite":
        return str(tmp_path / "project.db")
    store, _ = request.getfixturevalue("postgresql_store")
    empty(store)
    return str(store)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(request: pytest.FixtureRequest, store: str, clock: Clock, tmp_path: Path) -> Iterator[Database]:
    """An empty database with a clock that stands still."""
    journal = tmp_path / "journal.jsonl"
    if store.startswith("postgresql"):
        _, database = request.getfixturevalue("postgresql_store")
        database.clock, database.journal = clock, Journal(journal)
        yield database
    else:
        with Database(store, clock=clock, journal=journal) as database:
            yield database
