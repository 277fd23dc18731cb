"""A search that goes on: what is asked, marked, kept and explained."""

from __future__ import annotations

import pytest

from germane.errors import GermaneError
from germane.retrieval.engines.rankers import Boolean
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.indexes.index import Index
from germane.retrieval.rounds import Round, asked_model, search_round
from germane.retrieval.search import search
from germane.retrieval.session import Session

DOCS = {
    "wine": "red wine and white wine",
    "rose": "red roses with thorns",
    "thorn": "thorns of a hedge",
    "tea": "green tea",
}


@pytest.fixture
def session() -> Session:
    return Session(Index.of(DOCS, analyser="words+fold+stop(lucene)", positions=True))


def ids(found: Round) -> list[str]:
    return [result.doc for result in found.results]


def test_ask_mark_and_ask_again(session: Session) -> None:
    first = session.ask("red")
    assert (ids(first), first.number, first.refined) == (["rose", "wine"], 1, None)
    session.mark([1], relevant=True)
    second = session.again()
    assert second.refined is not None
    assert {change.term for change in second.refined.terms if not change.old and change.new} == {"roses", "thorns"}
    moved = [(result.doc, result.rank, result.before, result.relevant) for result in second.results]
    assert moved == [("rose", 1, 1, True), ("wine", 2, 2, None), ("thorn", 3, None, None)]
    assert second.number == 2


def test_each_round_starts_from_what_was_typed(session: Session) -> None:
    session.ask("red")
    session.mark([1], relevant=True)
    assert session.again().query == session.again().query


def test_the_last_mark_of_a_document_counts(session: Session) -> None:
    session.ask("red")
    session.mark([1, 2], relevant=True)
    session.mark([1, 1], relevant=False)
    session.mark([2], relevant=None)
    session.mark([2], relevant=None)
    assert session.judgments() == {"1": {"rose": 0}}


def test_a_wrong_rank_marks_nothing(session: Session) -> None:
    session.ask("red")
    with pytest.raises(GermaneError, match="expected a rank from 1 to 2, found 3"):
        session.mark([1, 3], relevant=True)
    assert session.marks == {}
    session.ask("zebra")
    with pytest.raises(GermaneError, match="no result 1: the query has no results"):
        session.mark([1], relevant=True)


def test_marks_stay_with_their_query(session: Session) -> None:
    session.ask("red")
    session.mark([1], relevant=True)
    session.ask("green")
    assert session.marks == {}
    session.mark([1], relevant=False)
    assert session.judgments() == {"1": {"rose": 1}, "2": {"tea": 0}}
    back = session.ask("red")
    assert [result.relevant for result in back.results if result.doc == "rose"] == [True]
    assert back.refined is not None


def test_a_mark_can_be_taken_away_when_its_document_is_no_longer_shown(session: Session) -> None:
    session.size = 1
    session.ask("red")
    session.mark([1], relevant=False)
    with pytest.raises(GermaneError, match=r"not marked: tea\nHint: marked documents: rose"):
        session.unmark(["rose", "tea"])
    assert session.judgments() == {"1": {"rose": 0}}
    session.unmark(["rose"])
    assert session.judgments() == {}


def test_without_marks_another_model_ranks_the_same_words(session: Session) -> None:
    session.ask("red thorns")
    session.model = asked_model("QL")
    found = session.again()
    expected = search(session.index, "red thorns", "QL", 10)
    assert [result.number for result in found.results] == expected.docs.tolist()
    assert [result.score for result in found.results] == expected.scores.tolist()
    assert found.refined is None


def test_nothing_was_asked_yet(session: Session) -> None:
    for use in (session.again, lambda: session.mark([1], relevant=True), lambda: session.why(1)):
        with pytest.raises(GermaneError, match="no query yet"):
            use()


UNUSUAL = [
    # query           unknown              results          why
    ("the of", (), [], "stop words only"),
    ("", (), [], "nothing"),
    ("zebra Lion", ("zebra", "Lion"), [], "words of no document, as they were written"),
    ("red zebra", ("zebra",), ["rose", "wine"], "one of two"),
]


@pytest.mark.parametrize(("query", "unknown", "results", "why"), UNUSUAL)
def test_unusual_queries(session: Session, query: str, unknown: tuple[str, ...], results: list[str], why: str) -> None:
    found = session.ask(query)
    assert (found.unknown, ids(found)) == (unknown, results), why


def test_an_empty_index_finds_nothing() -> None:
    assert Session(Index.of({}, analyser="plain")).ask("red").results == ()


def test_the_explanation_adds_up_to_the_score_after_feedback_too(session: Session) -> None:
    session.ask("red")
    session.mark([1], relevant=True)
    for result in session.again().results:
        assert session.why(result.rank).score == pytest.approx(result.score)


def test_boolean_queries(session: Session) -> None:
    session.model = Boolean()
    session.size = 1
    found = session.ask('red AND NOT "white wine"')
    assert (ids(found), found.matched, found.shown_terms) == (["rose"], 1, frozenset({"red"}))
    assert session.ask("red OR thorns").matched == 3
    assert session.ask("red tea").matched == 0
    session.ask("red")
    with pytest.raises(GermaneError, match="Boolean results are not scored"):
        session.why(1)


def test_a_boolean_query_that_cannot_be_read_changes_nothing(session: Session) -> None:
    session.ask("red")
    session.mark([1], relevant=True)
    before = session.rounds
    session.model = Boolean()
    with pytest.raises(GermaneError, match="closing bracket"):
        session.ask("(red")
    assert session.rounds == before
    assert session.judgments() == {"1": {"rose": 1}}


def test_marks_change_no_boolean_query_and_wait_for_the_next_model(session: Session) -> None:
    session.ask("red")
    session.mark([1], relevant=True)
    session.model = Boolean()
    found = session.again()
    assert ids(found) == ["wine", "rose"]
    assert found.notes == ("feedback is not supported for Boolean queries; marks are kept for other models",)
    session.model = asked_model("BM25")
    assert session.again().refined is not None


def test_models_that_know_no_phrases_say_so(session: Session) -> None:
    assert session.ask("red or white").notes == ()
    [note] = session.ask('"white wine" OR tea').notes
    assert note.startswith('"white wine", OR: BM25 reads only words here')


def test_names_of_models() -> None:
    assert isinstance(asked_model(" BOOLEAN "), Boolean)
    with pytest.raises(GermaneError, match="unknown model 'bolean'; did you mean boolean"):
        asked_model("bolean")
    with pytest.raises(GermaneError, match="unknown model 'BM52'; did you mean BM25"):
        asked_model("BM52")


def test_a_round_needs_no_session(session: Session) -> None:
    method = FEEDBACK.parse("bo1")
    marks = {1: True}
    found = search_round(session.index, "red", asked_model("BM25"), method, marks, size=2, number=7, before={0: 1})
    assert (found.number, [(result.doc, result.before) for result in found.results]) == (
        7,
        [("rose", None), ("wine", 1)],
    )
