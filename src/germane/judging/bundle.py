"""Offline bundles: documents reserved for one assessor, judged without a network and imported as JSON lines.

A bundle is a reservation until its answers are imported or it is revoked. What goes out is blind: task, topic and
label, never a kind, a stratum or a grade. An answer comes back as one object per line:

    {"bundle": …, "assessor": …, "pool": …, "rubric": …, "event": uuid, "task": …, "topic": …, "doc": label,
     "kind": "grade", "grade": 1, "text": "", "time": "2026-01-01T09:00:00Z", "seconds": 4.2, "supersedes": null}
"""

from __future__ import annotations

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import sqlalchemy as sa

from germane.errors import GermaneError
from germane.judging.store.answers import Answer
from germane.judging.store.connection import Database
from germane.judging.store.events import record
from germane.judging.store.leases import answered, claim
from germane.judging.store.order import Ranking, candidates
from germane.judging.store.project import rubrics_of, settings_of
from germane.judging.store.queues import BlindTask, label_of
from germane.judging.store.schema import RESERVED, bundle_tasks, bundles, items, pools, tasks


@dataclass(frozen=True)
class Bundle:
    """A bundle: `content` is the part that may go into the file; document texts are added to it."""

    bundle: str
    assessor: str
    pool: str
    rubric: str
    created: str
    state: Literal["reserved", "imported", "revoked"]
    tasks: tuple[BlindTask, ...]
    answered: int

    @property
    def content(self) -> Mapping[str, Any]:
        """The bundle for the assessor: its ids, and the tasks in the order to judge them."""
        tasks = [{"task": task.task, "topic": task.topic, "doc": task.label} for task in self.tasks]
        names = ("bundle", "assessor", "pool", "rubric", "created")
        return {name: getattr(self, name) for name in names} | {"tasks": tasks}


@dataclass(frozen=True)
class Refused:
    """A rejected line and the reason."""

    line: int
    event: str
    reason: str


@dataclass(frozen=True)
class Imported:
    """Outcome of an import: `already` were imported before; `extra` of the stored ones exceed K judgments."""

    stored: int
    already: int
    extra: int
    refused: tuple[Refused, ...]


def reserve(database: Database, assessor: str, count: int, *, ranking: Ranking | None = None) -> Bundle:
    """Reserve up to `count` documents for an assessor, in their own order."""
    settings, rubrics = settings_of(database), rubrics_of(database)
    if not rubrics:
        raise GermaneError("cannot create a bundle without a rubric")
    wanted = candidates(database, assessor, settings, count, ranking)
    bundle = secrets.token_hex(8)
    pool = database.value(sa.select(pools.c.hash).order_by(pools.c.number.desc()).limit(1))
    row = {"bundle": bundle, "assessor": assessor, "pool": pool or "", "rubric": rubrics[-1].version}
    with database.write() as connection:
        connection.execute(bundles.insert().values(row | {"created": database.now(), "state": "reserved"}))
        taken = []
        # In the order of their numbers, so that two who reserve at once never wait for each other.
        for candidate in sorted(wanted):
            ordering = "active" if ranking is not None and candidate.kind == "ordinary" else "shuffle"
            task = claim(database, connection, candidate, assessor, settings, until=RESERVED, ordering=ordering)
            if task is not None:
                taken.append({"bundle": bundle, "task": task, "place": wanted.index(candidate)})
        if not taken:
            raise GermaneError(f"no documents left to reserve for {assessor}")
        connection.execute(bundle_tasks.insert(), taken)
    return bundle_of(database, bundle)


def bundle_of(database: Database, bundle: str) -> Bundle:
    """Return one bundle."""
    found = next((one for one in all_bundles(database) if one.bundle == bundle), None)
    if found is None:
        raise GermaneError(f"unknown bundle {bundle!r}")
    return found


