"""Offline bundles: reserved, blind, imported once, and only what was reserved."""

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from germane.errors import GermaneError
from germane.judging.bundle import Bundle, bundle_of, import_answers, reserve, revoke
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, num_events
from germane.judging.store.queues import history, next_tasks
from tests.judging.projects import Clock, docs, project, say

TIME = "2026-02-01T09:00:00Z"


def answers(bundle: Bundle, grade: float = 1) -> list[dict[str, Any]]:
    """What an assessor's page would write: one line per task."""
    head = {name: bundle.content[name] for name in ("bundle", "assessor", "pool", "rubric")}
    return [
        {**head, **task, "event": str(uuid.uuid4()), "kind": "grade", "grade": grade, "time": TIME, "seconds": 3}
        for task in bundle.content["tasks"]
    ]


def lines(rows: list[dict[str, Any]]) -> list[str]:
    return [json.dumps(row) for row in rows]


def test_a_bundle_is_a_reservation_until_it_is_imported(database: Database, clock: Clock) -> None:
    project(database, "q1: d1 d2 d3 d4")
    bundle = reserve(database, "ann", 3)
    clock.advance(30 * 86_400)
    assert len(next_tasks(database, "bob", 9)) == 1, "three are reserved, however long it takes"
    assert next_tasks(database, "ann", 9) == [], "and are not shown to ann on the screen either"
    done = import_answers(database, lines(answers(bundle)[:2]))
    assert (done.stored, done.already, done.extra, done.refused) == (2, 0, 0, ())
    assert bundle_of(database, bundle.bundle).state == "imported"
    assert bundle_of(database, bundle.bundle).answered == 2
    assert len(next_tasks(database, "eve", 9)) == 1, "what was not answered is free"
    event = next(iter(all_events(database)))
    assert event.time == "2026-02-01T09:00:00.000+00:00", "the assessor's clock"


def test_a_revoked_bundle_gives_everything_back(database: Database) -> None:
    project(database, "q1: d1 d2")
    bundle = reserve(database, "ann", 2)
    with pytest.raises(GermaneError, match="no documents left to reserve"):
        reserve(database, "bob", 1)
    revoke(database, bundle.bundle)
    assert len(next_tasks(database, "bob", 9)) == 2
    done = import_answers(database, lines(answers(bundle)))
    assert (done.stored, len(done.refused)) == (0, 2)
    assert "revoked" in done.refused[0].reason


def test_importing_again_stores_nothing_twice(database: Database) -> None:
    project(database, "q1: d1 d2 d3")
    rows = lines(answers(reserve(database, "ann", 3)))
    assert import_answers(database, rows[:2], finish=False).stored == 2
    again = import_answers(database, rows)
    assert (again.stored, again.already) == (1, 2)
    assert import_answers(database, rows).already == 3
    assert num_events(database) == 3


def test_a_bundle_is_blind(database: Database) -> None:
    project(database, "q1: CNN-1 CNN-2*distractor CNN-3*calibration", masked=True)
    told = json.dumps(reserve(database, "ann", 3).content)
    assert json.loads(told)["tasks"][0].keys() == {"task", "topic", "doc"}
    assert not [word for word in ("CNN", "distractor", "calibration", "stratum", "grade") if word in told]


REFUSED: list[tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = [
    (lambda row: row | {"doc": "d9"}, "is not reserved"),
    (lambda row: row | {"topic": "q9"}, "is not reserved"),
    (lambda row: row | {"task": "x"}, "is not reserved"),
    (lambda row: row | {"bundle": "x"}, "unknown bundle 'x'"),
    (lambda row: row | {"assessor": "bob"}, "expected the assessor 'ann', found 'bob'"),
    (lambda row: row | {"pool": "x"}, "expected the pool"),
    (lambda row: row | {"rubric": "2"}, "expected the rubric '1'"),
    (lambda row: row | {"grade": 7}, "expected one of the grades"),
    (lambda row: row | {"grade": "1"}, "'grade' has the wrong type"),
    (lambda row: row | {"grade": True}, "'grade' has the wrong type"),
    (lambda row: row | {"event": "x"}, "UUID"),
    (lambda row: row | {"kind": "adjudicate"}, "cannot adjudicate"),
    (lambda row: {}, "unknown bundle"),
]


@pytest.mark.parametrize(("spoil", "reason"), REFUSED)
def test_what_is_refused_is_listed(
    tmp_path: Any, spoil: Callable[[dict[str, Any]], dict[str, Any]], reason: str
) -> None:
    with Database(tmp_path / "p.db") as database:
        project(database, "q1: d1 d2 d3")
        first, second = answers(reserve(database, "ann", 2))
        done = import_answers(database, lines([spoil(first), second]))
        assert (done.stored, [one.line for one in done.refused]) == (1, [1])
        assert reason in done.refused[0].reason


def test_a_line_that_is_no_json_is_listed_too(database: Database) -> None:
    project(database, "q1: d1")
    done = import_answers(database, ["", "not json", "[1]", b"\xff"])
    assert [one.line for one in done.refused] == [2, 3, 4]


def test_a_pair_reserved_for_another_bundle_is_refused(database: Database) -> None:
    project(database, "q1: d1 d2")
    anns, bobs = reserve(database, "ann", 1), reserve(database, "bob", 1)
    stolen = answers(bobs)[0] | {"bundle": anns.bundle, "assessor": "ann"}
    assert "is not reserved" in import_answers(database, lines([stolen])).refused[0].reason


def test_changes_and_undo_offline(database: Database) -> None:
    project(database, "q1: d1")
    first = answers(reserve(database, "ann", 1))[0]
    change = first | {"event": str(uuid.uuid4()), "grade": 2}  # in the same second
    undo = first | {"event": str(uuid.uuid4()), "kind": "undo", "grade": None, "supersedes": change["event"]}
    assert import_answers(database, lines([first, change]), finish=False).stored == 2
    assert history(database, "ann")[0].grade == 2.0
    assert import_answers(database, lines([undo])).stored == 1
    assert history(database, "ann")[0].grade == 1.0


def test_an_older_answer_does_not_replace_a_newer_one(database: Database, clock: Clock) -> None:
    project(database, "q1: d1")
    bundle = reserve(database, "ann", 1)
    rows = answers(bundle, 0)
    import_answers(database, [])
    say(database, "ann", bundle.tasks[0].task, 2)
    rows[0]["time"] = "2026-01-01T00:00:00Z"
    assert import_answers(database, lines(rows)).stored == 1
    assert [(one.grade, one.label) for one in history(database, "ann")] == [(2.0, "d1")]
    assert docs(list(bundle.tasks)) == ["d1"]
