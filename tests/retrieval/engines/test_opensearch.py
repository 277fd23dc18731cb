"""The OpenSearch and Elasticsearch adapter, against a local HTTP server that replays recorded answers.

No real server is behind these tests: the answers have the shapes that both projects document for `_search`,
`_mtermvectors`, `_count`, `_stats`, the root and errors.
"""

import base64
import json
import math
from pathlib import Path
from typing import Any

import pytest

from germane.errors import GermaneError
from germane.retrieval.engines.servers.opensearch import OpenSearchEngine
from germane.retrieval.engines.servers.rest import API_KEY, ATTEMPTS, PASSWORD, USER
from germane.retrieval.models.relevance_weights import rsj_weight
from germane.retrieval.query import Query
from tests.retrieval.engines.replaying_server import ReplayingServer, Reply

SEARCH = "/library/_search"
TOO_BUSY = {"error": {"type": "rejected_execution_exception", "reason": "rejected execution of search"}, "status": 429}


def hits(*found: tuple[Any, Any], **more: Any) -> dict[str, Any]:
    """An answer to `_search`."""
    rows = [{"_index": "library", "_id": doc, "_score": score} for doc, score in found]
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    body = {"took": 3, "timed_out": False, "_shards": shards, "hits": {"max_score": 1.0, "hits": rows}}
    return {**body, **more}


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (USER, PASSWORD, API_KEY):
        monkeypatch.delenv(name, raising=False)


def engine(server: ReplayingServer, settings: str = "", **options: Any) -> OpenSearchEngine:
    """One that waits for nobody; what it would have waited is in `waits`."""
    waits: list[float] = []
    made = OpenSearchEngine(
        f"opensearch+http://127.0.0.1:{server.port}/library{settings}", pause=waits.append, **options
    )
    made.waits = waits  # type: ignore[attr-defined]
    server.clients.append(made)
    return made


def test_a_search_is_a_multi_match_over_the_fields(server: ReplayingServer) -> None:
    server.records(SEARCH, hits(("d2", 3.5), ("d1", 1.25)))
    found = engine(server, "?fields=title^2,body").search('say "wine"\\', k=10)
    assert (found.ids, found.scores.tolist()) == (("d2", "d1"), [3.5, 1.25])
    assert server.bodies(SEARCH) == [
        {
            "size": 10,
            "query": {"multi_match": {"query": 'say "wine"\\', "fields": ["title^2", "body"]}},
            "_source": False,
            "track_total_hits": False,
        }
    ]


def test_nothing_found_is_an_empty_ranking(server: ReplayingServer) -> None:
    server.records(SEARCH, hits())
    assert len(engine(server).search("the", k=10)) == 0


def test_the_connection_is_kept_open(server: ReplayingServer) -> None:
    server.records(SEARCH, hits(("d1", 1.0)))
    asked = engine(server)
    for _ in range(3):
        asked.search("wine", k=10)
    assert len(server.requests) == 3
    assert len(asked._client._open) == 1
    asked.close()


# What goes wrong for a while


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: ReplayingServer, status: int) -> None:
    server.records(SEARCH, Reply(status, TOO_BUSY), Reply(status, b"<html>bad gateway</html>"), hits(("d1", 1.0)))
    asked = engine(server)
    assert asked.search("wine", k=10).ids == ("d1",)
    assert asked.waits == [0.5, 1.0]  # type: ignore[attr-defined]
    assert [(note.code, note.count) for note in asked.notes()] == [("retried-requests", 2)]


def test_a_server_that_says_how_long_to_wait_is_obeyed_up_to_a_bound(server: ReplayingServer) -> None:
    busy = [Reply(429, TOO_BUSY, headers={"Retry-After": seconds}) for seconds in ("7", "3600", "soon")]
    server.records(SEARCH, *busy, hits(("d1", 1.0)))
    asked = engine(server)
    asked.search("wine", k=10)
    assert asked.waits == [7.0, 30.0, 2.0]  # type: ignore[attr-defined]


def test_a_server_that_stays_busy_is_an_error_with_its_own_words(server: ReplayingServer) -> None:
    server.records(SEARCH, Reply(429, TOO_BUSY))
    with pytest.raises(GermaneError) as told:
        engine(server).search("wine", k=10)
    assert told.value.message == ("the server answered 429: rejected_execution_exception: rejected execution of search")
    assert len(server.requests) == ATTEMPTS


