"""A PostgreSQL server with a small library in it, and a server that answers like OpenSearch."""

from collections.abc import Iterator

import pytest

from tests.judging.postgresql_server import programs, running_server
from tests.retrieval.engines.replaying_server import ReplayingServer


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The folder of a running server's socket."""
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with running_server(folder) as address:
        yield address


@pytest.fixture
def server() -> Iterator[ReplayingServer]:
    with ReplayingServer() as running:
        yield running
