"""What every request needs: the project's database, its documents and topics, and the addresses it answers to."""

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

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Address:
    """One address under which browsers reach us: `host` as the Host header has it, and the folder where we are."""

    scheme: str
    host: str
    path: str = "/"

    @property
    def origin(self) -> str:
        """What a browser sends as Origin."""
        return f"{self.scheme}://{self.host}"

    def link(self, secret: str) -> str:
        """A link for a person. The secret is in the fragment, which no browser sends to any server."""
        return f"{self.origin}{self.path}enter#{secret}"


def local_addresses(port: int, *, scheme: str = "http") -> tuple[Address, ...]:
    """The addresses of this machine for itself.

    >>> [address.host for address in local_addresses(8642)]
    ['127.0.0.1:8642', 'localhost:8642', '[::1]:8642']
    """
    return tuple(address_at(scheme, host, port) for host in LOOPBACK)


def address_at(scheme: str, host: str, port: int | None, path: str = "/") -> Address:
    """An address as browsers name it: they leave a scheme's own port out.

    >>> address_at("https", "judging.example", 443).host, address_at("http", "judging.example", 443).host
    ('judging.example', 'judging.example:443')
    """
    usual = {"http": 80, "https": 443}[scheme]
    return Address(scheme, host.lower() if port in (None, usual) else f"{host.lower()}:{port}", path)


def declared_address(text: str) -> Address:
    """The address given with ``--allowed-host``: a host, or a URL with the folder that a proxy puts before ours.

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
        hint = "give the name that people type into their browsers: judging.example.org, or https://example.org/judging"
        raise GermaneError(f"expected a host, found {text!r}", hint=hint)
    host = parts.netloc.rpartition(":")[0] if parts.port is not None else parts.netloc
    return address_at(parts.scheme, host, parts.port, parts.path.rstrip("/") + "/")


@dataclass(frozen=True, eq=False)
class Site:
    """A project as it is served. `ranking` is there in active mode only."""

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

    @property
    def rubric(self) -> Rubric:
        """The version in use."""
        return rubrics_of(self.database)[-1]

    @property
    def project(self) -> str:
        """A name for what a browser keeps of this project: the same after a restart, and no secret."""
        return hashlib.sha256(f"project\0{settings_of(self.database).mask_key}".encode()).hexdigest()[:12]

    def topic(self, topic: str) -> Topic:
        """A topic; one that the file lacks has its id only."""
        return self.topics.get(topic) or Topic(topic)
