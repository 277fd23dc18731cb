"""What stands after a list of events: changes, undos, undos of undos, adjudications."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import pytest

from germane.api.truth.agreement import agree
from germane.errors import InputError
from germane.tables.truth.judgments import EventKind, JudgmentEvent, Judgments, standing
from germane.tables.truth.pool import ItemKind


def event(
    number: int,
    kind: EventKind = "grade",
    grade: float | None = None,
    *,
    supersedes: str | None = None,
    who: str = "ann",
    doc: str = "d1",
    item_kind: ItemKind = "ordinary",
) -> JudgmentEvent:
    time = f"2026-01-01T09:{number:02d}:00Z"
    return JudgmentEvent(
        f"e{number}", kind, who, "q1", doc, grade, time=time, supersedes=supersedes, item_kind=item_kind
    )


STORIES = [
    # events                                                                          grades that stand
    ([event(1, grade=1)], [1]),
    ([event(1, grade=1), event(2, grade=2, supersedes="e1")], [2]),
    ([event(1, grade=1), event(2, grade=2)], [2]),
    ([event(1, grade=1), event(2, "undo", supersedes="e1")], []),
    ([event(1, grade=1), event(2, "undo")], []),
    ([event(1, grade=1), event(2, grade=2, supersedes="e1"), event(3, "undo", supersedes="e2")], [1]),
    ([event(1, grade=1), event(2, grade=2), event(3, "undo"), event(4, "undo")], []),
    ([event(1, grade=1), event(2, "undo", supersedes="e1"), event(3, "undo", supersedes="e2")], [1]),
    ([event(1, grade=1), event(2, "undo"), event(3, grade=2)], [2]),
    ([event(1, "later")], []),
    ([event(1, "later"), event(2, grade=0)], [0]),
    ([event(1, grade=1), event(2, "comment")], [1]),
    ([event(1, "cannot")], [math.nan]),
    ([event(1, "cannot"), event(2, grade=1)], [1]),
    ([event(1, grade=1), event(2, grade=0, who="bob")], [1, 0]),
    ([event(1, grade=1), event(2, grade=0, item_kind="repeat")], [1, 0]),
    ([event(1, grade=1), event(2, "undo", item_kind="repeat")], [1]),
]


@pytest.mark.parametrize(("events", "grades"), STORIES)
def test_what_stands(events: list[JudgmentEvent], grades: list[float]) -> None:
    assert standing(events).grade.tolist() == pytest.approx(grades, nan_ok=True)


@pytest.mark.parametrize(("events", "grades"), STORIES)
def test_the_order_of_the_file_and_retries_do_not_matter(events: list[JudgmentEvent], grades: list[float]) -> None:
    for order in permutations(events):
        assert standing([*order, *events]).grade.tolist() == pytest.approx(grades, nan_ok=True)


def test_the_latest_adjudication_stands_beside_the_judgments() -> None:
    said = standing([event(1, grade=1), event(2, "adjudicate", 0, who="carl"), event(3, "adjudicate", 2, who="dora")])
    assert list(zip(said.assessor, said.kind, said.grade.tolist(), strict=True)) == [
        ("dora", "adjudicated", 2),
        ("ann", "ordinary", 1),
    ]
    assert said.assessors == ("ann",)


def test_what_no_longer_stands_is_counted() -> None:
    events = [event(1, grade=1), event(2, grade=2), event(3, "undo"), event(4, "later", doc="d2"), event(5, grade=0)]
    assert standing(events).left_behind == {"withdrawn": 1, "changed": 1, "skipped": 1}


def test_a_pair_put_off_is_still_listed_and_a_distractor_never_is() -> None:
    said = standing([event(1, "later"), event(2, grade=0, doc="trap", item_kind="distractor")])
    assert said.listed == {("q1", "d1")}


WRONG = [
    ([event(1, grade=1), event(1, grade=2)], "two different ones with id 'e1'"),
    ([event(2, "undo", supersedes="e1")], "supersedes 'e1', which is missing"),
    ([event(1, grade=1, doc="d2"), event(2, "undo", supersedes="e1")], "about another document"),
]


@pytest.mark.parametrize(("events", "problem"), WRONG)
def test_a_history_that_does_not_fit_is_an_error(events: list[JudgmentEvent], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        standing(events)


def test_columns_have_one_judgment_per_assessor_and_document() -> None:
    with pytest.raises(InputError, match="found several by 'ann' for topic 'q1', document 'd1'"):
        Judgments.from_columns(["ann", "ann"], ["q1", "q1"], ["d1", "d1"], [0, 1])
    with pytest.raises(InputError, match="grades of 0 or more"):
        Judgments.from_columns(["ann"], ["q1"], ["d1"], [-1])


def test_judgments_too_fast_to_read_are_counted_and_still_count() -> None:
    taken = {1: 0.3, 2: 0.99, 3: 1.0, 4: None, 5: 0.1, 6: 0.1}
    events = [
        replace(event(number, grade=number % 2, who=who, doc=doc), seconds=taken[number])
        for number, who, doc in (
            (1, "ann", "d1"), (2, "ann", "d2"), (3, "bob", "d1"), (4, "bob", "d2"), (5, "cid", "d1"),
        )
    ]  # fmt: skip
    events.append(replace(event(6, "undo", who="cid"), seconds=taken[6]))
    said = standing(events)
    assert said.too_fast == {"ann": 2}, "what was taken back is not counted"
    report = agree(said, resamples=100)
    assert report.num_shared == 2
    assert {judge.assessor: judge.too_fast for judge in report.judges} == {"ann": 2, "bob": 0}
    note = next(note for note in report.notes if note.code == "too-fast")
    assert (note.count, note.examples) == (2, ("ann 2",))
    assert note.message.startswith("2 judgments given in under 1 s, too fast to read a line; counted like any other")
    printed = report.to_dict()
    assert [judge["too_fast"] for judge in printed["by_assessor"]] == [2, 0]
