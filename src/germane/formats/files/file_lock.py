"""File locks, so that two processes never write the same file at once (Linux, macOS and Windows).

A lock belongs to an open file and ends when the file is closed, even if the process is killed. So a killed writer never
leaves a lock behind, although its lock file may remain.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from germane.errors import GermaneError, InputError

WAIT_SECONDS = 30.0
"""Seconds to wait for another writer; writing takes far less, so a longer wait means that it hangs."""
POLL_SECONDS = 0.005
"""Seconds between two attempts: short compared with writing, but causing next to no load."""

LOCKED_BYTE = 1 << 30
"""Offset of the byte to lock on Windows, where a locked byte cannot be read: beyond the end of any such file."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file exclusively; return False if it is already locked."""
    try:
        if os.name == "nt":
            import msvcrt

            place = os.lseek(descriptor, 0, os.SEEK_CUR)
            os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            finally:
                os.lseek(descriptor, place, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


@contextlib.contextmanager
def only_writer(path: str | Path, *, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold ``<path>.lock`` while writing to `path`, after waiting for any other holder.

    Readers need no lock if the file is replaced atomically.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, only_writer(Path(folder) / "agent.json"):
    ...     [path.name for path in Path(folder).iterdir()]
    ['agent.json.lock']
    """
    lock = Path(path).with_name(Path(path).name + ".lock")
    deadline = time.monotonic() + wait_seconds
    while (stream := _opened(path, lock)) is None:
        if time.monotonic() >= deadline:
            hint = "wait until it has finished, then try again"
            raise GermaneError(f"{path}: another process is writing to this file", hint=hint)
        time.sleep(POLL_SECONDS)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows cannot delete an open file; the next writer reuses it
            lock.unlink()
        stream.close()


def acquire_lock(lock: Path) -> BinaryIO | None:
    """Open a lock file and lock it until it is closed; None if another process holds it or has just removed it."""
    stream = lock.open("ab")
    try:
        if try_lock(stream.fileno()) and os.path.samestat(os.fstat(stream.fileno()), lock.stat()):
            return stream
    except FileNotFoundError:  # removed since it was opened, so a lock on it would have no effect
        pass
    except BaseException:
        stream.close()
        raise
    stream.close()
    return None


def _opened(path: str | Path, lock: Path) -> BinaryIO | None:
    try:
        return acquire_lock(lock)
    except OSError as error:
        if os.name == "nt" and isinstance(error, PermissionError):  # the file is being removed
            return None
        raise InputError(path, None, f"cannot write the file: {error.strerror or error}") from None
