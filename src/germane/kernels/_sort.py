"""Scores sorted by value and class, thresholds with their counts, and histograms. Compiled by Cython (pure mode).

A score becomes a 64-bit key that is smaller the higher the score is. Keys alone are moved about: first into buckets of
neighbouring scores, positives before negatives, then each bucket is sorted digit by digit, where a cache holds it.
"""

import cython
import numpy as np
from cython.cimports.germane.kernels.memory import resize
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.libc.stdlib import free
from cython.cimports.libc.string import memcpy, memset

COMPILED = cython.compiled

SIGN = cython.declare(uint64_t, 1 << 63)
DIGIT_BITS = cython.declare(cython.int, 11)
DIGITS = cython.declare(cython.int, 6)
RADIX = cython.declare(int64_t, 2048)
FEW = cython.declare(int64_t, 24)

KINDS = {"<f8": 0, "<f4": 1, "<i8": 2, "<i4": 3}


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def score_at(data: cython.pointer[cython.const[uint8_t]], kind: cython.int, i: int64_t) -> cython.double:
    if kind == 0:
        return cython.cast(cython.pointer[cython.const[cython.double]], data)[i]
    if kind == 1:
        return cython.cast(cython.pointer[cython.const[cython.float]], data)[i]
    if kind == 2:
        return cython.cast(cython.double, cython.cast(cython.pointer[cython.const[int64_t]], data)[i])
    return cython.cast(cython.double, cython.cast(cython.pointer[cython.const[int32_t]], data)[i])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def key_of(score: cython.double) -> uint64_t:
    """The higher the score, the smaller the key; adding 0 makes one zero of the two."""
    bits: uint64_t = 0
    score = score + 0.0
    memcpy(cython.address(bits), cython.address(score), 8)
    return bits if bits & SIGN else bits ^ (SIGN - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bits_of(key: uint64_t) -> uint64_t:
    """The bits of the score that has this key."""
    return key if key & SIGN else key ^ (SIGN - 1)


def score_range(scores):
    """The smallest key, the largest one, and the first row that is NaN (or -1)."""
    view: cython.const[uint8_t][::1] = scores.view(np.uint8)
    n: int64_t = len(scores)
    kind: cython.int = KINDS[scores.dtype.str]
    data: cython.pointer[cython.const[uint8_t]] = cython.NULL
    lowest: uint64_t = ~cython.cast(uint64_t, 0)
    highest: uint64_t = 0
    nan_row: int64_t = -1
    i: int64_t
    score: cython.double
    key: uint64_t
    if n > 0:
        data = cython.address(view[0])
    with cython.nogil:
        for i in range(n):
            score = score_at(data, kind, i)
            if score != score:
                nan_row = i
                break
            key = key_of(score)
            lowest = key if key < lowest else lowest
            highest = key if key > highest else highest
    return lowest, highest, nan_row


def count_keys(scores, is_positive, lowest, shift, counts):
    """Add to `counts` (by class, negatives first, and bin) how many keys fall into each bin of 2**shift keys."""
    view: cython.const[uint8_t][::1] = scores.view(np.uint8)
    truth: cython.const[uint8_t][::1] = is_positive.view(np.uint8)
    found: int64_t[:, ::1] = counts
    n: int64_t = len(scores)
    kind: cython.int = KINDS[scores.dtype.str]
    base: uint64_t = lowest
    bits: cython.int = shift
    i: int64_t
    if n == 0:
        return
    data: cython.pointer[cython.const[uint8_t]] = cython.address(view[0])
    with cython.nogil:
        for i in range(n):
            found[truth[i], cython.cast(int64_t, (key_of(score_at(data, kind, i)) - base) >> bits)] += 1


def place_keys(scores, is_positive, lowest, shift, bucket_of, places, keys):
    """Write each key where its class and bucket go on: at `places` (class × bucket), which move on with it."""
    view: cython.const[uint8_t][::1] = scores.view(np.uint8)
    truth: cython.const[uint8_t][::1] = is_positive.view(np.uint8)
    buckets: cython.const[int32_t][::1] = bucket_of
    at: int64_t[:, ::1] = places
    result: uint64_t[::1] = keys
    n: int64_t = len(scores)
    kind: cython.int = KINDS[scores.dtype.str]
    base: uint64_t = lowest
    bits: cython.int = shift
    i: int64_t
    key: uint64_t
    place: cython.pointer[int64_t]
    if n == 0:
        return
    data: cython.pointer[cython.const[uint8_t]] = cython.address(view[0])
    with cython.nogil:
        for i in range(n):
            key = key_of(score_at(data, kind, i))
            place = cython.address(at[truth[i], buckets[cython.cast(int64_t, (key - base) >> bits)]])
            result[place[0]] = key
            place[0] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_few(keys: cython.pointer[uint64_t], n: int64_t) -> cython.void:
    i: int64_t
    j: int64_t
    key: uint64_t
    for i in range(1, n):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_keys(
    keys: cython.pointer[uint64_t], spare: cython.pointer[uint64_t], n: int64_t, counts: cython.pointer[uint32_t]
) -> cython.void:
    """Sort by one digit after the other, the lowest first; digits that all keys share are left out."""
    source: cython.pointer[uint64_t] = keys
    target: cython.pointer[uint64_t] = spare
    other: cython.pointer[uint64_t]
    differs: uint64_t = 0
    key: uint64_t
    i: int64_t
    digit: cython.int
    shift: cython.int
    total: uint32_t
    count: uint32_t
    place: cython.pointer[uint32_t]
    if n <= FEW:
        sort_few(keys, n)
        return
    for i in range(n):
        differs |= keys[i] ^ keys[0]
    for digit in range(DIGITS):
        shift = digit * DIGIT_BITS
        if (differs >> shift) & (RADIX - 1) == 0:
            continue
        memset(counts, 0, RADIX * cython.sizeof(uint32_t))
        for i in range(n):
            counts[(source[i] >> shift) & (RADIX - 1)] += 1
        total = 0
        for i in range(RADIX):
            count = counts[i]
            counts[i] = total
            total += count
        for i in range(n):
            key = source[i]
            place = cython.address(counts[(key >> shift) & (RADIX - 1)])
            target[place[0]] = key
            place[0] += 1
        other = source
        source = target
        target = other
    if source != keys:
        memcpy(keys, source, n * 8)


def sort_bucket(keys, spare, num_positive, before_positive, before_negative, true_positives, false_positives):
    """Sort the keys of a bucket, its positives first; write its thresholds and the counts at or above each.

    The bits of the thresholds, highest first, come to lie in `spare`. Returns how many there are. A bucket holds less
    than 2**32 keys.
    """
    all_keys: uint64_t[::1] = keys
    free_space: uint64_t[::1] = spare
    above: int64_t[::1] = true_positives
    wrong: int64_t[::1] = false_positives
    n: int64_t = len(keys)
    p: int64_t = num_positive
    tp: int64_t = before_positive
    fp: int64_t = before_negative
    i: int64_t = 0
    j: int64_t = p
    at: int64_t = -1
    a: uint64_t
    b: uint64_t
    key: uint64_t
    last: uint64_t
    from_positive: int64_t
    counts: cython.pointer[uint32_t] = cython.NULL
    if n == 0:
        return 0
    resize(cython.address(counts), RADIX, cython.sizeof(uint32_t))
    with cython.nogil:
        if p > 0:
            sort_keys(cython.address(all_keys[0]), cython.address(free_space[0]), p, counts)
        if n > p:
            sort_keys(cython.address(all_keys[p]), cython.address(free_space[p]), n - p, counts)
        # No branch depends on the data: which class comes next is anybody's guess. A key met again is written again.
        last = 0
        while i < p and j < n:
            a = all_keys[i]
            b = all_keys[j]
            from_positive = a <= b
            key = a if a <= b else b
            i += from_positive
            j += 1 - from_positive
            at += cython.cast(int64_t, key != last or at < 0)
            last = key
            free_space[at] = bits_of(key)
            above[at] = tp + i
            wrong[at] = fp + j - p
        while i < p:
            key = all_keys[i]
            i += 1
            at += cython.cast(int64_t, key != last or at < 0)
            last = key
            free_space[at] = bits_of(key)
            above[at] = tp + i
            wrong[at] = fp + j - p
        while j < n:
            key = all_keys[j]
            j += 1
            at += cython.cast(int64_t, key != last or at < 0)
            last = key
            free_space[at] = bits_of(key)
            above[at] = tp + i
            wrong[at] = fp + j - p
    free(counts)
    return at + 1


def twice_area(true_positives, false_positives):
    """Twice the area under the points (false positives, true positives), from (0, 0) on; below 2**63."""
    above: cython.const[int64_t][::1] = true_positives
    wrong: cython.const[int64_t][::1] = false_positives
    n: int64_t = len(true_positives)
    area: int64_t = 0
    tp: int64_t = 0
    fp: int64_t = 0
    i: int64_t
    with cython.nogil:
        for i in range(n):
            area += (wrong[i] - fp) * (above[i] + tp)
            tp = above[i]
            fp = wrong[i]
    return area
