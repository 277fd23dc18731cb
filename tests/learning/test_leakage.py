"""Leaks: each kind is planted and found, and a specimen without any passes."""

from typing import Any

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.learning.data.leakage import Leak, find_leaks
from germane.learning.data.splits import k_folds
from germane.learning.features.label_copies import find_label_copies

CLEAN = {"train": ["1", "2"], "test": ["3", "4"]}
TEXTS = {"1": "red wine", "2": "white roses", "3": "roses, white and red", "4": "beer"}

PLANTED = [
    # what is planted            sides                                      more                                  kind
    ("an id on both sides", {"train": ["1", "2"], "test": ["2", "3"]}, {}, "same id"),
    ("a text again", CLEAN, {"texts": {**TEXTS, "4": "RED  wine!"}}, "duplicate text"),
    ("the same characters in another form", CLEAN, {"texts": {**TEXTS, "4": "ｒed wine"}}, "duplicate text"),
    ("a query in another order", CLEAN, {"queries": {**TEXTS, "4": "wine, red"}}, "duplicate query"),
    ("a person on both sides", CLEAN, {"groups": {"1": "ann", "2": "bob", "4": "ann"}}, "group across sides"),
]


@pytest.mark.parametrize(("what", "sides", "more", "kind"), PLANTED)
def test_each_planted_leak_is_found(what: str, sides: dict[str, list[str]], more: dict[str, Any], kind: str) -> None:
    leaks = find_leaks(sides, **more)
    assert [(leak.kind, leak.count) for leak in leaks] == [(kind, 1)], what


def test_a_clean_specimen_passes() -> None:
    groups = {"1": "ann", "2": "ann", "3": "bob", "4": "bob"}
    assert find_leaks(CLEAN, texts=TEXTS, queries=TEXTS, groups=groups) == []


def test_another_order_of_words_is_another_text_but_the_same_query() -> None:
    texts = {**TEXTS, "4": "wine red"}
    assert find_leaks(CLEAN, texts=texts) == []
    assert find_leaks(CLEAN, queries=texts) == [Leak("duplicate query", ("train", "test"), 1, ("1 = 4",))]


def test_texts_without_words_are_not_the_same_text() -> None:
    assert find_leaks(CLEAN, texts={"1": "—", "4": "?!"}) == []


def test_grouped_folds_leak_nothing_where_plain_ones_do() -> None:
    ids, groups = [f"r{i}" for i in range(12)], [i // 2 for i in range(12)]
    by_id = dict(zip(ids, groups, strict=True))
    assert find_leaks(k_folds(ids, 3, groups=groups), groups=by_id) == []
    assert find_leaks(k_folds(ids, 3), groups=by_id) != []


def test_one_side_is_refused() -> None:
    with pytest.raises(GermaneError, match="at least two sides, found train"):
        find_leaks({"train": ["1"]})


GRADE = np.array([0, 2, 1, 0, 2, 1] * 4, dtype=float)
QUERY = np.repeat(np.arange(4), 6)
HONEST = np.tile([0.1, 0.9, 0.2, 0.4, 0.3, 0.8], 4) + np.arange(24) / 1000

COPIES = [
    # feature                                    what is said
    (GRADE, "equals the label"),
    (np.exp(GRADE), "is a rising copy of the label"),
    (5 - 2 * GRADE, "is a falling copy of the label"),
    (GRADE * (1 + QUERY) + QUERY, "is a rising copy of the label within each query"),  # as scaling by query leaves it
    (GRADE + np.arange(24) / 100, "orders all rows by their labels, rising"),  # noise added
    (-GRADE - np.arange(24) / 100, "orders all rows by their labels, falling"),
]


@pytest.mark.parametrize(("feature", "what"), COPIES)
def test_the_label_as_feature_is_found(feature: np.ndarray, what: str) -> None:
    leaks = find_label_copies(np.column_stack([HONEST, feature]), GRADE, ["honest", "planted"], QUERY)
    assert [leak.examples for leak in leaks] == [(f"planted {what}",)]


def test_honest_features_pass() -> None:
    constant = np.ones(24)
    nearly = GRADE.copy()
    nearly[3] = 1.5  # one grade of 0 stands above one of 1
    assert find_label_copies(np.column_stack([HONEST, constant, nearly]), GRADE, ["a", "b", "c"], QUERY) == []
    assert find_label_copies(constant[:, None], constant, ["one grade only"]) == []


def test_a_perfect_feature_on_few_rows_is_no_leak_yet() -> None:
    assert find_label_copies([[0.1], [0.2], [0.9]], [0, 0, 1], ["lucky"]) == []


def test_a_feature_that_is_right_on_pairs_is_no_copy() -> None:
    value, grade, query = np.tile([3.1, 2.5, 7.3, 5.2], 10), np.tile([1, 0, 1, 0], 10), np.repeat(range(20), 2)
    value = value + np.repeat(range(20), 2)
    assert find_label_copies(value[:, None], grade, ["right each time"], query) == []


def test_shapes_must_fit() -> None:
    with pytest.raises(GermaneError, match="2 labels and 1 names, found 2 × 2"):
        find_label_copies([[1, 2], [3, 4]], [0, 1], ["a"])
