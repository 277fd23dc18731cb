"""One grade per document, by a stated policy."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from germane.errors import GermaneError
from germane.judging.consolidate import POLICIES, Undecided, consolidate
from germane.tables.truth.judgments import Judgments, Standing

NAN = math.nan
CANNOT = NAN


def judged(grades: list[float], *, final: float | None = None, doc: str = "d") -> Judgments:
    """A document with these grades, one assessor each; NaN is "cannot judge"."""
    who = [f"a{i}" for i in range(len(grades))]
    kinds: list[Standing] = ["ordinary"] * len(grades)
    if final is not None:
        who, grades, kinds = [*who, "chair"], [*grades, final], [*kinds, "adjudicated"]
    return Judgments.from_columns(who, ["q"] * len(who), [doc] * len(who), grades, kinds)


BY_HAND = [
    # policy                 undecided   grades             expected  how
    ("majority", "lowest", [0, 1, 1], 1, "majority"),
    ("majority", "lowest", [0, 0, 1, 1], 0, "lowest, undecided"),
    ("majority", "highest", [0, 0, 1, 1], 1, "highest, undecided"),
    ("majority", "skip", [0, 0, 1, 1], NAN, "undecided"),
    ("majority", "lowest", [0, 1, 2], 0, "lowest, undecided"),
    ("majority", "lowest", [2, 2], 2, "unanimous"),
    ("majority", "lowest", [2], 2, "one judgment"),
    ("majority", "lowest", [2, CANNOT], 2, "one judgment"),
    ("majority", "lowest", [CANNOT, CANNOT], NAN, "not judgeable"),
    ("median", "lowest", [0, 1, 2], 1, "median"),
    ("median", "lowest", [0, 2], 0, "lowest, undecided"),
    ("median", "highest", [0, 1, 2, 2], 2, "highest, undecided"),
    ("median", "lowest", [0, 1, 1, 2], 1, "median"),
    ("lowest-of-top-three", "lowest", [0, 1, 2, 3], 1, "lowest-of-top-three"),
    ("lowest-of-top-three", "lowest", [1, 3], 1, "lowest-of-top-three"),
    ("adjudicated", "lowest", [0, 0, 1], NAN, "undecided"),
    ("adjudicated", "lowest", [1, 1, 1], 1, "unanimous"),
]


@pytest.mark.parametrize(("policy", "undecided", "grades", "expected", "how"), BY_HAND)
def test_by_hand(policy: str, undecided: Undecided, grades: list[float], expected: float, how: str) -> None:
    [decision] = consolidate(judged(grades), policy, undecided=undecided).decisions
    assert decision.how == how
    assert decision.grade == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("policy", POLICIES.names)
def test_an_adjudicated_grade_wins_under_every_policy(policy: str) -> None:
    [decision] = consolidate(judged([0, 0, 0], final=2), policy).decisions
    assert (decision.grade, decision.how) == (2, "adjudicated")


def test_adjudicated_as_not_judgeable() -> None:
    [decision] = consolidate(judged([0, 2], final=NAN)).decisions
    assert decision.how == "not judgeable"


def test_too_few_judgments_give_no_grade() -> None:
    [decision] = consolidate(judged([1, CANNOT]), min_grades=2).decisions
    assert (decision.how, decision.given, decision.cannot) == ("too few", (1,), 1)


def test_control_items_take_no_part_and_are_counted() -> None:
    said = Judgments.from_columns(
        ["a", "a", "a", "a"],
        ["q"] * 4,
        ["d", "d", "trap", "warm up"],
        [1, 0, 1, 1],
        ["ordinary", "repeat", "distractor", "calibration"],
    )
    found = consolidate(said)
    assert [(decision.doc, decision.grade) for decision in found.decisions] == [("d", 1)]
    assert found.left_out == {"calibration": 1, "distractor": 1, "repeat": 1}


def test_the_qrels_list_what_was_pooled_and_has_no_grade_with_a_negative_one() -> None:
    said = Judgments.from_columns(["a", "a"], ["q", "q"], ["d1", "d2"], [2, CANNOT], listed=[("q", "d3"), ("r", "d1")])
    qrels = consolidate(said, scale=3).qrels()
    assert list(qrels.queries) == ["q", "r"]
    assert qrels.grade.tolist() == [2, -1, -1, -1]
    assert qrels.scale == 3


def test_counts_add_up_to_the_documents() -> None:
    said = Judgments.from_columns(["a", "b", "a"], ["q"] * 3, ["d1", "d1", "d2"], [0, 1, 1])
    assert consolidate(said).counts == {"lowest, undecided": 1, "one judgment": 1}


# The law: a policy never invents a grade


def invented(decide: Callable[[list[float]], float | None], grades: list[float]) -> bool:
    found = decide(sorted(grades))
    return found is not None and found not in grades


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@settings(max_examples=40)
@given(grades=st.lists(st.sampled_from([0.0, 1.0, 3.0, 0.5]), min_size=2, max_size=7))
def test_no_policy_invents_a_grade(policy: object, grades: list[float]) -> None:
    assert not invented(getattr(policy, "decide"), grades)  # noqa: B009 - parametrised by object


def test_the_law_catches_the_mean() -> None:
    assert invented(lambda grades: sum(grades) / len(grades), [0.0, 1.0])


def test_slips_are_explained() -> None:
    with pytest.raises(GermaneError, match="did you mean majority"):
        consolidate(judged([1]), "majorty")
    with pytest.raises(GermaneError, match="lowest, highest or skip"):
        consolidate(judged([1]), undecided="mean")  # type: ignore[arg-type]
    with pytest.raises(GermaneError, match="grades up to 1"):
        consolidate(judged([2]), scale=1)
