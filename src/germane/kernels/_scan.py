"""The scanner: bytes of a text in, columns or ranks of judged documents out. Compiled by Cython (pure Python mode).

It knows no format, only which columns of a line hold the query, the document and the number. To match a run with
judgments, lines of one query form a group; each document id is hashed in place and looked up in a table that was filled
with the judged documents of that query, so one look-up finds both a judged document and a repeated one. Whenever
anything is out of the ordinary it only says so: explaining what is wrong is the plain reader's work.

It is one file because these loops call each other for every line: compiled together, they are inlined.
"""

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import resize, zeroed
from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.libc.stdlib import free, strtod
from cython.cimports.libc.string import memchr, memcmp, memcpy, memset

COMPILED = cython.compiled

OK = cython.declare(cython.int, 0)
BAD = cython.declare(cython.int, 1)
INTERLEAVED = cython.declare(cython.int, 2)

ONES = cython.declare(uint64_t, 0x0101010101010101)
HIGHS = cython.declare(uint64_t, 0x8080808080808080)
ALL = cython.declare(uint64_t, 0xFFFFFFFFFFFFFFFF)
BYTE_INDEX = cython.declare(uint64_t, 0x0001020304050607)
MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
LOW_HALF = cython.declare(uint64_t, 0xFFFFFFFF)
EXACT_INTEGERS = cython.declare(uint64_t, 1 << 53)
MANY_TIED = cython.declare(int64_t, 16)

POWERS_OF_TEN = cython.declare(cython.double[23])
for _power in range(23):
    POWERS_OF_TEN[_power] = 10.0**_power


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def load(p: cython.pointer[cython.const[uint8_t]]) -> uint64_t:
    word: uint64_t = 0
    memcpy(cython.address(word), p, 8)
    return word


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def first_flag(flags: uint64_t) -> cython.int:
    """The index of the lowest byte whose high bit is set."""
    lowest: uint64_t = (flags & (~flags + 1)) >> 7
    return cython.cast(cython.int, (lowest * BYTE_INDEX) >> 56)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mask_of(size: int64_t) -> uint64_t:
    """The first `size` bytes of a word."""
    return ALL if size >= 8 else (cython.cast(uint64_t, 1) << (8 * size)) - 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(h: uint64_t, word: uint64_t) -> uint64_t:
    h = (h ^ word) * MIX
    return h ^ (h >> 32)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def hash_bytes(p: cython.pointer[cython.const[uint8_t]], size: int64_t) -> uint64_t:
    """The hash of an id; the scanner computes the same one while it looks for the end of the field."""
    h: uint64_t = 0
    word: uint64_t
    rest: int64_t = size
    while rest >= 8:
        h = mixed(h, load(p))
        p += 8
        rest -= 8
    if rest == 0:
        return h
    if size >= 8:  # read back over bytes of the word before: those behind the id may not be ours
        return mixed(h, load(p + rest - 8) >> (8 * (8 - rest)))
    word = cython.cast(uint64_t, p[0]) | cython.cast(uint64_t, p[rest - 1]) << (8 * (rest - 1))
    while rest > 2:
        rest -= 1
        word |= cython.cast(uint64_t, p[rest - 1]) << (8 * (rest - 1))
    return mixed(h, word)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def slow_number(
    p: cython.pointer[cython.const[uint8_t]], size: int64_t, value: cython.pointer[cython.double]
) -> cython.bint:
    """The C library's conversion, for the few numbers whose last bit needs more than 64-bit arithmetic."""
    text = cython.declare(cython.char[128])
    end: cython.p_char = cython.NULL
    if size > 120:
        return False
    memcpy(text, p, size)
    text[size] = 0
    value[0] = strtod(text, cython.address(end))
    return end == cython.cast(cython.p_char, text) + size and value[0] - value[0] == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def quotient(mantissa: uint64_t, power: cython.double, value: cython.pointer[cython.double]) -> cython.bint:
    """mantissa / power rounded once, in double-double arithmetic; False where the rounding is too close to call."""
    split: cython.double = 134217729.0
    high: cython.double = cython.cast(cython.double, mantissa)
    low: cython.double = cython.cast(cython.double, cython.cast(int64_t, mantissa - cython.cast(uint64_t, high)))
    q: cython.double = high / power
    product: cython.double = q * power
    t: cython.double = split * q
    q1: cython.double = t - (t - q)
    q2: cython.double = q - q1
    t = split * power
    p1: cython.double = t - (t - power)
    p2: cython.double = power - p1
    error: cython.double = ((q1 * p1 - product) + q1 * p2 + q2 * p1) + q2 * p2
    rest: cython.double = (((high - product) - error) + low) / power
    slack: cython.double = (rest if rest > 0 else -rest) * 4e-15 + q * 1e-30
    value[0] = q + rest
    return q + (rest + slack) == q + (rest - slack)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_digits(
    p: cython.pointer[cython.const[uint8_t]], number: cython.pointer[uint64_t]
) -> cython.pointer[cython.const[uint8_t]]:
    """Add digits to a number, modulo 2 to the power of 64; the end of them."""
    digit: cython.uint = cython.cast(cython.uint, p[0]) - 48
    while digit <= 9:
        number[0] = number[0] * 10 + digit
        p += 1
        digit = cython.cast(cython.uint, p[0]) - 48
    return p


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def shorten(
    p: cython.pointer[cython.const[uint8_t]], mantissa: cython.pointer[uint64_t], exponent: cython.pointer[int64_t]
) -> cython.bint:
    """The first 19 significant digits of a number, and the power of ten to multiply with; whether others follow."""
    significant: cython.int = 0
    inexact: cython.bint = False
    decimals: cython.bint = False
    mantissa[0] = 0
    exponent[0] = 0
    if p[0] == 45 or p[0] == 43:
        p += 1
    while p[0] == 46 or (p[0] >= 48 and p[0] <= 57):
        if p[0] == 46:
            if decimals:
                break
            decimals = True
        elif significant < 19:
            mantissa[0] = mantissa[0] * 10 + (p[0] - 48)
            significant += mantissa[0] > 0
            exponent[0] -= decimals
        else:
            inexact = True
            exponent[0] += not decimals
        p += 1
    return inexact


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def parse_number(
    p: cython.pointer[cython.const[uint8_t]], value: cython.pointer[cython.double]
) -> cython.pointer[cython.const[uint8_t]]:
    """Read a decimal number, correctly rounded; the end of it, or NULL if this is none."""
    begin: cython.pointer[cython.const[uint8_t]] = p
    negative: cython.bint = p[0] == 45
    mantissa: uint64_t = 0
    digits: int64_t = 0
    exponent: int64_t = 0
    written: cython.int = 0
    inexact: cython.bint = False
    minus: cython.bint = False
    first: cython.pointer[cython.const[uint8_t]]
    digit: cython.uint
    if p[0] == 45 or p[0] == 43:
        p += 1
    first = p
    p = add_digits(p, cython.address(mantissa))
    digits = p - first
    if p[0] == 46:
        first = p + 1
        p = add_digits(first, cython.address(mantissa))
        exponent = first - p
        digits -= exponent
    if digits == 0:
        return cython.NULL
    if digits > 19:  # they may be more than 64 bits hold
        inexact = shorten(begin, cython.address(mantissa), cython.address(exponent))
    if p[0] == 101 or p[0] == 69:
        p += 1
        minus = p[0] == 45
        if p[0] == 45 or p[0] == 43:
            p += 1
        digits = 0
        while True:
            digit = cython.cast(cython.uint, p[0]) - 48
            if digit > 9:
                break
            digits += 1
            if written < 10000:
                written = written * 10 + digit
            p += 1
        if digits == 0:
            return cython.NULL
        exponent += -written if minus else written
    if mantissa == 0 and not inexact:
        value[0] = 0.0
        if negative:
            value[0] = -value[0]
        return p
    if not inexact and exponent <= 0 and exponent >= -22:
        if mantissa <= EXACT_INTEGERS:
            value[0] = cython.cast(cython.double, mantissa) / POWERS_OF_TEN[-exponent]
            if negative:
                value[0] = -value[0]
            return p
        if quotient(mantissa, POWERS_OF_TEN[-exponent], value):
            if negative:
                value[0] = -value[0]
            return p
    return p if slow_number(begin, p - begin, value) else cython.NULL


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_decimal(value: int64_t, text: cython.pointer[uint8_t]) -> int64_t:
    """Write a whole number in decimal; how many bytes that took."""
    digits = cython.declare(uint8_t[24])
    rest: uint64_t = cython.cast(uint64_t, value)
    count: cython.int = 0
    size: int64_t = 0
    if value < 0:
        rest = ~rest + 1
        text[0] = 45
        size = 1
    while True:
        digits[count] = cython.cast(uint8_t, 48 + rest % 10)
        rest = rest // 10
        count += 1
        if rest == 0:
            break
    while count > 0:
        count -= 1
        text[size] = digits[count]
        size += 1
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_decimal(
    p: cython.pointer[cython.const[uint8_t]], size: int64_t, value: cython.pointer[int64_t]
) -> cython.bint:
    """Read a whole number, if these bytes are just what `write_decimal` writes for it."""
    text = cython.declare(uint8_t[24])
    number: uint64_t = 0
    i: int64_t = 1 if p[0] == 45 else 0
    if size > 20:
        return False
    while i < size:
        if p[i] < 48 or p[i] > 57:
            return False
        number = number * 10 + (p[i] - 48)
        i += 1
    value[0] = cython.cast(int64_t, ~number + 1 if p[0] == 45 else number)
    return write_decimal(value[0], text) == size and memcmp(text, p, size) == 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_space(c: uint8_t) -> cython.bint:
    return c == 32 or (c >= 9 and c <= 13)


