"""The plain references of the kernels that read words and invert them."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.kernels.scripts import group_of, joins

COMPILED = False
Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Matrix = tuple[Places, Codes, Any]
"""Row by row: where each row begins, the columns, the values."""

GAP = -1
FIELD_END = "\x1d"
MOST = np.iinfo(np.int32).max


def words_of(text: str) -> Iterator[str | None]:
    """The words of a text, and None between two words that a field separator divides."""
    word, field_ended, any_word = "", False, False
    for character in text + " ":
        kind = unicodedata.category(character)[0]
        if kind in "LN" or (word and kind == "M"):
            word += character
            continue
        if word:
            if field_ended and any_word:
                yield None
            yield word
            word, field_ended, any_word = "", False, True
        field_ended |= character == FIELD_END


def pair_spans(word: str) -> list[tuple[int, int]]:
    """Where the pieces of a word begin and end: pairs of neighbours in scripts without spaces, and what is between.

    A character is a letter with its marks. Of a group that is alone in its stretch, that one character is a piece.

    >>> [("iPhone15手机壳"[start:end]) for start, end in pair_spans("iPhone15手机壳")]
    ['iPhone15', '手机', '机壳']
    """
    characters: list[tuple[int, int]] = []  # where each begins, and its group; plain letters together are one
    for place, character in enumerate(word):
        code = ord(character)
        before = characters[-1][1] if characters else None
        group = group_of(code)
        if before is not None and (
            unicodedata.category(character)[0] == "M" or (group == before and (group == 0 or joins(code)))
        ):
            continue
        characters.append((place, group))
    ends = [start for start, _ in characters[1:]] + [len(word)]
    spans = []
    for i, (start, group) in enumerate(characters):
        if group and i + 1 < len(characters) and characters[i + 1][1] == group:
            spans.append((start, ends[i + 1]))
        elif not group or i == 0 or characters[i - 1][1] != group:
            spans.append((start, ends[i]))
    return spans


class WordReader:
    """Takes the words off documents: appends a code for each, and -1 between two words of different fields.

    With `pairs`, what is written without spaces between words is read as overlapping pairs of characters.
    """

    def __init__(self, fold: bool, pairs: bool = False) -> None:
        self._pairs = pairs
        self._lower = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} if fold else {}
        self._code_of: dict[str, int] = {}
        self._codes: list[int] = []
        self._ends: list[int] = []

    @property
    def num_words(self) -> int:
        """How many distinct words there are."""
        return len(self._code_of)

    @property
    def num_tokens(self) -> int:
        """How many words were read since the codes were taken."""
        return len(self._codes) - self._codes.count(GAP)

    @property
    def num_docs(self) -> int:
        """How many documents were read since the codes were taken."""
        return len(self._ends)

    def read(self, data: npt.NDArray[np.uint8], offsets: Places) -> None:
        """Read the words of documents: UTF-8 in one block, and where each begins. Other bytes come between words."""
        for first, last in itertools.pairwise(offsets.tolist()):
            decoded = data[first:last].tobytes().decode("utf-8", "surrogateescape")
            for word in words_of(decoded.translate(self._lower)):
                if word is None:
                    self._codes.append(GAP)
                    continue
                spans = pair_spans(word) if self._pairs else [(0, len(word))]
                for start, end in spans:
                    self._codes.append(self._code_of.setdefault(word[start:end], len(self._code_of)))
            self._ends.append(len(self._codes))

    def words_from(self, first: int) -> tuple[bytes, Places]:
        """The words with the code `first` and higher: their UTF-8 bytes, and where each begins."""
        words = [word.encode() for word in itertools.islice(self._code_of, first, None)]
        return b"".join(words), np.cumsum([0, *map(len, words)], dtype=np.int64)

    def take_codes(self) -> tuple[Codes, Places]:
        """The codes since they were last taken, and where those of each document end."""
        taken = np.asarray(self._codes, dtype=np.int32), np.asarray(self._ends, dtype=np.int64)
        self._codes, self._ends = [], []
        return taken


def used_words(codes: Codes, num_words: int) -> npt.NDArray[np.bool_]:
    """For each word, whether it is among the codes."""
    return np.isin(np.arange(num_words), codes)


def count_terms(codes: Codes, ends: Places, term_of_word: Codes, num_terms: int) -> tuple[Places, Codes, Any, Codes]:
    """The terms of each document: where they begin, terms in order of appearance, how often each; document lengths."""
    terms_by_doc = [Counter(terms) for terms in _terms_by_doc(codes, ends, term_of_word)]
    start = np.cumsum([0, *map(len, terms_by_doc)], dtype=np.int64)
    term = np.asarray([t for terms in terms_by_doc for t in terms], dtype=np.int32)
    tf = np.asarray([n for terms in terms_by_doc for n in terms.values()], dtype=np.int32)
    length = np.asarray([terms.total() for terms in terms_by_doc], dtype=np.int32)
    return start, term, tf, length


def _terms_by_doc(codes: Codes, ends: Places, term_of_word: Codes) -> Iterator[list[int]]:
    for first, end in itertools.pairwise([0, *ends.tolist()]):
        words = codes[first:end]
        terms = term_of_word[words[words != GAP]]
        yield terms[terms >= 0].tolist()


def transposed(start: Places, column: Codes, value: npt.NDArray[Any], num_columns: int) -> Matrix:
    """A matrix given row by row (where each row begins, its columns and values), given column by column."""
    order = np.argsort(column, kind="stable")
    row = np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))
    offsets = np.zeros(num_columns + 1, dtype=np.int64)
    np.cumsum(np.bincount(column, minlength=num_columns), out=offsets[1:])
    return offsets, row[order], value[order]


def term_bounds(start: Places, doc: Codes, tf: npt.NDArray[Any], length: Codes) -> tuple[Codes, Codes, Places]:
    """For each term its largest frequency, the length of its shortest document, and the sum of its frequencies."""
    spans = [slice(first, end) for first, end in itertools.pairwise(start.tolist())]
    largest = [tf[span].max() for span in spans]
    shortest = [length[doc[span]].min() for span in spans]
    total = [tf[span].sum(dtype=np.int64) for span in spans]
    return np.asarray(largest, np.int32), np.asarray(shortest, np.int32), np.asarray(total, np.int64)


def merge_postings(
    start: Places, doc: Codes, tf: Any, term: Places, new_doc: Places, place: Places, merged_doc: Codes, merged_tf: Any
) -> None:
    """Copy the postings of a segment behind those of the segments before, without those of deleted documents (-1).

    Term t of the segment is `term[t]` among the merged ones, whose next posting goes to `place[term[t]]`.
    """
    for t, (first, end) in enumerate(itertools.pairwise(start.tolist())):
        number = new_doc[doc[first:end]]
        living = number >= 0
        here = slice(place[term[t]], place[term[t]] + living.sum())
        if living.any():
            merged_doc[here], merged_tf[here] = number[living], tf[first:end][living]
            place[term[t]] = here.stop


def merge_positions(
    start: Places, doc: Codes, tf: Any, positions: Codes, term: Places, new_doc: Places, place: Places, merged: Codes
) -> None:
    """Copy positions as `merge_postings` does postings: the next of term t goes to `place[term[t]]`."""
    ends = np.cumsum(tf, dtype=np.int64).tolist()
    for t, (first, end) in enumerate(itertools.pairwise(start.tolist())):
        for posting in range(first, end):
            if new_doc[doc[posting]] >= 0:
                some = positions[ends[posting] - int(tf[posting]) : ends[posting]]
                merged[place[term[t]] : place[term[t]] + len(some)] = some
                place[term[t]] += len(some)


def place_positions(codes: Codes, ends: Places, term_of_word: Codes, first: Places, gap: int, positions: Codes) -> int:
    """Write the positions of all terms, those of term t from `first[t]` on, document by document.

    Positions count all words; between two fields they leave a gap. The first document too long for them, or -1.
    """
    place = first.tolist()
    for doc, (begin, end) in enumerate(itertools.pairwise([0, *ends.tolist()])):
        position = 0
        for code in codes[begin:end].tolist():
            term = int(term_of_word[code]) if code != GAP else GAP
            if term >= 0:
                positions[place[term]] = position
                place[term] += 1
            position += gap if code == GAP else 1
            if position > MOST:
                return doc
    return -1
