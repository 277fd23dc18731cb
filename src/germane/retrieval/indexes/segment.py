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
from germane.retrieval.indexes.manifest import FileEntry
from germane.retrieval.indexes.mapped_array import MappedArray, Stored, check_stretches, map_segment, raw
from germane.tables.columns.ids import Ids, IntArray, to_bytes, to_text

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
LARGE_VOCABULARY = 1 << 17
STRETCH = 1 << 12
"""Terms that are looked through together: their offsets are half of a block."""
MOST_PLACES = 1 << 18
"""So many terms that were looked up are remembered; then all are forgotten, to bound the memory."""


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
    def _checked(self) -> Postings:
        """The postings as a kernel takes them; `checked` has the terms of which they were compared with their sums."""
        start, doc, tf, max_tf, least = map(raw, (self.start, self.doc, self.tf, self.max_tf, self.min_length))
        length, unchecked = np.asarray(self.length), np.zeros(self.num_terms, np.uint8)
        return Postings(start, doc, tf, length, max_tf, least, checked=unchecked)

    @cached_property
    def _counted(self) -> npt.NDArray[np.bool_]:
        """By term: whether its counts were compared with their sums."""
        return np.zeros(self.num_terms, np.bool_)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The terms that were looked up, with their places."""
        return {}

    @cached_property
    def _searches(self) -> Iterator[int]:
        return itertools.count()

    def postings_of(self, numbers: IntArray) -> Postings:
        """The arrays for a kernel that reads the postings of these terms and of no others: those are checked."""
        postings = self._checked
        assert postings.checked is not None
        new = numbers[postings.checked[numbers] == 0]
        if len(new):
            check_stretches((self.start,), new, new + 2)
            check_stretches((self.doc, self.tf), postings.start[new], postings.start[new + 1])
            check_stretches((self.max_tf, self.min_length), new, new + 1)
            try:
                check_postings(postings, new)
            except PostingsError as error:
                if isinstance(self.doc, MappedArray):
                    raise self.doc.damage(str(error)) from None
                raise
        return postings

    def counts(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """By term, how many documents hold it, deleted ones too, and how often they do in all."""
        new = numbers[~self._counted[numbers]]
        if len(new):
            check_stretches((self.start,), new, new + 2)
            check_stretches((self.cf,), new, new + 1)
            self._counted[new] = True
        start = raw(self.start)
        return start[numbers + 1] - start[numbers], raw(self.cf)[numbers]

    def term_numbers(self, terms: Sequence[str]) -> IntArray:
        """The places of terms; -1 for one that no document of this segment holds."""
        known = self._places
        new = [term for term in dict.fromkeys(terms) if term not in known]
        if new:
            if len(known) > MOST_PLACES:
                known = {}
                new = list(dict.fromkeys(terms))
            known.update(zip(new, self._looked_up(Ids.of(new)).tolist(), strict=True))
            self.__dict__["_places"] = known
        return np.fromiter(map(known.__getitem__, terms), np.int64, len(terms))

    def _looked_up(self, wanted: Ids) -> IntArray:
        is_large = self.num_terms > LARGE_VOCABULARY
        if is_large and len(wanted) <= FEW_TERMS and next(self._searches) < FEW_TERMS:
            return np.asarray([self._place_of_term(term) for term in wanted.to_bytes_list()], np.int64)
        return places_in_order(self.vocabulary.data, self.vocabulary.offsets, wanted.data, wanted.offsets)

    def _place_of_term(self, wanted: bytes) -> int:
        """The place of a term or -1, found by halving until a stretch is left: few blocks of a large file are read."""
        low, high = 0, -(-self.num_terms // STRETCH)
        while high - low > 1:
            middle = (low + high) // 2
            is_after = _bytes_at(middle * STRETCH, self.terms, self.term_offsets) > wanted
            low, high = (low, middle) if is_after else (middle, high)
        first, last = low * STRETCH, min((low + 1) * STRETCH, self.num_terms)
        offsets = np.asarray(self.term_offsets[first : last + 1])
        data = np.asarray(self.terms[int(offsets[0]) : int(offsets[-1])])
        term = Ids.of([wanted])
        place = int(places_in_order(data, offsets - offsets[0], term.data, term.offsets)[0])
        return -1 if place < 0 else first + place

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
        low, high, wanted = 0, self.num_docs, to_bytes(doc)
        while low < high:
            middle = (low + high) // 2
            place = int(self.id_order[middle])
            found = _bytes_at(place, self.ids, self.id_offsets)
            if found == wanted:
                return place
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

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

    def arrays(self) -> dict[str, Stored]:
        """The arrays that are there, by name."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: array for name, array in given if array is not None}

    @classmethod
    def mapped(cls, folder: Path, files: Mapping[str, FileEntry]) -> Segment:
        """Map the files of a segment; nothing is read yet."""
        return cls(**map_segment(folder, files))


def _bytes_at(place: int, data: Stored, offsets: Stored) -> bytes:
    found: bytes = data[int(offsets[place]) : int(offsets[place + 1])].tobytes()
    return found
