"""Keeping an SQLite file safe: one server at a time, snapshots, and no network file system beneath it."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import IO

from germane.errors import GermaneError
from germane.formats.file_lock import acquire_lock

NETWORK_FILE_SYSTEMS = re.compile(
    r"nfs\d?|cifs|smb\w*|afs|ncpfs|glusterfs|ceph|lustre|davfs|fuse\.(?:sshfs|s3fs|rclone)"
)
"""SQLite's write-ahead log needs shared memory, which these do not give to two machines."""


def lock_file(path: Path) -> IO[bytes]:
    """Hold ``<path>.lock`` until the returned file is closed or the process ends, however it ends."""
    file = acquire_lock(path.with_name(path.name + ".lock"))
    if file is None:
        raise GermaneError(
            f"another process is serving {path}", hint="stop it first, or open the address that it printed"
        )
    return file


def back_up(path: Path, *, keep: int, now: str) -> Path:
    """Copy the database with SQLite's online backup, which is safe while others write; the oldest copies beyond `keep`
    go.

    The copy is ``<path>.backup-<time>``, complete once it has that name.
    """
    target = path.with_name(f"{path.name}.backup-{re.sub(r'[^0-9TZ]', '', now[:23])}")
    unfinished = target.with_name(target.name + ".part")
    source, copy = sqlite3.connect(path, timeout=30), sqlite3.connect(unfinished)
    try:
        source.backup(copy)
    except BaseException:
        copy.close()
        unfinished.unlink()
        raise
    finally:
        copy.close()
        source.close()
    unfinished.replace(target)
    for old in snapshots(path)[:-keep]:
        old.unlink()
    return target


def snapshots(path: Path) -> list[Path]:
    """The backups of a database, oldest first."""
    return sorted(file for file in path.parent.glob(f"{path.name}.backup-*") if not file.name.endswith(".part"))


def network_file_system(path: Path, mounts: Path = Path("/proc/self/mounts")) -> str | None:
    """The kind of network file system that a path lies on, or None where it lies on none, or that is not known."""
    if not mounts.is_file():
        return None
    place, found, longest = path.resolve(), None, -1
    for line in mounts.read_text(encoding="utf-8", errors="replace").splitlines():
        mount, kind = line.split()[1:3]
        folder = Path(mount.replace("\\040", " "))
        if place.is_relative_to(folder) and len(folder.parts) >= longest:
            longest, found = len(folder.parts), kind
    return found if found and NETWORK_FILE_SYSTEMS.fullmatch(found) else None
