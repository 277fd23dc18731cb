"""The log of events: recorded once, never changed, and what stands after all of them."""

import json
import math
import random
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from germane.errors import GermaneError, InputError
from germane.judging.rubric import Grade, Rubric, binary, grade_now, graded, parse_scale, scale_values
from germane.judging.store import schema
from germane.judging.store.answers import Answer
from germane.judging.store.connection import Database
from germane.judging.store.events import _said, _settle, all_events, catch_up_journal, num_events, record
from germane.judging.store.project import (
    Settings,
    load_pool,
    pools_of,
    record_of,
    rubrics_of,
    save_rubric,
    save_settings,
    settings_of,
)
from germane.judging.store.queues import history, next_tasks
from germane.judging.store.schema import bring_up_to_date
from germane.judging.store.sqlite import back_up, network_file_system, snapshots
from germane.tables.truth.judgments import standing
from tests.judging.projects import Clock, answer, docs, pool_of, project, say


def rebuild_standing(database: Database) -> None:
    """Derive the current view again from the events, and nothing else."""
    events = schema.events.c
    with database.write() as connection:
        connection.execute(schema.standing.delete())
        keys = sa.select(events.item, events.assessor, events.item_kind).where(events.kind != "adjudicate")
        for row in connection.execute(keys.distinct()).all():
            said = _said(connection, row.item, row.assessor, row.item_kind)
            _settle(connection, row.item, row.assessor, row.item_kind, said)
        adjudicated = sa.select(events.item).where(events.kind == "adjudicate").distinct()
        for item in connection.execute(adjudicated).scalars().all():
            _settle(connection, item, "", "adjudication", _said(connection, item, "", "adjudication"))


def standing_rows(database: Database) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        query = sa.select(schema.standing).order_by(
            schema.standing.c.item, schema.standing.c.assessor, schema.standing.c.kind
        )
        return [tuple(row) for row in connection.execute(query)]


def graded_now(database: Database) -> list[tuple[str, str, str, str, float | None]]:
    """The derived table, as `standing` of the events would put it."""
    with database.read() as connection:
        query = sa.select(schema.standing, schema.items.c.topic, schema.items.c.doc).select_from(
            schema.standing.join(schema.items)
        )
        kinds = {"adjudication": "adjudicated"}
        return sorted(
            (row.assessor, row.topic, row.doc, kinds.get(row.kind, row.kind), row.grade)
            for row in connection.execute(query)
        )


def graded_by_events(database: Database) -> list[tuple[str, str, str, str, float | None]]:
    said = standing(all_events(database))
    grades = [None if math.isnan(grade) else grade for grade in said.grade.tolist()]
    return sorted(zip(said.assessor, said.topic, said.doc, said.kind, grades, strict=True))


WHAT_STANDS = [
    # said of one document, in turn    stands           why
    ("1", 1.0, "a grade stands"),
    ("1 2", 2.0, "a second grade is a change"),
    ("1 2 undo", 1.0, "undo brings back what stood before"),
    ("1 undo", "nothing", "undo of the only grade leaves none"),
    ("1 undo 2", 2.0, "judged again after an undo"),
    ("cannot", None, "cannot judge is a judgment without a grade"),
    ("1 cannot", None, "and replaces a grade"),
    ("later", "nothing", "later is no judgment"),
    ("1 later", "nothing", "and takes back the grade before it"),
    ("1 comment", 1.0, "a comment changes nothing"),
    ("1 2 undo undo", "nothing", "undo again takes back the one before"),
]


@pytest.mark.parametrize(("said", "expected", "why"), WHAT_STANDS)
def test_what_stands(database: Database, said: str, expected: Any, why: str) -> None:
    project(database, "q1: d1")
    task = next_tasks(database, "ann")[0]
    for word in said.split():
        given = answer(task, float(word)) if word.isdigit() else answer(task, kind=word)
        assert record(database, "ann", [given])[0].status == "stored", why
    found: list[Any] = [row[-1] for row in graded_now(database)] or ["nothing"]
    assert found == [expected], why
    assert graded_now(database) == graded_by_events(database), why


