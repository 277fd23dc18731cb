"""The documents that assessors read, fetched one at a time by id; only the places of those asked for are kept in
memory.

What is understood: a folder of text, HTML and image files (the file name, with or without extension, is the id); a
BEIR folder; and any one file of records that `germane.formats.documents.reading` reads. Documents are hostile text:
nothing here is fit to be put into a page as it is.
"""

from __future__ import annotations

import html
import json
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Protocol

from germane.errors import InputError, did_you_mean
from germane.formats.documents.document_formats import (
    CSV,
    HEAD_BYTES,
    HTML_ENDINGS,
    IMAGE_ENDINGS,
    TEXT_ENDINGS,
    UNDERSTOOD,
    RecordFormat,
    format_by_content,
    format_by_ending,
)
from germane.formats.documents.folders import files_inside
from germane.formats.documents.reading import Document, corpus_of, document_parts
from germane.formats.documents.records import id_field_hint
from germane.formats.files.sources import is_plain_file, open_source
from germane.formats.rows.text import BOM
from germane.temporary import written_to_a_temporary_file

MOST_CHARACTERS = 2_000_000
MOST_IMAGE_BYTES = 20_000_000

IMAGE_TYPES: Mapping[str, tuple[str, bytes]] = {
    ".png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    ".jpg": ("image/jpeg", b"\xff\xd8\xff"),
    ".jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    ".gif": ("image/gif", b"GIF8"),
    ".webp": ("image/webp", b"RIFF"),
}
"""Image types by file extension, with their magic bytes. SVG is excluded because it can contain scripts."""


class Documents(Protocol):
    """A collection of documents by id, safe to use from several threads."""

    def get(self, doc: str) -> Document | None: ...

    @property
    def not_shown(self) -> tuple[str, ...]:
        """Fields of the records that assessors do not see, although they were not excluded."""

    def missing(self, wanted: Iterable[str]) -> list[str]:
        """Return the ids that the collection lacks."""

    def close(self) -> None: ...


def open_documents(
    path: str | Path,
    wanted: Collection[str] | None = None,
    *,
    fields: Sequence[str] | None = None,
    id_field: str | None = None,
) -> Documents:
    """Open a collection. Of a file, only the places of the `wanted` documents are remembered (of all, if None).

    `fields` are the parts of a record that are shown, in that order; a title among them is its heading. `id_field` is
    the part that is the id.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "corpus.jsonl").write_text('{"_id": "d1", "title": "Wine", "text": "Red or white?"}')
    ...     documents = open_documents(folder)
    ...     documents.get("d1").text, documents.missing(["d1", "d2"])
    ...     documents.close()
    ('Red or white?', ['d2'])
    """
    source = Path(path)
    parts = document_parts(path)
    if source.is_dir() and not parts:
        corpus = corpus_of(source)
        if corpus is None:
            if fields is not None or id_field is not None:
                problem = "expected a file of records to choose fields from, found a folder"
                raise InputError(source, None, problem, hint="remove `fields=` and `id_field=`")
            return FolderOfDocuments(source)
        source = corpus
    elif not source.exists():
        raise InputError(source, None, "no such file or folder of documents")
    found = format_by_ending(parts[0].path.name if parts else source.name)
    if found is None:
        with open_source(source) as stream:
            found = format_by_content(stream.read(HEAD_BYTES))
    if found is None:
        hint = "rename the file: its extension decides how documents are read"
        raise InputError(source, None, f"expected {UNDERSTOOD}, found {source.name!r}", hint=hint)
    as_read = str.lower if found is CSV else str  # its header is read in lower case
    ids = found.id_names if id_field is None else (as_read(id_field),)
    chosen = None if fields is None else [as_read(name) for name in fields]
    return FileOfDocuments(source, replace(found, id_names=ids), None if wanted is None else frozenset(wanted), chosen)


