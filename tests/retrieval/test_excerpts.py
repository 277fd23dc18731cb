"""Excerpts: the stretch of a text that shows best why it was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.retrieval.texts.analysis import Analyser
from germane.retrieval.texts.excerpts import (
    MOST_CHARACTERS,
    MOST_SHOWN_CHARACTERS,
    Excerpt,
    excerpt,
    highlighted,
    without_title,
)

PLAIN = Analyser.parse("plain")
BY_HAND = [
    # text                                  terms               expected                          why
    ("red wine", {"wine"}, "red [wine]", "a short text is shown whole"),
    ("a b c d e f wine g", {"wine"}, "… e f [wine] g", "a stretch at the end, filled up before its word"),
    ("wine a b c d red wine e", {"red", "wine"}, "… d [red] [wine] e", "two distinct terms beat one"),
    ("wine a b c wine wine d e", {"wine"}, "… c [wine] [wine] d …", "then the more of them, the better"),
    ("Wine,\n\twhite\u00a0 WINE", {"wine"}, "[Wine], white [WINE]", "white space is one space; letters stay"),
    ("red wine", {"rose"}, "red wine", "without any of the words: the beginning"),
    ("a b c d e f", {"rose"}, "a b c d …", "of a longer text too"),
    ("(red) wine!", {"red", "wine"}, "([red]) [wine]!", "signs at the ends belong to the text"),
    ("", {"wine"}, "", "nothing"),
    (" ?\n! ", {"wine"}, "? !", "a text without words"),
]


@pytest.mark.parametrize(("text", "terms", "expected", "why"), BY_HAND)
def test_excerpts_by_hand(text: str, terms: set[str], expected: str, why: str) -> None:
    assert excerpt(text, terms, PLAIN, words=4).marked("[", "]") == expected, why


def test_words_are_found_by_their_terms() -> None:
    english = Analyser.parse("english")
    assert excerpt("He heated the layers", {"heat", "layer"}, english).marked("[", "]") == "He [heated] the [layers]"


def test_a_word_of_any_length_makes_no_longer_excerpt() -> None:
    found = excerpt("x" * 50_000 + " wine " + "y" * 50_000, {"wine"}, PLAIN)
    assert len(found.text) == MOST_SHOWN_CHARACTERS
    assert [found.text[start:end] for start, end in found.marks] == ["wine"]
    assert found.text[0] == found.text[-1] == "…"


def test_a_word_that_is_cut_stays_marked() -> None:
    found = excerpt("日" * 5000, {"日" * 5000}, PLAIN)
    assert found.marks == ((0, MOST_SHOWN_CHARACTERS - 1),)
    assert found.text.endswith("日…")


def test_a_long_document_is_looked_at_in_its_beginning() -> None:
    text = "tea " * (MOST_CHARACTERS // 4) + "wine"
    assert excerpt(text, {"wine"}, PLAIN, words=2).text == "tea tea …"


@given(st.lists(st.sampled_from(["wine", "Red", "a", "b", "…", "\n", "<b>", "日本"])).map(" ".join))
def test_marks_are_the_words_and_stand_in_order(text: str) -> None:
    for found in (excerpt(text, {"wine", "red"}, PLAIN, words=5), highlighted(text, {"wine", "red"}, PLAIN)):
        assert [found.text[a:b].lower() in ("wine", "red") for a, b in found.marks] == [True] * len(found.marks)
        assert list(found.marks) == sorted(found.marks)
        assert "".join(piece for piece, _ in found.pieces()) == found.text
        assert sum(is_word for _, is_word in found.pieces()) == len(found.marks)


def test_a_whole_text_is_highlighted_as_it_is() -> None:
    assert highlighted("Red  wine,\n red", {"red"}, PLAIN) == Excerpt("Red  wine,\n red", ((0, 3), (12, 15)))


TITLES = [
    # title          text                      expected
    ("Red wine", "Red wine\nIt keeps.", "It keeps."),
    ("Red\n wine ", " Red wine   It keeps.", "It keeps."),
    ("Red wine", "Red wines keep.", "Red wines keep."),
    ("Red wine", "It keeps: Red wine", "It keeps: Red wine"),
    ("Red wine", "Red wine", ""),
    ("", "Red wine", "Red wine"),
    ("(a+b)*", "(a+b)* is a language", "is a language"),
]


@pytest.mark.parametrize(("title", "text", "expected"), TITLES)
def test_a_title_is_not_shown_twice(title: str, text: str, expected: str) -> None:
    assert without_title(title, text) == expected
