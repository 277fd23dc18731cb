"""Which pairs are listed: ids found among many, labels a bounded number at a time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from germane import kernels
from germane.tables.columns.id_columns import from_integers
from germane.tables.columns.ids import Ids
from germane.vectors import relevance
from germane.vectors.relevance import LabelRelevance, codes, rows_of, same_ids

TEXTS = st.lists(st.text("ab0", max_size=3), max_size=12)


@given(TEXTS, TEXTS)
def test_ids_are_found_as_a_dict_finds_them(wanted: list[str], ids: list[str]) -> None:
    distinct = list(dict.fromkeys(ids))
    place = {id_: row for row, id_ in enumerate(distinct)}
    assert rows_of(Ids.of(wanted), Ids.of(distinct)).tolist() == [place.get(id_, -1) for id_ in wanted]


def test_equal_keys_of_different_ids_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "hashes", lambda _, offsets: np.zeros(len(offsets) - 1, dtype=np.uint64))
    assert rows_of(Ids.of(["x", "b"]), Ids.of(["a", "b"])).tolist() == [-1, 1]


def test_numbers_and_text_are_the_same_ids() -> None:
    pairs = same_ids(Ids.of(["2", "02", "0"]), from_integers(np.arange(3)))
    assert (pairs.query.tolist(), pairs.doc.tolist()) == ([0, 2], [2, 0])


@pytest.mark.parametrize("write", [Ids.of, lambda column: from_integers(np.array(column))])
def test_labels_are_equal_as_text(write: object) -> None:
    queries, docs = codes(write([3, -1]), Ids.of(["-1", "3", "4"]))  # type: ignore[operator]
    assert (queries[:, None] == docs).tolist() == [[False, True, False], [True, False, False]]


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
def test_chunks_hold_all_queries_once_and_few_pairs(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relevance, "PAIRS_AT_ONCE", limit)
    labels = np.array([0, 1, 0, 2, 0])
    given = LabelRelevance(labels, labels, np.array([4, 3, 2, 1, 0]), np.arange(5))
    chunks = list(given.chunks(np.array([4, 1, 0, 3])))
    assert given.num_chunks(np.array([4, 1, 0, 3])) == len(chunks)
    assert np.concatenate([chunk.queries for chunk in chunks]).tolist() == [4, 1, 0, 3]
    for chunk in chunks:
        assert len(chunk.queries) == 1 or len(chunk.relevant) + len(chunk.excluded) <= limit
    listed = [
        (int(chunk.queries[q]), d)
        for chunk in chunks
        for q, d in zip(chunk.relevant.query, chunk.relevant.doc, strict=True)
    ]
    assert listed == [(4, 2), (4, 0), (0, 4), (0, 2)], "by query and, within it, by id"


def test_a_query_of_another_label_than_its_own_document_is_still_left_out() -> None:
    given = LabelRelevance(np.array([5]), np.array([6, 5]), np.arange(2), np.array([0]))
    [chunk] = given.chunks(np.array([0]))
    assert (chunk.relevant.doc.tolist(), chunk.excluded.doc.tolist()) == ([1], [0])


def test_who_has_a_match() -> None:
    labels = np.array([0, 1, 0])
    assert LabelRelevance(labels, labels, np.arange(3), np.arange(3)).has_match.tolist() == [True, False, True]
