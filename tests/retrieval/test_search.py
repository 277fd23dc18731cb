"""`germane.search`: one query or many, and ids of documents wherever their numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest

import germane as ge
from germane.api.retrieval.search import QueriesLike
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.retrieval.search import search as search_by_number

TEXTS = {"d1": "red wine", "d2": "wine, wine", "d3": "roses", "d4": "red red roses"}
INDEX = Index.of(TEXTS, analyser="plain")

QUERIES = [
    # queries                             ids                 why
    ("wine", ["wine"], "one goes by its text"),
    (Query.of(["red", "wine"]), ["red wine"], "and one of terms by these"),
    (["wine", "roses"], ["wine", "roses"], "so do several"),
    (["wine", "roses", "wine"], ["wine", "roses"], "a query that comes twice is asked once"),
    ({"q1": "wine", "q2": "wine"}, ["q1", "q2"], "ids are kept"),
    ({"q1": "zebra"}, ["q1"], "a query that finds nothing stays"),
    ([], [], "nothing asked, nothing found"),
]


@pytest.mark.parametrize(("queries", "ids", "why"), QUERIES)
def test_queries_and_their_ids(queries: QueriesLike, ids: list[str], why: str) -> None:
    assert list(ge.search(INDEX, queries).queries) == ids, why


@pytest.mark.parametrize("model", ["BM25", "QL", "VSM"])
def test_rankings_are_those_of_the_numbers(model: str) -> None:
    found = ge.search(INDEX, {"q1": "red wine", "q2": "roses"}, model)
    for query, text in (("q1", "red wine"), ("q2", "roses")):
        ranking = search_by_number(INDEX, text, model)
        ids = [INDEX.doc_id(int(doc)) for doc in ranking.docs]
        assert list(found[query].items()) == list(zip(ids, ranking.scores.tolist(), strict=True))
    assert (found.tag, found.table().flat()["rank"]) == (model, [1, 2, 3, 1, 2])


def test_an_index_of_several_segments_with_deleted_documents(tmp_path: Path) -> None:
    ge.index(tmp_path / "i", {"d1": "red wine", "d2": "wine"}, analyser="plain")
    ge.index(tmp_path / "i", {"d3": "wine bar", "d4": "wine wine"}, add=True)
    Index.open(tmp_path / "i").delete(["d2"])
    assert set(ge.search(tmp_path / "i", "wine")["wine"]) == {"d1", "d3", "d4"}


def test_what_was_found_is_a_run() -> None:
    found = ge.search(INDEX, {"q1": "wine", "q2": "roses"})
    scores = ge.evaluate({"q1": {"d1": 1}, "q2": {"d3": 1}}, found, "RR")
    assert scores.mean() == {"BM25": {"RR": 0.75}}
