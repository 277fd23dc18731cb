"""SQLite files of judging projects: engines, locks, backups, and file systems on which they are not safe."""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from germane.errors import GermaneError, InputError
from germane.formats.files.file_lock import acquire_lock

BUSY_SECONDS = 30
NETWORK_FILE_SYSTEMS = re.compile(
    r"nfs\d?|cifs|smb\w*|afs|ncpfs|glusterfs|ceph|lustre|davfs|fuse\.(?:sshfs|s3fs|rclone)"
)
"""File systems without shared memory between machines, which SQLite's write-ahead log requires."""


def lock_file(path: Path) -> IO[bytes]:
    """Hold ``<path>.lock`` until the returned file is closed or the process ends, however it ends."""
    file = acquire_lock(path.with_name(path.name + ".lock"))
    if file is None:
        hint = "stop it first, or open the address it printed"
        raise GermaneError(f"another process is serving {path}", hint=hint)
    return file


def back_up(path: Path, *, keep: int, now: str) -> Path:
    """Copy the database with SQLite's online backup, which is safe while others write; the oldest copies beyond `keep`
    go.

    The copy is ``<path>.backup-<time>``, complete once it has that name.
    """
    target = path.with_name(f"{path.name}.backup-{re.sub(r'[^0-9TZ]', '', now[:23])}")
    unfinished = target.with_name(target.name + ".part")
    try:
        with closing(sqlite3.connect(path, timeout=30)) as source, closing(sqlite3.connect(unfinished)) as copy:
            source.backup(copy)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    unfinished.replace(target)
    for old in snapshots(path)[:-keep]:
        old.unlink()
    return target


def snapshots(path: Path) -> list[Path]:
    """Return the backups of a database, oldest first."""
    return sorted(file for file in path.parent.glob(f"{path.name}.backup-*") if not file.name.endswith(".part"))


def network_file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """Return the kind of network file system of a path, or None if it is local or unknown."""
    if not mounts.is_file():
        return None
    place, found, longest = path.resolve(), None, -1
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        mount, kind = line.split()[1:3]
        folder = Path(mount.replace("\\040", " "))
        if place.is_relative_to(folder) and len(folder.parts) >= longest:
            longest, found = len(folder.parts), kind
    return found if found and NETWORK_FILE_SYSTEMS.fullmatch(found) else None


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite reports a damaged file rather than a wrong request."""
    code, said = getattr(error, "sqlite_errorcode", None), str(error)
    return (code is not None and code & 0xFF == sqlite3.SQLITE_CORRUPT) or said.startswith(WRONG)


class BusyError(GermaneError):
    """Error: another process keeps the database locked; trying again later may succeed."""


def is_busy(error: BaseException | None) -> bool:
    """Whether SQLite gave up waiting for another writer."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


WRONG = ("Could not decode to UTF-8", "no such column", "no such table")


def sqlite_engines(path: Path) -> tuple[sa.Engine, sa.Engine]:
    """Return the writing engine, with one connection, and the reading one."""
    if not path.parent.is_dir():
        hint = "create it, or choose another path for the database"
        raise InputError(path, None, f"no such folder: {str(path.parent)!r}", hint=hint)
    if kind := network_file_system(path):
        problem = f"the folder is on a network file system ({kind}), where SQLite may lose data"
        raise InputError(path, None, problem, hint="use a local disk or `store='postgresql://…'`")
    url = sa.URL.create("sqlite", database=str(path))
    arguments = {"timeout": BUSY_SECONDS, "check_same_thread": False}
    writer = sa.create_engine(url, connect_args=arguments, poolclass=StaticPool)
    reader = sa.create_engine(url, connect_args=arguments)
    _start_transactions_with(writer, "BEGIN IMMEDIATE", read_only=False)
    _start_transactions_with(reader, "BEGIN", read_only=True)
    return writer, reader


def _start_transactions_with(engine: sa.Engine, begin: str, *, read_only: bool) -> None:
    """Stop Python's sqlite3 from starting transactions implicitly; we send BEGIN ourselves."""

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
        if not read_only and (mode := _wal(cursor)) != "wal":
            problem = f"expected SQLite to keep a write-ahead log here, found journal mode {mode!r}"
            raise GermaneError(problem, hint="use a file on a local disk")
        wanted = ("synchronous = FULL", "foreign_keys = ON", "recursive_triggers = ON")
        for pragma in (*wanted, f"query_only = {int(read_only)}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def start(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)


def _wal(cursor: Any) -> str:
    """Switch to the write-ahead log. Processes that open a new file at once may collide here despite the timeout."""
    deadline = time.monotonic() + BUSY_SECONDS
    while time.monotonic() < deadline:
        with suppress(sqlite3.OperationalError):
            return str(cursor.execute("PRAGMA journal_mode = WAL").fetchone()[0])
        time.sleep(0.01)
    return str(cursor.execute("PRAGMA journal_mode = WAL").fetchone()[0])
