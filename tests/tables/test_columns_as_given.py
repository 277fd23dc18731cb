"""Columns as people give them: mappings by id, probabilities by label, and what is refused with both readings."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import germane as ge
from germane.errors import GermaneError
from germane.measures.decisions.labels.sets import subset_accuracy
from germane.stats.rankings.coefficients import COEFFICIENTS
from germane.stats.rankings.rank_correlation import tau_b
from germane.tables.columns.one_column import number_matrix, one_column
from tests.errors.provoking import provoked

TRUE, SCORES = {"a": 0, "b": 1, "c": 1}, {"c": 0.9, "a": 0.2, "b": 0.4}


def test_equal_mappings_agree_in_any_order() -> None:
    assert tau_b({"a": 1, "b": 2}, {"b": 2, "a": 1}) == 1
    assert COEFFICIENTS["rbo-a"]({"a": 1, "b": 2}, {"b": 2, "a": 1}) == pytest.approx(1)
    assert COEFFICIENTS["rbo-a"]({"a": 1, "b": 2}, {"b": 2, "c": 1}) < 1


def test_mappings_are_aligned_by_id() -> None:
    (listed,) = ge.classify([0, 1, 1], y_score=[0.2, 0.4, 0.9], resamples=40)
    assert repr(ge.classify(TRUE, y_score=SCORES, resamples=40).only.overall) == repr(listed.overall)
    chosen = ge.threshold((TRUE, SCORES), "accuracy", resamples=40)
    assert chosen.threshold == ge.threshold(([0, 1, 1], [0.2, 0.4, 0.9]), "accuracy", resamples=40).threshold
    (frame,) = ge.classify({"truth": TRUE, "score": SCORES}, resamples=40)
    assert frame["AUC"].value == 1
    assert ge.learning.k_folds(list("abcd"), 2, groups=dict(zip("dcba", "yyxx", strict=True))).grouped


def test_probabilities_are_read_by_the_names_of_their_columns() -> None:
    truth = ["cat", "dog", "cat"]
    plain = np.asarray([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    expected = repr(ge.classify(truth, y_proba=plain, resamples=40).only.overall)
    turned = pd.DataFrame(plain, columns=["cat", "dog"])[["dog", "cat"]]
    assert repr(ge.classify(truth, y_proba=turned, resamples=40).only.overall) == expected
    by_label = {"dog": plain[:, 1], "cat": plain[:, 0]}
    assert repr(ge.classify(truth, y_proba=by_label, resamples=40).only.overall) == expected


def test_a_frame_of_counts_brings_its_labels() -> None:
    frame = pd.crosstab(pd.Series(["x", "y", "y"]), pd.Series(["y", "y", "x"]))[["y", "x"]]
    found = ge.Confusion.of_matrix(frame)
    assert (found.labels, found.counts.tolist()) == (("x", "y"), [[0, 1], [1, 1]])


def test_tensors_are_detached_and_bfloat16_is_exact() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    scores = torch.tensor([0.25, 0.5, 0.75], dtype=torch.bfloat16, requires_grad=True)
    assert ge.classify([0, 1, 1], y_score=scores, resamples=40)["AUC"].value == 1
    with pytest.raises(GermaneError, match="expected a dense tensor"):
        one_column(torch.eye(2).to_sparse(), "score")


THREE = ["a", "b", "c"]
ODD_COLUMN = np.asarray(["a", 1], dtype=object)
test_what_is_refused = provoked(
    [
        ("found an array of shape (1, 3)", lambda: one_column(np.ones((1, 3)), "score")),
        ("found a single value", lambda: one_column(np.asarray(1.0), "score")),
        ("found a masked one in row 2", lambda: one_column(np.ma.masked_equal([1, 2], 2), "score")),
        ("found 2: 'x', 'y'", lambda: one_column(pd.DataFrame({"x": [1], "y": [2]}), "score")),
        ("found 2: 'x', 'y'", lambda: one_column(np.zeros(2, dtype=[("x", int), ("y", int)]), "score")),
        ("found {1} (set)", lambda: one_column({1}, "score")),
        ("expected numbers as feature, found 'ab' (str)", lambda: number_matrix("ab", "feature")),
        ("found other values", lambda: number_matrix([[1], [1, 2]], "feature")),
        ("found an array of shape (2,)", lambda: number_matrix([1, 2], "feature")),
        ("expected y_score by id, as y_true is", lambda: ge.classify(TRUE, y_score=[0.1, 0.2, 0.3])),
        ("found 1 missing from y_score: 'c'", lambda: ge.classify(TRUE, y_score={"a": 1, "b": 1, "d": 1})),
        ("found 1 missing from the second scores: 'b'", lambda: tau_b({"a": 1, "b": 2}, {"a": 1, "c": 2})),
        (
            "the same index labels in another order",
            lambda: ge.classify(pd.Series([0, 1, 1]), pd.Series([0, 1, 1], index=[2, 1, 0])),
        ),
        ("pass y_proba.T", lambda: ge.classify(THREE * 2, y_proba=np.full((3, 6), 1 / 3))),
        ("expected the labels as columns", lambda: ge.classify(THREE, y_proba=pd.DataFrame(np.eye(3)))),
        ("columns of equal length as y_proba", lambda: ge.classify(THREE, y_proba={"a": [1], "b": [0, 0], "c": [0]})),
        ("the same labels as rows and columns", lambda: ge.Confusion.of_matrix(pd.DataFrame([[1]], ["a"], ["b"]))),
        ("found rows of several lengths", lambda: ge.Confusion.of_matrix([[1], [1, 2]])),
        ("expected a square matrix of counts, found str", lambda: ge.Confusion.of_matrix("ab")),
        ("found 2 queries, 1 documents", lambda: ge.Run.from_columns(["a", "b"], ["d"], [1.0, 2.0])),
        ("{document: grade}}}, found int", lambda: ge.agree({"ann": 5})),
        ("found int for 'q'", lambda: ge.agree({"ann": {"q": 1}})),
        ("text or integers, found 1.5", lambda: ge.agree({"ann": {1.5: {"d": 1}}})),
        ("expected text or numbers as groups", lambda: ge.learning.k_folds(THREE, 2, groups=[[1], [2], [3]])),
        ("found a mixture", lambda: ge.classify(ODD_COLUMN, [1, 2], task="clusters")),
        ("found NaN", lambda: ge.classify([1.0, float("nan")], [1, 2], task="clusters")),
        ("expected one group per item", lambda: ge.classify([[1], [1, 2]], [1, 2], task="clusters")),
        ("found rows of several lengths", lambda: ge.Decisions.of([1, 0], [[1], [1, 2]])),
        ("rows of several lengths", lambda: subset_accuracy([[1], [1, 0]], [[1], [1]])),
        ("row 0: expected a list of values, found 1", lambda: ge.learning.NaiveBayes().fit([1, 2], THREE[:2])),
        ("row 0: expected a label as text or number", lambda: ge.learning.NaiveBayes().fit([[1], [2]], [[1], [2]])),  # type: ignore[list-item]
        (
            "row 0: expected a label as text or number",
            lambda: ge.learning.PartitioningTransduction().fit([[1], [2]], [(1,), (2,)]),  # type: ignore[list-item]
        ),
        ("found rows of several lengths", lambda: ge.learning.RankingSVM().fit([[1.0], [2.0]], [0, 1], [[1], [1, 2]])),
        (
            "expected queries that are all numbers",
            lambda: ge.learning.RankingSVM().fit([[1.0], [2.0]], [0, 1], ODD_COLUMN),
        ),
        ("expected ids (text or numbers), found None", lambda: tau_b(["a", None], ["a", "b"])),
        ("expected a list or an array as column 'score', found set", lambda: ge.classify({"truth": [0], "score": {1}})),
    ]
)


def test_the_hint_names_both_readings() -> None:
    refused: list[tuple[Callable[[], Any], str, str]] = [
        (lambda: one_column(np.ones((1, 3)), "score"), "3 items in a row", "one item with 3 columns"),
        (
            lambda: ge.classify(pd.Series([0, 1]), pd.Series([0, 1], index=[1, 0])),
            "y_pred.reindex(y_true.index)",
            ".to_numpy()",
        ),
        (lambda: ge.classify([[1, 0]], [[0, 1]], task="label-sets"), "for a matrix pass np.asarray", "pass sets"),
        (lambda: ge.classify(np.ones((2, 1)), np.ones((2, 1)), task="label-sets"), "`labels=…`", "`task='classes'`"),
    ]
    for call, one, other in refused:
        with pytest.raises(GermaneError) as caught:
            call()
        assert one in str(caught.value)
        assert other in str(caught.value)
