"""Twenty assessors at a real server at once, killed in the middle: what was acknowledged is stored, exactly once."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="germane[judge] is not installed")

from benchmarks.assessors import Assessor
from benchmarks.parts.settings import germane_command
from benchmarks.served import Browser, Server, serving
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, catch_up_journal

PEOPLE = [f"a{number}" for number in range(20)]
ENOUGH = 150
"""Acknowledged answers after which the server is killed, and after which the second one is stopped."""
MOST_SECONDS = 60

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is killed with a signal")


def write_files(folder: Path) -> list[str]:
    """A pool of three topics with their documents; gives the words of the command."""
    topics, docs = range(3), range(400)
    (folder / "pool.txt").write_text("".join(f"q{topic} d{doc}\n" for topic in topics for doc in docs))
    (folder / "topics.tsv").write_text("".join(f"q{topic}\twine {topic}\n" for topic in topics))
    lines = [f'{{"id": "d{doc}", "title": "Wine {doc}", "text": "Red, or white."}}\n' for doc in docs]
    (folder / "docs.jsonl").write_text("".join(lines))
    files = [str(folder / "pool.txt"), "--documents", str(folder / "docs.jsonl")]
    return [
        *germane_command(),
        "judge",
        *files,
        "--query-texts",
        str(folder / "topics.tsv"),
        "--port",
        "0",
        "--organiser",
        "ann",
    ]


def cookies(server: Server) -> dict[str, str]:
    found = {}
    for name, link in zip(PEOPLE, server.links[1:], strict=True):
        browser = Browser(server.port)
        browser.sign_in(link)
        browser.close()
        found[name] = browser.cookie
    return found


class Crowd:
    """Everybody judges at once, until there are enough acknowledged answers."""

    def __init__(self, server: Server) -> None:
        deadline = time.monotonic() + MOST_SECONDS
        self.is_over = False
        self.people = [
            Assessor(server.port, cookie, name, stop=lambda: self.is_over, counts=lambda: True)
            for name, cookie in cookies(server).items()
        ]
        self.threads = [threading.Thread(target=person.run) for person in self.people]
        for thread in self.threads:
            thread.start()
        while self.num_acknowledged < ENOUGH and time.monotonic() < deadline:
            time.sleep(0.005)

    @property
    def num_acknowledged(self) -> int:
        return sum(len(person.done.acknowledged) for person in self.people)

    def go_home(self) -> None:
        self.is_over = True
        for thread in self.threads:
            thread.join()


def lost(acknowledged: list[str], recorded: list[str]) -> list[str]:
    """What somebody was told is saved, and is not there exactly once."""
    count = Counter(recorded)
    return [event for event in acknowledged if count[event] != 1]


def test_killed_under_load_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    words = write_files(tmp_path)
    with serving([*words, *(word for name in PEOPLE for word in ("--assessor", name))], links=21) as server:
        first = Crowd(server)
        server.kill()
        first.go_home()
    assert first.num_acknowledged >= ENOUGH
    with serving([*words, *(word for name in PEOPLE for word in ("--assessor", name))], links=21) as server:
        second = Crowd(server)
        second.go_home()
        assert [problem for person in second.people for problem in person.done.problems] == []
    people = [*first.people, *second.people]
    acknowledged = [event for person in people for event in person.done.acknowledged]
    grades = {event: grade for person in people for event, grade in person.done.sent.items()}
    with Database(tmp_path / "pool.judging.db", alone=True) as database:
        events = list(all_events(database))
        recorded = [event.event for event in events]
        assert len(acknowledged) >= 2 * ENOUGH
        assert lost(acknowledged, recorded) == []
        assert {event.event: event.grade for event in events}.items() <= grades.items(), "nothing that nobody sent"
        judged = Counter((event.topic, event.doc) for event in events if event.item_kind == "ordinary")
        assert max(judged.values()) == 1, "no document was given to two people"
        assert catch_up_journal(database) == 0
        assert database.journal is not None
        assert sorted(name for _, name, _ in database.journal.events()) == sorted(recorded)


def test_a_lost_or_doubled_answer_is_caught() -> None:
    assert lost(["a", "b", "c"], ["a", "b", "b"]) == ["b", "c"]
