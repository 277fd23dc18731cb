"""Open a project, check the address and run the server."""

from __future__ import annotations

import ipaddress
import json
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from germane.api.files.file_types import recognise
from germane.errors import GermaneError, InputError
from germane.formats.files.json_text import json_problem, shape_problem
from germane.formats.truth.pool_file import GIVEN, read_pool
from germane.formats.truth.topics_file import read_topics
from germane.judging.active import ActiveRanking
from germane.judging.bundle import all_bundles
from germane.judging.documents import open_documents
from germane.judging.rubric import Rubric, binary, listed
from germane.judging.store.connection import Database
from germane.judging.store.events import catch_up_journal, num_events
from germane.judging.store.people import Person, Role, add_person, everybody, person_named
from germane.judging.store.progress import topic_progress
from germane.judging.store.project import load_pool, rubrics_of, save_rubric, save_settings, settings_of
from germane.progress import stop_listening
from germane.tables.notes.counts import counted
from germane.tables.truth.pool import Pool
from germane.web.site import Address, Site, address_at, declared_address, local_addresses

PORT = 8642
SNAPSHOTS = 5
SWITCH_SECONDS = 0.0005
"""Seconds that a busy thread keeps Python's lock while others want it. With Python's own 0.005, each statement of a
judgment would wait as long while a page is computed."""


@dataclass(frozen=True)
class Opened:
    """A project ready to serve, with remarks about it."""

    site: Site
    store: str
    notes: tuple[str, ...]
    num_new: int = 0
    """Number of documents that the pool added to an existing project."""

    @property
    def work(self) -> str:
        """Summary of the work: documents, topics, judgments per document and judgments so far."""
        topics = topic_progress(self.site.database)
        each = counted(settings_of(self.site.database).judgments_per_document, "judgment")
        documents = counted(sum(one.documents for one in topics), "document")
        new = f" ({self.num_new:,} new)" if self.num_new else ""
        given = sum(one.judgments for one in topics)
        return f"{documents}{new} of {counted(len(topics), 'topic')}, {each} each, {given:,} given so far"


def open_site(
    pool: str | Path,
    docs: str | Path,
    topics: str | Path,
    *,
    store: str | None = None,
    rubric: Rubric | None = None,
    settings: Mapping[str, Any] | None = None,
    calibration: str | Path | None = None,
    addresses: Sequence[Address] = (),
    title: str | None = None,
    fields: Sequence[str] | None = None,
    id_field: str | None = None,
) -> Opened:
    """Open or create the project in `store`, and add the pool and the rubric.

    `fields` and `id_field` say which parts of a document are shown, and which is its id.
    `settings` are fields of `germane.judging.store.Settings`; those not named stay as they are.
    """
    pools = [read_pool(pool)]
    if calibration is not None:
        items = [replace(item, kind="calibration") for item in read_pool(calibration).items]
        pools.append(Pool.of(items, method="calibration"))
    unread: list[str] = []
    known_topics = read_topics(topics, unread=unread.append)
    place = store or default_store(pool)
    wanted_docs = dict.fromkeys(item.doc for one in pools for item in one.items)
    # Before the store is touched: what cannot be served must not be added to a project.
    documents = open_documents(docs, wanted_docs.keys(), fields=fields, id_field=id_field)
    with ExitStack() as until_it_works:
        until_it_works.callback(documents.close)
        missing = documents.missing(wanted_docs)
        if len(missing) == len(wanted_docs):
            hint = (
                f"check that document ids match; the pool has {next(iter(wanted_docs))!r}, for example"
                if wanted_docs
                else None
            )
            raise InputError(docs, None, "no document of the pool is in the collection", hint=hint)
        database = until_it_works.enter_context(Database(place, alone=True, snapshots=SNAPSHOTS))
        before = num_documents(database)
        for one in pools:
            load_pool(database, one)
        num_new = num_documents(database) - before if before else 0
        settle_rubric(database, rubric)
        wanted = replace(settings_of(database), **(settings or {}))
        if wanted != settings_of(database):
            save_settings(database, wanted)
        catch_up_journal(database)
        until_it_works.pop_all()
    notes = [_is_of_a_run(pool, pools[0]), _lacking(missing, "document", docs, "no text")]
    if documents.not_shown:
        notes.append(f"fields not shown: {', '.join(documents.not_shown[:8])}; choose the fields to show with --fields")
    if unread:
        notes.append(f"topic fields not shown: {', '.join(unread[:8])}")
    unknown = [topic for one in pools for topic in one.topics if topic not in known_topics]
    notes.append(_lacking(unknown, "topic", topics, "only the id"))
    ranking = ActiveRanking(database, documents, known_topics, wanted.seed) if wanted.ordering == "active" else None
    name = title or Path(pool).name.partition(".")[0]
    site = Site(database, documents, known_topics, tuple(addresses), title=name, ranking=ranking)
    return Opened(site, str(place), tuple(filter(None, notes)), num_new)


