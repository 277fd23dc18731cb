"""Read documents to index or judge, one at a time.

Supported: a folder of text and HTML files (the id is the path in the folder without the file extension); JSON lines;
CSV with a header; TSV; a BEIR folder (with a corpus.jsonl); Parquet; TREC ``<DOC>`` files; SMART ``.I`` files; a folder
or a tar archive of such files; all of these compressed; and ``-``, standard input, for formats detected from the first
bytes (JSON lines, TREC, SMART). Documents are untrusted text: escape them before putting them into a web page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, cast

from germane.errors import InputError
from germane.formats.documents import document_formats as formats
from germane.formats.documents.blocks import DocumentBlock, blocks_of
from germane.formats.documents.document_formats import RecordFormat
from germane.formats.documents.folders import Files, choose, folder_files, is_tar, tar_files
from germane.formats.documents.html_text import read_html
from germane.formats.documents.json_columns import JsonColumnsReader
from germane.formats.documents.parts import PartsReader
from germane.formats.documents.records import Record
from germane.formats.documents.seen_ids import SeenIds
from germane.formats.documents.streams import counted, decoded, known_encoding, recoded
from germane.formats.files.addresses import Address, local_path
from germane.formats.files.part_folders import PartFile, Parts, naming_parts, parts_of
from germane.formats.files.sources import STDIN, first_bytes, is_plain_file, open_source, peek, source_name
from germane.formats.rows.text import BOM

Progress = Callable[[int, int | None], None]
"""Called with the number of bytes read so far and in total; None if unknown, as for a single compressed file."""

Skip = Callable[[str, str], None]
"""Called with the name of each skipped file of a folder, and why it was skipped."""

Unread = Callable[[str], None]
"""Called with the name of each field that is not part of the text, such as an extra column of a table."""


@dataclass(frozen=True)
class Document:
    """A document: `text` is plain text or HTML, depending on `kind`; an image has `data` and `media_type` instead.

    `remarks` state how it differs from the file: that it was truncated, or contains bytes that are not UTF-8.
    """

    id: str
    text: str = ""
    title: str = ""
    kind: Literal["text", "html", "image"] = "text"
    media_type: str = "text/plain"
    data: bytes = b""
    remarks: tuple[str, ...] = ()


def read_documents(
    path: str | Path,
    *,
    fields: Sequence[str] | None = None,
    id_field: str | None = None,
    encoding: str = "utf-8",
    progress: Progress | None = None,
    skip: Skip | None = None,
    unread: Unread | None = None,
) -> Iterator[Document]:
    """Read the documents of a collection in order, with one in memory at a time.

    `text` is what will be indexed: the title and the text or, with `fields`, exactly those fields, joined in that
    order. It is always plain text and may be empty. `id_field` is the field to use as the id; for files of a folder,
    ``name`` is the path with its extension.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "corpus.jsonl").write_text('{"_id": "d1", "title": "Wine", "text": "Red or white?"}')
    ...     [document.text for document in read_documents(folder)]
    ...     [document.text for document in read_documents(folder, fields=["text"])]
    ['Wine\\n\\x1dRed or white?']
    ['Red or white?']
    """
    reading = _Reading(path, fields, id_field, known_encoding(encoding), progress, skip, unread)
    return cast("Iterator[Document]", reading.documents())


def read_document_blocks(
    path: str | Path,
    *,
    fields: Sequence[str] | None = None,
    id_field: str | None = None,
    encoding: str = "utf-8",
    progress: Progress | None = None,
    skip: Skip | None = None,
    unread: Unread | None = None,
) -> Iterator[DocumentBlock]:
    """Read the documents of a collection as `read_documents` does, in blocks, which is faster for JSON lines."""
    reading = _Reading(path, fields, id_field, known_encoding(encoding), progress, skip, unread, in_blocks=True)
    return blocks_of(reading.documents())


FILE_FIELDS = RecordFormat("files", (), formats.JSON_LINES.reader, ("stem",), ("title",), ("text",), joins=True)
"""A text or HTML file as a record with the fields stem, name, title and text."""


@dataclass
class _Reading:
    """The state of reading one collection."""

    path: str | Path
    fields: Sequence[str] | None
    id_field: str | None
    encoding: str
    progress: Progress | None
    skip: Skip | None
    unread: Unread | None
    in_blocks: bool = False
    """Whether files of JSON lines are read in blocks; other files are always read document by document."""
    seen: SeenIds = field(default_factory=SeenIds)
    num_bytes: int = 0
    total: int | None = None
    readers: dict[str, PartsReader] = field(default_factory=dict)

    def documents(self) -> Iterator[Document | DocumentBlock]:
        place = Path(self.path)
        if str(self.path) != STDIN and place.is_dir():
            corpus = corpus_of(place)
            if corpus is not None:
                yield from self._file(corpus)
            elif document_parts(self.path):
                with naming_parts(self.path):
                    yield from self._file(self.path)
            else:
                yield from self._collection(partial(folder_files, place), is_archived=False)
        elif str(self.path) != STDIN and place.is_file() and is_tar(first_bytes(place, 512)):
            yield from self._collection(partial(tar_files, place), is_archived=True)
        else:
            yield from self._file(self.path)
        for reader in self.readers.values():
            if reader.fields and (unseen := [name for name in reader.fields if name not in reader.seen]):
                raise reader.no_such_field(unseen[0], source_name(self.path), None)
            if self.unread is not None and reader.format is not FILE_FIELDS:  # plain files have no fields
                for name in reader.unread:
                    self.unread(name)

    def _file(self, path: str | Path) -> Iterator[Document | DocumentBlock]:
        """Yield the documents of one file with many documents."""
        source = source_name(path)
        self.total = local_path(path).stat().st_size if is_plain_file(path) else None
        head, stream = peek(open_source(path), formats.HEAD_BYTES)
        parts = document_parts(path)
        name = parts[0].path.name if parts else source
        found = formats.format_by_ending(name) or formats.format_by_content(head)
        with closing(counted(stream, self._count)) as bytes_read:
            if found is formats.PARQUET:
                yield from self._records(bytes_read, source, formats.PARQUET)
                return
            text = recoded(bytes_read, self.encoding, source)
            if found is None:
                head, text = peek(text, formats.HEAD_BYTES)
                found = formats.format_by_content(head)
                if found is None and head.removeprefix(BOM).lstrip().startswith(b"{"):
                    found = formats.JSON_LINES
            if found is None:
                hint = "use a supported file extension, or a folder for text and HTML files"
                raise InputError(source, None, f"expected {formats.UNDERSTOOD}, found {Path(source).name!r}", hint=hint)
            yield from self._records(text, source, found)
        if not len(self.seen):
            raise InputError(source, None, "expected documents, found none", hint="check that this is the right file")

    def _collection(self, files: Files, *, is_archived: bool) -> Iterator[Document | DocumentBlock]:
        """Yield the documents of many files."""
        chosen, skipped = choose(files(), is_archived=is_archived)
        if self.skip is not None:
            for name, why in skipped:
                self.skip(name, why)
        sizes = [one.size for one in chosen.values()]
        self.total = None if None in sizes else sum(size for size in sizes if size is not None)
        if not chosen:
            found = f"none in {len(skipped)} files" if skipped else "nothing"
            raise InputError(
                self.path, None, f"expected documents, found {found}", hint="check that this is the right folder"
            )
        for file in files():
            if file.name not in chosen:
                continue
            kind = chosen[file.name].kind
            with closing(counted(file.open(), self._count)) as stream:
                text = stream if kind is formats.PARQUET else recoded(stream, self.encoding, file.source)
                if isinstance(kind, str):
                    yield self._text_file(text, file.source, file.name, kind)
                else:
                    yield from self._records(text, file.source, kind)

    def _records(self, stream: BinaryIO, source: str, kind: RecordFormat) -> Iterator[Document | DocumentBlock]:
        parts = self._parts_reader(kind)
        if self.in_blocks and kind is formats.JSON_LINES:
            yield from JsonColumnsReader(source, parts, self.seen).blocks(stream)
            return
        for record in kind.reader(source, id_names=parts.id_names).records(stream):
            yield self._document(parts, record, source, record.line)

    def _text_file(self, stream: BinaryIO, source: str, name: str, kind: Literal["text", "html"]) -> Document:
        text = decoded(stream.read(), source, None, 0).removeprefix("\ufeff")
        title, text = read_html(text) if kind == "html" else ("", text)
        path = formats.uncompressed_name(name)
        try:
            path.as_posix().encode()
        except UnicodeEncodeError:
            raise InputError(source, None, "expected a file name in UTF-8", hint="rename the file") from None
        stem = path.with_suffix("").as_posix() if path.suffix else path.as_posix()
        fields = {"stem": stem, "name": path.as_posix(), "title": title, "text": text}
        return self._document(self._parts_reader(FILE_FIELDS), Record(0, 0, 1, fields), source, None)

    def _document(self, parts: PartsReader, record: Record, source: str, line: int | None) -> Document:
        doc, title, text = parts.parts(record, source)
        self.seen.add(doc, source, line)
        return Document(doc, text, title)

    def _parts_reader(self, kind: RecordFormat) -> PartsReader:
        if kind.name not in self.readers:
            self.readers[kind.name] = PartsReader(kind, self.fields, self.id_field)
        return self.readers[kind.name]

    def _count(self, num_bytes: int) -> None:
        self.num_bytes += num_bytes
        if self.progress is not None:
            self.progress(self.num_bytes, self.total)


def document_parts(path: str | Path | Address) -> list[PartFile]:
    """Return the part files of a folder with one table of documents in parts; an empty list for anything else.

    A folder with both parts and other files is read file by file, which gives the same documents.
    """
    try:
        return parts_of(path) or []
    except InputError:
        if isinstance(path, Parts):
            raise
        return []


def corpus_of(folder: Path) -> Path | None:
    """Return the corpus file of a BEIR folder, or None."""
    corpus = [folder / f"corpus.jsonl{ending}" for ending in ("", ".gz", ".zst", ".bz2", ".xz")]
    return next((file for file in corpus if file.is_file()), None)
