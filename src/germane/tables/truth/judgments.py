"""Judgments of assessors: an append-only log of events, and the current judgments that result from it.

Three states are distinguished: a pair of topic and document that is not listed was not pooled; one that is listed
without a judgment was pooled but unjudged; one that an assessor could not judge has a judgment without a grade.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from germane.arguments import checked
from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns, require_one_length
from germane.tables.columns.array_columns import as_ids
from germane.tables.columns.ids import FloatArray, IntArray, first_row, to_bytes
from germane.tables.columns.one_column import number_column
from germane.tables.notes.counts import counted
from germane.tables.truth.pool import ItemKind

EventKind = Literal["grade", "undo", "later", "cannot", "comment", "adjudicate"]
Standing = Literal["ordinary", "distractor", "calibration", "repeat", "adjudicated"]

EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
ITEM_KINDS: tuple[str, ...] = get_args(ItemKind)
ADJUDICATED: Literal["adjudicated"] = "adjudicated"
ANSWERS = ("grade", "cannot", "later")
NAN = float("nan")
MIN_READING_SECONDS = 1.0
"""Minimum seconds for reading a document: the eye rests about 0.25 s on each word or two (Rayner, Psychological
Bulletin 124 (1998), 372-422), so a second is enough for one line at most."""


@dataclass(frozen=True)
class JudgmentEvent:
    """One action of one assessor, with its time (ISO 8601, UTC).

    Events never change: `supersedes` names the event that this one replaces or, for an undo, withdraws.
    """

    event: str
    kind: EventKind
    assessor: str
    topic: str
    doc: str
    grade: float | None = None
    rubric: str = ""
    pool: str = ""
    time: str = ""
    supersedes: str | None = None
    item_kind: ItemKind = "ordinary"
    text: str = ""
    seconds: float | None = None

    @property
    def pair(self) -> tuple[str, str]:
        """Pair of topic and document."""
        return self.topic, self.doc

    @cached_property
    def instant(self) -> datetime:
        """Time of the event, for sorting; an event without a time comes before all others."""
        if not self.time:
            return datetime.min.replace(tzinfo=UTC)
        found = datetime.fromisoformat(self.time)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


EVENT_KEYS = tuple(entry.name for entry in fields(JudgmentEvent))


@dataclass(frozen=True, eq=False)
class Judgments:
    """Current judgments, one per row: assessor, topic, document and grade. A grade of NaN is "cannot judge".

    Rows are in the byte order of topic, document, kind and assessor. `listed` are pairs of topic and document known to
    have been pooled, whether judged or not; control items are not among them. `left_behind` counts superseded judgments
    by reason. `seconds` is the time spent on each document, NaN where unknown.
    """

    assessor: tuple[str, ...]
    topic: tuple[str, ...]
    doc: tuple[str, ...]
    grade: FloatArray
    kind: tuple[Standing, ...]
    listed: frozenset[tuple[str, str]] = frozenset()
    left_behind: Mapping[str, int] = field(default_factory=dict)
    name: str = "judgments"
    seconds: FloatArray = field(kw_only=True)

    @classmethod
    @checked
    def from_columns(
        cls,
        assessor: Sequence[object],
        topic: Sequence[object],
        doc: Sequence[object],
        grade: Sequence[float] | FloatArray,
        kind: Sequence[Standing] | None = None,
        *,
        listed: Iterable[tuple[str, str]] = (),
        left_behind: Mapping[str, int] | None = None,
        name: str = "judgments",
        seconds: Sequence[float | None] | None = None,
    ) -> Judgments:
        """Return judgments from columns with one entry per judgment, in any order.

        >>> Judgments.from_columns(["ann", "bob"], ["q1", "q1"], ["d1", "d1"], [1, 0])
        <judgments: 2 judgments of 1 document by ann, bob>
        """
        given = {"assessor": assessor, "topic": topic, "doc": doc, "grade": grade, "kind": kind}
        columns = aligned_columns(given, name)
        assessors, topics, docs = (list(as_ids(columns[role], role, name)) for role in ("assessor", "topic", "doc"))
        kinds: Sequence[Standing] = ["ordinary"] * len(assessors) if kind is None else list(columns["kind"])
        grades = number_column(columns["grade"], "grade", name)
        times = np.full(len(assessors), np.nan) if seconds is None else number_column(seconds, "seconds", name)
        lengths = {"assessors": assessors, "topics": topics, "documents": docs, "grades": grades, "kinds": kinds}
        require_one_length({**lengths, "seconds": times}, name)
        if (row := first_row(np.isinf(grades) | (grades < 0))) is not None:
            found = f"{grades[row]:g} by {assessors[row]} for topic {topics[row]}, document {docs[row]}"
            raise InputError(name, None, f"expected grades of 0 or more (NaN: cannot judge), found {found}")
        keys = [tuple(map(to_bytes, key)) for key in zip(topics, docs, kinds, assessors, strict=True)]
        twice = next((key for key, count in Counter(keys).items() if count > 1), None)
        if twice is not None:
            where = keys.index(twice)
            found = f"several by {assessors[where]!r} for topic {topics[where]!r}, document {docs[where]!r}"
            problem = f"expected one judgment per assessor and document, found {found}"
            hint = "use an events file for changed judgments; the latest one counts there"
            raise InputError(name, None, problem, hint=hint)
        pooled = {(topics[i], docs[i]) for i, kind in enumerate(kinds) if kind in ("ordinary", ADJUDICATED)}
        known = (frozenset(pooled).union(listed), dict(left_behind or {}))
        rows = cls(tuple(assessors), tuple(topics), tuple(docs), grades, tuple(kinds), *known, name, seconds=times)
        return rows.take(sorted(range(len(keys)), key=keys.__getitem__))

    def __len__(self) -> int:
        return len(self.assessor)

    def __repr__(self) -> str:
        docs = len(set(zip(self.topic, self.doc, strict=True)))
        who = ", ".join(self.assessors) if len(self.assessors) < 5 else f"{len(self.assessors)} assessors"
        return f"<{self.name}: {len(self)} judgments of {counted(docs, 'document')} by {who}>"

    @cached_property
    def assessors(self) -> tuple[str, ...]:
        """Assessors who judged, in byte order, without those who only adjudicated."""
        judged = {who for who, kind in zip(self.assessor, self.kind, strict=True) if kind != ADJUDICATED}
        return tuple(sorted(judged, key=to_bytes))

    @cached_property
    def too_fast(self) -> Mapping[str, int]:
        """Number of judgments given in less than `MIN_READING_SECONDS`, by assessor."""
        rows = zip(self.assessor, self.seconds.tolist(), strict=True)
        return Counter(who for who, seconds in rows if is_too_fast(seconds))

    def of_kind(self, *kinds: str) -> Judgments:
        """Return only the judgments of these kinds."""
        return self.take([i for i, kind in enumerate(self.kind) if kind in kinds])

    def take(self, rows: Sequence[int]) -> Judgments:
        """Return these rows, in this order; `listed` stays the same."""
        at = np.asarray(rows, dtype=np.int64)
        return replace(
            self,
            assessor=tuple(self.assessor[i] for i in rows),
            topic=tuple(self.topic[i] for i in rows),
            doc=tuple(self.doc[i] for i in rows),
            grade=self.grade[at],
            kind=tuple(self.kind[i] for i in rows),
            seconds=self.seconds[at],
        )

    def ratings(self, *kinds: str) -> Ratings:
        """Return the grades of these kinds (ordinary ones by default) as a table of items by assessors."""
        chosen = self.of_kind(*(kinds or ("ordinary",)))
        pairs = sorted(set(zip(chosen.topic, chosen.doc, strict=True)), key=lambda pair: tuple(map(to_bytes, pair)))
        place = {pair: i for i, pair in enumerate(pairs)}
        column = {who: i for i, who in enumerate(chosen.assessors)}
        grade = np.full((len(pairs), len(column)), np.nan)
        for topic, doc, who, given in zip(chosen.topic, chosen.doc, chosen.assessor, chosen.grade, strict=True):
            grade[place[topic, doc], column[who]] = given
        return Ratings(chosen.assessors, tuple(t for t, _ in pairs), tuple(d for _, d in pairs), grade)


@dataclass(frozen=True, eq=False)
class Ratings:
    """Grades by item × assessor; NaN where an assessor gave none. Items are in the byte order of topic and document."""

    assessors: tuple[str, ...]
    topic: tuple[str, ...]
    doc: tuple[str, ...]
    grade: FloatArray

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics, in byte order."""
        return tuple(dict.fromkeys(self.topic))

    @cached_property
    def topic_of_item(self) -> IntArray:
        """Index of each item's topic in `topics`."""
        place = {topic: i for i, topic in enumerate(self.topics)}
        return np.fromiter((place[topic] for topic in self.topic), dtype=np.int64, count=len(self.topic))

    @cached_property
    def num_grades(self) -> IntArray:
        """Number of assessors who graded each item."""
        return np.asarray((~np.isnan(self.grade)).sum(axis=1))