def all_bundles(database: Database) -> list[Bundle]:
    """Return all bundles, oldest first."""
    settings = settings_of(database)
    query = sa.select(bundle_tasks.c.bundle, tasks.c.task, items.c.topic, items.c.doc, answered().label("answered"))
    query = query.select_from(bundle_tasks.join(tasks).join(items)).order_by(bundle_tasks.c.place)
    held: dict[str, list[Any]] = defaultdict(list)
    with database.read() as connection:
        rows = connection.execute(sa.select(bundles).order_by(bundles.c.created, bundles.c.bundle)).all()
        for row in connection.execute(query):
            held[row.bundle].append(row)
    found = []
    for row in rows:
        mine = held[row.bundle]
        blind = tuple(BlindTask(one.task, one.topic, label_of(one.topic, one.doc, settings)) for one in mine)
        found.append(Bundle(**row._mapping, tasks=blind, answered=sum(bool(one.answered) for one in mine)))
    return found


def revoke(database: Database, bundle: str) -> None:
    """Revoke a bundle: release its documents and reject judgments that arrive later."""
    _end(database, bundle_of(database, bundle).bundle, "revoked")


def import_answers(database: Database, lines: Iterable[str | bytes], *, finish: bool = True) -> Imported:
    """Import the judgments of this project's bundles; reject and list everything else.

    Only a pair that was reserved for the bundle is taken. Importing a file again stores nothing twice. Unless `finish`
    is False, the reservation ends: what was not answered can be given to others.
    """
    known = {bundle.bundle: bundle for bundle in all_bundles(database)}
    refused: list[Refused] = []
    touched: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        body: dict[str, Any] = {}
        try:
            body = _body(line)
            bundle = _bundle(body, known)
            answer = _answer(body, bundle)
        except GermaneError as error:
            refused.append(Refused(number, str(body.get("event", "")), error.message))
            continue
        receipt = record(database, bundle.assessor, [answer], bundle=bundle.bundle)[0]
        touched[bundle.bundle] = None
        if receipt.status == "refused":
            refused.append(Refused(number, answer.event, receipt.reason))
        counts[receipt.status] += 1
        counts["extra"] += receipt.status == "stored" and receipt.extra
    for bundle_id in touched if finish else ():
        if known[bundle_id].state == "reserved":
            _end(database, bundle_id, "imported")
    return Imported(counts["stored"], counts["already"], counts["extra"], tuple(refused))


def _body(line: str | bytes) -> dict[str, Any]:
    try:
        body = json.loads(line)
        json.dumps(body, ensure_ascii=False).encode()  # half of a character could not be told to anybody
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise GermaneError(f"expected a JSON object, found {line[:60]!r}")
    return body


def _bundle(body: Mapping[str, Any], known: Mapping[str, Bundle]) -> Bundle:
    bundle = known.get(str(body.get("bundle")))
    if bundle is None:
        raise GermaneError(f"unknown bundle {body.get('bundle')!r}")
    if bundle.state == "revoked":
        raise GermaneError(f"bundle {bundle.bundle} was revoked")
    for name in ("assessor", "pool", "rubric"):
        if body.get(name) != getattr(bundle, name):
            raise GermaneError(f"expected the {name} {getattr(bundle, name)!r}, found {body.get(name)!r}")
    return bundle


def _answer(body: Mapping[str, Any], bundle: Bundle) -> Answer:
    pair = (body.get("topic"), body.get("doc"))
    task = next((task for task in bundle.tasks if task.task == body.get("task")), None)
    if task is None or (task.topic, task.label) != pair:
        raise GermaneError(f"topic {pair[0]!r}, document {pair[1]!r} is not reserved for bundle {bundle.bundle}")
    if body.get("kind") == "adjudicate":
        raise GermaneError("judgments of a bundle cannot adjudicate")
    given = {name: body.get(name, default) for name, default in _DEFAULTS.items()}
    return Answer(task=task.task, rubric=bundle.rubric, **given)


_DEFAULTS = {name: value for name, value in asdict(Answer("", "", "grade")).items() if name not in ("task", "rubric")}


def _end(database: Database, bundle: str, state: str) -> None:
    held = sa.select(bundle_tasks.c.task).where(bundle_tasks.c.bundle == bundle)
    with database.write() as connection:
        connection.execute(bundles.update().where(bundles.c.bundle == bundle).values(state=state))
        released = tasks.c.task.in_(held) & (tasks.c.lease_until == RESERVED)
        connection.execute(tasks.update().where(released).values(lease_until=0.0))
