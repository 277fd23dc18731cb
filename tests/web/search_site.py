"""The search pages of a few documents, asked without a server and read as a browser without JavaScript reads them."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

pytest.importorskip("starlette", reason="germane[judge] is not installed")

from germane.retrieval.indexes.index import Index
from germane.web.search.pages import Form, build_search_app
from germane.web.site import local_addresses

HOST = "127.0.0.1:8642"
ORIGIN = f"http://{HOST}"
ANALYSER = "words+fold+stop(lucene)"
Fields = Mapping[str, str] | Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    text: str


class Client:
    """Asks the application itself, with just the headers that are given."""

    def __init__(self, docs: Mapping[str, str], **usual: Any) -> None:
        index = Index.of(docs, analyser=ANALYSER, positions=True)
        self.app = build_search_app(index, Form(**usual), local_addresses(8642))

    def ask(self, address: str, body: bytes | None = None, **headers: str) -> Answer:
        return asyncio.run(self.request(address, body, **headers))

    async def request(self, address: str, body: bytes | None = None, **headers: str) -> Answer:
        parts = urlsplit(address)
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http", "root_path": "",
            "method": "GET" if body is None else "POST", "path": parts.path, "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(), "client": ("127.0.0.1", 9), "server": ("127.0.0.1", 8642),
            "headers": [(name.encode(), value.encode()) for name, value in ({"host": HOST} | headers).items()],
        }  # fmt: skip
        sent: list[dict[str, Any]] = []
        coming = iter([{"type": "http.request", "body": body or b"", "more_body": False}])

        async def receive() -> dict[str, Any]:
            for message in coming:
                return message
            await asyncio.Event().wait()  # a browser stays until it has its answer
            raise AssertionError

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        got = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        text = b"".join(message.get("body", b"") for message in sent[1:]).decode()
        return Answer(sent[0]["status"], got, text)

    def page(self, path: str = "/", fields: Fields = ()) -> Page:
        return Page(self.ask(f"{path}?{_encoded(fields)}"))

    def post(self, fields: Fields, **headers: str) -> Answer:
        return self.ask("/", _encoded(fields).encode(), **headers)


class Page(HTMLParser):
    """What a person sees and sends: the text, and the form's fields as a browser would send them."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.status = answer.status
        self.source = answer.text
        self.fields: list[tuple[str, str]] = []
        self.method = ""
        self._select = ""
        self._option: str | None = None
        self.feed(answer.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.method = found["method"]
        elif tag == "select":
            self._select = found["name"]
        elif tag == "option" and "selected" in found:
            self._option = ""
        elif tag == "input" and (found.get("type") != "radio" or "checked" in found):
            self.fields.append((found["name"], found.get("value", "")))

    def handle_data(self, data: str) -> None:
        if self._option is not None:
            self._option += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "option" and self._option is not None:
            self.fields.append((self._select, self._option))
            self._option = None

    @property
    def text(self) -> str:
        return " ".join(html.unescape(re.sub("<[^>]*>", " ", self.source)).split())

    @property
    def ids(self) -> list[str]:
        """The results, in their order."""
        return [value for name, value in self.fields if name == "was"]

    @property
    def marks(self) -> dict[str, str]:
        docs = [value for name, value in self.fields if name == "doc"]
        by_name = dict(self.fields)
        return {doc: mark for place, doc in enumerate(docs, start=1) if (mark := by_name[f"m{place}"])}

    def filled(self, marks: Mapping[str, str] | None = None, **changed: str) -> list[tuple[str, str]]:
        """The fields with some of them changed, and documents marked by id."""
        docs = [value for name, value in self.fields if name == "doc"]
        changed |= {f"m{docs.index(doc) + 1}": mark for doc, mark in (marks or {}).items()}
        return [(name, changed.get(name, value)) for name, value in self.fields]


def _encoded(fields: Fields) -> str:
    return urlencode(list(fields.items() if isinstance(fields, Mapping) else fields))
