"""A segment: some inverted documents. An index is one or a few segments, whose files never change once written.

Term-major, for search: the terms in byte order, the start of each term's postings, and for each posting the document
and its raw frequency. Document-major (the twin), for feedback and cosine: each document's terms and frequencies.
Positions are optional, term-major like the postings. Frequencies and lengths are raw counts; weights are computed at
query time, so one index serves every model.
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
"""Arrays by use; index sizes are reported in these groups."""
FEW_TERMS = 64
"""Up to this many terms, and this many times, look-ups read only parts of a large vocabulary; then all is checked."""
LARGE_VOCABULARY = 1 << 17
STRETCH = 1 << 12
"""Terms searched together at the end of a binary search: their offsets are half a block."""
MOST_PLACES = 1 << 18
"""Maximum number of looked-up terms remembered; beyond it all are forgotten, to bound memory."""


@dataclass(frozen=True, eq=False)
class Segment:
    """The arrays of a segment, in memory or mapped from its files.

    `start`, `twin_start`, `position_start` and the `…_offsets` have one entry more than they have targets. `max_tf` and
    `min_length` bound, for each term, the frequencies and the lengths of the documents that contain it.
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
        """The ids of all documents; `ids_of` reads only a few."""
        return Ids(np.asarray(self.ids), np.asarray(self.id_offsets))

    @cached_property
    def _checked(self) -> Postings:
        """The postings as the kernel reads them; `checked` marks the terms whose postings passed the checksum."""
        start, doc, tf, max_tf, least = map(raw, (self.start, self.doc, self.tf, self.max_tf, self.min_length))
        length, unchecked = np.asarray(self.length), np.zeros(self.num_terms, np.uint8)
        return Postings(start, doc, tf, length, max_tf, least, checked=unchecked)

    @cached_property
    def _counted(self) -> npt.NDArray[np.bool_]:
        """Mask of the terms whose counts passed the checksum."""
        return np.zeros(self.num_terms, np.bool_)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Looked-up terms with their numbers."""
        return {}

    @cached_property
    def _searches(self) -> Iterator[int]:
        return itertools.count()

    def postings_of(self, numbers: IntArray) -> Postings:
        """Return the arrays for a kernel that reads the postings of only these terms, which are checked first."""
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
        """Return document and collection frequency of each term, deleted documents included."""
        new = numbers[~self._counted[numbers]]
        if len(new):
            check_stretches((self.start,), new, new + 2)
            check_stretches((self.cf,), new, new + 1)
            self._counted[new] = True
        start = raw(self.start)
        return start[numbers + 1] - start[numbers], raw(self.cf)[numbers]

    def term_numbers(self, terms: Sequence[str]) -> IntArray:
        """Return the numbers of terms; -1 for a term that is not in this segment."""
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
        """Return the number of a term or -1, by binary search down to a small range, so that few blocks are read."""
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
        """Return the number of a term; None if it is not in this segment."""
        number = int(self.term_numbers([term])[0])
        return None if number < 0 else number

    def doc_numbers(self, docs: Sequence[str]) -> IntArray:
        """Return the numbers of documents by their ids; -1 for an unknown id."""
        order: IntArray = np.asarray(self.id_order, np.int64)
        ordered, wanted = self.doc_ids.take(order), Ids.of(docs)
        places = places_in_order(ordered.data, ordered.offsets, wanted.data, wanted.offsets)
        numbers: IntArray = np.append(order, -1)[places]
        return numbers

    def doc_number(self, doc: str) -> int | None:
        """Return the number of one document by its id, or None, without reading all ids."""
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
        """Return the id of one document."""
        return to_text(_bytes_at(doc, self.ids, self.id_offsets))

    def terms_of(self, numbers: IntArray) -> Ids:
        """Return terms by their numbers, in this order."""
        first = self.term_offsets[numbers]
        return Ids.of_spans(self.terms, first, self.term_offsets[numbers + 1] - first)

    def ids_of(self, docs: IntArray) -> Ids:
        """Return the ids of documents, in this order."""
        first = self.id_offsets[docs]
        return Ids.of_spans(self.ids, first, self.id_offsets[docs + 1] - first)

    def arrays(self) -> dict[str, Stored]:
        """Return the arrays present, by name."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: array for name, array in given if array is not None}

    @classmethod
    def mapped(cls, folder: Path, files: Mapping[str, FileEntry]) -> Segment:
        """Map the files of a segment; nothing is read yet."""
        return cls(**map_segment(folder, files))


def _bytes_at(place: int, data: Stored, offsets: Stored) -> bytes:
    found: bytes = data[int(offsets[place]) : int(offsets[place + 1])].tobytes()
    return found
