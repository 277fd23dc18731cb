"""Invert a batch of documents: which documents contain a term, how often and, optionally, where."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.retrieval.indexes.segment import Segment
from germane.retrieval.texts.analysis import Analyser
from germane.tables.columns.ids import Ids, IntArray

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

POSITION_GAP = 100
"""Gap in positions between two parts of a text, so that no phrase spans both."""
DOCS_AT_ONCE = 4096
WORDS_KEPT = 1 << 22
"""Maximum number of distinct words remembered between batches, to bound memory."""


class BatchReader:
    """Reads documents into segments. Memory grows with `num_tokens`: finish batches in time.

    Documents are numbered from 0 in the order in which they are added. Positions count all words of a document from 0,
    including stop words, with a gap between the parts of a text. The length of a document counts the words kept.

    >>> reader = BatchReader(Analyser.parse("english"))
    >>> reader.add(["On birds and wings", "Birds, birds!"])
    >>> batch = reader.finish(Ids.of(["d1", "d2"]), Ids.of(["", ""]), Ids.of(["", ""]))
    >>> list(batch.vocabulary), batch.doc.tolist(), batch.tf.tolist(), batch.length.tolist()
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
    def num_tokens(self) -> int:
        """Number of words in the batch so far, including stop words."""
        return self._words.num_tokens

    def add(self, texts: Sequence[str | bytes]) -> None:
        """Read one document per item: text or UTF-8 (invalid bytes separate words)."""
        for first in range(0, len(texts), DOCS_AT_ONCE):
            self._words.read(texts[first : first + DOCS_AT_ONCE])

    def finish(self, ids: Ids, titles: Ids, texts: Ids) -> Segment:
        """Return the documents added since the last batch as a segment, with ids, titles and texts."""
        codes, ends = self._words.take_codes()
        self._analyse_new_words()
        term_of_word, terms = self._sorted_terms(kernels.used_words(codes, self._words.num_words))

        twin_start, term, tf, length = kernels.count_terms(codes, ends, term_of_word, len(terms))
        tf = tf.astype(_smallest_type(int(tf.max(initial=0))))
        start, doc, tf = kernels.transposed(twin_start, term, tf, len(terms))
        # Transposed twice, the terms of each document are in order.
        twin_start, twin_term, twin_tf = kernels.transposed(start, doc, tf, len(length))
        position_start = positions = None
        if self._positions:
            position_start = np.concatenate([[0], np.cumsum(tf, dtype=np.int64)])[start]
            positions = _placed(codes, ends, term_of_word, position_start)
        if self._words.num_words > WORDS_KEPT:
            self._forget_words()
        id_order: IntArray = np.argsort(ids.byte_order(), kind="stable")
        return Segment(
            terms=terms.data, term_offsets=terms.offsets, start=start, doc=doc, tf=tf,
            max_tf=_by_term(np.maximum, tf, start).astype(np.int32),
            min_length=_by_term(np.minimum, length[doc], start).astype(np.int32),
            cf=_by_term(np.add, tf.astype(np.int64), start).astype(np.int64), length=length,
            twin_start=twin_start, twin_term=twin_term, twin_tf=twin_tf,
            ids=ids.data, id_offsets=ids.offsets, id_order=id_order.astype(np.int32),
            titles=titles.data, title_offsets=titles.offsets, texts=texts.data, text_offsets=texts.offsets,
            position_start=position_start, positions=positions,
        )  # fmt: skip

    def _analyse_new_words(self) -> None:
        """Assign term numbers to new words, in order of appearance."""
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
        """Return the terms of this batch in byte order, and for each word the index of its term (or -1)."""
        used = np.unique(self._term_of_word[is_used & (self._term_of_word >= 0)]).tolist()
        in_order = sorted(used, key=self._terms.__getitem__)
        # One entry more, so that the -1 of a stop word stays -1.
        place = np.full(len(self._terms) + 1, -1, dtype=np.int32)
        place[in_order] = np.arange(len(in_order))
        return place[self._term_of_word], Ids.of(map(self._terms.__getitem__, in_order))


def _placed(codes: Int32s, ends: Int64s, term_of_word: Int32s, position_start: Int64s) -> Int32s:
    positions = np.empty(position_start[-1], dtype=np.int32)
    too_long = kernels.place_positions(codes, ends, term_of_word, position_start[:-1].copy(), POSITION_GAP, positions)
    if too_long >= 0:
        hint = "index it without positions, or split it"
        raise GermaneError(f"document {too_long} of this batch has more than 2,147,483,647 positions", hint=hint)
    return positions


def _smallest_type(largest: int) -> type[np.uint8 | np.uint16 | np.int32]:
    return np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.int32


def _by_term(function: np.ufunc, values: npt.NDArray[np.integer], start: Int64s) -> npt.NDArray[np.integer]:
    """Reduce the values of each term's postings; every term has at least one."""
    return function.reduceat(values, start[:-1]) if len(values) else values
