"""Rank-biased overlap: worked on paper, far down by its definition, over all orders of ties, and as published."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.rankings.rank_overlap import Overlap, TieRule, overlap
from germane.stats.rankings.ranked_items import Pair, Ranking

HALF = Fraction(1, 2)
"""The p of the cases on paper: then (1 - p) / p is 1."""


def rbo(a: Any, b: Any, p: float = 0.9, ties: TieRule = "a") -> Overlap:
    """Of two rankings, or of lists of ids."""
    pair = Pair.of(a, b, same_items=False)
    return overlap(pair.a, pair.b, p, ties)


def test_even_lists_step_by_step() -> None:
    # a b c and b a d have 0, 2, 2 items in common down to depths 1, 2, 3.
    seen = Fraction(0, 1) * HALF + Fraction(2, 2) * HALF**2 + Fraction(2, 3) * HALF**3
    assert seen == Fraction(1, 3)
    # Beyond: as before, 2/3 for ever; or everything new alike, 4 of 4 at depth 4 and so on; or nothing, 2 of d.
    as_before = Fraction(2, 3) * HALF**4 / (1 - HALF)
    all_alike = HALF**4 / (1 - HALF)
    nothing = 2 * (math.log(2) - float(HALF + HALF**2 / 2 + HALF**3 / 3))  # the sum of p^d / d over all d is ln 2
    least, most, extrapolated = float(seen) + nothing, float(seen + all_alike), float(seen + as_before)
    assert [extrapolated, most] == pytest.approx([5 / 12, 11 / 24])
    assert least == pytest.approx(2 * math.log(2) - 1)
    assert rbo([*"abc"], [*"bad"], 0.5) == pytest.approx(Overlap(least, most - least, extrapolated))


def test_uneven_lists_step_by_step() -> None:
    # a b against a c d b: 1, 1, 1, 2 in common; agreement 1 and 1/2 down to depth 2, where the short list ends.
    # Below, it holds one and two items that we do not see. As before, half of them are in common:
    as_before = [Fraction(1), HALF, (1 + HALF) / 3, (2 + 2 * HALF) / 4]
    for_ever = as_before[-1] * HALF**5 / (1 - HALF)
    extrapolated = sum((a * HALF**d for d, a in enumerate(as_before, start=1)), for_ever)
    assert extrapolated == Fraction(25, 32)
    # At most, they are c and d, and all is in common from depth 4 on:
    at_most = [Fraction(1), HALF, Fraction(1 + 1, 3), Fraction(2 + 2, 4)]
    most = sum((a * HALF**d for d, a in enumerate(at_most, start=1)), HALF**5 / (1 - HALF))
    found = rbo([*"ab"], [*"acdb"], 0.5)
    assert found.extrapolated == pytest.approx(float(extrapolated))
    assert found.min + found.residual == pytest.approx(float(most))
    assert rbo([*"acdb"], [*"ab"], 0.5) == found


# fmt: off
TIES_BY_HAND: list[tuple[TieRule, str, str, float, str]] = [
    # rule  A         B       extrapolated                   why (p = 1/2; agreement 1 from depth 2 on gives 1/4 + 1/4)
    ("w",   "(a b)",  "a b",  2 / 3 / 2 + 1 / 2,             "at depth 1 A holds two, B one, both one: 2 * 1 / 3"),
    ("a",   "(a b)",  "a b",  1 / 2 / 2 + 1 / 2,             "the mean of a b, 1, and b a, 1/2"),
    ("b",   "(a b)",  "a b",  0.5 / 0.5**0.5 / 2 + 1 / 2,    "1/2 at depth 1, over sqrt(1/4 + 1/4) * 1"),
    ("w",   "(a b)",  "(a b)", 1.0,                          "the same list"),
    ("a",   "(a b)",  "(a b)", 1 / 2 / 2 + 1 / 2,            "of two orders of each, half agree"),
    ("b",   "(a b)",  "(a b)", 1.0,                          "the same list, and what ties leave of it is made up for"),
]
# fmt: on


@pytest.mark.parametrize(("ties", "a", "b", "expected", "why"), TIES_BY_HAND)
def test_ties_by_hand(ties: TieRule, a: str, b: str, expected: float, why: str) -> None:
    assert rbo(Ranking.parse(a), Ranking.parse(b), 0.5, ties).extrapolated == pytest.approx(expected), why


# What Corsi & Urbano (SIGIR 2024) publish with their code: for each tie rule extrapolated, min, residual.
RED = ("red (blue green) yellow pink", "(blue red) white (yellow black purple) green", 0.95)
LONG = ("(i4 i7 i15) (i2 i11) i8 i18", "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)", 0.955836875418683)
APART = (
    "i21 i20 (i1 i16 i19) (i5 i10) i4",
    "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
    0.930074017489188,
)
PUBLISHED: list[tuple[tuple[str, str, float], TieRule, tuple[float, float, float]]] = [
    (RED, "w", (0.7068257, 0.3429684, 0.5620173)),
    (RED, "a", (0.6922853, 0.3310519, 0.5620173)),
    (RED, "b", (0.7207131, 0.3509163, 0.5620173)),
    (LONG, "w", (0.601671359995661, 0.310498723372055, 0.510413796236679)),
    (LONG, "a", (0.584235464666522, 0.295503371358027, 0.510335951792538)),
    (LONG, "b", (0.632087129618464, 0.322093781902212, 0.511746503941696)),
    (APART, "w", (0, 0, 0.389142712252727)),
    (APART, "a", (0, 0, 0.38977330351866)),
    (APART, "b", (0, 0, 0.390116806797613)),
]


@pytest.mark.parametrize(("case", "ties", "expected"), PUBLISHED)
def test_published_values(case: tuple[str, str, float], ties: TieRule, expected: tuple[float, float, float]) -> None:
    a, b, p = case
    found = rbo(Ranking.parse(a), Ranking.parse(b), p, ties)
    assert (found.extrapolated, found.min, found.residual) == pytest.approx(expected, abs=1e-7)


FAR = 600
"""Beyond, 0.95^d is no more than rounding."""


def far_down(a: list[str], b: list[str], p: float, depth: int = FAR) -> float:
    """RBO by its definition, of two lists that are known as far as it matters."""
    seen_a, seen_b, total = set[str](), set[str](), 0.0
    for d in range(1, depth + 1):
        seen_a |= set(a[d - 1 : d])
        seen_b |= set(b[d - 1 : d])
        total += len(seen_a & seen_b) / d * p**d
    return (1 - p) / p * total


def most_alike(short: list[str], long: list[str], depth: int) -> tuple[list[str], list[str]]:
    """Both lists made longer so that they agree as much as they can: each takes what it lacks of the other first."""
    short = [*short, *(item for item in long if item not in short)]
    long = [*long, *(item for item in short if item not in long)]
    new = [f"new {i}" for i in range(depth)]
    return [*short, *new], [*long, *new]


items = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=7, unique=True)


@given(a=items, b=items, p=st.floats(0.05, 0.95))
def test_the_bounds_are_what_lists_can_reach_far_down(a: list[str], b: list[str], p: float) -> None:
    found = rbo(a, b, p)
    least = far_down(a + [f"a {i}" for i in range(FAR)], b + [f"b {i}" for i in range(FAR)], p)
    assert found.min == pytest.approx(least, abs=1e-9)
    short, long = sorted((a, b), key=len)
    assert found.min + found.residual == pytest.approx(far_down(*most_alike(short, long, FAR), p), abs=1e-9)


def orders(ranking: Ranking) -> Iterator[list[str]]:
    for chosen in product(*(permutations(group) for group in ranking.groups)):
        yield [str(item) for group in chosen for item in group]


@st.composite
def tied_rankings(draw: st.DrawFn, most: int = 8) -> Ranking:
    names = draw(st.lists(st.sampled_from("abcdefghij"[: most + 2]), min_size=1, max_size=most, unique=True))
    return Ranking.from_scores(names, [draw(st.integers(0, 3)) for _ in names])


@given(a=tied_rankings(4), b=tied_rankings(4), p=st.floats(0.1, 0.95))
def test_rule_a_is_the_mean_over_all_orders_of_the_tied_items(a: Ranking, b: Ranking, p: float) -> None:
    values = [rbo(one, other, p) for one in orders(a) for other in orders(b)]
    found = rbo(a, b, p, "a")
    assert found.min == pytest.approx(math.fsum(v.min for v in values) / len(values), abs=1e-12)
    if len(a) == len(b):
        assert found.extrapolated == pytest.approx(math.fsum(v.extrapolated for v in values) / len(values), abs=1e-12)


@given(a=tied_rankings(), b=tied_rankings(), p=st.floats(0.01, 0.99), ties=st.sampled_from(["w", "a", "b"]))
def test_extrapolated_lies_between_the_bounds(a: Ranking, b: Ranking, p: float, ties: TieRule) -> None:
    found = rbo(a, b, p, ties)
    assert 0 <= found.min <= found.extrapolated + 1e-12
    assert found.extrapolated <= found.min + found.residual + 1e-12
    assert found.min + found.residual <= 1


@given(a=tied_rankings(), b=tied_rankings(), p=st.floats(0.01, 0.99))
def test_rule_b_never_says_less_than_rule_a(a: Ranking, b: Ranking, p: float) -> None:
    assert rbo(a, b, p, "a").min <= rbo(a, b, p, "b").min + 1e-12


def test_lists_of_one_item_and_deep_lists() -> None:
    assert rbo(["a"], ["a"]).extrapolated == pytest.approx(1)
    assert rbo(["a"], ["b"]).extrapolated == 0
    deep = [f"d{i}" for i in range(5000)]
    assert rbo(deep, deep[::-1], 0.999).min > 0
    assert rbo(deep, deep, 1e-6) == pytest.approx(Overlap(1, 0, 1))


def test_of_an_empty_ranking_there_is_none() -> None:
    assert all(math.isnan(COEFFICIENTS[f"rbo-a{ending}"]([], [*"ab"])) for ending in ("", "-min", "-res"))
