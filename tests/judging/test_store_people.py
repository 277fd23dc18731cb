"""Who gets in: links, sessions, tokens, passwords, roles."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from germane.errors import GermaneError
from germane.judging.store import people, schema
from germane.judging.store.connection import Database
from germane.judging.store.people import (
    Person,
    add_person,
    change_person,
    enter,
    everybody,
    leave,
    links_of,
    make_link,
    password_fits,
    password_hash,
    person_named,
    person_of_session,
    person_of_token,
    revoke_link,
    set_password,
    sign_in,
)
from germane.judging.store.queues import next_tasks
from tests.judging.projects import Clock, project


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes long on purpose need not take long here."""
    monkeypatch.setattr(people, "LOG2_N", 8)


def states(database: Database) -> list[str]:
    return [link.state for link in links_of(database)]


def test_a_one_time_link_works_once(database: Database) -> None:
    ann = add_person(database, "ann", "organiser")
    secret = make_link(database, ann, "once")
    entered = enter(database, secret)
    assert entered is not None
    session, person = entered
    assert person == ann
    assert person_of_session(database, session) == ann
    assert enter(database, secret) is None
    assert states(database) == ["used"]
    leave(database, session)
    assert person_of_session(database, session) is None


def test_a_personal_link_works_again_until_it_expires(database: Database, clock: Clock) -> None:
    ann = add_person(database, "ann", "assessor")
    secret = make_link(database, ann, "personal", seconds=100)
    assert enter(database, secret) is not None
    clock.advance(99)
    assert enter(database, secret) is not None
    clock.advance(1)
    assert enter(database, secret) is None
    assert states(database) == ["expired"]


def test_revoking_a_link_ends_its_sessions_and_no_others(database: Database) -> None:
    ann = add_person(database, "ann", "assessor")
    kept, lost = (enter(database, make_link(database, ann, "personal")) for _ in range(2))
    assert kept is not None
    assert lost is not None
    revoke_link(database, links_of(database)[0].link)
    assert person_of_session(database, lost[0]) is None
    assert person_of_session(database, kept[0]) == ann
    assert states(database) == ["revoked", "valid"]


def test_a_token_is_no_link_and_a_link_no_token(database: Database, clock: Clock) -> None:
    ann = add_person(database, "ann", "organiser")
    token, link = make_link(database, ann, "token", seconds=10), make_link(database, ann, "personal")
    assert person_of_token(database, token) == ann
    assert person_of_token(database, link) is None
    assert enter(database, token) is None
    clock.advance(11)
    assert person_of_token(database, token) is None


def test_sessions_end_by_themselves(database: Database, clock: Clock) -> None:
    ann = add_person(database, "ann", "organiser")
    entered = enter(database, make_link(database, ann, "personal"))
    assert entered is not None
    clock.advance(31 * 86_400)
    assert person_of_session(database, entered[0]) is None


def test_no_secret_is_in_the_database(database: Database) -> None:
    ann = add_person(database, "ann", "organiser")
    secrets = [make_link(database, ann, kind) for kind in ("once", "personal", "token")]
    set_password(database, ann, "correct horse")
    entered = enter(database, secrets[0])
    assert entered is not None
    with database.read() as connection:
        tables = (schema.people, schema.links, schema.sessions)
        everything = str([tuple(row) for table in tables for row in connection.execute(sa.select(table))])
    assert not [secret for secret in [*secrets, entered[0], "correct horse"] if secret in everything]
    assert all(len(secret) >= 43 for secret in secrets), "256 bits"


def test_passwords(database: Database) -> None:
    ann = add_person(database, "ann", "assessor")
    assert sign_in(database, "ann", "") is None, "without a password nobody signs in"
    set_password(database, ann, "correct horse")
    entered = sign_in(database, "ann", "correct horse")
    assert entered is not None
    assert entered[1] == ann
    assert sign_in(database, "ann", "correct house") is None
    assert sign_in(database, "nobody", "correct horse") is None
    set_password(database, ann, "battery staple")
    assert person_of_session(database, entered[0]) is None
    with pytest.raises(GermaneError, match="10 characters"):
        set_password(database, ann, "short")


def test_a_password_is_kept_with_its_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = password_hash("correct horse")
    assert kept.startswith("scrypt$8$8$3$")
    monkeypatch.setattr(people, "LOG2_N", 9)
    assert kept != password_hash("correct horse"), "each has a salt of its own"
    assert password_fits("correct horse", kept)
    assert not password_fits("Correct horse", kept)


def test_who_is_shut_out_is_out_at_once(database: Database) -> None:
    add_person(database, "org", "organiser")
    ann = add_person(database, "ann", "assessor")
    link, token = make_link(database, ann, "personal"), make_link(database, ann, "token")
    entered = enter(database, link)
    assert entered is not None
    project(database, "q1: d1")
    assert len(next_tasks(database, "ann")) == 1
    gone = change_person(database, ann, disabled=True)
    assert len(next_tasks(database, "org")) == 1, "what ann had in hand is free"
    assert not gone.may_judge
    assert person_of_session(database, entered[0]) is None
    assert person_of_token(database, token) is None
    assert enter(database, link) is None
    assert everybody(database) == [replace(ann, disabled=True), person_named(database, "org")]


@pytest.mark.parametrize(
    ("role", "judges", "organises"), [("organiser", True, True), ("assessor", True, False), ("viewer", False, False)]
)
def test_roles(role: str, judges: bool, organises: bool) -> None:
    person = Person(1, "ann", role)  # type: ignore[arg-type]
    assert (person.may_judge, person.may_organise) == (judges, organises)


def test_a_project_keeps_an_organiser(database: Database) -> None:
    ann = add_person(database, "ann", "organiser")
    with pytest.raises(GermaneError, match="needs at least one organiser"):
        change_person(database, ann, role="viewer")
    assert person_named(database, "ann") == ann
    add_person(database, "bob", "organiser")
    assert change_person(database, ann, role="viewer").role == "viewer"


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "x" * 65])
def test_names_that_cannot_be(database: Database, name: str) -> None:
    with pytest.raises(GermaneError, match="expected a name"):
        add_person(database, name, "assessor")


def test_a_name_is_taken_once(database: Database) -> None:
    add_person(database, "ann", "assessor")
    with pytest.raises(GermaneError, match="'ann' already exists"):
        add_person(database, "ann", "assessor")
    with pytest.raises(GermaneError, match="expected a role"):
        add_person(database, "bob", "king")  # type: ignore[arg-type]
