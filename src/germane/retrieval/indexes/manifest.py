"""The index folder: its contents, integrity checks, and atomic replacement of one state by the next.

``manifest.json`` names the analyser, the segments, their files with size and checksums, and the deleted documents, and
has a checksum of its own. It is replaced atomically once everything it names is on disk, so an interrupted write leaves
the index unchanged, and the next writer removes the leftovers.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from germane.errors import GermaneError, InputError
from germane.formats.files.file_lock import acquire_lock
from germane.formats.files.json_text import checksum_of, json_problem, shape_problem

VERSION = 2
MANIFEST = "manifest.json"
LOCK = "writing.lock"
OURS = re.compile(r"(manifest|checked)\.json(\.\d+-\d+\.partial)?|writing\.lock|segment-\d{6}")
"""Names of all files that germane writes to an index folder; nothing else there is ever touched.

Version 1 also had a checked.json; such an index can be overwritten.
"""
KINDS = {"analyser": str, "positions": bool, "texts": bool, "segments": list, "next_segment": int, "stop_lists": dict}
"""Keys of a manifest and the types of their values."""
ARRAY_TYPES = ("|u1", "<u2", "<i4", "<i8")
"""Types of the arrays of an index, as NumPy writes them."""
MEND = "index again with `germane index FOLDER DOCUMENTS --overwrite`, or restore the file from a backup"


@dataclass(frozen=True)
class FileEntry:
    """A file of one array: bytes, type and number of values, and the CRC-32 of each block, in hex."""

    size: int
    dtype: str
    length: int
    sums: str


@dataclass(frozen=True)
class SegmentEntry:
    """A segment: its folder, its files, and the file that marks deleted documents, if any."""

    folder: str
    files: dict[str, FileEntry]
    num_docs: int
    deleted: str | None = None
    deleted_file: FileEntry | None = None


@dataclass(frozen=True)
class Manifest:
    """The contents of an index: its analyser, whether it stores positions and texts, and its segments."""

    analyser: str
    positions: bool = False
    texts: bool = True
    segments: tuple[SegmentEntry, ...] = ()
    next_segment: int = 1
    stop_lists: dict[str, list[str]] = field(default_factory=dict)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of an index; an error says what is wrong with it."""
    path = folder / MANIFEST
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "a folder without manifest.json" if folder.is_dir() else "no such folder"
        hint = f"run `germane index {folder} DOCUMENTS…` to create one"
        raise InputError(folder, None, f"expected an index, found {what}", hint=hint) from None
    except (ValueError, RecursionError) as error:
        problem = f"expected an index manifest, found a damaged file: {json_problem(error)}"
        raise InputError(path, None, problem, hint=MEND) from None
    except NotADirectoryError:
        raise InputError(
            folder, None, "expected an index (a folder), found a file", hint="pass a folder created by `germane index`"
        ) from None
    if not isinstance(body, dict) or body.get("germane_index") != VERSION:
        found = body.get("germane_index") if isinstance(body, dict) else body
        hint = "index again with this version of germane"
        raise InputError(path, None, f"expected an index of version {VERSION}, found {found!r}", hint=hint)
    if body.get("checksum") != (found := checksum_of(body)):
        problem = f"expected checksum {body.get('checksum')!r}, found {found!r}"
        raise InputError(path, None, f"damaged index: {problem}", hint=MEND)
    try:
        _require_kinds(body)
        segments = []
        for entry in body["segments"]:
            files = {name: FileEntry(**file) for name, file in entry["files"].items()}
            deleted_file = None if entry["deleted_file"] is None else FileEntry(**entry["deleted_file"])
            segments.append(SegmentEntry(entry["folder"], files, entry["num_docs"], entry["deleted"], deleted_file))
        return Manifest(**{**{name: body[name] for name in KINDS}, "segments": tuple(segments)})
    except (KeyError, TypeError, AttributeError, GermaneError) as error:
        problem = f"expected an index manifest, found a damaged file: {shape_problem(error)}"
        raise InputError(path, None, problem, hint=MEND) from None


def _require_kinds(body: dict[str, Any]) -> None:
    """Check the types that later steps rely on; the rest fails where it is used."""
    for name, kind in KINDS.items():
        if not isinstance(body[name], kind):
            raise GermaneError(f"wrong type of value under {name!r}")
    for entry in body["segments"]:
        folder, deleted = entry["folder"], entry["deleted"]
        if not isinstance(folder, str) or not isinstance(deleted, str | None) or not isinstance(entry["num_docs"], int):
            raise GermaneError("wrong type of value under 'segments'")
        files = [*entry["files"].values(), *([] if entry["deleted_file"] is None else [entry["deleted_file"]])]
        if not all(map(_is_file_entry, files)):
            raise GermaneError("wrong type of value under 'files'")
    if not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words)
        for words in body["stop_lists"].values()
    ):
        raise GermaneError("wrong type of value under 'stop_lists'")


def _is_file_entry(file: dict[str, Any]) -> bool:
    counts, texts = (file["size"], file["length"]), (file["dtype"], file["sums"])
    if not (all(type(count) is int and count >= 0 for count in counts) and all(isinstance(t, str) for t in texts)):
        return False
    return file["dtype"] in ARRAY_TYPES and re.fullmatch("(?:[0-9a-f]{8})*", file["sums"]) is not None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically."""
    path = folder / MANIFEST
    partial = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_native_id()}.partial")
    with partial.open("w", encoding="utf-8") as stream:
        body = {"germane_index": VERSION, **asdict(manifest)}
        stream.write(json.dumps({**body, "checksum": checksum_of(body)}, indent=1))
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)


def is_index_or_new(folder: Path) -> bool:
    """Whether the folder is new or holds nothing but an index: complete, damaged, or left by an interrupted build.

    >>> is_index_or_new(Path("no such folder"))
    True
    """
    return not folder.exists() or (folder.is_dir() and all(OURS.fullmatch(path.name) for path in folder.iterdir()))


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Lock the index for writing; leftovers of an interrupted writer are removed first.

    The folder must be an index, or contain nothing but germane's own files.
    """
    try:
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        stream = acquire_lock(folder / LOCK)
        if stream is None:
            hint = "wait until it has finished"
            raise GermaneError(f"{folder}: another process is writing to this index", hint=hint)
        with stream:
            try:
                _sweep(folder)
                yield
            finally:
                _sweep(folder)
                # Only while locked: otherwise another process may be filling the folder.
                if made and not (folder / MANIFEST).exists():
                    shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        hint = "free disk space and try again; nothing was lost" if error.errno == errno.ENOSPC else "nothing was lost"
        problem = f"cannot write: {error.strerror or error}; the index is unchanged"
        raise InputError(folder, None, problem, hint=hint) from None


def _sweep(folder: Path) -> None:
    """Remove segments and lists of deleted documents that the manifest does not name."""
    kept: dict[str, set[str | None]] = {}
    with contextlib.suppress(InputError):  # an unreadable manifest names nothing: its index is being replaced
        for segment in read_manifest(folder).segments:
            kept[segment.folder] = {segment.deleted, *(f"{name}.npy" for name in segment.files)}
    for path in [path for path in folder.glob("segment-*") if OURS.fullmatch(path.name)]:
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)
            continue
        for file in path.iterdir():
            if file.name not in kept[path.name]:
                file.unlink(missing_ok=True)
