"""Database connections: transactions start so that counts stay true until items are claimed.

SQLite: write-ahead log, full sync, a writing transaction that starts with BEGIN IMMEDIATE (a plain BEGIN that reads
before it writes fails with "database is locked", whatever the timeout), one writing connection, and readers of their
own that cannot write. PostgreSQL: row locks, which `lock_item` takes.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from germane.errors import GermaneError, InputError, MissingExtraError
from germane.formats.files.json_text import shape_problem
from germane.judging.store.journal import Journal
from germane.judging.store.prepared import Prepared
from germane.judging.store.schema import bring_up_to_date, is_up_to_date, items
from germane.judging.store.sqlite import (
    BUSY_SECONDS,
    BusyError,
    back_up,
    is_busy,
    is_damage,
    lock_file,
    sqlite_engines,
)

LOCK_ITEM = sa.select(items.c.item).where(items.c.item == sa.bindparam("item")).with_for_update()


class Database(AbstractContextManager["Database"]):
    """A judging project's database. `store` is a path (SQLite) or a ``postgresql://`` address.

    `alone` refuses a second process on the same SQLite file: a server wants that. `journal` is the path of the second
    copy of all events (JSON lines, as in an events file); by default it lies beside the SQLite file, and PostgreSQL has
    none. `snapshots` is how many backups to keep of those made at each start (SQLite only; 0 makes none). `clock` gives
    seconds since 1970.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> database = Database(Path(folder.name) / "project.db")
    >>> with database.read() as connection:
    ...     connection.execute(sa.text("PRAGMA journal_mode")).scalar()
    'wal'
    >>> database.close(); folder.cleanup()
    """

    def __init__(
        self,
        store: str | Path,
        *,
        alone: bool = False,
        journal: str | Path | None = None,
        snapshots: int = 0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.clock = clock
        self.path = sqlite_path(store)
        self._writing = threading.RLock()
        self._in_write = False
        self._shared: sa.Connection | None = None
        self._sharing: int | None = None
        if self.path is None:
            self._writer = self._reader = _postgresql(str(store))
        else:
            self._writer, self._reader = sqlite_engines(self.path)
        self._held = lock_file(self.path) if alone and self.path else None
        try:
            if self.path is not None and snapshots and self.path.exists():
                back_up(self.path, keep=snapshots, now=self.now())
            self._check_and_bring_up_to_date()
        except (sa.exc.DBAPIError, sqlite3.DatabaseError) as error:
            self.close()
            raise _cannot_open(store, error) from None
        except BaseException:
            self.close()
            raise
        if journal is None and self.path is not None:
            journal = self.path.with_name(self.path.name + ".events.jsonl")
        self.journal = Journal(Path(journal)) if journal is not None else None

    @property
    def is_sqlite(self) -> bool:
        return self.path is not None

    def now(self) -> str:
        """Return the current time in the format of events."""
        return iso_time(self.clock())

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A writing transaction: committed on leaving, rolled back by an exception. One at a time on SQLite."""
        if self.path is None:
            with self._writer.begin() as connection:
                yield connection
            return
        with self._writing, self._naming_trouble():
            if self._in_write:
                raise RuntimeError("nested writing transactions are not supported")
            self._in_write = True
            try:
                with self._part_of_shared() if self._is_shared else self._writer.begin() as connection:
                    yield connection
            finally:
                self._in_write = False

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A reading transaction: a snapshot of the database, unaffected by concurrent writes."""
        if self._is_shared:
            assert self._shared is not None
            yield self._shared
            return
        with self._naming_trouble(), self._reader.begin() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let everything that this thread writes inside share one commit, and so one wait for the disk (SQLite only).

        Each `write` inside succeeds or is rolled back by itself. Nothing inside is on disk, or in the journal, before
        this block has ended without an error: acknowledge nothing earlier. PostgreSQL shares commits by itself.
        """
        if self.path is None or self._is_shared:
            yield
            return
        with self._writing, self._naming_trouble(), self._journal_later(), self._writer.begin() as connection:
            self._shared, self._sharing = connection, threading.get_ident()
            try:
                yield
                # SQLite rolls back everything by itself after some errors; Python would then commit nothing, silently.
                if not getattr(connection.connection.dbapi_connection, "in_transaction", False):
                    problem = "SQLite rolled back the transaction, so nothing was saved"
                    raise InputError(self.path, None, problem, hint="check that the disk has free space")
            finally:
                self._shared = self._sharing = None

    @property
    def _is_shared(self) -> bool:
        """Whether this thread is inside `together`."""
        return self._sharing == threading.get_ident()

    @contextmanager
    def _part_of_shared(self) -> Iterator[sa.Connection]:
        """A part of the shared transaction that can be rolled back alone."""
        assert self._shared is not None
        own: Any = self._shared.connection.dbapi_connection
        own.execute("SAVEPOINT part")
        try:
            yield self._shared
        except BaseException:
            if own.in_transaction:  # SQLite may have rolled back everything by itself
                own.execute("ROLLBACK TO part")
            raise
        finally:
            if own.in_transaction:
                own.execute("RELEASE part")

    def _journal_later(self) -> AbstractContextManager[None]:
        return nullcontext() if self.journal is None else self.journal.later()

    def _check_and_bring_up_to_date(self) -> None:
        """Tell damage before anything comes of it, and create or migrate the tables.

        The check reads the whole file: in a reading transaction, so that a server of the same project goes on writing.
        """
        if self.path is not None:
            with self.read() as connection:
                # Every page and index of an SQLite file belongs where it is.
                found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
                if found != "ok":
                    raise self._damaged(str(found))
                if is_up_to_date(connection):
                    return
        with self.write() as connection:
            bring_up_to_date(connection)
        if self.path is not None:
            self._reader.dispose()  # it was opened before there was a write-ahead log

    def rows(self, query: sa.Executable | Prepared, **parameters: object) -> Sequence[Any]:
        """Return all rows of a query, read in a transaction of its own."""
        with self.read() as connection:
            if isinstance(query, Prepared):
                return query.rows(connection, **parameters)
            return connection.execute(query, parameters).all()

    def first(self, query: sa.Executable | Prepared, **parameters: object) -> Any:
        """Return the first row of a query, or None."""
        return next(iter(self.rows(query, **parameters)), None)

    def value(self, query: sa.Executable | Prepared, **parameters: object) -> Any:
        """Return the first value of the first row, or None."""
        row = self.first(query, **parameters)
        return None if row is None else row[0]

    @contextmanager
    def _naming_trouble(self) -> Iterator[None]:
        """Turn damage found by SQLite, and a writer that does not end, into an error that names the file."""
        try:
            yield
        except (sa.exc.DBAPIError, sqlite3.DatabaseError) as error:
            said = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            if self.path is not None and is_busy(said):
                problem = f"{self.path}: another process has been writing to this project for {BUSY_SECONDS} s"
                raise BusyError(problem, hint="wait until it has finished, or stop it; then try again") from None
            if self.path is None or not is_damage(said):
                raise
            raise self._damaged(str(said)) from None
        except UnicodeDecodeError:  # SQLite's own message quotes the file
            raise self._damaged("text that is not UTF-8") from None

    @contextmanager
    def making(self, what: str) -> Iterator[None]:
        """Convert rows; rows that cannot be converted are damaged."""
        try:
            yield
        except (GermaneError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise self._damaged(f"expected {what}, found {shape_problem(error)}") from None

    def _damaged(self, found: str) -> InputError:
        name = self.path or "store"
        problem = f"the database of a judging project is damaged: {found.strip().splitlines()[-1]}"
        hint = f"stop the server and put the newest backup ({name}.backup-…) in its place"
        return InputError(name, None, problem, hint=hint if self.path else "restore the database from a backup")

    def lock_item(self, connection: sa.Connection, item: int) -> None:
        """Lock this item until the transaction ends, so that nobody else counts or claims it. On SQLite `write`
        has done it already."""
        if not self.is_sqlite:
            connection.execute(LOCK_ITEM, {"item": item})

    def close(self) -> None:
        """Close every connection and release the file."""
        self._writer.dispose()
        self._reader.dispose()
        if self._held is not None:
            self._held.close()
            self._held = None

    def __exit__(self, *_: object) -> None:
        self.close()


def iso_time(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC, to the millisecond.

    >>> iso_time(1.5)
    '1970-01-01T00:00:01.500+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def can_be_stored(text: str) -> bool:
    """Check text: PostgreSQL stores no null characters, and a lone surrogate is not a character.

    >>> can_be_stored("schön"), can_be_stored("a\\0b"), can_be_stored("\\udcff")
    (True, False, False)
    """
    return "\0" not in text and text.encode("utf-8", errors="replace").decode() == text


def sqlite_path(store: str | Path) -> Path | None:
    """The SQLite file that a store names, or None for PostgreSQL.

    >>> sqlite_path("postgresql://localhost/judging") is None, sqlite_path("robust.db").name
    (True, 'robust.db')
    """
    text = str(store)
    if text.startswith(("postgresql://", "postgresql+psycopg://", "postgres://")):
        return None
    if "://" in text and not text.startswith("sqlite:///"):
        hint = "use the path of a file (SQLite) or postgresql://user@host/database"
        raise GermaneError(f"unknown kind of store {text.partition('://')[0]}://", hint=hint)
    return Path(text.removeprefix("sqlite:///"))


def _postgresql(url: str) -> sa.Engine:
    rest = url.split("://", 1)[1]
    try:
        return sa.create_engine(f"postgresql+psycopg://{rest}", isolation_level="READ COMMITTED", pool_pre_ping=True)
    except ImportError:
        raise MissingExtraError("a store on PostgreSQL", "postgres") from None
    except (sa.exc.ArgumentError, ValueError):  # its message may hold the password
        hint = (
            "write postgresql://user:password@host:5432/database; percent-encode special characters, such as %40 for @"
        )
        raise GermaneError("expected the address of a PostgreSQL database", hint=hint) from None


def _cannot_open(store: str | Path, error: sa.exc.DBAPIError | sqlite3.DatabaseError) -> GermaneError:
    """Return the database's message without any password."""
    said = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    reason = str(said).strip().partition("\n")[0]
    if sqlite_path(store) is not None:
        problem = f"expected the database of a judging project ({reason})"
        return InputError(store, None, problem, hint="check that this is the right file")
    address = sa.make_url(str(store)).render_as_string(hide_password=True)
    hint = "check that the server is running and that database and user exist"
    return GermaneError(f"{address} cannot be opened: {reason}", hint=hint)
