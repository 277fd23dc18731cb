import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_sums as reference

pytestmark = pytest.mark.skipif(
    kernels.add_exactly is reference.add_exactly, reason="there is no compiled extension to compare with the reference"
)

NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0, 1),
    st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 2.0**-1022, 1 + 2.0**-52]),
)
MODERATE = st.one_of(st.just(0.0), st.floats(1e-60, 1e60), st.floats(-1e60, -1e-60))
COUNTS = st.one_of(st.integers(0, 3).map(float), st.integers(0, 2**53).map(float), st.floats(1e-9, 1e9))


def number(parts: Any) -> Fraction:
    return sum((Fraction(part) * 2 ** (32 * i) for i, part in enumerate(parts.tolist())), Fraction()) / 2**1074


@given(st.lists(NUMBERS, max_size=30), st.lists(NUMBERS, max_size=5))
def test_a_sum_is_exact_and_that_of_the_reference(values: list[float], before: list[float]) -> None:
    found = []
    for kernel in (kernels.add_exactly, reference.add_exactly):
        total = np.zeros(reference.PARTS, dtype=np.int64)
        assert kernel(np.asarray(before, dtype=np.float64), total)
        assert kernel(np.asarray(values, dtype=np.float64), total)
        assert number(total) == sum(map(Fraction, (*before, *values)), Fraction())
        assert all(0 <= part < 2**32 for part in total[:-1].tolist())
        found.append(total.tolist())
    assert found[0] == found[1]


ROWS = st.lists(st.tuples(MODERATE, COUNTS, st.integers(0, 2)), max_size=30)


@given(ROWS)
def test_moments_are_exact_and_those_of_the_reference(rows: list[tuple[float, float, int]]) -> None:
    values, counts = (np.asarray([row[i] for row in rows], dtype=np.float64) for i in range(2))
    groups = np.asarray([group for _, _, group in rows], dtype=np.int64)
    found = []
    for kernel in (kernels.add_moments, reference.add_moments):
        totals = np.zeros((3, 3, reference.PARTS), dtype=np.int64)
        assert kernel(values, counts, groups, totals)
        for group in range(3):
            own = [(Fraction(x), Fraction(c)) for x, c, its in rows if its == group]
            for power in range(3):
                assert number(totals[group, power]) == sum((c * x**power for x, c in own), Fraction())
        found.append(totals.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("odd", [math.inf, -math.inf, math.nan])
def test_what_is_not_finite_is_told_and_left_out(odd: float) -> None:
    for kernel in (kernels.add_exactly, reference.add_exactly):
        total = np.zeros(reference.PARTS, dtype=np.int64)
        assert not kernel(np.asarray([1.0, odd, 2.0]), total)
        assert number(total) == 3
    for moments in (kernels.add_moments, reference.add_moments):
        totals = np.zeros((1, 3, reference.PARTS), dtype=np.int64)
        assert not moments(np.asarray([1.0, odd]), np.ones(2), np.zeros(2, dtype=np.int64), totals)


def test_a_square_beyond_all_doubles_is_told_and_the_sum_stands() -> None:
    for moments in (kernels.add_moments, reference.add_moments):
        totals = np.zeros((1, 3, reference.PARTS), dtype=np.int64)
        assert not moments(np.asarray([1e200, 1.0]), np.ones(2), np.zeros(2, dtype=np.int64), totals)
        assert number(totals[0, 1]) == Fraction(1e200) + 1
