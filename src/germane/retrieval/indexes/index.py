"""An index as search sees it: statistics, postings and documents over one or more segments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError, MissingExtraError
from germane.formats.documents.parts import PART_SEPARATOR
from germane.formats.files.addresses import local_path
from germane.retrieval.indexes.manifest import Manifest, read_manifest
from germane.retrieval.indexes.mapped_array import MappedArray, Stored, map_deleted
from germane.retrieval.indexes.segment import GROUPS, Array, Segment
from germane.retrieval.indexes.summary import IndexSummary
from germane.retrieval.query import Collection, TermStats
from germane.retrieval.texts.analysis import Analyser
from germane.retrieval.texts.stop_lists import StopList
from germane.tables.columns.ids import Ids, IntArray, to_text
from germane.tables.notes.note import Note


@dataclass(frozen=True)
class StoredDocument:
    """Title and text of a document, for display; empty if the index does not store texts."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, eq=False)
class Part:
    """A segment within an index: the number of its first document, and its deleted documents."""

    segment: Segment
    base: int
    deleted: Array | None = None

    @cached_property
    def deleted_docs(self) -> IntArray:
        return np.zeros(0, np.int64) if self.deleted is None else np.flatnonzero(self.deleted)

    @cached_property
    def deleted_counts(self) -> tuple[IntArray, IntArray] | None:
        """Document and collection frequency of each term in deleted documents, to be subtracted from the counts."""
        if not len(self.deleted_docs):
            return None
        segment = self.segment
        rows = _rows(segment.twin_start, self.deleted_docs)
        terms = segment.twin_term[rows]
        often = np.bincount(terms, weights=segment.twin_tf[rows], minlength=segment.num_terms)
        return np.bincount(terms, minlength=segment.num_terms), often.astype(np.int64)

    @property
    def num_docs(self) -> int:
        return self.segment.num_docs - len(self.deleted_docs)

    @property
    def num_tokens(self) -> int:
        length = np.asarray(self.segment.length)
        return int(length.sum(dtype=np.int64)) - int(length[self.deleted_docs].sum(dtype=np.int64))

    def counts(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return document and collection frequency of each term in live documents; 0 for a negative number."""
        here = numbers >= 0
        known = numbers[here]
        df, cf = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        df[here], cf[here] = self.segment.counts(known)
        if self.deleted_counts is not None:
            df[here] -= self.deleted_counts[0][known]
            cf[here] -= self.deleted_counts[1][known]
        return df, cf

    def postings(self, number: int) -> tuple[IntArray, IntArray]:
        """Return the live documents (numbered within the index) that contain a term, and its frequency in each."""
        rows = slice(int(self.segment.start[number]), int(self.segment.start[number + 1]))
        doc, tf = np.asarray(self.segment.doc[rows]), np.asarray(self.segment.tf[rows]).astype(np.int64)
        if self.deleted is not None:
            living = self.deleted[doc] == 0
            doc, tf = doc[living], tf[living]
        return doc.astype(np.int64) + self.base, tf


class Index:
    """A searchable index. Document numbers are valid only within this object; ids are permanent.

    >>> index = Index.of({"d1": "red wine", "d2": "white wine and red roses"}, analyser="plain")
    >>> index.statistics("wine").df, index.collection.avg_length, index.vector(1)["roses"]
    (2, 3.5, 1)
    """

    def __init__(self, parts: Iterable[Part], analyser: Analyser, path: Path | None = None) -> None:
        self.parts = tuple(parts)
        self.analyser = analyser
        self.path = path

    @classmethod
    @checked
    def open(cls, path: str | Path, *, verify: bool = False) -> Index:
        """Open an index folder. `verify` checks all checksums now, not only those of blocks read later."""
        folder = local_path(path)
        while True:
            manifest = read_manifest(folder)
            try:
                index = cls(mapped_parts(folder, manifest), analyser_of(manifest, folder), folder)
                if verify:
                    index.verify()
                return index
            except InputError:
                # Another process may have changed the index meanwhile and replaced what is missing.
                if read_manifest(folder) == manifest:
                    raise

    @classmethod
    @checked
    def of(
        cls, documents: Mapping[str, str], analyser: str | Analyser = "english", *, positions: bool = False
    ) -> Index:
        """Build an index in memory from a few documents: texts by id."""
        from germane.retrieval.indexes.background import Background
        from germane.retrieval.indexes.inversion import BatchReader

        analyser = Analyser.parse(analyser) if isinstance(analyser, str) else analyser
        ids, titles, texts = Ids.of(documents), Ids.of([""] * len(documents)), Ids.of(documents.values())
        with Background() as background:
            reader = BatchReader(analyser, background, positions=positions)
            reader.add(texts)
            inverted = dict(reader.finish())
        id_order = ids.sorted_indices().astype(np.int32)
        segment = Segment(
            **inverted, ids=ids.data, id_offsets=ids.offsets, id_order=id_order, titles=titles.data,
            title_offsets=titles.offsets, texts=texts.data, text_offsets=texts.offsets,
        )  # fmt: skip
        return cls([Part(segment, 0)], analyser)

    def verify(self) -> None:
        """Check every file against its checksums; an error names the first damaged one."""
        for part in self.parts:
            for array in part.segment.arrays().values():
                if isinstance(array, MappedArray):
                    array.check()

    def describe(
        self, *, verify: bool = False, added: int = 0, deleted: int = 0, notes: tuple[Note, ...] = ()
    ) -> IndexSummary:
        """Return a summary of the index; `verify` reads all of its files to check their checksums."""
        if verify:
            self.verify()
        counts = self.collection
        return IndexSummary(
            "" if self.path is None else str(self.path), self.analyser.name, counts.num_docs, counts.num_tokens,
            self.num_terms(), len(self.parts), self.has_positions, self.size_in_bytes(), added, deleted, notes,
        )  # fmt: skip

    @checked
    def delete(self, ids: Iterable[str]) -> IndexSummary:
        """Delete documents by id, from the folder and from this object."""
        from germane.retrieval.indexes.build import delete_documents

        done = delete_documents(self._folder(), ids)
        return self._opened_again().describe(deleted=done.deleted)

    def merge(self) -> IndexSummary:
        """Merge the segments into one, which is smaller and a little faster; deleted documents are removed for good."""
        from germane.retrieval.indexes.build import merge_segments

        merge_segments(self._folder())
        return self._opened_again().describe()

    def _folder(self) -> Path:
        if self.path is None:
            hint = "create one with `ge.index(path, documents)`"
            raise GermaneError("expected an index in a folder, found one in memory", hint=hint)
        return self.path

    def _opened_again(self) -> Index:
        """Reload the index from its folder, discarding cached values."""
        fresh = vars(Index.open(self._folder()))
        vars(self).clear()
        vars(self).update(fresh)
        return self

    @property
    def num_places(self) -> int:
        """One more than the largest document number; deleted documents keep their numbers."""
        return sum(part.segment.num_docs for part in self.parts)

    @cached_property
    def collection(self) -> Collection:
        """Statistics of all live documents."""
        return Collection(sum(part.num_docs for part in self.parts), sum(part.num_tokens for part in self.parts))

    def num_terms(self) -> int:
        """Return the number of distinct terms in live documents."""
        if len(self.parts) == 1 and not len(self.parts[0].deleted_docs):
            return self.parts[0].segment.num_terms
        held: set[bytes] = set()
        for part in self.parts:
            df, _ = part.counts(np.arange(part.segment.num_terms))
            held.update(part.segment.vocabulary.take(np.flatnonzero(df)).to_bytes_list())
        return len(held)

    @cached_property
    def lengths(self) -> IntArray:
        """Number of words of each document (without stop words), by document number."""
        return np.concatenate([np.asarray(p.segment.length, np.int64) for p in self.parts] or [np.zeros(0, np.int64)])

    @property
    def has_positions(self) -> bool:
        return all(part.segment.positions is not None for part in self.parts)

    def size_in_bytes(self) -> dict[str, int]:
        """Return the size of the index in bytes, by use."""
        sizes = dict.fromkeys(GROUPS, 0)
        for part in self.parts:
            arrays = part.segment.arrays()
            for group, names in GROUPS.items():
                sizes[group] += sum(arrays[name].nbytes for name in names if name in arrays)
        return sizes

    def statistics(self, term: str) -> TermStats:
        """Return the statistics of a term; all 0 if it occurs in no document."""
        return self.statistics_of([term]).get(term) or TermStats(term, 0, 0, self.collection)

    def statistics_of(self, terms: Iterable[str]) -> dict[str, TermStats]:
        """Return the statistics of several terms, looked up together; terms that occur in no document are omitted."""
        wanted = list(dict.fromkeys(terms))
        df, cf = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.int64)
        for part in self.parts:
            in_docs, often = part.counts(part.segment.term_numbers(wanted))
            df, cf = df + in_docs, cf + often
        found = zip(wanted, df.tolist(), cf.tolist(), strict=True)
        return {term: TermStats(term, n, count, self.collection) for term, n, count in found if n}

    def postings(self, term: str) -> tuple[IntArray, IntArray]:
        """Return the numbers of the documents that contain a term, ascending, and its frequency in each."""
        found = [p.postings(number) for p in self.parts if (number := p.segment.term_number(term)) is not None]
        if not found:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate([doc for doc, _ in found]), np.concatenate([tf for _, tf in found])

    def positions(self, term: str, doc: int) -> IntArray:
        """Return the positions of a term in a document (from 0, stop words counted)."""
        part, local = self.place(doc)
        segment = part.segment
        if segment.positions is None or segment.position_start is None:
            hint = "index again with `germane index --positions`"
            raise GermaneError("this index has no word positions", hint=hint)
        number = segment.term_number(term)
        if number is None:
            return np.zeros(0, np.int64)
        first, last = int(segment.start[number]), int(segment.start[number + 1])
        row = first + int(np.searchsorted(segment.doc[first:last], local))
        if row == last or segment.doc[row] != local:
            return np.zeros(0, np.int64)
        before = int(segment.position_start[number]) + int(np.asarray(segment.tf[first:row]).sum(dtype=np.int64))
        return np.asarray(segment.positions[before : before + int(segment.tf[row])], dtype=np.int64)

    def vector(self, doc: int) -> dict[str, int]:
        """Return the terms of a document with their frequencies."""
        part, local = self.place(doc)
        segment = part.segment
        rows = slice(int(segment.twin_start[local]), int(segment.twin_start[local + 1]))
        terms = segment.terms_of(np.asarray(segment.twin_term[rows], np.int64))
        return dict(zip(terms, np.asarray(segment.twin_tf[rows]).tolist(), strict=True))

    def place(self, doc: int) -> tuple[Part, int]:
        """Return the part of the index that holds a document, and the document's number there."""
        for part in self.parts:
            if 0 <= doc - part.base < part.segment.num_docs:
                return part, doc - part.base
        raise IndexError(doc)

    def doc_id(self, doc: int) -> str:
        """Return the id of a document by its number."""
        part, local = self.place(doc)
        return part.segment.doc_id(local)

    def ids_of(self, docs: IntArray) -> Ids:
        """Return the ids of documents by their numbers, in this order."""
        if len(self.parts) == 1:
            return self.parts[0].segment.ids_of(docs)
        place = np.searchsorted([part.base for part in self.parts], docs, side="right") - 1
        ids = np.empty(len(docs), dtype=object)
        for number, part in enumerate(self.parts):
            here = place == number
            ids[here] = part.segment.ids_of(docs[here] - part.base).to_bytes_list()
        return Ids.of(ids.tolist())

    def doc_number(self, doc: str) -> int | None:
        """Return the number of a live document by its id, or None."""
        for part in reversed(self.parts):
            local = part.segment.doc_number(doc)
            if local is not None and (part.deleted is None or not part.deleted[local]):
                return part.base + local
        return None

    def doc_numbers(self, docs: Sequence[str]) -> IntArray:
        """Return the numbers of live documents by their ids; -1 for an unknown id."""
        numbers = np.full(len(docs), -1, np.int64)
        for part in self.parts:
            places = part.segment.doc_numbers(docs)
            living = places >= 0
            if part.deleted is not None:
                living &= part.deleted[places] == 0
            numbers[living] = places[living] + part.base
        return numbers

    def stored(self, doc: int) -> StoredDocument:
        """Return the stored title and text of a document."""
        part, local = self.place(doc)
        segment = part.segment
        title = segment.titles[int(segment.title_offsets[local]) : int(segment.title_offsets[local + 1])]
        text = segment.texts[int(segment.text_offsets[local]) : int(segment.text_offsets[local + 1])]
        shown = to_text(text.tobytes()).replace(PART_SEPARATOR, "")
        return StoredDocument(segment.doc_id(local), to_text(title.tobytes()), shown)

    def living(self) -> IntArray:
        """Return the numbers of all documents that are not deleted."""
        kept = np.ones(self.num_places, np.bool_)
        for part in self.parts:
            kept[part.deleted_docs + part.base] = False
        return np.flatnonzero(kept)

    def __repr__(self) -> str:
        return f"<index of {self.collection.num_docs:,} documents, analysed by {self.analyser.name}>"


def analyser_of(manifest: Manifest, folder: Path) -> Analyser:
    """Return the analyser by its name; the manifest holds the words of custom stop lists."""
    lists = [StopList(name, frozenset(words)) for name, words in manifest.stop_lists.items()]
    try:
        return Analyser.parse(manifest.analyser, stop_lists=lists)
    except MissingExtraError:
        raise
    except GermaneError as error:
        raise InputError(folder, None, error.message, hint=error.hint) from None


def mapped_parts(folder: Path, manifest: Manifest) -> list[Part]:
    """Map the segments of a manifest; lists of deleted documents are read, because every search needs them."""
    parts: list[Part] = []
    for entry in manifest.segments:
        segment = Segment.mapped(folder / entry.folder, entry.files)
        deleted = map_deleted(folder / entry.folder, entry)
        base = parts[-1].base + parts[-1].segment.num_docs if parts else 0
        parts.append(Part(segment, base, None if deleted is None else np.asarray(deleted)))
    return parts


def _rows(start: Stored, groups: IntArray) -> IntArray:
    """Return the rows of these groups, where group i has the rows from start[i] up to start[i + 1]."""
    first = start[groups]
    sizes = start[groups + 1] - first
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
