"""Documents as columns, ids, titles and texts, from JSON lines; and the set of all ids. Compiled by Cython (pure mode).

A line is read here only if it is an object of known keys, each once, and has an id, and texts that are text. Any other
line is left to the reader in Python, which knows what to make of it.
"""

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import out_of_memory, resize, zeroed
from cython.cimports.libc.stdint import int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memchr, memcmp, memcpy

COMPILED = cython.compiled

ONES = cython.declare(uint64_t, 0x0101010101010101)
HIGHS = cython.declare(uint64_t, 0x8080808080808080)
MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
MOST_IDS = cython.declare(int64_t, 4294967294)
MOST_KEYS = cython.declare(int64_t, 32)
DEEPEST = cython.declare(cython.int, 32)
LONGEST_NUMBER = cython.declare(int64_t, 1000)
LONGEST_ID_NUMBER = cython.declare(int64_t, 18)

IDS = cython.declare(cython.int, 0)
TITLES = cython.declare(cython.int, 1)
TEXTS = cython.declare(cython.int, 2)

# What a value is.
STRING = cython.declare(uint8_t, 1)
ESCAPED = cython.declare(uint8_t, 2)
NULL_VALUE = cython.declare(uint8_t, 3)
WHOLE = cython.declare(uint8_t, 4)
OTHER = cython.declare(uint8_t, 5)

