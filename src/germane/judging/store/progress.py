"""Progress: by topic and person for the organiser, their own part for an assessor."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.leases import answered, held_enough
from germane.judging.store.project import settings_of
from germane.judging.store.schema import events, items, standing, tasks
from germane.tables.truth.judgments import is_too_fast


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
    """What one person did; times are theirs, and say nothing about others. `left` counts the ordinary documents that
    they could still be given, `left_in_topic` those of the topic in hand."""

    assessor: str
    judged: int
    cannot: int
    put_off: int
    today: int
    median_seconds: float | None
    left: int = 0
    topic: str | None = None
    judged_in_topic: int = 0
    left_in_topic: int = 0
    too_fast: int = 0
    """Judgments given too fast to have read the document (`MIN_READING_SECONDS`)."""


def topic_progress(database: Database) -> list[TopicProgress]:
    """Return progress by topic in natural order (2 before 10)."""
    limit = settings_of(database).judgments_per_document
    now = database.clock()
    cannot = _number(standing.c.grade.is_(None)).label("cannot")
    by_item = sa.select(standing.c.item, sa.func.count().label("judgments"), cannot).group_by(standing.c.item)
    said = by_item.where(standing.c.kind == "ordinary").subquery()
    live = (tasks.c.kind == "ordinary") & (tasks.c.lease_until > now)
    leased = sa.select(tasks.c.item).where(live, ~answered()).distinct().subquery()
    judgments = sa.func.coalesce(said.c.judgments, 0)
    query = sa.select(
        items.c.topic,
        sa.func.count(),
        _number(judgments >= limit),
        _number((judgments > 0) & (judgments < limit)),
        sa.func.count(leased.c.item),
        sa.func.sum(judgments),
        sa.func.sum(sa.func.coalesce(said.c.cannot, 0)),
    ).select_from(items.outerjoin(said, said.c.item == items.c.item).outerjoin(leased, leased.c.item == items.c.item))
    query = query.where(items.c.kind == "ordinary", items.c.drawn).group_by(items.c.topic)
    found = [TopicProgress(row.topic, *map(int, row[1:])) for row in database.rows(query)]
    return sorted(found, key=lambda one: as_people_count(one.topic))


def _number(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    """Count the rows that meet a condition."""
    return sa.func.sum(sa.case((condition, 1), else_=0))


def as_people_count(topic: str) -> tuple[list[str | int], str]:
    """Return a sort key that compares numbers within names as numbers.

    >>> sorted(["q10", "q2", "10", "1", "2"], key=as_people_count)
    ['1', '2', '10', 'q2', 'q10']
    """
    parts = re.split(r"([0-9]{1,18})", topic)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], topic


def assessor_progress(database: Database, assessor: str) -> AssessorProgress:
    """Return one person's progress, which reveals nobody's grades."""
    day = database.now()[:10]
    together = events.join(standing, standing.c.event == events.c.event).join(items, items.c.item == events.c.item)
    mine = sa.select(events.c.kind, events.c.seconds, events.c.time, items.c.topic).select_from(together)
    mine = mine.where(standing.c.assessor == assessor, standing.c.kind != "adjudication").order_by(events.c.seq)
    with database.read() as connection:
        rows = connection.execute(mine).all()
        put_off = sa.select(sa.func.count()).where(tasks.c.assessor == assessor, tasks.c.later.is_not(None))
        num_put_off = int(connection.execute(put_off.where(~answered())).scalar_one())
        topic = rows[-1].topic if rows else None
        in_topic = _left(database, connection, assessor, topic) if topic is not None else 0
        left = _left(database, connection, assessor)
    seconds = [row.seconds for row in rows if row.seconds is not None]
    return AssessorProgress(
        assessor,
        judged=len(rows),
        cannot=sum(row.kind == "cannot" for row in rows),
        put_off=num_put_off,
        today=sum(row.time[:10] == day for row in rows),
        median_seconds=statistics.median(seconds) if seconds else None,
        left=left,
        topic=topic,
        judged_in_topic=sum(row.topic == topic for row in rows),
        left_in_topic=in_topic,
        too_fast=sum(map(is_too_fast, seconds)),
    )


def everybodys_progress(database: Database) -> list[AssessorProgress]:
    """Return the progress of all who have judged, by name; for organisers."""
    names = database.rows(sa.select(standing.c.assessor).distinct())
    return [assessor_progress(database, row.assessor) for row in sorted(names)]


def in_others_hands(database: Database, assessor: str) -> int:
    """Count documents that need judgments but cannot be given to this person now, because others hold them."""
    settings = settings_of(database)
    done = sa.select(standing.c.item).where(standing.c.kind == "ordinary").group_by(standing.c.item)
    done = done.having(sa.func.count() >= settings.judgments_per_document)
    open_ones = _without_own(assessor).where(items.c.item.in_(held_enough(besides=True)), items.c.item.not_in(done))
    known = {"now": database.clock(), "limit": settings.judgments_per_document, "assessor": assessor}
    return int(database.value(open_ones, **known))


def _left(database: Database, connection: sa.Connection, assessor: str, topic: str | None = None) -> int:
    """Count ordinary documents (of the topic or all) that this person has not judged and that need judgments."""
    full = held_enough(of_topic=topic is not None, besides=True)
    query = _without_own(assessor).where(items.c.item.not_in(full))
    known = {"now": database.clock(), "limit": settings_of(database).judgments_per_document, "assessor": assessor}
    if topic is not None:
        query, known = query.where(items.c.topic == topic), known | {"topic": topic}
    return int(connection.execute(query, known).scalar_one())


def _without_own(assessor: str) -> sa.Select[Any]:
    """Number of ordinary documents that this person has not judged yet."""
    own = sa.select(standing.c.item).where(standing.c.assessor == assessor, standing.c.kind == "ordinary")
    count = sa.select(sa.func.count()).select_from(items)
    return count.where(items.c.kind == "ordinary", items.c.drawn, items.c.item.not_in(own))