def test_a_connection_that_breaks_is_made_again(server: ReplayingServer) -> None:
    server.records(SEARCH, Reply(200, hangs_up=True), hits(("d1", 1.0)))
    asked = engine(server)
    assert asked.search("wine", k=10).ids == ("d1",)
    assert len(asked._client._open) == 1


def test_a_server_that_does_not_answer_in_time(server: ReplayingServer) -> None:
    server.records(SEARCH, Reply(200, hits(), after_seconds=0.3))
    with pytest.raises(GermaneError) as told:
        engine(server, timeout_seconds=0.02).search("wine", k=10)
    assert told.value.message == f"no answer within 0.02 seconds, {ATTEMPTS} times"
    assert told.value.hint is not None
    assert "`timeout=…`" in told.value.hint


def test_a_late_answer_is_not_taken_for_the_next_one(server: ReplayingServer) -> None:
    server.records(SEARCH, Reply(200, hits(("late", 1.0)), after_seconds=0.3), hits(("d1", 1.0)))
    assert engine(server, timeout_seconds=0.1).search("wine", k=10).ids == ("d1",)


def test_no_server_at_all() -> None:
    with ReplayingServer() as gone:
        pass
    with pytest.raises(GermaneError, match=r"cannot reach the server: .*refused"):
        engine(gone).search("wine", k=10)


# What is wrong for good


def parsing_failed(reason: str) -> dict[str, Any]:
    cause = {"type": "parsing_exception", "reason": reason, "line": 1, "col": 12}
    return {"error": {"root_cause": [cause], **cause}, "status": 400}


