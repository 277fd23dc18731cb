from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.kernels import reference_words as reference

pytestmark = pytest.mark.skipif(
    kernels.used_words is reference.used_words, reason="there is no compiled extension to compare with the reference"
)

# Letters of both cases and of several widths in UTF-8, digits, marks, separators, and what is none of these.
ODD = "aZ09 .\x00\x1d'’éßİǅ½²٣中あ한́̈️😀𝒜\ud800\udcff\ufeff‍" + "文ア𠀀𪜶ｶﾞ\u1112\u1161\u11ab\u3099ไทยກခខ々ーＡ〇"
TEXT = st.one_of(st.text(alphabet=ODD, max_size=40), st.text(st.characters(codec=None), max_size=20))
NEARLY_UTF8 = st.lists(
    st.one_of(st.binary(max_size=3), st.text(alphabet="aé中😀 ", max_size=3).map(str.encode)), max_size=12
).map(b"".join)


def read(reader: Any, texts: list[str | bytes]) -> None:
    """Read texts from the middle of a block, as a reader of columns would."""
    encoded = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text for text in texts]
    offsets = np.cumsum([4, *map(len, encoded)], dtype=np.int64)
    reader.read(np.frombuffer(b"xyz\xc3" + b"".join(encoded), np.uint8), offsets)


def reading(reader: Any, calls: list[list[str | bytes]]) -> Any:
    for texts in calls:
        read(reader, texts)
    counts = reader.num_docs, reader.num_tokens, reader.num_words
    data, offsets = reader.words_from(0)
    codes, ends = reader.take_codes()
    assert (codes.dtype, ends.dtype, offsets.dtype) == (np.int32, np.int64, np.int64)
    return counts, data, offsets.tolist(), codes.tolist(), ends.tolist(), (reader.num_docs, reader.num_tokens)


def check_reading(calls: list[list[str | bytes]], *, fold: bool = True, pairs: bool = False) -> Any:
    found = reading(kernels.WordReader(fold, pairs), calls)
    assert found == reading(reference.WordReader(fold, pairs), calls)
    return found


def test_two_documents_by_hand() -> None:
    counts, data, offsets, codes, ends, after = check_reading([["To be, or not\x1dto be", "Be!"]])
    assert (data, offsets) == (b"tobeornot", [0, 2, 4, 6, 9])
    assert (codes, ends) == ([0, 1, 2, 3, -1, 0, 1, 1], [7, 8])
    assert (counts, after) == ((2, 7, 4), (0, 0))


WORDS_BY_HAND = [
    # text                     words                              why
    ("Straße 2nd", "straße 2nd", "letters beyond ASCII; digits are part of words"),
    ("don't don’t a_b", "don t don t a b", "an apostrophe separates, straight or curly, and so does an underscore"),
    ("e\u0301t́e", "e\u0301t́e", "combining marks belong to the letter before them"),
    ("\u0301a ❤\ufe0f x", "a x", "a mark without a letter is no word"),
    ("中文 分词", "中文 分词", "a run of Chinese is one word"),
    ("a😀b\x00c\udcffd\ud800e", "a b c d e", "emoji, NUL and surrogates separate"),
    ("abcdefgh abcdefghi abcdefgé", "abcdefgh abcdefghi abcdefgé", "eight bytes are the limit of a short word"),
    ("a[b@c{d`e/f:g", "a b c d e f g", "the neighbours of letters and digits in ASCII"),
    ("a\x10\x11\x19b", "a b", "control characters that look like digits once their case is folded"),
    (b"caf\xe9 na\xc3\xafve \xc0\x80 \xed\xa0\x80x", "caf naïve x", "bytes that are not UTF-8 separate"),
    (b"a\xe4\xb8b \xf0\x90\x80", "a b", "a character that was cut short separates"),
]


@pytest.mark.parametrize(("text", "words", "why"), WORDS_BY_HAND)
def test_words_by_hand(text: str | bytes, words: str, why: str) -> None:
    # Once in the middle of a text and once at its end, where eight bytes can no longer be read at a time.
    padded = text + " " * 9 if isinstance(text, str) else text + b" " * 9
    for each in (text, padded):
        _, data, offsets, codes, _, _ = check_reading([[each]])
        found = [data[offsets[code] : offsets[code + 1]].decode() for code in codes]
        assert " ".join(found) == words, why


