"""A PostgreSQL server of the tests' own: in a folder that user postgres owns, reached by a socket, gone at the end."""

import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from germane.judging.store import schema


def programs() -> Path | None:
    """The folder of initdb and postgres, the newest version's; None where the server is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[4]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@contextmanager
def running_server(folder_of_programs: Path) -> Iterator[str]:
    """The address of a fresh server; put a database's name after it with `new_database`."""
    # initdb refuses to run as root, so root runs it as postgres, who must own the folder.
    user = "postgres" if hasattr(os, "getuid") and os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if user:
            shutil.chown(folder, user)
        data = folder / "data"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "user": user, "cwd": folder}
        initdb = [folder_of_programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8"]
        subprocess.run(initdb, check=True, **quiet)  # type: ignore[call-overload]
        options = ["-k", folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "shared_buffers=16MB"]
        options += ["-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "autovacuum=off"]
        server = subprocess.Popen([folder_of_programs / "postgres", "-D", data, *options], **quiet)  # type: ignore[call-overload]
        try:
            _wait(server, folder)
            yield str(folder)
        finally:
            server.send_signal(signal.SIGINT)  # SIGTERM would wait for every client to leave
            server.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_database(folder: str) -> str:
    """The address of a new, empty schema on that server, which is a database of its own and faster to make."""
    name = f"judging_{uuid.uuid4().hex}"
    with psycopg.connect(host=folder, user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return f"postgresql://postgres@/postgres?host={folder}&options=-csearch_path%3D{name}"


def empty(store: str) -> None:
    """Empty all tables of a database, which is faster than making them: no trigger keeps the server's owner from it."""
    names = [name for name in schema.metadata.tables if name != "schema_steps"]
    with psycopg.connect(store, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(f"TRUNCATE {', '.join(names)} RESTART IDENTITY")
        connection.execute("DELETE FROM schema_steps WHERE version > %s", [schema.VERSION])


def _wait(server: "subprocess.Popen[bytes]", folder: Path) -> None:
    import time

    for _ in range(600):
        assert server.poll() is None, "PostgreSQL did not start"
        try:
            psycopg.connect(host=str(folder), user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("PostgreSQL did not answer within 30 seconds")
