"""Leases: who is judging which document, so that no document is judged more often than requested.

A document is held by everybody who has a standing ordinary judgment of it or a live lease on it, each person counted
once. `claim` counts the holders and adds one in the same transaction, after locking the item; nothing else makes
leases.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import Literal, NamedTuple

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.project import Settings, settings_of
from germane.judging.store.schema import RESERVED, items, standing, tasks

TaskKind = Literal["ordinary", "distractor", "calibration", "repeat", "adjudication"]


class Claimable(NamedTuple):
    """An item as one assessor would get it."""

    item: int
    kind: TaskKind


def holders(now: float, *, item: int | None = None, topic: str | None = None) -> sa.Subquery:
    """Select (item, assessor) of all who hold an item and count towards K: for all items, one, or those of a topic."""
    judged = sa.select(standing.c.item, standing.c.assessor).where(standing.c.kind == "ordinary")
    leased = sa.select(tasks.c.item, tasks.c.assessor).where(tasks.c.kind == "ordinary", tasks.c.lease_until > now)
    # The condition goes into both halves: no database moves it there by itself, and the whole union is large.
    if item is not None:
        judged, leased = judged.where(standing.c.item == item), leased.where(tasks.c.item == item)
    if topic is not None:
        within = sa.select(items.c.item).where(items.c.topic == topic)
        judged, leased = judged.where(standing.c.item.in_(within)), leased.where(tasks.c.item.in_(within))
    return sa.union(judged, leased).subquery("holders")


def held_enough(
    settings: Settings, now: float, *, topic: str | None = None, besides: str | None = None
) -> sa.Select[tuple[int]]:
    """Select the items that are held by as many people as may judge them, not counting `besides`."""
    held = holders(now, topic=topic)
    full = sa.select(held.c.item) if besides is None else sa.select(held.c.item).where(held.c.assessor != besides)
    return full.group_by(held.c.item).having(sa.func.count() >= settings.judgments_per_document)


def num_other_holders(connection: sa.Connection, item: int, assessor: str, now: float) -> int:
    """Number of other people who hold the item."""
    held = holders(now, item=item)
    query = sa.select(sa.func.count()).select_from(held).where(held.c.assessor != assessor)
    return int(connection.execute(query).scalar_one())


def claim(
    database: Database,
    connection: sa.Connection,
    wanted: Claimable,
    assessor: str,
    settings: Settings,
    *,
    until: float,
    ordering: str = "shuffle",
) -> str | None:
    """Return the task under which this assessor holds the item until then, or None if enough people hold it already.

    Call it inside `Database.write`. Only ordinary judgments are limited. Whoever has answered already, or holds the
    item already, gets the same task.
    """
    database.lock_item(connection, wanted.item)
    now = database.clock()
    limit = settings.judgments_per_document
    if wanted.kind == "ordinary" and num_other_holders(connection, wanted.item, assessor, now) >= limit:
        return None
    own = (tasks.c.item == wanted.item) & (tasks.c.assessor == assessor) & (tasks.c.kind == wanted.kind)
    known = connection.execute(sa.select(tasks.c.task, tasks.c.lease_until).where(own)).first()
    # Claims of one person have different times, be it by a microsecond: a second window shows them in the same order.
    last = connection.execute(sa.select(sa.func.max(tasks.c.claimed)).where(tasks.c.assessor == assessor)).scalar()
    claimed = now if last is None else max(now, last + 1e-6)
    if known is None:
        task = secrets.token_urlsafe(18)
        row = {"task": task, "assessor": assessor, "claimed": claimed, "lease_until": until, "ordering": ordering}
        connection.execute(tasks.insert().values(row | wanted._asdict()))
        return task
    values: dict[str, object] = {"lease_until": max(until, known.lease_until)}
    if known.lease_until <= now:
        values |= {"claimed": claimed, "seen": None, "ordering": ordering}
    connection.execute(tasks.update().where(tasks.c.task == known.task).values(values))
    return str(known.task)


def renew(database: Database, assessor: str, *, seen: Collection[str] = (), holding: Collection[str] = ()) -> list[str]:
    """Renew the leases of this person; call it when a document is shown, and regularly while they are active.

    `seen` are the tasks whose documents they look at or have looked at, `holding` those only prefetched: the first are
    kept for `lease_seconds`, the others for `unseen_seconds`. A lease that has run out is taken again if there is room.
    Gives the tasks that are lost: somebody else has the document now, so drop it (if it was answered meanwhile, send
    the answer all the same: it is kept as an extra one). Ids that are not this person's tasks are lost, too.
    """
    asked = dict.fromkeys([*seen, *holding])
    settings = settings_of(database)
    kept = set()
    with database.write() as connection:
        # Items are locked in the order of their numbers, so that two windows never wait for each other.
        query = sa.select(tasks, answered().label("answered")).where(tasks.c.task.in_(asked))
        query = query.where(tasks.c.assessor == assessor).order_by(tasks.c.item)
        for row in connection.execute(query).all():
            if row.answered:
                kept.add(row.task)
                continue
            looked_at = row.task in seen or row.seen is not None
            seconds = settings.lease_seconds if looked_at else settings.unseen_seconds
            wanted = Claimable(row.item, row.kind)
            until = database.clock() + seconds
            if claim(database, connection, wanted, assessor, settings, until=until, ordering=row.ordering) is None:
                continue
            kept.add(row.task)
            if row.task in seen:
                first = sa.func.coalesce(tasks.c.seen, database.clock())
                connection.execute(tasks.update().where(tasks.c.task == row.task).values(seen=first))
    return [task for task in asked if task not in kept]


def renew_live(database: Database, assessor: str) -> None:
    """Renew all live, unanswered leases of a person, on any activity."""
    settings = settings_of(database)
    now = database.clock()
    # A lease renewed moments ago is left alone: not every answer needs a second commit.
    seconds = sa.case((tasks.c.seen.is_not(None), settings.lease_seconds), else_=settings.unseen_seconds)
    short = live_leases(database, assessor) & (tasks.c.lease_until < now + 0.8 * seconds)
    if rows := database.rows(sa.select(tasks.c.task, tasks.c.seen).where(short, ~answered())):
        seen = [row.task for row in rows if row.seen is not None]
        renew(database, assessor, seen=seen, holding=[row.task for row in rows if row.seen is None])


def give_back(database: Database, assessor: str) -> int:
    """End all leases of a person now (a bundle's stay): on leaving."""
    mine = live_leases(database, assessor)
    with database.write() as connection:
        ended = connection.execute(sa.select(tasks.c.task, tasks.c.item).where(mine).order_by(tasks.c.item)).all()
        for row in ended:
            database.lock_item(connection, row.item)
            connection.execute(tasks.update().where(tasks.c.task == row.task).values(lease_until=0.0))
    return len(ended)


def live_leases(database: Database, assessor: str) -> sa.ColumnElement[bool]:
    """Whether this person holds a live lease on the task, outside of a bundle."""
    return (tasks.c.assessor == assessor) & (tasks.c.lease_until > database.clock()) & (tasks.c.lease_until < RESERVED)


def answered() -> sa.Exists:
    """Whether a task has a standing answer."""
    same = (standing.c.item == tasks.c.item) & (standing.c.assessor == tasks.c.assessor)
    return sa.exists().where(same & (standing.c.kind == tasks.c.kind)).correlate(tasks)
