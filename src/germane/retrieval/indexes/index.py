"""An index as searches see it: counts, postings and documents, over one segment or several as if they were one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from germane.arguments import checked
from germane.errors import GermaneError, InputError, MissingExtraError
from germane.formats.documents.parts import PART_SEPARATOR
from germane.retrieval.indexes.inversion import BatchReader
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
    """What an index keeps of a document for people to read; empty where it was told not to keep texts."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, eq=False)
class Part:
    """A segment within an index: its first document's number, and which of its documents are deleted."""

    segment: Segment
    base: int
    deleted: Array | None = None

    @cached_property
    def deleted_docs(self) -> IntArray:
        return np.zeros(0, np.int64) if self.deleted is None else np.flatnonzero(self.deleted)

    @cached_property
    def deleted_counts(self) -> tuple[IntArray, IntArray] | None:
        """By term: in how many deleted documents it is, and how often; so counts are those of the living."""
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
        """For each term, how many living documents hold it, and how often they do in all; 0 for a number below 0."""
        here = numbers >= 0
        known = numbers[here]
        df, cf = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        df[here], cf[here] = self.segment.counts(known)
        if self.deleted_counts is not None:
            df[here] -= self.deleted_counts[0][known]
            cf[here] -= self.deleted_counts[1][known]
        return df, cf

    def postings(self, number: int) -> tuple[IntArray, IntArray]:
        """The living documents (numbered within the index) that hold a term, and how often each does."""
        rows = slice(int(self.segment.start[number]), int(self.segment.start[number + 1]))
        doc, tf = np.asarray(self.segment.doc[rows]), np.asarray(self.segment.tf[rows]).astype(np.int64)
        if self.deleted is not None:
            living = self.deleted[doc] == 0
            doc, tf = doc[living], tf[living]
        return doc.astype(np.int64) + self.base, tf