@cython.cclass
class LineReader:
    """Divides lines into fields: the query and the document stay where they are, the score is read as a number."""

    # What to read off a line.
    query_column: cython.int
    doc_column: cython.int
    value_column: cython.int
    rank_column: cython.int
    group_column: cython.int
    last_column: cython.int
    num_fields: cython.int
    delimiter: cython.int
    rank_only: cython.bint
    comments: cython.bint
    query_leads: cython.bint

    # How that line begins, up to its document: the next one begins so too, most of the time.
    head_size: int64_t
    head: uint64_t
    head_mask: uint64_t
    more_head: uint64_t
    more_head_mask: uint64_t
    same_query: cython.bint

    # How it ends, after the last column that is read: the tag, most of the time.
    tail_size: int64_t
    tail_word: uint64_t
    tail_mask: uint64_t
    more_tail: uint64_t
    more_tail_mask: uint64_t

    # The line that was read last.
    query: cython.pointer[cython.const[uint8_t]]
    query_size: int64_t
    doc: cython.pointer[cython.const[uint8_t]]
    doc_size: int64_t
    doc_hash: uint64_t
    group: cython.pointer[cython.const[uint8_t]]
    group_size: int64_t
    score: cython.double
    rank: cython.double
    number: cython.pointer[cython.const[uint8_t]]
    tail: cython.pointer[cython.const[uint8_t]]
    state: cython.int

    @cython.cfunc
    def set_layout(self, layout, with_rank: cython.bint, with_group: cython.bint):
        self.query_column, self.doc_column, self.value_column = layout.query, layout.doc, layout.value
        self.rank_column = layout.rank if with_rank and layout.rank is not None else -1
        self.group_column = layout.group if with_group and layout.group is not None else -1
        self.num_fields = layout.num_fields
        self.delimiter = -1 if layout.delimiter is None else layout.delimiter[0]
        self.rank_only = layout.rank_only
        self.comments = layout.comments and self.delimiter != 44
        columns = (self.query_column, self.doc_column, self.value_column, self.rank_column, self.group_column)
        self.last_column = max(columns)
        self.query_leads = self.query_column == 0 and self.doc_column == min(set(columns) - {0, -1})

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_head(self, line: cython.pointer[cython.const[uint8_t]], size: int64_t) -> cython.void:
        """Note how a line begins, if that is short enough to be compared at once."""
        if size > 16:
            return
        self.head_size = size
        self.head = load(line)
        self.head_mask = mask_of(size)
        if size > 8:
            self.more_head = load(line + 8)
            self.more_head_mask = mask_of(size - 8)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_tail(self, end: cython.pointer[cython.const[uint8_t]]) -> cython.void:
        """Note how a line ends: from `tail` up to here."""
        self.tail_size = end - self.tail
        self.tail_word = load(self.tail)
        self.tail_mask = mask_of(self.tail_size)
        if self.tail_size > 8:
            self.more_tail = load(self.tail + 8)
            self.more_tail_mask = mask_of(self.tail_size - 8)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def ends_alike(
        self, p: cython.pointer[cython.const[uint8_t]], end: cython.pointer[cython.const[uint8_t]]
    ) -> cython.bint:
        """Whether the rest of a line is that of the line before."""
        if self.tail_size == 0 or p + self.tail_size > end or (load(p) ^ self.tail_word) & self.tail_mask != 0:
            return False
        if self.tail_size <= 8:
            return True
        if (load(p + 8) ^ self.more_tail) & self.more_tail_mask != 0:
            return False
        return self.tail_size <= 16 or memcmp(p + 16, self.tail + 16, self.tail_size - 16) == 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def begins_alike(
        self, p: cython.pointer[cython.const[uint8_t]], end: cython.pointer[cython.const[uint8_t]]
    ) -> cython.bint:
        """Whether a line begins as the one before, and its document comes right after that."""
        if self.head_size == 0 or p + self.head_size >= end or (load(p) ^ self.head) & self.head_mask != 0:
            return False
        if self.head_size > 8 and (load(p + 8) ^ self.more_head) & self.more_head_mask != 0:
            return False
        return not is_space(p[self.head_size])

    @cython.cfunc
    @cython.final
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def read_line(
        self, p: cython.pointer[cython.const[uint8_t]], end: cython.pointer[cython.const[uint8_t]]
    ) -> cython.pointer[cython.const[uint8_t]]:
        """Read one line, which ends with a newline; up to eight bytes beyond `end` may be looked at.

        Returns where the next line begins. A line without data leaves `query` NULL; a bad one sets the state.
        """
        line: cython.pointer[cython.const[uint8_t]] = p
        field: cython.pointer[cython.const[uint8_t]]
        column: cython.int = 0
        h: uint64_t
        word: uint64_t
        flags: uint64_t
        below: uint64_t = ONES * (0x21 if self.delimiter < 0 else 0x20)
        delimiters: uint64_t = 0 if self.delimiter < 0 else ONES * cython.cast(uint64_t, self.delimiter)
        stop: uint8_t
        i: cython.int
        self.same_query = self.begins_alike(p, end)
        if self.same_query:
            self.query = p
            p += self.head_size
            column = self.doc_column
        else:
            self.head_size = 0
            self.query = cython.NULL
            if self.delimiter < 0:
                while is_space(p[0]) and p[0] != 10:
                    p += 1
            if p[0] == 10:
                return p + 1
            if p[0] == 13 and p[1] == 10:
                return p + 2
            if line[0] == 35 and self.comments:
                while p[0] != 10:
                    p += 1
                return p + 1
        while True:
            field = p
            if column == self.value_column or column == self.rank_column:
                self.number = field
                p = parse_number(
                    field, cython.address(self.score) if column == self.value_column else cython.address(self.rank)
                )
                if p == cython.NULL:
                    self.state = BAD
                    return end
            elif column == self.doc_column:
                if self.head_size == 0 and self.query_leads and self.query == line:
                    self.keep_head(line, p - line)
                h = 0
                while True:
                    word = load(p)
                    flags = (word - below) & ~word & HIGHS
                    if delimiters:
                        flags |= ((word ^ delimiters) - ONES) & ~(word ^ delimiters) & HIGHS
                    if flags:
                        i = first_flag(flags)
                        if i > 0:
                            h = mixed(h, word & ((cython.cast(uint64_t, 1) << (8 * i)) - 1))
                        p += i
                        break
                    h = mixed(h, word)
                    p += 8
                self.doc = field
                self.doc_size = p - field
                self.doc_hash = h
            else:
                while True:
                    word = load(p)
                    flags = (word - below) & ~word & HIGHS
                    if delimiters:
                        flags |= ((word ^ delimiters) - ONES) & ~(word ^ delimiters) & HIGHS
                    if flags:
                        p += first_flag(flags)
                        break
                    p += 8
                if column == self.query_column:
                    self.query = field
                    self.query_size = p - field
                elif column == self.group_column:
                    self.group = field
                    self.group_size = p - field
            stop = p[0]
            if self.delimiter < 0:
                if not is_space(stop):
                    self.state = BAD
                    return end
            elif field[0] == 34 or not (stop == self.delimiter or stop == 10 or (stop == 13 and p[1] == 10)):
                self.state = BAD
                return end
            column += 1
            if column > self.last_column:
                if self.ends_alike(p, end):
                    self.tail = p
                    p += self.tail_size
                    break
                if column == self.last_column + 1:
                    self.tail = p
                    self.tail_size = 0
            if self.delimiter < 0:
                while is_space(p[0]) and p[0] != 10:
                    p += 1
                if p[0] == 10:
                    p += 1
                    break
            elif stop == self.delimiter:
                p += 1
            else:
                p += 1 if stop == 10 else 2
                break
            if column >= self.num_fields and column > self.last_column:
                if self.delimiter >= 0:
                    self.state = BAD
                    return end
                while p[0] != 10:
                    if p[0] < 32 and not is_space(p[0]):
                        self.state = BAD
                        return end
                    p += 1
                p += 1
                break
        if column <= self.last_column or (self.tail_size == 0 and column < self.num_fields):
            self.state = BAD
            return end
        if self.tail_size == 0:
            self.keep_tail(p)
        if self.query_size == 0 or self.doc_size == 0:
            self.state = BAD
            return end
        if self.rank_only:
            self.score = -self.score
        return p


