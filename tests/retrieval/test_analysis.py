import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane.errors import GermaneError, InputError, MissingExtraError
from germane.retrieval.texts import analysis
from germane.retrieval.texts.analysis import SHORT_NAMES, STEMMERS, Analyser
from germane.retrieval.texts.stop_lists import STOP_LISTS, StopList, read_stop_list, stop_list_of

USUAL = Analyser.parse("english")

FOLD, ACCENTS, ENGLISH, WORDS = "plain", "words+fold+accents", "english", "words"

TERMS_BY_HAND = [
    # analyser  text                    terms                        why
    (WORDS, "The NATO", ["The", "NATO"], "case is kept"),
    (FOLD, "The NATO", ["the", "nato"], "case is folded"),
    (FOLD, "Straße STRASSE ẞ", ["strasse", "strasse", "ss"], "full folding: ß is ss"),
    (FOLD, "İstanbul I\u0307stanbul", ["i̇stanbul", "i̇stanbul"], "Turkish capital İ folds to i with a dot above"),
    (ACCENTS, "İstanbul istanbul", ["istanbul", "istanbul"], "and the dot is an accent"),
    (
        FOLD,
        "Ångström A\u030angstro\u0308m \u212bngström",
        ["ångström"] * 3,
        "composed, decomposed, and the unit's sign",
    ),
    (WORDS, "e\u0301 é", ["é", "é"], "composed without folding, too"),
    (ACCENTS, "Crème brûlée, naïve Zürich", ["creme", "brulee", "naive", "zurich"], "accents go"),
    (ACCENTS, "søster łódź đ", ["søster", "łodz", "đ"], "what Unicode does not decompose stays"),
    (ACCENTS, "हिन्दी がぎ 한국어", ["हिन्दी", "がぎ", "한국어"], "vowel signs and voicing marks are no accents"),
    (FOLD, "ΣΊΣΥΦΟΣ σίσυφος", ["σίσυφοσ", "σίσυφοσ"], "both small sigmas are one"),
    (FOLD, "ﬁne", ["fine"], "folding takes ligatures apart"),
    (FOLD, "don't don’t rock-n_roll", ["don", "t", "don", "t", "rock", "n", "roll"], "punctuation separates"),
    (FOLD, "3.14 x² ½ ٣", ["3", "14", "x²", "½", "٣"], "all kinds of numbers are words"),
    (FOLD, "信息检索 と検索", ["信息检索", "と検索"], "a run of Chinese or Japanese is one word"),
    (FOLD, "I ❤️ 🇨🇭 👍🏽", ["i"], "emoji are no words, nor are the marks after them"),
    (FOLD, "a\udcffb\ud800c\x00d", ["a", "b", "c", "d"], "what was not UTF-8, and NUL, separate"),
    (ENGLISH, "The wings of THESE birds", ["wing", "bird"], "stop words are compared folded, before stemming"),
    (ENGLISH, "thes s", ["the", "s"], "a stem may look like a stop word; an empty stem leaves the word"),
    (ENGLISH, "", [], "nothing"),
    (ENGLISH, "to be or not to be", [], "stop words only"),
    ("german", "Häuser und Bäume", ["haus", "und", "baum"], "the German stemmer knows the umlauts"),
    ("words+fold+stop(english)", "she couldn't have gone", ["gone"], "what an apostrophe leaves is in the list"),
]


@pytest.mark.parametrize(("name", "text", "terms", "why"), TERMS_BY_HAND)
def test_terms_by_hand(name: str, text: str, terms: list[str], why: str) -> None:
    assert Analyser.parse(name).terms(text) == terms, why


def test_spans_keep_stop_words_as_places() -> None:
    assert USUAL.spans("The wings, of birds") == [
        (0, 3, None),
        (4, 9, "wing"),
        (11, 13, None),
        (14, 19, "bird"),
    ]
    assert USUAL.term("Wings") == "wing"
    assert USUAL.term("Of") is None


ANALYSERS = st.builds(
    Analyser,
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, *STOP_LISTS.values()]),
    st.sampled_from([None, *STEMMERS]),
)


@given(ANALYSERS)
def test_a_name_gives_the_analyser_back(analyser: Analyser) -> None:
    assert Analyser.parse(analyser.name) == analyser
    assert str(analyser) == analyser.name


@pytest.mark.parametrize("short", SHORT_NAMES)
def test_short_names_stand_for_full_ones(short: str) -> None:
    assert Analyser.parse(short).name == SHORT_NAMES[short]


