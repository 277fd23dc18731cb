"""Several labels per item against scikit-learn, over made inputs with ties and with labels that no item has."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as sk

import germane as ge
from germane.tables.columns.ids import BoolArray, FloatArray

EXACT: dict[str, Any] = {"rel": 1e-10, "abs": 1e-10, "nan_ok": True}
AVERAGES = ("macro", "micro", "weighted", "samples")
RATES: dict[str, Callable[..., Any]] = {
    "TPR": sk.recall_score,
    "PPV": sk.precision_score,
    "F1": sk.f1_score,
    "Jaccard": sk.jaccard_score,
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[BoolArray, BoolArray, FloatArray]:
    """Truth, predictions and scores with many ties, of a few items and labels."""
    shape = draw(st.tuples(st.integers(1, 9), st.integers(2, 5)))
    truth, called = (draw(arrays(np.bool_, shape)) for _ in range(2))
    scores = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])))
    return truth, called, scores


def theirs(function: Callable[..., Any], *columns: Any, **how: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(function(*columns, **how))


@settings(max_examples=60, deadline=None)
@given(tables())
def test_rates_and_their_averages_with_zero_division(given_tables: tuple[BoolArray, BoolArray, FloatArray]) -> None:
    truth, called, _ = given_tables
    (found,) = ge.classify(truth, called, task="label-sets", zero_division=0.0, resamples=40, measures=[*RATES])
    for name, function in RATES.items():
        of_labels = function(truth, called, average=None, zero_division=0)
        assert [found[name, label].value for label in found.by_class] == pytest.approx(of_labels.tolist(), **EXACT)
        for average in AVERAGES:
            expected = theirs(function, truth, called, average=average, zero_division=0)
            if average == "weighted" and not truth.any():
                assert math.isnan(found[name, average].value), "no label has items to weigh by; scikit-learn says 0"
                continue
            assert found[name, average].value == pytest.approx(expected, **EXACT), (name, average)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_rates_without_a_value_are_omitted(given_tables: tuple[BoolArray, BoolArray, FloatArray]) -> None:
    truth, called, _ = given_tables
    (found,) = ge.classify(truth, called, task="label-sets", resamples=40, measures=["TPR", "PPV", "F1"])
    for name in ("TPR", "PPV", "F1"):
        for average in ("macro", "micro", "samples"):
            expected = theirs(RATES[name], truth, called, average=average, zero_division=np.nan)
            assert found[name, average].value == pytest.approx(expected, **EXACT), (name, average)


@settings(max_examples=60, deadline=None)
@given(tables())
def test_measures_of_whole_items(given_tables: tuple[BoolArray, BoolArray, FloatArray]) -> None:
    truth, called, scores = given_tables
    (found,) = ge.classify(truth, called, y_score=scores, task="label-sets", resamples=40, measures=ITEMS)
    assert found["subset_accuracy"].value == pytest.approx(sk.accuracy_score(truth, called), **EXACT)
    assert found["hamming_loss"].value == pytest.approx(sk.hamming_loss(truth, called), **EXACT)
    assert found["coverage_error"].value == pytest.approx(sk.coverage_error(truth, scores), **EXACT)
    assert found["ranking_loss"].value == pytest.approx(sk.label_ranking_loss(truth, scores), **EXACT)
    expected = sk.label_ranking_average_precision_score(truth, scores)
    assert found["LRAP"].value == pytest.approx(expected, **EXACT)


ITEMS = ["subset_accuracy", "hamming_loss", "coverage_error", "ranking_loss", "LRAP", "one_error"]


@settings(max_examples=80, deadline=None)
@given(tables())
def test_areas_where_scikit_learn_has_them(given_tables: tuple[BoolArray, BoolArray, FloatArray]) -> None:
    truth, _, scores = given_tables
    (found,) = ge.classify(truth, y_score=scores, task="label-sets", resamples=40, measures=["AUC", "AP"])
    both = np.asarray(truth.any(axis=0) & ~truth.all(axis=0))
    for label, column in enumerate(truth.T):
        if both[label]:
            assert found["AUC", label].value == pytest.approx(sk.roc_auc_score(column, scores[:, label]), **EXACT)
        if column.any():
            area = sk.average_precision_score(column, scores[:, label])
            assert found["AP", label].value == pytest.approx(area, **EXACT)
    kept = truth[:, both], scores[:, both]
    if both.sum() > 1:
        for average in ("macro", "weighted"):
            expected = theirs(sk.roc_auc_score, *kept, average=average)
            assert found["AUC", average].value == pytest.approx(expected, **EXACT), average
    if truth.any() and not truth.all():
        micro = theirs(sk.roc_auc_score, truth, scores, average="micro")
        assert found["AUC", "micro"].value == pytest.approx(micro, **EXACT)
    if truth.any():
        micro = theirs(sk.average_precision_score, truth, scores, average="micro")
        assert found["AP", "micro"].value == pytest.approx(micro, **EXACT)
    if truth.any(axis=0).all():
        for average in ("macro", "weighted"):
            expected = theirs(sk.average_precision_score, truth, scores, average=average)
            assert found["AP", average].value == pytest.approx(expected, **EXACT), average
    if truth.any(axis=1).all():
        samples = theirs(sk.average_precision_score, truth, scores, average="samples")
        assert found["AP", "samples"].value == pytest.approx(samples, **EXACT)
        assert found["AP", "samples"].value == pytest.approx(sk.label_ranking_average_precision_score(truth, scores))
    if (truth.any(axis=1) & ~truth.all(axis=1)).all():
        samples = theirs(sk.roc_auc_score, truth, scores, average="samples")
        assert found["AUC", "samples"].value == pytest.approx(samples, **EXACT)


# Label b has no item, and item 3 no label.
TRUTH = np.asarray([[1, 0, 1], [1, 0, 0], [0, 0, 0], [0, 0, 1]])
SCORES = np.asarray([[0.9, 0.1, 0.4], [0.2, 0.3, 0.6], [0.4, 0.2, 0.1], [0.1, 0.4, 0.8]])
AUC, AP = sk.roc_auc_score, sk.average_precision_score
DIFFERENCES = [
    # of       average     ours      theirs    why
    (AUC,      "macro",    3 / 4,    math.nan, "a label without items has no area, and is omitted"),
    (AUC,      "weighted", 3 / 4,    3 / 4,    "its weight is 0, so it is omitted by both"),
    (AUC,      "samples",  2 / 3,    math.nan, "an item without labels has no area"),
    (AP,       "macro",    5 / 6,    5 / 9,    "a label without items has no precision, and not one of 0"),
    (AP,       "samples",  7 / 9,    7 / 12,   "an item without labels has no precision"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "average", "ours", "sklearn_says", "why"), DIFFERENCES)
def test_what_has_no_value_is_omitted_where_scikit_learn_sets_one(
    function: Callable[..., Any], average: str, ours: float, sklearn_says: float, why: str
) -> None:
    (found,) = ge.classify(TRUTH, y_score=SCORES, labels=list("abc"), task="label-sets")
    name = "AUC" if function is AUC else "AP"
    assert found[name, average].value == pytest.approx(ours, **EXACT), why
    assert theirs(function, TRUTH, SCORES, average=average) == pytest.approx(sklearn_says, **EXACT), why
