"""A segment: some documents, inverted. An index is one segment or a few; a segment's files never change once written.

Term-major, for search: the terms in byte order, where each one's postings start, and for each posting the document and
the raw frequency. Document-major (the twin), for feedback and cosine: each document's terms and frequencies. Positions
are optional, term-major like the postings. Frequencies and lengths are raw counts: weights are computed at query time,
so one index serves every model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.kernels import places_in_order
from germane.retrieval.inverting import InvertedBatch
from germane.tables.ids import Ids, IntArray, to_bytes

Array = npt.NDArray[Any]

GROUPS: Mapping[str, tuple[str, ...]] = {
    "term-major": ("terms", "term_offsets", "start", "doc", "tf", "max_tf", "min_length", "cf", "length"),
    "twin": ("twin_start", "twin_term", "twin_tf"),
    "positions": ("position_start", "positions"),
    "documents": ("ids", "id_offsets", "id_order", "titles", "title_offsets", "texts", "text_offsets"),
}
"""The arrays by what they are for: sizes are told apart in this way."""


@dataclass(frozen=True, eq=False)
class Segment:
    """The arrays of a segment, in memory or mapped from its files.

    `start`, `twin_start`, `position_start` and the `…_offsets` have one entry more than there are things to point at.
    `max_tf` and `min_length` bound, for each term, the frequencies and the lengths of the documents that hold it.
    """

    terms: Array
    term_offsets: Array
    start: Array
    doc: Array
    tf: Array
    max_tf: Array
    min_length: Array
    cf: Array
    length: Array
    twin_start: Array
    twin_term: Array
    twin_tf: Array
    ids: Array
    id_offsets: Array
    id_order: Array
    titles: Array
    title_offsets: Array
    texts: Array
    text_offsets: Array
    position_start: Array | None = None
    positions: Array | None = None

    @property
    def num_docs(self) -> int:
        return len(self.length)

    @property
    def num_terms(self) -> int:
        return len(self.start) - 1

    @cached_property
    def vocabulary(self) -> Ids:
        """The terms, in byte order."""
        return Ids(self.terms, self.term_offsets)

    @cached_property
    def doc_ids(self) -> Ids:
        return Ids(self.ids, self.id_offsets)

    def term_numbers(self, terms: Sequence[str]) -> IntArray:
        """The places of terms; -1 for one that no document of this segment holds."""
        wanted = Ids.of(terms)
        return places_in_order(self.terms, self.term_offsets, wanted.data, wanted.offsets)

    def term_number(self, term: str) -> int | None:
        """The place of a term; None where no document of this segment holds it."""
        number = int(self.term_numbers([term])[0])
        return None if number < 0 else number

    def doc_numbers(self, docs: Sequence[str]) -> IntArray:
        """The places of documents by their ids; -1 for one that is not here."""
        ordered, wanted = self.doc_ids.take(np.asarray(self.id_order, np.int64)), Ids.of(docs)
        places = places_in_order(ordered.data, ordered.offsets, wanted.data, wanted.offsets)
        numbers: IntArray = np.append(np.asarray(self.id_order, np.int64), -1)[places]
        return numbers

    def doc_number(self, doc: str) -> int | None:
        """The place of one document by its id, or None; a look-up that does not read all the ids."""
        low, high, wanted = 0, self.num_docs, to_bytes(doc)
        while low < high:
            middle = (low + high) // 2
            place = int(self.id_order[middle])
            found = self.doc_ids.bytes_at(place)
            if found == wanted:
                return place
            low, high = (middle + 1, high) if found < wanted else (low, middle)
        return None

    def arrays(self) -> dict[str, Array]:
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
    def mapped(cls, folder: Path, names: Mapping[str, Any]) -> Segment:
        """Map the files of a segment; nothing is read yet."""
        return cls(**{name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names})


def document_arrays(ids: Ids, titles: Ids, texts: Ids) -> dict[str, Array]:
    """The arrays of what is kept of documents besides their words."""
    order: IntArray = np.argsort(ids.byte_order(), kind="stable")
    return {
        "ids": ids.data, "id_offsets": ids.offsets, "id_order": order.astype(np.int32),
        "titles": titles.data, "title_offsets": titles.offsets, "texts": texts.data, "text_offsets": texts.offsets,
    }  # fmt: skip
