"""A project's pools, rubric and settings."""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import sqlalchemy as sa

from germane.errors import GermaneError
from germane.judging.rubric import Rubric, listed
from germane.judging.store import schema
from germane.judging.store.connection import Database, can_be_stored
from germane.judging.store.prepared import Prepared
from germane.tables.truth.pool import Pool, PooledRun, PoolItem

Ordering = Literal["shuffle", "active"]


@dataclass(frozen=True)
class Settings:
    """Settings of a project.

    `judgments_per_document` is K. `lease_seconds` is how long a document that somebody looks at is theirs after their
    last activity, `unseen_seconds` the same for one that was only prefetched. `repeat_share` of the documents come a
    second time to the same assessor, at least `repeat_gap` answers later. `masked` hides document ids from assessors.
    `ordering` "active" puts first what a model finds likely to be relevant; it is recorded with every task and every
    event.
    """

    judgments_per_document: int = 1
    seed: int = 0
    lease_seconds: float = 900
    unseen_seconds: float = 60
    repeat_share: float = 0.03
    repeat_gap: int = 5
    masked: bool = False
    ordering: Ordering = "shuffle"
    mask_key: str = ""

    def __post_init__(self) -> None:
        if self.judgments_per_document < 1:
            raise GermaneError(f"expected at least one judgment per document, found {self.judgments_per_document}")
        if not 0 <= self.repeat_share <= 1:
            raise GermaneError(f"expected a share of repeats between 0 and 1, found {self.repeat_share}")
        if not 0 < self.unseen_seconds <= 60:
            problem = f"expected unseen_seconds above 0 and at most 60, found {self.unseen_seconds}"
            hint = "a prefetched document must return soon so that others can judge it"
            raise GermaneError(problem, hint=hint)
        if self.lease_seconds < self.unseen_seconds:
            wanted = f"lease_seconds of at least unseen_seconds ({self.unseen_seconds})"
            raise GermaneError(f"expected {wanted}, found {self.lease_seconds}")
        if self.repeat_gap < 0:
            raise GermaneError(f"expected a repeat_gap of 0 or more, found {self.repeat_gap}")


def save_settings(database: Database, settings: Settings) -> Settings:
    """Change the project's settings; earlier settings stay on record."""
    with _settings_alone(database) as connection:
        return _add_settings(database, connection, settings, _newest(database, connection))


def settings_of(database: Database) -> Settings:
    """Return the current settings; the defaults in a new project."""
    with database.read() as connection:
        found = _newest(database, connection)
    if found is not None:
        return found
    with _settings_alone(database) as connection:  # somebody else may have chosen some since
        return _newest(database, connection) or _add_settings(database, connection, Settings(), None)


@contextmanager
def _settings_alone(database: Database) -> Iterator[sa.Connection]:
    """A transaction that locks the settings, because all of a project's settings must have the same mask key."""
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(sa.text("LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE"))
        yield connection


def _add_settings(
    database: Database, connection: sa.Connection, settings: Settings, before: Settings | None
) -> Settings:
    if not settings.mask_key:
        settings = replace(settings, mask_key=before.mask_key if before else secrets.token_hex(16))
    connection.execute(schema.settings.insert().values(time=database.now(), body=json.dumps(asdict(settings))))
    return settings


def _newest(database: Database, connection: sa.Connection) -> Settings | None:
    body = NEWEST_SETTINGS.value(connection)
    if body is None:
        return None
    with database.making("settings"):
        return _settings_from(body)


NEWEST_SETTINGS = Prepared(sa.select(schema.settings.c.body).order_by(schema.settings.c.number.desc()).limit(1))
RUBRICS = Prepared(sa.select(schema.rubrics.c.body).order_by(schema.rubrics.c.number))


@lru_cache(16)
def _settings_from(body: str) -> Settings:
    return Settings(**json.loads(body))