def in_order(events: Iterable[JudgmentEvent]) -> list[JudgmentEvent]:
    """Return events sorted by time, then by event id, so that the order of files does not matter."""
    return sorted(events, key=lambda event: (event.instant, event.event))


def standing(events: Iterable[JudgmentEvent], *, name: str = "events") -> Judgments:
    """Return the current judgments: for each assessor, document and kind of item the latest one not withdrawn.

    An undo withdraws the event that it names (or, naming none, the last judgment of the same item), and the one before
    counts again; an undo can itself be undone. A skip ("later") as the last event leaves no judgment. An adjudication
    is kept beside the judgments, one per document, whoever gave it.

    >>> first = JudgmentEvent("e1", "grade", "ann", "q1", "d1", 1.0, time="2026-01-01T09:00:00Z")
    >>> change = JudgmentEvent("e2", "grade", "ann", "q1", "d1", 2.0, time="2026-01-01T09:01:00Z", supersedes="e1")
    >>> undo = JudgmentEvent("e3", "undo", "ann", "q1", "d1", time="2026-01-01T09:02:00Z", supersedes="e2")
    >>> [standing(said).grade.tolist() for said in ([first], [first, change], [first, change, undo])]
    [[1.0], [2.0], [1.0]]
    """
    ordered = in_order(unique(events, name=name))
    _require_known(ordered, name)
    struck = _struck(ordered)
    answers = [event for event in ordered if event.kind in (*ANSWERS, "adjudicate")]
    alive = [event for event in answers if event.event not in struck]
    replaced = {event.supersedes for event in alive}
    last = {_key(event): event for event in alive if event.event not in replaced}
    kept = [event for event in last.values() if event.kind != "later"]
    left = {
        "withdrawn": len(answers) - len(alive),
        "changed": len(alive) - len(last),
        "skipped": len(last) - len(kept),
    }
    return Judgments.from_columns(
        [event.assessor for event in kept],
        [event.topic for event in kept],
        [event.doc for event in kept],
        [NAN if event.grade is None or event.kind == "cannot" else event.grade for event in kept],
        [ADJUDICATED if event.kind == "adjudicate" else event.item_kind for event in kept],
        listed={event.pair for event in ordered if event.item_kind == "ordinary"},
        left_behind={what: count for what, count in left.items() if count},
        name=name,
        seconds=[event.seconds for event in kept],
    )


