"""Rounds of a search, and explanations of scores, as a terminal and as a program get them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from germane.output.rendering import render
from germane.output.rendering.terminal import printable
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.explain import explain_score
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.retrieval.rounds import Hit
from germane.retrieval.session import Session
from germane.retrieval.texts.excerpts import Excerpt
from germane.tables.results.columns import Table

DOCS = {"d1": "red wine", "d2": "red roses and thorns", "d3": "thorns"}


@pytest.fixture
def session() -> Session:
    return Session(Index.of(DOCS, analyser="plain"))


def test_a_first_round(session: Session) -> None:
    # idf = ln(1 + 1.5/2.5) = 0.4700; lengths 2 and 4, 7/3 on average: 0.4700/(1 + 1.0714) and 0.4700/(1 + 1.8429)
    found = session.ask("red zebra")
    assert render(found, "table") == (
        "in no document: zebra\n\n"
        "   1  d1  0.2269\n      [red] wine\n\n"
        "   2  d2  0.1653\n      [red] roses and thorns\n"
    )


def test_a_later_round_says_what_changed(session: Session) -> None:
    session.ask("red")
    session.mark([2], relevant=True)
    again = session.again()
    assert again.notes == ("rocchio ranks by VSM instead of BM25, so scores are on another scale",)
    title, query, first, second, third = render(again, "table").split("\n\n")
    assert (title, query.splitlines()[0]) == ("Query after feedback (VSM)", "term       old     new  why")
    assert "thorns  0.0000" in query
    assert first.startswith("+  1  d2  ")
    assert first.splitlines()[0].endswith("(up 1, was 2)")
    assert second.startswith("   2  d1  ")
    assert second.splitlines()[0].endswith("(down 1, was 1)")
    assert third.startswith("   3  d3  ")
    assert third.splitlines()[0].endswith("(new)")


def test_colours_take_the_place_of_brackets(session: Session) -> None:
    table = render(session.ask("wine"), "table", color=True)
    assert table == "   1  \x1b[1md1\x1b[0m  0.4735\n      red \x1b[1;33mwine\x1b[0m\n"


MESSAGES = [
    # query     model        expected                                                                      why
    ("red", "BM25", [], "nothing to say"),
    ("zebra", "BM25", ["in no document: zebra", "no document contains any of these words"], "unknown"),
    ("?!", "BM25", ["no results: the query has only stop words, or no words at all"], "no words"),
    ("thorns", "boolean", ["2 documents match"], "all of them shown"),
    ("red OR thorns", "boolean", ["3 documents match, 2 shown"], "not all"),
    ("wine", "boolean", ["1 document matches"], "one"),
]


@pytest.mark.parametrize(("query", "model", "expected", "why"), MESSAGES)
def test_messages(session: Session, query: str, model: str, expected: list[str], why: str) -> None:
    session.size = 2
    session.model = Boolean() if model == "boolean" else session.model
    assert session.ask(query).messages == expected, why


def test_an_index_without_documents_or_texts_says_so(session: Session) -> None:
    empty = Index.of({}, analyser="plain")
    assert Session(empty).ask("red").messages[-1] == "the index has no documents"
    found = session.ask("red")
    without = replace(found, results=tuple(replace(one, excerpt=Excerpt("", ())) for one in found.results))
    assert without.messages == ["this index stores no texts, so excerpts are omitted"]
    assert render(without, "table").endswith("\n\n   1  d1  0.2269\n\n   2  d2  0.1653\n")


def test_marks_that_leave_nothing_of_a_query_are_not_taken_for_stop_words() -> None:
    session = Session(Index.of({"d1": "red", "d2": "red"}, analyser="plain"))  # a term of all documents has idf 0
    session.ask("red")
    session.mark([1], relevant=True)
    found = session.again()
    assert found.results == ()
    assert found.messages == ["no results: none of the terms of the new query has a weight above 0"]


def test_no_scores_where_all_documents_match_alike(session: Session) -> None:
    session.model = Boolean()
    assert render(session.ask("wine"), "table") == "1 document matches\n\n   1  d1\n      red [wine]\n"


MOVES = [(1, 1, ""), (1, 3, "up 2, was 3"), (3, 1, "down 2, was 1"), (1, None, "new")]


@pytest.mark.parametrize(("rank", "before", "expected"), MOVES)
def test_movements(rank: int, before: int | None, expected: str) -> None:
    assert Hit(rank, 0, "d", Excerpt("", ()), 1.0, Excerpt("", ()), None, before).movement == expected


def test_what_a_document_says_is_done_to_no_terminal() -> None:
    index = Index.of({"d\x1b[1m": "red \x1b]0;pwned\x07 \u202e wine \r\x9b2J"}, analyser="plain")
    for coloured in (False, True):
        table = render(Session(index).ask("red"), "table", color=coloured)
        table = table.replace("\x1b[1;33m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert not set(table) & set("\x1b\x07\x9b\r\u202e")
    assert printable("a\tb\nc\udcff") == "a\tb\nc⟦U+DCFF⟧"


def test_json_is_a_contract(session: Session) -> None:
    session.ask("red")
    session.mark([2], relevant=True)
    body = json.loads(session.again().to_json())
    assert set(body) == {
        "germane", "schema", "query", "analyser", "model", "round", "terms", "unknown", "matched", "notes", "results",
    }  # fmt: skip
    assert (body["query"], body["analyser"], body["model"], body["round"]) == ("red", "words+fold", "VSM", 2)
    first = body["results"][0]
    assert {key: first[key] for key in ("rank", "doc", "title", "excerpt", "relevant", "rank_before")} == {
        "rank": 1, "doc": "d2", "title": "", "excerpt": "red roses and thorns", "relevant": True, "rank_before": 2,
    }  # fmt: skip
    assert [first["excerpt"][start:end] for start, end in first["marks"]] == ["red", "roses", "and", "thorns"]
    assert sum(body["terms"].values()) > 0


def test_only_the_terms_that_matter_explain_a_score() -> None:
    index = Index.of({"d1": "a b b c c c", "d2": "a x y z"}, analyser="plain")
    query = Query(dict.fromkeys("abcxyzq", 1.0))
    explanation = explain_score(index, query, "d1")
    (shown,) = explanation.shown(most=2)
    assert isinstance(shown, Table)
    terms, contributions = shown.columns[0].values, shown.columns[-1].values
    assert terms == ["c", "b", "1 term more", "4 terms not in the document", "score"]
    assert sum(contributions[:-1]) == pytest.approx(contributions[-1])
    (whole,) = explanation.shown(most=7)
    assert str(whole) == f"{explanation}\n"
    assert str(explanation).startswith("d1 by BM25\n\nterm")
