"""Leases: who is judging which document, so that no document is judged more often than requested.

A document is held by everybody who has a standing ordinary judgment of it or a live lease on it, each person counted
once. `claim` counts the holders and adds one in the same transaction, after locking the item; nothing else makes
leases.

Statements are built once, with named parameters: building one takes ten times as long as executing it.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from functools import cache
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.prepared import Prepared
from germane.judging.store.project import Settings, settings_of
from germane.judging.store.schema import RESERVED, items, standing, tasks

TaskKind = Literal["ordinary", "distractor", "calibration", "repeat", "adjudication"]


class Claimable(NamedTuple):
    """An item as one assessor would get it."""

    item: int
    kind: TaskKind


@cache
def holders(within: Literal["all", "item", "topic"] = "all") -> sa.Subquery:
    """Select (item, assessor) of all who hold an item and count towards K: for all items, one, or those of a topic.

    Its parameters are `now` and, within one of them, `item` or `topic`.
    """
    judged = sa.select(standing.c.item, standing.c.assessor).where(standing.c.kind == "ordinary")
    leased = sa.select(tasks.c.item, tasks.c.assessor)
    leased = leased.where(tasks.c.kind == "ordinary", tasks.c.lease_until > sa.bindparam("now", type_=sa.Double))
    # The condition goes into both halves: no database moves it there by itself, and the whole union is large.
    if within == "item":
        item = sa.bindparam("item", type_=sa.Integer)
        judged, leased = judged.where(standing.c.item == item), leased.where(tasks.c.item == item)
    if within == "topic":
        those = sa.select(items.c.item).where(items.c.topic == sa.bindparam("topic", type_=sa.Text))
        judged, leased = judged.where(standing.c.item.in_(those)), leased.where(tasks.c.item.in_(those))
    return sa.union(judged, leased).subquery("holders")


@cache
def held_enough(*, of_topic: bool = False, besides: bool = False) -> sa.Select[tuple[int]]:
    """Select the items that are held by as many people as may judge them.

    Its parameters are `now`, `limit` and, if asked for, `topic` and the `assessor` who is not counted.
    """
    held = holders("topic" if of_topic else "all")
    full = sa.select(held.c.item)
    if besides:
        full = full.where(held.c.assessor != sa.bindparam("assessor", type_=sa.Text))
    return full.group_by(held.c.item).having(sa.func.count() >= sa.bindparam("limit", type_=sa.Integer))


def num_other_holders(connection: sa.Connection, item: int, assessor: str, now: float) -> int:
    """Number of other people who hold the item."""
    return int(_num_others().value(connection, item=item, assessor=assessor, now=now))


@cache
def _num_others() -> Prepared:
    held = holders("item")
    return Prepared(sa.select(sa.func.count()).select_from(held).where(held.c.assessor != sa.bindparam("assessor")))


OWN_TASK = Prepared(
    sa.select(tasks.c.task, tasks.c.lease_until).where(
        tasks.c.item == sa.bindparam("item"),
        tasks.c.assessor == sa.bindparam("assessor"),
        tasks.c.kind == sa.bindparam("kind"),
    )
)
LAST_CLAIMED = Prepared(sa.select(sa.func.max(tasks.c.claimed)).where(tasks.c.assessor == sa.bindparam("assessor")))
_OF = tasks.update().where(tasks.c.task == sa.bindparam("of"))
_HOLD = _OF.values(lease_until=sa.bindparam("until"))
HOLD = Prepared(_HOLD)
HOLD_AGAIN = Prepared(_HOLD.values(claimed=sa.bindparam("since"), seen=None, ordering=sa.bindparam("by")))
INSERT_TASK = Prepared(tasks.insert())
SEE = Prepared(_OF.values(seen=sa.func.coalesce(tasks.c.seen, sa.bindparam("now", type_=sa.Double))))
END = Prepared(_OF.values(lease_until=0.0))


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
    own = {"item": wanted.item, "assessor": assessor, "kind": wanted.kind}
    known = OWN_TASK.first(connection, **own)
    if known is not None and known.lease_until > now:
        HOLD.change(connection, of=known.task, until=max(until, known.lease_until))
        return str(known.task)
    # Claims of one person have different times, be it by a microsecond: a second window shows them in the same order.
    last = LAST_CLAIMED.value(connection, assessor=assessor)
    claimed = now if last is None else max(now, last + 1e-6)
    if known is None:
        task = secrets.token_urlsafe(18)
        row = {"task": task, "claimed": claimed, "lease_until": until, "ordering": ordering, "seen": None}
        INSERT_TASK.change(connection, **own, **row, later=None)
        return task
    HOLD_AGAIN.change(connection, of=known.task, until=max(until, known.lease_until), since=claimed, by=ordering)
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
        for row in connection.execute(_own_tasks(), {"asked": list(asked), "assessor": assessor}).all():
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
                SEE.change(connection, of=row.task, now=database.clock())
    return [task for task in asked if task not in kept]


@cache
def _own_tasks() -> sa.Select[Any]:
    asked = tasks.c.task.in_(sa.bindparam("asked", expanding=True))
    query = sa.select(tasks, answered().label("answered")).where(asked, tasks.c.assessor == sa.bindparam("assessor"))
    return query.order_by(tasks.c.item)


def renew_live(database: Database, assessor: str) -> None:
    """Renew all live, unanswered leases of a person, on any activity."""
    settings = settings_of(database)
    now = database.clock()
    # A lease renewed moments ago is left alone: not every answer needs a second commit.
    soon = {"seen_until": now + 0.8 * settings.lease_seconds, "unseen_until": now + 0.8 * settings.unseen_seconds}
    if rows := database.rows(_short_leases(), assessor=assessor, now=now, **soon):
        seen = [row.task for row in rows if row.seen is not None]
        renew(database, assessor, seen=seen, holding=[row.task for row in rows if row.seen is None])


@cache
def _short_leases() -> Prepared:
    unseen, seen = (sa.bindparam(name, type_=sa.Double) for name in ("unseen_until", "seen_until"))
    short = tasks.c.lease_until < sa.case((tasks.c.seen.is_not(None), seen), else_=unseen)
    return Prepared(sa.select(tasks.c.task, tasks.c.seen).where(live_leases(), short, ~answered()))


def give_back(database: Database, assessor: str) -> int:
    """End all leases of a person now (a bundle's stay): on leaving."""
    with database.write() as connection:
        ended = connection.execute(_live_tasks(), {"assessor": assessor, "now": database.clock()}).all()
        for row in ended:
            database.lock_item(connection, row.item)
            END.change(connection, of=row.task)
    return len(ended)


@cache
def _live_tasks() -> sa.Select[Any]:
    return sa.select(tasks.c.task, tasks.c.item).where(live_leases()).order_by(tasks.c.item)


@cache
def live_leases() -> sa.ColumnElement[bool]:
    """Whether the `assessor` holds a live lease on the task `now`, outside of a bundle."""
    live = tasks.c.lease_until > sa.bindparam("now", type_=sa.Double)
    return (tasks.c.assessor == sa.bindparam("assessor")) & live & (tasks.c.lease_until < RESERVED)


@cache
def answered() -> sa.Exists:
    """Whether a task has a standing answer."""
    same = (standing.c.item == tasks.c.item) & (standing.c.assessor == tasks.c.assessor)
    return sa.exists().where(same & (standing.c.kind == tasks.c.kind)).correlate(tasks)
