"""Exact sums: terms are added to a number of 2,176 bits, which is rounded once, at the end. Compiled by Cython.

The number is kept in parts of 32 bits, lowest first, in 64-bit integers; its lowest bit is that of the smallest double.
After each call every part but the last lies between 0 and 2**32 - 1.

Reference: Neal, "Fast exact summation using small and large superaccumulators", arXiv:1505.05571 (2015).
"""

import cython
from cython.cimports.libc.stdint import int64_t, uint64_t
from cython.cimports.libc.string import memcpy

COMPILED = cython.compiled

PARTS = cython.declare(cython.int, 68)
LOW_HALF = cython.declare(uint64_t, 0xFFFFFFFF)
FRACTION = cython.declare(uint64_t, (1 << 52) - 1)
BASE = cython.declare(int64_t, 1 << 32)
SPLIT = cython.declare(cython.double, 134217729.0)
AT_ONCE = cython.declare(int64_t, 1 << 24)

Parts = cython.typedef(cython.pointer[int64_t])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_double(parts: Parts, x: cython.double) -> cython.bint:
    """Add a number, without passing on what a part cannot hold; whether it is finite."""
    bits: uint64_t = 0
    memcpy(cython.address(bits), cython.address(x), 8)
    exponent: uint64_t = (bits >> 52) & 0x7FF
    mantissa: uint64_t = bits & FRACTION
    if exponent == 0x7FF:
        return False
    if exponent > 0:
        mantissa |= cython.cast(uint64_t, 1) << 52
        exponent -= 1
    low: uint64_t = (mantissa & LOW_HALF) << (exponent & 31)
    high: uint64_t = (mantissa >> 32) << (exponent & 31)
    parts += exponent >> 5
    if bits >> 63:
        parts[0] -= cython.cast(int64_t, low & LOW_HALF)
        parts[1] -= cython.cast(int64_t, (low >> 32) + (high & LOW_HALF))
        parts[2] -= cython.cast(int64_t, high >> 32)
    else:
        parts[0] += cython.cast(int64_t, low & LOW_HALF)
        parts[1] += cython.cast(int64_t, (low >> 32) + (high & LOW_HALF))
        parts[2] += cython.cast(int64_t, high >> 32)
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def product_error(a: cython.double, b: cython.double, product: cython.double) -> cython.double:
    """What rounding has taken from a product (Dekker)."""
    t: cython.double = SPLIT * a
    a1: cython.double = t - (t - a)
    a2: cython.double = a - a1
    t = SPLIT * b
    b1: cython.double = t - (t - b)
    b2: cython.double = b - b1
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def add_product(parts: Parts, a: cython.double, b: cython.double) -> cython.bint:
    """Add a product without rounding it; whether it is finite."""
    product: cython.double = a * b
    return add_double(parts, product) and add_double(parts, product_error(a, b, product))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def carry(parts: Parts) -> cython.void:
    """Pass on what a part of 32 bits cannot hold."""
    over: int64_t
    i: cython.int
    for i in range(PARTS - 1):
        over = parts[i] >> 32
        parts[i] -= over * BASE
        parts[i + 1] += over


def add_exactly(values, total):
    """Add values to a sum; False if one of them is not finite."""
    x: cython.const[cython.double][::1] = values
    parts: int64_t[::1] = total
    finite: cython.bint = True
    i: int64_t
    with cython.nogil:
        for i in range(x.shape[0]):
            finite = add_double(cython.address(parts[0]), x[i]) and finite
            if i % AT_ONCE == AT_ONCE - 1:
                carry(cython.address(parts[0]))
        carry(cython.address(parts[0]))
    return bool(finite)


def add_moments(values, counts, rows, totals):
    """Add counts c, products c·x and c·x² to the three sums of each value's row; False if one of them is not finite."""
    x: cython.const[cython.double][::1] = values
    c: cython.const[cython.double][::1] = counts
    row: cython.const[int64_t][::1] = rows
    sums: int64_t[:, :, ::1] = totals
    finite: cython.bint = True
    i: int64_t
    j: int64_t
    square: cython.double
    error: cython.double
    parts: Parts
    with cython.nogil:
        for i in range(x.shape[0]):
            if c[i] != 0:
                parts = cython.address(sums[row[i], 0, 0])
                square = x[i] * x[i]
                error = product_error(x[i], x[i], square)
                finite = add_double(parts, c[i]) and finite
                if c[i] == 1:
                    finite = add_double(parts + PARTS, x[i]) and finite
                    finite = add_double(parts + 2 * PARTS, square) and finite
                    finite = add_double(parts + 2 * PARTS, error) and finite
                else:
                    finite = add_product(parts + PARTS, c[i], x[i]) and finite
                    finite = add_product(parts + 2 * PARTS, c[i], square) and finite
                    finite = add_product(parts + 2 * PARTS, c[i], error) and finite
            if i % AT_ONCE == AT_ONCE - 1 or i == x.shape[0] - 1:
                for j in range(sums.shape[0]):
                    carry(cython.address(sums[j, 0, 0]))
                    carry(cython.address(sums[j, 1, 0]))
                    carry(cython.address(sums[j, 2, 0]))
    return bool(finite)
