"""How far the work has come: for the organiser by topic and by person, for an assessor their own part only."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import sqlalchemy as sa

from germane.judging.store import schema
from germane.judging.store.connection import Database
from germane.judging.store.leases import answered, holders
from germane.judging.store.project import settings_of

events, items, tasks, standing = schema.events, schema.items, schema.tasks, schema.standing


@dataclass(frozen=True)
class TopicProgress:
    """The ordinary documents of a topic. `complete` have K standing judgments, `begun` have some; somebody has those
    `in_hand`, and has not answered."""

    topic: str
    documents: int
    complete: int
    begun: int
    in_hand: int
    judgments: int
    cannot: int


@dataclass(frozen=True)
class AssessorProgress:
    """What one person did; times are theirs, and say nothing about others. `in_topic` is about the topic in hand."""

    assessor: str
    judged: int
    cannot: int
    put_off: int
    today: int
    median_seconds: float | None
    topic: str | None = None
    judged_in_topic: int = 0
    left_in_topic: int = 0


def topic_progress(database: Database) -> list[TopicProgress]:
    """Each topic's progress, in byte order of the topics."""
    limit = settings_of(database).judgments_per_document
    now = database.clock()
    said = sa.select(
        standing.c.item,
        sa.func.count().label("judgments"),
        sa.func.sum(sa.case((standing.c.grade.is_(None), 1), else_=0)).label("cannot"),
    ).where(standing.c.kind == "ordinary").group_by(standing.c.item).subquery()  # fmt: skip
    live = (tasks.c.kind == "ordinary") & (tasks.c.lease_until > now)
    leased = sa.select(tasks.c.item).where(live, ~answered()).distinct().subquery()
    judgments = sa.func.coalesce(said.c.judgments, 0)
    query = (
        sa.select(
            items.c.topic,
            sa.func.count().label("documents"),
            sa.func.sum(sa.case((judgments >= limit, 1), else_=0)).label("complete"),
            sa.func.sum(sa.case(((judgments > 0) & (judgments < limit), 1), else_=0)).label("begun"),
            sa.func.count(leased.c.item).label("in_hand"),
            sa.func.sum(judgments).label("judgments"),
            sa.func.sum(sa.func.coalesce(said.c.cannot, 0)).label("cannot"),
        )
        .select_from(items)
        .outerjoin(said, said.c.item == items.c.item)
        .outerjoin(leased, leased.c.item == items.c.item)
        .where(items.c.kind == "ordinary", items.c.drawn)
        .group_by(items.c.topic)
    )
    with database.read() as connection:
        rows = connection.execute(query).all()
    found = [TopicProgress(row.topic, *(int(value) for value in row[1:])) for row in rows]
    return sorted(found, key=lambda one: one.topic.encode())


def assessor_progress(database: Database, assessor: str) -> AssessorProgress:
    """One person's progress. `left_in_topic` counts what they could still be given there; it shows nobody's grades."""
    day = database.now()[:10]
    mine = sa.select(events.c.kind, events.c.seconds, events.c.time, items.c.topic, standing.c.grade)
    together = events.join(standing, standing.c.event == events.c.event).join(items, items.c.item == events.c.item)
    mine = mine.select_from(together)
    mine = mine.where(standing.c.assessor == assessor, standing.c.kind != "adjudication").order_by(events.c.seq)
    with database.read() as connection:
        rows = connection.execute(mine).all()
        put_off = sa.select(sa.func.count()).where(tasks.c.assessor == assessor, tasks.c.later.is_not(None))
        num_put_off = int(connection.execute(put_off.where(~answered())).scalar_one())
        topic = rows[-1].topic if rows else None
        left = _left(database, connection, assessor, topic) if topic is not None else 0
    seconds = [row.seconds for row in rows if row.seconds is not None]
    return AssessorProgress(
        assessor,
        judged=len(rows),
        cannot=sum(row.kind == "cannot" for row in rows),
        put_off=num_put_off,
        today=sum(row.time[:10] == day for row in rows),
        median_seconds=statistics.median(seconds) if seconds else None,
        topic=topic,
        judged_in_topic=sum(row.topic == topic for row in rows),
        left_in_topic=left,
    )


def everybodys_progress(database: Database) -> list[AssessorProgress]:
    """The progress of everybody who has judged, by name; for an organiser."""
    with database.read() as connection:
        names = connection.execute(sa.select(standing.c.assessor).distinct()).scalars().all()
    return [assessor_progress(database, name) for name in sorted(names)]


def _left(database: Database, connection: sa.Connection, assessor: str, topic: str) -> int:
    """Ordinary documents of the topic that this person has not judged and for which there is room."""
    held = holders(database.clock(), topic=topic)
    limit = settings_of(database).judgments_per_document
    full = sa.select(held.c.item).where(held.c.assessor != assessor).group_by(held.c.item)
    full = full.having(sa.func.count() >= limit)
    own = sa.select(standing.c.item).where(standing.c.assessor == assessor, standing.c.kind == "ordinary")
    query = sa.select(sa.func.count()).select_from(items).where(
        items.c.topic == topic, items.c.kind == "ordinary", items.c.drawn,
        items.c.item.not_in(full), items.c.item.not_in(own),
    )  # fmt: skip
    return int(connection.execute(query).scalar_one())
