"""An index's folder: what is in it, whether it is whole, and how one state replaces another.

``manifest.json`` names the analyser, the segments, their files with size and checksums, and the deleted documents, and
has a checksum of its own. It is replaced in one step once all that it names is on the disk; so a write that is
interrupted leaves the index as it was, and what it left behind is swept away by the next writer.
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
"""The names of everything that germane puts into an index's folder; nothing else there is ever touched.

Version 1 had a checked.json: its index can be overwritten.
"""
KINDS = {"analyser": str, "positions": bool, "texts": bool, "segments": list, "next_segment": int, "stop_lists": dict}
"""What a manifest has under each name."""
ARRAY_TYPES = ("|u1", "<u2", "<i4", "<i8")
"""The types that arrays of an index have, as NumPy writes them."""
MEND = "index the documents again with `germane index FOLDER DOCUMENTS --overwrite`, or restore the file from a copy"


@dataclass(frozen=True)
class FileEntry:
    """A file of one array: bytes, type and number of its values, and the CRC-32 of each block of bytes, in hex."""

    size: int
    dtype: str
    length: int
    sums: str


@dataclass(frozen=True)
class SegmentEntry:
    """A segment: its folder, its files, and the file that says which documents are deleted, if any are."""

    folder: str
    files: dict[str, FileEntry]
    num_docs: int
    deleted: str | None = None
    deleted_file: FileEntry | None = None


@dataclass(frozen=True)
class Manifest:
    """What an index consists of: how words are analysed, whether positions and texts are kept, its segments."""

    analyser: str
    positions: bool = False
    texts: bool = True
    segments: tuple[SegmentEntry, ...] = ()
    next_segment: int = 1
    stop_lists: dict[str, list[str]] = field(default_factory=dict)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an index; an error says what is wrong with it."""
    path = folder / MANIFEST
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "a folder without manifest.json" if folder.is_dir() else "no such folder"
        hint = f"`germane index {folder} DOCUMENTS…` makes one"
        raise InputError(folder, None, f"expected an index, found {what}", hint=hint) from None
    except (ValueError, RecursionError) as error:
        problem = f"expected the manifest of an index, found a damaged file: {json_problem(error)}"
        raise InputError(path, None, problem, hint=MEND) from None
    except NotADirectoryError:
        raise InputError(folder, None, "expected an index (a folder), found a file") from None
    if not isinstance(body, dict) or body.get("germane_index") != VERSION:
        found = body.get("germane_index") if isinstance(body, dict) else body
        hint = "index the documents again with this version of germane"
        raise InputError(path, None, f"expected an index of version {VERSION}, found {found!r}", hint=hint)
    if body.get("checksum") != (found := checksum_of(body)):
        problem = f"expected checksum {body.get('checksum')!r}, found {found!r}"
        raise InputError(path, None, f"part of an index is damaged: {problem}", hint=MEND)
    try:
        _require_kinds(body)
        segments = []
        for entry in body["segments"]:
            files = {name: FileEntry(**file) for name, file in entry["files"].items()}
            deleted_file = None if entry["deleted_file"] is None else FileEntry(**entry["deleted_file"])
            segments.append(SegmentEntry(entry["folder"], files, entry["num_docs"], entry["deleted"], deleted_file))
        return Manifest(**{**{name: body[name] for name in KINDS}, "segments": tuple(segments)})
    except (KeyError, TypeError, AttributeError, GermaneError) as error:
        problem = f"expected the manifest of an index, found a damaged file: {shape_problem(error)}"
        raise InputError(path, None, problem, hint=MEND) from None


def _require_kinds(body: dict[str, Any]) -> None:
    """What later steps take for granted; the rest fails where it is used."""
    for name, kind in KINDS.items():
        if not isinstance(body[name], kind):
            raise GermaneError(f"a value of the wrong kind under {name!r}")
    for entry in body["segments"]:
        folder, deleted = entry["folder"], entry["deleted"]
        if not isinstance(folder, str) or not isinstance(deleted, str | None) or not isinstance(entry["num_docs"], int):
            raise GermaneError("a value of the wrong kind under 'segments'")
        files = [*entry["files"].values(), *([] if entry["deleted_file"] is None else [entry["deleted_file"]])]
        if not all(map(_is_file_entry, files)):
            raise GermaneError("a value of the wrong kind under 'files'")
    if not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words)
        for words in body["stop_lists"].values()
    ):
        raise GermaneError("a value of the wrong kind under 'stop_lists'")


def _is_file_entry(file: dict[str, Any]) -> bool:
    counts, texts = (file["size"], file["length"]), (file["dtype"], file["sums"])
    if not (all(type(count) is int and count >= 0 for count in counts) and all(isinstance(t, str) for t in texts)):
        return False
    return file["dtype"] in ARRAY_TYPES and re.fullmatch("(?:[0-9a-f]{8})*", file["sums"]) is not None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    path = folder / MANIFEST
    partial = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_native_id()}.partial")
    with partial.open("w", encoding="utf-8") as stream:
        body = {"germane_index": VERSION, **asdict(manifest)}
        stream.write(json.dumps({**body, "checksum": checksum_of(body)}, indent=1))
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)


def is_index_or_new(folder: Path) -> bool:
    """Whether nothing but an index is there: whole, damaged, or what an interrupted first build left behind.

    >>> is_index_or_new(Path("no such folder"))
    True
    """
    return not folder.exists() or (folder.is_dir() and all(OURS.fullmatch(path.name) for path in folder.iterdir()))


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Be the only one who writes to this index; what an interrupted writer left behind is swept away first.

    The folder must be an index, or hold nothing but what is ours.
    """
    try:
        made = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        stream = acquire_lock(folder / LOCK)
        if stream is None:
            hint = "wait until it has ended"
            raise GermaneError(f"{folder}: another process is writing to this index", hint=hint)
        with stream:
            try:
                _sweep(folder)
                yield
            finally:
                _sweep(folder)
                # Only while it is locked: before that, the folder may be one that another process is filling.
                if made and not (folder / MANIFEST).exists():
                    shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        hint = "make room and try again: nothing was lost" if error.errno == errno.ENOSPC else "nothing was lost"
        problem = f"cannot be written: {error.strerror or error}; the index is as it was"
        raise InputError(folder, None, problem, hint=hint) from None


def _sweep(folder: Path) -> None:
    """Remove the segments and lists of deleted documents that the manifest does not name."""
    kept: dict[str, set[str | None]] = {}
    with contextlib.suppress(InputError):  # one that cannot be read names nothing: its index is to be replaced
        for segment in read_manifest(folder).segments:
            kept[segment.folder] = {segment.deleted, *(f"{name}.npy" for name in segment.files)}
    for path in [path for path in folder.glob("segment-*") if OURS.fullmatch(path.name)]:
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)
            continue
        for file in path.iterdir():
            if file.name not in kept[path.name]:
                file.unlink(missing_ok=True)
