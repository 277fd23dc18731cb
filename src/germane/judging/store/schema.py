"""The tables of a judging project, and the numbered steps that bring an older database up to date.

One database holds one project. Only `events` is the truth about judgments: a trigger refuses to change or delete a row
of it, and `standing` is derived from it.

    settings    how the project judges: how many judgments per document, lease times, seed, order; the newest row counts
    pools       each pool that was loaded, with its manifest and hash
    rubrics     each version of the scale
    items       the pairs of topic and document to judge, with kind and stratum (never shown to an assessor)
    tasks       an item in the hands of one assessor: the opaque id that a browser sees, and the lease
    events      what assessors did, append-only
    standing    derived: what each assessor's last word on an item is
    bundles, bundle_tasks      offline bundles, and what each holds
    people, links, sessions    who may come in; secrets only as sha256
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import sqlalchemy as sa

from germane.errors import GermaneError

VERSION = 1
"""Version of the database schema that this code writes."""

metadata = sa.MetaData()

schema_steps = sa.Table(
    "schema_steps",
    metadata,
    sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("applied", sa.Text, nullable=False),
)

settings = sa.Table(
    "settings",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("time", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
)

pools = sa.Table(
    "pools",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("manifest", sa.Text, nullable=False),  # JSON
    sa.Column("time", sa.Text, nullable=False),
)

rubrics = sa.Table(
    "rubrics",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text, nullable=False),  # JSON
    sa.Column("time", sa.Text, nullable=False),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("item", sa.Integer, primary_key=True),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("doc", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # ordinary, distractor, calibration, repeat
    sa.Column("stratum", sa.Text, nullable=False),
    sa.Column("inclusion", sa.Double, nullable=False),
    sa.Column("pool", sa.Text, nullable=False),  # the hash of the pool that brought it
    sa.Column("drawn", sa.Boolean, nullable=False),  # False: pooled, and left out of the sample; never shown
    sa.UniqueConstraint("topic", "doc", "kind"),
)

tasks = sa.Table(
    "tasks",
    metadata,
    sa.Column("task", sa.Text, primary_key=True),  # opaque: says nothing about item or kind
    sa.Column("item", sa.Integer, sa.ForeignKey("items.item"), nullable=False),
    sa.Column("assessor", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # as shown: ordinary, distractor, calibration, repeat, adjudication
    sa.Column("claimed", sa.Double, nullable=False),
    sa.Column("seen", sa.Double),
    sa.Column("lease_until", sa.Double, nullable=False),  # seconds since 1970; RESERVED for a bundle, 0 when given back
    sa.Column("later", sa.Double),  # when the assessor last put it off
    sa.Column("ordering", sa.Text, nullable=False),  # what put it in front of the assessor: shuffle or active
    sa.UniqueConstraint("item", "assessor", "kind"),
    sa.Index("tasks_of_assessor", "assessor", "lease_until"),
    sa.Index("tasks_in_order", "assessor", "claimed"),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True),  # the order in which they were recorded
    sa.Column("event", sa.Text, nullable=False, unique=True),  # a uuid, from the browser
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("assessor", sa.Text, nullable=False),
    sa.Column("item", sa.Integer, sa.ForeignKey("items.item"), nullable=False),
    sa.Column("item_kind", sa.Text, nullable=False),
    sa.Column("grade", sa.Double),
    sa.Column("rubric", sa.Text, nullable=False),
    sa.Column("pool", sa.Text, nullable=False),
    sa.Column("time", sa.Text, nullable=False),  # ours; a bundle's answers have the assessor's
    sa.Column("client_time", sa.Text, nullable=False),  # the assessor's clock, as sent
    sa.Column("supersedes", sa.Text),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("seconds", sa.Double),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("extra", sa.Boolean, nullable=False),  # it came after its lease had run out
    sa.Column("bundle", sa.Text),
    sa.Column("ordering", sa.Text, nullable=False),
    sa.Index("events_of_item", "item", "assessor", "item_kind"),
    sa.Index("events_of_assessor", "assessor", "seq"),
    sqlite_autoincrement=True,
)

standing = sa.Table(
    "standing",
    metadata,
    sa.Column("item", sa.Integer, sa.ForeignKey("items.item"), primary_key=True),
    sa.Column("assessor", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # as in tasks
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("grade", sa.Double),  # NULL: shown, but could not be judged
    sa.Column("rubric", sa.Text, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Index("standing_of_assessor", "assessor"),
)

bundles = sa.Table(
    "bundles",
    metadata,
    sa.Column("bundle", sa.Text, primary_key=True),
    sa.Column("assessor", sa.Text, nullable=False),
    sa.Column("pool", sa.Text, nullable=False),
    sa.Column("rubric", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # reserved, imported, revoked
)

bundle_tasks = sa.Table(
    "bundle_tasks",
    metadata,
    sa.Column("bundle", sa.Text, sa.ForeignKey("bundles.bundle"), primary_key=True),
    sa.Column("task", sa.Text, sa.ForeignKey("tasks.task"), primary_key=True),
    sa.Column("place", sa.Integer, nullable=False),
)

people = sa.Table(
    "people",
    metadata,
    sa.Column("person", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("role", sa.Text, nullable=False),  # organiser, assessor, viewer
    sa.Column("password", sa.Text),  # scrypt, with its parameters and salt
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("disabled", sa.Boolean, nullable=False),
)

links = sa.Table(
    "links",
    metadata,
    sa.Column("link", sa.Integer, primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.person"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # once, personal, token
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
    sa.Column("used", sa.Double),  # when it was last used
    sa.Column("revoked", sa.Boolean, nullable=False),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("person", sa.Integer, sa.ForeignKey("people.person"), nullable=False),
    sa.Column("link", sa.Integer, sa.ForeignKey("links.link")),  # whose revocation ends the session too
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("expires", sa.Double, nullable=False),
)

RESERVED = 1e18
"""End time of leases that do not expire: those of bundles."""

# An INSERT OR REPLACE deletes the old row without telling the trigger on DELETE, hence the one on INSERT.
APPEND_ONLY: Mapping[str, tuple[str, ...]] = {
    "sqlite": (
        """CREATE TRIGGER events_never_change BEFORE UPDATE ON events
           BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
        """CREATE TRIGGER events_never_go BEFORE DELETE ON events
           BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
        """CREATE TRIGGER events_never_replaced BEFORE INSERT ON events
           WHEN EXISTS (SELECT 1 FROM events WHERE event = NEW.event OR seq = NEW.seq)
           BEGIN SELECT RAISE(ABORT, 'events are append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN RAISE EXCEPTION 'events are append-only'; END $$""",
        """CREATE TRIGGER events_never_change BEFORE UPDATE OR DELETE ON events
           FOR EACH ROW EXECUTE FUNCTION events_are_append_only()""",
        """CREATE TRIGGER events_never_truncated BEFORE TRUNCATE ON events
           FOR EACH STATEMENT EXECUTE FUNCTION events_are_append_only()""",
    ),
}


