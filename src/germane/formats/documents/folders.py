"""The files of a folder or of a tar archive, and which of them hold documents.

A folder is one kind of collection. If any of its files has TREC's or SMART's documents, those files are the
collection; else its text and HTML files are, each a document; else its files of records (JSON lines, CSV …). What
belongs to none of these, such as a table beside the texts, is left out and named.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

from germane.errors import InputError
from germane.formats.documents import document_formats as formats
from germane.formats.documents.document_formats import RecordFormat
from germane.formats.files.sources import is_plain_file, open_source

TAR_MARK = b"ustar"
TAR_MARK_AT = 257

Kind = Literal["text", "html"] | RecordFormat


@dataclass(frozen=True)
class CollectionFile:
    """One file: its path inside the collection, how errors call it, and how many bytes there are to read (None if it is
    compressed, and that is not known)."""

    name: str
    source: str
    size: int | None
    open: Callable[[], BinaryIO]


Files = Callable[[], Iterator[CollectionFile]]
"""Gives the files in order, each to be opened before the next is asked for."""


def folder_files(folder: Path) -> Iterator[CollectionFile]:
    """The files in a folder and in the folders inside it, by name."""
    for path in files_inside(folder):
        size = path.stat().st_size if is_plain_file(path) else None
        yield CollectionFile(path.relative_to(folder).as_posix(), str(path), size, partial(open_source, path))


def files_inside(folder: Path) -> Iterator[Path]:
    """The files below a folder, in order. A link that leads out of it is not followed: that file was not offered."""
    inside = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(inside):
            yield path


def tar_files(path: Path) -> Iterator[CollectionFile]:
    """The files in a tar archive, in its order. Nothing is unpacked to disk."""
    try:
        with open_source(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    name = member.name.removeprefix("./")
                    opened: Any = partial(archive.extractfile, member)
                    yield CollectionFile(name, f"{path}:{name}", member.size, opened)
    except tarfile.TarError as error:
        problem = f"cannot be read as a tar archive: {error}"
        raise InputError(path, None, problem, hint="copy or download it again") from None


def is_tar(head: bytes) -> bool:
    """Whether a file that begins so (decompressed) is a tar archive."""
    return head[TAR_MARK_AT:].startswith(TAR_MARK)


class NoDocuments(NamedTuple):
    """A file is left out, and why."""

    why: str


class Chosen(NamedTuple):
    """A file to read: what it is, how many bytes it has, and how errors call it."""

    kind: Kind
    size: int | None
    source: str


def choose(files: Iterable[CollectionFile], *, is_archived: bool) -> tuple[dict[str, Chosen], list[tuple[str, str]]]:
    """The files to read, by name; and each other one, with why it is left out."""
    groups: dict[str, dict[str, Chosen]] = {"tagged": {}, "texts": {}, "records": {}}
    skipped = []
    for file in files:
        found = _kind(file, is_archived=is_archived)
        if isinstance(found, NoDocuments):
            skipped.append((file.source, found.why))
            continue
        group = "texts" if isinstance(found, str) else "tagged" if found in (formats.SGML, formats.SMART) else "records"
        groups[group][file.name] = Chosen(found, file.size, file.source)
    chosen = next((group for group in groups.values() if group), {})
    others = (one.source for group in groups.values() if group is not chosen for one in group.values())
    return chosen, skipped + [(source, "is of another kind than the documents of this collection") for source in others]


def _kind(file: CollectionFile, *, is_archived: bool) -> Kind | NoDocuments:
    """What a file is."""
    name = formats.uncompressed_name(file.name)
    ending = name.suffix.lower()
    if any(part.startswith(".") for part in name.parts):
        return NoDocuments("is hidden")
    if is_archived and name.as_posix() != file.name:
        return NoDocuments("is a compressed file inside an archive")
    if ending in formats.IMAGE_ENDINGS:
        return NoDocuments("is an image")
    if ending in formats.HTML_ENDINGS:
        return "html"
    by_ending = formats.format_by_ending(name.name)
    if by_ending is not None and by_ending is not formats.SGML:
        return by_ending
    with file.open() as stream:
        found = formats.format_by_content(stream.read(formats.HEAD_BYTES)) or by_ending
    if found is not None:
        return found
    if ending in formats.TEXT_ENDINGS:
        return "text"
    return NoDocuments(f"has the ending {ending!r}, which no documents have")
