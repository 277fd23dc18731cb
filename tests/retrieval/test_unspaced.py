"""Text without spaces between words: found as pairs of characters, and never indexed whole in silence."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from click.testing import CliRunner

import germane as ge
from germane.cli.commands.index import command as index_command
from germane.cli.commands.search import command as search_command
from germane.formats.documents import blocks
from germane.retrieval.engines.local import LocalEngine
from germane.retrieval.feedback import FEEDBACK
from germane.retrieval.indexes import build as building
from germane.retrieval.indexes.index import Index
from germane.retrieval.indexes.summary import IndexSummary
from germane.retrieval.rounds import asked_model, search_round
from germane.retrieval.search import search
from germane.retrieval.texts.analysis import SHORT_NAMES, UNSPACED, Analyser
from germane.retrieval.texts.excerpts import excerpt, highlighted
from germane.retrieval.texts.unspaced import letters_in, letters_of, needs_bigrams
from germane.tables.columns.ids import Ids
from germane.tables.notes.note import Note

# fmt: off
TEXTS = {
    # language: text, a word of it, the analyser to use
    "chinese":  ("中华人民共和国成立于一九四九年", "共和国"),
    "japanese": ("東京タワーは港区にあります", "タワー"),
    "thai":     ("ประเทศไทยมีอาหารอร่อย", "อาหาร"),
    "lao":      ("ປະເທດລາວມີພູເຂົາຫຼາຍ", "ພູເຂົາ"),
    "khmer":    ("ប្រទេសកម្ពុជាមានប្រាសាទ", "កម្ពុជា"),
    "burmese":  ("မြန်မာနိုင်ငံတွင်ဘုရားများရှိသည်", "နိုင်ငံ"),
}
# fmt: on
ENGLISH = "a text in English about wine and roses, which has nothing to do with the other"


@pytest.mark.parametrize("language", TEXTS)
def test_a_word_is_found_with_bigrams_and_without_them_there_is_a_note(language: str, tmp_path: Path) -> None:
    text, word = TEXTS[language]
    plain = ge.index(tmp_path / "plain", {"d1": text, "d2": ENGLISH}, analyser="plain")
    [note] = plain.notes
    assert note.code == "unsplit-text"
    assert note.message.endswith(f"index again with --analyser {language}")
    assert not len(search(Index.open(tmp_path / "plain"), word))

    split = ge.index(tmp_path / "split", {"d1": text, "d2": ENGLISH}, analyser=language)
    assert split.notes == ()
    assert split.analyser == "words+fold+bigrams"
    index = Index.open(tmp_path / "split")
    assert [index.doc_id(doc) for doc in search(index, word).docs] == ["d1"]
    assert highlighted(text, index.analyser.terms(word), index.analyser).marked("[", "]").count(f"[{word}]") == 1


def lost_in_silence(analyser: str, notes_of: Callable[[IndexSummary], Sequence[Note]]) -> Iterator[str]:
    """Languages whose words an index does not find although nothing said so."""
    for language, (text, word) in TEXTS.items():
        with TemporaryDirectory() as folder:
            summary = ge.index(Path(folder) / "i", {"d1": text}, analyser=analyser)
            if not len(search(Index.open(Path(folder) / "i"), word)) and not notes_of(summary):
                yield language


@pytest.mark.parametrize("analyser", sorted(set(SHORT_NAMES.values())))
def test_law_what_is_not_found_is_told(analyser: str) -> None:
    assert list(lost_in_silence(analyser, lambda summary: summary.notes)) == []


def test_the_law_catches_an_index_that_keeps_quiet() -> None:
    assert list(lost_in_silence("words", lambda summary: ())) == list(TEXTS)


def test_every_language_that_is_read_as_pairs_has_a_name() -> None:
    assert {*TEXTS, "korean"} == set(UNSPACED)
    assert {SHORT_NAMES[language] for language in UNSPACED} == {"words+fold+bigrams"}


def test_korean_has_spaces_and_gets_no_note(tmp_path: Path) -> None:
    assert ge.index(tmp_path / "i", {"d": "한국어는 띄어쓰기를 한다"}, analyser="plain").notes == ()
    assert not needs_bigrams("한국어", Analyser.parse("plain"))


def test_mixed_text_keeps_the_steps_of_its_analyser(tmp_path: Path) -> None:
    [note] = ge.index(tmp_path / "i", {"d1": ENGLISH, "d2": "東京 wine"}, analyser="english").notes
    advised = note.message.rpartition('--analyser "')[2].rstrip('"')
    assert advised == "words+fold+accents+bigrams+stop(lucene)+stem(porter)"
    assert Analyser.parse(advised).terms("The wines of 東京都") == ["wine", "東京", "京都"]


@pytest.mark.parametrize(("repeats", "has_note"), [(1, True), (4, False)])
def test_a_name_in_another_script_is_worth_no_note(repeats: int, has_note: bool, tmp_path: Path) -> None:
    notes = ge.index(tmp_path / "i", {"d1": ENGLISH * repeats, "d2": "東"}, analyser="plain").notes
    assert bool(notes) == has_note  # 1 letter of 63, and of 249


def test_documents_that_are_added_get_the_note_too(tmp_path: Path) -> None:
    ge.index(tmp_path / "i", {"d1": ENGLISH}, analyser="english")
    [note] = ge.index(tmp_path / "i", {"d2": TEXTS["chinese"][0]}, add=True).notes
    assert note.code == "unsplit-text"


def test_the_note_counts_over_all_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MOST_WORDS", 1)
    monkeypatch.setattr(blocks, "DOCS_PER_BLOCK", 1)
    [note] = ge.index(tmp_path / "i", {"d1": "abcdef", "d2": "東京", "d3": "ไท"}, analyser="plain").notes
    assert note.message.startswith("40.0% of the letters")


def test_letters_are_counted_as_often_as_they_occur() -> None:
    letters = letters_of(Ids.of(["wine", "東京", "ワイン", "한국"]), np.array([3, 2, 1, 5]))
    assert (letters.total, letters.unspaced) == (12 + 4 + 3 + 10, {"chinese": 4, "japanese": 3})
    assert letters_in("\udcff!").share == 0.0


# fmt: off
SAME = [
    # one way to write it   another       why
    ("ｶﾞｽﾀﾝｸ",              "ガスタンク",   "halfwidth Katakana, with its voicing mark"),
    ("ＡＢＣ中文",            "abc中文",     "fullwidth Latin"),
    ("か\u3099っこう",       "がっこう",     "a voicing mark that combines"),
    ("\u1112\u1161\u11ab국어", "한국어",   "Hangul in parts of syllables"),
]
# fmt: on


@pytest.mark.parametrize(("one", "other", "why"), SAME)
def test_widths_and_compositions_agree(one: str, other: str, why: str) -> None:
    analyser = Analyser.parse("japanese")
    assert analyser.terms(one) == analyser.terms(other), why


@pytest.mark.parametrize("text", [text for text, _ in TEXTS.values()] + ["iPhone15手机壳 and 東, ｶﾞｽ", "𠀀𪜶中文"])
def test_documents_and_queries_have_the_same_terms(text: str) -> None:
    analyser = Analyser.parse("chinese")
    assert Index.of({"d1": text}, analyser).vector(0).keys() == set(analyser.terms(text))


def test_a_phrase_of_pairs_stands_in_the_text() -> None:
    index = Index.of({"d1": "我爱北京天安门", "d2": "北京的天安门"}, analyser="chinese", positions=True)
    found = search_round(index, '"北京天安门"', asked_model("boolean"), FEEDBACK.parse("rocchio"), {}, size=5)
    assert [result.doc for result in found.results] == ["d1"]


def test_marks_of_overlapping_pairs_are_one_mark() -> None:
    analyser = Analyser.parse("chinese")
    terms = analyser.terms("人民共")
    assert excerpt("中华人民共和国", terms, analyser).marked("[", "]") == "中华[人民共]和国"


def test_a_query_without_spaces_on_an_index_without_bigrams_is_told(tmp_path: Path) -> None:
    text, word = TEXTS["chinese"]
    ge.index(tmp_path / "i", {"d1": text}, analyser="plain")
    index = Index.open(tmp_path / "i")
    for model in ("BM25", "boolean"):
        found = search_round(index, word, asked_model(model), FEEDBACK.parse("rocchio"), {}, size=5)
        assert any("--analyser chinese" in note for note in found.notes)
        assert not search_round(index, "wine", asked_model(model), FEEDBACK.parse("rocchio"), {}, size=5).notes[1:]
    engine = LocalEngine(index)
    engine.search(word, 5)
    engine.search("wine", 5)
    [note] = engine.notes()
    assert (note.code, note.count, note.examples) == ("unsplit-queries", 1, (word,))
    retrieved = ge.retrieve(tmp_path / "i", {"q1": word, "q2": "wine"})
    assert [note.code for note in retrieved.notes].count("unsplit-queries") == 1
    split = LocalEngine(Index.of({"d1": text}, analyser="chinese"))
    split.search(word, 5)
    assert split.notes() == []


def test_the_command_says_it(tmp_path: Path) -> None:
    (tmp_path / "docs.tsv").write_text("d1\t" + TEXTS["thai"][0] + "\n", encoding="utf-8")
    result = CliRunner().invoke(index_command, [str(tmp_path / "i"), str(tmp_path / "docs.tsv")])
    assert "100.0% of the letters are in scripts without spaces" in result.stderr
    assert "index again with --analyser thai" in result.stderr
    result = CliRunner().invoke(search_command, [str(tmp_path / "i"), TEXTS["thai"][1]])
    assert "index again with --analyser thai" in result.stdout + result.stderr


def test_fields_of_topics_that_are_not_used_are_told(tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text('{"id": "1", "title": "wine", "category": "drinks"}\n')
    found = ge.retrieve(Index.of({"d1": "wine"}), tmp_path / "topics.jsonl")
    [note] = [note for note in found.notes if note.code == "topic-fields-not-used"]
    assert note.message.startswith("topic fields not used: category")
