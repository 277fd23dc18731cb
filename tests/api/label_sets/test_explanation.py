"""A measure of several labels per item broken down: the terms add up to the value that classify finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import germane as ge
from germane.tables.columns.ids import BoolArray, FloatArray
from tests.errors.provoking import provoked

LABELS = ["a", "b", "c"]
MEASURES = ["subset_accuracy", "hamming_loss", "coverage_error", "ranking_loss", "LRAP", "one_error", "F1[macro]"]
MEASURES += ["TPR[weighted]", "Jaccard[micro]", "PPV[samples]", "F2[b]", "AUC[macro]", "AUC[micro]", "AP[weighted]"]
MEASURES += ["AP[samples]", "AUC[samples]", "AP[c]"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[BoolArray, BoolArray, FloatArray]:
    shape = (draw(st.integers(2, 7)), 3)
    truth, called = (draw(arrays(np.bool_, shape)) for _ in range(2))
    return truth, called, draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0])))


@settings(max_examples=15, deadline=None)
@given(tables())
def test_the_terms_add_up_to_the_value(given_tables: tuple[BoolArray, BoolArray, FloatArray]) -> None:
    truth, called, scores = given_tables
    for measure in MEASURES:
        how: dict[str, Any] = {"y_pred": called, "y_score": scores, "labels": LABELS, "task": "label-sets"}
        found = ge.explain(measure, truth, **how)
        value = ge.classify(truth, measures=[measure], resamples=40, **how)[measure].value
        assert found.value == pytest.approx(value, rel=1e-10, abs=1e-10, nan_ok=True), measure
        if found.term and not math.isnan(value):
            assert math.fsum(found.columns[found.term]) == pytest.approx(value), measure
        if math.isnan(value):
            assert "term" not in found.columns or not found.term or not any(found.columns["term"]), measure


TRUE = [{"a", "b"}, {"b"}, set()]
CALLED = [{"a"}, {"b", "c"}, {"a"}]


def test_items_and_labels_by_hand() -> None:
    by_item = ge.explain("PPV[samples]", TRUE, y_pred=CALLED, task="label-sets")
    assert by_item.columns["true"] == ["a;b", "b", "-"]
    assert by_item.columns["PPV[samples]"] == [1, 0.5, 0]
    assert str(by_item).splitlines()[-1] == "PPV[samples] = sum of the terms = 0.5000"
    by_label = ge.explain("TPR[weighted]", TRUE, y_pred=CALLED, task="label-sets")
    assert by_label.columns["TP"] == [1, 1, 0]
    assert by_label.columns["term"] == [1 / 3, 1 / 3, 0]
    assert ge.explain("TPR[macro]", TRUE, y_pred=[set(), {"c"}, set()], labels=LABELS, task="label-sets").value == 0


TWO = {"truth": ["a"], "x": ["a"], "y": ["a"]}


def explain(measure: str, **options: Any) -> Callable[[], Any]:
    return lambda: ge.explain(measure, TRUE, y_pred=CALLED, task="label-sets", **options)


test_what_has_no_breakdown = provoked(
    [
        ("cannot tell which F1 to explain: that of a label, or an average", explain("F1")),
        ("cannot compute LRAP: needs a score for each label", explain("LRAP")),
        ("unknown option 'positive'", explain("hamming_loss", positive=1)),
        (
            "label sets: expected one classifier, found x, y",
            lambda: ge.explain("LRAP", TWO, truth="truth", predicted=["x", "y"], task="label-sets"),
        ),
        (
            "MSE has no breakdown for task regression",
            lambda: ge.explain("MSE", [1, 2], y_pred=[1, 2], task="regression"),
        ),
        (
            "F1 of several labels per item cannot be explained from a result",
            lambda: ge.explain(ge.classify(TRUE, CALLED, task="label-sets"), "F1"),
        ),
    ]
)
