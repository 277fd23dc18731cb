"""Pairs of a query and a document, by their rows: those whose rank is asked for, and those left out of the ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.tables.columns.ids import IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Row of the query and row of the document, one entry per pair; no pair comes twice.

    >>> Pairs.of([1, 0, 0], [2, 5, 3]).by_doc.doc
    array([2, 3, 5])
    """

    query: IntArray
    doc: IntArray

    @classmethod
    def of(cls, query: object, doc: object) -> Pairs:
        """Pairs from two columns."""
        return cls(np.asarray(query, dtype=np.int64), np.asarray(doc, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.query)

    def take(self, which: IntArray) -> Pairs:
        """Some of them."""
        return Pairs(self.query[which], self.doc[which])

    def joined(self, other: Pairs) -> Pairs:
        """These and others."""
        return Pairs(np.concatenate((self.query, other.query)), np.concatenate((self.doc, other.doc)))

    @property
    def by_doc(self) -> Pairs:
        """In the order of the documents, in which blocks of them come."""
        return self.take(np.argsort(self.doc, kind="stable"))

    def in_block(self, first: int, last: int) -> Pairs:
        """Of pairs in the order of documents, those with a document from `first` up to `last`, counted from `first`."""
        a, b = np.searchsorted(self.doc, (first, last))
        return Pairs(self.query[a:b], self.doc[a:b] - first)


NO_PAIRS = Pairs.of([], [])
