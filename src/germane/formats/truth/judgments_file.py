"""Read judgments by assessor: events as JSON lines, CSV, and qrels.

All formats are read as events. A row of a CSV file or of qrels becomes an event whose id is derived from assessor,
topic and document, so that reading a file twice changes nothing.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from germane.errors import InputError, did_you_mean
from germane.formats.files.json_text import json_object
from germane.formats.files.part_folders import naming_parts
from germane.formats.files.sources import STDIN, display_name, source_name, text_of
from germane.formats.files.targets import open_target
from germane.formats.rankings.ranking_files import read_qrels
from germane.formats.rows.column_names import ALIASES, plain_name
from germane.formats.rows.columns import number_value
from germane.formats.rows.number_text import judgments as judgments_of
from germane.formats.rows.number_text import number_of
from germane.tables.columns.ids import to_bytes, to_text
from germane.tables.truth import judgments as table
from germane.tables.truth.judgments import ADJUDICATED, EVENT_KEYS, JudgmentEvent, Judgments

NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ALIASES["query"],
    "document": (*ALIASES["document"], "doc_no", "corpus_id", "item", "url"),
    "rating": ("rating", *ALIASES["grade"], "judgement_rating", "score", "value"),
    "assessor": ("assessor", "assessor_id", "judge", "rater", "annotator", "user", "user_id", "worker", "worker_id"),
}
"""Usual column names of each role, clearest first. Case does not matter; ``-``, ``_`` and space are equivalent."""

CANNOT = ("cannot", "cannot judge", "unjudgeable", "unrateable", "?")
"""Ratings that mean a judgment without a grade."""

NOT_JUDGED = ("", "na", "n/a", "nan", "null", "none", "unjudged")
"""Ratings of documents that are listed but unjudged."""


@dataclass(frozen=True, eq=False)
class JudgmentFile:
    """The events of one or several files, the (topic, document) pairs listed, and how each file was read."""

    events: tuple[JudgmentEvent, ...]
    listed: frozenset[tuple[str, str]] = frozenset()
    read_as: tuple[tuple[str, str], ...] = ()

    @property
    def judgments(self) -> Judgments:
        """The current judgments after all events."""
        found = table.standing(self.events, name=" ".join(name for name, _ in self.read_as) or "judgments")
        return replace(found, listed=found.listed | self.listed)


def read_judgments(paths: str | Path | Iterable[str | Path]) -> JudgmentFile:
    """Read one or several files of judgments; the format of each is detected from its content."""
    several = [paths] if isinstance(paths, str | Path) else list(paths)
    if not several:
        raise InputError("judgments", None, "expected at least one file, found none")
    parts = []
    for path in several:
        with naming_parts(path):
            parts.append(_read_one(path))
    _require_own_assessors(parts, several)
    events = table.unique((event for part in parts for event in part.events), name=source_name(several[0]))
    listed = frozenset[tuple[str, str]]().union(*(part.listed for part in parts))
    return JudgmentFile(tuple(events), listed, tuple(name for part in parts for name in part.read_as))


def read_events(path: str | Path) -> list[JudgmentEvent]:
    """Read an events file: JSON lines, one event each."""
    return list(_events(text_of(path), source_name(path)))


def write_events(events: Iterable[JudgmentEvent], path: str | Path) -> None:
    """Write events in chronological order, one JSON object per line; equal events give equal bytes."""
    with open_target(path) as target:
        target.write(events_as_bytes(events))


def events_as_bytes(events: Iterable[JudgmentEvent]) -> bytes:
    """Serialise events as JSON lines in a fixed order."""
    rows = (event_as_dict(event) for event in table.in_order(table.unique(events)))
    return to_bytes("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def event_as_dict(event: JudgmentEvent) -> dict[str, Any]:
    """Return an event as a dict with all keys in a fixed order; integral numbers become integers."""
    full = {key: getattr(event, key) for key in EVENT_KEYS}
    for key in ("grade", "seconds"):
        if full[key] is not None and full[key] == int(full[key]):
            full[key] = int(full[key])
    return full


def event_from_dict(said: Mapping[str, Any], source: str = "event", line: int | None = None) -> JudgmentEvent:
    """Build an event from the object of one line; missing, unknown or mistyped keys are errors.

    >>> event_from_dict({"event": "1", "kind": "grade", "assessor": "a", "topic": "t", "doc": "d", "grade": 2}).grade
    2.0
    """
    for key in said:
        if key not in EVENT_KEYS:
            problem = f"unknown key {key!r}{did_you_mean(key, EVENT_KEYS)}"
            raise InputError(source, line, problem, hint=f"choose from {', '.join(EVENT_KEYS)}")
    needed = ("event", "kind", "assessor", "topic", "doc")
    for key in (*needed, "rubric", "pool", "time", "text", "item_kind"):
        if not isinstance(said.get(key, ""), str) or (key in needed and not said.get(key)):
            raise InputError(source, line, f"expected text as {key!r}, found {said.get(key)!r}")
    for key, value in said.items():
        if isinstance(value, str) and not _is_text(value):
            raise InputError(source, line, f"expected text as {key!r}, found half of a surrogate pair in {value!r}")
    for key, known in (("kind", table.EVENT_KINDS), ("item_kind", table.ITEM_KINDS)):
        if said.get(key, known[0]) not in known:
            problem = f"expected one of {', '.join(known)} as {key!r}, found {said[key]!r}"
            raise InputError(source, line, problem)
    grade, seconds = (_number(said, key, source, line) for key in ("grade", "seconds"))
    if said["kind"] == "grade" and grade is None:
        raise InputError(source, line, "expected a grade in an event of kind 'grade', found none")
    if grade is not None and grade < 0:
        hint = "for a document that cannot be judged, use an event of kind 'cannot'"
        raise InputError(source, line, f"expected a grade of 0 or more, found {grade:g}", hint=hint)
    if not isinstance(said.get("supersedes"), str | None):
        raise InputError(source, line, f"expected an event id as 'supersedes', found {said['supersedes']!r}")
    event = JudgmentEvent(**{**said, "grade": grade, "seconds": seconds})
    try:
        _ = event.instant
    except ValueError:
        problem = f"expected a time such as 2026-01-31T09:30:00Z, found {event.time!r}"
        raise InputError(source, line, problem) from None
    return event


def events_of(judgments: Judgments) -> list[JudgmentEvent]:
    """Create one event per current judgment, for judgments without a history."""
    whose = zip(judgments.assessor, judgments.topic, judgments.doc, judgments.kind, strict=True)
    numbers = zip(judgments.grade.tolist(), judgments.seconds.tolist(), strict=True)
    events = []
    for (who, topic, doc, kind), pair in zip(whose, numbers, strict=True):
        grade, seconds = (None if math.isnan(number) else number for number in pair)
        done: table.EventKind = "adjudicate" if kind == ADJUDICATED else "cannot" if grade is None else "grade"
        item_kind = "ordinary" if kind == ADJUDICATED else kind
        made = _made_id(who, topic, doc, kind)
        events.append(JudgmentEvent(made, done, who, topic, doc, grade, item_kind=item_kind, seconds=seconds))
    return events


def _number(said: Mapping[str, Any], key: str, source: str, line: int | None) -> float | None:
    value = said.get(key)
    if value is None:
        return None
    try:
        return number_value(value, key)
    except ValueError:
        raise InputError(source, line, f"expected a number as {key!r}, found {value!r}") from None


def _is_text(value: str) -> bool:
    try:
        to_bytes(value)
    except UnicodeEncodeError:
        return False
    return True


def _made_id(*parts: str) -> str:
    return str(uuid5(NAMESPACE_URL, json.dumps(parts)))


def _read_one(path: str | Path) -> JudgmentFile:
    source, name, text = source_name(path), display_name(path), text_of(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.lstrip().startswith("{") and '"event"' in first and '"kind"' in first:
        return JudgmentFile(tuple(_events(text, source)), read_as=((name, "events"),))
    for delimiter in (",", "\t", ";"):
        places = _places(next(csv.reader([first], delimiter=delimiter), []), source)
        if {"query", "document", "rating"} <= places.keys():
            return _from_rows(text, delimiter, places, name, source)
    if str(path) == STDIN:
        problem = f"expected events or a CSV header, found {first[:60]!r}"
        raise InputError(source, 1, problem, hint="save qrels to a file named after the assessor")
    return _from_qrels(path, name)


def _events(text: str, source: str) -> Iterator[JudgmentEvent]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            said = json_object(line, source, number, hint="check that the file is complete")
            yield event_from_dict(said, source, number)


def _places(header: Sequence[str], source: str) -> dict[str, int]:
    """Assign columns to roles; a score beside a rank belongs to a run and is not a rating."""
    plain = [plain_name(name) for name in header]
    names = NAMES if not {"rank", "tag"} & set(plain) else {**NAMES, "rating": ("rating", *ALIASES["grade"])}
    found = {role: next((name for name in known if name in plain), None) for role, known in names.items()}
    for name in found.values():
        if name is not None and plain.count(name) > 1:
            problem = f"duplicate column {name!r} among {', '.join(header)}"
            raise InputError(source, 1, problem, hint="rename one of them")
    return {role: plain.index(name) for role, name in found.items() if name is not None}


def _from_rows(text: str, delimiter: str, places: Mapping[str, int], name: str, source: str) -> JudgmentFile:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    filled = (row for row in rows if any(cell.strip() for cell in row))
    width = len(next(filled))
    events: dict[str, JudgmentEvent] = {}
    listed = set()
    for row in filled:
        if len(row) != width:
            raise InputError(source, rows.line_num, f"expected {width} fields, as in the header, found {len(row)}")
        topic, doc, rating = (row[places[role]].strip() for role in ("query", "document", "rating"))
        who = row[places["assessor"]].strip() if "assessor" in places else name
        if not (topic and doc and who):
            raise InputError(source, rows.line_num, f"expected a query, a document and an assessor, found {row}")
        listed.add((topic, doc))
        event = _judgment(rating, who, topic, doc, source, rows.line_num)
        if event is not None:
            if event.event in events:
                problem = f"duplicate judgment of document {doc!r} for query {topic!r} by {who!r}"
                raise InputError(source, rows.line_num, problem)
            events[event.event] = event
    how = "one row per judgment" + ("" if "assessor" in places else ", one assessor")
    return JudgmentFile(tuple(events.values()), frozenset(listed), ((name, how),))


def _judgment(rating: str, who: str, topic: str, doc: str, source: str, line: int) -> JudgmentEvent | None:
    """Return the event of one row, or None for a listed but unjudged document."""
    made = _made_id(who, topic, doc, "ordinary")
    if rating.casefold() in CANNOT:
        return JudgmentEvent(made, "cannot", who, topic, doc)
    if rating.casefold() in NOT_JUDGED:
        return None
    grade = number_of(rating)
    if grade is None or not math.isfinite(grade):
        hint = f"leave it empty for an unjudged document, or write {CANNOT[0]!r} if it cannot be judged"
        raise InputError(source, line, f"expected a number as rating, found {rating!r}", hint=hint)
    return None if grade < 0 else JudgmentEvent(made, "grade", who, topic, doc, grade)


def _from_qrels(path: str | Path, name: str) -> JudgmentFile:
    """Read qrels as one assessor, named after the file, or one per group if the second column has several."""
    qrels = read_qrels(path)
    events, listed = [], set()
    for query, document, grade, group in judgments_of(qrels):
        topic, doc, who = to_text(query), to_text(document), name if group is None else to_text(group)
        listed.add((topic, doc))
        if grade >= 0:
            events.append(JudgmentEvent(_made_id(who, topic, doc, "ordinary"), "grade", who, topic, doc, grade))
    how = f"qrels, {'one assessor' if qrels.groups is None else 'an assessor per group'}"
    return JudgmentFile(tuple(events), frozenset(listed), ((name, how),))


def _require_own_assessors(parts: Sequence[JudgmentFile], paths: Sequence[str | Path]) -> None:
    """Raise an error for files with the same name, which would become one assessor with contradicting judgments."""
    owner: dict[str, int] = {}
    for place, (part, path) in enumerate(zip(parts, paths, strict=True)):
        if part.read_as[0][1].endswith("one assessor"):
            first = owner.setdefault(part.read_as[0][0], place)
            if first != place:
                problem = f"duplicate assessor: {paths[first]} has the same file name"
                raise InputError(path, None, problem, hint="rename one of them; assessors are named after their files")
