"""Disagreements between assessors, and the queue for adjudicating them.

Only an organiser's screen may show this. Whoever judged a document does not adjudicate it.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from germane.judging.rubric import grade_now
from germane.judging.store.connection import Database
from germane.judging.store.leases import Claimable, claim
from germane.judging.store.project import rubrics_of, settings_of
from germane.judging.store.schema import events, items, standing, tasks


@dataclass(frozen=True)
class Rating:
    """One assessor's standing word; `grade` is None for "cannot judge", or where the newest rubric has nothing like
    it."""

    assessor: str
    grade: float | None
    rubric: str
    comment: str


@dataclass(frozen=True)
class Case:
    """A document whose standing grades differ. `settled` is the adjudicated grade, if there is one, and by whom and
    why."""

    item: int
    topic: str
    doc: str
    ratings: tuple[Rating, ...]
    settled: Rating | None = None


def cases(database: Database, *, settled: bool | None = None) -> list[Case]:
    """Return the documents whose standing ordinary grades differ under the newest rubric, by topic and document.

    `settled` keeps only those that have, or have not, been adjudicated. What two people could not judge is no
    disagreement.
    """
    rubrics = rubrics_of(database)
    several = sa.select(standing.c.item).where(standing.c.kind == "ordinary").group_by(standing.c.item)
    several = several.having(sa.func.count() > 1)
    query = sa.select(standing, items.c.topic, items.c.doc, events.c.text)
    query = query.select_from(standing.join(items).join(events, events.c.event == standing.c.event))
    query = query.where(standing.c.item.in_(several), standing.c.kind.in_(["ordinary", "adjudication"]))
    by_item: dict[tuple[int, str, str], list[tuple[str, Rating]]] = {}
    with database.read() as connection:
        comments = _comments(connection)
        for row in connection.execute(query.order_by(items.c.topic, items.c.doc, standing.c.assessor)):
            grade = None if row.grade is None else grade_now(row.grade, row.rubric, rubrics)
            rating = Rating(row.assessor, grade, row.rubric, comments.get((row.item, row.assessor)) or row.text)
            by_item.setdefault((row.item, row.topic, row.doc), []).append((row.kind, rating))
    found = []
    for named, said in by_item.items():
        ratings = tuple(rating for kind, rating in said if kind == "ordinary")
        final = next((rating for kind, rating in said if kind == "adjudication"), None)
        differ = len({rating.grade for rating in ratings if rating.grade is not None}) > 1
        if differ and settled in (None, final is not None):
            found.append(Case(*named, ratings, final))
    return found


def next_case(database: Database, adjudicator: str) -> tuple[str, Case] | None:
    """Return (task, case) of the first open disagreement that this person did not judge and nobody adjudicates.

    Record the decision as an `events.Answer` of kind "adjudicate" for the task, with the reason as its text.
    """
    settings = settings_of(database)
    for case in cases(database, settled=False):
        if adjudicator in {rating.assessor for rating in case.ratings}:
            continue
        with database.write() as connection:
            database.lock_item(connection, case.item)
            now = database.clock()
            others = (tasks.c.item == case.item) & (tasks.c.kind == "adjudication") & (tasks.c.assessor != adjudicator)
            if connection.execute(sa.select(tasks.c.task).where(others, tasks.c.lease_until > now)).first() is not None:
                continue
            wanted, until = Claimable(case.item, "adjudication"), now + settings.lease_seconds
            task = claim(database, connection, wanted, adjudicator, settings, until=until)
        if task is not None:
            return task, case
    return None


def _comments(connection: sa.Connection) -> dict[tuple[int, str], str]:
    """Return the last comment of each assessor on each item."""
    query = sa.select(events.c.item, events.c.assessor, events.c.text).where(events.c.kind == "comment")
    return {(row.item, row.assessor): row.text for row in connection.execute(query.order_by(events.c.seq))}