# fmt: off
PAIRS_BY_HAND = [
    # text              pieces                      why
    ("中国人民",         "中国 国人 人民",             "overlapping pairs of neighbours"),
    ("中",              "中",                        "a character alone is a piece of its own"),
    ("中，国人",         "中 国人",                   "punctuation ends a stretch"),
    ("東京タワーへ",      "東京 京タ タワ ワー ーへ",     "Han, Katakana and Hiragana pair with one another"),
    ("한국어 책",        "한국 국어 책",               "Hangul pairs within a word; a space ends it"),
    ("iPhone15手机壳",   "iphone15 手机 机壳",         "letters and digits beside it stay one word"),
    ("手机abc壳",        "手机 abc 壳",               "a stretch ends where another script begins"),
    ("abcdefgh手",       "abcdefgh 手",              "a word of eight bytes and more, then another script"),
    ("𠀀𪜶中",           "𠀀𪜶 𪜶中",                 "a character beyond the basic plane is one character"),
    ("か\u3099き",       "か\u3099き",               "a combining mark belongs to its character"),
    ("ｶﾞｽ",             "ｶﾞｽ",                      "so does a halfwidth voicing mark"),
    ("aﾞ",              "a ﾞ",                       "which alone is a character"),
    ("\u1112\u1161\u11ab국", "\u1112\u1161\u11ab국", "a syllable of Hangul in parts is one character"),
    ("ไทย",             "ไท ทย",                     "Thai pairs within itself"),
    ("ไทย中文ລາວ",       "ไท ทย 中文 ລາ າວ",           "and with no other group"),
    ("ປີ2024",          "ປີ 2024",                    "a vowel sign is a mark; digits are a word"),
    ("plain words",     "plain words",               "text with spaces is read as before"),
]
# fmt: on


@pytest.mark.parametrize(("text", "pieces", "why"), PAIRS_BY_HAND)
def test_pairs_by_hand(text: str, pieces: str, why: str) -> None:
    for each in (text, text + " " * 9, text.encode()):
        _, data, offsets, codes, _, _ = check_reading([[each]], pairs=True)
        assert " ".join(data[offsets[code] : offsets[code + 1]].decode() for code in codes) == pieces, why


def test_many_pairs_grow_the_buffers() -> None:
    text = "".join(chr(0x4E00 + i % 20_000) for i in range(60_000))
    counts, *_ = check_reading([[text, text[::-1]]], pairs=True)
    assert counts[1] == 2 * (len(text) - 1)


@given(st.lists(st.lists(st.one_of(TEXT, NEARLY_UTF8), max_size=5), max_size=4), st.booleans(), st.booleans())
def test_any_text_is_read_as_by_the_reference(calls: list[list[str | bytes]], fold: bool, pairs: bool) -> None:
    check_reading(calls, fold=fold, pairs=pairs)


@given(st.text(st.characters(codec="utf-8")))
def test_a_text_and_its_bytes_have_the_same_words(text: str) -> None:
    assert check_reading([[text]]) == check_reading([[text.encode()]])


@pytest.mark.parametrize("pairs", [False, True])
def test_every_character_is_what_the_reference_says(pairs: bool) -> None:
    step = 4096
    for between in ("x", "中", ""):
        check_reading([[between.join(map(chr, range(i, i + step))) for i in range(0, 0x33000, step)]], pairs=pairs)


@pytest.mark.parametrize("num_words", [511, 512, 513, 3000])  # the table of the kernel grows at 512, 1024, …
@pytest.mark.parametrize("prefix", ["", "longer_than_eight_bytes"])
def test_many_different_words(num_words: int, prefix: str) -> None:
    texts: list[str | bytes] = [f"{prefix.replace('_', '')}{i * i} {prefix} {i}" for i in range(num_words)]
    check_reading([texts, texts[::-1]])


def test_words_go_on_where_the_last_codes_were_taken() -> None:
    for reader in (kernels.WordReader(True), reference.WordReader(True)):
        read(reader, ["one two"])
        reader.take_codes()
        read(reader, [b"two three"])
        assert reader.take_codes()[0].tolist() == [1, 2]
        data, offsets = reader.words_from(2)
        assert (data, offsets.tolist()) == (b"three", [0, 5])


def test_a_word_of_many_bytes() -> None:
    check_reading([["é" * 300_000 + " " + "x" * 300_000, "x" * 300_000]])


@pytest.mark.parametrize("wrong", [None, 7, ["a"]])
def test_what_is_no_block_of_bytes_is_refused(wrong: Any) -> None:
    reader = kernels.WordReader(True)
    with pytest.raises((TypeError, ValueError)):
        reader.read(wrong, np.array([0, 1]))
    assert (reader.num_docs, reader.num_tokens) == (0, 0)


DOCS = st.lists(st.lists(st.integers(-1, 9), max_size=30), max_size=8)
TERMS = st.lists(st.integers(-1, 4), min_size=10, max_size=10)


