"""Errors of indexes, models, engines and what is learned from runs, each provoked."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import germane as ge
from germane.cli import group
from germane.errors import GermaneError, MissingExtraError
from germane.retrieval.engines.servers.opensearch import OpenSearchEngine
from germane.retrieval.engines.servers.rest import API_KEY, PASSWORD, USER
from germane.retrieval.probability.relevance_probability import logistic_sigmoid
from germane.retrieval.texts import analysis
from tests.errors.provoking import provoked
from tests.retrieval.engines.replaying_server import ReplayingServer

DOCUMENTS = {"d1": "red wine", "d2": "white wine", "d3": "roses"}
INDEX = ge.retrieval.Index.of(DOCUMENTS, analyser="plain")
QRELS = {"q1": {"d1": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (USER, PASSWORD, API_KEY):
        monkeypatch.delenv(name, raising=False)


def a_file() -> str:
    Path("library").write_text("red wine")
    return "library"


def an_index_whose_bytes_rotted() -> str:
    """Their size and time are as they were."""
    ge.index("library", DOCUMENTS)
    file = next(Path("library").glob("*/doc.npy"))
    before = file.stat()
    file.write_bytes(bytes(before.st_size))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    return "library"


test_indexes = provoked(
    [
        ("library: expected an index (a folder), found a file", lambda: ge.retrieval.Index.open(a_file()).describe()),
        (
            "doc.npy: damaged index: expected checksum",
            lambda: ge.search(ge.retrieval.Index.open(an_index_whose_bytes_rotted()), "wine"),
        ),
        ("this index has no word positions", lambda: INDEX.positions("wine", 0)),
        (
            "document 'd99' is not in the index",
            lambda: ge.explain(INDEX, "wine", "d99"),
        ),
    ]
)


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    ge.index("library", DOCUMENTS)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    said = r"library: cannot write: No space left on device; the index is unchanged\nHint: free disk space"
    with pytest.raises(GermaneError, match=said):
        ge.index("library", {"d4": "tulips"}, add=True)
    assert ge.retrieval.Index.open("library").collection.num_docs == len(DOCUMENTS)


def test_an_old_stemming_library(monkeypatch: pytest.MonkeyPatch) -> None:
    stemmers = pytest.importorskip("Stemmer")

    def unknown(name: str, size: int) -> None:
        raise KeyError(f"Stemming algorithm '{name}' not found")

    monkeypatch.setattr(stemmers, "Stemmer", unknown)
    analysis._steps_of.cache_clear()  # another test may have stemmed Esperanto
    with pytest.raises(GermaneError, match="the installed PyStemmer has no stemmer 'esperanto'"):
        ge.retrieval.Index.of({"d1": "ruĝa vino"}, analyser="words+fold+stem(esperanto)")


def search_on_the_command_line(*words: str) -> Result:
    ge.index("library", DOCUMENTS)
    return CliRunner().invoke(group, ["search", "library", *words], catch_exceptions=False)


test_models = provoked(
    [
        ("boolean is not supported here: it has no term weights", lambda: ge.search(INDEX, "wine", "boolean")),
        ("expected k of 1 or more, found 0", lambda: ge.search(INDEX, "wine", k=0)),
        ("unknown query 'wien'; did you mean wine?", lambda: ge.search(INDEX, "wine")["wien"]),
        (
            "BII requires past queries, which an interactive search does not have",
            lambda: search_on_the_command_line("wine", "--model", "BII"),
        ),
    ]
)


def retrieve_from(address: str) -> Any:
    return ge.retrieve(address, {"q1": "wine"})


def record_of_version(version: int) -> Any:
    Path("bm25.run").write_text("q1 Q0 d1 1 2.0 bm25\n")
    Path("bm25.run.json").write_text(json.dumps({"germane_retrieval": version, "run": {"sha256": ""}}))
    return ge.retrieval.read_record("bm25.run")


test_engines = provoked(
    [
        (
            "opensearch+https://host/docs: the address contains a password, which others could see",
            lambda: retrieve_from("opensearch+https://ann:secret@host/docs"),
        ),
        (
            "opensearch+https://host/: expected a host and an index name",
            lambda: retrieve_from("opensearch+https://host/"),
        ),
        ("expected a number as the server's port", lambda: retrieve_from("opensearch+https://host:port/docs")),
        (
            "expected documents or a query, found neither",
            lambda: OpenSearchEngine("opensearch+https://host/docs?fields=text").term_statistics([]),
        ),
        ("bm25.run.json: expected a record of version 2, found 1", lambda: record_of_version(1)),
    ]
)


@pytest.fixture
def server() -> Iterator[ReplayingServer]:
    with ReplayingServer() as running:
        yield running


def test_term_vectors_without_counts(server: ReplayingServer) -> None:
    """An answer of a server that was not asked for statistics, or does not give them."""
    answer = {"docs": [{"_id": "d1", "found": True, "term_vectors": {"text": {"terms": {"wine": {"term_freq": 1}}}}}]}
    server.records("/docs/_mtermvectors", answer)
    engine = OpenSearchEngine(f"opensearch+http://127.0.0.1:{server.port}/docs?fields=text")
    server.clients.append(engine)
    said = "expected counts for field 'text' from the server, found none for 'field_statistics'"
    with pytest.raises(GermaneError, match=said):
        engine.term_statistics(["d1"])


def test_columns_of_a_table_and_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(GermaneError, match="postgresql://host/library: expected columns in text=, found none"):
        retrieve_from("postgresql://host/library?table=docs&text=,")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match="searching in PostgreSQL needs an optional library"):
        retrieve_from("postgresql://host/library?table=docs&text=body")


test_learning_from_runs = provoked(
    [
        (
            "protocol=control and members (the documents of the control half) must be used together",
            lambda: ge.retrieval.score_feedback(QRELS, RUN, RUN, seen=1, protocol="residual", control=["d2"]),
        ),
        (
            "the logistic fit did not converge within 1 step\nHint: use isotonic instead",
            lambda: logistic_sigmoid(np.array([True, False]), np.array([2.0, 1.0]), most_steps=1),
        ),
    ]
)
