"""People, their roles, links and sessions.

A link's secret goes into the fragment of a URL; `enter` exchanges it for a session, whose secret becomes the cookie.
Both exist here only as sha256; passwords that people chose are kept as scrypt. The organiser's first link works once;
personal links work until they expire or are revoked, and an API token is a link that needs no session. Revoking a link
ends the sessions that came from it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from germane.errors import GermaneError
from germane.judging.store.connection import Database, iso_time
from germane.judging.store.prepared import Prepared
from germane.judging.store.schema import RESERVED, links, people, sessions, tasks

Role = Literal["organiser", "assessor", "viewer"]
LinkKind = Literal["once", "personal", "token"]

ROLES: tuple[Role, ...] = ("organiser", "assessor", "viewer")
DAY = 86_400.0
SESSION_SECONDS = 30 * DAY
LINK_SECONDS = {"once": DAY, "personal": 90 * DAY, "token": 90 * DAY}
SHORTEST_PASSWORD = 10
LOG2_N, R, P = 15, 8, 3
"""scrypt's cost, after OWASP: 32 MB and a fraction of a second per password."""


@dataclass(frozen=True)
class Person:
    """A person with a role; judgments are recorded under `name`, which never changes."""

    person: int
    name: str
    role: Role
    disabled: bool = False

    @property
    def may_judge(self) -> bool:
        """Whether the person may judge; organisers may too, since many work alone."""
        return not self.disabled and self.role != "viewer"

    @property
    def may_organise(self) -> bool:
        """Whether the person may use the organiser pages."""
        return not self.disabled and self.role == "organiser"


@dataclass(frozen=True)
class Link:
    """A link as an organiser sees it: everything but the secret."""

    link: int
    person: str
    kind: LinkKind
    created: str
    expires: str
    used: str | None
    state: Literal["valid", "expired", "revoked", "used"]


def add_person(database: Database, name: str, role: Role) -> Person:
    """Add a person under a new name.

    A name is 1 to 64 characters, none of which is a control character, without white space at its ends.
    """
    if not 0 < len(name) <= 64 or name != name.strip() or not name.isprintable():
        raise GermaneError(f"expected a name of 1 to 64 printable characters, found {name!r}")
    if role not in ROLES:
        raise GermaneError(f"expected a role ({', '.join(ROLES)}), found {role!r}")
    with database.write() as connection:
        try:
            row = {"name": name, "role": role, "created": database.now(), "disabled": False}
            number = connection.execute(people.insert().values(row)).inserted_primary_key
        except sa.exc.IntegrityError:
            raise GermaneError(f"{name!r} already exists") from None
        assert number is not None
        return Person(int(number[0]), name, role)


def person_named(database: Database, name: str) -> Person | None:
    """Return the person of this name."""
    return _person(database.first(sa.select(people).where(people.c.name == name)))


def everybody(database: Database) -> list[Person]:
    """Return all people by name."""
    rows = database.rows(sa.select(people).order_by(people.c.name))
    return [Person(row.person, row.name, row.role, bool(row.disabled)) for row in rows]


def change_person(
    database: Database, person: Person, *, role: Role | None = None, disabled: bool | None = None
) -> Person:
    """Change a person's role, or disable them; their judgments stay, their documents in progress are released. The last
    organiser cannot go."""
    role, disabled = role or person.role, person.disabled if disabled is None else disabled
    if role not in ROLES:
        raise GermaneError(f"expected a role ({', '.join(ROLES)}), found {role!r}")
    with database.write() as connection:
        connection.execute(people.update().where(people.c.person == person.person).values(role=role, disabled=disabled))
        able = sa.select(sa.func.count()).where(people.c.role == "organiser", ~people.c.disabled)
        if person.may_organise and not connection.execute(able).scalar_one():
            raise GermaneError("a project needs at least one organiser", hint="make somebody else organiser first")
        if disabled:
            connection.execute(sessions.delete().where(sessions.c.person == person.person))
            in_hand = (tasks.c.assessor == person.name) & (tasks.c.lease_until < RESERVED)
            connection.execute(tasks.update().where(in_hand).values(lease_until=0.0))
    return Person(person.person, person.name, role, disabled)


def make_link(database: Database, person: Person, kind: LinkKind, *, seconds: float | None = None) -> str:
    """Create a link or token and return its secret, which cannot be shown again; it expires after `seconds`."""
    secret, now = secrets.token_urlsafe(32), database.clock()
    lasts = LINK_SECONDS[kind] if seconds is None else seconds
    row = {"person": person.person, "kind": kind, "hash": secret_hash(secret), "revoked": False}
    with database.write() as connection:
        connection.execute(links.insert().values(row | {"created": now, "expires": now + lasts}))
    return secret


def links_of(database: Database) -> list[Link]:
    """Return all links, newest first."""
    query = sa.select(links, people.c.name).select_from(links.join(people)).order_by(links.c.link.desc())
    now, found = database.clock(), []
    for row in database.rows(query):
        state: Literal["valid", "expired", "revoked", "used"] = "valid"
        if row.revoked:
            state = "revoked"
        elif row.kind == "once" and row.used is not None:
            state = "used"
        elif row.expires <= now:
            state = "expired"
        used = None if row.used is None else iso_time(row.used)
        found.append(Link(row.link, row.name, row.kind, iso_time(row.created), iso_time(row.expires), used, state))
    return found


