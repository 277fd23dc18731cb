"""Invert a batch of documents: which documents contain a term, how often and, optionally, where."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import GermaneError
from germane.retrieval.indexes.background import Background
from germane.retrieval.texts.analysis import Analyser
from germane.tables.columns.ids import Ids

Array = npt.NDArray[np.integer]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

POSITION_GAP = 100
"""Gap in positions between two parts of a text, so that no phrase spans both."""
WORDS_KEPT = 1 << 22
"""Maximum number of distinct words remembered between batches, to bound memory."""


class BatchReader:
    """Reads documents and inverts them. Memory grows with `num_tokens`: finish batches in time.

    Documents are numbered from 0 in the order in which they are added. Positions count all words of a document from 0,
    including stop words, with a gap between the parts of a text. The length of a document counts the words kept. Words
    are read in the background, while the words of the block before are analysed.

    >>> with Background() as background:
    ...     reader = BatchReader(Analyser.parse("english"), background)
    ...     reader.add(Ids.of(["On birds and wings", "Birds, birds!"]))
    ...     arrays = dict(reader.finish())
    >>> arrays["terms"].tobytes(), arrays["doc"].tolist(), arrays["tf"].tolist(), arrays["length"].tolist()
    (b'birdwing', [0, 1, 0], [1, 2, 1], [2, 2])
    """

    def __init__(self, analyser: Analyser, background: Background, *, positions: bool = False) -> None:
        self.analyser = analyser
        self._background = background
        self._positions = positions
        self.num_tokens = 0
        """Number of words in the batch, including stop words, without those of the last block."""
        self._forget_words()

    def _forget_words(self) -> None:
        self._words = kernels.WordReader(self.analyser.fold, self.analyser.bigrams)
        self._terms: list[bytes] = []
        self._number_of: dict[str, int] = {}
        self._term_of_word = np.empty(0, dtype=np.int32)

    def add(self, texts: Ids) -> None:
        """Read more documents: UTF-8 (invalid bytes separate words)."""
        self._background.wait()
        self.num_tokens = self._words.num_tokens
        new = self._words.words_from(len(self._term_of_word))
        self._background.start(self._words.read, texts.data, texts.offsets)
        self._analyse(*new)

    def finish(self) -> Iterator[tuple[str, Array]]:
        """Yield the arrays of the documents added since the last batch, by name, each as soon as it is made."""
        self._background.wait()
        self._analyse(*self._words.words_from(len(self._term_of_word)))
        codes, ends = self._words.take_codes()
        self.num_tokens = 0
        term_of_word, terms = self._sorted_terms(kernels.used_words(codes, self._words.num_words))
        if self._words.num_words > WORDS_KEPT:
            self._forget_words()
        yield "terms", terms.data
        yield "term_offsets", terms.offsets

        twin_start, term, tf, length = kernels.count_terms(codes, ends, term_of_word, len(terms))
        if not self._positions:
            del codes  # as large as all that follows
        tf = tf.astype(_smallest_type(int(tf.max(initial=0))))
        start, doc, tf = kernels.transposed(twin_start, term, tf, len(terms))
        del term
        yield from {"length": length, "twin_start": twin_start, "start": start, "doc": doc, "tf": tf}.items()
        # Transposed twice, the terms of each document are in order.
        _, twin_term, twin_tf = kernels.transposed(start, doc, tf, len(length))
        yield from {"twin_term": twin_term, "twin_tf": twin_tf}.items()
        max_tf, min_length, cf = kernels.term_bounds(start, doc, tf, length)
        yield "max_tf", max_tf
        yield "min_length", min_length
        yield "cf", cf
        if self._positions:
            position_start = np.concatenate([[0], np.cumsum(cf, dtype=np.int64)])
            yield "position_start", position_start
            yield "positions", _placed(codes, ends, term_of_word, position_start)

    def _analyse(self, data: bytes, offsets: Int64s) -> None:
        """Assign term numbers to new words, in order of appearance."""
        words = [data[start:end].decode() for start, end in itertools.pairwise(offsets.tolist())]
        number_of = self._number_of
        numbers = [
            -1 if term is None else number_of.setdefault(term, len(number_of))
            for term in self.analyser.analyse_new_words(words)
        ]
        new = list(itertools.islice(reversed(number_of), len(number_of) - len(self._terms)))
        self._terms += [term.encode() for term in reversed(new)]
        self._term_of_word = np.concatenate([self._term_of_word, np.asarray(numbers, dtype=np.int32)])

    def _sorted_terms(self, is_used: npt.NDArray[np.bool_]) -> tuple[Int32s, Ids]:
        """Return the terms of this batch in byte order, and for each word the index of its term (or -1)."""
        number = self._term_of_word[is_used & (self._term_of_word >= 0)]
        used = np.flatnonzero(np.bincount(number, minlength=len(self._terms)))
        terms = Ids.of(self._terms).take(used)
        in_order = terms.sorted_indices()
        # One entry more, so that the -1 of a stop word stays -1.
        place = np.full(len(self._terms) + 1, -1, dtype=np.int32)
        place[used[in_order]] = np.arange(len(in_order))
        return place[self._term_of_word], terms.take(in_order)


def _placed(codes: Int32s, ends: Int64s, term_of_word: Int32s, position_start: Int64s) -> Int32s:
    positions = np.empty(position_start[-1], dtype=np.int32)
    too_long = kernels.place_positions(codes, ends, term_of_word, position_start[:-1].copy(), POSITION_GAP, positions)
    if too_long >= 0:
        hint = "index it without positions, or split it"
        raise GermaneError(f"document {too_long} of this batch has more than 2,147,483,647 positions", hint=hint)
    return positions


def _smallest_type(largest: int) -> type[np.uint8 | np.uint16 | np.int32]:
    return np.uint8 if largest < 1 << 8 else np.uint16 if largest < 1 << 16 else np.int32
