"""Which pairs of query and document are listed, and which documents are excluded from a query's ranking.

Judgments list documents by id. Labels list, for a query, all documents with its label; these are too many to hold at
once, so they are computed for some queries at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from germane import kernels
from germane.tables.columns.id_columns import DecimalIds
from germane.tables.columns.ids import BoolArray, Ids, IntArray
from germane.vectors.pairs import NO_PAIRS, Pairs

PAIRS_AT_ONCE = 1 << 21
"""Maximum number of label pairs at a time: each takes about 200 bytes until its query is scored."""


def rows_of(wanted: Ids, ids: Ids) -> IntArray:
    """Return the row of each wanted id among distinct ids, -1 if it is missing.

    >>> rows_of(Ids.of(["b", "x", "a", "b"]), Ids.of(["a", "b", "c"]))
    array([ 1, -1,  0,  1])
    """
    if len(wanted) == 0:
        return np.zeros(0, dtype=np.int64)
    keys = kernels.hashes(
        np.concatenate((wanted.data, ids.data)),
        np.concatenate((wanted.offsets, ids.offsets[1:] + (len(wanted.data) - ids.offsets[0]))),
    )
    sought = np.unique(keys[: len(wanted)])
    theirs = keys[len(wanted) :]
    likely = np.flatnonzero(sought[np.minimum(np.searchsorted(sought, theirs), len(sought) - 1)] == theirs)
    # Equal hashes nearly always mean equal ids; the bytes decide.
    row = dict(zip(ids.take(likely).to_bytes_list(), likely.tolist(), strict=True))
    found = (row.get(id_, -1) for id_ in wanted.to_bytes_list())
    return np.fromiter(found, dtype=np.int64, count=len(wanted))


def same_ids(queries: Ids, docs: Ids) -> Pairs:
    """Return each query with the document of the same id."""
    doc = rows_of(queries, docs)
    query = np.flatnonzero(doc >= 0)
    return Pairs(query, doc[query])


def codes(queries: Ids, docs: Ids) -> tuple[IntArray, IntArray]:
    """Return labels of queries and documents as numbers, equal for equal text."""
    if isinstance(queries, DecimalIds) and isinstance(docs, DecimalIds):
        _, code = np.unique(np.concatenate((queries.column, docs.column)), return_inverse=True)
    else:
        _, code = Ids.of([*queries.to_bytes_list(), *docs.to_bytes_list()]).numbered()
    return code[: len(queries)], code[len(queries) :]


@dataclass(frozen=True, eq=False)
class Listed:
    """Some queries, by row, with their relevant documents and those excluded from their rankings.

    `queries` are numbered from 0 in the pairs, which are sorted by query and then by document id.
    """

    queries: IntArray
    relevant: Pairs
    excluded: Pairs


@dataclass(frozen=True, eq=False)
class LabelRelevance:
    """Relevance by label: a document with the query's label is relevant, except from the same camera, which would be
    too easy: such a document is excluded from the ranking, as is the query itself.

    `place` orders documents by id; `itself` is the row of the document that is the query, or -1.

    >>> none = np.full(1, -1)
    >>> [listed] = LabelRelevance(np.array([7]), np.array([7, 8, 7]), np.arange(3), none).chunks(np.array([0]))
    >>> listed.relevant.doc
    array([0, 2])
    """

    query_label: IntArray
    doc_label: IntArray
    place: IntArray
    itself: IntArray
    query_camera: IntArray | None = None
    doc_camera: IntArray | None = None

    def chunks(self, queries: IntArray) -> Iterator[Listed]:
        """Yield the queries at these rows in chunks with a bounded number of pairs, at least one query each."""
        by_label, begin, size = self._of_their_labels(queries)
        for first, last in _cuts(size):
            yield self._listed(queries[first:last], by_label, begin[first:last], size[first:last])

    def num_chunks(self, queries: IntArray) -> int:
        """Return the number of chunks of these queries."""
        return len(_cuts(self._of_their_labels(queries)[2]))

    def _of_their_labels(self, queries: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return documents by label, with the start and size of each query's label among them."""
        by_label = np.lexsort((self.place, self.doc_label))
        labels = self.doc_label[by_label]
        begin = np.searchsorted(labels, self.query_label[queries])
        return by_label, begin, np.searchsorted(labels, self.query_label[queries], side="right") - begin

    def _listed(self, queries: IntArray, by_label: IntArray, begin: IntArray, size: IntArray) -> Listed:
        query = np.repeat(np.arange(len(queries)), size)
        doc = by_label[np.arange(len(query)) + np.repeat(begin - np.cumsum(size) + size, size)]
        proves_nothing = doc == self.itself[queries][query]
        if self.query_camera is not None and self.doc_camera is not None:
            proves_nothing |= self.query_camera[queries][query] == self.doc_camera[doc]
        excluded = Pairs(query[proves_nothing], doc[proves_nothing])
        # The query itself may also be a document with another label.
        other = self._itself_elsewhere(queries)
        return Listed(queries, Pairs(query[~proves_nothing], doc[~proves_nothing]), excluded.joined(other))

    def _itself_elsewhere(self, queries: IntArray) -> Pairs:
        itself = self.itself[queries]
        elsewhere = np.flatnonzero(itself >= 0)
        elsewhere = elsewhere[self.doc_label[itself[elsewhere]] != self.query_label[queries[elsewhere]]]
        return Pairs(elsewhere, itself[elsewhere]) if len(elsewhere) else NO_PAIRS

    @property
    def has_match(self) -> BoolArray:
        """Whether each query has a relevant document."""
        found = [
            np.bincount(listed.relevant.query, minlength=len(listed.queries)) > 0
            for listed in self.chunks(np.arange(len(self.query_label)))
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=bool)


def _cuts(size: IntArray) -> list[tuple[int, int]]:
    """Split queries into ranges with a bounded total number of pairs."""
    cuts, first, total = [], 0, np.cumsum(size)
    while first < len(size):
        before = total[first] - size[first]
        last = max(first + 1, int(np.searchsorted(total, before + PAIRS_AT_ONCE, side="right")))
        cuts.append((first, last))
        first = last
    return cuts