def load_pool(database: Database, pool: Pool) -> int:
    """Add a pool's items; how many were new. Loading a pool again adds nothing; a pair keeps the pool that brought it
    first.

    What a pool left out of its sample is added too, and never shown: a release needs to know that it was pooled.
    """
    for item in (*pool.items, *pool.unsampled):
        if not (can_be_stored(item.topic) and can_be_stored(item.doc)):
            name = f"topic {item.topic!r}, document {item.doc!r}"
            hint = "rename these documents in runs and collection"
            raise GermaneError(f"{name}: judging needs document ids in UTF-8", hint=hint)
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(sa.text("LOCK TABLE pools IN SHARE ROW EXCLUSIVE MODE"))
        if connection.execute(sa.select(schema.pools.c.number).where(schema.pools.c.hash == pool.hash)).first():
            return 0
        body = json.dumps(pool.manifest, ensure_ascii=False)
        connection.execute(schema.pools.insert().values(hash=pool.hash, manifest=body, time=database.now()))
        items = schema.items
        known = {tuple(row) for row in connection.execute(sa.select(items.c.topic, items.c.doc, items.c.kind))}
        new = [
            vars(item) | {"pool": pool.hash, "drawn": drawn}
            for chosen, drawn in ((pool.items, True), (pool.unsampled, False))
            for item in chosen
            if (item.topic, item.doc, item.kind) not in known
        ]
        if new:
            connection.execute(items.insert(), new)
    return len(new)


def pools_of(database: Database) -> list[Pool]:
    """Return the loaded pools, each with the items that it was the first to add."""
    with database.read() as connection:
        rows = connection.execute(sa.select(schema.pools).order_by(schema.pools.c.number)).all()
        found = connection.execute(sa.select(schema.items)).all()
    pools = []
    items: dict[tuple[str, bool], list[PoolItem]] = defaultdict(list)
    with database.making("a pool"):
        for row in found:
            item = PoolItem(row.topic, row.doc, row.stratum, row.inclusion, row.kind)
            items[row.pool, bool(row.drawn)].append(item)
        for row in rows:
            manifest = json.loads(row.manifest)
            manifest["runs"] = tuple(PooledRun(**run) for run in manifest["runs"])
            pools.append(Pool.of(items[row.hash, True], unsampled=items[row.hash, False], **manifest))
    return pools


def save_rubric(database: Database, rubric: Rubric) -> None:
    """Add a version of the rubric, or change labels and text of an existing one; its values never change.

    The first version has number 1; each later one comes from `Rubric.next_version`.
    """
    with database.write() as connection:
        versions = _rubrics(database, connection)
        row = {"number": rubric.number, "body": rubric.as_json(), "time": database.now()}
        if rubric.number == len(versions) + 1:
            if versions:  # every grade given so far must have a meaning, or be said to have none
                versions[-1].next_version(rubric.grades, rubric.rel, rubric.mapping)
            connection.execute(schema.rubrics.insert().values(row))
            return
        if not 1 <= rubric.number <= len(versions):
            raise GermaneError(f"expected version {len(versions) + 1} of the rubric next, found {rubric.number}")
        before = versions[rubric.number - 1]
        if (before.values, before.mapping) != (rubric.values, rubric.mapping):
            grades = f"the grades {listed(before.values)}, which cannot change"
            problem = f"version {rubric.number} of the rubric has {grades}"
            raise GermaneError(
                problem, hint="for other values create a new version with a mapping (Rubric.next_version)"
            )
        connection.execute(schema.rubrics.update().where(schema.rubrics.c.number == rubric.number).values(row))


def rubrics_of(database: Database) -> list[Rubric]:
    """Return all versions of the rubric, oldest first; the last is in use."""
    with database.read() as connection:
        return _rubrics(database, connection)


def _rubrics(database: Database, connection: sa.Connection) -> list[Rubric]:
    rows = RUBRICS.rows(connection)
    with database.making("a rubric"):
        return [_rubric_from(row.body) for row in rows]


_rubric_from = lru_cache(64)(Rubric.from_json)


def record_of(database: Database) -> Mapping[str, Any]:
    """How the judgments came about, for a release's manifest: settings over time, pools, rubrics, events by
    ordering."""
    with database.read() as connection:
        by_ordering = sa.select(schema.events.c.ordering, sa.func.count()).group_by(schema.events.c.ordering)
        counts = connection.execute(by_ordering).all()
        settings = connection.execute(sa.select(schema.settings).order_by(schema.settings.c.number)).all()
        pools = connection.execute(sa.select(schema.pools).order_by(schema.pools.c.number)).all()
        rubrics = _rubrics(database, connection)
    with database.making("settings and pools"):
        bodies = [{"time": row.time} | json.loads(row.body) for row in settings]
        return {
            "settings": [{name: body[name] for name in body if name != "mask_key"} for body in bodies],
            "pools": [{"hash": row.hash, "time": row.time} | json.loads(row.manifest) for row in pools],
            "rubrics": [json.loads(rubric.as_json()) for rubric in rubrics],
            "events": {row[0]: row[1] for row in counts},
        }
