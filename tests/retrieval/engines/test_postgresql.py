"""PostgreSQL's full-text search, on a real server."""

import json
import uuid
from collections.abc import Iterator

import psycopg
import pytest

from germane.api.retrieval.retrieval import retrieve
from germane.errors import GermaneError
from germane.retrieval.engines.open_engine import open_engine
from germane.retrieval.engines.servers.postgresql import PostgresqlEngine

BOOKS = [
    # id,      title,                    body
    ("d1", "Wine", "red wine and white wine, wine for all"),
    ("d2", "Roses", "roses are red"),
    ("d3", "Cellars", "a wine cellar"),
    ("d4", "Cellars again", "a wine cellar"),
    ("d5", None, "it's C:\\temp & http://a.org/?x=1&y=2 | (odd) <-> words!"),
    ("d6", "Empty", None),
]


@pytest.fixture(scope="module")
def url(postgresql: str) -> Iterator[str]:
    schema = f"library_{uuid.uuid4().hex}"
    with psycopg.connect(host=postgresql, user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"SET search_path = {schema}")
        connection.execute("CREATE TABLE books (id text, title text, body text)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO books VALUES (%s, %s, %s)", BOOKS)
        connection.execute("CREATE TABLE indexed AS SELECT id, to_tsvector('english', body) AS words, body FROM books")
        connection.execute("CREATE INDEX ON indexed USING gin (words)")
        connection.execute("CREATE INDEX ON indexed USING gin (to_tsvector('english', body))")
        connection.execute('CREATE TABLE "Odd; ""table""" ("the %id" int, "bo""dy" text)')
        connection.execute('INSERT INTO "Odd; ""table""" VALUES (7, \'wine\')')
        connection.execute("CREATE TABLE twice AS SELECT 'd1' AS id, body FROM books")
        yield f"postgresql://postgres@/postgres?host={postgresql}&options=-csearch_path%3D{schema}"
        connection.execute(f"DROP SCHEMA {schema} CASCADE")


def engine(url: str, settings: str) -> PostgresqlEngine:
    return PostgresqlEngine(f"{url}&{settings}")


def ids(url: str, query: str, settings: str, k: int = 10) -> tuple[str, ...]:
    asked = engine(url, settings)
    try:
        return asked.search(query, k).ids
    finally:
        asked.close()


MATCHES = [
    # query               settings                                     expected             why
    ("red wine", "table=books&text=body", ("d1", "d4", "d3", "d2"), "any word will do; equal scores by id, Z before A"),
    ("red wine", "table=books&text=body&match=and", ("d1",), "all words"),
    ("wine -red", "table=books&text=body&match=websearch", ("d4", "d3"), "minus excludes"),
    ("cellars", "table=books&text=body", ("d4", "d3"), "stemmed"),
    ("cellars", "table=books&text=body&config=simple", (), "not stemmed"),
    ("rose", "table=books&text=title,body", ("d2",), "both columns, one of them NULL elsewhere"),
    ("red wine", "table=indexed&vector=words", ("d1", "d4", "d3", "d2"), "a column of type tsvector"),
    ("the and of", "table=books&text=body", (), "stop words only"),
    ("zyzzyva", "table=books&text=body", (), "a word that no document has"),
    ("' | & \\ ! <-> ( :*", "table=books&text=body", (), "operators are no words"),
    ("it's \\ 'odd'", "table=books&text=body", ("d5",), "quotes and backslashes"),
    ("http://a.org/?x=1&y=2", "table=books&text=body", ("d5",), "a lexeme that holds the operator &"),
    ("c:\\temp", "table=books&text=body&config=simple", ("d5",), "a lexeme after a backslash"),
]


@pytest.mark.parametrize(("query", "settings", "expected", "why"), MATCHES)
def test_what_is_found(url: str, query: str, settings: str, expected: tuple[str, ...], why: str) -> None:
    assert ids(url, query, settings) == expected, why


def test_scores_are_the_servers_own(url: str) -> None:
    with psycopg.connect(url) as connection:
        for rank, normalization in (("ts_rank", 0), ("ts_rank_cd", 0), ("ts_rank", 33)):
            text = "to_tsvector('english', body)"
            row = connection.execute(
                f"SELECT {rank}({text}, 'wine | red'::tsquery, {normalization}) FROM books WHERE id = 'd1'"
            ).fetchone()
            assert row is not None
            asked = engine(url, f"table=books&text=body&rank={rank}&normalization={normalization}")
            assert asked.search("red wine", 10).scores[0] == pytest.approx(row[0])
            asked.close()


def test_only_k_come_and_the_cut_is_by_id(url: str) -> None:
    assert ids(url, "red wine", "table=books&text=body", k=2) == ("d1", "d4")


