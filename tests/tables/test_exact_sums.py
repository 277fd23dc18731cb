"""Exact sums: rounded once, whatever the order and the parts."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.tables.decisions.exact_sums import ExactMoments, ExactSum, Moments, exact_sum

VALUES = st.lists(st.one_of(st.floats(-1e9, 1e9), st.sampled_from([1e16, -1e16, 1e-9])), min_size=1, max_size=40)


@given(VALUES, st.randoms(use_true_random=False), st.integers(0, 40))
def test_order_and_parts_do_not_matter(values: list[float], random: object, cut: int) -> None:
    shuffled = [*values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    expected = math.fsum(values)
    first, second = ExactSum(), ExactSum()
    first.add(np.asarray(shuffled[:cut], dtype=np.float64))
    second.add(np.asarray(shuffled[cut:], dtype=np.float64))
    first.merge(second)
    assert float(first) == exact_sum(np.asarray(values)) == expected


def test_the_law_catches_a_sum_that_is_rounded_on_the_way() -> None:
    values = np.asarray([1e16, 1.0, -1e16])
    assert np.sum(values) != np.sum(values[[0, 2, 1]])


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 4)), min_size=1, max_size=40), st.integers(0, 40))
def test_moments_are_those_of_fractions(rows: list[tuple[float, int]], cut: int) -> None:
    values, counts = (np.asarray(column) for column in zip(*rows, strict=True))
    seen, rest = Moments(), Moments()
    seen.add(values[:cut], counts[:cut])
    rest.add(values[cut:], counts[cut:])
    seen.merge(rest)
    items = [Fraction(value) for value, count in rows for _ in range(count)]
    n = len(items)
    assert seen.n == n
    if not n:
        assert math.isnan(seen.mean)
        return
    mean = sum(items) / n
    assert seen.mean == float(mean)
    assert seen.squares == float(sum((item - mean) ** 2 for item in items))
    if n > 1:
        assert seen.variance_of_mean == float(sum((item - mean) ** 2 for item in items) / (n - 1) / n)
    assert (seen.lowest, seen.highest) == (float(min(items)), float(max(items)))


def test_squares_beyond_all_doubles_are_infinite_and_the_mean_stands() -> None:
    seen, rest = Moments(), Moments()
    seen.add(np.asarray([1.0]), np.asarray([1]))
    rest.add(np.asarray([1e200]), np.asarray([1]))
    seen.merge(rest)
    assert (seen.mean, seen.squares, seen.variance_of_mean) == (5e199, math.inf, math.inf)


@pytest.mark.parametrize("groups", [[0, 2], [-1, 0]])
def test_groups_that_are_not_there(groups: list[int]) -> None:
    with pytest.raises(IndexError, match="expected groups from 0 to 1"):
        ExactMoments(2).add(np.ones(2), np.ones(2), np.asarray(groups))


def test_parts_may_be_merged_many_times() -> None:
    """Each part of 32 bits then holds more than it may: it is not passed on until the sum is asked for."""
    one, total = ExactMoments(), ExactMoments()
    one.add(np.asarray([1 - 2.0**-53]), np.asarray([3]))
    for _ in range(1000):
        total.merge(one)
    value = Fraction(1 - 2.0**-53)
    assert total.of() == (Fraction(3000), 3000 * value, 3000 * value**2)