def revoke_link(database: Database, link: int) -> None:
    """Revoke a link and the sessions that came from it."""
    with database.write() as connection:
        connection.execute(links.update().where(links.c.link == link).values(revoked=True))
        connection.execute(sessions.delete().where(sessions.c.link == link))


def enter(database: Database, secret: str) -> tuple[str, Person] | None:
    """(session secret, person) for the secret of a link, or None. A one-time link is used up by it, whoever comes
    second."""
    with database.write() as connection:
        row = _valid_link(database, connection, secret, ("once", "personal"))
        if row is None:
            return None
        unused = links.c.used.is_(None) if row.kind == "once" else sa.true()
        taken = links.update().where(links.c.link == row.link, unused).values(used=database.clock())
        if connection.execute(taken).rowcount != 1:  # somebody else used it in this very moment
            return None
        session = _start_session(database, connection, row.person, row.link)
    return session, Person(row.person, row.name, row.role)


def sign_in(database: Database, name: str, password: str) -> tuple[str, Person] | None:
    """(session secret, person) for a name and a password, or None, after the same time whatever was wrong."""
    row = database.first(sa.select(people).where(people.c.name == name))
    fits = password_fits(password, None if row is None else row.password)
    if row is None or not fits or row.disabled:
        return None
    with database.write() as connection:
        session = _start_session(database, connection, row.person, None)
    return session, Person(row.person, row.name, row.role)


def set_password(database: Database, person: Person, password: str | None) -> None:
    """Set or remove a password; sessions that came from the old one end."""
    if password is not None and len(password) < SHORTEST_PASSWORD:
        raise GermaneError(f"expected a password of {SHORTEST_PASSWORD} characters or more, found {len(password)}")
    kept = None if password is None else password_hash(password)
    with database.write() as connection:
        connection.execute(people.update().where(people.c.person == person.person).values(password=kept))
        ended = (sessions.c.person == person.person) & sessions.c.link.is_(None)
        connection.execute(sessions.delete().where(ended))


def person_of_session(database: Database, session: str) -> Person | None:
    """Return the person of a valid session."""
    return _person(database.first(PERSON_OF_SESSION, hash=secret_hash(session), now=database.clock()))


PERSON_OF_SESSION = Prepared(
    sa.select(people)
    .select_from(people.join(sessions))
    .where(sessions.c.hash == sa.bindparam("hash"), sessions.c.expires > sa.bindparam("now"), ~people.c.disabled)
)


def person_of_token(database: Database, token: str) -> Person | None:
    """Return the person of a valid API token. Links and sessions are not tokens."""
    with database.read() as connection:
        return _person(_valid_link(database, connection, token, ("token",)))


def leave(database: Database, session: str) -> None:
    """End a session."""
    with database.write() as connection:
        connection.execute(sessions.delete().where(sessions.c.hash == secret_hash(session)))


def _person(row: Any) -> Person | None:
    return None if row is None else Person(row.person, row.name, row.role, bool(row.disabled))


def _valid_link(database: Database, connection: sa.Connection, secret: str, kinds: tuple[LinkKind, ...]) -> Any:
    known = {"hash": secret_hash(secret), "kinds": list(kinds), "now": database.clock()}
    return connection.execute(VALID_LINK, known).first()


VALID_LINK = sa.select(links, people.c.name, people.c.role, people.c.disabled).select_from(links.join(people)).where(
    links.c.hash == sa.bindparam("hash"),
    links.c.kind.in_(sa.bindparam("kinds", expanding=True)),
    links.c.expires > sa.bindparam("now"),
    ~links.c.revoked,
    ~people.c.disabled,
    (links.c.kind != "once") | links.c.used.is_(None),
)  # fmt: skip


def _start_session(database: Database, connection: sa.Connection, person: int, link: int | None) -> str:
    session, now = secrets.token_urlsafe(32), database.clock()
    connection.execute(sessions.delete().where(sessions.c.expires <= now))
    row = {"hash": secret_hash(session), "person": person, "link": link}
    connection.execute(sessions.insert().values(row | {"created": now, "expires": now + SESSION_SECONDS}))
    return session


def secret_hash(secret: str) -> str:
    """Hash a random secret. It has too many bits to guess, so a fast hash is enough.

    >>> secret_hash("x")[:8]
    '2d711642'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def password_hash(password: str) -> str:
    """Hash a password: scrypt with its parameters and a salt."""
    salt = secrets.token_bytes(16)
    return f"scrypt${LOG2_N}${R}${P}${salt.hex()}${_scrypt(password, salt, LOG2_N, R, P).hex()}"


def password_fits(password: str, kept: str | None) -> bool:
    """Whether this is the password; without a stored one it takes as long and returns False."""
    if kept is None:
        _scrypt(password, b"\0" * 16, LOG2_N, R, P)
        return False
    _, log2_n, r, p, salt, expected = kept.split("$")
    found = _scrypt(password, bytes.fromhex(salt), int(log2_n), int(r), int(p))
    return hmac.compare_digest(found, bytes.fromhex(expected))


def _scrypt(password: str, salt: bytes, log2_n: int, r: int, p: int) -> bytes:
    needed = 128 * r * ((1 << log2_n) + p + 2)
    return hashlib.scrypt(password.encode(), salt=salt, n=1 << log2_n, r=r, p=p, maxmem=2 * needed, dklen=32)