Bytes = cython.typedef(cython.pointer[cython.const[uint8_t]])
Column = cython.struct(data=cython.pointer[uint8_t], used=int64_t, space=int64_t, ends=cython.pointer[int64_t])
Value = cython.struct(begin=cython.pointer[cython.const[uint8_t]], size=int64_t, kind=uint8_t)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def after_space(p: Bytes, end: Bytes) -> Bytes:
    """Past blanks within a line."""
    while p < end and (p[0] == 32 or p[0] == 9 or p[0] == 13):
        p += 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hex_digits(p: Bytes, end: Bytes) -> int64_t:
    """The number of four hexadecimal digits, or -1."""
    number: int64_t = 0
    digit: int64_t
    i: cython.int
    if end - p < 4:
        return -1
    for i in range(4):
        digit = p[i]
        if 48 <= digit <= 57:
            digit -= 48
        elif 97 <= (digit | 32) <= 102:
            digit = (digit | 32) - 87
        else:
            return -1
        number = 16 * number + digit
    return number


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def utf8_size(p: Bytes, end: Bytes) -> int64_t:
    """The size of the character that begins here with a byte beyond ASCII; 0 if it is not UTF-8."""
    first: uint8_t = p[0]
    more: int64_t = 1 if first < 0xE0 else 2 if first < 0xF0 else 3
    low: uint8_t = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    high: uint8_t = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    i: int64_t
    if first < 0xC2 or first > 0xF4 or end - p <= more or p[1] < low or p[1] > high:
        return 0
    for i in range(2, more + 1):
        if p[i] & 0xC0 != 0x80:
            return 0
    return more + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def end_of_string(p: Bytes, end: Bytes, kind: cython.pointer[uint8_t]) -> Bytes:
    """The quote at the end of a string that begins here; NULL if it has none, or is not what JSON allows."""
    word: uint64_t = 0
    quotes: uint64_t
    slashes: uint64_t
    size: int64_t
    code: int64_t
    kind[0] = STRING
    while p < end:
        if end - p >= 8:
            memcpy(cython.address(word), p, 8)
            quotes = word ^ (ONES * 34)
            slashes = word ^ (ONES * 92)
            if (
                ((quotes - ONES) & ~quotes) | ((slashes - ONES) & ~slashes) | ((word - ONES * 32) & ~word) | word
            ) & HIGHS == 0:
                p += 8
                continue
        if p[0] == 34:
            return p
        if p[0] < 32:
            return cython.NULL
        if p[0] == 92:
            kind[0] = ESCAPED
            if end - p < 2:
                return cython.NULL
            if p[1] == 117:
                code = hex_digits(p + 2, end)
                if code < 0 or 0xDC00 <= code <= 0xDFFF:
                    return cython.NULL
                p += 6
                if code >= 0xD800 and code <= 0xDBFF:
                    if end - p < 6 or p[0] != 92 or p[1] != 117:
                        return cython.NULL
                    code = hex_digits(p + 2, end)
                    if code < 0xDC00 or code > 0xDFFF:
                        return cython.NULL
                    p += 6
            elif memchr(b'"\\/bfnrt', p[1], 8) != cython.NULL:
                p += 2
            else:
                return cython.NULL
        elif p[0] < 128:
            p += 1
        else:
            size = utf8_size(p, end)
            if size == 0:
                return cython.NULL
            p += size
    return cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def end_of_number(p: Bytes, end: Bytes, kind: cython.pointer[uint8_t]) -> Bytes:
    """The end of a number that begins here, or NULL."""
    begin: Bytes = p
    digits: Bytes
    kind[0] = WHOLE
    if p < end and p[0] == 45:
        kind[0] = OTHER
        p += 1
    digits = p
    while p < end and 48 <= p[0] <= 57:
        p += 1
    if p == digits or (digits[0] == 48 and p - digits > 1):
        return cython.NULL
    if p < end and p[0] == 46:
        kind[0] = OTHER
        p += 1
        digits = p
        while p < end and 48 <= p[0] <= 57:
            p += 1
        if p == digits:
            return cython.NULL
    if p < end and (p[0] | 32) == 101:
        kind[0] = OTHER
        p += 1
        if p < end and (p[0] == 43 or p[0] == 45):
            p += 1
        digits = p
        while p < end and 48 <= p[0] <= 57:
            p += 1
        if p == digits:
            return cython.NULL
    return cython.NULL if p - begin > LONGEST_NUMBER else p


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def end_of_value(p: Bytes, end: Bytes, depth: cython.int, kind: cython.pointer[uint8_t]) -> Bytes:
    """The end of any value that begins here; NULL if it is not what JSON allows, or is nested too deeply."""
    inner: uint8_t = 0
    close: uint8_t
    if p >= end:
        return cython.NULL
    if p[0] == 34:
        p = end_of_string(p + 1, end, kind)
        return cython.NULL if p == cython.NULL else p + 1
    if p[0] == 45 or 48 <= p[0] <= 57:
        return end_of_number(p, end, kind)
    kind[0] = OTHER
    if end - p >= 4 and memcmp(p, b"null", 4) == 0:
        kind[0] = NULL_VALUE
        return p + 4
    if end - p >= 4 and memcmp(p, b"true", 4) == 0:
        return p + 4
    if end - p >= 5 and memcmp(p, b"false", 5) == 0:
        return p + 5
    if (p[0] != 123 and p[0] != 91) or depth == DEEPEST:
        return cython.NULL
    close = p[0] + 2
    p = after_space(p + 1, end)
    if p < end and p[0] == close:
        return p + 1
    while p < end:
        if close == 125:
            if p[0] != 34:
                return cython.NULL
            p = end_of_string(p + 1, end, cython.address(inner))
            if p == cython.NULL:
                return cython.NULL
            p = after_space(p + 1, end)
            if p >= end or p[0] != 58:
                return cython.NULL
            p = after_space(p + 1, end)
        p = end_of_value(p, end, depth + 1, cython.address(inner))
        if p == cython.NULL:
            return cython.NULL
        p = after_space(p, end)
        if p < end and p[0] == close:
            return p + 1
        if p >= end or p[0] != 44:
            return cython.NULL
        p = after_space(p + 1, end)
    return cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_code(code: uint32_t, out: cython.pointer[uint8_t]) -> int64_t:
    """Write a character in UTF-8, and return its size."""
    if code < 0x80:
        out[0] = cython.cast(uint8_t, code)
        return 1
    if code < 0x800:
        out[0] = cython.cast(uint8_t, 0xC0 | (code >> 6))
        out[1] = cython.cast(uint8_t, 0x80 | (code & 0x3F))
        return 2
    if code < 0x10000:
        out[0] = cython.cast(uint8_t, 0xE0 | (code >> 12))
        out[1] = cython.cast(uint8_t, 0x80 | ((code >> 6) & 0x3F))
        out[2] = cython.cast(uint8_t, 0x80 | (code & 0x3F))
        return 3
    out[0] = cython.cast(uint8_t, 0xF0 | (code >> 18))
    out[1] = cython.cast(uint8_t, 0x80 | ((code >> 12) & 0x3F))
    out[2] = cython.cast(uint8_t, 0x80 | ((code >> 6) & 0x3F))
    out[3] = cython.cast(uint8_t, 0x80 | (code & 0x3F))
    return 4


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def put_string(value: Value, out: cython.pointer[uint8_t]) -> int64_t:
    """Write a string without its escapes, and return the size; it is never longer than in the file."""
    p: Bytes = value.begin
    end: Bytes = value.begin + value.size
    slash: Bytes
    size: int64_t = 0
    code: int64_t
    if value.kind == STRING:
        memcpy(out, p, value.size)
        return value.size
    while p < end:
        slash = cython.cast(Bytes, memchr(p, 92, end - p))
        if slash == cython.NULL:
            slash = end
        memcpy(out + size, p, slash - p)
        size += slash - p
        p = slash
        if p == end:
            break
        code = p[1]
        p += 2
        if code == 117:
            code = hex_digits(p, end)
            p += 4
            if code >= 0xD800 and code <= 0xDBFF:
                code = 0x10000 + ((code - 0xD800) << 10) + hex_digits(p + 2, end) - 0xDC00
                p += 6
        elif code == 98:
            code = 8
        elif code == 102:
            code = 12
        elif code == 110:
            code = 10
        elif code == 114:
            code = 13
        elif code == 116:
            code = 9
        size += put_code(cython.cast(uint32_t, code), out + size)
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def is_neat(p: Bytes, size: int64_t) -> cython.bint:
    """Whether a title has single spaces between its words and no others; not so where there may be an odd space."""
    i: int64_t
    space: cython.bint = True
    for i in range(size):
        if p[i] == 32:
            if space:
                return False
            space = True
            continue
        if p[i] < 33 or p[i] == 0xC2 or p[i] == 0xE1 or p[i] == 0xE2 or p[i] == 0xE3:
            return False
        space = False
    return size == 0 or not space


