"""A segment: some documents, inverted. An index is one segment or a few; a segment's files never change once written.

Term-major, for search: the terms in byte order, where each one's postings start, and for each posting the document and
the raw frequency. Document-major (the twin), for feedback and cosine: each document's terms and frequencies. Positions
are optional, term-major like the postings. Frequencies and lengths are raw counts: weights are computed at query time,
so one index serves every model.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.kernels import check_postings, places_in_order
from germane.kernels.reference_postings import Postings, PostingsError
from germane.retrieval.inverting import InvertedBatch
from germane.retrieval.manifest import FileEntry
from germane.retrieval.mapped_array import MappedArray, Stored, with_stretches
from germane.retrieval.segment_files import map_segment
from germane.tables.ids import Ids, IntArray, to_bytes, to_text

Array = npt.NDArray[Any]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "term-major": ("terms", "term_offsets", "start", "doc", "tf", "max_tf", "min_length", "cf", "length"),
    "twin": ("twin_start", "twin_term", "twin_tf"),
    "positions": ("position_start", "positions"),
    "documents": ("ids", "id_offsets", "id_order", "titles", "title_offsets", "texts", "text_offsets"),
}
"""The arrays by what they are for: sizes are told apart in this way."""
FEW_TERMS = 64
"""So few terms, so few times, are looked up in parts of a large vocabulary; then all of it is checked, once."""
LARGE_VOCABULARY = 1 << 15


@dataclass(frozen=True, eq=False)
class Segment:
    """The arrays of a segment, in memory or mapped from its files.

    `start`, `twin_start`, `position_start` and the `…_offsets` have one entry more than there are things to point at.
    `max_tf` and `min_length` bound, for each term, the frequencies and the lengths of the documents that hold it.
    """

    terms: Stored
    term_offsets: Stored
    start: Stored
    doc: Stored
    tf: Stored
    max_tf: Stored
    min_length: Stored
    cf: Stored
    length: Stored
    twin_start: Stored
    twin_term: Stored
    twin_tf: Stored
    ids: Stored
    id_offsets: Stored
    id_order: Stored
    titles: Stored
    title_offsets: Stored
    texts: Stored
    text_offsets: Stored
    position_start: Stored | None = None
    positions: Stored | None = None

    @property
    def num_docs(self) -> int:
        return len(self.length)

    @property
    def num_terms(self) -> int:
        return len(self.start) - 1

    @cached_property
    def vocabulary(self) -> Ids:
        """The terms, in byte order."""
        return Ids(np.asarray(self.terms), np.asarray(self.term_offsets))

    @cached_property
    def doc_ids(self) -> Ids:
        """The ids of all documents; `ids_of` reads those of a few alone."""
        return Ids(np.asarray(self.ids), np.asarray(self.id_offsets))

    @cached_property
    def checked_terms(self) -> npt.NDArray[np.uint8]:
        """By term: 1 once its postings have been compared with their checksums and bounds."""
        return np.zeros(self.num_terms, np.uint8)

    @cached_property
    def _lookups(self) -> Iterator[int]:
        return itertools.count()

    def postings_of(self, numbers: IntArray) -> Postings:
        """The arrays for a kernel that reads the postings of these terms and of no others: those are checked."""
        new = np.unique(numbers[self.checked_terms[numbers] == 0])
        start = with_stretches(self.start, new, new + 2)
        first, last = start[new], start[new + 1]
        postings = Postings(
            start,
            with_stretches(self.doc, first, last),
            with_stretches(self.tf, first, last),
            np.asarray(self.length),
            with_stretches(self.max_tf, new, new + 1),
            with_stretches(self.min_length, new, new + 1),
            checked=self.checked_terms,
        )
        try:
            check_postings(postings, new)
        except PostingsError as error:
            if isinstance(self.doc, MappedArray):
                raise self.doc.damage(str(error)) from None
            raise
        return postings

    def term_numbers(self, terms: Sequence[str]) -> IntArray:
        """The places of terms; -1 for one that no document of this segment holds."""
        wanted = Ids.of(terms)
        if self.num_terms > LARGE_VOCABULARY and len(terms) <= FEW_TERMS and next(self._lookups) < FEW_TERMS:
            found = [self._place_of(term, self.terms, self.term_offsets) for term in wanted.to_bytes_list()]
            return np.asarray([-1 if place is None else place for place in found], np.int64)
        return places_in_order(self.vocabulary.data, self.vocabulary.offsets, wanted.data, wanted.offsets)

    def term_number(self, term: str) -> int | None:
        """The place of a term; None where no document of this segment holds it."""
        number = int(self.term_numbers([term])[0])
        return None if number < 0 else number

    def doc_numbers(self, docs: Sequence[str]) -> IntArray:
        """The places of documents by their ids; -1 for one that is not here."""
        order: IntArray = np.asarray(self.id_order, np.int64)
        ordered, wanted = self.doc_ids.take(order), Ids.of(docs)
        places = places_in_order(ordered.data, ordered.offsets, wanted.data, wanted.offsets)
        numbers: IntArray = np.append(order, -1)[places]
        return numbers

    def doc_number(self, doc: str) -> int | None:
        """The place of one document by its id, or None; a look-up that does not read all the ids."""
        return self._place_of(to_bytes(doc), self.ids, self.id_offsets, self.id_order)

    def doc_id(self, doc: int) -> str:
        """The id of one document."""
        return to_text(_bytes_at(doc, self.ids, self.id_offsets))

    def terms_of(self, numbers: IntArray) -> Ids:
        """Some terms by their numbers, in this order."""
        first = self.term_offsets[numbers]
        return Ids.of_spans(self.terms, first, self.term_offsets[numbers + 1] - first)

    def ids_of(self, docs: IntArray) -> Ids:
        """The ids of some documents, in this order."""
        first = self.id_offsets[docs]
        return Ids.of_spans(self.ids, first, self.id_offsets[docs + 1] - first)

    @staticmethod
    def _place_of(wanted: bytes, data: Stored, offsets: Stored, order: Stored | None = None) -> int | None:
        """The place of an id, found by halving: a few blocks of a large file are read, not all of it."""
        low, high = 0, len(offsets) - 1
        while low < high:
            middle = (low + high) // 2
            place = middle if order is None else int(order[middle])
            found = _bytes_at(place, data, offsets)
            if found == wanted:
                return place
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    def arrays(self) -> dict[str, Stored]:
        """The arrays that are there, by name."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: array for name, array in given if array is not None}

    @classmethod
    def of_batch(cls, batch: InvertedBatch, ids: Ids, titles: Ids, texts: Ids) -> Segment:
        """The segment of one batch of documents."""
        positions = {}
        if batch.positions is not None:
            before = np.concatenate([[0], np.cumsum(batch.tf, dtype=np.int64)])
            positions = {"position_start": before[batch.start], "positions": batch.positions}
        return cls(
            terms=batch.terms.data, term_offsets=batch.terms.offsets,
            start=batch.start, doc=batch.doc, tf=batch.tf, max_tf=batch.max_tf, min_length=batch.min_length,
            cf=batch.collection_frequency(), length=batch.length,
            twin_start=batch.twin_start, twin_term=batch.twin_term, twin_tf=batch.twin_tf,
            **document_arrays(ids, titles, texts), **positions,
        )  # fmt: skip

    @classmethod
    def mapped(cls, folder: Path, files: Mapping[str, FileEntry]) -> Segment:
        """Map the files of a segment; nothing is read yet."""
        return cls(**map_segment(folder, files))


def _bytes_at(place: int, data: Stored, offsets: Stored) -> bytes:
    found: bytes = data[int(offsets[place]) : int(offsets[place + 1])].tobytes()
    return found


def document_arrays(ids: Ids, titles: Ids, texts: Ids) -> dict[str, Array]:
    """The arrays of what is kept of documents besides their words."""
    order: IntArray = np.argsort(ids.byte_order(), kind="stable")
    return {
        "ids": ids.data, "id_offsets": ids.offsets, "id_order": order.astype(np.int32),
        "titles": titles.data, "title_offsets": titles.offsets, "texts": texts.data, "text_offsets": texts.offsets,
    }  # fmt: skip
