"""Letters: two systems share one if and only if they were not found different."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError
from germane.stats.significance.letters import groups, letters

Different = npt.NDArray[np.bool_]


def as_p(different: Different) -> npt.NDArray[np.float64]:
    return np.where(different, 0.01, 0.8)


def apart(k: int, *pairs: str) -> Different:
    """Which of systems A, B, C ... differ: apart(3, "AC")."""
    different = np.zeros((k, k), dtype=bool)
    for pair in pairs:
        i, j = (ord(system) - ord("A") for system in pair)
        different[i, j] = different[j, i] = True
    return different


# fmt: off
BY_HAND = [
    # different                   means         letters                   why
    (apart(3),                   [3, 2, 1],    ("a", "a", "a"),          "nobody differs"),
    (apart(2, "AB"),             [3, 2],       ("a", "b"),               "both differ"),
    (apart(2, "AB"),             [2, 3],       ("b", "a"),               "the best has an a, wherever it stands"),
    (apart(3, "AC"),             [3, 2, 1],    ("a", "ab", "b"),         "not transitive: B is like both"),
    (apart(3, "AB", "AC", "BC"), [3, 2, 1],    ("a", "b", "c"),          "all differ"),
    (apart(4, "AD", "BD"),       [4, 3, 2, 1], ("a", "a", "ab", "b"),    "C bridges"),
    (apart(4, "AB", "CD"),       [4, 3, 2, 1], ("ab", "cd", "ac", "bd"), "a square: four likenesses, four letters"),
    (apart(1),                   [1],          ("a",),                   "alone"),
    (apart(0),                   [],           (),                       "nobody"),
]
# fmt: on


@pytest.mark.parametrize(("different", "means", "expected", "why"), BY_HAND)
def test_letters_by_hand(different: Different, means: list[float], expected: tuple[str, ...], why: str) -> None:
    assert letters(as_p(different), means) == expected, why


def test_lower_can_be_better() -> None:
    assert letters(as_p(apart(2, "AB")), [0.1, 0.2], higher_is_better=False) == ("a", "b")


def test_a_p_of_alpha_is_significant_and_a_missing_p_is_not() -> None:
    p = np.array([[1, 0.05, np.nan], [0.05, 1, 0.0501], [np.nan, 0.0501, 1]])
    assert letters(p, [3, 2, 1]) == ("a", "b", "ab")


@pytest.mark.parametrize("p", [np.ones((2, 3)), np.ones((3, 3)), np.array([[1, 0.1], [0.2, 1]])])
def test_what_is_no_table_of_pairs_is_refused(p: npt.NDArray[np.float64]) -> None:
    with pytest.raises(GermaneError, match="symmetric"):
        letters(p, [1, 2])


# The law


def broken_pairs(display: Sequence[str], different: Different) -> list[tuple[int, int]]:
    """Pairs that share a letter although they differ, or share none although they do not."""
    sets = [set(re.findall(r"[a-z]\d*", own)) for own in display]
    k = len(different)
    return [(i, j) for i in range(k) for j in range(i) if bool(sets[i] & sets[j]) == bool(different[i, j])]


@st.composite
def tables(draw: Callable[[st.SearchStrategy[list[bool]]], list[bool]]) -> Different:
    upper = draw(st.lists(st.booleans(), min_size=1, max_size=45))
    k = next(k for k in range(2, 11) if k * (k - 1) // 2 >= len(upper))
    different = np.zeros((k, k), dtype=bool)
    rows, columns = np.triu_indices(k, 1)
    different[rows[: len(upper)], columns[: len(upper)]] = upper
    return different | different.T


@given(tables())
def test_two_systems_share_a_letter_if_and_only_if_they_do_not_differ(different: Different) -> None:
    display = letters(as_p(different), -np.arange(len(different)))
    assert broken_pairs(display, different) == []
    assert all(display), "every system has a letter"


def one_letter_each(different: Different) -> list[str]:
    """The broken specimen: whoever is like somebody in a group joins it, as if likeness were transitive."""
    label = list(range(len(different)))
    for i, j in zip(*np.nonzero(~different), strict=True):
        label = [label[i] if own == label[j] else own for own in label]
    return [chr(97 + own) for own in label]


def test_the_law_catches_groups_that_take_likeness_for_transitive() -> None:
    assert broken_pairs(one_letter_each(apart(3, "AC")), apart(3, "AC")) == [(2, 0)]
    assert broken_pairs(one_letter_each(apart(3, "AB", "AC")), apart(3, "AB", "AC")) == []


def insert_and_absorb(different: Different) -> set[frozenset[int]]:
    """Piepho's algorithm, word by word: all largest sets without two that differ."""
    found = [frozenset(range(len(different)))]
    for i, j in zip(*np.nonzero(np.triu(different)), strict=True):
        found = [part for group in found for part in ([group - {i}, group - {j}] if {i, j} <= group else [group])]
        found = [group for group in set(found) if not any(group < other for other in found)]
    return set(found)


@given(tables())
def test_every_group_is_one_that_insert_and_absorb_finds(different: Different) -> None:
    ours = groups(different)
    assert set(map(frozenset, ours)) <= insert_and_absorb(different)
    assert len(set(ours)) == len(ours)


@given(st.lists(st.integers(0, 30), min_size=2, max_size=10), st.integers(1, 10))
def test_with_one_critical_difference_they_are_the_same_groups(means: list[int], critical: int) -> None:
    falling = np.sort(means)[::-1]
    different = np.abs(falling[:, None] - falling) > critical
    assert set(map(frozenset, groups(different))) == insert_and_absorb(different)


def test_more_than_26_groups() -> None:
    k = 60
    display = letters(as_p(~np.eye(k, dtype=bool)), -np.arange(k))
    assert display[:2] == ("a", "b")
    assert display[25:28] == ("z", "a1", "b1")
    assert display[52] == "a2"
    assert len(set(display)) == k


def test_a_hundred_systems_with_contradicting_tests_stay_readable_and_quick() -> None:
    # Insert-and-absorb would make 3^33 groups of these: each system differs only from the two beside it.
    k = 99
    different = (np.arange(k)[:, None] // 3 == np.arange(k) // 3) & ~np.eye(k, dtype=bool)
    display = letters(as_p(different), -np.arange(k))
    assert broken_pairs(display, different) == []
    assert len(groups(different)) < 2 * k
