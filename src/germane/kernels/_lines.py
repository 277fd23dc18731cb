"""Lines of text from columns: numbers as Python writes them, and columns joined row by row. Compiled by Cython."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t
from cython.cimports.libc.string import memcpy

COMPILED = cython.compiled

WIDEST = cython.declare(int64_t, 25)
FEWER_DIGITS = cython.declare(cython.double, 1e15)

POWERS_OF_TEN = cython.declare(cython.double[19])
WHOLE_POWERS = cython.declare(int64_t[19])
for _power in range(19):
    POWERS_OF_TEN[_power] = 10.0**_power
    WHOLE_POWERS[_power] = 10**_power


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_digits(number: int64_t, least: cython.int, text: cython.pointer[uint8_t]) -> int64_t:
    """Write a whole number with at least `least` digits, and return their number."""
    digits = cython.declare(uint8_t[24])
    count: cython.int = 0
    i: cython.int
    while number > 0 or count < least:
        digits[count] = cython.cast(uint8_t, 48 + number % 10)
        number = number // 10
        count += 1
    for i in range(count):
        text[i] = digits[count - 1 - i]
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def write_short(value: cython.double, text: cython.pointer[uint8_t]) -> int64_t:
    """Write a number that at most 15 digits determine, without an exponent; 0 if it is none.

    Different numbers of up to 15 digits are different doubles, so the first one found that reads back is the shortest.
    """
    magnitude: cython.double = -value if value < 0 else value
    scaled: cython.double
    whole: int64_t
    places: cython.int
    size: int64_t = 0
    if not (magnitude >= 1e-4 and magnitude < FEWER_DIGITS):
        return 0
    for places in range(19):
        scaled = magnitude * POWERS_OF_TEN[places]
        if scaled >= FEWER_DIGITS:
            return 0
        whole = cython.cast(int64_t, scaled + 0.5)
        if cython.cast(cython.double, whole) / POWERS_OF_TEN[places] == magnitude:
            if value < 0:
                text[0] = 45
                size = 1
            size += write_digits(whole // WHOLE_POWERS[places], 1, text + size)
            text[size] = 46
            size += 1
            return size + write_digits(whole % WHOLE_POWERS[places], places if places > 0 else 1, text + size)
    return 0


def float_text(values):
    """The shortest text of each number that reads back to it, as Python writes it: the bytes, and where each begins."""
    numbers: cython.const[cython.double][::1] = values
    n: int64_t = len(values)
    data = np.empty(n * WIDEST, dtype=np.uint8)
    offsets = np.zeros(n + 1, dtype=np.int64)
    text: uint8_t[::1] = data
    ends: int64_t[::1] = offsets
    i: int64_t
    size: int64_t
    end: int64_t = 0
    written: bytes
    with cython.nogil:
        for i in range(n):
            size = write_short(numbers[i], cython.address(text[end]))
            if size == 0:
                with cython.gil:
                    written = repr(numbers[i]).encode()
                    size = len(written)
                    memcpy(cython.address(text[end]), cython.cast(cython.p_char, written), size)
            end += size
            ends[i + 1] = end
    return data[:end], offsets


def joined_rows(columns, between):
    """One text of all rows: the bytes ``between[0]``, the row's text in the first column, ``between[1]``, and so on.

    A column is (data, offsets), or (data, offsets, rows) if row i has the text with the number ``rows[i]``.
    """
    n: int64_t = len(columns[0][2] if len(columns[0]) == 3 else columns[0][1]) - (len(columns[0]) == 2)
    starts = np.full(n + 1, len(b"".join(between)), dtype=np.int64)
    starts[0] = 0
    start: int64_t[::1] = starts
    data: cython.const[uint8_t][::1]
    ends: cython.const[int64_t][::1]
    rows: cython.const[int64_t][::1]
    target: uint8_t[::1]
    indexed: cython.bint
    separator: bytes
    mark: cython.p_char
    width: int64_t
    size: int64_t
    i: int64_t
    k: int64_t
    for column in columns:
        ends = column[1]
        indexed = len(column) == 3
        rows = column[2] if indexed else column[1]
        with cython.nogil:
            for i in range(n):
                k = rows[i] if indexed else i
                start[i + 1] += ends[k + 1] - ends[k]
    with cython.nogil:
        for i in range(n):
            start[i + 1] += start[i]
    text = np.empty(start[n], dtype=np.uint8)
    target = text
    for place, separator in enumerate(between):
        mark = separator
        width = len(separator)
        if place == len(columns):
            if width > 0:
                with cython.nogil:
                    for i in range(n):
                        memcpy(cython.address(target[start[i]]), mark, width)
            break
        column = columns[place]
        data = column[0]
        ends = column[1]
        indexed = len(column) == 3
        rows = column[2] if indexed else column[1]
        with cython.nogil:
            for i in range(n):
                if width > 0:
                    memcpy(cython.address(target[start[i]]), mark, width)
                k = rows[i] if indexed else i
                size = ends[k + 1] - ends[k]
                if size > 0:
                    memcpy(cython.address(target[start[i] + width]), cython.address(data[ends[k]]), size)
                start[i] += width + size
    return text