@pytest.mark.parametrize("seed", range(2))
def test_the_derived_view_is_that_of_the_events(tmp_path: Path, clock: Clock, seed: int) -> None:
    """Many answers at random, among them changes, undos and repeats of the same answer."""
    draw = random.Random(seed)
    with Database(tmp_path / "p.db", clock=clock) as database:
        project(database, "q1: d1 d2 d3*distractor d4*calibration; q2: d1", judgments_per_document=2)
        tasks = {name: next_tasks(database, name, 9) for name in ("ann", "bob", "eve")}
        sent: list[tuple[str, Answer]] = []
        for _ in range(40):
            clock.advance(draw.choice([0, 1, 100, 2000, -5]))
            name = draw.choice(list(tasks))
            kind = draw.choice(["grade", "grade", "grade", "undo", "cannot", "later", "comment"])
            sent.append((name, answer(draw.choice(tasks[name] or tasks["ann"]), draw.randrange(3), kind)))
            record(database, name, [sent[-1][1]])
            again = draw.choice(sent)
            before = num_events(database)
            record(database, again[0], [again[1]])
            assert num_events(database) - before in (0, 1)
        assert num_events(database) > 15
        assert graded_now(database) == graded_by_events(database)
        rows = standing_rows(database)
        rebuild_standing(database)
        assert standing_rows(database) == rows


def test_an_answer_sent_twice_is_recorded_once(database: Database) -> None:
    project(database, "q1: d1 d2")
    task = next_tasks(database, "ann")[0]
    given = answer(task, 2)
    assert [receipt.status for receipt in record(database, "ann", [given, given])] == ["stored", "already"]
    assert record(database, "ann", [given])[0].status == "already"
    assert num_events(database) == 1
    other = record(database, "ann", [replace(given, grade=1)])[0]
    assert (other.status, other.reason) == ("refused", "duplicate event id")


def test_an_event_says_everything(database: Database, clock: Clock) -> None:
    project(database, "q1: d1")
    task = next_tasks(database, "ann")[0]
    say(database, "ann", task, 2, text="clear", seconds=4.5, time="2026-01-01T00:00:00Z")
    event = next(iter(all_events(database)))
    assert (event.assessor, event.topic, event.doc, event.grade, event.rubric) == ("ann", "q1", "d1", 2.0, "1")
    assert (event.pool, event.item_kind, event.text, event.seconds) == (
        pools_of(database)[0].hash,
        "ordinary",
        "clear",
        4.5,
    )
    assert event.time == database.now(), "our clock, not the browser's, orders events"


REFUSED = [
    (lambda a: replace(a, event="1"), "UUID"),
    (lambda a: replace(a, event=a.event.replace("-", "")), "UUID"),
    (lambda a: replace(a, event="ABCDEF00-0000-4000-8000-000000000000"), "UUID"),
    (lambda a: replace(a, grade=3), "expected one of the grades 0, 1, 2, found 3"),
    (lambda a: replace(a, grade=None), "expected one of the grades"),
    (lambda a: replace(a, grade=float("nan")), "expected one of the grades"),
    (lambda a: replace(a, rubric="2"), "unknown rubric version '2'"),
    (lambda a: replace(a, kind="cannot"), "has no grade"),
    (lambda a: replace(a, kind="adjudicate"), "is not allowed for this task"),
    (lambda a: replace(a, kind="shred", grade=None), "unknown kind of answer"),
    (lambda a: replace(a, task="x"), "not assigned to you"),
    (lambda a: replace(a, seconds=-1), "seconds"),
    (lambda a: replace(a, time="yesterday"), "ISO 8601"),
    (lambda a: replace(a, text="x" * 20_001), "at most 20000"),
    (lambda a: replace(a, kind="undo", grade=None), "nothing to undo"),
    (lambda a: replace(a, grade=True), "'grade' has the wrong type"),
    (lambda a: replace(a, seconds="3"), "'seconds' has the wrong type"),
    (lambda a: replace(a, event=None), "'event' has the wrong type"),
    (lambda a: replace(a, text="a\0b"), "'text' contains control characters"),
    (lambda a: replace(a, text="\ud800"), "'text' contains control characters"),
]


