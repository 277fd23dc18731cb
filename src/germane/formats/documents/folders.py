"""The files of a folder or of a tar archive, and which of them contain documents.

A folder is one kind of collection. If any of its files contains TREC or SMART documents, those files are the
collection; else its text and HTML files are, one document each; else its files of records (JSON lines, CSV …). All
other files, such as a table beside the texts, are skipped and reported.
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
    """A file of a collection: its path in the collection, its name in error messages, and its size in bytes (None if
    compressed, so unknown)."""

    name: str
    source: str
    size: int | None
    open: Callable[[], BinaryIO]


Files = Callable[[], Iterator[CollectionFile]]
"""Function that yields the files in order; each must be opened before the next is requested."""


def folder_files(folder: Path) -> Iterator[CollectionFile]:
    """Yield the files in a folder and its subfolders, sorted by path."""
    for path in files_inside(folder):
        size = path.stat().st_size if is_plain_file(path) else None
        yield CollectionFile(path.relative_to(folder).as_posix(), str(path), size, partial(open_source, path))


def files_inside(folder: Path) -> Iterator[Path]:
    """Yield the paths of all files below a folder, sorted; links that lead out of the folder are not followed."""
    inside = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.resolve().is_relative_to(inside):
            yield path


def tar_files(path: Path) -> Iterator[CollectionFile]:
    """Yield the files of a tar archive in their order, without unpacking them to disk."""
    try:
        with open_source(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                if member.isfile():
                    name = member.name.removeprefix("./")
                    opened: Any = partial(archive.extractfile, member)
                    yield CollectionFile(name, f"{path}:{name}", member.size, opened)
    except tarfile.TarError as error:
        problem = f"invalid tar archive: {error}"
        raise InputError(path, None, problem, hint="copy or download it again") from None


def is_tar(head: bytes) -> bool:
    """Return whether the first bytes of a (decompressed) file are those of a tar archive."""
    return head[TAR_MARK_AT:].startswith(TAR_MARK)


class NoDocuments(NamedTuple):
    """The reason why a file is skipped."""

    why: str


class Chosen(NamedTuple):
    """A file to read: its kind, its size in bytes and its name in error messages."""

    kind: Kind
    size: int | None
    source: str


def choose(files: Iterable[CollectionFile], *, is_archived: bool) -> tuple[dict[str, Chosen], list[tuple[str, str]]]:
    """Return the files to read, by name, and the skipped files with the reason."""
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
    return chosen, skipped + [(source, "differs in format from the documents of this collection") for source in others]


def _kind(file: CollectionFile, *, is_archived: bool) -> Kind | NoDocuments:
    """Return the kind of a file, or why it is skipped."""
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
    return NoDocuments(f"has the unsupported file extension {ending!r}")