@cython.final
@cython.cclass
class Matcher(LineReader):
    """Matches rows of a run with the judged documents of their queries, one group of neighbouring rows at a time."""

    # The judgments: ids in Arrow's layout, and where the documents of each query start.
    doc_data: cython.const[uint8_t][::1]
    doc_offsets: cython.const[int64_t][::1]
    start: cython.const[int64_t][::1]
    num_topics: int64_t

    use_float32: cython.bint
    tie_rule: cython.int

    # All query ids met so far; the first num_topics are those of the judgments.
    name_data: cython.pointer[uint8_t]
    name_size: int64_t
    name_space: int64_t
    name_start: cython.pointer[int64_t]
    name_seen: cython.pointer[uint8_t]
    num_names: int64_t
    names_space: int64_t
    name_slots: cython.pointer[int64_t]
    name_slots_size: int64_t

    # The group being read. Positions of documents count from the start of the group.
    base: cython.pointer[cython.const[uint8_t]]
    buffer: object  # what base points into: the open group is read again when it is closed
    group_open: cython.bint
    group_start: int64_t
    resume_at: int64_t
    topic: int64_t
    num_judged: int64_t
    num_rows: int64_t
    rows_space: int64_t
    row_pos: cython.pointer[int64_t]
    row_size: cython.pointer[int64_t]
    row_hash: cython.pointer[uint64_t]
    row_score: cython.pointer[cython.double]
    row_rank: cython.pointer[cython.double]
    row_judged: cython.pointer[int64_t]
    num_found: int64_t
    row_order: cython.pointer[int64_t]
    row_place: cython.pointer[int64_t]
    tie_sorted: cython.pointer[uint8_t]
    falling: cython.bint
    rising: cython.bint
    numeric: cython.bint
    judged_number: int64_t[::1]
    judged_is_number: uint8_t[::1]
    judged_row: cython.pointer[int64_t]
    judged_hash: cython.pointer[uint64_t]
    judged_space: int64_t
    slots: cython.pointer[uint64_t]
    slots_size: int64_t
    generation: uint64_t

    # What was found.
    hits: cython.pointer[int64_t]
    num_hits: int64_t
    hits_space: int64_t
    groups: cython.pointer[int64_t]
    num_groups: int64_t
    groups_space: int64_t
    num_lines: int64_t
    num_odd: int64_t
    num_rising: int64_t

    # For files whose queries are interleaved: the query and the place of every line.
    line_code: cython.pointer[int64_t]
    line_place: cython.pointer[int64_t]
    lines_space: int64_t

    def __cinit__(self):
        self.resize_rows(1024)
        self.resize_judged(1024)
        self.slots = cython.cast(cython.pointer[uint64_t], zeroed(4096, 8))
        self.slots_size = 4096
        self.generation = 1
        self.resize_hits(4096)
        self.resize_groups(1024)
        resize(cython.address(self.name_data), 4096, 1)
        self.name_space = 4096
        self.resize_names(1024)
        self.name_slots = cython.cast(cython.pointer[int64_t], zeroed(4096, 8))
        self.name_slots_size = 4096

    def __dealloc__(self):
        free(self.row_pos)
        free(self.row_size)
        free(self.row_hash)
        free(self.row_score)
        free(self.row_rank)
        free(self.row_judged)
        free(self.row_order)
        free(self.row_place)
        free(self.tie_sorted)
        free(self.judged_row)
        free(self.judged_hash)
        free(self.slots)
        free(self.hits)
        free(self.groups)
        free(self.name_data)
        free(self.name_start)
        free(self.name_seen)
        free(self.name_slots)
        free(self.line_code)
        free(self.line_place)

    def __init__(self, query_data, query_offsets, doc_data, doc_offsets, start, layout, tie_rule, use_float32):
        self.doc_data = doc_data
        self.doc_offsets = doc_offsets
        self.start = start
        self.num_topics = len(start) - 1
        if layout is not None:
            self.set_layout(layout, tie_rule == "rank", False)
        self.tie_rule = {"docno": 0, "order": 1, "rank": 2}[tie_rule]
        self.use_float32 = use_float32
        self.name_start[0] = 0
        data: cython.const[uint8_t][::1] = query_data
        offsets: cython.const[int64_t][::1] = query_offsets
        i: int64_t
        for i in range(self.num_topics):
            if offsets[i + 1] > offsets[i]:
                self.name_code(cython.address(data[offsets[i]]), offsets[i + 1] - offsets[i])
            else:
                self.name_code(self.name_data, 0)

    # Memory ------------------------------------------------------------------------------------------------------

    # A space is noted once all that it counts for is there: where memory ends in between, nothing is beyond its end.

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_rows(self, space: int64_t) -> cython.int:
        resize(cython.address(self.row_pos), space, 8)
        resize(cython.address(self.row_size), space, 8)
        resize(cython.address(self.row_hash), space, 8)
        resize(cython.address(self.row_score), space, 8)
        resize(cython.address(self.row_rank), space, 8)
        resize(cython.address(self.row_judged), space, 8)
        resize(cython.address(self.row_order), space, 16)
        resize(cython.address(self.row_place), space, 8)
        resize(cython.address(self.tie_sorted), space, 1)
        self.rows_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_judged(self, space: int64_t) -> cython.int:
        resize(cython.address(self.judged_row), space, 8)
        resize(cython.address(self.judged_hash), space, 8)
        self.judged_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_hits(self, space: int64_t) -> cython.int:
        resize(cython.address(self.hits), space, 4 * 8)
        self.hits_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_groups(self, space: int64_t) -> cython.int:
        resize(cython.address(self.groups), space, 2 * 8)
        self.groups_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_names(self, space: int64_t) -> cython.int:
        resize(cython.address(self.name_start), space + 1, 8)
        resize(cython.address(self.name_seen), space, 1)
        self.names_space = space
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def resize_lines(self, space: int64_t) -> cython.int:
        resize(cython.address(self.line_code), space, 8)
        resize(cython.address(self.line_place), space, 8)
        self.lines_space = space
        return 0

    # Query ids ---------------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def name_code(self, p: cython.pointer[cython.const[uint8_t]], size: int64_t) -> int64_t:
        """The number of a query id, a new one if it was never met."""
        code: int64_t
        length: int64_t
        slot: uint64_t = hash_bytes(p, size) & cython.cast(uint64_t, self.name_slots_size - 1)
        while self.name_slots[slot] != 0:
            code = self.name_slots[slot] - 1
            length = self.name_start[code + 1] - self.name_start[code]
            if length == size and memcmp(self.name_data + self.name_start[code], p, size) == 0:
                return code
            slot = (slot + 1) & cython.cast(uint64_t, self.name_slots_size - 1)
        if 2 * self.num_names >= self.name_slots_size:
            self.grow_name_slots()
            return self.name_code(p, size)
        code = self.num_names
        if self.name_size + size > self.name_space:
            resize(cython.address(self.name_data), 2 * (self.name_size + size), 1)
            self.name_space = 2 * (self.name_size + size)
        if code + 1 > self.names_space:
            self.resize_names(2 * self.names_space)
        memcpy(self.name_data + self.name_size, p, size)
        self.name_size += size
        self.name_start[code + 1] = self.name_size
        self.name_seen[code] = 0
        self.num_names += 1
        self.name_slots[slot] = code + 1
        return code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_name_slots(self) -> cython.int:
        """A table four times as large, with the same names."""
        i: int64_t
        slot: uint64_t
        size: int64_t = 4 * self.name_slots_size
        table: cython.pointer[int64_t] = cython.cast(cython.pointer[int64_t], zeroed(size, 8))
        for i in range(self.num_names):
            slot = hash_bytes(self.name_data + self.name_start[i], self.name_start[i + 1] - self.name_start[i])
            slot &= cython.cast(uint64_t, size - 1)
            while table[slot] != 0:
                slot = (slot + 1) & cython.cast(uint64_t, size - 1)
            table[slot] = i + 1
        free(self.name_slots)
        self.name_slots = table
        self.name_slots_size = size
        return 0

    # One group ---------------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def open_group(self, code: int64_t) -> cython.int:
        """Begin a query: its judged documents go into the table, each waiting for its row."""
        j: int64_t
        at: int64_t
        slot: uint64_t
        size: int64_t = self.slots_size
        table: cython.pointer[uint64_t]
        if self.name_seen[code]:
            self.state = INTERLEAVED
        self.name_seen[code] = 1
        self.group_open = True
        self.topic = code
        self.num_rows = 0
        self.num_found = 0
        self.falling = True
        self.rising = True
        self.num_judged = self.start[code + 1] - self.start[code] if code < self.num_topics else 0
        self.generation += 1
        if self.num_judged > self.judged_space:
            self.resize_judged(2 * self.num_judged)
        while size < 4 * self.num_judged:
            size *= 2
        if size > self.slots_size:
            table = cython.cast(cython.pointer[uint64_t], zeroed(size, 8))
            free(self.slots)
            self.slots = table
            self.slots_size = size
        for j in range(self.num_judged):
            at = self.start[code] + j
            self.judged_row[j] = -1
            if self.numeric:
                if not self.judged_is_number[at]:
                    continue
                self.judged_hash[j] = mixed(0, cython.cast(uint64_t, self.judged_number[at]))
            else:
                self.judged_hash[j] = hash_bytes(
                    cython.address(self.doc_data[0]) + self.doc_offsets[at],
                    self.doc_offsets[at + 1] - self.doc_offsets[at],
                )
            slot = self.judged_hash[j] & cython.cast(uint64_t, self.slots_size - 1)
            while self.slots[slot] >> 32 == self.generation:
                slot = (slot + 1) & cython.cast(uint64_t, self.slots_size - 1)
            self.slots[slot] = self.generation << 32 | cython.cast(uint64_t, j)
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_rows(self) -> cython.int:
        """Room for twice as many rows, and a table for them that is at most half full."""
        space: int64_t = 2 * self.rows_space
        size: int64_t = self.slots_size
        while size < 2 * (space + self.num_judged):
            size *= 2
        if size > self.slots_size:
            self.grow_slots(size)
        return self.resize_rows(space)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def grow_slots(self, size: int64_t) -> cython.int:
        """A larger table, with the same documents."""
        entry: int64_t
        h: uint64_t
        slot: uint64_t
        i: int64_t
        table: cython.pointer[uint64_t] = cython.cast(cython.pointer[uint64_t], zeroed(size, 8))
        for i in range(self.slots_size):
            if self.slots[i] >> 32 == self.generation:
                entry = cython.cast(int64_t, self.slots[i] & LOW_HALF)
                h = self.judged_hash[entry] if entry < self.num_judged else self.row_hash[entry - self.num_judged]
                slot = h & cython.cast(uint64_t, size - 1)
                while table[slot] >> 32 == self.generation:
                    slot = (slot + 1) & cython.cast(uint64_t, size - 1)
                table[slot] = self.slots[i]
        free(self.slots)
        self.slots = table
        self.slots_size = size
        return 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def text(self, pos: int64_t) -> cython.pointer[cython.const[uint8_t]]:
        """The bytes at a place of the group."""
        return self.base + self.group_start + pos

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def is_judged(self, at: int64_t, pos: int64_t, size: int64_t) -> cython.bint:
        """Whether the id of a row is that of a judged document."""
        if self.numeric:
            return self.judged_number[at] == pos
        return self.doc_offsets[at + 1] - self.doc_offsets[at] == size and (
            size == 0 or memcmp(cython.address(self.doc_data[0]) + self.doc_offsets[at], self.text(pos), size) == 0
        )

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def add_row(
        self,
        pos: int64_t,
        size: int64_t,
        h: uint64_t,
        score: cython.double,
        rank: cython.double,
    ) -> cython.int:
        """One document of the open group: found among the judged, new, or a repetition.

        `pos` is where its id lies, counted from the start of the group; or the id itself, where ids are numbers.
        """
        entry: int64_t
        row: int64_t
        slot: uint64_t
        found: uint64_t
        if self.num_rows >= self.rows_space:
            self.grow_rows()
        row = self.num_rows
        if self.use_float32:
            score = cython.cast(cython.double, cython.cast(cython.float, score))
            if score - score != 0:
                self.state = BAD
        self.row_pos[row] = pos
        self.row_size[row] = size
        self.row_hash[row] = h
        self.row_score[row] = score
        self.row_rank[row] = rank
        self.row_judged[row] = -1
        if row > 0:
            if score > self.row_score[row - 1]:
                self.falling = False
            else:
                self.rising = False
        self.num_rows += 1
        slot = h & cython.cast(uint64_t, self.slots_size - 1)
        while True:
            found = self.slots[slot]
            if found >> 32 != self.generation:
                self.slots[slot] = self.generation << 32 | cython.cast(uint64_t, self.num_judged + row)
                return 0
            entry = cython.cast(int64_t, found & LOW_HALF)
            if entry < self.num_judged:
                if self.judged_hash[entry] == h and self.is_judged(self.start[self.topic] + entry, pos, size):
                    if self.judged_row[entry] >= 0:
                        self.state = BAD
                    self.judged_row[entry] = row
                    self.row_judged[row] = entry
                    self.num_found += 1
                    return 0
            else:
                entry -= self.num_judged
                if self.row_hash[entry] == h and self.row_size[entry] == size:
                    if self.row_pos[entry] == pos or (
                        not self.numeric and memcmp(self.text(self.row_pos[entry]), self.text(pos), size) == 0
                    ):
                        self.state = BAD
                        return 0
            slot = (slot + 1) & cython.cast(uint64_t, self.slots_size - 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sort_rows(self) -> cython.void:
        """Order the rows by falling score, rows of equal score staying as they came."""
        k: int64_t
        for k in range(self.num_rows):
            self.row_order[k] = k
        self.merge_sort(0, self.num_rows, False)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def merge_sort(self, first: int64_t, n: int64_t, ties: cython.bint) -> cython.void:
        """Order n rows from place `first` on, bottom up and stably: by falling score or, if tied, by the tie rule."""
        source: cython.pointer[int64_t] = self.row_order + first
        target: cython.pointer[int64_t] = self.row_order + self.num_rows
        spare: cython.pointer[int64_t]
        width: int64_t = 1
        low: int64_t
        mid: int64_t
        high: int64_t
        a: int64_t
        b: int64_t
        k: int64_t
        right: cython.bint
        while width < n:
            low = 0
            while low < n:
                mid = low + width if low + width < n else n
                high = mid + width if mid + width < n else n
                a = low
                b = mid
                for k in range(low, high):
                    if a >= mid:
                        right = True
                    elif b >= high:
                        right = False
                    elif ties:
                        right = self.stands_above(source[b], source[a])
                    else:
                        right = self.row_score[source[b]] > self.row_score[source[a]]
                    if right:
                        target[k] = source[b]
                        b += 1
                    else:
                        target[k] = source[a]
                        a += 1
                low = high
            spare = source
            source = target
            target = spare
            width *= 2
        if source != self.row_order + first:
            memcpy(self.row_order + first, source, n * 8)
        for k in range(first, first + n):
            self.row_place[self.row_order[k]] = k

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def stands_above(self, a: int64_t, b: int64_t) -> cython.bint:
        """Of two rows with equal scores, whether a goes first by the tie rule: the greater id, or the smaller rank."""
        size_a: int64_t = self.row_size[a]
        size_b: int64_t = self.row_size[b]
        order: cython.int
        digits_a = cython.declare(uint8_t[24])
        digits_b = cython.declare(uint8_t[24])
        if self.tie_rule == 2 and self.row_rank[a] != self.row_rank[b]:
            return self.row_rank[a] < self.row_rank[b]
        if self.numeric:
            size_a = write_decimal(self.row_pos[a], digits_a)
            size_b = write_decimal(self.row_pos[b], digits_b)
            order = memcmp(digits_a, digits_b, size_a if size_a < size_b else size_b)
        else:
            order = memcmp(
                self.text(self.row_pos[a]), self.text(self.row_pos[b]), size_a if size_a < size_b else size_b
            )
        return order > 0 or (order == 0 and size_a > size_b)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_ranks(self) -> cython.bint:
        """Whether the numbers of the group, which were turned round, are ranks: all of them, from 0 or 1 on."""
        i: int64_t
        least: cython.double = -self.row_score[0]
        most: cython.double = -self.row_score[0]
        for i in range(1, self.num_rows):
            least = -self.row_score[i] if -self.row_score[i] < least else least
            most = -self.row_score[i] if -self.row_score[i] > most else most
        return (least == 0 or least == 1) and most == least + self.num_rows - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def close_group(self) -> cython.int:
        """End a query: where each judged document stands, and the bounds of its group of tied scores.

        They are noted by rank but for tied ones, so that little is left to sort.
        """
        k: int64_t
        row: int64_t
        other: int64_t
        place: int64_t = 0
        first: int64_t
        last: int64_t
        rank: int64_t
        score: cython.double
        indexed: cython.bint = False
        if not self.group_open:
            return 0
        self.group_open = False
        if self.num_groups >= self.groups_space:
            self.resize_groups(2 * self.groups_space)
        self.num_rising += self.rising and self.num_rows > 1
        if self.rank_only:
            self.num_odd += not self.has_ranks()
        self.groups[2 * self.num_groups] = self.topic
        self.groups[2 * self.num_groups + 1] = self.num_rows
        self.num_groups += 1
        if self.num_hits + self.num_judged > self.hits_space:
            self.resize_hits(2 * (self.num_hits + self.num_judged))
        if self.num_found == 0:
            return 0
        if not self.falling:
            self.sort_rows()
        while place < self.num_rows:
            row = place if self.falling else self.row_order[place]
            if self.row_judged[row] < 0:
                place += 1
                continue
            score = self.row_score[row]
            first = place
            while first > 0 and self.row_score[first - 1 if self.falling else self.row_order[first - 1]] == score:
                first -= 1
            last = place
            while (
                last + 1 < self.num_rows
                and self.row_score[last + 1 if self.falling else self.row_order[last + 1]] == score
            ):
                last += 1
            rank = place
            if last - first >= MANY_TIED and self.tie_rule != 1:
                if not indexed:
                    memset(self.tie_sorted, 0, self.num_rows)
                    if self.falling:
                        for k in range(self.num_rows):
                            self.row_order[k] = k
                            self.row_place[k] = k
                    indexed = True
                if not self.tie_sorted[first]:
                    self.merge_sort(first, last - first + 1, True)
                    self.tie_sorted[first] = 1
                    if not self.falling:
                        place = first  # the rows from here on stand in another order now
                        continue
                rank = self.row_place[row]
            elif first < last and self.tie_rule != 1:
                rank = first
                for k in range(first, last + 1):
                    other = k if self.falling else self.row_order[k]
                    if other != row and self.stands_above(other, row):
                        rank += 1
            self.hits[4 * self.num_hits] = self.start[self.topic] + self.row_judged[row]
            self.hits[4 * self.num_hits + 1] = rank + 1
            self.hits[4 * self.num_hits + 2] = first + 1
            self.hits[4 * self.num_hits + 3] = last + 1
            self.num_hits += 1
            place += 1
        return 0

    # Feeding -----------------------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def scan(self, p: cython.pointer[cython.const[uint8_t]], end: cython.pointer[cython.const[uint8_t]]) -> cython.int:
        """Read whole lines, and close a group wherever the query changes."""
        line: cython.pointer[cython.const[uint8_t]]
        current: cython.pointer[cython.const[uint8_t]] = cython.NULL
        current_size: int64_t = -1
        code: int64_t
        same: cython.bint
        self.tail_size = 0
        if self.group_open:
            current = self.name_data + self.name_start[self.topic]
            current_size = self.name_start[self.topic + 1] - self.name_start[self.topic]
        while p < end:
            line = p
            p = self.read_line(p, end)
            if self.state != OK:
                return 0
            if self.query == cython.NULL:
                continue
            same = self.same_query and current_size >= 0
            if not same and (self.query_size != current_size or memcmp(self.query, current, current_size) != 0):
                self.close_group()
                code = self.name_code(self.query, self.query_size)
                self.open_group(code)
                if self.state != OK:
                    return 0
                self.group_start = line - self.base
                current = self.name_data + self.name_start[code]
                current_size = self.query_size
            self.add_row(self.doc - self.base - self.group_start, self.doc_size, self.doc_hash, self.score, self.rank)
            if self.state != OK:
                return 0
        return 0

    def feed(self, buffer, size: int64_t) -> int64_t:
        """Read the whole lines in ``buffer[:size]``, of which the start is what the last call asked to be kept.

        Returns from where on the bytes must be kept and handed in again: the start of the group that is still open.
        """
        data: uint8_t[::1] = buffer
        end: int64_t = size
        if self.state != OK:
            return size
        self.buffer = buffer
        self.base = cython.address(data[0])
        self.tail = self.base + self.resume_at
        try:
            with cython.nogil:
                while end > 0 and data[end - 1] != 10:
                    end -= 1
                if end > self.resume_at:
                    self.scan(self.base + self.resume_at, self.base + end)
                else:
                    end = self.resume_at
        except MemoryError:
            self.state = BAD  # what was read so far is not to be built on
            raise
        keep: int64_t = self.group_start if self.group_open else end
        self.resume_at = end - keep
        self.group_start = 0
        return keep

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1, check=False)
    def index_lines(
        self, p: cython.pointer[cython.const[uint8_t]], end: cython.pointer[cython.const[uint8_t]], place: int64_t
    ) -> cython.int:
        """Note the query and the place of each line; what else the line holds is looked at later."""
        begin: cython.pointer[cython.const[uint8_t]] = p
        line: cython.pointer[cython.const[uint8_t]]
        field: cython.pointer[cython.const[uint8_t]]
        column: cython.int
        size: int64_t
        while p < end:
            line = p
            self.tail = p
            if self.delimiter < 0:
                while is_space(p[0]) and p[0] != 10:
                    p += 1
            field = p
            while is_space(field[0]) and field[0] != 10:
                field += 1
            column = 0
            if field[0] != 10 and not (line[0] == 35 and self.comments):
                while True:
                    field = p
                    if self.delimiter < 0:
                        while not is_space(p[0]):
                            p += 1
                    else:
                        while p[0] != self.delimiter and p[0] != 10:
                            p += 1
                    if column == self.query_column or p[0] == 10:
                        break
                    column += 1
                    p += 1
                    if self.delimiter < 0:
                        while is_space(p[0]) and p[0] != 10:
                            p += 1
                if column != self.query_column:
                    self.state = BAD
                    return 0
                if self.num_lines >= self.lines_space:
                    self.resize_lines(2 * self.lines_space + 65536)
                size = p - field
                if self.delimiter >= 0 and p[0] == 10 and size > 0 and field[size - 1] == 13:
                    size -= 1
                self.line_code[self.num_lines] = self.name_code(field, size)
                self.line_place[self.num_lines] = place + (line - begin)
                self.num_lines += 1
            p = cython.cast(cython.pointer[cython.const[uint8_t]], memchr(p, 10, end - p)) + 1
        return 0

    def index(self, buffer, size: int64_t, place: int64_t) -> int64_t:
        """Index the whole lines in ``buffer[:size]``, which begin at `place` of the file; returns where they end."""
        data: uint8_t[::1] = buffer
        end: int64_t = size
        self.buffer = buffer
        self.base = cython.address(data[0])
        self.tail = self.base
        try:
            with cython.nogil:
                while end > 0 and data[end - 1] != 10:
                    end -= 1
                if end > 0:
                    self.index_lines(self.base, self.base + end, place)
        except MemoryError:
            self.state = BAD
            raise
        return end

    def lines_by_query(self):
        """The places of all lines, those of one query together and in file order, and where each query starts."""
        starts = np.zeros(self.num_names + 1, dtype=np.int64)
        places = np.empty(self.num_lines, dtype=np.int64)
        first: int64_t[::1] = starts
        target: int64_t[::1] = places
        i: int64_t
        for i in range(self.num_lines):
            first[self.line_code[i] + 1] += 1
        for i in range(self.num_names):
            first[i + 1] += first[i]
        following = starts.copy()
        free_place: int64_t[::1] = following
        with cython.nogil:
            for i in range(self.num_lines):
                target[free_place[self.line_code[i]]] = self.line_place[i]
                free_place[self.line_code[i]] += 1
        free(self.line_code)
        free(self.line_place)
        self.line_code = cython.NULL
        self.line_place = cython.NULL
        self.lines_space = 0
        self.num_lines = 0
        return starts, places

    def columns(self, codes, starts, docs, offsets, score, rank, order) -> None:
        """Rows that are in memory: rows ``starts[i]`` to ``starts[i + 1]`` belong to the query of ``codes[i]``.

        `docs` are bytes with `offsets`; a matrix, each row an id padded with zeros; or whole numbers, which stand for
        their decimal text. `order` lists the rows so that those of one query are neighbours, or is None where they are.
        """
        code_of: cython.const[int64_t][::1] = codes
        start_of: cython.const[int64_t][::1] = starts
        data: cython.const[uint8_t][::1] = docs.reshape(-1).view(np.uint8)
        ends: cython.const[int64_t][::1] = starts if offsets is None else offsets
        scores: cython.const[cython.double][::1] = score
        ranks: cython.const[cython.double][::1] = score if rank is None else rank
        rows: cython.const[int64_t][::1] = starts if order is None else order
        numbers: cython.const[int64_t][::1] = docs if docs.dtype == np.int64 else starts
        ordered: cython.bint = order is not None
        width: int64_t = docs.shape[1] if docs.ndim == 2 else 0
        size: int64_t = 0
        i: int64_t
        s: int64_t
        row: int64_t
        h: uint64_t
        p: cython.pointer[cython.const[uint8_t]]
        self.numeric = docs.dtype == np.int64
        if self.numeric:
            self.read_judged_numbers()
        if len(data) == 0:
            return
        self.base = cython.address(data[0])
        self.group_start = 0
        try:
            with cython.nogil:
                for s in range(start_of.shape[0] - 1):
                    if start_of[s + 1] == start_of[s]:
                        continue
                    self.open_group(code_of[s])
                    for i in range(start_of[s], start_of[s + 1]):
                        row = rows[i] if ordered else i
                        if self.numeric:
                            h = mixed(0, cython.cast(uint64_t, numbers[row]))
                            self.add_row(numbers[row], 0, h, scores[row], ranks[row])
                            continue
                        if width > 0:
                            p = self.base + row * width
                            size = width
                            while size > 0 and p[size - 1] == 0:
                                size -= 1
                        else:
                            p = self.base + ends[row]
                            size = ends[row + 1] - ends[row]
                        self.add_row(p - self.base, size, hash_bytes(p, size), scores[row], ranks[row])
                    if self.state != OK:
                        break
                    self.close_group()
        except MemoryError:
            self.state = BAD
            raise

    @cython.cfunc
    def read_judged_numbers(self):
        """The judged ids as whole numbers, where they are written as such."""
        n: int64_t = self.doc_offsets.shape[0] - 1
        self.judged_number = np.zeros(n, dtype=np.int64)
        self.judged_is_number = np.zeros(n, dtype=np.uint8)
        i: int64_t
        for i in range(n):
            if self.doc_offsets[i + 1] > self.doc_offsets[i]:
                self.judged_is_number[i] = read_decimal(
                    cython.address(self.doc_data[0]) + self.doc_offsets[i],
                    self.doc_offsets[i + 1] - self.doc_offsets[i],
                    cython.address(self.judged_number[i]),
                )

    def code_of(self, name: bytes) -> int64_t:
        """The number of a query id: that of its topic in the judgments, or one beyond them."""
        return self.name_code(name, len(name))

    def finish(self) -> int:
        """Close the last group; 0 if all was well, 1 if a line was not what it should be, 2 if a query came back."""
        if self.state == OK:
            self.close_group()
        self.buffer = None
        return self.state

    @property
    def reached(self) -> int:
        """How many bytes of the last buffer were read, up to somewhere in the last line that was looked at."""
        return self.tail - self.base

    @property
    def odd_ranks(self) -> int:
        """How many queries have numbers that are no ranks, where there are only ranks."""
        return self.num_odd

    @property
    def rising_queries(self) -> int:
        """How many queries have scores that rise from each row to the next."""
        return self.num_rising

    def found(self):
        """The groups (topic, rows) and the hits (judged document, rank, first, last), each as a table."""
        groups = np.empty((self.num_groups, 2), dtype=np.int64)
        hits = np.empty((self.num_hits, 4), dtype=np.int64)
        group_view: int64_t[:, ::1] = groups
        hit_view: int64_t[:, ::1] = hits
        if self.num_groups:
            memcpy(cython.address(group_view[0, 0]), self.groups, self.num_groups * 2 * 8)
        if self.num_hits:
            memcpy(cython.address(hit_view[0, 0]), self.hits, self.num_hits * 4 * 8)
        return groups, hits

    def names(self) -> list:
        """All query ids met, those of the judgments first."""
        data: bytes = self.name_data[: self.name_size]
        names: list = [b""] * self.num_names
        i: int64_t
        for i in range(self.num_names):
            names[i] = data[self.name_start[i] : self.name_start[i + 1]]
        return names


