"""Judging projects that two processes open, and the journal beside them; releases of what was judged."""

from __future__ import annotations

import json
from pathlib import Path

import sqlalchemy as sa

from germane.judging.release import check_release, write_release
from germane.judging.store import schema
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events
from germane.judging.store.journal import Journal
from germane.judging.store.project import Settings, save_settings, settings_of
from germane.judging.store.queues import next_tasks
from germane.tables.truth.judgments import JudgmentEvent
from tests.judging.projects import project, say
from tests.writers.race import Race, Ready, add, begin_with_nothing


def opened(folder: Path, *, alone: bool = False) -> Database:
    return Database(folder / "project.db", alone=alone, snapshots=2 if alone else 0)


def begin(folder: Path) -> None:
    with opened(folder) as database:
        project(database, "q1: " + " ".join(f"d{n}" for n in range(60)))


def judge(folder: Path, number: int, ready: Ready) -> str:
    with opened(folder) as database:
        ready()
        task = next_tasks(database, f"a{number}", 1)[0]
        receipt = say(database, f"a{number}", task)
        assert receipt.status == "stored"
        return receipt.event


def serve(folder: Path, number: int, ready: Ready) -> str:
    """As a server does: one process at a time."""
    ready()
    with opened(folder, alone=True):
        pass
    return judge(folder, number, lambda: None)


def judged(folder: Path) -> set[str]:
    """What is in the database and, once a server has started, in the journal."""
    with opened(folder) as database:
        events = list(all_events(database))
        assert database.journal is not None
        database.journal.catch_up(vars(event) for event in events)
        assert len({event.doc for event in events}) == len(events), "one judgment for each document"
        return {event.event for event in events} & {name for _, name, _ in database.journal.events()}


def choose_settings(folder: Path, number: int, ready: Ready) -> str:
    """A new project: whoever comes first decides how document ids are masked."""
    ready()
    with opened(folder) as database:
        found = save_settings(database, Settings(lease_seconds=600 + number)) if number % 2 else settings_of(database)
    return found.mask_key


def mask_keys(folder: Path) -> set[str]:
    with opened(folder) as database:
        with database.read() as connection:
            bodies = connection.execute(sa.select(schema.settings.c.body)).scalars().all()
        assert settings_of(database).lease_seconds == 601, "defaults never replace what somebody chose"
        keys = {Settings(**json.loads(body)).mask_key for body in bodies}
        return keys if len(keys) == 1 else set()


def write_journal(folder: Path, number: int, ready: Ready) -> str:
    """One appends an event, the other writes what is missing."""
    journal = Journal(folder / "events.jsonl")
    given = {"event": f"e{number}", "text": "long " * 2000}
    ready()
    if number % 2:
        journal.add([given])
    else:
        journal.catch_up([given])
    return f"e{number}"


def journal_ids(folder: Path) -> set[str]:
    journal = Journal(folder / "events.jsonl")
    journal.catch_up([])
    return {name for _, name, _ in journal.events()}


def release(folder: Path, number: int, ready: Ready) -> str:
    event = JudgmentEvent(f"e{number}", "grade", "ann", "q1", f"d{number}", 1.0, time="2026-01-01T09:00:00Z")
    ready()
    write_release([event], folder / "release")
    return f"d{number}"


def released(folder: Path) -> set[str]:
    assert check_release(folder / "release") == []
    return {line.split()[2] for line in (folder / "release" / "qrels.txt").read_text().splitlines()}


add(Race("judging_store", begin, judge, judged, kills=True))
add(Race("judging_server", begin, serve, judged, refusal="another process is serving", retries=True))
add(Race("judging_settings", begin_with_nothing, choose_settings, mask_keys))
add(Race("judging_journal", begin_with_nothing, write_journal, journal_ids, kills=True))
add(Race("release", begin_with_nothing, release, released, refusal="expected a new or empty folder"))
