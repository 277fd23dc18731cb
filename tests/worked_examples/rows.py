"""One row of a worked example: a measure, a ranking, and the value that somebody can work out on paper."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import pytest

from germane.measures.definition import MEASURES, work
from tests.made_runs import Topic, judged_run

Exact = Fraction | int | float
"""A fraction, or, where there are roots and logarithms, the expression."""


class Row(NamedTuple):
    """`ranking` and `missed` are written as in tests/made_runs.py; `printed` is the figure that a lecture gives."""

    measure: str
    ranking: str
    missed: str
    expected: Exact
    why: str
    printed: str | None = None
    scale: float | None = None
    collection_size: int | None = None

    def __str__(self) -> str:
        return f"{self.measure} of {self.ranking if len(self.ranking) < 40 else f'{self.ranking[:40]}...'}"


def check(row: Row) -> None:
    """The measure gives the expected value, and the lecture prints it."""
    topic = Topic.of(row.ranking, row.missed)
    run = judged_run([topic], scale=row.scale, collection_size=row.collection_size)
    [value] = work(MEASURES.parse(row.measure), run).value.tolist()
    assert value == pytest.approx(float(row.expected), rel=1e-14, abs=1e-15, nan_ok=True), row.why
    if row.printed is not None:
        assert as_printed(row.expected, row.printed) == row.printed, row.why


def as_printed(exact: Exact, like: str) -> str:
    """The number with as many digits as another one has, halves rounded up, as people do; in per cent, or cut off.

    >>> as_printed(Fraction(3, 8), "0.38"), as_printed(Fraction(4, 6), "67%"), as_printed(Fraction(2, 7), "0.285...")
    ('0.38', '67%', '0.285...')
    """
    if like.endswith("%"):
        return as_printed(100 * exact, like.removesuffix("%")) + "%"
    cut_off = like.endswith("...")
    digits = len(like.removesuffix("...").partition(".")[2])
    units = math.floor(Fraction(exact) * 10**digits + (0 if cut_off else Fraction(1, 2)))
    return f"{units / 10**digits:.{digits}f}{'...' if cut_off else ''}"
