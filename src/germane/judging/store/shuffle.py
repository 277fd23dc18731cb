"""One person's shuffle of one topic, remembered, so that the next document costs the same however many there are.

What is remembered never decides what is free: that is read from the database, for the next few items of the shuffle
only. An item is left out once it was found done: answered by this person, or by as many others as may judge it. Where
a shuffle seems used up, `order` looks at the whole topic.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from germane.judging.store.leases import Claimable
from germane.judging.store.prepared import Prepared
from germane.judging.store.project import Settings
from germane.judging.store.schema import events, items, standing, tasks

FIRST_LOOK, LONGEST_LOOK = 16, 256
"""Number of items to look at first, and at most at a time: twice as many each time."""
MOST_REMEMBERED = 2_000_000
"""Maximum number of items in all remembered shuffles, at some 20 bytes each."""

_THOSE = sa.bindparam("those", expanding=True, type_=sa.Integer)
_ASSESSOR, _TOPIC = sa.bindparam("assessor", type_=sa.Text), sa.bindparam("topic", type_=sa.Text)
LAST_ITEM = Prepared(sa.select(sa.func.max(items.c.item)))
CALIBRATION = sa.select(items.c.item).where(items.c.kind == "calibration", items.c.drawn).limit(1)
TOPICS = sa.select(items.c.topic).where(items.c.kind == "ordinary", items.c.drawn).distinct()
OF_TOPIC = sa.select(items).where(items.c.topic == _TOPIC, items.c.drawn)
ANSWERS = sa.select(standing.c.item, standing.c.assessor, standing.c.kind)
ANSWERS = ANSWERS.where(standing.c.item.in_(_THOSE))
LEASES = sa.select(tasks.c.item, tasks.c.assessor, tasks.c.kind, tasks.c.lease_until, tasks.c.later)
LEASES = LEASES.where(tasks.c.item.in_(_THOSE))
_OF_ASSESSOR = (events.c.assessor == _ASSESSOR) & (items.c.topic == _TOPIC)
_STANDS = sa.exists().where(
    (standing.c.item == events.c.item) & (standing.c.assessor == events.c.assessor) & (standing.c.seq == events.c.seq)
)
_OWN = sa.select(events.c.item, events.c.item_kind, events.c.seq)
# By way of the events, which have an index of one person's in their order.
_OWN = _OWN.select_from(events.join(items, items.c.item == events.c.item)).where(_OF_ASSESSOR, _STANDS)
_JUDGED = (events.c.kind == "grade") | (events.c.kind == "cannot")
SINCE = Prepared(_OWN.where(_JUDGED, events.c.seq > sa.bindparam("after", type_=sa.Integer)).order_by(events.c.seq))
LATEST = Prepared(_OWN.where(items.c.drawn).order_by(events.c.seq.desc()).limit(sa.bindparam("most", type_=sa.Integer)))


def place(seed: int, *words: str) -> float:
    """Return a number from 0 to 1 that depends only on these words; sorting by it is a reproducible shuffle.

    >>> round(place(1, "ann", "301", "FT911-3"), 6)
    0.289645
    """
    digest = hashlib.sha256("\0".join([str(seed), *words]).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@dataclass(eq=False)
class Shuffle:
    """The ordinary items and distractors of a topic in one person's order, and those that come to them twice.

    Everything before `start`, and everything in `done`, needs no further look.
    """

    rows: Sequence[Any]
    twice: Mapping[int, int]
    """Items that may come a second time, each with the number of answers to wait for."""
    start: int = 0
    done: set[int] = field(default_factory=set)
    is_used_up: bool = False
    last_event: int = 0
    judged_once: dict[int, int] = field(default_factory=dict)
    """Items to judge a second time, with the number of the event of the first, as of the last event looked at."""
    judged_twice: set[int] = field(default_factory=set)

    @property
    def is_done(self) -> bool:
        """Whether every item was found done."""
        return self.start >= len(self.rows)

    def forget_done(self) -> None:
        """Move the start beyond what is done."""
        at = self.start
        while at < len(self.rows) and self.rows[at].item in self.done:
            at += 1
        self.start = at  # at once: another thread may be doing the same
        if self.is_done:
            self.done = set()


class Shuffles:
    """The shuffles of a database, until it gets more items."""

    def __init__(self) -> None:
        self._last_item: int | None = None
        self.has_calibration = False
        self.topics: Sequence[str] = ()
        self._forget_all()

    def _forget_all(self) -> None:
        self._rows: dict[str, Sequence[Any]] = {}
        self._of_topic: dict[str, dict[tuple[str, Settings], Shuffle]] = {}
        self._ordered: dict[tuple[str, int], Sequence[str]] = {}
        self._remembered = 0

    def renew(self, connection: sa.Connection) -> None:
        """Forget everything if there are new items: items never change otherwise."""
        last = LAST_ITEM.value(connection)
        if last != self._last_item or self._remembered > MOST_REMEMBERED:
            self._forget_all()
            self.topics = connection.execute(TOPICS).scalars().all()
            self.has_calibration = connection.execute(CALIBRATION).first() is not None
            self._last_item = last

    def forget(self, topic: str | None = None) -> None:
        """Forget what was found in a topic, or in all of them."""
        if topic is None:
            self._forget_all()
        else:
            self._of_topic.pop(topic, None)

    def forget_person(self, assessor: str) -> None:
        """Forget what was found for one person."""
        for shuffles in list(self._of_topic.values()):
            for key in list(shuffles):
                if key[0] == assessor:
                    shuffles.pop(key, None)

    def ordered_topics(self, assessor: str, seed: int) -> Sequence[str]:
        """Return the topics in one person's order."""
        known = self._ordered.get((assessor, seed))
        if known is None:
            known = self._ordered[assessor, seed] = sorted(self.topics, key=lambda one: place(seed, assessor, one))
        return known

    def of(self, connection: sa.Connection, assessor: str, topic: str, settings: Settings) -> Shuffle:
        """Return a person's shuffle of a topic."""
        shuffles = self._of_topic.setdefault(topic, {})
        found = shuffles.get((assessor, settings))
        if found is None:
            if topic not in self._rows:
                self._rows[topic] = connection.execute(OF_TOPIC, {"topic": topic}).all()
            found = shuffles[assessor, settings] = _shuffled(self._rows[topic], assessor, settings)
            self._remembered += len(found.rows)
        return found


