"""Queues of assessors: the next documents, shown blind (topic and document only).

`order` says which document is next.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.leases import answered, claim, live_leases
from germane.judging.store.order import Ranking, candidates
from germane.judging.store.prepared import Prepared
from germane.judging.store.project import Settings, settings_of
from germane.judging.store.schema import events, items, standing, tasks

MOST_HELD = 12
"""Live leases that one person may have: a window prefetches three to five."""


@dataclass(frozen=True)
class BlindTask:
    """All that an assessor's browser may know of a task. `label` is the document's id or, in a masked project, a
    stand-in."""

    task: str
    topic: str
    label: str


@dataclass(frozen=True)
class OwnAnswer(BlindTask):
    """A task with the assessor's own latest answer, to go back to, change or undo."""

    event: str
    kind: str
    grade: float | None
    comment: str


def next_tasks(
    database: Database, assessor: str, count: int = 4, *, holding: Collection[str] = (), ranking: Ranking | None = None
) -> list[BlindTask]:
    """Up to `count` tasks beyond those that the window holds already, in the order to show them. Empty: nothing is
    left.

    A second window of the same person gets the tasks that the first one has: they share the leases. New ones are leased
    unseen; call `leases.renew` with `seen` as soon as a document is shown.
    """
    settings = settings_of(database)
    held = _held(database, assessor, settings)
    found = [task for task in held if task.task not in holding][:count]
    room = MOST_HELD - len(held)
    while len(found) < count and room > 0:
        taken = 0
        wanted = candidates(database, assessor, settings, min(count - len(found), room), ranking)
        for candidate in wanted:
            ordering = "active" if ranking is not None and candidate.kind == "ordinary" else "shuffle"
            with database.write() as connection:
                until = database.clock() + settings.unseen_seconds
                task = claim(database, connection, candidate, assessor, settings, until=until, ordering=ordering)
                row = None if task is None else _row(connection, assessor, task)
                if row is not None and not row.answered:  # in another window, a moment ago
                    found.append(_blind(row, settings))
                    taken += 1
        room -= taken
        # Where somebody was faster, look again: an empty answer means that nothing is left.
        if taken == len(wanted) or not wanted:
            break
    return found


class TaskNotFoundError(LookupError):
    """Error: the task does not exist, or is not this person's."""


def task_of(database: Database, assessor: str, task: str) -> BlindTask:
    """Return one task of an assessor."""
    with database.read() as connection:
        row = _row(connection, assessor, task)
    return _blind(row, settings_of(database))


def document_of(database: Database, assessor: str, task: str) -> tuple[str, str]:
    """Return (topic, document id) of a task, for the server to fetch the text; never send it in a response."""
    with database.read() as connection:
        row = _row(connection, assessor, task)
    return row.topic, row.doc


def history(database: Database, assessor: str, count: int = 20) -> list[OwnAnswer]:
    """Return this assessor's latest standing or skipped answers, newest first."""
    answers = sa.select(events, items.c.topic, items.c.doc).select_from(events.join(items))
    stands = sa.select(standing.c.event).where(standing.c.assessor == assessor, standing.c.kind != "adjudication")
    query = answers.where(events.c.event.in_(stands)).order_by(events.c.seq.desc()).limit(count)
    with database.read() as connection:
        rows = connection.execute(query).all()
        said = (events.c.kind == "comment") & events.c.task.in_([row.task for row in rows])
        texts = sa.select(events.c.task, events.c.text).where(said)
        comments = {row.task: row.text for row in connection.execute(texts.order_by(events.c.seq))}
    settings = settings_of(database)
    found = []
    for row in rows:
        label, comment = label_of(row.topic, row.doc, settings), comments.get(row.task, row.text)
        found.append(OwnAnswer(row.task, row.topic, label, row.event, row.kind, row.grade, comment))
    return found


def label_of(topic: str, doc: str, settings: Settings) -> str:
    """Return the document name shown to the assessor.

    >>> label_of("301", "FT911-3", Settings())
    'FT911-3'
    >>> label_of("301", "FT911-3", Settings(masked=True, mask_key="k"))
    'document f837-e2d5'
    """
    if not settings.masked:
        return doc
    code = hmac.new(settings.mask_key.encode(), f"{topic}\0{doc}".encode(), hashlib.sha256).hexdigest()
    return f"document {code[:4]}-{code[4:8]}"


def _held(database: Database, assessor: str, settings: Settings) -> list[BlindTask]:
    """Return the unanswered tasks on which an assessor has a live lease; those viewed come first."""
    rows = database.rows(_held_tasks(), assessor=assessor, now=database.clock())
    return [_blind(row, settings) for row in rows]


@cache
def _held_tasks() -> Prepared:
    query = sa.select(tasks, items.c.topic, items.c.doc).select_from(tasks.join(items))
    query = query.where(live_leases(), tasks.c.kind != "adjudication", ~answered())
    return Prepared(query.order_by(tasks.c.seen.is_(None), tasks.c.claimed, tasks.c.item))


def _row(connection: sa.Connection, assessor: str, task: str) -> Any:
    row = _own_task().first(connection, task=task, assessor=assessor)
    if row is None:
        raise TaskNotFoundError(task)
    return row


@cache
def _own_task() -> Prepared:
    query = sa.select(tasks, items.c.topic, items.c.doc, answered().label("answered")).select_from(tasks.join(items))
    return Prepared(query.where(tasks.c.task == sa.bindparam("task"), tasks.c.assessor == sa.bindparam("assessor")))


def _blind(row: Any, settings: Settings) -> BlindTask:
    return BlindTask(row.task, row.topic, label_of(row.topic, row.doc, settings))
