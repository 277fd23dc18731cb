import threading
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.errors import GermaneError
from germane.kernels import reference_words
from germane.retrieval.indexes import inversion as inverting
from germane.retrieval.indexes.background import Background
from germane.retrieval.indexes.inversion import BatchReader
from germane.retrieval.texts.analysis import Analyser
from germane.tables.columns.ids import Ids

KERNELS = ["WordReader", "used_words", "count_terms", "transposed", "term_bounds", "place_positions"]


def finished(reader: BatchReader) -> SimpleNamespace:
    """The arrays of the next batch, the terms as text."""
    arrays: dict[str, Any] = dict(reader.finish())
    arrays["terms"] = Ids(arrays["terms"], arrays.pop("term_offsets"))
    return SimpleNamespace(**{"positions": None, **arrays})


def inverted(texts: list[Any], name: str = "plain") -> SimpleNamespace:
    with Background() as background:
        reader = BatchReader(Analyser.parse(name), background, positions=True)
        reader.add(
            Ids.of([text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts])
        )
        return finished(reader)


def plain_postings(batch: SimpleNamespace) -> dict[str, dict[int, list[int]]]:
    """Term → document → positions, read off the arrays in the way that is promised."""
    assert batch.positions is not None
    ends = np.cumsum(batch.tf, dtype=np.int64)
    postings: dict[str, dict[int, list[int]]] = {}
    for t, term in enumerate(batch.terms):
        for p in range(int(batch.start[t]), int(batch.start[t + 1])):
            positions = batch.positions[ends[p] - int(batch.tf[p]) : ends[p]].tolist()
            postings.setdefault(term, {})[int(batch.doc[p])] = positions
    return postings


def expected_postings(texts: list[str], analyser: Analyser) -> dict[str, dict[int, list[int]]]:
    """The same, word by word, from what the analyser makes of a query."""
    postings: dict[str, dict[int, list[int]]] = {}
    for doc, text in enumerate(texts):
        position = 0
        for field in text.split("\x1d"):
            spans = analyser.spans(field)
            for _, _, term in spans:
                if term is not None:
                    postings.setdefault(term, {}).setdefault(doc, []).append(position)
                position += 1
            position += 100 if spans else 0
    return {term: postings[term] for term in sorted(postings, key=str.encode)}


def test_a_batch_by_hand() -> None:
    batch = inverted(["The cat sat. The CAT!", "", "A dog", "cat\x1ddog and cat"], "english")
    assert list(batch.terms) == ["cat", "dog", "sat"]
    assert batch.start.tolist() == [0, 2, 4, 5]
    assert batch.doc.tolist() == [0, 3, 2, 3, 0]
    assert batch.tf.tolist() == [2, 2, 1, 1, 1]
    assert batch.max_tf.tolist() == [2, 1, 1]
    assert batch.length.tolist() == [3, 0, 1, 3]
    assert batch.min_length.tolist() == [3, 1, 3]
    assert batch.twin_start.tolist() == [0, 2, 2, 3, 5]
    assert batch.twin_term.tolist() == [0, 2, 1, 0, 1]
    assert batch.twin_tf.tolist() == [2, 1, 1, 2, 1]
    assert batch.cf.tolist() == [4, 2, 1]
    # "and" takes a place; between the two fields there are a hundred.
    assert plain_postings(batch) == {"cat": {0: [1, 4], 3: [0, 103]}, "dog": {2: [1], 3: [101]}, "sat": {0: [2]}}
    types = (batch.start, batch.doc, batch.tf, batch.max_tf, batch.min_length, batch.length, batch.twin_tf)
    assert [array.dtype.name for array in types] == ["int64", "int32", "uint8", "int32", "int32", "int32", "uint8"]


@pytest.mark.parametrize(("tf", "name"), [(255, "uint8"), (256, "uint16"), (65_535, "uint16"), (65_536, "int32")])
def test_frequencies_take_the_smallest_type(tf: int, name: str) -> None:
    batch = inverted(["a " * tf, "b"])
    assert (batch.tf.dtype.name, batch.twin_tf.dtype.name) == (name, name)
    assert batch.tf.tolist() == [tf, 1]
    assert batch.max_tf.tolist() == [tf, 1]


@pytest.mark.parametrize("texts", [[], [""], ["", "the", "..."]])
def test_nothing_to_index(texts: list[str]) -> None:
    batch = inverted(texts, "english")
    assert (len(batch.terms), batch.length.tolist()) == (0, [0] * len(texts))
    assert batch.start.tolist() == [0]
    assert batch.twin_start.tolist() == [0] * (len(texts) + 1)
    assert batch.max_tf.dtype == batch.min_length.dtype == np.int32
    assert plain_postings(batch) == {}
    assert batch.cf.tolist() == []


