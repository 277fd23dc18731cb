"""Correlations of two rankings: the lecture's values, values worked on paper, published ones, and scipy's."""

import math
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.rankings.rank_correlation import (
    spearman,
    tau_a,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_ap_symmetric,
    tau_b,
    weighted_tau,
)
from germane.stats.rankings.ranked_items import Pair, Ranking, complete

# Lecture 003, "Correlación de Rankings": the ideal order and the system's.
IDEAL = "B D A G E I F C H"
SYSTEM = "A B D E G F C I H"

# fmt: off
BY_HAND = [
    # coefficient        A          B          expected           why
    ("spearman",         IDEAL,     SYSTEM,    Fraction(53, 60),  "the lecture: 1 - 6 * 14 / 720 = .883"),
    ("tau-a",            IDEAL,     SYSTEM,    Fraction(26, 36),  "the lecture: 31 pairs agree, 5 do not"),
    ("tau-b",            IDEAL,     SYSTEM,    Fraction(26, 36),  "the same, as nothing is tied"),
    ("tau-ap",           IDEAL,     SYSTEM,    Fraction(55, 112), "worked out in the next test"),
    ("spearman",         "a b c",   "a c b",   Fraction(1, 2),    "1 - 6 * (0 + 1 + 1) / 24"),
    ("spearman",         "a b c",   "a (b c)", 3 / 12**0.5,       "ranks 1 2.5 2.5: 1.5 / sqrt(2 * 1.5)"),
    ("tau-a",            "a b c",   "a (b c)", Fraction(2, 3),    "two pairs agree, the tied one says nothing"),
    ("tau-a",            "(a b)",   "(a b)",   Fraction(0),       "the one pair is tied: it does not agree"),
    ("tau-b",            "a b c",   "a (b c)", 2 / 6**0.5,        "2 / sqrt(3 pairs * 2 that are not tied)"),
    ("tau-w",            "a b c",   "a c b",   Fraction(6, 11),   "(3/2 + 4/3 - 5/6) / (3/2 + 4/3 + 5/6)"),
    ("tau-ap",           "a b c",   "c b a",   Fraction(-1),      "nothing above an item belongs there"),
    ("tau-ap",           "a b c",   "b a c",   Fraction(0),       "2/2 * (0/1 + 2/2) - 1"),
    ("tau-ap",           "a b c",   "a c b",   Fraction(1, 2),    "2/2 * (1/1 + 1/2) - 1: a swap lower costs less"),
    ("tau-ap",           "a b c d", "b d a c", Fraction(1, 9),    "2/3 * (1/1 + 0/2 + 2/3) - 1"),
    ("tau-ap-symmetric", "a b c",   "c a b",   Fraction(-1, 4),   "the mean of -1/2, down B, and 0, down A"),
    ("tau-ap-a",         "a b c",   "a (b c)", Fraction(3, 4),    "the mean of a b c, 1, and a c b, 1/2"),
    ("tau-ap-a",         "a b",     "(a b)",   Fraction(0),       "the mean of 1 and -1"),
    ("tau-ap-b",         "a b c",   "a (b c)", Fraction(3, 4),    "down B (1 + 1) - 1, down A (1 + 1/2) - 1"),
    ("tau-ap-b",         "a (b c)", "a (b c)", Fraction(1),       "a ranking and itself, ties and all"),
    ("tau-a",            "a b",     "c d",     Fraction(-1, 3),   "a b c d and c d a b: 2 pairs agree, 4 do not"),
]
# fmt: on


@pytest.mark.parametrize(("name", "a", "b", "expected", "why"), BY_HAND)
def test_by_hand(name: str, a: str, b: str, expected: Fraction | float, why: str) -> None:
    found = COEFFICIENTS.parse(name)(Ranking.parse(a), Ranking.parse(b))
    assert found == pytest.approx(float(expected), abs=1e-15), why


def test_tau_ap_of_the_lectures_rankings_step_by_step() -> None:
    ideal_rank = {item: rank for rank, item in enumerate(IDEAL.split(), start=1)}
    assert ideal_rank == {"B": 1, "D": 2, "A": 3, "G": 4, "E": 5, "I": 6, "F": 7, "C": 8, "H": 9}
    belongs_above = [
        Fraction(0, 1),  # B: A stands above it, and belongs below
        Fraction(1, 2),  # D: of A B, only B belongs above
        Fraction(3, 3),  # E: A B D all belong above
        Fraction(3, 4),  # G: of A B D E, E belongs below
        Fraction(5, 5),  # F: all
        Fraction(6, 6),  # C: all
        Fraction(5, 7),  # I: of A B D E G F C, F and C belong below
        Fraction(8, 8),  # H: all
    ]
    worked = Fraction(2, 8) * sum(belongs_above) - 1
    assert worked == Fraction(55, 112)
    assert tau_ap(IDEAL.split(), SYSTEM.split()) == pytest.approx(float(worked), abs=1e-15)


# Values that the authors publish for their R package ircor (its manual page and its tests): Urbano & Marrero 2017.
X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
Y_TIED = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]
X_TIED = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
TIED_1 = ([0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1], [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1])
TIED_3 = ([0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4], [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2])
PUBLISHED = [
    (tau_ap, X, Y, 0.3928571),
    (tau_ap_a, X, Y, 0.3928571),
    (tau_ap_a, X, Y_TIED, 0.39903),
    (tau_ap_b, X, Y_TIED, 0.3317019),
    (tau_ap_b, X_TIED, Y_TIED, 0.339418),
    (tau_ap_b, *TIED_1, 0.7321),
    (tau_ap_b, *TIED_3, -0.7047),
]