def _shuffled(rows: Sequence[Any], assessor: str, settings: Settings) -> Shuffle:
    def drawn(row: Any, *words: str) -> float:
        return place(settings.seed, assessor, row.topic, row.doc, *words)

    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("ordinary", "distractor", "repeat")}
    marked = {row.doc for row in by_kind["repeat"]}
    gap = settings.repeat_gap
    twice = {
        row.item: gap + int(drawn(row, "wait") * (gap + 1))
        for row in by_kind["ordinary"]
        if row.doc in marked or (settings.repeat_share and drawn(row, "repeat") < settings.repeat_share)
    }
    return Shuffle(sorted([*by_kind["ordinary"], *by_kind["distractor"]], key=drawn), twice)


def free_at_once(
    connection: sa.Connection, shuffle: Shuffle, assessor: str, topic: str, settings: Settings, now: float
) -> Iterator[Claimable]:
    """Yield what is free in a topic, in order, without what this person has skipped; nothing if no ordinary item is.

    Second looks that are due come first, as in the whole order of the topic.
    """
    at, most = shuffle.start, FIRST_LOOK
    early: list[Claimable] | None = []  # distractors before the first ordinary item
    while at < len(shuffle.rows):
        looked_at: list[Any] = []
        while at < len(shuffle.rows) and len(looked_at) < most:
            if shuffle.rows[at].item not in shuffle.done:
                looked_at.append(shuffle.rows[at])
            at += 1
        free = _free(connection, shuffle, looked_at, assessor, settings, now)
        for found in (Claimable(row.item, row.kind) for row in free):
            if early is not None and found.kind == "distractor":
                early.append(found)
                continue
            if early is not None:
                yield from _due(connection, shuffle, assessor, topic, settings, now)
                yield from early
                early = None
            yield found
        most = min(2 * most, LONGEST_LOOK)


def _free(
    connection: sa.Connection, shuffle: Shuffle, rows: Sequence[Any], assessor: str, settings: Settings, now: float
) -> list[Any]:
    """Return the free ones of these items, and remember those that are done."""
    if not rows:
        return []
    those = {"those": [row.item for row in rows]}
    judged: dict[int, set[str]] = defaultdict(set)
    own, not_now = set(), set()
    for one in connection.execute(ANSWERS, those):
        if one.assessor == assessor:
            own.add((one.item, one.kind))
        elif one.kind == "ordinary":
            judged[one.item].add(one.assessor)
    held = {item: set(people) for item, people in judged.items()}
    for task in connection.execute(LEASES, those):
        if task.assessor == assessor:
            if task.lease_until > now or task.later is not None:
                not_now.add((task.item, task.kind))
        elif task.kind == "ordinary" and task.lease_until > now:
            held.setdefault(task.item, set()).add(task.assessor)
    limit, free = settings.judgments_per_document, []
    for row in rows:
        is_limited = row.kind == "ordinary"
        if (row.item, row.kind) in own or (is_limited and len(judged[row.item]) >= limit):
            shuffle.done.add(row.item)
        elif (row.item, row.kind) not in not_now and not (is_limited and len(held.get(row.item, ())) >= limit):
            free.append(row)
    shuffle.forget_done()
    return free


def judged_once(connection: sa.Connection, shuffle: Shuffle, assessor: str, topic: str) -> dict[int, int]:
    """Return the items that this person is to judge twice and has judged once, with the number of that event."""
    if not shuffle.twice:
        return {}
    # Only new answers: whatever changes an earlier one makes the whole shuffle be forgotten.
    for row in SINCE.rows(connection, assessor=assessor, topic=topic, after=shuffle.last_event):
        if row.item_kind == "repeat":
            shuffle.judged_once.pop(row.item, None)
            shuffle.judged_twice.add(row.item)
        elif row.item_kind == "ordinary" and row.item in shuffle.twice and row.item not in shuffle.judged_twice:
            shuffle.judged_once[row.item] = row.seq
        shuffle.last_event = row.seq
    return shuffle.judged_once


def _due(
    connection: sa.Connection, shuffle: Shuffle, assessor: str, topic: str, settings: Settings, now: float
) -> list[Claimable]:
    """Return the items to be judged a second time now, skipped ones last."""
    said = judged_once(connection, shuffle, assessor, topic)
    if not said:
        return []
    most = 2 * settings.repeat_gap + 1
    latest = [row.seq for row in LATEST.rows(connection, assessor=assessor, topic=topic, most=most)]
    due = []
    for item, wait in shuffle.twice.items():
        if item in said and (wait == 0 or (len(latest) >= wait and latest[wait - 1] > said[item])):
            due.append(item)
    if not due:
        return []
    held = [
        one for one in connection.execute(LEASES, {"those": due}) if (one.assessor, one.kind) == (assessor, "repeat")
    ]
    live = {one.item for one in held if one.lease_until > now}
    skipped = {one.item: one.later for one in held if one.later is not None}
    due.sort(key=lambda item: float(skipped.get(item, 0.0)))
    return [Claimable(item, "repeat") for item in due if item not in live]
