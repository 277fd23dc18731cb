"""The order in which one assessor gets the items.

It is the assessor's own: a seeded shuffle within a topic, one topic finished before the next begins, calibration items
before all else. Distractors and repeats are mixed in and look like everything else. In active mode a ranking per topic
takes the place of the shuffle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.leases import Claimable, held_enough
from germane.judging.store.prepared import Prepared
from germane.judging.store.project import Settings
from germane.judging.store.schema import items, standing, tasks
from germane.judging.store.shuffle import Shuffles, free_at_once, judged_once, place

Ranking = Callable[[str], Sequence[str] | None]
"""The documents of a topic, the most likely relevant first; None if there is no such order yet."""


def candidates(
    database: Database, assessor: str, settings: Settings, count: int, ranking: Ranking | None = None
) -> list[Claimable]:
    """The next items in this assessor's order that seem free, before anything is locked or claimed."""
    shuffles = _shuffles.setdefault(database, Shuffles())
    with database.read() as connection:
        shuffles.renew(connection)
        reader = _Reader(connection, assessor, settings, database.clock(), ranking, shuffles)
        if not (found := list(islice(reader.in_order(), count))):
            shuffles.forget_person(assessor)  # so that nothing is called finished by what was remembered
            found = list(islice(reader.in_order(), count))
        return found


_shuffles: WeakKeyDictionary[Database, Shuffles] = WeakKeyDictionary()


def forget_orders(database: Database, topic: str | None = None) -> None:
    """Forget what is remembered of a topic, or of all: an answer was changed or withdrawn there, or not saved."""
    if shuffles := _shuffles.get(database):
        shuffles.forget(topic)