@cython.cclass
class DocumentColumns:
    """Collects documents: those of usual lines by itself, others as they are given."""

    columns: Column[3]
    docs: int64_t
    docs_space: int64_t

    # The known keys as they are in the file, with their places in the text (from 0 on, -1 for none).
    keys: list
    key_begin: Bytes[32]
    key_size: int64_t[32]
    key_place: int64_t[32]
    num_keys: int64_t
    num_pieces: int64_t
    id_key: int64_t
    title_key: int64_t
    required: uint64_t

    def __cinit__(self):
        i: cython.int
        self.keys = []
        for i in range(3):
            resize(cython.address(self.columns[i].ends), 512, 8)
        self.docs_space = 512

    def __dealloc__(self):
        i: cython.int
        for i in range(3):
            free(self.columns[i].data)
            free(self.columns[i].ends)

    @property
    def num_docs(self):
        """How many documents were collected since they were last taken."""
        return self.docs

    @property
    def num_bytes(self):
        """The size of their texts."""
        return self.columns[TEXTS].used

    def expect(self, keys, id_key, title_key, pieces, required):
        """Take only objects of these keys; the texts are those under the keys numbered `pieces`, in this order.

        The key `id_key` and those numbered `required` must be there. A title is under `title_key`, or nowhere if -1.
        """
        i: int64_t
        key: bytes
        self.num_keys = 0
        self.keys = list(keys)
        if len(self.keys) > MOST_KEYS:
            return
        for i in range(len(self.keys)):
            key = self.keys[i]
            self.key_begin[i] = cython.cast(Bytes, cython.cast(cython.p_char, key))
            self.key_size[i] = len(key)
            self.key_place[i] = -1
        for i in range(len(pieces)):
            self.key_place[pieces[i]] = i
        self.id_key = id_key
        self.title_key = title_key
        self.required = cython.cast(uint64_t, 1) << id_key
        for i in required:
            self.required |= cython.cast(uint64_t, 1) << i
        self.num_pieces = len(pieces)
        self.num_keys = len(self.keys)

    def read(self, data, first, is_end):
        """Read usual lines from `first` on: where the first other or incomplete one begins, and the number of lines."""
        text: cython.const[uint8_t][::1] = data
        size: int64_t = len(data)
        at: int64_t = first
        lines: int64_t = 0
        begin: Bytes
        p: Bytes
        end: Bytes
        last: cython.bint = is_end
        i: cython.int
        if at >= size or self.num_keys == 0:
            return at, 0
        begin = cython.address(text[0])
        end = begin + size
        with cython.nogil:
            for i in range(3):
                self.make_room(cython.address(self.columns[i]), size - at)
            while at < size:
                if self.docs == self.docs_space:
                    self.grow_docs()
                p = self.read_line(begin + at, end)
                if p == cython.NULL or (p == end and not last):
                    break
                if p < end:
                    if p[0] != 10:
                        break
                    p += 1
                for i in range(3):
                    self.columns[i].used = self.columns[i].ends[self.docs]
                self.docs += 1
                lines += 1
                at = p - begin
        return at, lines

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_line(self, p: Bytes, end: Bytes) -> Bytes:
        """The end of a usual line, whose document is written behind the last one; NULL for another line."""
        values = cython.declare(Value[32])
        pieces = cython.declare(int64_t[32])
        met: uint64_t = 0
        key: Bytes
        size: int64_t
        i: int64_t
        kind: uint8_t = 0
        for i in range(self.num_pieces):
            pieces[i] = -1
        p = after_space(p, end)
        if p >= end or p[0] != 123:
            return cython.NULL
        p = after_space(p + 1, end)
        while True:
            if p >= end or p[0] != 34:
                return cython.NULL
            key = p + 1
            p = end_of_string(key, end, cython.address(kind))
            if p == cython.NULL:
                return cython.NULL
            size = p - key
            i = 0
            while i < self.num_keys:
                if self.key_size[i] == size and memcmp(self.key_begin[i], key, size) == 0:
                    break
                i += 1
            if i == self.num_keys or (met >> i) & 1:
                return cython.NULL
            met |= cython.cast(uint64_t, 1) << i
            p = after_space(p + 1, end)
            if p >= end or p[0] != 58:
                return cython.NULL
            p = after_space(p + 1, end)
            values[i].begin = p
            p = end_of_value(p, end, 0, cython.address(kind))
            if p == cython.NULL:
                return cython.NULL
            values[i].size = p - values[i].begin
            values[i].kind = kind
            if kind == STRING or kind == ESCAPED:
                values[i].begin += 1
                values[i].size -= 2
            if self.key_place[i] >= 0:
                pieces[self.key_place[i]] = i
            p = after_space(p, end)
            if p >= end:
                return cython.NULL
            if p[0] == 125:
                break
            if p[0] != 44:
                return cython.NULL
            p = after_space(p + 1, end)
        if met & self.required != self.required or not self.put_document(values, pieces, met):
            return cython.NULL
        return after_space(p + 1, end)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def put_document(
        self, values: cython.pointer[Value], pieces: cython.pointer[int64_t], met: uint64_t
    ) -> cython.bint:
        """Write id, title and text behind the last ones; not so if one of them is unusual."""
        value: Value = values[self.id_key]
        out: cython.pointer[uint8_t] = self.columns[IDS].data + self.columns[IDS].used
        size: int64_t
        i: int64_t
        if value.kind == WHOLE:
            if value.size > LONGEST_ID_NUMBER:
                return False
        elif value.kind != STRING or value.size == 0 or value.begin[0] <= 32 or value.begin[0] >= 127:
            return False
        memcpy(out, value.begin, value.size)
        self.columns[IDS].ends[self.docs] = self.columns[IDS].used + value.size
        out = self.columns[TITLES].data + self.columns[TITLES].used
        size = 0
        if self.title_key >= 0 and (met >> self.title_key) & 1:
            value = values[self.title_key]
            if value.kind == STRING or value.kind == ESCAPED:
                size = put_string(value, out)
            elif value.kind != NULL_VALUE:
                return False
            if not is_neat(out, size):
                return False
        self.columns[TITLES].ends[self.docs] = self.columns[TITLES].used + size
        out = self.columns[TEXTS].data + self.columns[TEXTS].used
        size = 0
        for i in range(self.num_pieces):
            if pieces[i] < 0:
                continue
            value = values[pieces[i]]
            if value.kind == NULL_VALUE:
                continue
            if value.kind != STRING and value.kind != ESCAPED:
                return False
            if value.size == 0:
                continue
            if size > 0:
                out[size] = 10
                out[size + 1] = 29
                size += 2
            size += put_string(value, out + size)
        self.columns[TEXTS].ends[self.docs] = self.columns[TEXTS].used + size
        return True

    def append(self, id, title, text):  # noqa: A002
        """Collect a document that was read elsewhere: id, title and text in UTF-8."""
        self.append_bytes(IDS, id)
        self.append_bytes(TITLES, title)
        self.append_bytes(TEXTS, text)
        self.docs += 1

    @cython.cfunc
    def append_bytes(self, number: cython.int, data: bytes):
        column: cython.pointer[Column] = cython.address(self.columns[number])
        self.make_room(column, len(data))
        if self.docs == self.docs_space:
            self.grow_docs()
        memcpy(column.data + column.used, cython.cast(cython.p_char, data), len(data))
        column.used += len(data)
        column.ends[self.docs] = column.used

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def make_room(self, column: cython.pointer[Column], size: int64_t) -> cython.int:
        """Make room for `size` more bytes, and for the separators between texts."""
        needed: int64_t = column.used + size + 64
        if needed > column.space:
            resize(cython.address(column.data), 2 * needed, 1)
            column.space = 2 * needed
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_docs(self) -> cython.int:
        i: cython.int
        for i in range(3):
            resize(cython.address(self.columns[i].ends), 2 * self.docs_space, 8)
        self.docs_space *= 2
        return 0

    def ids_from(self, first):
        """The ids of the documents from `first` on: the bytes, and where each begins."""
        start: int64_t = first
        begin: int64_t = self.columns[IDS].ends[start - 1] if start > 0 else 0
        offsets = np.zeros(self.docs - start + 1, dtype=np.int64)
        data = np.empty(self.columns[IDS].used - begin, dtype=np.uint8)
        if self.docs > start:
            memcpy(
                cython.cast(cython.p_void, cython.cast(cython.size_t, offsets.ctypes.data + 8)),
                self.columns[IDS].ends + start,
                8 * (self.docs - start),
            )
            memcpy(
                cython.cast(cython.p_void, cython.cast(cython.size_t, data.ctypes.data)),
                self.columns[IDS].data + begin,
                data.nbytes,
            )
        offsets[1:] -= begin
        return data, offsets

    def take(self):
        """The ids, titles and texts collected: for each the bytes, and where each begins."""
        taken: list = []
        i: cython.int
        for i in range(3):
            data = np.empty(self.columns[i].used, dtype=np.uint8)
            offsets = np.zeros(self.docs + 1, dtype=np.int64)
            if self.columns[i].used > 0:
                memcpy(
                    cython.cast(cython.p_void, cython.cast(cython.size_t, data.ctypes.data)),
                    self.columns[i].data,
                    data.nbytes,
                )
            memcpy(
                cython.cast(cython.p_void, cython.cast(cython.size_t, offsets.ctypes.data + 8)),
                self.columns[i].ends,
                8 * self.docs,
            )
            taken.append((data, offsets))
        for i in range(3):
            self.columns[i].used = 0
        self.docs = 0
        return taken


