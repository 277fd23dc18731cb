"""The API for organisers: people, disagreements, bundles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from germane.formats.truth.judgments_file import read_judgments
from tests.web.judging_site import Client, Live, live, plain_text


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Live]:
    docs = {f"d{number}.txt": plain_text(number) for number in range(6)}
    with live(tmp_path / "p", docs, judgments_per_document=2) as found:
        yield found


def judge_all(client: Client, grade: float) -> None:
    while tasks := client.work(5)["tasks"]:
        for task in tasks:
            client.grade(task["task"], grade)


def test_people_come_and_go(running: Live) -> None:
    olga = running.client("olga", "organiser")
    made = olga("POST", "/api/people", {"name": "dana", "role": "assessor"}).json
    secret = made["link"].partition("#")[2]
    assert Client(running.port)("POST", "/api/session", {"secret": secret}, {"Origin": running.origin}).status == 200
    token = olga("POST", "/api/people/dana/links", {"kind": "token", "days": 1}).json["token"]
    dana = Client(running.port, token=token)
    assert dana("GET", "/api/me").json["role"] == "assessor"
    listed = olga("GET", "/api/people")
    assert secret not in listed.text
    assert token not in listed.text
    assert olga("PATCH", "/api/people/dana", {"disabled": True}).json["disabled"] is True
    assert dana("GET", "/api/me").status == 401
    assert olga("PATCH", "/api/people/olga", {"role": "viewer"}).status == 422
    assert olga("PATCH", "/api/people/nobody", {"role": "viewer"}).status == 404
    assert olga("POST", "/api/people", {"name": "dana", "role": "assessor"}).status == 422


def test_an_organiser_looks_first_where_others_judge(running: Live) -> None:
    olga = running.client("olga", "organiser")
    assert olga("GET", "/").headers["location"] == "judge"
    ann = running.client("ann")
    assert olga("GET", "/").headers["location"] == "progress"
    assert ann("GET", "/").headers["location"] == "judge"
    olga("PATCH", "/api/people/ann", {"disabled": True})
    assert olga("GET", "/").headers["location"] == "judge"


def test_without_a_shared_document_the_page_on_agreement_has_a_sentence(running: Live) -> None:
    ann, bob = running.client("ann"), running.client("bob")
    first = ann.work(1)["tasks"][0]
    ann.grade(first["task"], 1)
    other = next(task for task in bob.work(5)["tasks"] if task["label"] != first["label"])
    bob.grade(other["task"], 1)
    page = running.client("olga", "organiser")("GET", "/agreement").text
    assert "<p>No document has grades of two assessors yet.</p>" in page
    assert "<table>" not in page


def test_disagreements_are_settled_by_somebody_else(running: Live) -> None:
    ann, bob, olga = running.client("ann"), running.client("bob"), running.client("olga", "organiser")
    judge_all(ann, 2)
    judge_all(bob, 0)
    found = olga("POST", "/api/cases/next").json
    assert found["open"] == 6
    ratings = {rating["assessor"]: rating["grade"] for rating in found["case"]["ratings"]}
    assert ratings == {"ann": 2, "bob": 0}
    answer = {"event": "11111111-1111-4111-8111-111111111111", "task": found["case"]["task"], "kind": "adjudicate"}
    answer |= {"grade": 1, "rubric": "1", "text": "in between"}
    assert ann("POST", "/api/answers", {"answers": [answer]}).status == 403
    assert olga("POST", "/api/answers", {"answers": [answer]}).json["receipts"][0]["status"] == "stored"
    settled = [case for case in olga("GET", "/api/cases").json["cases"] if case["settled"]]
    assert [(case["settled"]["grade"], case["settled"]["comment"]) for case in settled] == [(1, "in between")]


def test_agreement_and_progress(running: Live) -> None:
    olga = running.client("olga", "organiser")
    assert "two assessors" in olga("GET", "/agreement").text
    assert olga("GET", "/api/project/agreement").status == 422
    judge_all(running.client("ann"), 2)
    judge_all(running.client("bob"), 2)
    assert olga("GET", "/api/project/agreement").json
    page = olga("GET", "/agreement").text
    assert "observed agreement" in page
    assert "Krippendorff&#39;s alpha, interval is undefined: only one grade was given" in page
    progress = olga("GET", "/api/project/progress").json
    assert [(one["topic"], one["complete"]) for one in progress["topics"]] == [("t0", 6)]
    assert "events.jsonl" not in running.client("vic", "viewer")("GET", "/progress").text


def test_events_are_an_events_file(running: Live, tmp_path: Path) -> None:
    judge_all(running.client("ann"), 1)
    path = tmp_path / "events.jsonl"
    path.write_bytes(running.client("olga", "organiser")("GET", "/api/project/events").data)
    assert len(read_judgments(path).judgments) == 6


def test_a_bundle_goes_out_blind_and_comes_back_once(running: Live) -> None:
    from germane.judging.bundle import all_bundles

    olga = running.client("olga", "organiser")
    running.secret("bob")
    page = olga("POST", "/api/bundles", {"assessor": "bob", "count": 4})
    assert page.status == 200
    assert page.headers["content-disposition"].startswith("attachment")
    [bundle] = all_bundles(running.site.database)
    assert len(bundle.tasks) == 4
    common = {"bundle": bundle.bundle, "assessor": "bob", "pool": bundle.pool, "rubric": bundle.rubric, "kind": "grade"}
    lines = [
        common
        | {"event": f"00000000-0000-4000-8000-00000000000{number}", "task": task.task, "topic": task.topic}
        | {"doc": task.label, "grade": 1, "time": "2026-01-01T09:00:00Z"}
        for number, task in enumerate(bundle.tasks)
    ]
    lines[3]["doc"] = "another"
    body = "\n".join(map(json.dumps, lines)).encode()
    first = olga("POST", "/api/bundles/answers", body).json
    assert (first["stored"], first["already"], [one["line"] for one in first["refused"]]) == (3, 0, [4])
    again = olga("POST", "/api/bundles/answers", body).json
    assert (again["stored"], again["already"]) == (0, 3)
    assert len(running.events()) == 3
    assert {asdict(event)["assessor"] for event in running.events()} == {"bob"}
