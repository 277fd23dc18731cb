"""Laws of the coefficients between two rankings, over their registry, each with a broken specimen."""

import math
import random
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.stats.rankings.coefficients import COEFFICIENTS, Coefficient
from germane.stats.rankings.ranked_items import Ranking
from germane.tables.columns.ids import FloatArray

ROUNDING = 1e-12
Two = tuple[Ranking, Ranking]


@st.composite
def rankings(draw: st.DrawFn) -> Ranking:
    names = draw(st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=9, unique=True))
    highest = draw(st.sampled_from([2, 100]))
    return Ranking.from_scores(names, [draw(st.integers(0, highest)) for _ in names])


two_rankings = st.tuples(rankings(), rankings())
orders = st.integers(2, 9).flatmap(lambda size: st.permutations("abcdefghij"[:size]))
every_coefficient = pytest.mark.parametrize("entry", COEFFICIENTS, ids=lambda entry: entry.name)


def specimen(function: Callable[[FloatArray, FloatArray], float], *, symmetric: bool = True) -> Coefficient:
    return Coefficient("specimen", function, symmetric=symmetric)


def out_of_bounds(entry: Coefficient, pair: Two) -> Iterator[str]:
    low, high = entry.bounds
    value = entry(*pair)
    if value < low - ROUNDING or value > high + ROUNDING:
        yield f"{value} for {pair}"


def lopsided(entry: Coefficient, pair: Two) -> Iterator[str]:
    one, other = entry(*pair), entry(*pair[::-1])
    if entry.symmetric and not (math.isclose(one, other, abs_tol=ROUNDING) or (math.isnan(one) and math.isnan(other))):
        yield f"{one} and {other} for {pair}"


def tied_to_names(entry: Coefficient, pair: Two, seed: int = 0) -> Iterator[str]:
    """Values that change with the names of the items, or with the order in which tied ones happen to be listed."""
    names = dict(zip("abcdefghij", random.Random(seed).sample("klmnopqrst", 10), strict=True))
    renamed = [
        Ranking.of(tuple(sorted(names[str(item)] for item in group)) for group in ranking.groups) for ranking in pair
    ]
    before, after = entry(*pair), entry(*renamed)
    if not (math.isclose(before, after, abs_tol=ROUNDING) or (math.isnan(before) and math.isnan(after))):
        yield f"{before} became {after} for {pair}"


def wrong_ends(entry: Coefficient, order: Sequence[str]) -> Iterator[str]:
    """A ranking and itself, and its reverse, where nothing is tied."""
    if entry.kind != "bound" and not math.isclose(entry(order, order), 1, abs_tol=ROUNDING):
        yield f"{entry(order, order)} for {order} and itself"
    if entry.kind == "correlation" and not math.isclose(entry(order, order[::-1]), -1, abs_tol=ROUNDING):
        yield f"{entry(order, order[::-1])} for {order} and its reverse"


@every_coefficient
@settings(max_examples=50)
@given(pair=two_rankings)
def test_bounds_symmetry_and_names(entry: Coefficient, pair: Two) -> None:
    assert [*out_of_bounds(entry, pair), *lopsided(entry, pair), *tied_to_names(entry, pair)] == []


@every_coefficient
@settings(max_examples=25)
@given(order=orders)
def test_a_ranking_and_itself_give_one_and_its_reverse_minus_one(entry: Coefficient, order: list[str]) -> None:
    assert list(wrong_ends(entry, order)) == []


AB_BA = (Ranking.of("abc"), Ranking.of("bca"))
TIED = (Ranking.parse("(b a) c"), Ranking.parse("c (a b)"))


def test_the_laws_catch_broken_specimens() -> None:
    assert list(out_of_bounds(specimen(lambda x, y: float(x @ y)), AB_BA)) != []
    assert list(lopsided(specimen(lambda x, y: float(x[0])), AB_BA)) == []
    one_sided = specimen(lambda x, y: float(2 * x[0] + y[-1]))
    assert list(lopsided(one_sided, AB_BA)) != []
    listed_first = Coefficient("specimen", lambda a, b, p: float(a.ids[0] == b.ids[-1]), kind="overlap")
    assert any(list(tied_to_names(listed_first, TIED, seed)) for seed in range(20))
    assert list(wrong_ends(specimen(lambda x, y: 0.5), [*"abc"])) != []
    never_minus_one = specimen(lambda x, y: float((x == y).all()))
    assert list(wrong_ends(never_minus_one, [*"abc"])) == ["0.0 for ['a', 'b', 'c'] and its reverse"]


@every_coefficient
def test_every_coefficient_says_what_it_is(entry: Coefficient) -> None:
    assert entry.summary.endswith(".")
    assert list(entry.sections) == ["Formula", "Reference", "Ties", "Undefined"]