@cython.cclass
class IdSet:
    """Different ids, numbered in the order in which they were added."""

    letters: cython.pointer[uint8_t]
    letters_space: int64_t
    ends: cython.pointer[int64_t]
    ids: int64_t
    ids_space: int64_t
    slots: cython.pointer[uint32_t]
    mask: uint64_t

    def __cinit__(self):
        resize(cython.address(self.letters), 4096, 1)
        self.letters_space = 4096
        resize(cython.address(self.ends), 512 + 1, 8)
        self.ends[0] = 0
        self.ids_space = 512
        self.slots = cython.cast(cython.pointer[uint32_t], zeroed(1024, 4))
        self.mask = 1023

    def __dealloc__(self):
        free(self.letters)
        free(self.ends)
        free(self.slots)

    def __len__(self):
        return self.ids

    def add(self, id):  # noqa: A002
        """Add one id: the number of the one that is there already, or -1."""
        data: bytes = id
        return self.add_one(cython.cast(Bytes, cython.cast(cython.p_char, data)), len(data))

    def add_all(self, data, offsets):
        """Add ids until one is there already: how many were added, and the number of that one, or -1."""
        text: cython.const[uint8_t][::1] = data
        starts: cython.const[int64_t][::1] = offsets
        n: int64_t = len(offsets) - 1
        first: Bytes = b""
        i: int64_t
        found: int64_t = -1
        added: int64_t = 0
        if len(data) > 0:
            first = cython.address(text[0])
        with cython.nogil:
            for i in range(n):
                found = self.add_one(first + starts[i], starts[i + 1] - starts[i])
                if found >= 0:
                    break
                added += 1
        return added, found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-2, check=False)
    def add_one(self, id: Bytes, size: int64_t) -> int64_t:  # noqa: A002
        """Add one id; the number of an equal one, or -1."""
        at: uint64_t = self.place_of(id, size)
        number: int64_t
        begin: int64_t
        used: int64_t = self.ends[self.ids]
        while self.slots[at] != 0:
            number = cython.cast(int64_t, self.slots[at]) - 1
            begin = self.ends[number]
            if self.ends[number + 1] - begin == size and memcmp(self.letters + begin, id, size) == 0:
                return number
            at = (at + 1) & self.mask
        if self.ids == MOST_IDS:
            return out_of_memory()
        if used + size > self.letters_space:
            resize(cython.address(self.letters), 2 * (used + size), 1)
            self.letters_space = 2 * (used + size)
        if self.ids == self.ids_space:
            self.grow()
            at = self.free_place(id, size)
        memcpy(self.letters + used, id, size)
        self.ids += 1
        self.ends[self.ids] = used + size
        self.slots[at] = cython.cast(uint32_t, self.ids)
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def place_of(self, id: Bytes, size: int64_t) -> uint64_t:  # noqa: A002
        h: uint64_t = cython.cast(uint64_t, size)
        i: int64_t
        for i in range(size):
            h = (h ^ id[i]) * MIX
            h ^= h >> 32
        return h & self.mask

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def free_place(self, id: Bytes, size: int64_t) -> uint64_t:  # noqa: A002
        at: uint64_t = self.place_of(id, size)
        while self.slots[at] != 0:
            at = (at + 1) & self.mask
        return at

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow(self) -> cython.int:
        """Room for twice as many ids: the table is at most half full."""
        slots: cython.pointer[uint32_t]
        i: int64_t
        resize(cython.address(self.ends), 2 * self.ids_space + 1, 8)
        slots = cython.cast(cython.pointer[uint32_t], zeroed(4 * self.ids_space, 4))
        free(self.slots)
        self.slots = slots
        self.ids_space *= 2
        self.mask = cython.cast(uint64_t, 2 * self.ids_space - 1)
        for i in range(self.ids):
            slots[self.free_place(self.letters + self.ends[i], self.ends[i + 1] - self.ends[i])] = cython.cast(
                uint32_t, i + 1
            )
        return 0
