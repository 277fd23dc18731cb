"""Every two rankings at once: the same numbers, to the last bit, as one pair after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.stats.rankings.all_pairs import overlap_and_tau
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.rankings.ranked_items import Pair, Ranking
from germane.tables.columns.ids import FloatArray


def one_by_one(rankings: Sequence[Ranking], name: str, p: float) -> FloatArray:
    entry, count = COEFFICIENTS[name], len(rankings)
    found = np.full((count, count), np.nan)
    for i in range(count):
        for j in range(i):
            found[i, j] = found[j, i] = entry.of_pair(Pair(rankings[i], rankings[j]), p=p)
    return found


@st.composite
def rankings(draw: st.DrawFn) -> list[Ranking]:
    """Rankings of different lengths over few items, with ties or without."""
    levels = draw(st.sampled_from([2, 5, 1000]))
    scores = st.dictionaries(st.integers(0, 14), st.integers(0, levels), max_size=12)
    found = draw(st.lists(scores, min_size=2, max_size=6))
    return [Ranking.from_scores([*each], [*map(float, each.values())]) for each in found]


@given(rankings(), st.sampled_from([0.5, 0.9, 0.98]))
def test_all_pairs_at_once_are_the_pairs_one_by_one(lists: list[Ranking], p: float) -> None:
    for name, found in zip(("rbo-a", "tau-b"), overlap_and_tau(lists, p), strict=True):
        expected = one_by_one(lists, name, p)
        assert np.array_equal(found, expected, equal_nan=True), (name, found, expected)


@pytest.mark.parametrize("levels", [30, 10_000])
def test_long_rankings_are_the_pairs_one_by_one(levels: int) -> None:
    random = np.random.default_rng(levels)
    sizes = random.integers(150, 200, 8)
    lists = [
        Ranking.from_scores(random.permutation(300)[:n].tolist(), random.integers(0, levels, n).astype(float))
        for n in sizes
    ]
    for name, found in zip(("rbo-a", "tau-b"), overlap_and_tau(lists, 0.9), strict=True):
        assert np.array_equal(found, one_by_one(lists, name, 0.9), equal_nan=True), name


@pytest.mark.parametrize(
    ("a", "b", "tau", "why"),
    [
        ("a b c", "a c b", 1 / 3, "two pairs in order, one not"),
        ("a b", "c", -1 / 3, "a b c against c a b: one in order, two not"),
        ("(a b)", "(a b)", math.nan, "nothing but ties"),
        ("a", "a", math.nan, "a single item has no order"),
    ],
)
def test_tau_by_hand(a: str, b: str, tau: float, why: str) -> None:
    found = overlap_and_tau([Ranking.parse(a), Ranking.parse(b)], 0.9)[1][1, 0]
    assert found == pytest.approx(tau, nan_ok=True), why