@pytest.mark.parametrize(("function", "a", "b", "expected"), PUBLISHED)
def test_published_values_of_tau_ap(function: Any, a: list[float], b: list[float], expected: float) -> None:
    assert function(a, b) == pytest.approx(expected, abs=5e-5 if abs(expected) > 0.4 else 5e-7)


Scores = tuple[list[int], list[int]]


@st.composite
def two_scores(draw: st.DrawFn, *, high: int = 5, most: int = 12) -> Scores:
    """Scores of the same items twice, with many ties."""
    size = draw(st.integers(2, most))
    column = st.lists(st.integers(0, high), min_size=size, max_size=size)
    return draw(column), draw(column)


def vary(scores: Scores) -> bool:
    return all(len(set(column)) > 1 for column in scores)


@given(scores=two_scores().filter(vary))
def test_equal_to_scipy(scores: Scores) -> None:
    from scipy import stats

    x, y = scores
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert weighted_tau(x, y) == pytest.approx(stats.weightedtau(x, y).statistic, abs=1e-12)


@given(scores=two_scores())
def test_tau_a_is_the_lectures_loop(scores: Scores) -> None:
    a, b = scores
    n = len(a)
    tau = sum(int(np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])) for i in range(1, n) for j in range(i))
    assert tau_a(a, b) == pytest.approx(tau / (n * (n - 1) / 2), abs=1e-15)


@given(scores=two_scores(high=2, most=5))
def test_tau_ap_a_is_the_mean_over_all_orders_of_the_tied_items(scores: Scores) -> None:
    estimate = scores[1]
    items = range(len(estimate))
    orders = [o for o in permutations(items) if all(estimate[i] >= estimate[j] for i, j in pairwise(o))]
    mean = sum(tau_ap(list(map(str, items)), list(map(str, order))) for order in orders) / len(orders)
    assert tau_ap_a([-i for i in items], estimate) == pytest.approx(mean, abs=1e-12)


@given(order=st.permutations(range(7)))
def test_without_ties_the_variants_of_tau_ap_are_tau_ap(order: list[int]) -> None:
    truth = list(range(7))
    assert tau_ap_a(truth, order) == pytest.approx(tau_ap(truth, order), abs=1e-15)
    assert tau_ap_b(truth, order) == pytest.approx(tau_ap_symmetric(truth, order), abs=1e-15)


COMPLETED = [
    ("a b", "c b d", "a b c d", "what only the other has comes last, in the other's order"),
    ("a b", "(c d) b", "a b (c d)", "and with its ties"),
    ("(a b)", "b a", "(a b)", "nothing is missing"),
    ("", "a b", "a b", "all is missing"),
]


@pytest.mark.parametrize(("ranking", "other", "expected", "why"), COMPLETED)
def test_missing_items_are_appended_in_the_order_of_the_other(
    ranking: str, other: str, expected: str, why: str
) -> None:
    assert complete(Ranking.parse(ranking), Ranking.parse(other)).groups == Ranking.parse(expected).groups, why


UNDEFINED = [
    ("spearman", "a", "a", "one item"),
    ("tau-a", "a", "a", "one item"),
    ("spearman", "(a b)", "a b", "constant"),
    ("tau-b", "a b", "(a b)", "constant"),
    ("tau-w", "a b", "(a b)", "constant"),
    ("tau-ap", "a b c", "a (b c)", "ties"),
    ("tau-ap-symmetric", "(a b) c", "a b c", "ties"),
    ("tau-ap-a", "(a b) c", "a b c", "ties in the truth"),
    ("tau-ap-b", "a b", "(a b)", "constant"),
]


@pytest.mark.parametrize(("name", "a", "b", "why"), UNDEFINED)
def test_undefined_is_nan(name: str, a: str, b: str, why: str) -> None:
    assert math.isnan(COEFFICIENTS.parse(name)(Ranking.parse(a), Ranking.parse(b))), why


@pytest.mark.parametrize("entry", COEFFICIENTS, ids=lambda entry: entry.name)
def test_an_empty_ranking_agrees_with_nothing(entry: Any) -> None:
    assert math.isnan(entry([], ["a", "b"]))  # completed, it would agree with anything


WRONG: list[tuple[Any, Any, str]] = [
    ([1.0, math.nan], [1.0, 2.0], "expected a number for 1, found NaN"),
    ([1.0, 2.0], [1.0], "expected score lists of equal length, found 2 and 1"),
    (["a", "b", "a"], ["a", "b"], "first ranking: duplicate item 'a'"),
]


@pytest.mark.parametrize(("a", "b", "message"), WRONG)
def test_wrong_input_says_what_is_wrong(a: Any, b: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        spearman(a, b)


def test_a_misspelt_coefficient() -> None:
    with pytest.raises(GermaneError, match="unknown coefficient 'tau-c'; did you mean tau-"):
        COEFFICIENTS.parse("tau-c")


def test_a_cut_keeps_what_is_tied_with_the_last() -> None:
    ranking = Ranking.parse("a (b c d) e")
    assert [len(ranking.top(depth)) for depth in (1, 2, 4, 5, None)] == [1, 4, 4, 5, 5]


def test_neighbours_within_the_tolerance_are_tied() -> None:
    scores = [0.1 + 0.2, 0.3, 0.4, 0.0, -0.0]
    assert repr(Ranking.from_scores("abcde", scores)) == "<Ranking: c a b (d e)>"
    assert repr(Ranking.from_scores("abcde", scores, tolerance=1e-12)) == "<Ranking: c (a b) (d e)>"


@given(scores=two_scores())
def test_two_rankings_and_their_scores_say_the_same(scores: Scores) -> None:
    assume(vary(scores))
    pair = Pair.of(*scores)
    for entry in COEFFICIENTS:
        assert entry(pair.a, pair.b) == pytest.approx(entry(*scores), nan_ok=True)
