"""Build and change an index: documents are added and deleted without reading the others again."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from germane.errors import GermaneError, InputError
from germane.formats.documents.blocks import DocumentBlock, IndexableDocument, blocks_of
from germane.formats.files.addresses import local_path
from germane.kernels import changes
from germane.retrieval.indexes.array_file import write_array
from germane.retrieval.indexes.background import Background
from germane.retrieval.indexes.index import Part, analyser_of, mapped_parts
from germane.retrieval.indexes.inversion import BatchReader
from germane.retrieval.indexes.manifest import (
    MANIFEST,
    OURS,
    Manifest,
    SegmentEntry,
    is_index_or_new,
    read_manifest,
    write_manifest,
    writing,
)
from germane.retrieval.indexes.merge import merge
from germane.retrieval.indexes.segment import Segment
from germane.retrieval.indexes.segment_writer import writing_segment
from germane.retrieval.texts.analysis import Analyser
from germane.retrieval.texts.stop_lists import STOP_LISTS
from germane.retrieval.texts.unspaced import Letters, letters_of, note_on_documents
from germane.tables.notes.note import Note

MOST_WORDS = 16_000_000
"""Number of words and documents at which a segment is complete, so that memory does not grow with the collection."""
MOST_SEGMENTS = 8
"""Maximum number of segments; more are merged into one, because every search visits all segments."""


@dataclass(frozen=True)
class Indexed:
    """Counts of an indexing step: documents added (and how many of them have no words) or deleted."""

    added: int = 0
    empty: int = 0
    deleted: int = 0
    examples_of_empty: tuple[str, ...] = ()
    unsplit: Note | None = None
    """Note that some words cannot be found because the analyser does not split them."""


def build_index(
    path: str | Path,
    documents: Iterable[IndexableDocument | DocumentBlock],
    *,
    analyser: str | Analyser = "english",
    positions: bool = False,
    keep_texts: bool = True,
    overwrite: bool = False,
) -> Indexed:
    """Index documents into a new folder; with `overwrite`, an existing index is replaced at the end."""
    folder = local_path(path)
    analyser = Analyser.parse(analyser) if isinstance(analyser, str) else analyser
    if not (is_index_or_new(folder) or (folder / MANIFEST).exists()):
        problem = "expected a new folder or an index, found something else"
        raise InputError(folder, None, problem, hint="choose a folder that does not exist yet")
    _require_no_index(folder, overwrite=overwrite)
    with writing(folder):
        _require_no_index(folder, overwrite=overwrite)  # another process may have created one meanwhile
        first = 1 + max(
            (int(path.name[-6:]) for path in folder.glob("segment-*") if OURS.fullmatch(path.name)), default=0
        )
        own_list = analyser.stop is not None and analyser.stop.name not in STOP_LISTS
        lists = {analyser.stop.name: sorted(analyser.stop.words)} if own_list and analyser.stop else {}
        empty_index = Manifest(analyser.name, positions, keep_texts, next_segment=first, stop_lists=lists)
        manifest, done = _with_documents(folder, empty_index, blocks_of(documents), analyser)
        write_manifest(folder, manifest)
    return done


@contextlib.contextmanager
def _changing(path: str | Path) -> Iterator[tuple[Path, Manifest]]:
    """Open an existing index for changes, with an exclusive lock."""
    folder = local_path(path)
    read_manifest(folder)  # fails without touching a folder that is not an index
    with writing(folder):
        yield folder, read_manifest(folder)


def _require_no_index(folder: Path, *, overwrite: bool) -> None:
    if (folder / MANIFEST).exists() and not overwrite:
        hint = "use `add=True` to add to it, `update=True` to replace documents, `overwrite=True` to replace it"
        raise InputError(folder, None, "index already exists", hint=hint)


def add_documents(
    path: str | Path, documents: Iterable[IndexableDocument | DocumentBlock], *, update: bool = False
) -> Indexed:
    """Add documents to an index. An id that already exists is an error or, with `update`, is replaced."""
    with _changing(path) as (folder, manifest):
        before = mapped_parts(folder, manifest)
        added, done = _with_documents(folder, manifest, blocks_of(documents), analyser_of(manifest, folder))
        clashes = _clashes(before, mapped_parts(folder, added)[len(before) :])
        if clashes and not update:
            shown = ", ".join(clashes[:3])
            hint = "use `update=True` to replace the old documents"
            raise InputError(folder, None, f"{_ids(len(clashes))} already in the index: {shown}", hint=hint)
        if clashes:
            old = replace(added, segments=added.segments[: len(before)])
            marked, _ = _without(folder, old, clashes)
            added = replace(added, segments=marked.segments + added.segments[len(before) :])
        if len(added.segments) > MOST_SEGMENTS:
            added = _merged(folder, added)
        write_manifest(folder, added)
    return replace(done, deleted=len(clashes))


def delete_documents(path: str | Path, ids: Iterable[str]) -> Indexed:
    """Delete documents by id; an unknown id is an error, and then nothing is deleted."""
    with _changing(path) as (folder, manifest):
        wanted = list(dict.fromkeys(ids))
        changed, missing = _without(folder, manifest, wanted)
        if missing:
            shown = ", ".join(missing[:3])
            raise InputError(
                folder,
                None,
                f"{_ids(len(missing))} not in the index: {shown}; nothing was deleted",
                hint="remove these ids from the list and try again",
            )
        write_manifest(folder, changed)
    return Indexed(deleted=len(wanted))


def merge_segments(path: str | Path) -> None:
    """Merge all segments into one, removing deleted documents for good."""
    with _changing(path) as (folder, manifest):
        if len(manifest.segments) > 1 or any(entry.deleted for entry in manifest.segments):
            write_manifest(folder, _merged(folder, manifest))


def _with_documents(
    folder: Path, manifest: Manifest, blocks: Iterable[DocumentBlock], analyser: Analyser
) -> tuple[Manifest, Indexed]:
    """Write new segments and return a manifest with them; readers see them only once the manifest is written."""
    entries: list[SegmentEntry] = []
    number = manifest.next_segment
    added = empty = 0
    examples: list[str] = []
    letters = Letters()
    rest = iter(blocks)
    with Background() as background:
        reader = BatchReader(analyser, background, positions=manifest.positions)
        while (first := next(rest, None)) is not None:
            some = itertools.chain([first], rest)
            entry = _segment_entry(folder / f"segment-{number:06}", some, reader, background, manifest.texts)
            entries.append(entry)
            segment = Segment.mapped(folder / entry.folder, entry.files)
            without_words = np.flatnonzero(np.asarray(segment.length) == 0)
            examples.extend(segment.doc_id(int(doc)) for doc in without_words[: 3 - len(examples)])
            added, empty = added + segment.num_docs, empty + len(without_words)
            letters += letters_of(segment.vocabulary, np.asarray(segment.cf))
            number += 1
    if len(entries) > 1:
        together = _merged(folder, replace(manifest, segments=tuple(entries), next_segment=number))
        entries, number = list(together.segments), together.next_segment
    for entry in entries:
        _check_ids(folder / entry.folder, entry)
    done = Indexed(added, empty, examples_of_empty=tuple(examples), unsplit=note_on_documents(letters, analyser))
    return replace(manifest, segments=manifest.segments + tuple(entries), next_segment=number), done


def _segment_entry(
    folder: Path, blocks: Iterable[DocumentBlock], reader: BatchReader, background: Background, keep_texts: bool
) -> SegmentEntry:
    """Write a segment of as many documents as one may hold, and return its entry."""
    with writing_segment(folder, background, keep_texts=keep_texts) as writer:
        for block in blocks:
            reader.add(block.texts)
            writer.append(block)
            if reader.num_tokens + writer.num_docs >= MOST_WORDS:
                break
        for name, array in reader.finish():
            writer.write(name, array)
        return SegmentEntry(folder.name, writer.finish(), writer.num_docs)


def _merged(folder: Path, manifest: Manifest) -> Manifest:
    name = f"segment-{manifest.next_segment:06}"
    parts = mapped_parts(folder, manifest)
    entry = SegmentEntry(name, merge(parts, folder / name), sum(part.num_docs for part in parts))
    return replace(manifest, segments=(entry,), next_segment=manifest.next_segment + 1)


def _without(folder: Path, manifest: Manifest, ids: Iterable[str]) -> tuple[Manifest, list[str]]:
    """Return a manifest with these documents marked as deleted, and the ids that no live document has."""
    wanted, segments = list(ids), list(manifest.segments)
    found = np.zeros(len(wanted), np.bool_)
    name = f"deleted-{manifest.next_segment:06}.npy"
    for i, part in enumerate(mapped_parts(folder, manifest)):
        places = part.segment.doc_numbers(wanted)
        marks = np.zeros(part.segment.num_docs, np.uint8) if part.deleted is None else np.array(part.deleted)
        here = (places >= 0) & (marks[places] == 0) if len(marks) else np.zeros(len(wanted), np.bool_)
        if here.any():
            found |= here
            marks[places[here]] = 1
            written = write_array(folder / segments[i].folder / name, marks)
            segments[i] = replace(segments[i], deleted=name, deleted_file=written)
    missing = [doc for doc, there in zip(wanted, found.tolist(), strict=True) if not there]
    return replace(manifest, segments=tuple(segments), next_segment=manifest.next_segment + 1), missing


def _clashes(before: list[Part], after: list[Part]) -> list[str]:
    """Return the ids of new documents that live old documents already have."""
    new = [doc for part in after for doc in part.segment.doc_ids]
    there = np.zeros(len(new), np.bool_)
    for old in before:
        places = old.segment.doc_numbers(new)
        living = np.ones(len(places), np.bool_) if old.deleted is None else old.deleted[places] == 0
        there |= (places >= 0) & living
    return [doc for doc, clash in zip(new, there.tolist(), strict=True) if clash]


def _ids(number: int) -> str:
    return f"{number:,} ids are" if number > 1 else "1 id is"


def _check_ids(folder: Path, entry: SegmentEntry) -> None:
    """Reject duplicate document ids."""
    segment = Segment.mapped(folder, entry.files)
    ordered = segment.doc_ids.take(np.asarray(segment.id_order))
    twice = np.flatnonzero(~changes(ordered.data, ordered.offsets))
    if len(twice):
        hint = "give each document its own id"
        raise GermaneError(f"duplicate document id {ordered[int(twice[0])]!r}; nothing was indexed", hint=hint)
