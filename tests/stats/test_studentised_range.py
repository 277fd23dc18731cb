"""The studentised range against printed tables, and its shortcuts against scipy's integral."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from germane.stats.significance.studentised_range import TAIL, critical_range, range_p

# fmt: off
PRINTED = [
    # level  k   df      critical value in the tables
    (.95,    3,  6,      4.339),
    (.95,    3,  10,     3.877),
    (.95,    4,  20,     3.958),
    (.99,    3,  10,     5.270),
    (.95,    5,  np.inf, 3.858),
    (.95,    10, np.inf, 4.474),
]
# fmt: on


@pytest.mark.parametrize(("level", "k", "df", "expected"), PRINTED)
def test_the_printed_tables(level: float, k: int, df: float, expected: float) -> None:
    assert critical_range(level, k, df) == pytest.approx(expected, abs=0.0006)
    assert range_p(np.array([expected]), k, df) == pytest.approx([1 - level], abs=0.0002)


def test_many_values_at_once_equal_one_at_a_time() -> None:
    q = np.linspace(0, 9, 100)
    assert range_p(q, 12, 209)[::9] == pytest.approx(stats.studentized_range.sf(q[::9], 12, 209), rel=1e-6)


def test_the_tail_goes_on_where_the_integral_ends_and_never_rises() -> None:
    q = np.linspace(5, 40, 300)
    p = range_p(q, 4, 147)
    assert (np.diff(p) <= 0).all()
    assert 0 < p[-1] < 1e-30
    # Just inside, where the integral can still be trusted, the bound is all but the tail.
    bound = 4 * 3 * stats.t.sf(9 / np.sqrt(2), 147)
    assert 1 <= bound / stats.studentized_range.sf(9.0, 4, 147) < 1.01
    assert bound > TAIL


def test_two_means_are_a_t_test() -> None:
    t = np.array([0.0, 1.0, 2.5, 30.0, np.nan])
    assert range_p(np.sqrt(2) * t, 2, 12) == pytest.approx(2 * stats.t.sf(t, 12), rel=1e-12, nan_ok=True)


def test_nan_stays() -> None:
    assert np.isnan(range_p(np.array([np.nan, 2.0]), 3, 10)).tolist() == [True, False]
