"""The order in which one assessor gets the items.

It is the assessor's own: a seeded shuffle within a topic, one topic finished before the next begins, calibration items
before all else. Distractors and repeats are mixed in and look like everything else. In active mode a ranking per topic
takes the place of the shuffle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import sqlalchemy as sa

from germane.judging.store.connection import Database
from germane.judging.store.leases import Claimable, held_enough
from germane.judging.store.project import Settings
from germane.judging.store.schema import items, standing, tasks

Ranking = Callable[[str], Sequence[str] | None]
"""The documents of a topic, the most likely relevant first; None if there is no such order yet."""


def candidates(
    database: Database, assessor: str, settings: Settings, count: int, ranking: Ranking | None = None
) -> list[Claimable]:
    """The next items in this assessor's order that seem free, before anything is locked or claimed."""
    with database.read() as connection:
        return list(islice(_Reader(connection, assessor, settings, database.clock(), ranking).in_order(), count))


def place(seed: int, *words: str) -> float:
    """Return a number from 0 to 1 that depends only on these words; sorting by it is a reproducible shuffle.

    >>> round(place(1, "ann", "301", "FT911-3"), 6)
    0.289645
    """
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass
class _Reader:
    """One assessor's order of the items at one moment, computed lazily topic by topic."""

    connection: sa.Connection
    assessor: str
    settings: Settings
    now: float
    ranking: Ranking | None

    def in_order(self) -> Iterator[Claimable]:
        yield from self._calibration()
        for topic in self._topics():
            yield from self._in_topic(topic)

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

    def _topics(self) -> Iterator[str]:
        """Return the current topic first, then those with something to judge in this assessor's own order."""
        mine = sa.select(items.c.topic).select_from(tasks.join(items)).where(tasks.c.assessor == self.assessor)
        mine = mine.where(tasks.c.kind.not_in(["calibration", "adjudication"]))
        current = self.connection.execute(mine.order_by(tasks.c.claimed.desc()).limit(1)).scalar()
        if current is not None:
            yield current
        full = held_enough(self.settings, self.now)
        query = sa.select(items.c.topic).where(items.c.kind == "ordinary", items.c.drawn, items.c.item.not_in(full))
        topics = self.connection.execute(query.distinct()).scalars().all()
        yield from sorted((topic for topic in topics if topic != current), key=self._place)

    def _in_topic(self, topic: str) -> Iterator[Claimable]:
        others = held_enough(self.settings, self.now, topic=topic, besides=self.assessor)
        full = set(self.connection.execute(others).scalars())
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