class Index:
    """Documents that can be searched. Numbers of documents are for use with this object: ids are what lasts.

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
        """Open an index in its folder. `verify` compares all checksums now, not only those of what is read later."""
        folder = Path(path)
        while True:
            manifest = read_manifest(folder)
            try:
                index = cls(mapped_parts(folder, manifest), analyser_of(manifest, folder), folder)
                if verify:
                    index.verify()
                return index
            except InputError:
                # Somebody may have changed the index in between: then what is missing has been replaced.
                if read_manifest(folder) == manifest:
                    raise

    @classmethod
    @checked
    def of(
        cls, documents: Mapping[str, str], analyser: str | Analyser = "english", *, positions: bool = False
    ) -> Index:
        """An index in memory, for a few documents: their ids and texts."""
        analyser = Analyser.parse(analyser) if isinstance(analyser, str) else analyser
        reader = BatchReader(analyser, positions=positions)
        reader.add(list(documents.values()))
        none = Ids.of([""] * len(documents))
        return cls([Part(reader.finish(Ids.of(documents), none, Ids.of(documents.values())), 0)], analyser)

    def verify(self) -> None:
        """Compare every file with its checksums; an error names the first that is damaged."""
        for part in self.parts:
            for array in part.segment.arrays().values():
                if isinstance(array, MappedArray):
                    array.check()

    def describe(
        self, *, verify: bool = False, added: int = 0, deleted: int = 0, notes: tuple[Note, ...] = ()
    ) -> IndexSummary:
        """Return the index in numbers; `verify` reads all of its files to compare checksums."""
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
        """Merge the segments into one: smaller, and a little faster to search. Deleted documents go for good."""
        from germane.retrieval.indexes.build import merge_segments

        merge_segments(self._folder())
        return self._opened_again().describe()

    def _folder(self) -> Path:
        if self.path is None:
            hint = "make one with `ge.index(path, documents)`"
            raise GermaneError("expected an index in a folder, found one in memory", hint=hint)
        return self.path

    def _opened_again(self) -> Index:
        """Take what the folder holds now; whatever was computed before is forgotten."""
        fresh = vars(Index.open(self._folder()))
        vars(self).clear()
        vars(self).update(fresh)
        return self

    @property
    def num_places(self) -> int:
        """One more than the largest document number; deleted documents keep theirs."""
        return sum(part.segment.num_docs for part in self.parts)

    @cached_property
    def collection(self) -> Collection:
        """The counts of all living documents."""
        return Collection(sum(part.num_docs for part in self.parts), sum(part.num_tokens for part in self.parts))

    def num_terms(self) -> int:
        """How many different terms the living documents hold."""
        if len(self.parts) == 1 and not len(self.parts[0].deleted_docs):
            return self.parts[0].segment.num_terms
        held: set[bytes] = set()
        for part in self.parts:
            df, _ = part.counts(np.arange(part.segment.num_terms))
            held.update(part.segment.vocabulary.take(np.flatnonzero(df)).to_bytes_list())
        return len(held)

    @cached_property
    def lengths(self) -> IntArray:
        """Each document's number of words (stop words left out), by its number."""
        return np.concatenate([np.asarray(p.segment.length, np.int64) for p in self.parts] or [np.zeros(0, np.int64)])

    @property
    def has_positions(self) -> bool:
        return all(part.segment.positions is not None for part in self.parts)

    def size_in_bytes(self) -> dict[str, int]:
        """How large the index is, by what the bytes are for."""
        sizes = dict.fromkeys(GROUPS, 0)
        for part in self.parts:
            arrays = part.segment.arrays()
            for group, names in GROUPS.items():
                sizes[group] += sum(arrays[name].nbytes for name in names if name in arrays)
        return sizes

    def statistics(self, term: str) -> TermStats:
        """The counts of a term; all 0 where no document holds it."""
        return self.statistics_of([term]).get(term) or TermStats(term, 0, 0, self.collection)

    def statistics_of(self, terms: Iterable[str]) -> dict[str, TermStats]:
        """The counts of several terms, looked up together; those that no document holds are left out."""
        wanted = list(dict.fromkeys(terms))
        df, cf = np.zeros(len(wanted), np.int64), np.zeros(len(wanted), np.int64)
        for part in self.parts:
            in_docs, often = part.counts(part.segment.term_numbers(wanted))
            df, cf = df + in_docs, cf + often
        found = zip(wanted, df.tolist(), cf.tolist(), strict=True)
        return {term: TermStats(term, n, count, self.collection) for term, n, count in found if n}

    def postings(self, term: str) -> tuple[IntArray, IntArray]:
        """The numbers of the documents that hold a term, ascending, and how often each does."""
        found = [p.postings(number) for p in self.parts if (number := p.segment.term_number(term)) is not None]
        if not found:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        return np.concatenate([doc for doc, _ in found]), np.concatenate([tf for _, tf in found])

    def positions(self, term: str, doc: int) -> IntArray:
        """At which words of a document (numbered from 0, stop words counted) a term stands."""
        part, local = self.place(doc)
        segment = part.segment
        if segment.positions is None or segment.position_start is None:
            hint = "index again with positions: `germane index --positions`"
            raise GermaneError("this index was made without the positions of words", hint=hint)
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
        """A document's terms and how often each occurs in it."""
        part, local = self.place(doc)
        segment = part.segment
        rows = slice(int(segment.twin_start[local]), int(segment.twin_start[local + 1]))
        terms = segment.terms_of(np.asarray(segment.twin_term[rows], np.int64))
        return dict(zip(terms, np.asarray(segment.twin_tf[rows]).tolist(), strict=True))

    def place(self, doc: int) -> tuple[Part, int]:
        """The part of the index that holds a document, and its number there."""
        for part in self.parts:
            if 0 <= doc - part.base < part.segment.num_docs:
                return part, doc - part.base
        raise IndexError(doc)

    def doc_id(self, doc: int) -> str:
        """The id of a document by its number."""
        part, local = self.place(doc)
        return part.segment.doc_id(local)

    def ids_of(self, docs: IntArray) -> Ids:
        """The ids of documents by their numbers, in this order."""
        if len(self.parts) == 1:
            return self.parts[0].segment.ids_of(docs)
        place = np.searchsorted([part.base for part in self.parts], docs, side="right") - 1
        ids = np.empty(len(docs), dtype=object)
        for number, part in enumerate(self.parts):
            here = place == number
            ids[here] = part.segment.ids_of(docs[here] - part.base).to_bytes_list()
        return Ids.of(ids.tolist())

    def doc_number(self, doc: str) -> int | None:
        """The number of a living document by its id, or None."""
        for part in reversed(self.parts):
            local = part.segment.doc_number(doc)
            if local is not None and (part.deleted is None or not part.deleted[local]):
                return part.base + local
        return None

    def doc_numbers(self, docs: Sequence[str]) -> IntArray:
        """The numbers of living documents by their ids; -1 for one that is not there."""
        numbers = np.full(len(docs), -1, np.int64)
        for part in self.parts:
            places = part.segment.doc_numbers(docs)
            living = places >= 0
            if part.deleted is not None:
                living &= part.deleted[places] == 0
            numbers[living] = places[living] + part.base
        return numbers

    def stored(self, doc: int) -> StoredDocument:
        """What people may read of a document."""
        part, local = self.place(doc)
        segment = part.segment
        title = segment.titles[int(segment.title_offsets[local]) : int(segment.title_offsets[local + 1])]
        text = segment.texts[int(segment.text_offsets[local]) : int(segment.text_offsets[local + 1])]
        shown = to_text(text.tobytes()).replace(PART_SEPARATOR, "")
        return StoredDocument(segment.doc_id(local), to_text(title.tobytes()), shown)

    def living(self) -> IntArray:
        """The numbers of all documents that are not deleted."""
        kept = np.ones(self.num_places, np.bool_)
        for part in self.parts:
            kept[part.deleted_docs + part.base] = False
        return np.flatnonzero(kept)

    def __repr__(self) -> str:
        return f"<index of {self.collection.num_docs:,} documents, analysed by {self.analyser.name}>"


def analyser_of(manifest: Manifest, folder: Path) -> Analyser:
    """The analyser by its name; a stop list that is not one of ours is in the manifest word by word."""
    lists = [StopList(name, frozenset(words)) for name, words in manifest.stop_lists.items()]
    try:
        return Analyser.parse(manifest.analyser, stop_lists=lists)
    except MissingExtraError:
        raise
    except GermaneError as error:
        raise InputError(folder, None, error.message, hint=error.hint) from None


def mapped_parts(folder: Path, manifest: Manifest) -> list[Part]:
    """The segments of a manifest, mapped; lists of deleted documents are read, as every search needs them."""
    parts: list[Part] = []
    for entry in manifest.segments:
        segment = Segment.mapped(folder / entry.folder, entry.files)
        deleted = map_deleted(folder / entry.folder, entry)
        base = parts[-1].base + parts[-1].segment.num_docs if parts else 0
        parts.append(Part(segment, base, None if deleted is None else np.asarray(deleted)))
    return parts


def _rows(start: Stored, groups: IntArray) -> IntArray:
    """The rows of some groups, where group i has the rows from start[i] up to start[i + 1]."""
    first = start[groups]
    sizes = start[groups + 1] - first
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(int(sizes.sum()))