WRONG = [
    # answer                                                           message
    (
        Reply(400, parsing_failed("unknown query [mach]")),
        "the server answered 400: parsing_exception: unknown query [mach]",
    ),
    (Reply(401, {"error": "Unauthorized"}), "the server answered 401: Unauthorized"),
    (Reply(403, b""), "the server answered 403: no reason given"),
    (Reply(500, b"<html>\n oops </html>"), "the server answered 500: <html> oops </html>"),
    (Reply(302, b"", headers={"Location": "/elsewhere"}), "the server answered 302: no reason given"),
    (Reply(200, b'{"hits": '), "expected JSON from the server, found '{\"hits\": '"),
    (Reply(200, b""), "expected JSON from the server, found ''"),
    ([1, 2], "expected hits.hits in the answer, found [1, 2]"),
    ({"acknowledged": True}, "expected hits.hits in the answer, found {'acknowledged': True}"),
    (hits(("d1", 1.0), timed_out=True), "the server timed out and returned a partial answer"),
    (
        hits(
            ("d1", 1.0),
            _shards={
                "total": 5,
                "successful": 4,
                "failed": 1,
                "failures": [{"shard": 2, "reason": {"reason": "no node"}}],
            },
        ),
        "1 of 5 shards failed: no node",
    ),
    (hits(("d1", None)), "document 'd1' has no score"),
    (hits(("d1", 1.0), ("d1", 0.5)), "duplicate document 'd1' in the answer"),
    (hits((7, 1.0)), "expected a document id (text) at rank 1, found 7 (int)"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG)
def test_a_wrong_answer_is_explained_and_not_asked_for_again(
    server: ReplayingServer, answer: Any, message: str
) -> None:
    server.records(SEARCH, answer)
    with pytest.raises(GermaneError) as told:
        engine(server).search("wine", k=10)
    assert told.value.message == message
    assert len(server.requests) == 1


def test_more_documents_than_a_server_gives_at_once(server: ReplayingServer) -> None:
    reason = "Result window is too large, from + size must be less than or equal to: [10000] but was [20000]."
    server.records(SEARCH, Reply(400, {"error": {"type": "illegal_argument_exception", "reason": reason}}))
    with pytest.raises(GermaneError) as told:
        engine(server).search("wine", k=20_000)
    assert reason in told.value.message
    assert told.value.hint is not None
    assert "index.max_result_window" in told.value.hint
    assert "search_after" in told.value.hint


def test_an_index_that_is_not_there(server: ReplayingServer) -> None:
    with pytest.raises(GermaneError, match=r"404: index_not_found_exception: no such index \[library\]"):
        engine(server).num_docs()


# Secrets


def test_user_and_password_come_from_the_environment(server: ReplayingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER, "ann")
    monkeypatch.setenv(PASSWORD, "pass:wörd")
    server.records(SEARCH, Reply(403, {"error": "no"}))
    asked = engine(server)
    with pytest.raises(GermaneError) as told:
        asked.search("wine", k=10)
    sent = server.headers[0]["Authorization"].removeprefix("Basic ")
    assert base64.b64decode(sent).decode() == "ann:pass:wörd"
    assert "wörd" not in f"{told.value} {asked.describe()} {asked.name}"


def test_an_api_key_comes_from_the_environment(server: ReplayingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY, "a2V5OnNlY3JldA==")
    server.records(SEARCH, hits())
    engine(server).search("wine", k=10)
    assert server.headers[0]["Authorization"] == "ApiKey a2V5OnNlY3JldA=="
    monkeypatch.setenv(USER, "ann")
    with pytest.raises(GermaneError, match=r"both .* are set"):
        engine(server)


# Templates


def test_a_template_is_filled_in_as_values(server: ReplayingServer, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    path.write_text(
        '{"size": "{{k}}", "query": {"query_string": {"query": "body:({{ query }})"}}, "x": ["{{query}}", 1]}'
    )
    server.records(SEARCH, hits(("d1", 1.0)))
    nasty = '"}, "size": 0, {{k}} \\ \n'
    engine(server, template=path).search(nasty, k=7)
    assert server.bodies(SEARCH) == [
        {"size": 7, "query": {"query_string": {"query": f"body:({nasty})"}}, "x": [nasty, 1]}
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"size": {{k}}, "query": {{query}}}', "expected JSON"),
        ('{"size": 10, "q": "{{query}}"}', "expected a placeholder for k, found none"),
        ('{"size": "{{k}}"}', "expected a placeholder for query, found none"),
        ('{"size": "{{k}}", "q": "{{qury}}"}', "unknown placeholder {{qury}}; did you mean query?"),
        ('["{{k}}", "{{query}}"]', "expected a JSON object, found list"),
    ],
)
def test_a_wrong_template_is_explained(server: ReplayingServer, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "request.json"
    path.write_text(text)
    with pytest.raises(GermaneError, match=r"request\.json") as told:
        engine(server, template=path)
    assert message in told.value.message


def test_ids_may_be_in_a_field(server: ReplayingServer) -> None:
    answer = hits(("1", 2.0), ("2", 1.0))
    for hit, source in zip(answer["hits"]["hits"], ({"meta": {"docno": "A"}}, {"meta.docno": "B"}), strict=True):
        hit["_source"] = source
    server.records(SEARCH, answer, hits(("3", 1.0)))
    asked = engine(server, "?id=meta.docno")
    assert asked.search("wine", k=10).ids == ("A", "B")
    assert server.bodies(SEARCH)[0]["_source"] == ["meta.docno"]
    with pytest.raises(GermaneError, match=r"document '3' has no field 'meta\.docno'"):
        asked.search("wine", k=10)


# What it tells of itself


def test_it_describes_itself_and_its_size(server: ReplayingServer) -> None:
    server.records("/", {"name": "node-1", "version": {"distribution": "opensearch", "number": "3.2.0"}})
    server.records("/library/_count", {"count": 1400, "_shards": {"total": 1, "successful": 1, "failed": 0}})
    store = {"store": {"size_in_bytes": 987654, "reserved_in_bytes": 0}}
    server.records("/library/_stats/store", {"_all": {"primaries": store, "total": {}}, "indices": {}})
    asked = engine(server, "?fields=body")
    told = asked.describe()
    assert (told["engine"], told["version"], told["index"], told["fields"]) == (
        "opensearch",
        "3.2.0",
        "library",
        ["body"],
    )
    assert json.dumps(told)
    assert (asked.num_docs(), asked.index_bytes()) == (1400, 987654)


def test_who_may_only_search_gets_a_run_without_sizes(server: ReplayingServer) -> None:
    for path in ("/", "/library/_count", "/library/_stats/store"):
        server.records(path, Reply(403, {"error": {"type": "security_exception", "reason": "no permissions"}}))
    asked = engine(server)
    assert (asked.describe()["engine"], asked.num_docs(), asked.index_bytes()) == ("opensearch", None, None)


# Feedback: counts from the server, weights computed here and sent back


def vector(doc: str | None, size: tuple[int, int], **terms: tuple[int, int, int]) -> dict[str, Any]:
    """One document of `_mtermvectors`: (documents, words) of its shard, and by term (df, cf, tf)."""
    statistics = {"sum_doc_freq": 500, "doc_count": size[0], "sum_ttf": size[1]}
    counts = {term: {"doc_freq": df, "ttf": cf, "term_freq": tf} for term, (df, cf, tf) in terms.items()}
    body = {"_index": "library", "_version": 1, "found": True, "took": 1}
    return {
        **body,
        **({} if doc is None else {"_id": doc}),
        "term_vectors": {"body": {"field_statistics": statistics, "terms": counts}},
    }


def test_relevance_weights_go_the_whole_way(server: ReplayingServer) -> None:
    query_part = vector(None, (100, 1000), wine=(6, 9, 1), xylem=(0, 0, 1))
    del query_part["term_vectors"]["body"]["terms"]["xylem"]["doc_freq"]  # as for a word that no document holds
    relevant = [vector(f"d{n}", (100, 1000), wine=(6, 9, 2), red=(20, 31, 1)) for n in (1, 2, 3)]
    relevant.append(vector("d4", (100, 1000), oak=(2, 2, 1)))
    server.records("/library/_mtermvectors", {"docs": [*relevant, query_part]})
    server.records(SEARCH, hits(("d1", 5.0)))
    asked = engine(server, "?fields=body^3")
    counts = asked.term_statistics(["d1", "d2", "d3", "d4"], query="wine xylem")
    wine = counts["wine"]
    assert (wine.num_docs, wine.df, wine.cf, wine.num_relevant, wine.relevant_with) == (100, 6, 9, 4, 3)
    assert (counts["xylem"].df, counts["xylem"].relevant_with) == (0, 0)
    sent = server.bodies("/library/_mtermvectors")[0]["docs"]
    assert [doc.get("_id") for doc in sent] == ["d1", "d2", "d3", "d4", None]
    assert sent[-1]["doc"] == {"body": "wine xylem"}
    assert all(doc["term_statistics"] and doc["fields"] == ["body"] for doc in sent)

    weight = rsj_weight(wine)
    assert weight == pytest.approx(math.log((3.5 / 1.5) / (3.5 / 93.5)))
    asked.search_weighted(Query({"wine": weight, "red": 0.0}), 10, binary=True)
    asked.search_weighted(Query({"wine": 2.0}), 10)
    constant, boosted = (body["query"]["bool"]["should"] for body in server.bodies(SEARCH))
    assert constant == [{"constant_score": {"filter": {"term": {"body": {"value": "wine"}}}, "boost": weight}}]
    assert boosted == [{"term": {"body": {"value": "wine", "boost": 2.0}}}]


def test_counts_of_several_shards_are_added_where_the_term_was_seen(server: ReplayingServer) -> None:
    one, two = (50, 400), (60, 500)
    docs = [
        vector("d1", one, wine=(4, 5, 1)),
        vector("d2", one, wine=(4, 5, 3)),
        vector("d3", two, wine=(7, 9, 1), red=(2, 2, 1)),
    ]
    server.records("/library/_mtermvectors", {"docs": docs})
    counts = engine(server, "?fields=body").term_statistics(["d1", "d2", "d3"])
    wine, red = counts["wine"], counts["red"]
    assert (wine.df, wine.cf, wine.num_docs, wine.relevant_with) == (11, 14, 110, 3)
    assert (red.df, red.num_docs, red.num_relevant, red.relevant_with) == (2, 60, 3, 1)


NO_VECTORS = [
    ({"docs": [{"_index": "library", "_id": "d9", "found": False}]}, "unknown document 'd9'"),
    (
        {"docs": [{"_index": "library", "_id": "d9", "error": {"type": "x", "reason": "no shard"}}]},
        "the server returned no term vectors: no shard",
    ),
    ({"took": 1}, "expected term vectors from the server, found {'took': 1}"),
]


@pytest.mark.parametrize(("answer", "message"), NO_VECTORS)
def test_documents_without_vectors_are_explained(server: ReplayingServer, answer: Any, message: str) -> None:
    server.records("/library/_mtermvectors", answer)
    with pytest.raises(GermaneError) as told:
        engine(server, "?fields=body").term_statistics(["d9"])
    assert told.value.message == message


def test_weights_that_a_server_refuses_are_refused_here(server: ReplayingServer) -> None:
    with pytest.raises(GermaneError, match="negative weight for 'wine'"):
        engine(server, "?fields=body").search_weighted(Query({"wine": -1.0}), 10)
    with pytest.raises(GermaneError, match="expected one field to count terms in"):
        engine(server, "?fields=body,title").search_weighted(Query({"wine": 1.0}), 10)
    assert len(engine(server, "?fields=body").search_weighted(Query({"wine": 0.0}), 10)) == 0
    assert server.requests == []
