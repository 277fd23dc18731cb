"""API of the organiser pages: progress, people and links, disagreements, bundles, events."""

from __future__ import annotations

import json
from dataclasses import asdict
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from starlette.responses import Response, StreamingResponse

from germane.api.truth.agreement import agree
from germane.errors import GermaneError
from germane.judging.bundle import Bundle, all_bundles, import_answers, reserve, revoke
from germane.judging.rubric import under_last_rubric
from germane.judging.store.adjudication import cases, next_case
from germane.judging.store.events import all_events, num_events
from germane.judging.store.people import (
    ROLES,
    Person,
    add_person,
    change_person,
    everybody,
    links_of,
    make_link,
    person_named,
    revoke_link,
    set_password,
)
from germane.judging.store.progress import everybodys_progress, topic_progress
from germane.judging.store.project import record_of, rubrics_of, settings_of
from germane.tables.results.agreement import Agreement
from germane.tables.truth.judgments import standing
from germane.web.document_view import visible
from germane.web.endpoints import BOOLEAN, INTEGER, ApiError, Call, Endpoint, a_list, an_object, one_of, text
from germane.web.judging_api import fetched, for_page, topic_of
from germane.web.offline import bundle_page
from germane.web.security import address_of
from germane.web.site import Site

ROLE = one_of(*ROLES)
MOST_IMPORTED = 64_000_000
RESAMPLES = 300

_known: WeakKeyDictionary[Site, tuple[int, Agreement | str]] = WeakKeyDictionary()
_lock = Lock()


def agreement_of(site: Site) -> Agreement | str:
    """Return inter-assessor agreement under the rubric in use, cached until a new judgment arrives; or the reason why
    there is none."""
    with _lock:
        count = num_events(site.database)
        found = _known.get(site)
        if found is None or found[0] != count:
            found = _known[site] = (count, _agreement(site))
        return found[1]


def _agreement(site: Site) -> Agreement | str:
    rubric = site.rubric
    try:
        said = standing(under_last_rubric(all_events(site.database), rubrics_of(site.database)))
        return agree(said, grades=rubric.values, rel=rubric.rel, resamples=RESAMPLES)
    except GermaneError as error:
        return error.message


@Endpoint("GET", "/api/project/progress", "organisers and viewers")
def progress(call: Call) -> Any:
    """Progress by topic and by person."""
    return {
        "judgments_per_document": settings_of(call.site.database).judgments_per_document,
        "topics": [asdict(one) for one in topic_progress(call.site.database)],
        "people": [asdict(one) for one in everybodys_progress(call.site.database)],
    }


@Endpoint("GET", "/api/project/agreement", "organisers and viewers")
def agreement(call: Call) -> Response:
    """Inter-assessor agreement."""
    report = agreement_of(call.site)
    if isinstance(report, str):
        raise ApiError(422, report)
    return Response(report.to_json(), media_type="application/json")


@Endpoint("GET", "/api/people", "organisers")
def people(call: Call) -> Any:
    """All people and their links, without the secrets."""
    return {
        "people": [asdict(one) for one in everybody(call.site.database)],
        "links": [asdict(one) for one in links_of(call.site.database)],
    }


@Endpoint(
    "POST",
    "/api/people",
    "organisers",
    takes=an_object({"name": text(64), "role": ROLE}),
    gives=an_object({"name": text(), "role": ROLE, "link": text()}),
)
def new_person(call: Call) -> Any:
    """Add a person and return their personal link, which is shown only once."""
    person = add_person(call.site.database, call.body["name"], call.body["role"])
    return {"name": person.name, "role": person.role, "link": _link(call, person)}


@Endpoint(
    "PATCH",
    "/api/people/{name}",
    "organisers",
    takes=an_object(
        {}, {"role": ROLE, "disabled": BOOLEAN, "password": {"type": ["string", "null"], "maxLength": 1000}}
    ),
)
def changed_person(call: Call) -> Any:
    """Change a person's role or password, or disable them; their judgments stay."""
    person = _named(call)
    if "password" in call.body:
        set_password(call.site.database, person, call.body["password"])
    person = change_person(call.site.database, person, role=call.body.get("role"), disabled=call.body.get("disabled"))
    return asdict(person)


@Endpoint(
    "POST",
    "/api/people/{name}/links",
    "organisers",
    takes=an_object(
        {"kind": one_of("personal", "token")},
        {"days": {"type": "number", "minimum": 0.01, "maximum": 3650}},
    ),
    gives=an_object({}, {"link": text(), "token": text()}),
)
def new_link(call: Call) -> Any:
    """Create a personal link, or a Bearer token for programs. It is shown only once."""
    person = _named(call)
    seconds = call.body.get("days", 90) * 86_400
    if call.body["kind"] == "token":
        return {"token": make_link(call.site.database, person, "token", seconds=seconds)}
    return {"link": _link(call, person, seconds=seconds)}