def as_codes(docs: list[list[int]]) -> tuple[Any, Any]:
    codes = np.asarray([code for doc in docs for code in doc], dtype=np.int32)
    return codes, np.cumsum([len(doc) for doc in docs], dtype=np.int64)


def as_lists(arrays: Any) -> list[Any]:
    return [(array.dtype, array.tolist()) for array in arrays]


@given(DOCS, TERMS)
def test_terms_are_counted_and_turned_over_as_by_the_reference(docs: list[list[int]], terms: list[int]) -> None:
    codes, ends = as_codes(docs)
    term_of_word = np.asarray(terms, dtype=np.int32)
    assert as_lists([kernels.used_words(codes, 10)]) == as_lists([reference.used_words(codes, 10)])
    counted = kernels.count_terms(codes, ends, term_of_word, 5)
    assert as_lists(counted) == as_lists(reference.count_terms(codes, ends, term_of_word, 5))
    start, term, tf, _ = counted
    for count in (np.uint8, np.uint16, np.int32):
        args = start, term, tf.astype(count), 5
        by_term = kernels.transposed(*args)
        assert as_lists(by_term) == as_lists(reference.transposed(*args))
    first = np.cumsum([0, *(int(tf[term == t].sum()) for t in range(4))], dtype=np.int64)
    placed = []
    for kernel in (kernels.place_positions, reference.place_positions):
        positions = np.full(int(tf.sum()), -7, dtype=np.int32)
        placed.append((kernel(codes, ends, term_of_word, first, 100, positions), positions.tolist()))
    assert placed[0] == placed[1]


@given(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5, unique=True), max_size=6), st.data())
def test_bounds_of_terms(docs_by_term: list[list[int]], data: st.DataObject) -> None:
    start = np.cumsum([0, *map(len, docs_by_term)], dtype=np.int64)
    doc = np.asarray([doc for docs in docs_by_term for doc in docs], dtype=np.int32)
    length = np.asarray(data.draw(st.lists(st.integers(1, 2**31 - 1), min_size=5, max_size=5)), dtype=np.int32)
    for count in (np.uint8, np.uint16, np.int32):
        values = st.integers(1, np.iinfo(count).max)
        tf = np.asarray(data.draw(st.lists(values, min_size=len(doc), max_size=len(doc))), dtype=count)
        found = kernels.term_bounds(start, doc, tf, length)
        assert as_lists(found) == as_lists(reference.term_bounds(start, doc, tf, length))


@given(st.data())
def test_postings_and_positions_are_merged(data: st.DataObject) -> None:
    docs_by_term = data.draw(st.lists(st.lists(st.integers(0, 5), max_size=5, unique=True).map(sorted), max_size=5))
    start = np.cumsum([0, *map(len, docs_by_term)], dtype=np.int64)
    doc = np.asarray([doc for docs in docs_by_term for doc in docs], dtype=np.int32)
    living = np.asarray(data.draw(st.lists(st.booleans(), min_size=6, max_size=6)))
    new_doc = np.where(living, np.cumsum(living) + 9, -1).astype(np.int64)
    term = np.sort(np.asarray(data.draw(st.lists(st.integers(0, 3), min_size=5, max_size=5)), np.int64))[
        : len(start) - 1
    ]
    for count in (np.uint8, np.uint16, np.int32):
        tf = np.asarray(data.draw(st.lists(st.integers(1, 4), min_size=len(doc), max_size=len(doc))), dtype=count)
        positions = np.arange(tf.sum(dtype=np.int64), dtype=np.int32)
        merged = []
        for kernel in (kernels, reference):
            place, spot = np.arange(4, dtype=np.int64) * 25, np.arange(4, dtype=np.int64) * 100
            docs, tfs, spots = np.zeros(100, np.int32), np.zeros(100, count), np.full(400, -1, np.int32)
            kernel.merge_postings(start, doc, tf, term, new_doc, place, docs, tfs)
            kernel.merge_positions(start, doc, tf, positions, term, new_doc, spot, spots)
            merged.append(as_lists([place, docs, tfs, spot, spots]))
        assert merged[0] == merged[1]


def test_positions_beyond_32_bits_are_told() -> None:
    codes, ends = as_codes([[0], [0, -1, 0]])
    terms, first = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64)
    for kernel in (kernels.place_positions, reference.place_positions):
        assert kernel(codes, ends, terms, first, 2**31 - 3, np.empty(3, dtype=np.int32)) == -1
        assert kernel(codes, ends, terms, first, 2**31 - 2, np.empty(3, dtype=np.int32)) == 1
