"""Boolean retrieval: the lecture's incidence matrix, what is parsed how, and what is said of mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError
from germane.retrieval.boolean import match_boolean
from germane.retrieval.boolean_expression import And, Expression, Not, Or, Words, parse_boolean
from germane.retrieval.indexes.index import Index, Part

PLAYS = ["Antony and Cleopatra", "Julius Caesar", "The Tempest", "Hamlet", "Othello", "Macbeth"]
INCIDENCE = {
    "Antony":    [1, 1, 0, 0, 0, 1],
    "Brutus":    [1, 1, 0, 1, 0, 0],
    "Caesar":    [1, 1, 0, 1, 1, 1],
    "Calpurnia": [0, 1, 0, 0, 0, 0],
    "Cleopatra": [1, 0, 0, 0, 0, 0],
    "mercy":     [1, 0, 1, 1, 1, 1],
    "worser":    [1, 0, 1, 1, 1, 0],
}  # fmt: skip
SHAKESPEARE = Index.of(
    {play: " ".join(word for word, row in INCIDENCE.items() if row[column]) for column, play in enumerate(PLAYS)},
    analyser="plain",
)


def found(query: str, index: Index = SHAKESPEARE) -> list[str]:
    return [index.doc_id(doc) for doc in match_boolean(index, query).docs]


LECTURE = [
    # query                                      matches
    ("Brutus AND Caesar AND NOT Calpurnia",      ["Antony and Cleopatra", "Hamlet"]),
    ("Brutus Caesar NOT Calpurnia",              ["Antony and Cleopatra", "Hamlet"]),
    ("brutus AND CAESAR",                        ["Antony and Cleopatra", "Julius Caesar", "Hamlet"]),
    ("Calpurnia OR Cleopatra",                   ["Antony and Cleopatra", "Julius Caesar"]),
    ("NOT Caesar",                               ["The Tempest"]),
    ("NOT NOT Calpurnia",                        ["Julius Caesar"]),
    ("Calpurnia OR mercy AND Antony",            ["Antony and Cleopatra", "Julius Caesar", "Macbeth"]),
    ("(Calpurnia OR mercy) AND Antony",          ["Antony and Cleopatra", "Julius Caesar", "Macbeth"]),
    ("Calpurnia OR mercy AND Brutus",            ["Antony and Cleopatra", "Julius Caesar", "Hamlet"]),
    ("Cleopatra OR worser AND NOT Brutus",       ["Antony and Cleopatra", "The Tempest", "Othello"]),
    ("(Cleopatra OR worser) AND NOT Brutus",     ["The Tempest", "Othello"]),
    ("NOT (Caesar OR mercy)",                    []),
    ("Falstaff OR Calpurnia",                    ["Julius Caesar"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), LECTURE)
def test_on_the_incidence_matrix(query: str, expected: list[str]) -> None:
    assert found(query) == expected


def test_every_match_scores_1_in_the_order_of_documents() -> None:
    matches = match_boolean(SHAKESPEARE, "mercy")
    assert matches.scores.tolist() == [1] * 5
    assert matches.docs.tolist() == sorted(matches.docs.tolist())


READ = [
    ("a",                      "a"),
    ("a b OR c d",             "((a AND b) OR (c AND d))"),
    ("NOT a b",                "(NOT a AND b)"),
    ("a OR NOT (b AND c)",     "(a OR NOT (b AND c))"),
    ('a "b  c"d',              '(a AND "b  c" AND d)'),
    ("((a))",                  "a"),
    ("a and b",                "(a AND and AND b)"),
    ("a AND NOT b OR c",       "((a AND NOT b) OR c)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READ)
def test_read(text: str, expected: str) -> None:
    assert str(parse_boolean(text)) == expected


WRONG = [
    # text              said                                                             caret under
    ("",                "expected a word, a phrase or a bracket, found the end of the query",         0),
    ("   ",             "expected a word, a phrase or a bracket, found the end of the query",         0),
    ("a AND",           "expected a word, a phrase or a bracket, found the end of the query",         5),
    ("a AND OR b",      "expected a word, a phrase or a bracket, found 'OR'",            6),
    ("OR a",            "expected a word, a phrase or a bracket, found 'OR'",            0),
    ("(a OR b",         "expected a closing bracket for the one marked",                       0),
    ("a (b (c)",        "expected a closing bracket for the one marked",                       2),
    ("a) b",            "expected an operator or the end of the query, found ')'",                    1),
    ("a ()",            "expected a word, a phrase or a bracket, found ')'",             3),
    ('a "b c',          "expected a closing quotation mark for the one marked",                2),
    ("a\tAND\tNOT",     "expected a word, a phrase or a bracket, found the end of the query",         9),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said", "place"), WRONG)
def test_a_mistake_is_shown_at_its_place(text: str, said: str, place: int) -> None:
    with pytest.raises(GermaneError) as raised:
        parse_boolean(text)
    problem, shown, caret = str(raised.value).split("\n")
    assert problem == said
    assert shown == "  " + text.replace("\t", " ")
    assert caret == "  " + " " * place + "^"


def test_brackets_without_end_are_refused() -> None:
    with pytest.raises(GermaneError, match="at most 100"):
        parse_boolean("(" * 100_000)
    with pytest.raises(GermaneError, match="at most 100"):
        parse_boolean("NOT " * 100_000 + "a")
    assert parse_boolean("(" * 90 + "a" + ")" * 90) == Words("a")


def expressions() -> st.SearchStrategy[Expression]:
    words = st.sampled_from(sorted(INCIDENCE)).map(Words)
    return st.recursive(
        words,
        lambda inside: st.one_of(
            inside.map(Not),
            st.lists(inside, min_size=2, max_size=3).map(tuple).map(And),
            st.lists(inside, min_size=2, max_size=3).map(tuple).map(Or),
        ),
        max_leaves=8,
    )


def by_python(expression: Expression, column: int) -> bool:
    """Whether a play matches, by Python's own operators."""
    match expression:
        case Words(text):
            return bool(INCIDENCE[text][column])
        case Not(part):
            return not by_python(part, column)
        case And(parts):
            return all(by_python(part, column) for part in parts)
        case Or(parts):
            return any(by_python(part, column) for part in parts)


