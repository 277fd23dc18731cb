"""Numbers as the C library reads and prints them: leniently, from the start of a field, never with an error."""

from __future__ import annotations

import math
import re

import numpy as np
import numpy.typing as npt

_WHOLE = re.compile(rb"[ \t-\r]*([+-]?\d+)")
_HEXADECIMAL = re.compile(rb"[ \t-\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)", re.IGNORECASE)
_DECIMAL = re.compile(rb"[ \t-\r]*([+-]?(?:inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE)
_LONG_MAX = 2**63 - 1

NEGATIVE_NAN = math.copysign(math.nan, -1.0)
"""The value of 0/0 on the machines trec_eval runs on; it prints as -nan."""


def atol(text: bytes) -> int:
    """Read an integer from the start of a field, 0 if there is none.

    >>> atol(b"2"), atol(b"1.9"), atol(b"-1x"), atol(b"high")
    (2, 1, -1, 0)
    """
    found = _WHOLE.match(text)
    if not found:
        return 0
    digits = (
        found[1].lstrip(b"+-").lstrip(b"0")[:20]
    )  # one more digit than the largest integer has; more digits change nothing
    value = -int(digits or b"0") if found[1].startswith(b"-") else int(digits or b"0")
    return min(max(value, -_LONG_MAX - 1), _LONG_MAX)


def atof(text: bytes) -> float:
    """Read a number from the start of a field, 0.0 if there is none.

    >>> atof(b"12.5"), atof(b".5e1,"), atof(b"0x10"), atof(b"best")
    (12.5, 5.0, 16.0, 0.0)
    """
    if found := _HEXADECIMAL.match(text):
        try:
            return float.fromhex(found[1].decode())
        except OverflowError:
            return math.copysign(math.inf, -1.0 if found[1].startswith(b"-") else 1.0)
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0


def fixed(value: float) -> bytes:
    """Format a number as ``%6.4f`` does, with the sign of a NaN.

    >>> fixed(0.25), fixed(-7), fixed(NEGATIVE_NAN)
    (b'0.2500', b'-7.0000', b'  -nan')
    """
    if math.isnan(value):
        return b"  -nan" if math.copysign(1.0, value) < 0 else b"   nan"
    return b"%6.4f" % value


def divide(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Divide numbers or arrays without errors: 0/0 is -nan, anything else over 0 is infinite."""
    over, under = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    undefined = (under == 0) & ((over == 0) | np.isnan(over))
    with np.errstate(all="ignore"):
        return np.where(undefined, NEGATIVE_NAN, over / under)


def sum_in_order(values: npt.NDArray[np.float64]) -> float:
    """Sum sequentially, first to last, starting from 0."""
    return float(np.cumsum(np.concatenate(([0.0], values)))[-1])
