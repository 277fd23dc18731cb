"""Counts resampled: multinomial numbers, each made of one random word. Compiled by Cython (pure mode).

The arithmetic is that of reference_draws.py, operation by operation, so that both give the same numbers.
"""

import cython
import numpy as np
from cython.cimports.libc.math import exp, log, log1p, sqrt
from cython.cimports.libc.stdint import int64_t, uint64_t

COMPILED = cython.compiled

TWO_PI = cython.declare(cython.double, 6.283185307179586)
NOTHING = cython.declare(cython.double, 1e-20)
UNIT = cython.declare(cython.double, 1.0 / 9007199254740992.0)


SMALL = cython.declare(cython.double[16])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def series(n: cython.double) -> cython.double:
    nn: cython.double = n * n
    return (1 / 12.0 - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - (1 / 1188.0) / nn) / nn) / nn) / nn) / n


@cython.cfunc
def fill_small() -> cython.void:
    """The errors of Stirling's formula for 1 to 15, each from the next: log n! = log (n + 1)! - log (n + 1)."""
    error: cython.double = series(16.0)
    n: cython.int
    for n in range(15, 0, -1):
        error = error + ((n + 0.5) * log1p(1.0 / n) - 1.0)
        SMALL[n] = error


fill_small()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def stirling_error(n: cython.double) -> cython.double:
    """log n! less Stirling's formula, for whole n from 1 on."""
    return SMALL[cython.cast(cython.int, n)] if n < 16.0 else series(n)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def deviance(x: cython.double, mean: cython.double) -> cython.double:
    """x log(x / mean) + mean - x, without loss where x is near the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * log(x / mean) + mean - x
    v: cython.double = (x - mean) / (x + mean)
    total: cython.double = (x - mean) * v
    term: cython.double = 2.0 * x * v
    before: cython.double
    j: cython.int = 1
    while True:
        term *= v * v
        before = total
        total += term / (2 * j + 1)
        if total == before:
            return total
        j += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def mass(k: int64_t, n: int64_t, p: cython.double, q: cython.double) -> cython.double:
    """The probability of k out of n."""
    if k == 0:
        return exp(n * log1p(-p))
    if k == n:
        return exp(n * log1p(-q))
    rest: cython.double = n - k
    exponent: cython.double = stirling_error(n) - stirling_error(k) - stirling_error(rest)
    exponent = exponent - deviance(k, n * p) - deviance(rest, n * q)
    return exp(exponent) * sqrt(n / (TWO_PI * k * rest))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def binomial(n: int64_t, p: cython.double, q: cython.double, at_mode: cython.double, u: cython.double) -> int64_t:
    """The number that a uniform u means: numbers take their shares of [0, 1) from the likeliest one outwards."""
    mode: int64_t = cython.cast(int64_t, (n + 1) * p)
    if mode > n:
        mode = n
    up: int64_t = mode
    down: int64_t = mode
    up_mass: cython.double = at_mode
    down_mass: cython.double = at_mode
    odds: cython.double = p / q
    u -= at_mode
    if u < 0.0:
        return mode
    while True:
        up_mass *= odds * cython.cast(cython.double, n - up) / cython.cast(cython.double, up + 1)
        up += 1
        u -= up_mass
        if u < 0.0:
            return up
        down_mass *= cython.cast(cython.double, down) / (odds * cython.cast(cython.double, n - down + 1))
        down -= 1
        u -= down_mass
        if u < 0.0:
            return down
        if up_mass < NOTHING and down_mass < NOTHING:
            return mode


def multinomial_counts(counts, resamples, words):
    """As many items as there are, drawn anew from the cells: one resample a row, one word a cell."""
    cells: cython.const[int64_t][::1] = counts
    random: cython.const[uint64_t][:, ::1] = words
    drawn = np.zeros((resamples, len(counts)), dtype=np.int64)
    result: int64_t[:, ::1] = drawn
    rows: int64_t = resamples
    columns: int64_t = len(counts)
    total: int64_t = 0
    row: int64_t
    cell: int64_t
    left: int64_t
    others: int64_t
    p: cython.double
    q: cython.double
    first_mass: cython.double = -1.0
    at_mode: cython.double
    mode: int64_t
    for cell in range(columns):
        total += cells[cell]
    with cython.nogil:
        for row in range(rows):
            left = total
            others = total
            for cell in range(columns):
                if cells[cell] == 0:
                    continue
                if left == 0:
                    break
                if cells[cell] == others:
                    result[row, cell] = left
                    break
                p = cython.cast(cython.double, cells[cell]) / cython.cast(cython.double, others)
                q = cython.cast(cython.double, others - cells[cell]) / cython.cast(cython.double, others)
                if others == total and first_mass >= 0.0:
                    at_mode = first_mass  # the first draw of a row always asks the same
                else:
                    mode = cython.cast(int64_t, (left + 1) * p)
                    at_mode = mass(mode if mode < left else left, left, p, q)
                    if others == total:
                        first_mass = at_mode
                result[row, cell] = binomial(left, p, q, at_mode, (random[row, cell] >> 11) * UNIT)
                left -= result[row, cell]
                others -= cells[cell]
    return drawn