@pytest.mark.parametrize(("spoil", "reason"), REFUSED)
def test_refused_answers_say_why_and_stop_no_others(
    tmp_path: Path, spoil: Callable[[Answer], Answer], reason: str
) -> None:
    with Database(tmp_path / "p.db") as database:
        project(database, "q1: d1 d2")
        first, second = next_tasks(database, "ann", 2)
        bad, good = record(database, "ann", [spoil(answer(first)), answer(second)])
        assert bad.status == "refused"
        assert reason in bad.reason
        assert (good.status, num_events(database)) == ("stored", 1)


def test_nobody_answers_for_somebody_else(database: Database) -> None:
    project(database, "q1: d1")
    task = next_tasks(database, "ann")[0]
    assert say(database, "bob", task).reason == "this task is not assigned to you"


CHANGES = ["UPDATE events SET grade = 2", "DELETE FROM events"]


@pytest.mark.parametrize("statement", CHANGES)
def test_events_cannot_be_changed(database: Database, statement: str) -> None:
    project(database, "q1: d1")
    say(database, "ann", next_tasks(database, "ann")[0], 1)
    with pytest.raises(sa.exc.DatabaseError, match="append-only"), database.write() as connection:
        connection.execute(sa.text(statement))
    assert [event.grade for event in all_events(database)] == [1.0]


def test_events_cannot_be_replaced_even_by_another_program(tmp_path: Path) -> None:
    import sqlite3

    with Database(tmp_path / "p.db") as database:
        project(database, "q1: d1")
        say(database, "ann", next_tasks(database, "ann")[0], 1)
    with sqlite3.connect(tmp_path / "p.db") as other:
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            other.execute("INSERT OR REPLACE INTO events SELECT * FROM events")
        columns = [row[1] for row in other.execute("PRAGMA table_info(events)") if row[1] != "seq"]
        names = ", ".join(columns)
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            other.execute(f"REPLACE INTO events ({names}) SELECT {names} FROM events")
    other.close()


def test_events_cannot_be_truncated_on_postgresql(postgresql: str) -> None:
    from tests.judging.postgresql_server import new_database

    with (
        Database(new_database(postgresql)) as database,
        pytest.raises(sa.exc.DatabaseError, match="append-only"),
        database.write() as connection,
    ):
        connection.execute(sa.text("TRUNCATE events CASCADE"))


def test_the_journal_is_a_second_copy(database: Database) -> None:
    project(database, "q1: d1 d2 d3")
    for task in next_tasks(database, "ann", 3):
        say(database, "ann", task, 1, text="schön")
    assert database.journal is not None
    lines = database.journal.path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [asdict(event) for event in all_events(database)]


