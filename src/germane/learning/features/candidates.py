"""A query with its candidate documents, and the counts that features are computed from: among them the smallest window
of a document that contains the query words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index, Part
from germane.retrieval.query import Query
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray

_EXTENTS: WeakKeyDictionary[Index, IntArray] = WeakKeyDictionary()


class Occurrences(NamedTuple):
    """Occurrences of words: one entry each, sorted by document and position.

    `doc` and `word` are indices into the lists that were asked for.
    """

    doc: IntArray
    word: IntArray
    position: IntArray


def smallest_windows(found: Occurrences, num_docs: int, num_words: int) -> IntArray:
    """Return the size of the smallest window of each document that contains all words it has; 0 if it has none.

    >>> a_b_c_b_a = Occurrences(np.zeros(5, int), np.array([0, 1, 2, 1, 0]), np.array([3, 10, 11, 20, 21]))
    >>> smallest_windows(a_b_c_b_a, 1, 3)       # from a at 3 to c at 11; from c at 11 to a at 21 it is 11
    array([9])
    """
    windows = np.zeros(num_docs, np.int64)
    if not len(found.doc):
        return windows
    # All documents on one axis, so far apart that no window spans two of them.
    apart = int(found.position.max()) + 1
    place = found.doc * apart + found.position
    holds = np.zeros((num_docs, num_words), np.bool_)
    holds[found.doc, found.word] = True
    begin = place.copy()
    for word in range(num_words):
        last = np.maximum.accumulate(np.where(found.word == word, place, -1))
        begin = np.where(holds[found.doc, word], np.minimum(begin, last), begin)
    size = np.where(begin >= found.doc * apart, place - begin + 1, apart + 1)
    first = np.flatnonzero(np.diff(found.doc, prepend=-1))
    windows[found.doc[first]] = np.minimum.reduceat(size, first)
    return windows


def occurrences(index: Index, terms: list[str], docs: IntArray) -> Occurrences:
    """Return the occurrences of these terms in these documents."""
    if not index.has_positions:
        hint = "index again with `germane index --positions`"
        raise GermaneError("windows require word positions, but this index has none", hint=hint)
    pieces = [
        _of_term(part, int(number), word, docs)
        for part in index.parts
        for word, number in enumerate(part.segment.term_numbers(terms).tolist())
        if number >= 0
    ]
    columns = [np.concatenate(column) for column in zip(*pieces, strict=True)] or [np.zeros(0, np.int64)] * 3
    doc, word, position = columns
    order = np.lexsort((position, doc))
    return Occurrences(doc[order], word[order], position[order])


def _of_term(part: Part, number: int, word: int, docs: IntArray) -> Occurrences:
    segment = part.segment
    rows, tf = postings_of(part, number, docs)
    there = np.flatnonzero(tf)
    first = int(segment.start[number])
    if segment.positions is None or segment.position_start is None or not len(there):
        return Occurrences(*np.zeros((3, 0), np.int64))
    # A term's positions are stored in the order of its postings: the offset is the sum of earlier frequencies.
    so_far = np.cumsum(np.asarray(segment.tf[first : int(rows.max()) + 1], np.int64))
    often = tf[there]
    begin = int(segment.position_start[number]) + so_far[rows[there] - first] - often
    before = np.cumsum(often) - often
    at = np.repeat(begin - before, often) + np.arange(int(often.sum()))
    position = np.asarray(segment.positions[at], np.int64)
    return Occurrences(np.repeat(there, often), np.full(len(at), word), position)


def postings_of(part: Part, number: int, docs: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of a term's postings for these documents, and the frequencies; 0 where it does not occur."""
    segment = part.segment
    first, last = int(segment.start[number]), int(segment.start[number + 1])
    local = (docs - part.base).astype(segment.doc.dtype)
    rows = first + np.searchsorted(segment.doc[first:last], local)
    found = (rows < last) & (docs >= part.base) & (docs < part.base + segment.num_docs)
    found[found] = segment.doc[rows[found]] == local[found]
    tf = np.zeros(len(docs), np.int64)
    tf[found] = segment.tf[rows[found]]
    return np.where(found, rows, -1), tf


def extents(index: Index) -> IntArray:
    """Return the last position (from 1, stop words counted) of each document that has an indexed word."""
    if index not in _EXTENTS:
        reach = np.zeros(index.num_places, np.int64)
        for part in index.parts:
            segment = part.segment
            if segment.positions is None or not len(segment.doc):
                continue
            last = np.cumsum(np.asarray(segment.tf, np.int64)) - 1
            np.maximum.at(reach, np.asarray(segment.doc, np.int64) + part.base, np.asarray(segment.positions)[last] + 1)
        _EXTENTS[index] = reach
    return _EXTENTS[index]


@dataclass(frozen=True, eq=False)
class Candidates:
    """One query (its id and text) and documents of the index by number.

    >>> index = Index.of({"d1": "red wine", "d2": "wine and wine"}, analyser="plain")
    >>> pair = Candidates.of(index, "q1", "red wine nonesuch", np.array([0, 1]))
    >>> pair.words, pair.num_words, pair.tf
    (['red', 'wine'], 3, array([[1, 1],
           [0, 2]]))
    """

    index: Index
    id: str
    text: str
    query: Query
    docs: IntArray

    @classmethod
    def of(cls, index: Index, query: str, text: str, docs: IntArray) -> Candidates:
        """Return the candidates of a query, given its id and text."""
        return cls(index, query, text, Query.of(index.analyser.terms(text)), np.asarray(docs, np.int64))

    def __len__(self) -> int:
        return len(self.docs)

    @property
    def num_words(self) -> int:
        """Number of distinct words of the query, whether or not a document contains them."""
        return len(self.query.weights)

    @cached_property
    def words(self) -> list[str]:
        """Distinct query words that occur in the index."""
        known = self.index.statistics_of(self.query.weights)
        return [word for word in self.query.weights if word in known]

    @cached_property
    def idf(self) -> FloatArray:
        """ln(N/n) of each word."""
        known = self.index.statistics_of(self.words)
        return np.asarray([math.log(known[word].num_docs / known[word].df) for word in self.words])

    @cached_property
    def tf(self) -> IntArray:
        """Frequency of each word (column) in each document (row)."""
        counts = np.zeros((len(self.docs), len(self.words)), np.int64)
        for part in self.index.parts:
            for word, number in enumerate(part.segment.term_numbers(self.words).tolist()):
                if number >= 0:
                    counts[:, word] += postings_of(part, int(number), self.docs)[1]
        return counts

    @property
    def holds(self) -> BoolArray:
        """Whether each document contains each word."""
        return self.tf > 0

    @property
    def length(self) -> FloatArray:
        """Number of words of each document, without stop words."""
        return self.index.lengths[self.docs].astype(np.float64)

    @cached_property
    def window(self) -> IntArray:
        """Smallest window with those query words that each document contains; 0 if it contains none."""
        return smallest_windows(occurrences(self.index, self.words, self.docs), len(self.docs), len(self.words))

    @property
    def extent(self) -> IntArray:
        """Last word position of each document."""
        return extents(self.index)[self.docs]
