"""`index`: build or change an index from files or other documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.documents.blocks import DocumentBlock, IndexableDocument, blocks_of_texts
from germane.formats.documents.reading import Document, read_document_blocks
from germane.retrieval.indexes import build
from germane.retrieval.indexes.index import Index
from germane.retrieval.indexes.summary import IndexSummary
from germane.retrieval.texts.analysis import Analyser
from germane.tables.notes.counts import counted_note
from germane.tables.notes.note import Note

Progress = Callable[[int, int | None], None]
MOST_NAMES = 8
"""Maximum number of fields named in a note."""
PARTS = {"id": str | int, "title": str, "text": str}
"""Types of the parts of a document, which nothing has checked where documents come one by one."""


@dataclass
class _Left:
    """Skipped files of a folder that are not documents: their number, and examples."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, file: str, why: str) -> None:
        self.count += 1
        if len(self.examples) < 3:
            self.examples.append(f"{file}: {why}")


@checked
def index(
    path: str | Path,
    documents: str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Document],
    *,
    analyser: str | Analyser = "english",
    fields: Sequence[str] | None = None,
    id_field: str | None = None,
    encoding: str = "utf-8",
    positions: bool = False,
    texts: bool = True,
    add: bool = False,
    update: bool = False,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> IndexSummary:
    """Index documents into the folder `path`: files, ``{id: text}``, or an iterable of documents.

    With `add` they are added to an existing index; with `update` those with a known id replace the old ones. `fields`
    are the fields of a document that are searched. `positions` stores word positions, for phrases; `texts` stores the
    texts that are shown in results.
    """
    left, unread = _Left(), dict[str, None]()
    read = partial(read_document_blocks, fields=fields, id_field=id_field, encoding=encoding, progress=progress)
    given = _documents(documents, partial(read, skip=left.add, unread=lambda name: unread.update({name: None})))
    if add or update:
        done = build.add_documents(path, given, update=update)
    else:
        done = build.build_index(
            path, given, analyser=analyser, positions=positions, keep_texts=texts, overwrite=overwrite
        )
    notes = []
    if done.empty:
        one, many = "document without words; never retrieved", "documents without words; never retrieved"
        notes.append(counted_note("empty-documents", done.empty, one, many, done.examples_of_empty))
    if left.count:
        one, many = "file skipped, because it is not a document", "files skipped, because they are not documents"
        notes.append(counted_note("skipped-files", left.count, one, many, tuple(left.examples)))
    if unread:
        names = list(unread)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said = f"not searched: {', '.join(names[:MOST_NAMES])}{more}; use --fields to choose the fields to search"
        notes.append(Note("fields-not-searched", "", said, count=len(names)))
    if done.unsplit is not None:
        notes.append(done.unsplit)
    return Index.open(path).describe(added=done.added, deleted=done.deleted, notes=tuple(notes))


def _documents(
    documents: str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Document],
    read: Callable[[str | Path], Iterable[DocumentBlock]],
) -> Iterator[IndexableDocument | DocumentBlock]:
    if isinstance(documents, Mapping):
        yield from blocks_of_texts(documents)
        return
    for item in [documents] if isinstance(documents, str | Path) else documents:
        if isinstance(item, str | Path):
            yield from read(item)
            continue
        wrong = next((name for name, kind in PARTS.items() if not isinstance(getattr(item, name, None), kind)), None)
        if wrong is not None:
            found = type(item).__name__
            if hasattr(item, "id") and hasattr(item, "text"):
                found = f"document {item.id!r} with {wrong} = {getattr(item, wrong, None)!r:.60}"
            problem = f"expected paths, {{id: text}} or documents with id, title and text, found {found}"
            raise InputError("documents", None, problem)
        yield item