def test_the_journal_catches_up_after_a_crash(tmp_path: Path) -> None:
    with Database(tmp_path / "p.db") as database:
        project(database, "q1: d1 d2 d3")
        for task in next_tasks(database, "ann", 3):
            say(database, "ann", task, 1)
        assert database.journal is not None
        journal = database.journal.path
        whole = journal.read_bytes()
        journal.write_bytes(whole[: len(whole) // 2])  # cut in the middle of a line, and two events short
        assert catch_up_journal(database) == 2
        assert sorted(journal.read_bytes().splitlines()) == sorted(whole.splitlines())
        assert catch_up_journal(database) == 0


def test_sqlite_is_opened_so_that_nothing_is_lost(tmp_path: Path) -> None:
    with Database(tmp_path / "p.db") as database, database.write() as connection:
        names = ("journal_mode", "synchronous", "foreign_keys")
        assert [connection.execute(sa.text(f"PRAGMA {name}")).scalar() for name in names] == ["wal", 2, 1]


def test_a_reading_connection_cannot_write(tmp_path: Path) -> None:
    with (
        Database(tmp_path / "p.db") as database,
        pytest.raises(sa.exc.OperationalError, match="readonly"),
        database.read() as connection,
    ):
        connection.execute(schema.items.delete())


def test_a_transaction_inside_another_is_refused(tmp_path: Path) -> None:
    with (
        Database(tmp_path / "p.db") as database,
        database.write(),
        pytest.raises(RuntimeError, match="nested writing transactions"),
        database.write(),
    ):
        pass


def test_a_second_server_on_one_file_is_refused(tmp_path: Path) -> None:
    with Database(tmp_path / "p.db", alone=True), pytest.raises(GermaneError, match="another process is serving"):
        Database(tmp_path / "p.db", alone=True)
    Database(tmp_path / "p.db", alone=True).close()


def test_snapshots_at_start(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "p.db"
    with Database(path, clock=clock, snapshots=2) as database:
        project(database, "q1: d1")
        say(database, "ann", next_tasks(database, "ann")[0])
    for _ in range(3):
        clock.advance(60)
        Database(path, clock=clock, snapshots=2).close()
    assert len(snapshots(path)) == 2
    copy = tmp_path / "copy.db"
    copy.write_bytes(snapshots(path)[0].read_bytes())
    with Database(copy) as restored:
        assert num_events(restored) == 1


def test_a_snapshot_while_somebody_writes(tmp_path: Path) -> None:
    with Database(tmp_path / "p.db") as database, database.write() as connection:
        connection.execute(schema.settings.insert().values(time="", body="{}"))
        assert back_up(tmp_path / "p.db", keep=1, now="2026-01-01T00:00:00.000").exists()


def test_a_network_file_system_is_noticed(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/x {tmp_path} nfs4 rw 0 0\n")
    assert network_file_system(tmp_path / "p.db", mounts) == "nfs4"
    assert network_file_system(Path("/elsewhere/p.db"), mounts) is None
    assert network_file_system(tmp_path / "p.db", tmp_path / "none") is None


@pytest.mark.parametrize(
    ("store", "message"),
    [("mysql://localhost/x", "unknown kind of store mysql://"), ("none/p.db", "no such folder: 'none'")],
)
def test_stores_that_cannot_be_opened(store: str, message: str) -> None:
    with pytest.raises((GermaneError, InputError), match=message):
        Database(store)


def test_numbered_steps_are_taken_once_and_in_order(database: Database) -> None:
    taken: list[int] = []
    steps = {2: lambda connection: taken.append(2), 3: lambda connection: taken.append(3)}
    for version, expected in ((3, [2, 3]), (3, [2, 3])):
        with database.write() as connection:
            bring_up_to_date(connection, steps, version)
        assert taken == expected
    with pytest.raises(GermaneError, match=r"version 3, .* supports at most 1"), database.write() as connection:
        bring_up_to_date(connection)


def test_a_step_that_fails_leaves_everything_as_it_was(database: Database) -> None:
    def fails(connection: sa.Connection) -> None:
        connection.execute(sa.text("CREATE TABLE half_done (x INTEGER)"))
        raise RuntimeError

    with pytest.raises(RuntimeError), database.write() as connection:
        bring_up_to_date(connection, {2: fails}, 2)
    with database.read() as connection:
        assert not sa.inspect(connection).has_table("half_done")
        assert connection.execute(sa.select(sa.func.max(schema.schema_steps.c.version))).scalar() == schema.VERSION


def test_a_pool_is_loaded_once_and_comes_back_the_same(database: Database) -> None:
    pool = pool_of("q1: d1 d2 d9*distractor; q2: d1")
    assert (load_pool(database, pool), load_pool(database, pool)) == (4, 0)
    assert [again.hash for again in pools_of(database)] == [pool.hash]
    assert load_pool(database, pool_of("q1: d1 d3")) == 1


def test_ids_that_no_database_keeps_are_refused(database: Database) -> None:
    with pytest.raises(GermaneError, match="document ids in UTF-8"):
        load_pool(database, pool_of("q1: d\udcff"))


def test_settings_are_kept_with_their_history(database: Database) -> None:
    assert settings_of(database).judgments_per_document == 1
    first = save_settings(database, Settings(2, masked=True))
    second = save_settings(database, Settings(3, masked=True, ordering="active"))
    assert settings_of(database) == second
    assert first.mask_key == second.mask_key != ""
    kept = record_of(database)["settings"]
    assert [row["judgments_per_document"] for row in kept] == [1, 2, 3]
    assert "mask_key" not in kept[-1]


@pytest.mark.parametrize("wrong", [{"judgments_per_document": 0}, {"unseen_seconds": 61}, {"repeat_share": 2}])
def test_settings_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(GermaneError):
        Settings(**wrong)


def test_labels_change_in_place_and_values_only_with_a_new_version(database: Database) -> None:
    save_rubric(database, binary())
    save_rubric(database, parse_scale("0=not relevant,1=on topic"))
    assert rubrics_of(database)[0].grades[1].label == "on topic"
    with pytest.raises(GermaneError, match="cannot change"):
        save_rubric(database, graded(["a", "b", "c"]))
    second = binary().next_version(graded(["a", "b", "c"]).grades, 2, {0: 0, 1: 2})
    save_rubric(database, second)
    assert [rubric.version for rubric in rubrics_of(database)] == ["1", "2"]
    assert grade_now(1, "1", rubrics_of(database)) == 2
    assert grade_now(1, "2", rubrics_of(database)) == 1
    with pytest.raises(GermaneError, match="expected version 3"):
        save_rubric(database, replace(second, number=5))


BAD_RUBRICS = [
    (lambda: graded(["only"]), "two grades"),
    (lambda: graded(["a", "b"], rel=2), "expected rel to be one of the grades"),
    (lambda: Rubric((Grade(0, "a", "0"), Grade(1, "b", "u")), 1), "found 'u'"),
    (lambda: Rubric((Grade(0, "a", "0"), Grade(1, "b", "0")), 1), "different key"),
    (lambda: Rubric((Grade(-1, "a", "0"), Grade(1, "b", "1")), 1), "0 or more"),
    (lambda: Rubric((Grade(1, "a", "0"), Grade(0, "b", "1")), 1), "lowest first"),
    (lambda: parse_scale("no,yes"), "VALUE=LABEL"),
    (lambda: parse_scale("0,nan"), "VALUE=LABEL"),
    (lambda: parse_scale("0,1,"), "found ''"),
    (lambda: binary().next_version(binary().grades, 1, {0: 0}), "each of 0, 1"),
    (lambda: binary().next_version(binary().grades, 1, {0: 0, 1: 7}), "found 7"),
]


@pytest.mark.parametrize(("make", "message"), BAD_RUBRICS)
def test_rubrics_that_cannot_be(make: Callable[[], Rubric], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        make()


SCALES = [
    # typed               values and labels                                  why
    ("0,1",              [(0, "not relevant"), (1, "relevant")],            "the default, spelled out"),
    ("0, 1,2",           [(0, "grade 0"), (1, "grade 1"), (2, "grade 2")],  "values alone"),
    ("0=no,1",           [(0, "no"), (1, "grade 1")],                       "a label that is missing"),
    ("2=yes,0=no,1=so",  [(0, "no"), (1, "so"), (2, "yes")],                "in any order"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "expected", "why"), SCALES)
def test_scales_as_they_are_typed(typed: str, expected: list[tuple[float, str]], why: str) -> None:
    rubric = parse_scale(typed)
    assert [(grade.value, grade.label) for grade in rubric.grades] == expected, why
    assert rubric.rel == 1
    assert scale_values(typed) == [value for value, _ in expected], why


def test_history_is_ones_own_newest_first(database: Database) -> None:
    project(database, "q1: d1 d2 d3", judgments_per_document=2)
    mine = next_tasks(database, "ann", 3)
    for task, grade in zip(mine, (0, 1, 2), strict=True):
        say(database, "ann", task, grade)
    say(database, "bob", next_tasks(database, "bob", 1)[0], 2)
    say(database, "ann", mine[0], kind="comment", text="a remark")
    say(database, "ann", mine[1], kind="undo")
    found = history(database, "ann")
    assert docs(found) == [mine[2].label, mine[0].label]  # type: ignore[arg-type]
    assert [(one.grade, one.comment) for one in found] == [(2.0, ""), (0.0, "a remark")]
