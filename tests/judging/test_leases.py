"""Who gets which document: K, leases, windows, order, and what stays hidden."""

from collections import Counter
from dataclasses import fields
from itertools import pairwise

import pytest

from germane.judging.store.adjudication import cases, next_case
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, record
from germane.judging.store.leases import give_back, renew
from germane.judging.store.people import add_person
from germane.judging.store.progress import assessor_progress, everybodys_progress, in_others_hands, topic_progress
from germane.judging.store.project import record_of, settings_of
from germane.judging.store.queues import (
    BlindTask,
    OwnAnswer,
    TaskNotFoundError,
    document_of,
    history,
    next_tasks,
    task_of,
)
from tests.judging.projects import Clock, answer, docs, judge_all, project, say

ALL = "q1: d1 d2 d3 d4"


def test_k_assessors_per_document_and_no_more(database: Database) -> None:
    project(database, ALL, judgments_per_document=2)
    assert [len(judge_all(database, name)) for name in ("ann", "bob", "eve")] == [4, 4, 0]


def test_prefetched_documents_are_nobody_elses(database: Database) -> None:
    project(database, ALL)
    mine, others = next_tasks(database, "ann", 3), next_tasks(database, "bob", 3)
    assert len(mine) == 3
    assert len(others) == 1
    assert not set(docs(mine)) & set(docs(others))
    assert next_tasks(database, "eve", 3) == []


@pytest.mark.parametrize(
    ("looked_at", "seconds", "free", "why"),
    [
        (False, 59, False, "an unseen document waits a minute"),
        (False, 61, True, "and no longer"),
        (True, 899, False, "one that is being read waits fifteen"),
        (True, 901, True, "and no longer"),
    ],
)
def test_leases_run_out(
    database: Database, clock: Clock, looked_at: bool, seconds: float, free: bool, why: str
) -> None:
    project(database, "q1: d1")
    task = next_tasks(database, "ann")[0].task
    if looked_at:
        assert renew(database, "ann", seen=[task]) == []
    clock.advance(seconds)
    assert bool(next_tasks(database, "bob")) is free, why


def test_activity_renews_leases(database: Database, clock: Clock) -> None:
    project(database, ALL)
    first, *rest = (task.task for task in next_tasks(database, "ann", 4))
    for _ in range(18):  # a quarter of an hour and more over one document, the window alive
        clock.advance(55)
        assert renew(database, "ann", seen=[first], holding=rest) == []
    assert next_tasks(database, "bob") == []
    clock.advance(50)
    say(database, "ann", first)  # an answer is a sign of life, too
    clock.advance(50)
    assert next_tasks(database, "bob") == []
    clock.advance(61)
    assert len(next_tasks(database, "bob")) == 3


