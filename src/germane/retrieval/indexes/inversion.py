"""A batch of documents as inverted arrays: which documents hold a term, how often, and, if asked for, where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.retrieval.texts.analysis import Analyser
from germane.tables.columns.ids import Ids

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Counts = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.int32]

POSITION_GAP = 100
"""Positions jump by so much between two parts of a text, so that no phrase begins in one and ends in the other."""
DOCS_AT_ONCE = 4096
WORDS_KEPT = 1 << 22
"""With more distinct words than these, the next batch begins with none: memory is bounded."""


@dataclass(frozen=True, eq=False)
class InvertedBatch:
    """Documents, numbered from 0 in the order they were added, by term and (the twin) by document.

    The postings of term t are `doc` and `tf` from `start[t]` up to `start[t + 1]`, documents ascending. The positions
    of all postings follow one another, as many as its tf for each; they count all words of a document from 0, stop
    words too, and leave a gap between the parts of a text. The length of a document counts the words that were kept.
    """

    analyser: Analyser
    terms: Ids
    start: Int64s
    doc: Int32s
    tf: Counts
    max_tf: Int32s
    min_length: Int32s
    length: Int32s
    twin_start: Int64s
    twin_term: Int32s
    twin_tf: Counts
    positions: Int32s | None

    @property
    def num_docs(self) -> int:
        """How many documents there are."""
        return len(self.length)

    @property
    def num_tokens(self) -> int:
        """The lengths of all documents."""
        return int(self.length.sum(dtype=np.int64))

    def collection_frequency(self) -> Int64s:
        """How often each term occurs in all documents."""
        return _by_term(np.add, self.tf.astype(np.int64), self.start).astype(np.int64)


class BatchReader:
    """Reads documents into inverted arrays. The memory it takes follows `num_tokens`: finish a batch in good time.

    >>> reader = BatchReader(Analyser.parse("english"))
    >>> reader.add(["On birds and wings", "Birds, birds!"])
    >>> batch = reader.finish()
    >>> list(batch.terms), batch.doc.tolist(), batch.tf.tolist(), batch.length.tolist()
    (['bird', 'wing'], [0, 1, 0], [1, 2, 1], [2, 2])
    """

    def __init__(self, analyser: Analyser, *, positions: bool = False) -> None:
        self.analyser = analyser
        self._positions = positions
        self._forget_words()

    def _forget_words(self) -> None:
        self._words = kernels.WordReader(self.analyser.fold, self.analyser.bigrams)
        self._terms: list[bytes] = []
        self._number_of: dict[str, int] = {}
        self._term_of_word = np.empty(0, dtype=np.int32)

    @property
    def num_docs(self) -> int:
        """How many documents the batch has so far."""
        return self._words.num_docs

    @property
    def num_tokens(self) -> int:
        """How many words they have, stop words too."""
        return self._words.num_tokens

    def add(self, texts: Sequence[str | bytes]) -> None:
        """Read one document per item: text, or UTF-8 (where it is not, bytes separate words)."""
        for first in range(0, len(texts), DOCS_AT_ONCE):
            self._words.read(texts[first : first + DOCS_AT_ONCE])

    def finish(self) -> InvertedBatch:
        """The documents since the last batch, inverted."""
        codes, ends = self._words.take_codes()
        self._analyse_new_words()
        term_of_word, terms = self._sorted_terms(kernels.used_words(codes, self._words.num_words))

        twin_start, term, tf, length = kernels.count_terms(codes, ends, term_of_word, len(terms))
        tf = tf.astype(_smallest_type(int(tf.max(initial=0))))
        start, doc, tf = kernels.transposed(twin_start, term, tf, len(terms))
        # Twice turned over: the terms of a document now come in order.
        twin_start, twin_term, twin_tf = kernels.transposed(start, doc, tf, len(length))
        batch = InvertedBatch(
            self.analyser,
            terms,
            start,
            doc,
            tf,
            _by_term(np.maximum, tf, start).astype(np.int32),
            _by_term(np.minimum, length[doc], start).astype(np.int32),
            length,
            twin_start,
            twin_term,
            twin_tf,
            self._place_positions(codes, ends, term_of_word, start, tf) if self._positions else None,
        )
        if self._words.num_words > WORDS_KEPT:
            self._forget_words()
        return batch

    def _analyse_new_words(self) -> None:
        """Extend the numbers of terms, in order of appearance, by the words that were not there before."""
        data, offsets = self._words.words_from(len(self._term_of_word))
        words = [data[start:end].decode() for start, end in itertools.pairwise(offsets.tolist())]
        number_of = self._number_of
        numbers = [
            -1 if term is None else number_of.setdefault(term, len(number_of))
            for term in self.analyser.analyse_words(words)
        ]
        self._terms += [term.encode() for term in itertools.islice(number_of, len(self._terms), None)]
        self._term_of_word = np.concatenate([self._term_of_word, np.asarray(numbers, dtype=np.int32)])

    def _sorted_terms(self, is_used: npt.NDArray[np.bool_]) -> tuple[Int32s, Ids]:
        """The terms of this batch in byte order, and the place of each word's term among them (or -1)."""
        used = np.unique(self._term_of_word[is_used & (self._term_of_word >= 0)]).tolist()
        in_order = sorted(used, key=self._terms.__getitem__)
        # One place more, so that the -1 of a stop word stays -1.
        place = np.full(len(self._terms) + 1, -1, dtype=np.int32)
        place[in_order] = np.arange(len(in_order))
        return place[self._term_of_word], Ids.of(map(self._terms.__getitem__, in_order))

    def _place_positions(self, codes: Int32s, ends: Int64s, term_of_word: Int32s, start: Int64s, tf: Counts) -> Int32s:
        so_far = np.zeros(len(tf) + 1, dtype=np.int64)
        np.cumsum(tf, out=so_far[1:])
        positions = np.empty(so_far[-1], dtype=np.int32)
        first = so_far[start[:-1]]
        too_long = kernels.place_positions(codes, ends, term_of_word, first, POSITION_GAP, positions)
        if too_long >= 0:
            hint = "index it without positions, or in parts"
            raise GermaneError(f"document {too_long} of this batch has more than 2,147,483,647 positions", hint=hint)
        return positions


def _smallest_type(largest: int) -> type[np.uint8 | np.uint16 | np.int32]:
    return np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.int32


def _by_term(function: np.ufunc, values: npt.NDArray[np.integer], start: Int64s) -> npt.NDArray[np.integer]:
    """Reduce the values of each term's postings; every term has some."""
    return function.reduceat(values, start[:-1]) if len(values) else values
