"""Making and changing an index, whatever the documents come as."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from germane.arguments import checked
from germane.errors import InputError
from germane.formats.documents import Document, read_documents
from germane.retrieval import building
from germane.retrieval.analysis import Analyser
from germane.retrieval.index import Index
from germane.tables.scores import Note

Progress = Callable[[int, int | None], None]
MOST_NAMES = 8
"""Of fields, in a note."""


@dataclass
class _Left:
    """Files of a folder that are no documents: how many, and the first few."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, file: str, why: str) -> None:
        self.count += 1
        if len(self.examples) < 3:
            self.examples.append(f"{file}: {why}")


@dataclass(frozen=True)
class IndexSummary:
    """An index in numbers, and what was done to it just now."""

    path: str
    analyser: str
    num_docs: int
    num_tokens: int
    num_terms: int
    num_segments: int
    positions: bool
    size_in_bytes: Mapping[str, int]
    added: int = 0
    deleted: int = 0
    notes: tuple[Note, ...] = ()


@checked
def build_index(
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
    """Index documents into the folder `path`: files, ``{id: text}``, or anything that gives documents.

    With `add` they join an index that is there already; with `update` those whose id is known take the place of the old
    ones. `fields` are the parts of a document that are searched. `positions` keeps where words stand, for phrases;
    `texts` keeps what people want to read of a result.
    """
    left, unread = _Left(), dict[str, None]()
    given = _documents(documents, fields, id_field, encoding, progress, left, unread)
    if add or update:
        done = building.add_documents(path, given, update=update)
    else:
        done = building.build_index(
            path, given, analyser=analyser, positions=positions, keep_texts=texts, overwrite=overwrite
        )
    notes = []
    if done.empty:
        what = "documents hold no word" if done.empty > 1 else "document holds no word"
        notes.append(
            Note("empty-documents", f"{done.empty:,}", what, count=done.empty, examples=done.examples_of_empty)
        )
    if left.count:
        what = "files were left out" if left.count > 1 else "file was left out"
        notes.append(Note("files-left-out", f"{left.count:,}", what, count=left.count, examples=tuple(left.examples)))
    if unread:
        names = list(unread)
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        said = f"not searched: {', '.join(names[:MOST_NAMES])}{more}; --fields names the parts to search"
        notes.append(Note("fields-not-searched", "", said, count=len(names)))
    if done.unsplit is not None:
        notes.append(done.unsplit)
    return describe_index(path, added=done.added, deleted=done.deleted, notes=tuple(notes))


@checked
def delete_from_index(path: str | Path, ids: Iterable[str]) -> IndexSummary:
    """Delete documents by id."""
    done = building.delete_documents(path, ids)
    return describe_index(path, deleted=done.deleted)


@checked
def merge_index(path: str | Path) -> IndexSummary:
    """Make one segment of an index's segments: smaller, and a little faster to search."""
    building.merge_segments(path)
    return describe_index(path)


@checked
def describe_index(
    path: str | Path, *, verify: bool = False, added: int = 0, deleted: int = 0, notes: tuple[Note, ...] = ()
) -> IndexSummary:
    """What an index holds; `verify` reads all of its files to compare checksums."""
    index = Index.open(path, verify=verify)
    return IndexSummary(
        str(path), index.analyser.name, index.collection.num_docs, index.collection.num_tokens,
        index.num_terms(),
        len(index.parts), index.has_positions, index.size_in_bytes(), added, deleted, notes,
    )  # fmt: skip


def _documents(
    documents: str | Path | Sequence[str | Path] | Mapping[str, str] | Iterable[Document],
    fields: Sequence[str] | None,
    id_field: str | None,
    encoding: str,
    progress: Progress | None,
    left: _Left,
    unread: dict[str, None],
) -> Iterator[building.IndexableDocument]:
    if isinstance(documents, Mapping):
        yield from (Document(str(id_), text) for id_, text in documents.items())
        return
    for item in [documents] if isinstance(documents, str | Path) else documents:
        if isinstance(item, str | Path):
            yield from read_documents(
                item, fields=fields, id_field=id_field, encoding=encoding, progress=progress, skip=left.add,
                unread=lambda name: unread.update({name: None}),
            )  # fmt: skip
        elif hasattr(item, "id") and hasattr(item, "text"):
            yield item
        else:
            problem = f"expected paths, {{id: text}} or documents with id and text, found {type(item).__name__}"
            raise InputError("documents", None, problem)
