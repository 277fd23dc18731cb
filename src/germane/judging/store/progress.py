"""How far the work has come: for the organiser by topic and by person, for an assessor their own part only."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.leases import answered, holders
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
    """Judgments given before anybody could have read the document (`MIN_READING_SECONDS`)."""


def topic_progress(database: Database) -> list[TopicProgress]:
    """Each topic's progress, the topics as people count: 2 before 10."""
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
    rows = database.rows(query)
    found = [TopicProgress(row.topic, *(int(value) for value in row[1:])) for row in rows]
    return sorted(found, key=lambda one: as_people_count(one.topic))


def as_people_count(topic: str) -> tuple[list[str | int], str]:
    """A key to sort by in which numbers within a name are numbers.

    >>> sorted(["q10", "q2", "10", "1", "2"], key=as_people_count)
    ['1', '2', '10', 'q2', 'q10']
    """
    parts = re.split(r"([0-9]{1,18})", topic)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], topic


def assessor_progress(database: Database, assessor: str) -> AssessorProgress:
    """One person's progress. What they could still be given shows nobody's grades."""
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
    """The progress of everybody who has judged, by name; for an organiser."""
    names = database.rows(sa.select(standing.c.assessor).distinct())
    return [assessor_progress(database, row.assessor) for row in sorted(names)]


def in_others_hands(database: Database, assessor: str) -> int:
    """Documents that lack judgments and cannot be given to this person now, since others have them in hand."""
    done = sa.select(standing.c.item).where(standing.c.kind == "ordinary").group_by(standing.c.item)
    done = done.having(sa.func.count() >= settings_of(database).judgments_per_document)
    query = _without_own(assessor).where(items.c.item.in_(_full(database, assessor)), items.c.item.not_in(done))
    return int(database.value(query))


def _left(database: Database, connection: sa.Connection, assessor: str, topic: str | None = None) -> int:
    """Ordinary documents, of the topic or of all, that this person has not judged and for which there is room."""
    query = _without_own(assessor).where(items.c.item.not_in(_full(database, assessor, topic)))
    return int(connection.execute(query if topic is None else query.where(items.c.topic == topic)).scalar_one())


def _full(database: Database, assessor: str, topic: str | None = None) -> sa.Select[Any]:
    """The items that as many others hold as may judge them."""
    held = holders(database.clock(), topic=topic)
    full = sa.select(held.c.item).where(held.c.assessor != assessor).group_by(held.c.item)
    return full.having(sa.func.count() >= settings_of(database).judgments_per_document)


def _without_own(assessor: str) -> sa.Select[Any]:
    """How many ordinary documents this person has not judged."""
    own = sa.select(standing.c.item).where(standing.c.assessor == assessor, standing.c.kind == "ordinary")
    count = sa.select(sa.func.count()).select_from(items)
    return count.where(items.c.kind == "ordinary", items.c.drawn, items.c.item.not_in(own))
