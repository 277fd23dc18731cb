"""Thresholds as short decimals with the same decisions: typing a printed threshold gives the printed counts."""

from __future__ import annotations

import math

from germane.tables.columns.ids import FloatArray

MIN_DIGITS = 4
"""Significant digits shown before more are needed, so that a threshold in a wide gap still resembles its score."""


def threshold_text(threshold: float, *scores: FloatArray) -> str:
    """Return the shortest decimal that gives the same decisions as `threshold` on sets of distinct, falling scores.

    A score at or above the threshold is positive, so the decimal lies at or below `threshold` and nearer to it than to
    the next lower score, so that the two are separated in single precision too. Without scores the text is exact.

    >>> import numpy as np
    >>> threshold_text(1.0000004, np.array([1.0000004, 1.0000001, 0.2]))
    '1.0000004'
    >>> threshold_text(0.30000001192092896, np.array([0.30000001192092896, 0.2])), threshold_text(2.0)
    ('0.3', '2')
    """
    if math.isinf(threshold) or not scores:
        return exact_text(threshold)
    below = max(_next_lower(falling, threshold) for falling in scores)
    least = below / 2 + threshold / 2  # below may be -inf; the halves never overflow
    for digits in range(MIN_DIGITS, 17):
        for rounded in (float(f"{threshold:.{digits}g}"), _rounded_down(threshold, digits)):
            if least < rounded <= threshold:
                return exact_text(rounded)
    return exact_text(threshold)


def exact_text(number: float) -> str:
    """Return the shortest decimal that is read back as the same number; integers have no decimal point.

    >>> exact_text(0.1 + 0.2), exact_text(10.0), exact_text(math.inf)
    ('0.30000000000000004', '10', 'inf')
    """
    return repr(float(number)).removesuffix(".0")


def _next_lower(falling: FloatArray, threshold: float) -> float:
    """Return the highest score below a threshold, or -inf."""
    place = int(falling[::-1].searchsorted(threshold))
    return float(falling[-place]) if place else -math.inf


def _rounded_down(number: float, digits: int) -> float:
    """Round towards -inf to a number of significant digits."""
    from decimal import ROUND_FLOOR, Context

    return float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal_from_float(number))
