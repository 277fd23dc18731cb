"""The plain reference of the kernel that draws counts again."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

COMPILED = False
NOTHING = 1e-20
"""Shares of [0, 1) that no uniform of 53 bits can tell from nothing."""


def multinomial_counts(
    counts: npt.NDArray[np.int64], resamples: int, words: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]:
    """As many items as there are, drawn anew from the cells: one resample a row, one word a cell."""
    drawn = np.zeros((resamples, len(counts)), dtype=np.int64)
    for row, random in enumerate(words.tolist()):
        left = others = int(counts.sum())
        for cell, count in enumerate(counts.tolist()):
            if count and left:
                drawn[row, cell] = (
                    left if count == others else _binomial(left, count, others, (random[cell] >> 11) * 2**-53)
                )
                left -= int(drawn[row, cell])
            others -= count
    return drawn


def _binomial(n: int, count: int, others: int, u: float) -> int:
    """The number that a uniform u means: numbers take their shares of [0, 1) from the likeliest one outwards."""
    p, q = count / others, (others - count) / others
    up = down = mode = min(int((n + 1) * p), n)
    up_mass = down_mass = _mass(mode, n, p, q)
    u -= up_mass
    if u < 0:
        return mode
    odds = p / q
    while up_mass >= NOTHING or down_mass >= NOTHING:
        up_mass *= odds * (n - up) / (up + 1)
        up += 1
        u -= up_mass
        if u < 0:
            return up
        down_mass *= down / (odds * (n - down + 1))
        down -= 1
        u -= down_mass
        if u < 0:
            return down
    return mode


def _mass(k: int, n: int, p: float, q: float) -> float:
    """The probability of k out of n, to nearly all digits.

    Reference: Loader, Fast and Accurate Computation of Binomial Probabilities, 2000.
    """
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log1p(-q))
    exponent = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    exponent = exponent - _deviance(k, n * p) - _deviance(n - k, n * q)
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def _stirling_error(n: int) -> float:
    """log n! less Stirling's formula, for n from 1 on."""
    if n < 16:
        return _SMALL[n]
    nn = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) / nn) / nn) / nn) / nn) / n


def _small_errors() -> dict[int, float]:
    """Those for 1 to 15, each from the next: log n! = log (n + 1)! - log (n + 1)."""
    errors, error = {}, _stirling_error(16)
    for n in range(15, 0, -1):
        error = error + ((n + 0.5) * math.log1p(1 / n) - 1)
        errors[n] = error
    return errors


_SMALL = _small_errors()


def _deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x, without loss where x is near the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total, term, before, j = (x - mean) * v, 2.0 * x * v, math.nan, 1
    while total != before:
        term *= v * v
        before = total
        total += term / (2 * j + 1)
        j += 1
    return total