def num_documents(database: Database) -> int:
    """Number of documents to judge per topic."""
    return sum(one.documents for one in topic_progress(database))


def _lacking(names: Sequence[str], what: str, where: str | Path, shown: str) -> str:
    """Report ids of the pool that are missing, if any."""
    if not names:
        return ""
    verb, example = ("is", f": {names[0]!r}") if len(names) == 1 else ("are", f", such as {names[0]!r}")
    return f"{counted(len(names), what)} of the pool {verb} not in {where}{example}; assessors see {shown}"


def _is_of_a_run(path: str | Path, pool: Pool) -> str:
    """Raise an error for a run given as a pool: its lines can be read as a list of documents."""
    with suppress(GermaneError):  # a short list looks like nothing in particular
        if pool.method == GIVEN and Path(path).is_file() and recognise(path).thing == "run":
            documents = counted(len(pool.items), "document")
            judged = f"{path} is a run: all of its {documents} will be judged"
            return f"{judged}; `germane pool {path} --depth 10 -o pool.jsonl` keeps the top 10 of each topic"
    return ""


def default_store(pool: str | Path) -> str:
    """Return the default path of a project: beside its pool.

    >>> default_store("pools/robust.pool.jsonl.gz")
    'pools/robust.judging.db'
    """
    path = Path(pool)
    return str(path.with_name(path.name.partition(".")[0] + ".judging.db"))


def settle_rubric(database: Database, rubric: Rubric | None) -> None:
    """Set the rubric in use: the first, a next version, or the same grades with other labels."""
    versions = rubrics_of(database)
    if rubric is None:
        if versions:
            return
        rubric = binary()
    if versions and rubric.number == 1:
        last = versions[-1]
        if rubric.values == last.values:
            rubric = replace(rubric, number=last.number, mapping=last.mapping)
        elif not num_events(database) and not all_bundles(database):  # nobody has seen the old grades yet
            rubric = last.next_version(rubric.grades, rubric.rel, dict.fromkeys(last.values), text=rubric.text)
        else:
            raise GermaneError(
                f"judging has started with the grades {listed(last.values)}, which cannot change",
                hint=f'for other grades, use a rubric file with "number": {last.number + 1} and a "mapping" from each '
                'old grade to its new one or null, such as {"0": 0, "1": 2}',
            )
    save_rubric(database, rubric)


