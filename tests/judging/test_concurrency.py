"""Twenty assessors at once, and writers that are killed: K is never exceeded, nothing is lost, nothing is doubled."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from germane.judging.store import schema
from germane.judging.store.connection import Database
from germane.judging.store.events import all_events, catch_up_journal
from germane.tables.truth.judgments import standing
from tests.conftest import ROOT
from tests.judging.projects import project

KILLS = {"sqlite": 5, "postgresql": 2}
"""How often writers are killed, unless GERMANE_KILLS says otherwise (100 takes a minute or two)."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="assessors are forks")


def run_assessors(what: str, store: str, folder: Path, number: int) -> None:
    script = ROOT / "tests" / "judging" / "assessor_processes.py"
    command = [sys.executable, str(script), what, store, str(folder), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60 + 10 * number)
    assert done.returncode == 0, done.stderr[-4000:]


def acknowledged(folder: Path) -> list[str]:
    return [line for file in folder.glob("*.acknowledged") for line in file.read_text().splitlines()]


def judges_by_item(database: Database) -> Counter[int]:
    """How many people have a standing ordinary judgment of each item."""
    with database.read() as connection:
        query = sa.select(schema.standing.c.item).where(schema.standing.c.kind == "ordinary")
        return Counter(connection.execute(query).scalars())


def too_often(database: Database, most: int) -> list[int]:
    return [item for item, judges in judges_by_item(database).items() if judges > most]


def test_twenty_assessors_at_once(store: str, tmp_path: Path) -> None:
    spec = "; ".join(f"q{t}: " + " ".join(f"d{d}" for d in range(6)) for t in range(3)) + "; q0: x*distractor"
    with Database(store, journal=tmp_path / "journal.jsonl") as database:
        project(database, spec, judgments_per_document=2)
        run_assessors("race", store, tmp_path, 20)
        assert too_often(database, 2) == []
        judges = judges_by_item(database)
        assert (len(judges), set(judges.values())) == (18, {2}), "every document was judged by two people"
        events = list(all_events(database))
        said = acknowledged(tmp_path)
        assert len(said) == len(set(said)) == len(events), "none doubled"
        assert set(said) == {event.event for event in events}, "none lost"
        assert len(standing(events).of_kind("ordinary")) == 36
        assert database.journal is not None
        assert sorted(name for _, name, _ in database.journal.events()) == sorted(said)


def test_counting_without_the_lock_is_caught(store: str, tmp_path: Path) -> None:
    with Database(store, journal=tmp_path / "journal.jsonl") as database:
        project(database, "q0: d1 d2 d3 d4 d5 d6")
        run_assessors("careless", store, tmp_path, 10)
        assert too_often(database, 1) != []


def test_killed_writers_lose_nothing(store: str, tmp_path: Path) -> None:
    with Database(store, journal=tmp_path / "journal.jsonl") as database:
        kills = int(os.environ.get("GERMANE_KILLS", KILLS["sqlite" if database.is_sqlite else "postgresql"]))
        project(database, "q0: " + " ".join(f"d{d}" for d in range(40 * kills)))
        run_assessors("kills", store, tmp_path, kills)
        said, recorded = acknowledged(tmp_path), [event.event for event in all_events(database)]
        assert len(said) >= 10 * kills
        assert len(recorded) == len(set(recorded))
        assert set(said) <= set(recorded)
        assert too_often(database, 1) == []
        assert catch_up_journal(database) == 0
        assert database.journal is not None
        assert sorted(name for _, name, _ in database.journal.events()) == sorted(recorded)
