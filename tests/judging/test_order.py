"""What is remembered of a shuffle changes nothing: the next documents are those that a look at everything gives."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from germane.judging.store import shuffle
from germane.judging.store.connection import Database
from germane.judging.store.leases import Claimable, give_back
from germane.judging.store.order import _Reader, _shuffles, candidates
from germane.judging.store.project import Settings, load_pool, save_settings, settings_of
from germane.judging.store.queues import history, next_tasks
from germane.judging.store.shuffle import Shuffles
from tests.judging.projects import Clock, docs, pool_of, project, say

PEOPLE = ("ann", "bob", "cid")


class LookingAtEverything(_Reader):
    """The plain way: all of a topic, every time."""

    def _in_topic(self, topic: str, *, is_current: bool) -> Iterator[Claimable]:
        yield from self._whole_topic(topic) if is_current or self._has_room(topic) else ()


def plainly(database: Database, assessor: str) -> list[Claimable]:
    shuffles, settings = Shuffles(), settings_of(database)
    with database.read() as connection:
        shuffles.renew(connection)
        return list(LookingAtEverything(connection, assessor, settings, database.clock(), None, shuffles).in_order())


def differences(database: Database) -> list[str]:
    return [who for who in PEOPLE if candidates(database, who, settings_of(database), 1000) != plainly(database, who)]


def act(database: Database, clock: Clock, draw: random.Random, extra: Iterator[str]) -> None:
    """Something that somebody may do."""
    who = draw.choice(PEOPLE)
    what = draw.choices(
        ["judge", "skip", "undo", "change", "leave", "wait", "settings", "pool"], [12, 3, 2, 2, 1, 2, 0.3, 0.3]
    )[0]
    clock.advance(1)
    if what in ("judge", "skip"):
        for task in next_tasks(database, who, draw.randint(1, 4))[: draw.randint(0, 4)]:
            say(database, who, task, 1, **({} if what == "judge" else {"kind": "later"}))
    elif what in ("undo", "change"):
        if said := history(database, who, 30):
            say(database, who, draw.choice(said), 2, **({} if what == "change" else {"kind": "undo"}))
    elif what == "leave":
        give_back(database, who)
    elif what == "wait":
        clock.advance(draw.choice([30, 100, 2000]))
    elif what == "settings":
        share, gap = draw.choice([0.0, 0.3, 1.0]), draw.choice([0, 2, 5])
        save_settings(database, Settings(draw.choice([1, 2]), repeat_share=share, repeat_gap=gap))
    else:
        load_pool(database, pool_of(f"q0: {next(extra)} {next(extra)}*distractor"))


@pytest.mark.parametrize("seed", range(4))
def test_the_next_documents_are_those_of_a_look_at_everything(tmp_path: Path, seed: int) -> None:
    draw, clock, extra = random.Random(seed), Clock(), (f"x{number}" for number in range(1000))
    with Database(tmp_path / "project.db", clock=clock) as database:
        topics = "; ".join(f"q{t}: " + " ".join(f"d{d}" for d in range(9)) + f" m{t}*distractor" for t in range(3))
        project(database, f"{topics}; q1: d1*repeat; q0: c1*calibration", 1 + seed % 2, repeat_share=0.4, repeat_gap=2)
        for step in range(90):
            act(database, clock, draw, extra)
            assert differences(database) == [], (seed, step)


def test_a_shuffle_that_remembers_too_much_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken specimen: what was seen held by somebody is never looked at again."""
    monkeypatch.setattr("germane.judging.store.events.forget_orders", lambda *_: None)
    with Database(tmp_path / "project.db", clock=Clock()) as database:
        project(database, "q0: d1 d2 d3 d4 d5 d6")
        tasks = next_tasks(database, "ann", 3)
        for task in tasks:
            say(database, "ann", task)
        assert differences(database) == []
        say(database, "ann", tasks[0], kind="undo")
        give_back(database, "ann")
        assert differences(database) != []


def test_a_changed_answer_is_forgotten_after_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it, another thread would read the old answer, and remember it for good."""
    seen: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        "germane.judging.store.events.forget_orders",
        lambda database, topic: seen.append((topic, database._in_write)),
    )
    with Database(tmp_path / "project.db", clock=Clock()) as database:
        project(database, "q0: d1 d2")
        (task,) = next_tasks(database, "ann", 1)
        say(database, "ann", task)
        assert seen == []
        say(database, "ann", task, 2)
        say(database, "ann", task, kind="undo")
        assert seen == [("q0", False)] * 2


def test_whoever_has_finished_costs_the_others_nothing(tmp_path: Path) -> None:
    with Database(tmp_path / "project.db", clock=Clock()) as database:
        project(database, "q0: d1 d2 d3", 2)
        settings = settings_of(database)
        assert candidates(database, "bob", settings, 1) != []
        for task in next_tasks(database, "ann", 3):
            say(database, "ann", task)
        before = dict(_shuffles[database]._of_topic["q0"])
        assert candidates(database, "ann", settings, 1) == []
        after = _shuffles[database]._of_topic["q0"]
        assert after["bob", settings] is before["bob", settings]
        assert after["ann", settings] is not before["ann", settings]


def test_looks_at_a_few_items_however_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    free = shuffle._free

    def counting(connection: object, remembered: object, rows: list[object], *rest: object) -> object:
        looked_at.append(len(rows))
        return free(connection, remembered, rows, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(shuffle, "_free", counting)
    with Database(tmp_path / "project.db", clock=Clock()) as database:
        project(database, "q0: " + " ".join(f"d{number}" for number in range(2000)))
        for _ in range(60):
            say(database, "ann", next_tasks(database, "ann", 1)[0])
        looked_at.clear()
        assert len(docs(next_tasks(database, "ann", 1))) == 1
        assert sum(looked_at) <= 2 * shuffle.FIRST_LOOK
        assert set(_shuffles[database].topics) == {"q0"}