@dataclass
class _Reader:
    """One assessor's order of the items at one moment, computed lazily topic by topic."""

    connection: sa.Connection
    assessor: str
    settings: Settings
    now: float
    ranking: Ranking | None
    shuffles: Shuffles

    def in_order(self) -> Iterator[Claimable]:
        if self.shuffles.has_calibration:
            yield from self._calibration()
        current = _current_topic().value(self.connection, assessor=self.assessor)
        if current is not None:
            yield from self._in_topic(current, is_current=True)
        for topic in self.shuffles.ordered_topics(self.assessor, self.settings.seed):
            if topic != current:
                yield from self._in_topic(topic, is_current=False)

    def _in_topic(self, topic: str, *, is_current: bool) -> Iterator[Claimable]:
        """Yield what is free in a topic; one that is full comes only if this person is in it."""
        if self.ranking is not None:
            yield from self._whole_topic(topic) if is_current or self._has_room(topic) else ()
            return
        shuffle = self.shuffles.of(self.connection, self.assessor, topic, self.settings)
        if shuffle.is_used_up:
            return
        given = set()
        for one in free_at_once(self.connection, shuffle, self.assessor, topic, self.settings, self.now):
            given.add(one)
            yield one
        is_open = given or is_current or self._has_room(topic)
        for one in self._whole_topic(topic) if is_open else ():
            if one not in given:
                given.add(one)
                yield one
        if shuffle.is_done and not given and not judged_once(self.connection, shuffle, self.assessor, topic):
            shuffle.is_used_up = bool(is_open) or not self._has_room(topic, leases=False)

    def _place(self, topic: str, *words: str) -> float:
        return place(self.settings.seed, self.assessor, topic, *words)

    def _calibration(self) -> Iterator[Claimable]:
        found = self._rows(items.c.kind == "calibration")
        rows = [row for row in found.rows if found.is_free(row)]
        rows.sort(key=lambda row: (found.turn(row), self._place(row.topic), self._place(row.topic, row.doc)))
        yield from (Claimable(row.item, "calibration") for row in rows)

    def _rows(self, wanted: sa.ColumnElement[bool]) -> _Rows:
        """Return items with this assessor's actions on them."""
        wanted &= items.c.drawn
        within = sa.select(items.c.item).where(wanted)
        held, said = (
            sa.select(of).where(of.c.assessor == self.assessor, of.c.item.in_(within)) for of in (tasks, standing)
        )
        run = self.connection.execute
        return _Rows(run(sa.select(items).where(wanted)).all(), run(held).all(), run(said).all(), self.now)

    def _has_room(self, topic: str, *, leases: bool = True) -> bool:
        """Whether an ordinary item of the topic is held (without leases: judged) by fewer people than may judge it."""
        known = self._known(topic) | ({} if leases else {"now": math.inf})
        return _not_full().first(self.connection, **known) is not None

    def _known(self, topic: str) -> dict[str, object]:
        limit = self.settings.judgments_per_document
        return {"topic": topic, "assessor": self.assessor, "now": self.now, "limit": limit}

    def _whole_topic(self, topic: str) -> Iterator[Claimable]:
        full = set(self.connection.execute(held_enough(of_topic=True, besides=True), self._known(topic)).scalars())
        found = self._rows(items.c.topic == topic)
        ordinary = [row for row in found.rows if row.kind == "ordinary"]
        free = [row for row in ordinary if found.is_free(row) and row.item not in full]
        distractors = [row for row in found.rows if row.kind == "distractor" and found.is_free(row)]
        # Whoever judges nothing else here has nothing that a distractor could check.
        if not free and all(found.is_free(row) for row in ordinary):
            return
        yield from (Claimable(row.item, "repeat") for row in self._due_repeats(found, at_end=not free))
        places = self._places(topic, free, len(ordinary))
        for row in sorted([*free, *distractors], key=lambda row: (found.turn(row), places(row))):
            yield Claimable(row.item, row.kind)

    def _places(self, topic: str, free: Sequence[Any], total: int) -> Callable[[Any], float]:
        """Position of each item in its topic, from 0 to 1."""
        ranked = self.ranking(topic) if self.ranking is not None else None
        if ranked is None:
            return lambda row: self._place(topic, row.doc)
        rank = {doc: number for number, doc in enumerate(ranked)}
        done = total - len(free)
        ordered = sorted(free, key=lambda row: (rank.get(row.doc, len(rank)), self._place(topic, row.doc)))
        at = {row.item: (done + number) / max(1, total) for number, row in enumerate(ordered)}
        return lambda row: at.get(row.item, self._place(topic, row.doc))

    def _due_repeats(self, found: _Rows, *, at_end: bool) -> list[Any]:
        """Return documents to judge a second time by the same person, after enough others of the topic."""
        marked = {row.doc for row in found.rows if row.kind == "repeat"}
        gap = self.settings.repeat_gap
        due = []
        for row in found.rows:
            said = found.answered.get((row.item, "ordinary"))
            if row.kind != "ordinary" or said is None or not found.is_free(row, "repeat"):
                continue
            draw = self._place(row.topic, row.doc, "repeat")
            if draw >= self.settings.repeat_share and row.doc not in marked:
                continue
            wait = gap if at_end else gap + int(self._place(row.topic, row.doc, "wait") * (gap + 1))
            if sum(seq > said for seq in found.answered.values()) >= wait:
                due.append(row)
        return sorted(due, key=lambda row: found.turn(row, "repeat"))


class _Rows:
    """Items with one assessor's leases, skips and answers."""

    def __init__(self, rows: Sequence[Any], own_tasks: Sequence[Any], said: Sequence[Any], now: float) -> None:
        self.rows = rows
        self.answered: dict[tuple[int, str], int] = {(row.item, row.kind): row.seq for row in said}
        self._live = {(row.item, row.kind) for row in own_tasks if row.lease_until > now}
        self._put_off = {(row.item, row.kind): row.later for row in own_tasks if row.later is not None}

    def is_free(self, row: Any, kind: str | None = None) -> bool:
        key = (row.item, kind or row.kind)
        return key not in self._live and key not in self.answered

    def turn(self, row: Any, kind: str | None = None) -> float:
        """Return 0, or the time of the skip: skipped items come last, in the order they were skipped."""
        return float(self._put_off.get((row.item, kind or row.kind), 0.0))


@cache
def _current_topic() -> Prepared:
    mine = sa.select(items.c.topic).select_from(tasks.join(items)).where(tasks.c.assessor == sa.bindparam("assessor"))
    mine = mine.where(tasks.c.kind != "calibration", tasks.c.kind != "adjudication")
    return Prepared(mine.order_by(tasks.c.claimed.desc()).limit(1))


@cache
def _not_full() -> Prepared:
    ordinary = (items.c.topic == sa.bindparam("topic")) & (items.c.kind == "ordinary") & items.c.drawn
    return Prepared(sa.select(items.c.item).where(ordinary, items.c.item.not_in(held_enough(of_topic=True))).limit(1))