@given(expressions())
def test_any_expression_is_read_back_and_means_what_it_says(expression: Expression) -> None:
    text = str(expression)
    assert str(parse_boolean(text)) == text
    expected = [column for column in range(len(PLAYS)) if by_python(expression, column)]
    assert match_boolean(SHAKESPEARE, text).docs.tolist() == expected


# Words that analysis changes


ENGLISH = Index.of(
    {"d1": "the state of the art", "d2": "art of the state", "d3": "stately arts", "d4": ""},
    analyser="words+fold+stop(lucene)",
    positions=True,
)


def test_a_stop_word_says_nothing_and_is_noted() -> None:
    matches = match_boolean(ENGLISH, "the AND art AND NOT the")
    assert matches.docs.tolist() == [0, 1]
    assert matches.notes == ("'the': ignored, because the analyser removes it",)


def test_a_query_of_stop_words_matches_nothing() -> None:
    matches = match_boolean(ENGLISH, 'NOT the OR "of the"')
    assert matches.docs.tolist() == []
    assert matches.notes[-1] == "no words are left in the query after analysis, so nothing matches"


def test_small_operators_and_unknown_words_are_noted() -> None:
    matches = match_boolean(SHAKESPEARE, "Brutus or Falstaff")
    assert matches.docs.tolist() == []
    assert matches.notes == (
        "'or': in lower case a word, not an operator",
        "'or': not in any document",
        "'Falstaff': not in any document",
    )


def test_a_word_that_falls_into_several_asks_for_all() -> None:
    assert found("state-art", ENGLISH) == ["d1", "d2"]


# Phrases


POSITIONS = Index.of(
    {"d1": "to be or not to be", "d2": "be to not", "d3": "not to be seen", "d4": "be be"},
    analyser="plain",
    positions=True,
)
PHRASES = [
    ('"to be"',             ["d1", "d3"]),
    ('"not to be"',         ["d1", "d3"]),
    ('"be or"',             ["d1"]),
    ('"be be"',             ["d4"]),
    ('"to be" NOT seen',    ["d1"]),
    ('"seen"',              ["d3"]),
    ('"be seen not"',       []),
    ('"to nonesuch"',       []),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), PHRASES)
def test_phrases(query: str, expected: list[str]) -> None:
    assert found(query, POSITIONS) == expected


def test_a_stop_word_within_a_phrase_keeps_its_place() -> None:
    assert found('"state of the art"', ENGLISH) == ["d1"]
    assert found('"state art"', ENGLISH) == []


def test_phrases_need_positions_and_say_so() -> None:
    with pytest.raises(GermaneError, match='the phrase "Brutus Caesar" requires word positions'):
        match_boolean(SHAKESPEARE, '"Brutus Caesar"')
    assert found('"Calpurnia"') == ["Julius Caesar"]


def test_deleted_documents_match_nothing() -> None:
    part = SHAKESPEARE.parts[0]
    deleted = np.array([0, 0, 1, 1, 0, 0], np.uint8)
    index = Index([Part(part.segment, 0, deleted)], SHAKESPEARE.analyser)
    assert found("NOT Calpurnia", index) == ["Antony and Cleopatra", "Othello", "Macbeth"]
    assert found("worser", index) == ["Antony and Cleopatra", "Othello"]
