"""Events: everything assessors did, recorded once, in order, and never changed.

`record` is the only way in for answers from a screen. Each answer carries an id that its sender made up (a uuid), so
that sending it again does no harm; it is acknowledged after its transaction was committed and the journal has it, and
an answer that is refused says why and does not stop the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from germane.judging.store.answers import ADJUDICATING, JUDGING, Answer, Receipt, RefusedError, check_form
from germane.judging.store.connection import Database, iso_time
from germane.judging.store.leases import num_other_holders, renew_live
from germane.judging.store.order import forget_orders
from germane.judging.store.prepared import Prepared
from germane.judging.store.project import Settings, rubrics_of, settings_of
from germane.judging.store.schema import RESERVED, events, items, standing, tasks
from germane.tables.truth.judgments import JudgmentEvent, in_order

PAGE = 2000
REPLACING = ("grade", "cannot", "adjudicate")
"""Kinds of answers that replace an earlier one of the same person."""
FIELDS = tuple(field.name for field in fields(JudgmentEvent))


def record(database: Database, assessor: str, answers: Sequence[Answer], *, bundle: str | None = None) -> list[Receipt]:
    """Record answers of one person in order, each in its own transaction; return a receipt for each.

    When this returns, what it calls stored is committed to disk and in the journal.
    """
    settings, rubrics = settings_of(database), rubrics_of(database)
    receipts, stored = [], []
    try:
        for answer in answers:
            event = None
            try:
                check_form(answer, rubrics)
                with database.write() as connection:
                    receipt, event = _add(database, connection, assessor, answer, settings, bundle)
            except RefusedError as refusal:
                receipt = Receipt(answer.event, "refused", reason=str(refusal))
            receipts.append(receipt)
            if event is not None:
                stored.append(event)
                if event.supersedes:  # after the commit, so that nobody remembers the old answer again
                    forget_orders(database, event.topic)
    finally:
        if database.journal is not None:
            database.journal.add(asdict(event) for event in stored)
    if bundle is None:
        renew_live(database, assessor)
    return receipts


def all_events(database: Database, *, after: int = 0) -> Iterator[JudgmentEvent]:
    """Yield all events in the order they were recorded, as in an events file; `after` skips the first ones."""
    query = sa.select(events, items.c.topic, items.c.doc).select_from(events.join(items)).order_by(events.c.seq)
    while True:
        rows = database.rows(query.where(events.c.seq > after).limit(PAGE))
        yield from map(_event, rows)
        if len(rows) < PAGE:
            return
        after = rows[-1].seq


def num_events(database: Database) -> int:
    """Return the number of events."""
    return int(database.value(sa.select(sa.func.count()).select_from(events)))


def catch_up_journal(database: Database) -> int:
    """Add events to the journal that a crash kept out of it, and return their number. Call it when a server starts."""
    if database.journal is None:
        return 0
    return database.journal.catch_up(asdict(event) for event in all_events(database))


def last_word(said: Sequence[JudgmentEvent]) -> JudgmentEvent | None:
    """The answer that stands, of one assessor to one item, or None: the event behind
    `germane.tables.truth.judgments.standing`.

    >>> first = JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, time="2026-01-01T09:00:00Z")
    >>> undo = JudgmentEvent("e2", "undo", "ann", "q1", "d1", time="2026-01-01T09:01:00Z", supersedes="e1")
    >>> last_word([first]).event, last_word([first, undo])
    ('e1', None)
    """
    latest = _latest_alive(said)
    return None if latest is None or latest.kind == "later" else latest


def _latest_alive(said: Sequence[JudgmentEvent]) -> JudgmentEvent | None:
    ordered = in_order(said)
    struck: set[str | None] = set()
    for event in reversed(ordered):
        if event.kind == "undo" and event.event not in struck:
            struck.add(event.supersedes)
    answers = [event for event in ordered if event.kind not in ("undo", "comment") and event.event not in struck]
    replaced = {event.supersedes for event in answers}
    return next((event for event in reversed(answers) if event.event not in replaced), None)


def _add(
    database: Database, connection: sa.Connection, assessor: str, answer: Answer, settings: Settings, bundle: str | None
) -> tuple[Receipt, JudgmentEvent | None]:
    mine = {"task": answer.task, "assessor": assessor}
    task = OWN_TASK.first(connection, **mine)
    if task is None:
        raise RefusedError("this task is not assigned to you")
    database.lock_item(connection, task.item)
    known = EVENT.first(connection, event=answer.event)
    if known is not None:
        if (known.assessor, known.task, known.kind, known.grade) != (assessor, answer.task, answer.kind, answer.grade):
            raise RefusedError("duplicate event id")
        earlier = sa.select(events.c.event).where(events.c.event == known.supersedes, events.c.kind.in_(REPLACING))
        replaced = connection.execute(earlier).scalar() if known.kind in REPLACING else None
        return Receipt(answer.event, "already", bool(known.extra), replaces=replaced), None
    # Read again: the lease may have changed before the item was locked.
    lease_until = LEASE.value(connection, **mine)
    adjudicates = task.kind == "adjudication"
    if answer.kind not in (ADJUDICATING if adjudicates else JUDGING):
        raise RefusedError(f"kind {answer.kind!r} is not allowed for this task")
    now = database.clock()
    said = _said(connection, task.item, assessor, task.kind)
    before = _latest_alive(said)
    replaced = before.event if before is not None and answer.kind != "comment" else None
    if answer.kind == "undo":
        replaced = answer.supersedes or replaced
        is_known = any(event.event == replaced for event in said)
        if not is_known or any(event.kind == "undo" and event.supersedes == replaced for event in said):
            raise RefusedError("nothing to undo")
    if adjudicates:
        rated = (standing.c.item == task.item) & (standing.c.assessor == assessor) & (standing.c.kind == "ordinary")
        if connection.execute(sa.select(standing.c.event).where(rated)).first() is not None:
            raise RefusedError("you judged this document, so you cannot adjudicate it")
    others = num_other_holders(connection, task.item, assessor, now) if task.kind == "ordinary" else 0
    has_room = others < settings.judgments_per_document
    extra = answer.kind in ("grade", "cannot") and before is None and lease_until <= now and not has_room
    time = _after(said, iso_time(now))
    if bundle and answer.time:
        time = _after(_of_bundle(connection, said, bundle), _client_time(answer.time, now))
        if answer.kind != "undo" and before is not None and before.instant > datetime.fromisoformat(time):
            replaced = None  # given before the answer that stands, which came by another way
    event = JudgmentEvent(
        event=answer.event,
        kind=answer.kind,
        assessor=assessor,
        topic=task.topic,
        doc=task.doc,
        grade=None if answer.grade is None else float(answer.grade),
        rubric=answer.rubric,
        pool=task.pool,
        time=time,
        supersedes=replaced,
        item_kind="ordinary" if adjudicates else task.kind,
        text=answer.text,
        seconds=None if answer.seconds is None else float(answer.seconds),
    )
    columns = {name: value for name, value in asdict(event).items() if name not in ("topic", "doc")}
    more = {"item": task.item, "task": task.task, "extra": extra, "bundle": bundle, "ordering": task.ordering}
    INSERT_EVENT.change(connection, **columns, **more, client_time=answer.time[:64])
    _settle(connection, task.item, assessor, task.kind, [*said, event])
    # Later gives the document back; undo keeps it; an answer counts by itself, so its lease may run out.
    values: dict[str, object] = {} if task.seen is not None else {"seen": now}
    if answer.kind == "later":
        values |= {"lease_until": 0.0 if lease_until < RESERVED else lease_until, "later": now}
    elif answer.kind == "undo" and has_room:
        values |= {"lease_until": max(lease_until, now + settings.lease_seconds), "later": None}
    if values:
        connection.execute(tasks.update().where(tasks.c.task == task.task).values(values))
    replaces = replaced if answer.kind in REPLACING and before is not None and before.kind in REPLACING else None
    return Receipt(answer.event, "stored", extra, replaces=replaces), event


def _settle(connection: sa.Connection, item: int, assessor: str, kind: str, said: Sequence[JudgmentEvent]) -> None:
    """Store the standing answer after these events. An item has one standing adjudication, whoever gave it."""
    forget = FORGET_ALL if kind == "adjudication" else FORGET_OWN
    forget.change(connection, of=item, shown_as=kind, by=assessor)
    last = last_word(said)
    if last is not None:
        seq = EVENT.first(connection, event=last.event).seq
        grade = None if last.kind == "cannot" else last.grade
        values = {"item": item, "assessor": last.assessor, "kind": kind, "event": last.event, "grade": grade}
        INSERT_STANDING.change(connection, **values, rubric=last.rubric, seq=seq)


def _said(connection: sa.Connection, item: int, assessor: str, kind: str) -> list[JudgmentEvent]:
    """Return the events that determine the standing answers."""
    of_all = kind == "adjudication"
    rows = _of_item(of_all=of_all).rows(connection, item=item, kind=kind, assessor=assessor)
    return [_event(row) for row in rows]


@cache
def _of_item(*, of_all: bool) -> Prepared:
    together = events.join(items).join(tasks, tasks.c.task == events.c.task)
    query = sa.select(events, items.c.topic, items.c.doc).select_from(together)
    query = query.where(events.c.item == sa.bindparam("item"), tasks.c.kind == sa.bindparam("kind"))
    if not of_all:
        query = query.where(events.c.assessor == sa.bindparam("assessor"))
    return Prepared(query.order_by(events.c.seq))


_MINE = (tasks.c.task == sa.bindparam("task")) & (tasks.c.assessor == sa.bindparam("assessor"))
OWN_TASK = Prepared(
    sa.select(tasks, items.c.topic, items.c.doc, items.c.pool).select_from(tasks.join(items)).where(_MINE)
)
LEASE = Prepared(sa.select(tasks.c.lease_until).where(_MINE))
EVENT = Prepared(sa.select(events).where(events.c.event == sa.bindparam("event")))
_SHOWN = standing.delete().where(standing.c.item == sa.bindparam("of"), standing.c.kind == sa.bindparam("shown_as"))
FORGET_ALL, FORGET_OWN = Prepared(_SHOWN), Prepared(_SHOWN.where(standing.c.assessor == sa.bindparam("by")))
INSERT_EVENT, INSERT_STANDING = Prepared(events.insert()), Prepared(standing.insert())


def _event(row: Any) -> JudgmentEvent:
    return JudgmentEvent(**{name: getattr(row, name) for name in FIELDS})


def _of_bundle(connection: sa.Connection, said: Sequence[JudgmentEvent], bundle: str) -> list[JudgmentEvent]:
    known = sa.select(events.c.event).where(events.c.event.in_([event.event for event in said]))
    own = set(connection.execute(known.where(events.c.bundle == bundle)).scalars())
    return [event for event in said if event.event in own]


def _after(said: Sequence[JudgmentEvent], time: str) -> str:
    """Return the time, but after the last event on the same item: a clock set back must not change the order."""
    last = max((event.instant for event in said), default=None)
    if last is None or last < datetime.fromisoformat(time):
        return time
    return (last + timedelta(milliseconds=1)).isoformat(timespec="milliseconds")


def _client_time(time: str, now: float) -> str:
    """Return the time of a bundle's answer on the assessor's machine, but not later than now."""
    there = datetime.fromisoformat(time)
    there = there.replace(tzinfo=UTC) if there.tzinfo is None else there.astimezone(UTC)
    return min(there, datetime.fromtimestamp(now, UTC)).isoformat(timespec="milliseconds")
