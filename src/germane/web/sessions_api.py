"""Signing in and out: a link's secret, or a name and a password, becomes a session cookie."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from typing import Any

from starlette.responses import JSONResponse, Response

from germane.judging.store.leases import give_back
from germane.judging.store.people import enter, leave, sign_in
from germane.web.document_view import scale
from germane.web.endpoints import ApiError, Call, Endpoint, an_object, text
from germane.web.security import address_of, forget_session, give_session, session_of

FAILURES = 10
"""Maximum wrong passwords per name within the window below, before further attempts must wait."""
MEMORY_SECONDS = 300.0

_failures: dict[str, deque[float]] = defaultdict(deque)
_hashing = threading.Semaphore(2)  # each takes 32 MB on purpose


@Endpoint(
    "POST",
    "/api/session",
    "anyone",
    takes=an_object({}, {"secret": text(200), "name": text(64), "password": text(1000)}),
    gives=an_object({"name": text(), "role": text()}),
    most_bytes=10_000,
)
def start_session(call: Call) -> Response:
    """Exchange the secret of a link, or a name and a password, for a session in a cookie."""
    body = call.body
    if "secret" in body:
        found = enter(call.site.database, body["secret"])
        reason = "this link was used, has expired or was revoked; ask the organiser for a new one"
    elif {"name", "password"} <= set(body):
        found = _with_password(call, body["name"], body["password"])
        reason = "wrong name or password"
    else:
        raise ApiError(422, "expected a secret, or a name and a password")
    if found is None:
        raise ApiError(403, reason)
    session, person = found
    response = JSONResponse({"name": person.name, "role": person.role})
    give_session(response, session, address_of(call.request, call.site))
    return response


def _with_password(call: Call, name: str, password: str) -> Any:
    failures, now = _failures[name], time.monotonic()
    while failures and failures[0] < now - MEMORY_SECONDS:
        failures.popleft()
    if len(failures) >= FAILURES:
        raise ApiError(429, "too many wrong passwords for this name; wait five minutes")
    with _hashing:
        found = sign_in(call.site.database, name, password)
    if found is None:
        failures.append(now)
        if len(_failures) > 10_000:  # names that nobody has cost memory, too
            _failures.clear()
    return found


@Endpoint("DELETE", "/api/session", "anybody signed in")
def end_session(call: Call) -> Response:
    """Sign out and release documents in progress."""
    if call.person.may_judge:
        give_back(call.site.database, call.person.name)
    session = session_of(call.request, call.site)
    if session is not None:
        leave(call.site.database, session)
    response = JSONResponse({"signed_out": True})
    forget_session(response, address_of(call.request, call.site))
    return response


@Endpoint("GET", "/api/me", "anybody signed in")
def who_am_i(call: Call) -> Any:
    """Your name, your role and the rubric in use."""
    return {
        "name": call.person.name,
        "role": call.person.role,
        "project": call.site.project,
        "title": call.site.title,
        "rubric": scale(call.site.rubric),
    }
