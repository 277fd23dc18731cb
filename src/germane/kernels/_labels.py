"""Labels as codes, and pairs of labels counted. Compiled by Cython (pure mode)."""

import cython
import numpy as np
from cython.cimports.cpython.object import PyObject
from cython.cimports.germane.kernels.memory import zeroed
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcmp, memcpy, memset

COMPILED = cython.compiled

MIX = cython.declare(uint64_t, 0x9E3779B97F4A7C15)
TABLES = cython.declare(int64_t, 4)
SMALL_TABLE = cython.declare(int64_t, 2048)
KEPT = cython.declare(int64_t, 1024)


def count_pairs(truth, predicted, lowest, size, counts):
    """Add to `counts` (size × size) how often each pair occurs; the first row outside lowest … lowest + size, or -1.

    Counting ends at such a row.
    """
    first: cython.const[int64_t][::1] = truth
    second: cython.const[int64_t][::1] = predicted
    found: int64_t[::1] = counts.reshape(-1)
    n: int64_t = len(truth)
    low: uint64_t = cython.cast(uint64_t, cython.cast(int64_t, lowest))
    width: uint64_t = size
    cells: int64_t = size * size
    # Neighbours often hit the same cell, and a counter that was just written takes long to read: they take turns.
    tables: int64_t = TABLES if cells <= SMALL_TABLE else 1
    table: cython.pointer[int64_t]
    i: int64_t
    t: uint64_t
    p: uint64_t
    bad_row: int64_t = -1
    table = cython.cast(cython.pointer[int64_t], zeroed(tables * cells, 8))
    with cython.nogil:
        for i in range(n):
            t = cython.cast(uint64_t, first[i]) - low
            p = cython.cast(uint64_t, second[i]) - low
            if t >= width or p >= width:
                bad_row = i
                break
            table[(i & (tables - 1)) * cells + cython.cast(int64_t, t * width + p)] += 1
        for i in range(tables * cells):
            if table[i] != 0:
                found[i % cells] += table[i]
    free(table)
    return bad_row


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def hash_row(p: cython.pointer[cython.const[uint8_t]], size: int64_t) -> uint64_t:
    h: uint64_t = 0
    word: uint64_t = 0
    while size >= 8:
        memcpy(cython.address(word), p, 8)
        h = (h ^ word) * MIX
        h ^= h >> 32
        p += 8
        size -= 8
    if size > 0:
        word = 0
        memcpy(cython.address(word), p, size)
        h = (h ^ word) * MIX
        h ^= h >> 32
    return h


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def short_row(p: cython.pointer[cython.const[uint8_t]], size: int64_t) -> uint64_t:
    """A row of at most eight bytes as one word; the usual sizes without a call."""
    word: uint64_t = 0
    if size == 8:
        memcpy(cython.address(word), p, 8)
    elif size == 4:
        memcpy(cython.address(word), p, 4)
    elif size == 1:
        word = p[0]
    else:
        memcpy(cython.address(word), p, size)
    return word


def encode_rows(matrix, most):
    """A code for each row of bytes, equal for equal rows, and the first row that has each code.

    Codes count from 0 in order of appearance. Beyond `most` different rows it gives up: the codes are then void.
    """
    rows: cython.const[uint8_t][:, ::1] = matrix
    n: int64_t = matrix.shape[0]
    width: int64_t = matrix.shape[1]
    limit: int64_t = most
    codes = np.empty(n, dtype=np.int32)
    result: int32_t[::1] = codes
    firsts = np.empty(min(n, limit + 1), dtype=np.int64)
    first: int64_t[::1] = firsts
    short_rows = np.empty(len(firsts), dtype=np.uint64)
    words: uint64_t[::1] = short_rows
    capacity: int64_t = 1024
    while capacity < 4 * min(n, limit + 1):  # a table is doubled once it is half full
        capacity *= 2
    # Used only as far as needed: few labels seldom collide, and stay in the nearest cache.
    slots: cython.pointer[int32_t] = cython.cast(cython.pointer[int32_t], zeroed(capacity, 4))
    mask: uint64_t = 1023
    count: int64_t = 0
    i: int64_t
    j: int64_t
    at: uint64_t
    word: uint64_t = 0
    code: int32_t
    row: cython.pointer[cython.const[uint8_t]]
    with cython.nogil:
        for i in range(n):
            row = cython.address(rows[i, 0])
            if width <= 8:
                word = short_row(row, width)
                at = word * MIX
                at = (at ^ (at >> 32)) & mask  # what hash_row makes of one word
                while True:
                    code = slots[at] - 1
                    if code < 0 or words[code] == word:
                        break
                    at = (at + 1) & mask
            else:
                at = hash_row(row, width) & mask
                while True:
                    code = slots[at] - 1
                    if code < 0 or memcmp(row, cython.address(rows[first[code], 0]), width) == 0:
                        break
                    at = (at + 1) & mask
            if code < 0:
                if count > limit:
                    break
                code = cython.cast(int32_t, count)
                first[count] = i
                words[count] = word
                slots[at] = code + 1
                count += 1
                if 2 * count > cython.cast(int64_t, mask):
                    mask = 2 * mask + 1
                    memset(slots, 0, (mask + 1) * 4)
                    for j in range(count):
                        at = hash_row(cython.address(rows[first[j], 0]), width) & mask
                        while slots[at] != 0:
                            at = (at + 1) & mask
                        slots[at] = cython.cast(int32_t, j + 1)
            result[i] = code
    free(slots)
    return codes, firsts[:count].copy()


def encode_objects(values):
    """A code for each object of a list, equal for equal objects, and the first row that has each code."""
    objects: list = values
    n: int64_t = len(values)
    known: dict = {}
    codes = np.empty(n, dtype=np.int32)
    result: int32_t[::1] = codes
    firsts: list = []
    # A label is often one object, met again and again: the last ones met are known by their address.
    addresses = cython.declare(uint64_t[1024])
    kept = cython.declare(int32_t[1024])
    i: int64_t
    address: uint64_t
    at: uint64_t
    code: int32_t
    memset(addresses, 0, 8 * KEPT)
    for i in range(n):
        value = objects[i]
        address = cython.cast(uint64_t, cython.cast(cython.size_t, cython.cast(cython.pointer[PyObject], value)))
        at = ((address >> 4) * MIX) >> 54
        if addresses[at] == address:
            result[i] = kept[at]
            continue
        found = known.get(value)
        if found is None:
            found = len(known)
            known[value] = found
            firsts.append(i)
        code = found
        result[i] = code
        addresses[at] = address
        kept[at] = code
    return codes, np.asarray(firsts, dtype=np.int64)