def read_rubric(path: str | Path) -> Rubric:
    """Read a rubric from a JSON file: grades (value, label, key, text), rel, text."""
    try:
        return Rubric.from_json(_with_defaults(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(path, None, f"cannot read the file: {error.strerror}") from None
    except GermaneError as error:
        raise InputError(path, None, error.message, hint=error.hint or RUBRIC_HINT) from None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
        of_json = isinstance(error, json.JSONDecodeError | UnicodeError | RecursionError)
        if of_json:
            problem = f"invalid JSON: {json_problem(error)}"  # type: ignore[arg-type]
        else:
            problem = f"expected a rubric as JSON, found {shape_problem(error)}"
        raise InputError(path, None, problem, hint=RUBRIC_HINT) from None


RUBRIC_HINT = 'write an object such as {"grades": [{"value": 0, "label": "no", "key": "0"}, …], "rel": 1, "text": "…"}'


def _with_defaults(text: str) -> str:
    body = json.loads(text)
    body.setdefault("mapping", [])
    if isinstance(body["mapping"], dict):
        body["mapping"] = list(body["mapping"].items())
    for place, grade in enumerate(body["grades"]):
        grade["value"] = float(grade["value"])
        grade.setdefault("key", str(place))
    return json.dumps(body)


def get_or_add_person(database: Database, name: str, role: Role) -> Person:
    """Return the person of this name, adding them if needed."""
    person = person_named(database, name)
    if person is None:
        return add_person(database, name, role)
    if person.role != role:
        raise GermaneError(f"{name!r} already exists as {person.role}, not as {role}", hint="choose another name")
    return person


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check_openness(host: str, declared: Sequence[str], *, tls: bool, accounts: bool) -> None:
    """Raise an error if other machines could connect without accounts and encryption."""
    if is_loopback(host) or (declared and not tls):
        return
    if not tls:
        raise GermaneError(
            f"{host} is reachable from other machines, and traffic would be unencrypted",
            hint="use --certificate and --key, name an encrypting proxy with --allowed-host, or use --host 127.0.0.1",
        )
    if not accounts:
        problem = f"{host} is reachable from other machines, but only you have an account"
        raise GermaneError(problem, hint="add assessors with --assessor NAME")
    if not declared and is_wildcard(host):
        hint = "use --allowed-host NAME with the name that people type"
        raise GermaneError(f"{host} is not a name that a browser can open", hint=hint)


def is_wildcard(host: str) -> bool:
    """Whether an address covers all network interfaces."""
    return host in ("", "0.0.0.0", "::", "[::]", "*")


def has_accounts(database: Database) -> bool:
    """Whether anyone besides one organiser has an account."""
    return len([person for person in everybody(database) if not person.disabled]) > 1


def addresses_of(host: str, port: int, declared: Sequence[str], *, tls: bool) -> tuple[Address, ...]:
    """Return every allowed address; the first is the one to print.

    >>> [address.host for address in addresses_of("::1", 80, [], tls=False)]
    ['[::1]', '127.0.0.1', 'localhost']
    """
    scheme = "https" if tls else "http"
    named = [declared_address(text) for text in declared]
    own = address_at(scheme, f"[{host}]" if ":" in host and not host.startswith("[") else host, port)
    if not is_loopback(host) and not is_wildcard(host):
        named.append(own)
    local = local_addresses(port, scheme=scheme)
    return (*named, *sorted(local, key=lambda address: address != own))


def listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket, so that a link opened at once waits a moment instead of failing.

    Without a port it is the usual one or, where that is taken, any free one.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (port,) if port is not None else (PORT, 0):
        # With the protocol named, asyncio sends each piece of a reply at once. Otherwise its body would wait until the
        # browser has confirmed the headers, which takes 40 ms.
        found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host.strip("[]"), wanted))
            found.listen()  # at once: two sockets may be bound to a port, and the second to listen is refused
        except OSError as error:
            found.close()
            if wanted == PORT and port is None:
                continue
            problem = f"cannot listen on {host}:{wanted}: {error.strerror}"
            raise GermaneError(problem, hint="choose another port with --port") from None
        return found
    raise AssertionError


def serve(site: Site, listening: socket.socket, *, certificate: str | None = None, key: str | None = None) -> None:
    """Serve requests until interrupted, in one process: SQLite has one writer."""
    from germane.web.app import build_app

    run_server(build_app(site), listening, certificate, key)


def run_server(app: ASGIApp, listening: socket.socket, certificate: str | None = None, key: str | None = None) -> None:
    """Run an application until interrupted."""
    import uvicorn

    stop_listening()  # files read for a request are not progress of the command

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=3,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        sys.setswitchinterval(before)