def test_odd_names_are_quoted_and_ids_need_not_be_text(url: str) -> None:
    assert ids(url, "wine", "table=Odd%3B%20%22table%22&id=the%20%25id&text=bo%22dy") == ("7",)


def test_a_name_is_never_run(url: str) -> None:
    with pytest.raises(GermaneError, match="does not exist"):
        ids(url, "wine", "table=books&text=body)%3B%20DROP%20TABLE%20books%3B%20--")
    assert ids(url, "wine", "table=books&text=body", k=1) == ("d1",)


def test_the_session_cannot_write(url: str) -> None:
    asked = engine(url, "table=books&text=body")
    with pytest.raises(GermaneError, match="read-only transaction"):
        asked._rows("DELETE FROM books")
    asked.close()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("text=body", "expected a table, and either text or vector"),
        ("table=books", "expected a table, and either text or vector"),
        ("table=books&text=body&vector=words", "expected a table, and either text or vector"),
        ("table=boks&text=body", 'relation "boks" does not exist'),
        ("table=books&text=bdoy", 'column "bdoy" does not exist'),
        ("table=books&text=body&config=klingon", 'text search configuration "klingon" does not exist'),
        ("table=books&text=body&rank=ts_ranc", "expected rank to be one of ts_rank_cd, ts_rank, found 'ts_ranc'"),
        ("table=books&text=body&match=any", "expected match to be one of or, and, websearch, found 'any'"),
        ("table=books&text=body&normalization=64", "expected normalization from 0 to 63, found '64'"),
        ("table=books&vector=body", "does not exist"),
        ("table=twice&text=body", "duplicate document 'd1' in the answer"),
    ],
)
def test_what_is_wrong_is_explained(url: str, settings: str, message: str) -> None:
    with pytest.raises(GermaneError) as told:
        ids(url, "red wine", settings)
    assert message in told.value.message


def test_an_id_that_is_null_is_an_error(url: str) -> None:
    with pytest.raises(GermaneError, match=r"expected a document id \(text\) at rank 1, found nothing"):
        ids(url, "odd", "table=books&id=title&text=body")


def test_a_query_that_takes_too_long_is_stopped(url: str) -> None:
    asked = PostgresqlEngine(f"{url}&table=books&text=body", timeout_seconds=0.05)
    with pytest.raises(GermaneError, match="statement timeout"):
        asked._rows("SELECT pg_sleep(5)")
    asked.close()


@pytest.mark.parametrize("text", ["wine\0", "wine\udcff"])
def test_characters_that_a_server_cannot_be_sent(url: str, text: str) -> None:
    with pytest.raises(GermaneError, match="query 'q1'"):
        retrieve(f"{url}&table=books&text=body", {"q1": text})


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(GermaneError) as told:
        PostgresqlEngine("postgresql://ann:secret@127.0.0.1:1/db?table=books&text=body")
    assert told.value.message.startswith("postgresql://127.0.0.1:1/db: connection failed")
    assert "secret" not in str(told.value)


def test_sizes_and_what_they_are_of(url: str) -> None:
    plain, indexed = engine(url, "table=books&text=body"), engine(url, "table=indexed&vector=words")
    assert (plain.num_docs(), plain.index_bytes()) == (6, None)
    assert [note.code for note in plain.notes()] == ["no-index"]
    size = indexed.index_bytes()
    assert size is not None
    assert size >= 2 * 8192  # two indexes, a page or more each
    assert indexed.notes() == []
    told = indexed.describe()
    assert told["model"] == "ts_rank_cd"
    assert told["analyser"] == "PostgreSQL english"
    assert "postgres@" not in json.dumps(told)
    plain.close()
    indexed.close()


def test_an_index_on_the_expression_is_used(url: str) -> None:
    asked = engine(url, "table=indexed&text=body")
    asked._rows("SELECT set_config('enable_seqscan', 'off', false)")
    with psycopg.connect(url) as connection:
        statement = asked._statement.as_string(connection)
    plan = asked._rows(f"EXPLAIN {statement}", {"query": "wine", "k": 10})
    assert "Bitmap Index Scan" in "\n".join(row[0] for row in plan)
    asked.close()


def test_a_run_over_threads_is_the_run_of_one(url: str) -> None:
    queries = {str(n): text for n, text in enumerate(["red wine", "roses", "cellar", "the", "wine"] * 3)}
    source = f"{url}&table=books&text=body"
    one, three = (retrieve(source, queries, threads=threads) for threads in (1, 3))
    assert list(one.run.docs) == list(three.run.docs)
    assert one.run.tag == "postgresql-ts_rank_cd"
    assert {note.code: note.count for note in one.notes} == {"no-index": None, "empty-rankings": 3}


def test_the_opener_knows_it(url: str) -> None:
    asked = open_engine(f"{url}&table=books&text=body")
    assert isinstance(asked, PostgresqlEngine)
    asked.close()