class FolderOfDocuments:
    """Files in a folder and its subfolders. A document's id is its path there, with or without the extension."""

    not_shown = ()

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._files: dict[str, Path] = {}
        clashes: dict[str, list[Path]] = {}
        known = {*IMAGE_ENDINGS, *HTML_ENDINGS, *TEXT_ENDINGS}
        for file in files_inside(self.folder):
            if file.suffix.lower() not in known:
                continue
            name = file.relative_to(self.folder)
            self._files[name.as_posix()] = file
            clashes.setdefault(name.with_suffix("").as_posix(), []).append(file)
        for stem, files in clashes.items():
            if len(files) == 1:
                self._files.setdefault(stem, files[0])
        self._ambiguous = {name: files for name, files in clashes.items() if len(files) > 1 and name not in self._files}

    def get(self, doc: str) -> Document | None:
        if files := self._ambiguous.get(doc):
            found = ", ".join(file.name for file in files)
            problem = f"expected one file for document {doc!r}, found {found}"
            name = files[0].relative_to(self.folder).as_posix()
            raise InputError(self.folder, None, problem, hint=f"use ids with the file extension, such as {name!r}")
        file = self._files.get(doc)
        return None if file is None else read_document_file(file, doc)

    def missing(self, wanted: Iterable[str]) -> list[str]:
        return [doc for doc in wanted if doc not in self._files and doc not in self._ambiguous]

    def close(self) -> None:
        pass


def read_document_file(file: Path, doc: str) -> Document:
    """Read one file as a document; its extension decides the type."""
    ending = file.suffix.lower()
    if ending in IMAGE_TYPES:
        media_type, start = IMAGE_TYPES[ending]
        if (size := file.stat().st_size) > MOST_IMAGE_BYTES:
            problem = f"expected an image of at most {MOST_IMAGE_BYTES:,} bytes, found {size:,}"
            raise InputError(file, None, problem, hint="reduce its size")
        data = file.read_bytes()
        if not data.startswith(start):
            problem = f"expected an image of type {media_type}, found other content"
            raise InputError(file, None, problem, hint="rename the file with the extension of its type")
        return Document(doc, kind="image", media_type=media_type, data=data)
    with file.open("rb") as stream:
        text, remarks = _decoded(stream.read(4 * MOST_CHARACTERS + 4))
    if ending in HTML_ENDINGS:
        return Document(doc, text, kind="html", media_type="text/html", remarks=remarks)
    return Document(doc, text, remarks=remarks)


class FileOfDocuments:
    """The documents of one file. It is read once to find them; those that cannot be read again where they are, because
    it is compressed or no text, are copied to a temporary file."""

    def __init__(
        self, path: Path, kind: RecordFormat, wanted: frozenset[str] | None, chosen: Sequence[str] | None = None
    ) -> None:
        self.path = path
        self.kind = kind if chosen is None else _choosing(kind, chosen)
        self.chosen = chosen
        self._names: dict[str, None] = {}
        self._not_shown: dict[str, None] = {}
        self._lock = Lock()
        self._places: dict[str, tuple[int, int]] = {}
        reader = kind.reader(str(path), errors="replace", id_names=kind.id_names)
        rereads = is_plain_file(path) and reader.rereads
        self._fields = reader.fields if rereads else json.loads
        lines: dict[str, int] = {}
        with open_source(path) as stream, written_to_a_temporary_file("documents"), ExitStack() as unless_it_works:
            spool = None if rereads else unless_it_works.enter_context(tempfile.TemporaryFile())
            for record in reader.records(stream):
                ids = [record.fields[name] for name in kind.id_names if record.fields.get(name) is not None]
                if not ids:
                    found = ", ".join(map(str, record.fields)) or "nothing"
                    problem = f"expected an id ({', '.join(kind.id_names)}), found {found}"
                    raise InputError(path, record.line, problem, hint=id_field_hint(tuple(record.fields)))
                doc = str(ids[0])
                if wanted is not None and doc not in wanted:
                    continue
                self._names |= dict.fromkeys(record.fields)
                if chosen is None:
                    seen = {*kind.id_names, *_shown_names(record.fields, kind)}
                    self._not_shown |= {name: None for name, said in record.fields.items() if said and name not in seen}
                if doc in self._places:
                    raise InputError(path, record.line, f"duplicate document {doc!r} (first on line {lines[doc]})")
                lines[doc] = record.line
                if spool is None:
                    self._places[doc] = (record.start, record.size)
                else:
                    data = json.dumps(dict(record.fields), default=str).encode()
                    self._places[doc] = (spool.tell(), len(data))
                    spool.write(data)
            for name in chosen or ():
                if self._places and name not in self._names:
                    problem = f"unknown field {name!r}{did_you_mean(name, self._names)}"
                    raise InputError(path, None, problem, hint=f"choose from {', '.join(self._names)}")
            if spool is not None:
                spool.flush()
            unless_it_works.pop_all()
        self._file: BinaryIO = spool if spool is not None else path.open("rb")

    def get(self, doc: str) -> Document | None:
        place = self._places.get(doc)
        if place is None:
            return None
        with self._lock:
            self._file.seek(place[0])
            data = self._file.read(place[1])
        said = self._fields(data)
        shown = said if self.chosen is None else {name: said[name] for name in self.chosen if name in said}
        return _document(doc, shown, self.path, self.kind)

    @property
    def not_shown(self) -> tuple[str, ...]:
        return tuple(self._not_shown)

    def missing(self, wanted: Iterable[str]) -> list[str]:
        return [doc for doc in wanted if doc not in self._places]

    def close(self) -> None:
        self._file.close()


