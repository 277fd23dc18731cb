"""The bodies that people's browsers and programs send to the judging app."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from germane.judging.store.people import add_person, make_link
from germane.judging.store.queues import next_tasks
from germane.web.app import ENDPOINTS, build_app
from germane.web.endpoints import read_body
from germane.web.serving import open_site
from germane.web.site import local_addresses
from tests.fuzz.readers import Reader, add, lasting_folder
from tests.web.judging_site import write_project

PORT = 8642
BODIES: dict[str, Any] = {
    "POST /api/work": {"seen": ["TASK"], "holding": [], "want": 1, "progress": True, "answered": [], "keep": True},
    "POST /api/answers": {
        "answers": [
            {
                "event": "e1",
                "task": "TASK",
                "kind": "grade",
                "grade": 1,
                "rubric": "1",
                "time": "2026-01-31T09:30:00Z",
                "seconds": 2.5,
            },
            {"event": "e2", "task": "TASK", "kind": "undo", "supersedes": "e1", "text": "no"},
        ]
    },
    "POST /api/session": {"name": "ann", "password": "secret"},
    "POST /api/people": {"name": "bob", "role": "assessor"},
    "PATCH /api/people/ann": {"role": "assessor", "disabled": False},
    "POST /api/people/ann/links": {"kind": "token", "days": 3},
    "POST /api/bundles": {"assessor": "ann", "count": 1},
    "POST /api/bundles/answers": {"bundle": "b", "assessor": "ann", "topic": "t0", "doc": "d", "event": "e"},
}
"""A body for each request that has one."""


class Site:
    """A project that is served to nobody: requests go straight to the application."""

    def __init__(self) -> None:
        folder = lasting_folder()
        write_project(folder, {f"d{number}.txt": f"Document {number}" for number in range(3)})
        addresses = local_addresses(PORT)
        site = open_site(folder / "pool.jsonl", folder / "docs", folder / "topics.tsv", addresses=addresses).site
        people = {
            "assessor": add_person(site.database, "ann", "assessor"),
            "organiser": add_person(site.database, "org", "organiser"),
        }
        self.tokens = {role: make_link(site.database, person, "token") for role, person in people.items()}
        self.task = next_tasks(site.database, "ann", 1)[0].task
        self.app = build_app(site)
        self.loop = asyncio.new_event_loop()

    def answer(self, request: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        method, _, path = request.partition(" ")
        role = "assessor" if path in ("/api/work", "/api/answers") else "organiser"
        headers = {
            "host": f"127.0.0.1:{PORT}",
            "authorization": f"Bearer {self.tokens[role]}",
            "content-type": "application/json",
        }
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "scheme": "http",
            "server": ("127.0.0.1", PORT),
            "client": ("127.0.0.1", 1),
            "http_version": "1.1",
            "asgi": {"version": "3.0"},
        }
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        self.loop.run_until_complete(self.app(scope, receive, send))
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@cache
def site() -> Site:
    return Site()


def requests() -> Iterator[bytes]:
    for request, body in BODIES.items():
        yield f"{request}\n{json.dumps(body)}".replace("TASK", site().task).encode()


class Request(Reader):
    """Its cases are a line that says which request, and the body of it; only the body is changed."""

    def case(self, chance: Any) -> bytes:
        request: bytes
        request, _, body = chance.choice(self.good).partition(b"\n")
        changed: bytes = Reader("", self.read, lambda: [body], json=True).case(chance)
        return request + b"\n" + changed

    def deliver(self, case: bytes, folder: Path) -> Any:  # noqa: ARG002, RUF100
        request, _, body = case.partition(b"\n")
        return request.decode("latin-1"), body


def ask(given: tuple[str, bytes]) -> object:
    """The answer; one that is the server's fault is an error of ours, and so is one that is not JSON."""
    request, body = given
    if request not in BODIES:  # minimising may cut the line itself
        return None
    status, answer = site().answer(request, body)
    if status >= 500:
        raise AssertionError(f"{request} is answered with {status}: {answer[:200]!r}")
    if status >= 400:
        raise RefusedError(json.loads(answer)["error"])
    return status


class RefusedError(Exception):
    """A request that the app refused, in its own words."""


add(
    Request(
        "request_bodies", ask, requests, covers=(read_body,), share=0.1, names_source=False, refusals=(RefusedError,)
    )
)

WITH_BODY = {
    f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS if endpoint.takes is not None or endpoint.takes_text
}