def is_up_to_date(connection: sa.Connection) -> bool:
    """Whether nothing needs to be created or migrated."""
    has_tables = sa.inspect(connection).has_table("schema_steps")
    return has_tables and connection.execute(sa.select(sa.func.max(schema_steps.c.version))).scalar() == VERSION


Step = Callable[[sa.Connection], None]

STEPS: Mapping[int, Step] = {}
"""Step n changes a database of version n − 1 into one of version n. A new database needs none: it starts at
`VERSION`."""


def bring_up_to_date(connection: sa.Connection, steps: Mapping[int, Step] = STEPS, version: int = VERSION) -> int:
    """Create the tables, or apply the missing migrations; return the version found, 0 for a new database.

    Call it inside a writing transaction: either all steps are taken or none.
    """
    if connection.dialect.name == "postgresql":  # SQLite's writing transaction is alone already
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(7217021)"))
    if not sa.inspect(connection).has_table("schema_steps"):
        metadata.create_all(connection, checkfirst=False)
        for statement in APPEND_ONLY[connection.dialect.name]:
            connection.exec_driver_sql(statement)
        _note(connection, version)
        return 0
    found: int = connection.execute(sa.select(sa.func.max(schema_steps.c.version))).scalar_one()
    if found > version:
        problem = f"the database has schema version {found}, but this germane supports at most {version}"
        raise GermaneError(problem, hint="upgrade germane to the version that created it")
    for number in range(found + 1, version + 1):
        steps[number](connection)
        _note(connection, number)
    return found


def _note(connection: sa.Connection, version: int) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    connection.execute(schema_steps.insert().values(version=version, applied=now))