def _link(call: Call, person: Person, seconds: float | None = None) -> str:
    secret = make_link(call.site.database, person, "personal", seconds=seconds)
    return address_of(call.request, call.site).link(secret)


def _named(call: Call) -> Person:
    person = person_named(call.site.database, call.part("name"))
    if person is None:
        raise ApiError(404, f"unknown person {call.part('name')!r}")
    return person


@Endpoint("DELETE", "/api/links/{link:int}", "organisers")
def no_more_link(call: Call) -> Any:
    """Revoke a link and end its sessions."""
    revoke_link(call.site.database, int(call.part("link")))
    return {"revoked": int(call.part("link"))}


@Endpoint("POST", "/api/cases/next", "organisers")
def next_disagreement(call: Call) -> Any:
    """Return the next open disagreement for somebody who did not judge the document; answer with kind `adjudicate`."""
    site = call.site
    found = next_case(site.database, call.person.name)
    left = len(cases(site.database, settled=False))
    if found is None:
        return {"case": None, "open": left}
    task, case = found
    return {
        "open": left,
        "case": {
            "task": task,
            "topic": topic_of(site, case.topic),
            "label": visible(case.doc),
            "document": for_page(site, fetched(site, case.doc)),
            "ratings": [asdict(rating) for rating in case.ratings],
        },
    }


@Endpoint("GET", "/api/cases", "organisers")
def disagreements(call: Call) -> Any:
    """The documents on which assessors differ."""
    return {"cases": [asdict(case) for case in cases(call.site.database)]}


@Endpoint("GET", "/api/project/events", "organisers", media_type="application/jsonl")
def events(call: Call) -> Response:
    """All events as JSON Lines."""
    lines = (json.dumps(asdict(event), ensure_ascii=False) + "\n" for event in all_events(call.site.database))
    headers = {"Content-Disposition": 'attachment; filename="events.jsonl"'}
    return StreamingResponse(lines, media_type="application/jsonl", headers=headers)


@Endpoint("GET", "/api/project/record", "organisers")
def project_record(call: Call) -> Any:
    """Provenance of the judgments."""
    return dict(record_of(call.site.database))


@Endpoint("GET", "/api/bundles", "organisers")
def bundles(call: Call) -> Any:
    """The offline bundles."""
    return {"bundles": [_bundle(one) for one in all_bundles(call.site.database)]}


def _bundle(bundle: Bundle) -> dict[str, Any]:
    names = ("bundle", "assessor", "created", "state", "answered")
    return {name: getattr(bundle, name) for name in names} | {"documents": len(bundle.tasks)}


@Endpoint(
    "POST",
    "/api/bundles",
    "organisers",
    takes=an_object({"assessor": text(64), "count": {**INTEGER, "minimum": 1, "maximum": 5000}}),
    media_type="text/html",
)
def new_bundle(call: Call) -> Response:
    """Reserve documents for an offline assessor and return the file to judge them with."""
    person = person_named(call.site.database, call.body["assessor"])
    if person is None or not person.may_judge:
        raise ApiError(422, f"{call.body['assessor']!r} is not an assessor in this project")
    bundle = reserve(call.site.database, person.name, call.body["count"], ranking=call.site.ranking)
    headers = {
        "Content-Disposition": f'attachment; filename="bundle-{bundle.bundle}.html"',
        "Content-Security-Policy": "sandbox; default-src 'none'",
    }
    return Response(bundle_page(call.site, bundle), media_type="text/html", headers=headers)


@Endpoint("DELETE", "/api/bundles/{bundle}", "organisers")
def no_more_bundle(call: Call) -> Any:
    """Revoke a bundle and release its documents."""
    revoke(call.site.database, call.part("bundle"))
    return {"revoked": call.part("bundle")}


REFUSED = an_object({"line": INTEGER, "event": text(), "reason": text()})


@Endpoint(
    "POST",
    "/api/bundles/answers",
    "organisers",
    takes_text=True,
    most_bytes=MOST_IMPORTED,
    gives=an_object({"stored": INTEGER, "already": INTEGER, "extra": INTEGER, "refused": a_list(REFUSED)}),
)
def imported(call: Call) -> Any:
    """Import the answers of a bundle: JSON lines. Importing them again does no harm; what is refused is listed."""
    return asdict(import_answers(call.site.database, call.body.splitlines()))