TEXTS = st.lists(
    st.one_of(st.text(alphabet="aAbBé\u0301 theßs.\x1d中😀", max_size=30), st.text(max_size=15)), max_size=8
)


@given(TEXTS, st.sampled_from(["plain", "english", "words", "words+fold+accents"]))
def test_documents_have_the_terms_that_queries_have(texts: list[str], name: str) -> None:
    batch, analyser = inverted(texts, name), Analyser.parse(name)
    expected = expected_postings(texts, analyser)
    assert list(plain_postings(batch).items()) == list(expected.items())
    for doc, text in enumerate(texts):
        terms = Counter(analyser.terms(text))
        row = slice(int(batch.twin_start[doc]), int(batch.twin_start[doc + 1]))
        assert [batch.terms[t] for t in batch.twin_term[row].tolist()] == sorted(terms, key=str.encode)
        assert batch.twin_tf[row].tolist() == [terms[term] for term in sorted(terms, key=str.encode)]
        assert batch.length[doc] == terms.total()
    for t, docs in enumerate(expected.values()):
        assert batch.max_tf[t] == max(map(len, docs.values()))
        assert batch.min_length[t] == min(batch.length[doc] for doc in docs)


def test_that_law_catches_a_wrong_gap_between_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inverting, "POSITION_GAP", 99)
    batch = inverted(["a\x1db"])
    assert plain_postings(batch) != expected_postings(["a\x1db"], Analyser.parse("plain"))


@given(TEXTS)
def test_the_reference_kernels_give_the_same_batch(texts: list[str]) -> None:
    compiled = inverted(texts, "english")
    with pytest.MonkeyPatch.context() as patch:
        for name in KERNELS:
            patch.setattr(kernels, name, getattr(reference_words, name))
        plain = inverted(texts, "english")
    for name in vars(compiled).keys() - {"terms"}:
        one, other = getattr(compiled, name), getattr(plain, name)
        assert (name, one.dtype, one.tolist()) == (name, other.dtype, other.tolist())
    assert list(compiled.terms) == list(plain.terms)


def test_a_second_batch_holds_only_its_own_terms() -> None:
    with Background() as background:
        reader = BatchReader(Analyser.parse("english"), background)
        reader.add(Ids.of(["zebra apple", "the apple"]))
        reader.add(Ids.of([]))
        assert reader.num_tokens == 4
        assert list(finished(reader).terms) == ["appl", "zebra"]
        assert reader.num_tokens == 0
        reader.add(Ids.of(["mango zebra the"]))
        second = finished(reader)
    assert (list(second.terms), second.doc.tolist(), second.positions) == (["mango", "zebra"], [0, 0], None)


def test_with_too_many_words_the_reader_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inverting, "WORDS_KEPT", 2)
    with Background() as background:
        reader = BatchReader(Analyser.parse("plain"), background)
        for _ in range(2):
            reader.add(Ids.of(["c b a"]))
            batch = finished(reader)
            assert (list(batch.terms), batch.doc.tolist()) == (["a", "b", "c"], [0, 0, 0])


def test_documents_are_added_in_portions() -> None:
    with Background() as background:
        reader = BatchReader(Analyser.parse("plain"), background)
        for texts in (["a", "b"], [], ["a", "c a"], ["b"]):
            reader.add(Ids.of(texts))
        assert finished(reader).doc.tolist() == [0, 2, 3, 1, 4, 3]


def test_the_error_of_a_job_is_raised_and_the_jobs_after_it_are_given_up() -> None:
    done: list[int] = []
    begun = threading.Event()
    with Background() as background:
        background.start(begun.wait)
        background.start(done.append, 1)
        begun.set()
        background.start(divmod, 1, 0)
        background.start(done.append, 2)
        with pytest.raises(ZeroDivisionError):
            background.wait()
        background.settle()
        assert done == [1, 2]
        begun.clear()
        background.start(begun.wait)
        background.start(done.append, 3)
        threading.Timer(0.05, begun.set).start()
        background.settle()
    assert done == [1, 2]


def test_a_document_with_too_many_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inverting, "POSITION_GAP", 2**31)
    with pytest.raises(GermaneError, match="document 1 of this batch has more than"):
        inverted(["a", "a\x1da"])