@given(st.text(st.characters(codec=None)))
def test_analysing_a_folded_word_again_changes_nothing(text: str) -> None:
    assert unstable(Analyser.parse(ACCENTS), text) == []


def test_that_law_catches_letters_that_change_back_and_forth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis._Steps, "_letters", lambda _, word: word.swapcase())
    analysis._steps_of.cache_clear()
    assert unstable(Analyser.parse(ACCENTS), "a")
    analysis._steps_of.cache_clear()


def unstable(analyser: Analyser, text: str) -> list[str]:
    return [term for term in analyser.terms(text) if analyser.terms(term) != [term]]


WRONG_NAMES = [
    ("englisch", "unknown analyser 'englisch'; did you mean english?"),
    ("xyzzy", "unknown analyser 'xyzzy'\nHint: for example"),
    ("", "unknown analyser ''"),
    ("words+folded", "unknown step 'folded'; did you mean fold?"),
    ("words+stop", "unknown step 'stop'; did you mean stop(NAME)?"),
    ("words+fold(x)", "unknown step 'fold(x)'"),
    ("words+stop(lucen)", "unknown stop list 'lucen'; did you mean lucene?"),
    ("words+stem(portr)", "unknown stemmer 'portr'; did you mean porter?"),
    ("fold+words", "each step once and in order"),
    ("fold+accents", "each step once and in order"),
    ("words+stem(porter)+stop(lucene)", "each step once and in order"),
    ("words+fold+fold", "each step once and in order"),
]


@pytest.mark.parametrize(("name", "message"), WRONG_NAMES)
def test_wrong_names(name: str, message: str) -> None:
    with pytest.raises(GermaneError) as caught:
        Analyser.parse(name)
    assert message in str(caught.value)


def test_the_stemmers_are_those_of_pystemmer() -> None:
    stemmer = pytest.importorskip("Stemmer")
    assert set(STEMMERS) <= set(stemmer.algorithms())


def test_without_pystemmer_only_stemming_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    analysis._steps_of.cache_clear()
    assert Analyser.parse("plain").terms("Wings") == ["wings"]
    with pytest.raises(MissingExtraError, match=r"germane\[search\]"):
        Analyser.parse("english").terms("Wings")


def test_equal_analysers_share_what_they_know_and_travel_without_it() -> None:
    mine = Analyser.parse("english")
    mine.terms("wings")
    other = pickle.loads(pickle.dumps(mine))
    assert (other, hash(other)) == (mine, hash(mine))
    assert analysis._steps_of(other) is analysis._steps_of(mine)


def test_words_are_forgotten_beyond_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "WORDS_REMEMBERED", 3)
    steps = analysis._Steps(Analyser.parse("plain"))
    for text in ("A B", "C D", "A E"):
        assert steps(text.split()) == text.lower().split()
    assert set(steps._known) == {"A", "E"}


def test_threads_get_the_same_terms() -> None:
    analysis._steps_of.cache_clear()
    texts = [" ".join(f"running{i % 7}s flies{j}" for j in range(30)) for i in range(40)]
    expected = [USUAL.terms(text) for text in texts]
    analysis._steps_of.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(USUAL.terms, texts)) == expected


def test_the_stop_lists() -> None:
    assert len(STOP_LISTS["lucene"].words) == 33
    assert STOP_LISTS["lucene"].words < STOP_LISTS["english"].words
    assert len(STOP_LISTS["english"].words) == 241


def test_a_stop_list_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "my list+.txt"
    path.write_text("# mine\nÉtat the\n\ndon't\n", encoding="utf-8")
    mine = read_stop_list(path)
    assert mine.words == {"État", "the", "don't"}
    assert mine == stop_list_of(["don't", "the", "État"], "my list+.txt")
    analyser = replace(Analyser.parse(ACCENTS), stop=mine)
    assert analyser.terms("The etat of don’t") == ["of"]
    assert analyser.name == f"words+fold+accents+stop({mine.name})"
    assert Analyser.parse(analyser.name, [mine]) == analyser
    with pytest.raises(GermaneError, match="or pass the file of your own list"):
        Analyser.parse(analyser.name)
    assert stop_list_of(["a"], "x").name != stop_list_of(["b"], "x").name


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"# nothing\n", "found none"), (b"caf\xe9", "found the byte 0xe9 at 3"), (None, "cannot read")],
)
def test_a_file_that_is_no_stop_list(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "list.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_stop_list(path)


def test_a_stop_list_shows_its_size() -> None:
    assert repr(StopList("x", frozenset("ab"))) == "<StopList x: 2 words>"