def gather_lines(source, places, buffer, filled: int64_t, limit: int64_t):
    """Copy the lines at these places of `source` one after the other into ``buffer[filled:limit]``.

    Returns how many lines fitted, and up to where the buffer is filled.
    """
    data: cython.const[uint8_t][::1] = source
    at: cython.const[int64_t][::1] = places
    target: uint8_t[::1] = buffer
    size: int64_t = len(source)
    i: int64_t = 0
    end: int64_t
    start: int64_t
    n: int64_t = len(places)
    goal: cython.pointer[uint8_t] = cython.address(target[0])
    # Of no bytes none has an address, and none is read.
    base: cython.pointer[cython.const[uint8_t]] = cython.address(data[0]) if size > 0 else goal
    newline: cython.pointer[cython.const[uint8_t]]
    with cython.nogil:
        while i < n:
            start = at[i]
            newline = cython.cast(cython.pointer[cython.const[uint8_t]], memchr(base + start, 10, size - start))
            end = size if newline == cython.NULL else newline - base
            if filled + end - start + 1 > limit:
                break
            memcpy(goal + filled, base + start, end - start)
            filled += end - start
            goal[filled] = 10
            filled += 1
            i += 1
    return i, filled


@cython.final
@cython.cclass
class TableReader(LineReader):
    """Reads lines into columns: ids in Arrow's layout, and numbers."""

    fractions: cython.bint

    def __init__(self, layout):
        self.set_layout(layout, layout.rank is not None, layout.group is not None)

    @property
    def has_fractions(self) -> bool:
        """Whether some number, the last one of its line, is written with a point or an exponent."""
        return self.fractions

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def has_more_fields(self, end: cython.pointer[cython.const[uint8_t]]) -> cython.bint:
        """Whether the line that ends here has more fields than the layout, which white space between them allows."""
        p: cython.pointer[cython.const[uint8_t]] = self.tail
        column: cython.int = self.last_column + 1
        if self.delimiter >= 0:
            return False
        while True:
            while p < end and is_space(p[0]):
                p += 1
            if p >= end:
                return column > self.num_fields
            column += 1
            while p < end and not is_space(p[0]):
                p += 1

    def read(self, buffer, size: int64_t, line: int64_t = 1, place: int64_t = 0):
        """The columns of ``buffer[:size]``, whole lines all, up to the first that is not what it should be.

        The first line has the number `line` and lies at `place`. The result is (state, bytes read, lines read, lines
        with more fields than the layout), then columns, as arrays: queries (data, offsets, and the row at which each
        begins, as they are named once for neighbouring rows), documents (data, offsets), groups (as queries), values,
        ranks, numbers of the lines, and their places.
        """
        data: uint8_t[::1] = buffer
        base: cython.pointer[cython.const[uint8_t]] = cython.address(data[0])
        p: cython.pointer[cython.const[uint8_t]] = base
        begin: cython.pointer[cython.const[uint8_t]] = base
        end: cython.pointer[cython.const[uint8_t]] = base + size
        most: int64_t = 1
        n: int64_t = 0
        lines: int64_t = 0
        extra: int64_t = 0
        has_extra: cython.bint = False
        query: cython.pointer[cython.const[uint8_t]] = cython.NULL
        query_size: int64_t = -1
        num_queries: int64_t = 0
        query_end: int64_t = 0
        group: cython.pointer[cython.const[uint8_t]] = cython.NULL
        group_size: int64_t = -1
        num_groups: int64_t = 0
        group_end: int64_t = 0
        doc_end: int64_t = 0
        i: int64_t
        self.state = OK
        self.head_size = 0
        self.tail_size = 0
        self.rank = 0
        with cython.nogil:
            for i in range(size):
                most += data[i] == 10
        text = np.empty((3, size + 1), dtype=np.uint8)
        ends = np.zeros((5, most + 1), dtype=np.int64)
        where = np.empty((2, most), dtype=np.int64)
        numbers = np.empty((2, most), dtype=np.float64)
        ids: uint8_t[:, ::1] = text
        offset: int64_t[:, ::1] = ends
        origin: int64_t[:, ::1] = where
        number: cython.double[:, ::1] = numbers
        with cython.nogil:
            while p < end:
                begin = p
                p = self.read_line(p, end)
                if self.state != OK:
                    p = begin
                    break
                lines += 1
                if self.query == cython.NULL:
                    continue
                if self.query_size != query_size or memcmp(self.query, query, query_size) != 0:
                    query, query_size = self.query, self.query_size
                    memcpy(cython.address(ids[0, query_end]), query, query_size)
                    query_end += query_size
                    offset[1, num_queries] = n
                    num_queries += 1
                    offset[0, num_queries] = query_end
                if self.group_column >= 0 and (
                    self.group_size != group_size or memcmp(self.group, group, group_size) != 0
                ):
                    group, group_size = self.group, self.group_size
                    memcpy(cython.address(ids[2, group_end]), group, group_size)
                    group_end += group_size
                    offset[4, num_groups] = n
                    num_groups += 1
                    offset[3, num_groups] = group_end
                memcpy(cython.address(ids[1, doc_end]), self.doc, self.doc_size)
                doc_end += self.doc_size
                n += 1
                offset[2, n] = doc_end
                while self.number[0] == 43 or self.number[0] == 45 or (self.number[0] >= 48 and self.number[0] <= 57):
                    self.number += 1
                if self.number[0] == 46 or self.number[0] == 101 or self.number[0] == 69:
                    self.fractions = True
                number[0, n - 1] = self.score
                number[1, n - 1] = self.rank
                origin[0, n - 1] = line + lines - 1
                origin[1, n - 1] = place + (begin - base)
                if self.tail_size > 1 or has_extra:
                    has_extra = self.has_more_fields(p)
                    extra += has_extra
        offset[1, num_queries] = n
        offset[4, num_groups] = n
        return (
            *(self.state, p - base, lines, extra),
            *(text[0, :query_end], ends[0, : num_queries + 1], ends[1, : num_queries + 1]),
            *(text[1, :doc_end], ends[2, : n + 1]),
            *(text[2, :group_end], ends[3, : num_groups + 1], ends[4, : num_groups + 1]),
            *(numbers[0, :n], numbers[1, :n], where[0, :n], where[1, :n]),
        )


