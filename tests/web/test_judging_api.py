"""The API for assessors: documents go out blind, answers come in once."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.web.judging_site import PNG, RUN, STRATUM, Client, Live, live, plain_text


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Live]:
    docs: dict[str, str | bytes] = {f"d{number}.txt": plain_text(number) for number in range(8)}
    docs |= {"p.png": PNG, "h.html": "<h1>A page</h1><script>1</script><p>of wine</p>"}
    with live(tmp_path / "p", docs, judgments_per_document=2) as found:
        yield found


def test_work_answers_and_work_again(running: Live) -> None:
    ann = running.client("ann")
    first = ann.work(3)["tasks"]
    assert len(first) == 3
    assert ann.grade(first[0]["task"], 2)["status"] == "stored"
    held = [task["task"] for task in first[1:]]
    more = ann.work(3, holding=held)
    assert more["lost"] == []
    assert {task["task"] for task in more["tasks"]}.isdisjoint(task["task"] for task in first)
    assert [(event.assessor, event.grade) for event in running.events()] == [("ann", 2.0)]


def test_who_has_nothing_to_do_is_told_what_others_have_in_hand(tmp_path: Path) -> None:
    with live(tmp_path / "p", {f"d{number}.txt": plain_text(number) for number in range(4)}) as running:
        ann, bob = running.client("ann"), running.client("bob")
        held = ann.work(5)
        assert "in_others_hands" not in held
        assert bob.work(5) == {"lost": [], "tasks": [], "in_others_hands": 4}
        for number, task in enumerate(held["tasks"], start=1):
            ann.grade(task["task"], 1)
            assert bob.work(5)["in_others_hands"] == 4 - number
        assert ann.work(5) == {"lost": [], "tasks": [], "in_others_hands": 0}


def test_progress_says_how_much_there_is(running: Live) -> None:
    ann = running.client("ann")
    for task in ann.work(3)["tasks"]:
        ann.grade(task["task"], 1)
    told = ann("GET", "/api/progress").json
    assert (told["judged"], told["left"], told["left_in_topic"]) == (3, 7, 7)


def test_a_database_that_another_program_keeps_locked_is_no_crash(running: Live) -> None:
    ann, path = running.client("ann"), running.site.database.path
    task = ann.work(1)["tasks"][0]["task"]
    answer = {"event": str(uuid.uuid4()), "task": task, "kind": "grade", "grade": 1, "rubric": "1"}
    with running.site.database.write() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 20")
    assert path is not None
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        reply = ann("POST", "/api/answers", {"answers": [answer]})
        assert reply.status == 503, "the page keeps the answer and sends it again"
        assert "another process has been writing to this project" in reply.json["error"]
        assert ann("GET", "/api/progress").status == 200, "reading goes on"
    assert running.events() == []
    assert ann("POST", "/api/answers", {"answers": [answer]}).json["receipts"][0]["status"] == "stored"


def test_all_kinds_of_documents(running: Live) -> None:
    ann = running.client("ann")
    by_kind = {}
    for _ in range(10):
        for task in ann.work(1)["tasks"]:
            by_kind[task["document"]["kind"]] = task
            ann.grade(task["task"], 0)
    assert set(by_kind) == {"text", "html", "image"}
    picture = ann("GET", "/" + by_kind["image"]["document"]["image"])
    assert (picture.headers["content-type"], picture.data) == ("image/png", PNG)
    page = by_kind["html"]["document"]["html"]
    assert "<h1>A page</h1>" in page
    assert "<script" not in page
    assert ann("GET", f"/api/tasks/{by_kind['text']['task']}/image").status == 404


def test_a_task_is_its_owners(running: Live) -> None:
    task = running.client("ann").work(1)["tasks"][0]["task"]
    bob = running.client("bob")
    assert bob("GET", f"/api/tasks/{task}").status == 404
    assert bob.grade(task, 1)["status"] == "refused"
    assert running.events() == []


def test_sending_again_does_no_harm(running: Live) -> None:
    ann = running.client("ann")
    task = ann.work(1)["tasks"][0]["task"]
    event = str(uuid.uuid4())
    assert [ann.grade(task, 1, event=event)["status"] for _ in range(3)] == ["stored", "already", "already"]
    assert len(running.events()) == 1


def test_an_answer_that_replaces_another_says_which(running: Live) -> None:
    ann = running.client("ann")
    task = ann.work(1)["tasks"][0]["task"]
    ann("POST", "/api/answers", {"answers": [{"event": str(uuid.uuid4()), "task": task, "kind": "later"}]})
    first = ann.grade(task, 1)
    assert first["replaces"] is None, "to put a document off is no judgment of it"
    second = ann.grade(task, 2)
    assert (second["status"], second["replaces"]) == ("stored", first["event"])
    again = ann.grade(task, 2, event=second["event"])
    assert (again["status"], again["replaces"]) == ("already", first["event"])
    undo = {"event": str(uuid.uuid4()), "task": task, "kind": "undo"}
    assert ann("POST", "/api/answers", {"answers": [undo]}).json["receipts"][0]["replaces"] is None
    assert ann.grade(task, 0)["replaces"] == first["event"], "which stood again"
    assert ann.grade(task, 1, event=first["event"])["replaces"] is None


def test_answers_too_fast_to_read_are_counted_for_the_organiser(running: Live) -> None:
    ann = running.client("ann")
    for task, seconds in zip(ann.work(4)["tasks"], (0.2, 0.9, 1.0, None), strict=True):
        ann.grade(task["task"], 1, seconds=seconds)
    [found] = running.client("olga", "organiser")("GET", "/api/project/progress").json["people"]
    assert (found["assessor"], found["judged"], found["too_fast"]) == ("ann", 4, 2)
    assert "too_fast" not in ann("GET", "/api/progress").json


def test_one_bad_answer_does_not_stop_the_others(running: Live) -> None:
    ann = running.client("ann")
    task = ann.work(1)["tasks"][0]["task"]
    answers = [
        {"event": str(uuid.uuid4()), "task": task, "kind": "grade", "grade": grade, "rubric": "1"} for grade in (9, 1)
    ]
    receipts = ann("POST", "/api/answers", {"answers": answers}).json["receipts"]
    assert [receipt["status"] for receipt in receipts] == ["refused", "stored"]
    assert "expected one of the grades 0, 1, 2" in receipts[0]["reason"]


def test_the_answers_of_somebody_else_are_not_taken_as_mine(running: Live) -> None:
    reply = running.client("bob")("POST", "/api/answers", {"assessor": "ann", "answers": []})
    assert (reply.status, reply.json["error"]) == (409, "these are judgments of ann, but you are signed in as bob")


def test_history_is_ones_own_with_comments(running: Live) -> None:
    ann = running.client("ann")
    task = ann.work(1)["tasks"][0]["task"]
    ann.grade(task, 1)
    ann("POST", "/api/answers", {"answers": [
        {"event": str(uuid.uuid4()), "task": task, "kind": "comment", "text": "<b>hm</b>"}]})  # fmt: skip
    [said] = ann("GET", "/api/history").json["answers"]
    assert (said["task"], said["answer"]["grade"], said["answer"]["comment"]) == (task, 1, "<b>hm</b>")
    assert ann("GET", f"/api/tasks/{task}").json["answer"] == said["answer"]
    assert running.client("bob")("GET", "/api/history").json == {"answers": []}


WRONG = [
    (b"{", "application/json", 400),
    (b'{"want": NaN}', "application/json", 400),
    (b"[" * 100_000, "application/json", 400),
    (b"{}", "text/plain", 415),
    (b"{}", "application/json", 422),
    (b'{"seen": [], "holding": [], "want": 99}', "application/json", 422),
    (b'{"seen": [], "holding": [], "want": true}', "application/json", 422),
    (b'{"seen": [1], "holding": [], "want": 1}', "application/json", 422),
    (b'{"seen": [], "holding": [], "want": 1, "rank": 1}', "application/json", 422),
    (b" " * 2_000_001, "application/json", 413),
]


def test_a_wrong_body_is_an_error_that_says_why(running: Live) -> None:
    ann = running.client("ann")
    for body, kind, status in WRONG:
        reply = ann("POST", "/api/work", body, {"Content-Type": kind})
        assert reply.status == status, body[:60]
        assert "expected" in reply.json["error"]


# ---- blind


LEAK = re.compile(
    rf"{RUN}|{STRATUM}|0\.625|distractor|calibration|stratum|inclusion|\brank\b|\bscore\b|\bruns?\b", re.I
)


def leaks(text: str) -> list[str]:
    """What in a page or in JSON tells how a document came to be there."""
    return LEAK.findall(text)


def test_nothing_that_an_assessor_gets_says_where_a_document_is_from(running: Live) -> None:
    ann, bob = running.client("ann"), running.client("bob")
    told = []
    for _ in range(5):
        for task in bob.work(3)["tasks"]:
            bob.grade(task["task"], 2, text="bobs secret reason")
    replies = [ann("POST", "/api/work", {"seen": [], "holding": [], "want": 5, "progress": True})]
    task = replies[0].json["tasks"][0]["task"]
    replies += [ann("POST", "/api/answers", {"answers": []})]
    ann.grade(task, 0)
    replies += [
        ann("GET", path) for path in ("/judge", "/api/me", "/api/history", "/api/progress", f"/api/tasks/{task}")
    ]
    for reply in replies:
        assert reply.status == 200
        told += leaks(reply.text)
        assert "bob" not in reply.text
        assert "secret reason" not in reply.text
    assert told == []
    grades = [one["answer"]["grade"] for one in replies[4].json["answers"]]
    assert grades == [0]  # her own, and none of the grades that bob gave


def test_the_law_of_blindness_catches_a_page_that_tells() -> None:
    assert leaks(json.dumps({"task": "x", "rank": 3})) == ["rank"]
    assert leaks(f"<td>{RUN}</td>") == [RUN]


def test_a_masked_project_hides_the_ids(tmp_path: Path) -> None:
    with live(tmp_path / "p", {"FT911-3.txt": "text of wine"}, masked=True) as running:
        reply = running.client("ann")("POST", "/api/work", {"seen": [], "holding": [], "want": 1})
        assert "FT911" not in reply.text
        assert reply.json["tasks"][0]["label"].startswith("document ")


def test_a_document_that_is_not_there_can_be_answered(tmp_path: Path) -> None:
    with live(tmp_path / "p", {"a.txt": "wine", "b.txt": "wine"}) as running:
        (tmp_path / "p" / "docs" / "a.txt").write_bytes(b"wine")
        running.site.documents._files.pop("a.txt")  # type: ignore[attr-defined]
        kinds = {task["document"]["kind"] for task in running.client("ann").work(2)["tasks"]}
        assert kinds == {"missing", "text"}


def test_active_order_is_said_in_the_record(tmp_path: Path) -> None:
    from germane.judging.store.project import record_of

    docs = {f"d{number}.txt": plain_text(number) for number in range(6)}
    with live(tmp_path / "p", docs, ordering="active") as running:
        ann = running.client("ann")
        for task in ann.work(3)["tasks"]:
            ann.grade(task["task"], 1)
        assert record_of(running.site.database)["events"] == {"active": 3}


# ---- the description


def test_the_description_names_every_endpoint(running: Live) -> None:
    from germane.web.app import ENDPOINTS

    described = Client(running.port)("GET", "/openapi.json").json
    assert described["openapi"].startswith("3.1")
    named = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert named == {(one.method, re.sub(r":\w+}", "}", one.path)) for one in ENDPOINTS}
    operations = [operation for methods in described["paths"].values() for operation in methods.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations)


def test_what_is_given_is_as_described(running: Live) -> None:
    from germane.web.app import ENDPOINTS
    from germane.web.endpoints import problem_with

    gives = {(one.method, one.path): one.gives for one in ENDPOINTS}
    ann = running.client("ann")
    work = ann("POST", "/api/work", {"seen": [], "holding": [], "want": 5, "progress": True}).json
    assert problem_with(work, gives["POST", "/api/work"]) is None
    ann.grade(work["tasks"][0]["task"], 1)
    assert problem_with(ann("GET", "/api/history").json, gives["GET", "/api/history"]) is None
    assert problem_with({"tasks": []}, gives["POST", "/api/work"]) == "expected 'lost', found none"


def test_a_file_that_goes_away_does_not_stop_the_queue(tmp_path: Path) -> None:
    with live(tmp_path / "p", {"a.txt": "wine", "b.txt": "cheese"}) as running:
        (tmp_path / "p" / "docs" / "a.txt").unlink()
        reply = running.client("ann")("POST", "/api/work", {"seen": [], "holding": [], "want": 5})
        remarks = {one["label"]: one["document"]["remarks"] for one in reply.json["tasks"]}
        assert remarks == {"a.txt": ["This document cannot be read."], "b.txt": []}
