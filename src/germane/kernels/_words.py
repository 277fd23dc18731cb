"""The words of documents as codes, and the codes as inverted arrays. Compiled by Cython (pure mode).

A word is a letter or digit and the letters, digits and combining marks that follow it. Each distinct word is kept once
and has a code, in order of appearance. A word of at most eight bytes is one 64-bit key, which says all there is to say
about it; a longer one has its hash for a key. On request, stretches of scripts without spaces are read as overlapping
pairs of characters.
"""

import unicodedata

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import out_of_memory, resize, zeroed
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcmp, memcpy

from germane.kernels.scripts import group_of, joins

COMPILED = cython.compiled

MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
CODE_POINTS = cython.declare(int64_t, 0x110000)
PAGE = cython.declare(int64_t, 256)
MOST_WORDS = cython.declare(int64_t, 2147483647)
GAP = cython.declare(int32_t, -1)

ONES = cython.declare(uint64_t, 0x0101010101010101)
HIGHS = cython.declare(uint64_t, 0x8080808080808080)
BYTE_INDEX = cython.declare(uint64_t, 0x0001020304050607)

# What a byte of text is: one of these, or else the (folded) letter or digit itself.
BETWEEN = cython.declare(uint8_t, 0)
FIELD_END = cython.declare(uint8_t, 1)
NOT_ASCII = cython.declare(uint8_t, 2)

# What a character is.
LETTER = cython.declare(uint8_t, 1)
MARK = cython.declare(uint8_t, 2)
# With pairs, a letter of a script without spaces is PAIRED + its group; JOINS is added where it belongs to the
# character before it.
PAIRED = cython.declare(uint8_t, 16)
JOINS = cython.declare(uint8_t, 64)

