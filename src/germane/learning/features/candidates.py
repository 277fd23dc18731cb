"""A query with the documents that are to be scored for it, and the counts that features are made of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.learning.features.windows import extents, occurrences, postings_of, smallest_windows
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Candidates:
    """One query (its id and what was asked) and documents of the index by number.

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
        """A query by its id, as somebody wrote it."""
        return cls(index, query, text, Query.of(index.analyser.terms(text)), np.asarray(docs, np.int64))

    def __len__(self) -> int:
        return len(self.docs)

    @property
    def num_words(self) -> int:
        """How many different words the query has, whether any document holds them or not."""
        return len(self.query.weights)

    @cached_property
    def words(self) -> list[str]:
        """The query's different words that some document holds."""
        known = self.index.statistics_of(self.query.weights)
        return [word for word in self.query.weights if word in known]

    @cached_property
    def idf(self) -> FloatArray:
        """ln(N/n) of each word."""
        known = self.index.statistics_of(self.words)
        return np.asarray([math.log(known[word].num_docs / known[word].df) for word in self.words])

    @cached_property
    def tf(self) -> IntArray:
        """How often each document (row) holds each word (column)."""
        counts = np.zeros((len(self.docs), len(self.words)), np.int64)
        for part in self.index.parts:
            for word, number in enumerate(part.segment.term_numbers(self.words).tolist()):
                if number >= 0:
                    counts[:, word] += postings_of(part, int(number), self.docs)[1]
        return counts

    @property
    def holds(self) -> BoolArray:
        """Whether each document holds each word."""
        return self.tf > 0

    @property
    def length(self) -> FloatArray:
        """The number of words of each document, stop words left out."""
        return self.index.lengths[self.docs].astype(np.float64)

    @cached_property
    def window(self) -> IntArray:
        """The smallest window with those of the words that each document holds; 0 where it holds none."""
        return smallest_windows(occurrences(self.index, self.words, self.docs), len(self.docs), len(self.words))

    @property
    def extent(self) -> IntArray:
        """Up to which place each document has words."""
        return extents(self.index)[self.docs]