def _choosing(kind: RecordFormat, chosen: Sequence[str]) -> RecordFormat:
    """Return the format with the chosen fields as its text; the first field named like a title is the title."""
    titles = [name for name in kind.title_names if name in chosen][:1]
    texts = tuple(name for name in chosen if name not in titles)
    return replace(kind, title_names=titles, text_names=texts, joins=True)


def _shown_names(fields: Mapping[str, Any], kind: RecordFormat) -> list[str]:
    """The fields of a record that assessors see: its title, its page or picture, and its text.

    A page is shown alone, since its text is usually that of the page again, unless fields were chosen.
    """
    titles = [name for name in kind.title_names if fields.get(name)][:1]
    main = [name for name in ("html", "image") if fields.get(name)][:1]
    texts = [name for name in kind.text_names if fields.get(name) is not None and name not in ("html", "image")]
    if not kind.joins:
        texts = [] if main == ["html"] else texts[:1]
    return [*titles, *main, *texts]


def _document(doc: str, fields: Mapping[str, Any], path: Path, kind: RecordFormat) -> Document:
    title = next((str(fields[name]) for name in kind.title_names if fields.get(name)), "")
    if kind.joins and fields.get("html") and fields.get("image"):
        problem = f"document {doc!r}: expected html or image among the fields to show, found both"
        raise InputError(path, None, problem, hint="choose one of them, as in `fields='image,text'`")
    shown = _shown_names(fields, kind)
    given = [str(fields[name]) for name in kind.text_names if name in shown and name not in ("html", "image")]
    if "html" in shown:
        beside = "".join(f"<pre>{html.escape(each)}</pre>" for each in given)
        text, remarks = _cut(str(fields["html"]) + beside)
        return Document(doc, text, title, "html", "text/html", remarks=remarks)
    if "image" in shown:
        file = (path.parent / str(fields["image"])).resolve()
        inside = file.is_relative_to(path.parent.resolve()) and file.is_file()
        if not inside or file.suffix.lower() not in IMAGE_TYPES:
            problem = f"document {doc!r}: expected an image in the folder of this file, found {fields['image']!r}"
            hint = f"use a path relative to this file, with an extension such as {next(iter(IMAGE_TYPES))}"
            raise InputError(path, None, problem, hint=hint)
        text, remarks = _cut("\n".join(given))
        return replace(read_document_file(file, doc), title=title, text=text, remarks=remarks)
    if not given and not kind.joins:
        expected = ", ".join(("html", "image", *kind.text_names))
        problem = f"document {doc!r}: expected a field to show ({expected}), found {', '.join(map(str, fields))}"
        raise InputError(path, None, problem, hint="choose the fields to show with `fields=…`")
    text, remarks = _cut("\n".join(given))
    if damaged := text.count("�"):
        remarks = (*remarks, f"{damaged} characters cannot be read")
    return Document(doc, text, title, remarks=remarks)


def _decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    data = data.removeprefix(BOM)
    try:
        return _cut(data.decode("utf-8"))
    except UnicodeDecodeError:
        text, remarks = _cut(data.decode("utf-8", errors="replace"))
        return text, (*remarks, f"{text.count('�')} characters cannot be read: the file is not UTF-8")


def _cut(text: str) -> tuple[str, tuple[str, ...]]:
    if len(text) <= MOST_CHARACTERS:
        return text, ()
    return text[:MOST_CHARACTERS], (f"truncated after {MOST_CHARACTERS:,} characters",)
