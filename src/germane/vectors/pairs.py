"""Pairs of query and document by row number: pairs to be ranked, and pairs excluded from the ranking."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.tables.columns.ids import IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Row numbers of query and document, one entry per pair, without duplicates.

    >>> Pairs.of([1, 0, 0], [2, 5, 3]).by_doc.doc
    array([2, 3, 5])
    """

    query: IntArray
    doc: IntArray

    @classmethod
    def of(cls, query: object, doc: object) -> Pairs:
        """Return pairs from two columns."""
        return cls(np.asarray(query, dtype=np.int64), np.asarray(doc, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.query)

    def take(self, which: IntArray) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.query[which], self.doc[which])

    def joined(self, other: Pairs) -> Pairs:
        """Return these pairs followed by others."""
        return Pairs(np.concatenate((self.query, other.query)), np.concatenate((self.doc, other.doc)))

    @property
    def by_doc(self) -> Pairs:
        """The pairs sorted by document, the order in which blocks come."""
        return self.take(np.argsort(self.doc, kind="stable"))

    def in_block(self, first: int, last: int) -> Pairs:
        """Return pairs with documents from `first` up to `last`, renumbered from 0; requires the order of documents."""
        a, b = np.searchsorted(self.doc, (first, last))
        return Pairs(self.query[a:b], self.doc[a:b] - first)


NO_PAIRS = Pairs.of([], [])
