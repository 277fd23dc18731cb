"""Columns of ids as bytes with offsets, and what is asked of them row by row. Compiled by Cython (pure mode)."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memcmp, memcpy

COMPILED = cython.compiled

WIDEST = cython.declare(int64_t, 20)
MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)

Bytes = cython.typedef(cython.pointer[cython.const[uint8_t]])
Keyed = cython.struct(key=uint64_t, index=int64_t)


def decimal_text(values):
    """Whole numbers in decimal: the bytes, and where each begins."""
    numbers: cython.const[int64_t][::1] = values
    n: int64_t = len(values)
    data = np.empty(n * WIDEST, dtype=np.uint8)
    offsets = np.zeros(n + 1, dtype=np.int64)
    text: uint8_t[::1] = data
    ends: int64_t[::1] = offsets
    digits = cython.declare(uint8_t[20])
    i: int64_t
    end: int64_t = 0
    count: cython.int
    rest: uint64_t
    with cython.nogil:
        for i in range(n):
            rest = cython.cast(uint64_t, numbers[i])
            if numbers[i] < 0:
                rest = ~rest + 1
                text[end] = 45
                end += 1
            count = 0
            while True:
                digits[count] = cython.cast(uint8_t, 48 + rest % 10)
                rest = rest // 10
                count += 1
                if rest == 0:
                    break
            while count > 0:
                count -= 1
                text[end] = digits[count]
                end += 1
            ends[i + 1] = end
    return data[:end].copy(), offsets


def unpadded(matrix):
    """The rows of a matrix of bytes without the zeros at their ends: the bytes, and where each begins."""
    rows: cython.const[uint8_t][:, ::1] = matrix
    n: int64_t = matrix.shape[0]
    width: int64_t = matrix.shape[1]
    data = np.empty(n * width, dtype=np.uint8)
    offsets = np.zeros(n + 1, dtype=np.int64)
    text: uint8_t[::1] = data
    ends: int64_t[::1] = offsets
    i: int64_t
    size: int64_t
    end: int64_t = 0
    with cython.nogil:
        for i in range(n):
            size = width
            while size > 0 and rows[i, size - 1] == 0:
                size -= 1
            if size > 0:
                memcpy(cython.address(text[end]), cython.address(rows[i, 0]), size)
            end += size
            ends[i + 1] = end
    return data[:end].copy(), offsets


def changes(data, offsets):
    """For each id, whether it differs from the one before it (the first one does)."""
    text: cython.const[uint8_t][::1] = data
    starts: cython.const[int64_t][::1] = offsets
    n: int64_t = len(offsets) - 1
    different = np.ones(n, dtype=np.bool_)
    marks: uint8_t[::1] = different.view(np.uint8)
    i: int64_t
    size: int64_t
    with cython.nogil:
        for i in range(1, n):
            size = starts[i + 1] - starts[i]
            if size == starts[i] - starts[i - 1]:
                if size == 0 or memcmp(cython.address(text[starts[i]]), cython.address(text[starts[i - 1]]), size) == 0:
                    marks[i] = 0
    return different


def row_changes(matrix):
    """For each row of a matrix of bytes, whether it differs from the one before it (the first one does)."""
    rows: cython.const[uint8_t][:, ::1] = matrix
    n: int64_t = matrix.shape[0]
    width: int64_t = matrix.shape[1]
    different = np.ones(n, dtype=np.bool_)
    marks: uint8_t[::1] = different.view(np.uint8)
    i: int64_t
    with cython.nogil:
        for i in range(1, n):
            if memcmp(cython.address(rows[i, 0]), cython.address(rows[i - 1, 0]), width) == 0:
                marks[i] = 0
    return different


def hashes(data, offsets):
    """A 64-bit number for each id, equal for equal ids."""
    text: cython.const[uint8_t][::1] = data
    starts: cython.const[int64_t][::1] = offsets
    n: int64_t = len(offsets) - 1
    numbers = np.empty(n, dtype=np.uint64)
    result: uint64_t[::1] = numbers
    i: int64_t
    j: int64_t
    h: uint64_t
    with cython.nogil:
        for i in range(n):
            h = cython.cast(uint64_t, starts[i + 1] - starts[i])
            for j in range(starts[i], starts[i + 1]):
                h = (h ^ text[j]) * MIX
                h ^= h >> 32
            result[i] = h
    return numbers


def places_in_order(data, offsets, wanted_data, wanted_offsets):
    """The place of each wanted id among ids that are in byte order, found by halving; -1 where it is not there."""
    text: cython.const[uint8_t][::1] = data
    starts: cython.const[int64_t][::1] = offsets
    wanted: cython.const[uint8_t][::1] = wanted_data
    wanted_starts: cython.const[int64_t][::1] = wanted_offsets
    n: int64_t = len(offsets) - 1
    m: int64_t = len(wanted_offsets) - 1
    places = np.full(m, -1, dtype=np.int64)
    result: int64_t[::1] = places
    i: int64_t
    low: int64_t
    high: int64_t
    middle: int64_t
    size: int64_t
    other: int64_t
    order: int64_t
    with cython.nogil:
        for i in range(m):
            low = 0
            high = n
            size = wanted_starts[i + 1] - wanted_starts[i]
            while low < high:
                middle = (low + high) >> 1
                other = starts[middle + 1] - starts[middle]
                order = 0
                if size > 0 and other > 0:
                    order = memcmp(
                        cython.address(text[starts[middle]]),
                        cython.address(wanted[wanted_starts[i]]),
                        size if size < other else other,
                    )
                if order == 0:
                    order = other - size
                if order == 0:
                    result[i] = middle
                    break
                if order < 0:
                    low = middle + 1
                else:
                    high = middle
    return places


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def is_after(
    one: Keyed, other: Keyed, text: Bytes, starts: cython.pointer[cython.const[int64_t]], skip: int64_t
) -> bool:
    """Whether an id comes after another in byte order; `skip` bytes of all ids and their keys agree if the keys do."""
    size: int64_t
    rest: int64_t
    order: cython.int = 0
    if one.key != other.key:
        return one.key > other.key
    size = starts[one.index + 1] - starts[one.index]
    rest = starts[other.index + 1] - starts[other.index]
    if size > skip + 8 and rest > skip + 8:
        order = memcmp(
            text + starts[one.index] + skip + 8,
            text + starts[other.index] + skip + 8,
            (size if size < rest else rest) - skip - 8,
        )
    return size > rest if order == 0 else order > 0


def byte_order(data, offsets):
    """The ids in byte order, equal ones as they come; and the place of each id among the different ones."""
    text: cython.const[uint8_t][::1] = data
    starts: cython.const[int64_t][::1] = offsets
    n: int64_t = len(offsets) - 1
    order = np.empty(n, dtype=np.int64)
    place = np.empty(n, dtype=np.int64)
    if n == 0:
        return order, place
    table = np.empty((2, 2 * n), dtype=np.uint64)
    room: uint64_t[:, ::1] = table
    result: int64_t[::1] = order
    rank: int64_t[::1] = place
    source: cython.pointer[Keyed] = cython.cast(cython.pointer[Keyed], cython.address(room[0, 0]))
    target: cython.pointer[Keyed] = cython.cast(cython.pointer[Keyed], cython.address(room[1, 0]))
    letters: Bytes = cython.NULL
    begins: cython.pointer[cython.const[int64_t]] = cython.address(starts[0])
    skip: int64_t
    size: int64_t
    i: int64_t
    j: int64_t
    width: int64_t = 1
    middle: int64_t
    end: int64_t
    at: int64_t
    key: uint64_t
    if len(data) > 0:
        letters = cython.address(text[0])
    with cython.nogil:
        # The first bytes that all ids share decide nothing; the eight after them are a number.
        skip = starts[1] - starts[0]
        for i in range(1, n):
            size = starts[i + 1] - starts[i]
            if size < skip:
                skip = size
            at = 0
            while at < skip and letters[starts[i] + at] == letters[starts[0] + at]:
                at += 1
            skip = at
        for i in range(n):
            key = 0
            for j in range(8):
                key <<= 8
                if starts[i] + skip + j < starts[i + 1]:
                    key |= letters[starts[i] + skip + j]
            source[i].key = key
            source[i].index = i
        while width < n:
            i = 0
            while i < n:
                middle = i + width if i + width < n else n
                end = middle + width if middle + width < n else n
                at = i
                j = middle
                if middle == end or not is_after(source[middle - 1], source[middle], letters, begins, skip):
                    memcpy(target + i, source + i, (end - i) * cython.sizeof(Keyed))
                    i = end
                    continue
                while i < middle and j < end:
                    if is_after(source[i], source[j], letters, begins, skip):
                        target[at] = source[j]
                        j += 1
                    else:
                        target[at] = source[i]
                        i += 1
                    at += 1
                memcpy(target + at, source + i, (middle - i) * cython.sizeof(Keyed))
                memcpy(target + at + middle - i, source + j, (end - j) * cython.sizeof(Keyed))
                i = end
            source, target = target, source
            width *= 2
        at = 0
        for i in range(n):
            if i > 0 and is_after(source[i], source[i - 1], letters, begins, skip):
                at += 1
            result[i] = source[i].index
            rank[source[i].index] = at
    return order, place