Bytes = cython.typedef(cython.pointer[cython.const[uint8_t]])
Slot = cython.struct(key=uint64_t, code_plus_one=uint32_t, is_long=uint32_t)
Count = cython.fused_type(uint8_t, uint16_t, int32_t)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(h: uint64_t, word: uint64_t) -> uint64_t:
    h = (h ^ word) * MIX
    return h ^ (h >> 32)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_bytes(p: Bytes, size: int64_t) -> uint64_t:
    """At most eight bytes as one number; there are eight that may be read."""
    word: uint64_t = 0
    memcpy(cython.address(word), p, 8)
    return word if size >= 8 else word & ((cython.cast(uint64_t, 1) << (8 * size)) - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def in_range(word: uint64_t, first: uint64_t, last: uint64_t) -> uint64_t:
    """The high bit of each byte that lies in the range; all eight bytes are ASCII, so no sum carries over."""
    return (word + ONES * (128 - first)) & ~(word + ONES * (127 - last)) & HIGHS


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def code_point(p: Bytes, end: Bytes, size: cython.pointer[int64_t]) -> int64_t:
    """The character that begins here with a byte beyond ASCII, and its size; -1 and one byte if this is no UTF-8.

    Surrogates pass: they are no letters anyway.
    """
    first: int64_t = p[0]
    more: int64_t = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
    code: int64_t = first & (0x3F >> more)
    i: int64_t
    size[0] = 1
    if first < 0xC2 or first > 0xF4 or end - p <= more:
        return -1
    for i in range(1, more + 1):
        if (p[i] & 0xC0) != 0x80:
            return -1
        code = (code << 6) | (p[i] & 0x3F)
    if (more == 2 and code < 0x800) or (more == 3 and (code < 0x10000 or code >= CODE_POINTS)):
        return -1
    size[0] = more + 1
    return code


@cython.cclass
class WordReader:
    """Takes the words off documents: appends a code for each, and -1 between two words of different fields.

    It belongs to one thread at a time.
    """

    # What a byte is; what a character is, page by page as they are met.
    byte_kind: uint8_t[256]
    lower_case: uint64_t
    char_kind: cython.pointer[uint8_t]
    page_known: cython.pointer[uint8_t]
    pairs: cython.bint

    # The distinct words, one after the other, and a table with room for twice as many.
    letters: cython.pointer[uint8_t]
    letters_space: int64_t
    word_end: cython.pointer[int64_t]
    words_space: int64_t
    words: int64_t
    slots: cython.pointer[Slot]
    mask: uint64_t
    shift: cython.int

    # The codes, and where those of each document end.
    codes: cython.pointer[int32_t]
    codes_space: int64_t
    codes_used: int64_t
    gaps: int64_t
    ends: cython.pointer[int64_t]
    ends_space: int64_t
    docs: int64_t

    def __cinit__(self, fold, pairs=False):
        byte: cython.int
        self.pairs = pairs
        for byte in range(256):
            self.byte_kind[byte] = NOT_ASCII if byte >= 128 else BETWEEN
        self.byte_kind[0x1D] = FIELD_END
        for byte in range(10):
            self.byte_kind[48 + byte] = cython.cast(uint8_t, 48 + byte)
        for byte in range(26):
            self.byte_kind[97 + byte] = cython.cast(uint8_t, 97 + byte)
            self.byte_kind[65 + byte] = cython.cast(uint8_t, (97 if fold else 65) + byte)
        self.lower_case = ONES << 5 if fold else 0
        self.shift = 54
        self.char_kind = cython.cast(cython.pointer[uint8_t], zeroed(CODE_POINTS, 1))
        self.page_known = cython.cast(cython.pointer[uint8_t], zeroed(CODE_POINTS // PAGE, 1))
        resize(cython.address(self.letters), 4096, 1)
        self.letters_space = 4096
        resize(cython.address(self.word_end), 512 + 1, 8)
        self.words_space = 512
        self.slots = cython.cast(cython.pointer[Slot], zeroed(1024, cython.sizeof(Slot)))
        self.mask = 1023
        resize(cython.address(self.codes), 4096, 4)
        self.codes_space = 4096
        resize(cython.address(self.ends), 512, 8)
        self.ends_space = 512
        self.word_end[0] = 0

    def __dealloc__(self):
        free(self.char_kind)
        free(self.page_known)
        free(self.letters)
        free(self.word_end)
        free(self.slots)
        free(self.codes)
        free(self.ends)

    @property
    def num_words(self):
        """How many distinct words there are."""
        return self.words

    @property
    def num_tokens(self):
        """How many words were read since the codes were taken."""
        return self.codes_used - self.gaps

    @property
    def num_docs(self):
        """How many documents were read since the codes were taken."""
        return self.docs

    def read(self, data, offsets):
        """Read the words of documents: UTF-8 in one block, and where each begins. Other bytes come between words."""
        text: cython.const[uint8_t][::1] = data
        starts: cython.const[int64_t][::1] = offsets
        n: int64_t = len(offsets) - 1
        first: Bytes = cython.NULL
        i: int64_t
        docs_before: int64_t = self.docs
        codes_before: int64_t = self.codes_used
        gaps_before: int64_t = self.gaps
        if len(data) > 0:
            first = cython.address(text[0])
        try:
            with cython.nogil:
                if self.docs + n > self.ends_space:
                    resize(cython.address(self.ends), 2 * (self.docs + n), 8)
                    self.ends_space = 2 * (self.docs + n)
                for i in range(n):
                    self.read_document(first + starts[i], first + starts[i + 1])
                    self.ends[self.docs] = self.codes_used
                    self.docs += 1
        except BaseException:
            self.docs = docs_before
            self.codes_used = codes_before
            self.gaps = gaps_before
            raise

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_document(self, p: Bytes, end: Bytes) -> cython.int:
        """Append the codes of one document."""
        begin: Bytes
        kind: uint8_t
        key: uint64_t
        letters: uint64_t
        others: uint64_t
        shift: cython.int
        size: int64_t = 0
        field_ended: cython.bint = False
        any_word: cython.bint = False
        while True:
            while p < end:
                kind = self.byte_kind[p[0]]
                if kind > NOT_ASCII:
                    break
                if kind == NOT_ASCII:
                    kind = self.kind_of(p, end, cython.address(size))
                    if kind != BETWEEN and kind != MARK:
                        break
                    p += size
                else:
                    field_ended |= kind == FIELD_END
                    p += 1
            if p >= end:
                return 0
            if self.codes_used + 2 > self.codes_space:
                resize(cython.address(self.codes), 2 * self.codes_space, 4)
                self.codes_space *= 2
            if field_ended and any_word:
                self.codes[self.codes_used] = GAP
                self.codes_used += 1
                self.gaps += 1
            field_ended = False
            any_word = True
            begin = p
            if end - p >= 8:
                # Eight bytes at a time: most words are shorter, and ASCII.
                key = first_bytes(p, 8)
                if key & HIGHS == 0:
                    letters = in_range(key | (ONES << 5), 97, 122)
                    others = (letters | in_range(key, 48, 57)) ^ HIGHS
                    key |= (letters >> 2) & self.lower_case
                    if others != 0:
                        others &= ~others + 1
                        p += ((others >> 7) * BYTE_INDEX) >> 56
                        self.codes[self.codes_used] = self.code_of(key & ((others >> 7) - 1), cython.NULL, p - begin)
                        self.codes_used += 1
                        continue
            key = 0
            shift = 0
            while p < end:
                kind = self.byte_kind[p[0]]
                if kind <= NOT_ASCII or shift == 64:
                    break
                key |= cython.cast(uint64_t, kind) << shift
                shift += 8
                p += 1
            if p < end and kind >= NOT_ASCII:
                p += self.rest_of_word(p, end)
            if p - begin == shift >> 3:
                self.codes[self.codes_used] = self.code_of(key, cython.NULL, shift >> 3)
            elif self.pairs:
                self.read_pairs(begin, p)
                continue
            else:
                self.codes[self.codes_used] = self.code_of_long(begin, p - begin)
            self.codes_used += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def read_pairs(self, p: Bytes, end: Bytes) -> cython.int:
        """Append the codes of the pieces of one word."""
        before: Bytes = cython.NULL  # the character before this one, if both are of one group
        here: Bytes = p
        kind: uint8_t
        group: uint8_t = BETWEEN
        next_group: uint8_t
        size: int64_t = 1
        while p < end:
            kind = self.byte_kind[p[0]]
            if kind > NOT_ASCII:
                size = 1
                kind = LETTER
            else:
                kind = self.kind_of(p, end, cython.address(size))
            next_group = kind & ~JOINS
            if group == BETWEEN:
                group = next_group
            elif kind != MARK and (next_group != group or (group != LETTER and kind & JOINS == 0)):
                if before != cython.NULL:
                    self.append_piece(before, p)
                if next_group == group:
                    before = here
                else:
                    if before == cython.NULL:
                        self.append_piece(here, p)
                    before = cython.NULL
                here = p
                group = next_group
            p += size
        return self.append_piece(here if before == cython.NULL else before, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def append_piece(self, begin: Bytes, end: Bytes) -> cython.int:
        """Append the code of one piece of a word."""
        if self.codes_used == self.codes_space:
            resize(cython.address(self.codes), 2 * self.codes_space, 4)
            self.codes_space *= 2
        self.codes[self.codes_used] = self.code_of_long(begin, end - begin)
        self.codes_used += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def rest_of_word(self, begin: Bytes, end: Bytes) -> int64_t:
        """How many more bytes the word has that goes on here, or does not."""
        p: Bytes = begin
        kind: uint8_t
        size: int64_t = 0
        while p < end:
            kind = self.byte_kind[p[0]]
            if kind > NOT_ASCII:
                p += 1
            elif kind == NOT_ASCII and self.kind_of(p, end, cython.address(size)) != BETWEEN:
                p += size
            else:
                break
        return p - begin

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(255, check=False)
    def kind_of(self, p: Bytes, end: Bytes, size: cython.pointer[int64_t]) -> uint8_t:
        """What the character is that begins here with a byte beyond ASCII, and its size."""
        code: int64_t = code_point(p, end, size)
        if code < 0:
            return BETWEEN
        if not self.page_known[code // PAGE]:
            with cython.gil:
                self.learn_page(code // PAGE)
        return self.char_kind[code]

    @cython.cfunc
    def learn_page(self, page: int64_t):
        code: int64_t
        for code in range(page * PAGE, (page + 1) * PAGE):
            category: str = unicodedata.category(chr(code))
            kind: uint8_t = MARK if category[0] == "M" else LETTER if category[0] in "LN" else BETWEEN
            if self.pairs and kind == LETTER and group_of(code):
                kind = PAIRED + cython.cast(uint8_t, group_of(code)) + (JOINS if joins(code) else 0)
            self.char_kind[code] = kind
        self.page_known[page] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def code_of_long(self, begin: Bytes, size: int64_t) -> int32_t:
        """The code of a word that is long or not ASCII."""
        i: int64_t
        key: uint64_t = 0
        kind: uint8_t
        used: int64_t = self.word_end[self.words]
        word: cython.pointer[uint8_t]
        self.grow_letters(size)
        word = self.letters + used
        for i in range(size):
            kind = self.byte_kind[begin[i]]
            word[i] = begin[i] if kind == NOT_ASCII else kind
        if size <= 8:
            return self.code_of(first_bytes(word, size), cython.NULL, size)
        i = 0
        while i < size:
            key = mixed(key, first_bytes(word + i, size - i))
            i += 8
        return self.code_of(key, word, size)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def code_of(self, key: uint64_t, long_word: Bytes, size: int64_t) -> int32_t:
        """The code of a word by its key, a new one if it is new; `long_word` is NULL for up to eight bytes."""
        at: uint64_t = self.place_of(key)
        is_long: uint32_t = long_word != cython.NULL
        slot: cython.pointer[Slot]
        code: int64_t
        while True:
            slot = self.slots + at
            if slot.code_plus_one == 0:
                return self.new_code(slot, key, is_long, size)
            if slot.key == key and slot.is_long == is_long:
                code = cython.cast(int64_t, slot.code_plus_one) - 1
                if not is_long:
                    return cython.cast(int32_t, code)
                if self.word_end[code + 1] - self.word_end[code] == size:
                    if memcmp(self.letters + self.word_end[code], long_word, size) == 0:
                        return cython.cast(int32_t, code)
            at = (at + 1) & self.mask

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def place_of(self, key: uint64_t) -> uint64_t:
        # The upper bits of a product depend on all bits of the key, the lower ones only on the first letters.
        return ((key ^ (key >> 32)) * MIX) >> self.shift

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def new_code(self, slot: cython.pointer[Slot], key: uint64_t, is_long: uint32_t, size: int64_t) -> int32_t:
        """Keep a new word. The letters of a long one lie behind those of the last word already."""
        used: int64_t = self.word_end[self.words]
        if self.words == MOST_WORDS:
            out_of_memory()
        self.grow_letters(size)
        if self.words == self.words_space:
            self.grow_words()
            slot = self.free_slot(key)
        if not is_long:
            memcpy(self.letters + used, cython.address(key), 8)
        self.words += 1
        self.word_end[self.words] = used + size
        slot.key = key
        slot.is_long = is_long
        slot.code_plus_one = cython.cast(uint32_t, self.words)
        return cython.cast(int32_t, self.words - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def free_slot(self, key: uint64_t) -> cython.pointer[Slot]:
        at: uint64_t = self.place_of(key)
        while self.slots[at].code_plus_one != 0:
            at = (at + 1) & self.mask
        return self.slots + at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_words(self) -> cython.int:
        """Room for twice as many words: the table is at most half full."""
        old: cython.pointer[Slot] = self.slots
        size: uint64_t = self.mask + 1
        i: uint64_t
        resize(cython.address(self.word_end), 2 * self.words_space + 1, 8)
        self.slots = cython.cast(cython.pointer[Slot], zeroed(2 * size, cython.sizeof(Slot)))
        self.mask = 2 * size - 1
        self.shift -= 1
        self.words_space *= 2
        for i in range(size):
            if old[i].code_plus_one != 0:
                self.free_slot(old[i].key)[0] = old[i]
        free(old)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_letters(self, size: int64_t) -> cython.int:
        """Make room for `size` more letters, and for eight that are read or written beyond them."""
        needed: int64_t = self.word_end[self.words] + size + 8
        if needed > self.letters_space:
            resize(cython.address(self.letters), 2 * needed, 1)
            self.letters_space = 2 * needed
        return 0

    def words_from(self, first):
        """The words with the code `first` and higher: their UTF-8 bytes, and where each begins."""
        start: int64_t = first
        offsets = np.empty(self.words - start + 1, dtype=np.int64)
        memcpy(
            cython.cast(cython.p_void, cython.cast(cython.size_t, offsets.ctypes.data)),
            self.word_end + start,
            offsets.nbytes,
        )
        size: int64_t = self.word_end[self.words] - self.word_end[start]
        data: bytes = cython.cast(cython.p_char, self.letters + self.word_end[start])[:size]
        return data, offsets - self.word_end[start]

    def take_codes(self):
        """The codes since they were last taken, and where those of each document end."""
        codes = np.empty(self.codes_used, dtype=np.int32)
        memcpy(cython.cast(cython.p_void, cython.cast(cython.size_t, codes.ctypes.data)), self.codes, codes.nbytes)
        ends = np.empty(self.docs, dtype=np.int64)
        memcpy(cython.cast(cython.p_void, cython.cast(cython.size_t, ends.ctypes.data)), self.ends, ends.nbytes)
        self.codes_used = 0
        self.gaps = 0
        self.docs = 0
        return codes, ends


def used_words(codes, num_words):
    """For each word, whether it is among the codes."""
    read: cython.const[int32_t][::1] = codes
    used = np.zeros(num_words, dtype=np.bool_)
    marks: uint8_t[::1] = used.view(np.uint8)
    i: int64_t
    with cython.nogil:
        for i in range(read.shape[0]):
            if read[i] >= 0:
                marks[read[i]] = 1
    return used


def count_terms(codes, ends, term_of_word, num_terms):
    """The terms of each document: where they begin, terms in order of appearance, how often each; document lengths."""
    read: cython.const[int32_t][::1] = codes
    stop: cython.const[int64_t][::1] = ends
    terms: cython.const[int32_t][::1] = term_of_word
    n: int64_t = len(ends)
    term = np.empty(len(codes), dtype=np.int32)
    tf = np.empty(len(codes), dtype=np.int32)
    start = np.zeros(n + 1, dtype=np.int64)
    length = np.empty(n, dtype=np.int32)
    place = np.full(num_terms, -1, dtype=np.int64)
    found: int32_t[::1] = term
    count: int32_t[::1] = tf
    begin: int64_t[::1] = start
    size: int32_t[::1] = length
    last: int64_t[::1] = place  # where the term was last written down: in this document, or before it
    doc: int64_t
    i: int64_t = 0
    used: int64_t = 0
    kept: int32_t
    t: int32_t
    with cython.nogil:
        for doc in range(n):
            kept = 0
            while i < stop[doc]:
                t = terms[read[i]] if read[i] >= 0 else -1
                i += 1
                if t < 0:
                    continue
                kept += 1
                if last[t] >= begin[doc]:
                    count[last[t]] += 1
                else:
                    last[t] = used
                    found[used] = t
                    count[used] = 1
                    used += 1
            size[doc] = kept
            begin[doc + 1] = used
    return start, term[:used], tf[:used], length  # what lies behind was never touched: no memory is behind it


def transposed(
    start: cython.const[int64_t][::1], column: cython.const[int32_t][::1], value: cython.const[Count][::1], num_columns
):
    """A matrix given row by row (where each row begins, its columns and values), given column by column."""
    n: int64_t = start.shape[0] - 1
    offsets = np.zeros(num_columns + 1, dtype=np.int64)
    row = np.empty(column.shape[0], dtype=np.int32)
    values = np.empty(column.shape[0], dtype=np.asarray(value).dtype)
    ends: int64_t[::1] = offsets
    place: int64_t[::1]
    rows: int32_t[::1] = row
    result: Count[::1] = values
    i: int64_t
    j: int64_t
    at: int64_t
    with cython.nogil:
        for j in range(column.shape[0]):
            ends[column[j] + 1] += 1
        for i in range(1, ends.shape[0]):
            ends[i] += ends[i - 1]
    place = offsets.copy()
    with cython.nogil:
        for i in range(n):
            for j in range(start[i], start[i + 1]):
                at = place[column[j]]
                place[column[j]] = at + 1
                rows[at] = cython.cast(int32_t, i)
                result[at] = value[j]
    return offsets, row, values


def term_bounds(
    start: cython.const[int64_t][::1],
    doc: cython.const[int32_t][::1],
    tf: cython.const[Count][::1],
    length: cython.const[int32_t][::1],
):
    """For each term its largest frequency, the length of its shortest document, and the sum of its frequencies."""
    n: int64_t = start.shape[0] - 1
    largest = np.zeros(n, dtype=np.int32)
    shortest = np.empty(n, dtype=np.int32)
    total = np.zeros(n, dtype=np.int64)
    most: int32_t[::1] = largest
    least: int32_t[::1] = shortest
    sums: int64_t[::1] = total
    i: int64_t
    j: int64_t
    with cython.nogil:
        for i in range(n):
            least[i] = 2147483647
            for j in range(start[i], start[i + 1]):
                sums[i] += tf[j]
                if tf[j] > most[i]:
                    most[i] = tf[j]
                if length[doc[j]] < least[i]:
                    least[i] = length[doc[j]]
    return largest, shortest, total


def merge_postings(
    start: cython.const[int64_t][::1],
    doc: cython.const[int32_t][::1],
    tf: cython.const[Count][::1],
    term: cython.const[int64_t][::1],
    new_doc: cython.const[int64_t][::1],
    place: int64_t[::1],
    merged_doc: int32_t[::1],
    merged_tf: Count[::1],
):
    """Copy the postings of a segment behind those of the segments before, without those of deleted documents (-1).

    Term t of the segment is `term[t]` among the merged ones, whose next posting goes to `place[term[t]]`.
    """
    i: int64_t
    j: int64_t
    at: int64_t
    number: int64_t
    with cython.nogil:
        for i in range(start.shape[0] - 1):
            for j in range(start[i], start[i + 1]):
                number = new_doc[doc[j]]
                if number >= 0:
                    at = place[term[i]]
                    place[term[i]] = at + 1
                    merged_doc[at] = cython.cast(int32_t, number)
                    merged_tf[at] = tf[j]


def merge_positions(
    start: cython.const[int64_t][::1],
    doc: cython.const[int32_t][::1],
    tf: cython.const[Count][::1],
    positions: cython.const[int32_t][::1],
    term: cython.const[int64_t][::1],
    new_doc: cython.const[int64_t][::1],
    place: int64_t[::1],
    merged: int32_t[::1],
):
    """Copy positions as `merge_postings` does postings: the next of term t goes to `place[term[t]]`."""
    i: int64_t
    j: int64_t
    k: int64_t
    first: int64_t = 0
    at: int64_t
    with cython.nogil:
        for i in range(start.shape[0] - 1):
            for j in range(start[i], start[i + 1]):
                if new_doc[doc[j]] >= 0:
                    at = place[term[i]]
                    place[term[i]] = at + tf[j]
                    for k in range(tf[j]):
                        merged[at + k] = positions[first + k]
                first += tf[j]


def place_positions(codes, ends, term_of_word, first, gap, positions):
    """Write the positions of all terms, those of term t from `first[t]` on, document by document.

    Positions count all words; between two fields they leave a gap. The first document too long for them, or -1.
    """
    read: cython.const[int32_t][::1] = codes
    stop: cython.const[int64_t][::1] = ends
    terms: cython.const[int32_t][::1] = term_of_word
    place: int64_t[::1] = first.copy()
    result: int32_t[::1] = positions
    jump: int64_t = gap
    doc: int64_t
    i: int64_t = 0
    position: int64_t
    t: int32_t
    too_long: int64_t = -1
    with cython.nogil:
        for doc in range(stop.shape[0]):
            position = 0
            while i < stop[doc]:
                if read[i] < 0:
                    position += jump
                else:
                    t = terms[read[i]]
                    if t >= 0:
                        result[place[t]] = cython.cast(int32_t, position)
                        place[t] += 1
                    position += 1
                i += 1
            if position > MOST_WORDS:
                too_long = doc
                break
    return too_long