TEXT = cython.declare(cython.int, 1)
NUMBER = cython.declare(cython.int, 2)
LONGEST_FIELD = cython.declare(int64_t, 100000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def skip_blanks(p: cython.pointer[cython.const[uint8_t]], delimiter: uint8_t) -> cython.pointer[cython.const[uint8_t]]:
    """The next byte that is neither a space nor a tab, unless the tab divides fields."""
    while p[0] == 32 or (p[0] == 9 and delimiter != 9):
        p += 1
    return p


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def end_of_field(p: cython.pointer[cython.const[uint8_t]], delimiter: uint8_t) -> cython.pointer[cython.const[uint8_t]]:
    """The first byte that a plain field cannot hold: its delimiter, a control character; between blanks, no ASCII."""
    word: uint64_t
    other: uint64_t
    flags: uint64_t
    blanks: cython.bint = delimiter == 32
    below: uint64_t = ONES * 0x20
    delimiters: uint64_t = ONES * cython.cast(uint64_t, delimiter)
    while True:
        word = load(p)
        other = word ^ delimiters
        flags = (((word - below) & ~word) | ((other - ONES) & ~other)) & HIGHS
        if blanks:
            flags |= word & HIGHS
        if flags == 0:
            p += 8
            continue
        p += first_flag(flags)
        if p[0] != 9 or delimiter == 9 or blanks:
            return p
        p += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def end_of_quotes(p: cython.pointer[cython.const[uint8_t]]) -> cython.pointer[cython.const[uint8_t]]:
    """The closing quote of a field, or the character that a line of its own cannot hold."""
    while p[0] != 34 and (p[0] >= 32 or p[0] == 9):
        p += 1
    return p


@cython.final
@cython.cclass
class ColumnReader:
    """Reads columns of delimited rows: texts as codes of the distinct ones, and numbers.

    Rows are divided as Python's csv module does, in its strict mode, or as `str.split` does where a space divides them.
    """

    delimiter: uint8_t
    most: int64_t
    kinds: bytes

    def __init__(self, delimiter: bytes, kinds: bytes, most: int64_t):
        """`kinds` has a byte for each column: 0 to skip it, 1 for a text, 2 for a number."""
        self.delimiter, self.kinds, self.most = delimiter[0], kinds, most

    def read(self, buffer, begin: int64_t, stop: int64_t):
        """The columns of the lines in ``buffer[begin:stop]``, whole lines all; eight bytes follow them.

        The result is (state, number of lines, codes, texts, numbers, lines): for each column of texts the codes and
        the distinct texts in order of appearance, and the line of each row, from 0, unless every line is a row. With
        a state other than 0 the rest is void: a line is not what it should be, or there are too many distinct texts.
        """
        data: cython.const[uint8_t][::1] = buffer
        base: cython.pointer[cython.const[uint8_t]] = cython.address(data[0]) + begin
        p: cython.pointer[cython.const[uint8_t]] = base
        end: cython.pointer[cython.const[uint8_t]] = base + (stop - begin)
        field: cython.pointer[cython.const[uint8_t]]
        kind: cython.pointer[cython.const[uint8_t]] = self.kinds
        num_fields: cython.int = len(self.kinds)
        num_texts: cython.int = self.kinds.count(1)
        num_numbers: cython.int = self.kinds.count(2)
        delimiter: uint8_t = self.delimiter
        blanks: cython.bint = delimiter == 32
        limit: int64_t = self.most
        most: int64_t = 0
        n: int64_t = 0
        num_lines: int64_t = 0
        i: int64_t
        size: int64_t
        column: cython.int
        text: cython.int
        value: cython.int
        quoted: cython.bint
        state: cython.int = OK
        at: uint64_t
        code: int64_t
        capacity: int64_t = 1024
        while capacity < 4 * (limit + 1):
            capacity *= 2
        mask: uint64_t = capacity - 1
        with cython.nogil:
            for i in range(stop - begin):
                most += base[i] == 10
        codes = np.empty((num_texts, most), dtype=np.int32)
        numbers = np.empty((num_numbers, most), dtype=np.float64)
        lines = np.empty(most, dtype=np.int64)
        code_at: cython.int[:, ::1] = codes
        number_at: cython.double[:, ::1] = numbers
        line_at: int64_t[::1] = lines
        slots: cython.pointer[int64_t] = cython.NULL
        # Where the first of each distinct text lies, its size, and in the end how many there are of each column.
        spans: cython.pointer[int64_t] = cython.NULL
        counts: cython.pointer[int64_t] = cython.NULL
        try:
            slots = cython.cast(cython.pointer[int64_t], zeroed(num_texts * capacity, 8))
            spans = cython.cast(cython.pointer[int64_t], zeroed(num_texts * (limit + 1) * 2, 8))
            counts = cython.cast(cython.pointer[int64_t], zeroed(num_texts, 8))
            with cython.nogil:
                while p < end and state == OK:
                    field = skip_blanks(p, delimiter)
                    num_lines += 1
                    if field[0] == 10 or (field[0] == 13 and field[1] == 10):
                        p = field + (1 if field[0] == 10 else 2)
                        continue
                    if blanks:
                        p = field
                    text = 0
                    value = 0
                    for column in range(num_fields):
                        quoted = p[0] == 34 and not blanks
                        field = p + 1 if quoted else p
                        if kind[column] == NUMBER:
                            if not blanks:
                                field = skip_blanks(field, delimiter)
                            p = parse_number(field, cython.address(number_at[value, n]))
                            if p == cython.NULL:
                                state = BAD
                                break
                            if field[0] == 45 and number_at[value, n] == 0:
                                number_at[value, n] = -0.0
                            value += 1
                            if not blanks:
                                p = skip_blanks(p, delimiter)
                        elif quoted:
                            p = end_of_quotes(field)
                            while kind[column] != TEXT and p[0] == 34 and p[1] == 34:
                                p = end_of_quotes(p + 2)
                        else:
                            p = end_of_field(field, delimiter)
                        size = p - field
                        if quoted:
                            if p[0] != 34:
                                state = BAD
                                break
                            p += 1
                        if size > LONGEST_FIELD:
                            state = BAD
                            break
                        if kind[column] == TEXT:
                            at = (hash_bytes(field, size) + cython.cast(uint64_t, size)) & mask
                            while True:
                                code = slots[text * capacity + cython.cast(int64_t, at)] - 1
                                if code < 0:
                                    break
                                i = 2 * (text * (limit + 1) + code)
                                if spans[i + 1] == size and memcmp(base + spans[i], field, size) == 0:
                                    break
                                at = (at + 1) & mask
                            if code < 0:
                                if counts[text] >= limit:
                                    state = BAD
                                    break
                                code = counts[text]
                                counts[text] += 1
                                i = 2 * (text * (limit + 1) + code)
                                spans[i] = field - base
                                spans[i + 1] = size
                                slots[text * capacity + cython.cast(int64_t, at)] = code + 1
                            code_at[text, n] = cython.cast(cython.int, code)
                            text += 1
                        if blanks:
                            if p[0] != 32 and p[0] != 9 and p[0] != 10 and p[0] != 13:
                                state = BAD
                                break
                            p = skip_blanks(p, delimiter)
                        if column + 1 < num_fields:
                            if blanks:
                                if p[0] == 10 or p[0] == 13:
                                    state = BAD
                                    break
                            elif p[0] == delimiter:
                                p += 1
                            else:
                                state = BAD
                                break
                    if state != OK:
                        break
                    if p[0] == 13:
                        p += 1
                    if p[0] != 10:
                        state = BAD
                        break
                    p += 1
                    line_at[n] = num_lines - 1
                    n += 1
            texts: list = []
            for text in range(num_texts):
                found: list = []
                for i in range(counts[text]):
                    at = text * (limit + 1) + i
                    field = base + spans[2 * at]
                    found.append(field[: spans[2 * at + 1]])
                texts.append(found)
        finally:
            free(slots)
            free(spans)
            free(counts)
        return state, num_lines, codes[:, :n], texts, numbers[:, :n], lines[:n] if n < num_lines else None
