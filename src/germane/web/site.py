"""State shared by all requests: the project's database, documents, topics and allowed addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from germane.errors import GermaneError
from germane.formats.truth.topics_file import Topic
from germane.judging.documents import Documents
from germane.judging.rubric import Rubric
from germane.judging.store.connection import Database
from germane.judging.store.order import Ranking
from germane.judging.store.project import rubrics_of, settings_of
from germane.web.batches import Batches

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Address:
    """An address under which browsers reach us: `host` as in the Host header, and the path prefix."""

    scheme: str
    host: str
    path: str = "/"

    @property
    def origin(self) -> str:
        """The Origin header that a browser sends."""
        return f"{self.scheme}://{self.host}"

    def link(self, secret: str) -> str:
        """A link for a person. The secret is in the fragment, which no browser sends to any server."""
        return f"{self.origin}{self.path}enter#{secret}"


def local_addresses(port: int, *, scheme: str = "http") -> tuple[Address, ...]:
    """Return the addresses that reach only this machine.

    >>> [address.host for address in local_addresses(8642)]
    ['127.0.0.1:8642', 'localhost:8642', '[::1]:8642']
    """
    return tuple(address_at(scheme, host, port) for host in LOOPBACK)


def address_at(scheme: str, host: str, port: int | None, path: str = "/") -> Address:
    """Return an address as browsers write it: without the default port of the scheme.

    >>> address_at("https", "judging.example", 443).host, address_at("http", "judging.example", 443).host
    ('judging.example', 'judging.example:443')
    """
    usual = {"http": 80, "https": 443}[scheme]
    return Address(scheme, host.lower() if port in (None, usual) else f"{host.lower()}:{port}", path)


def declared_address(text: str) -> Address:
    """Parse an address given with ``--allowed-host``: a host, or a URL with the path prefix of a proxy.

    >>> declared_address("judging.example.org")
    Address(scheme='https', host='judging.example.org', path='/')
    >>> declared_address("http://lab:8080/judge").link("s")
    'http://lab:8080/judge/enter#s'
    """
    parts = urlsplit(text if "://" in text else f"https://{text}")
    try:
        is_right = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        is_right = False
    if not is_right or parts.username or parts.query or parts.fragment or "*" in parts.netloc:
        hint = "use the name that people type, such as judging.example.org or https://example.org/judging"
        raise GermaneError(f"expected a host, found {text!r}", hint=hint)
    host = parts.netloc.rpartition(":")[0] if parts.port is not None else parts.netloc
    return address_at(parts.scheme, host, parts.port, parts.path.rstrip("/") + "/")


@dataclass(frozen=True, eq=False)
class Site:
    """A project being served. `ranking` is set only in active mode."""

    database: Database
    documents: Documents
    topics: Mapping[str, Topic]
    addresses: tuple[Address, ...]
    title: str = "Judging"
    ranking: Ranking | None = None

    @cached_property
    def hosts(self) -> Mapping[str, Address]:
        """The addresses by host."""
        return {address.host: address for address in self.addresses}

    @cached_property
    def batches(self) -> Batches | None:
        """Commits that requests share; None on PostgreSQL, which shares them by itself, and in active mode, where a
        request may train a model."""
        return Batches(self.database) if self.database.is_sqlite and self.ranking is None else None

    @property
    def rubric(self) -> Rubric:
        """The rubric version in use."""
        return rubrics_of(self.database)[-1]

    @property
    def project(self) -> str:
        """Name of the project's data in a browser: the same after a restart, and not secret."""
        return hashlib.sha256(f"project\0{settings_of(self.database).mask_key}".encode()).hexdigest()[:12]

    def topic(self, topic: str) -> Topic:
        """Return a topic; one missing from the file has only its id."""
        return self.topics.get(topic) or Topic(topic)