def is_too_fast(seconds: float | None) -> bool:
    """Whether a judgment was given too fast to have read the document; False where the time is unknown.

    >>> is_too_fast(0.2), is_too_fast(1.0), is_too_fast(None)
    (True, False, False)
    """
    return seconds is not None and seconds < MIN_READING_SECONDS


def unique(events: Iterable[JudgmentEvent], *, name: str = "events") -> list[JudgmentEvent]:
    """Return each event once, without exact duplicates. Two different events under one id are an error."""
    seen: dict[str, JudgmentEvent] = {}
    for event in events:
        known = seen.setdefault(event.event, event)
        if known != event:
            problem = f"expected one event per id, found two different ones with id {event.event!r}"
            raise InputError(name, None, problem, hint="check that the events come from one project")
    return list(seen.values())


def _key(event: JudgmentEvent) -> tuple[str, ...]:
    """Return the key of an event, which replaces earlier ones of the same key; adjudications ignore the assessor."""
    if event.kind == "adjudicate":
        return (ADJUDICATED, event.topic, event.doc)
    return (event.assessor, event.topic, event.doc, event.item_kind)


def _require_known(events: Sequence[JudgmentEvent], name: str) -> None:
    pairs = {event.event: event.pair for event in events}
    for event in events:
        if event.supersedes is not None and pairs.get(event.supersedes) != event.pair:
            problem = f"event {event.event!r} supersedes {event.supersedes!r}, which is"
            if event.supersedes in pairs:
                raise InputError(name, None, f"{problem} about another document")
            raise InputError(name, None, f"{problem} missing", hint="pass all events of the project")


def _struck(ordered: Sequence[JudgmentEvent]) -> set[str]:
    """Return the ids of withdrawn events; undos are processed from last to first, so that an undo can be undone."""
    answers: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for place, event in enumerate(ordered):
        if event.kind in ANSWERS:
            answers.setdefault(_key(event), []).append((place, event.event))
    struck: set[str] = set()
    for place, event in reversed(list(enumerate(ordered))):
        if event.kind == "undo" and event.event not in struck:
            said = reversed(answers.get(_key(event), []))
            before = next((name for at, name in said if at < place and name not in struck), None)
            target = before if event.supersedes is None else event.supersedes
            if target is not None:
                struck.add(target)
    return struck
