"""A small project to judge, served by a real server, and people who come to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="germane[judge] is not installed")

import uvicorn

from germane.formats.truth.pool_file import write_pool
from germane.judging.rubric import graded
from germane.judging.store.events import all_events
from germane.judging.store.people import Role, add_person, make_link, person_named
from germane.tables.truth.judgments import JudgmentEvent
from germane.tables.truth.pool import Pool, PooledRun, PoolItem
from germane.web.app import build_app
from germane.web.serving import listen, open_site
from germane.web.site import Site, local_addresses

WORDS = ["wine", "grape", "cellar", "bottle", "harvest", "barrel", "cork", "vineyard", "oak", "tannin"]
RUN, STRATUM = "runofsecretsystem", "stratumofsecret"
"""Names that no assessor may ever see."""

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc0000003010100c9fe92ef"
    "0000000049454e44ae426082"
)


def plain_text(number: int) -> str:
    return f"Document {number} speaks of {WORDS[number % 10]} and {WORDS[(number * 3) % 10]}. " + "It goes on. " * 8


def write_project(folder: Path, docs: Mapping[str, str | bytes], *, topics: int = 1, title: str = "red wine") -> None:
    """A pool of all documents for each topic, the documents as files, and the topics."""
    (folder / "docs").mkdir(parents=True)
    for name, content in docs.items():
        path = folder / "docs" / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    lines = [f"t{number}\t{title} {number}\tFind {WORDS[number]}.\tAll of it counts." for number in range(topics)]
    (folder / "topics.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    items = [
        PoolItem(f"t{number}", name, STRATUM, 0.625) for number in range(topics) for name in docs if "aside" not in name
    ]
    write_pool(Pool.of(items, method="stratified", runs=(PooledRun(RUN, "0" * 64),)), folder / "pool.jsonl")


class Live:
    """A project with a server around it; it can be stopped and started again on the same port."""

    def __init__(self, folder: Path, port: int | None = 0, **settings: Any) -> None:
        self.folder, self.settings = folder, {"repeat_share": 0.0, **settings}
        listening = listen("127.0.0.1", port)
        self.port = listening.getsockname()[1]
        opened = open_site(
            folder / "pool.jsonl",
            folder / "docs",
            folder / "topics.tsv",
            rubric=graded(["not relevant", "related", "relevant"], rel=1, text="Judge what is there."),
            settings=self.settings,
            addresses=local_addresses(self.port),
            title="A tasting",
        )
        self.site: Site = opened.site
        self.notes = opened.notes
        config = uvicorn.Config(build_app(self.site), log_level="warning", lifespan="off", ws="none")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listening]}, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.005)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def secret(self, name: str, role: Role = "assessor", kind: Any = "personal") -> str:
        person = person_named(self.site.database, name) or add_person(self.site.database, name, role)
        return make_link(self.site.database, person, kind)

    def link(self, name: str, role: Role = "assessor") -> str:
        return f"{self.origin}/enter#{self.secret(name, role)}"

    def client(self, name: str, role: Role = "assessor") -> Client:
        return Client(self.port, token=self.secret(name, role, "token"))

    def events(self) -> list[JudgmentEvent]:
        return list(all_events(self.site.database))

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(timeout=10)
        self.site.database.close()
        self.site.documents.close()


@contextmanager
def live(folder: Path, docs: Mapping[str, str | bytes], **more: Any) -> Iterator[Live]:
    topics, title = more.pop("topics", 1), more.pop("title", "red wine")
    write_project(folder, docs, topics=topics, title=title)
    running = Live(folder, **more)
    try:
        yield running
    finally:
        running.stop()


class Reply:
    """What came back."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.data = response.read()

    @property
    def text(self) -> str:
        return self.data.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.data)


class Client:
    """Requests with exactly the headers asked for."""

    def __init__(self, port: int, *, token: str | None = None, cookie: str | None = None) -> None:
        self.port, self.token, self.cookie = port, token, cookie

    def __call__(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str | None] | None = None
    ) -> Reply:
        sent: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}"}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if self.cookie:
            sent |= {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def work(self, want: int = 3, **more: Sequence[str]) -> Any:
        return self("POST", "/api/work", {"seen": [], "holding": [], "want": want, **more}).json

    def grade(self, task: str, grade: float, **more: Any) -> Any:
        answer = {"event": str(uuid.uuid4()), "task": task, "kind": "grade", "grade": grade, "rubric": "1", **more}
        return self("POST", "/api/answers", {"answers": [answer]}).json["receipts"][0]