def test_a_lost_lease_is_told_and_a_free_one_is_taken_again(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2")
    mine = [task.task for task in next_tasks(database, "ann", 2)]
    clock.advance(61)
    taken = docs(next_tasks(database, "bob", 1))
    lost = renew(database, "ann", seen=mine)
    assert docs([task_of(database, "ann", task) for task in lost]) == taken
    assert renew(database, "ann", holding=["unheard of"]) == ["unheard of"]


def test_two_windows_of_one_person_share_leases(database: Database) -> None:
    project(database, ALL)
    one, two = next_tasks(database, "ann", 2), next_tasks(database, "ann", 2)
    assert one == two
    assert say(database, "ann", one[0], 0).status == say(database, "ann", two[0], 2).status == "stored"
    events = list(all_events(database))
    assert events[1].supersedes == events[0].event
    assert history(database, "ann")[0].grade == 2.0
    more = next_tasks(database, "ann", 2, holding=[task.task for task in one])
    assert len(more) == 2
    assert not set(more) & set(one)


def test_undo_keeps_the_lease(database: Database, clock: Clock) -> None:
    project(database, "q1: d1")
    task = next_tasks(database, "ann")[0]
    say(database, "ann", task)
    clock.advance(5000)
    say(database, "ann", task, kind="undo")
    assert next_tasks(database, "bob") == []
    assert next_tasks(database, "ann") == [task]
    clock.advance(901)
    assert len(next_tasks(database, "bob")) == 1


def test_late_answers_are_kept_as_extra(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2")
    first, second = next_tasks(database, "ann", 2)
    clock.advance(61)
    bobs = next_tasks(database, "bob", 1)[0]
    late, free = (first, second) if first.label == bobs.label else (second, first)
    assert say(database, "bob", bobs, 1).extra is False
    receipt = say(database, "ann", late, 2)
    assert (receipt.status, receipt.extra) == ("stored", True)
    assert say(database, "ann", free, 2).extra is False, "nobody had taken it meanwhile"
    assert len(list(all_events(database))) == 3
    assert say(database, "ann", late, 1).extra is False, "a change adds no judgment"


def test_later_gives_the_document_back_and_it_returns_last(database: Database) -> None:
    project(database, ALL)
    order = docs(next_tasks(database, "ann", 4))
    put_off = next_tasks(database, "ann", 1)[0]
    say(database, "ann", put_off, kind="later")
    assert assessor_progress(database, "ann").put_off == 1
    assert docs(judge_all(database, "ann")) == [*order[1:], order[0]]


def test_what_was_put_off_may_go_to_somebody_else(database: Database) -> None:
    project(database, "q1: d1")
    say(database, "ann", next_tasks(database, "ann")[0], kind="later")
    assert len(judge_all(database, "bob")) == 1
    assert next_tasks(database, "ann") == []


def test_cannot_judge_stands_and_counts(database: Database) -> None:
    project(database, "q1: d1")
    say(database, "ann", next_tasks(database, "ann")[0], kind="cannot", text="in Finnish")
    assert next_tasks(database, "ann") == next_tasks(database, "bob") == []
    progress = topic_progress(database)[0]
    assert (progress.complete, progress.cannot) == (1, 1)


def test_the_shuffle_is_each_assessors_own_and_repeatable(database: Database) -> None:
    project(database, "q1: " + " ".join(f"d{i}" for i in range(12)), judgments_per_document=9)
    orders = {name: docs(next_tasks(database, name, 12)) for name in ("ann", "bob")}
    assert orders["ann"] != orders["bob"]
    assert orders["ann"] != sorted(orders["ann"])
    give_back(database, "ann")
    assert docs(next_tasks(database, "ann", 12)) == orders["ann"]


def test_a_topic_is_finished_before_the_next(database: Database) -> None:
    project(database, "q1: d1 d2 d3; q2: d1 d2 d3; q3: d1 d2 d3", judgments_per_document=2)
    for name in ("ann", "bob"):
        topics = [task.topic for task in judge_all(database, name)]
        assert len(topics) == 9
        assert len(set(pairwise(topics))) == 5, "two changes of topic, and no way back"


def test_calibration_comes_first_for_everybody(database: Database) -> None:
    project(database, "q1: d1 d2 c1*calibration; q2: d1 c2*calibration")
    for name, ordinary in (("ann", 3), ("bob", 0)):
        came = docs(judge_all(database, name))
        assert set(came[:2]) == {"c1", "c2"}
        assert len(came) == 2 + ordinary


def test_distractors_are_mixed_in_and_outside_k(database: Database) -> None:
    project(database, "q1: d1 d2 d3 d4 d5 d6 x1*distractor x2*distractor", judgments_per_document=2)
    came = {name: docs(judge_all(database, name)) for name in ("ann", "bob", "eve")}
    assert [len(came[name]) for name in came] == [8, 8, 0], "eve judges nothing here, so there is nothing to check"
    assert came["ann"][-2:] != ["x1", "x2"]
    assert Counter(event.item_kind for event in all_events(database)) == {"ordinary": 12, "distractor": 4}


def test_repeats_come_back_to_the_same_person_once(database: Database) -> None:
    spec = "q1: " + " ".join(f"d{i}" for i in range(20))
    project(database, spec, repeat_share=0.3, repeat_gap=3, seed=5)
    came = judge_all(database, "ann")
    again = [label for label, times in Counter(docs(came)).items() if times == 2]
    assert 3 <= len(again) <= 9
    assert len(came) == 20 + len(again), "each once more, and never a third time"
    for label in again:
        first, second = (at for at, task in enumerate(came) if task.label == label)
        assert second - first > 3
    assert judge_all(database, "bob") == []
    kinds = Counter(event.item_kind for event in all_events(database))
    assert kinds == {"ordinary": 20, "repeat": len(again)}


def test_a_pool_may_say_what_is_repeated(database: Database) -> None:
    project(database, "q1: d1 d2 d3 d4 d1*repeat", repeat_gap=1)
    assert Counter(docs(judge_all(database, "ann"))) == {"d1": 2, "d2": 1, "d3": 1, "d4": 1}


def test_a_ranking_takes_the_place_of_the_shuffle_and_is_recorded(database: Database) -> None:
    project(database, ALL)
    ranked = next_tasks(database, "ann", 3, ranking=lambda topic: ["d3", "d1", "d4"])
    assert docs(ranked) == ["d3", "d1", "d4"]
    say(database, "ann", ranked[0])
    assert record_of(database)["events"] == {"active": 1}


def test_an_assessor_is_told_task_topic_and_label_only(database: Database) -> None:
    assert [field.name for field in fields(BlindTask)] == ["task", "topic", "label"]
    own = {field.name for field in fields(OwnAnswer)} - {"task", "topic", "label"}
    assert own == {"event", "kind", "grade", "comment"}
    project(database, "q1: d1 d2*distractor", judgments_per_document=2)
    told = str(next_tasks(database, "ann", 2))
    assert "distractor" not in told
    assert "ordinary" not in told


def test_masked_labels_say_nothing_and_stay_the_same(database: Database) -> None:
    project(database, "q1: CNN-1 CNN-2", judgments_per_document=2, masked=True)
    mine, others = next_tasks(database, "ann", 2), next_tasks(database, "bob", 2)
    assert set(docs(mine)) == set(docs(others))
    assert not any("CNN" in label for label in docs(mine))
    assert {document_of(database, "ann", task.task)[1] for task in mine} == {"CNN-1", "CNN-2"}
    with pytest.raises(TaskNotFoundError):
        document_of(database, "bob", mine[0].task)


def test_nobody_hoards(database: Database) -> None:
    project(database, "q1: " + " ".join(f"d{i}" for i in range(40)))
    assert len(next_tasks(database, "ann", 100)) == 12
    assert next_tasks(database, "ann", 5, holding=[task.task for task in next_tasks(database, "ann", 12)]) == []


def test_disagreements_go_to_somebody_who_did_not_judge(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2 d3", judgments_per_document=2)
    for name, grades in (("ann", {"d1": 0, "d2": 2, "d3": 1}), ("bob", {"d1": 0, "d2": 0, "d3": None})):
        for task in next_tasks(database, name, 3):
            given = grades[task.label]
            say(database, name, task, given, kind="cannot" if given is None else "grade", text=f"{name} said so")
    case = cases(database)[0]
    assert [(one.assessor, one.grade, one.comment) for one in case.ratings] == [
        ("ann", 2.0, "ann said so"),
        ("bob", 0.0, "bob said so"),
    ]
    assert next_case(database, "ann") is None
    found = next_case(database, "eve")
    assert found is not None
    opened, case = found
    assert case.doc == "d2"
    assert next_case(database, "dan") is None, "eve is at it"
    assert say(database, "eve", opened, 1, kind="grade").status == "refused"
    assert say(database, "eve", opened, 1, kind="adjudicate", text="partly").status == "stored"
    assert cases(database, settled=False) == []
    settled = cases(database, settled=True)[0].settled
    assert settled is not None
    assert (settled.assessor, settled.grade, settled.comment) == ("eve", 1.0, "partly")
    assert topic_progress(database)[0].judgments == 6, "an adjudication is outside K"
    assert say(database, "eve", opened, kind="undo").status == "stored"
    assert len(cases(database, settled=False)) == 1
    assert next_tasks(database, "eve") == []


def test_whoever_judged_meanwhile_cannot_adjudicate(database: Database) -> None:
    project(database, "q1: d1", judgments_per_document=3)
    for name, grade in (("ann", 0), ("bob", 1)):
        say(database, name, next_tasks(database, name)[0], grade)
    found = next_case(database, "eve")
    assert found is not None
    say(database, "eve", next_tasks(database, "eve")[0], 1)
    assert "cannot adjudicate" in say(database, "eve", found[0], 1, kind="adjudicate").reason


def test_topics_are_in_the_order_in_which_people_count(database: Database) -> None:
    project(database, "10: d1; 2: d1; q10: d1; 1: d1; q9: d1")
    assert [one.topic for one in topic_progress(database)] == ["1", "2", "10", "q9", "q10"]


def test_what_others_have_in_hand(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2 d3", judgments_per_document=2)
    ann, bob = next_tasks(database, "ann", 3), next_tasks(database, "bob", 2)
    assert in_others_hands(database, "eve") == 2  # of the third document one more may be had
    assert in_others_hands(database, "ann") == 0
    say(database, "bob", bob[0], 1)
    say(database, "ann", next(task for task in ann if task.label == bob[0].label), 1)
    assert in_others_hands(database, "eve") == 1  # what is complete does not come back
    clock.advance(3600)
    assert in_others_hands(database, "eve") == 0  # and what was laid down is free


def test_progress(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2 d3; q2: d1", judgments_per_document=2, seed=4)
    add_person(database, "ann", "assessor")
    tasks = next_tasks(database, "ann", 4)
    for task, seconds in zip(tasks[:2], (2.0, 6.0), strict=True):
        record(database, "ann", [answer(task, seconds=seconds)])
    mine = assessor_progress(database, "ann")
    assert (mine.judged, mine.today, mine.median_seconds, mine.left) == (2, 2, 4.0, 2)
    by_topic = {one.topic: one for one in topic_progress(database)}
    assert sum(one.begun for one in by_topic.values()) == 2
    assert sum(one.in_hand for one in by_topic.values()) == 2  # what was answered is in nobody's hand
    assert by_topic["q1"].documents == 3
    clock.advance(86_400)
    assert assessor_progress(database, "ann").today == 0
    assert [one.assessor for one in everybodys_progress(database)] == ["ann"]
    assert settings_of(database).judgments_per_document == 2
