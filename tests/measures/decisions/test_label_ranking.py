"""Scores of several labels, by hand and against scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn import metrics

from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.labels.ranking import (
    RankedLabels,
    areas_of_items,
    coverage_error,
    label_ranking_average_precision,
    one_error,
    precision_at_labels,
    ranking_loss,
)

NAN = math.nan
# fmt: off
BY_HAND = [
    # truth  scores        coverage  pairs  LRAP              one-error  AUC    why
    ("100",  "3 2 1",      1,        0,     1,                0,         1,     "the only true label is on top"),
    ("010",  "3 2 1",      2,        1 / 2, 1 / 2,            1,         1 / 2, "one label of two is above it"),
    ("101",  "3 2 1",      3,        1 / 2, (1 + 2 / 3) / 2,  0,         1 / 2, "3 > 2 is in order, 1 > 2 is not"),
    ("100",  "2 2 1",      2,        1 / 2, 1 / 2,            1 / 2,     3 / 4, "a tie: rank 2; half an area"),
    ("110",  "2 2 1",      2,        0,     1,                0,         1,     "a tie of true labels is harmless"),
    ("100",  "1 1 1",      3,        1,     1 / 3,            2 / 3,     1 / 2, "all labels tie"),
    ("000",  "3 2 1",      0,        0,     1,                1,         NAN,   "nothing to find; the top is wrong"),
    ("111",  "3 2 1",      3,        0,     1,                0,         NAN,   "no label is out of place"),
    ("01",   "-inf inf",   1,        0,     1,                0,         1,     "scores may be infinite"),
]
# fmt: on


@pytest.mark.parametrize(("true", "said", "depth", "pairs", "precision", "top", "area", "why"), BY_HAND)
def test_by_hand(
    true: str, said: str, depth: float, pairs: float, precision: float, top: float, area: float, why: str
) -> None:
    truth, scores = [[int(digit) for digit in true]], [[float(text) for text in said.split()]]
    assert coverage_error(truth, scores) == depth, why
    assert ranking_loss(truth, scores) == pytest.approx(pairs), why
    assert label_ranking_average_precision(truth, scores) == pytest.approx(precision), why
    assert one_error(truth, scores) == pytest.approx(top), why
    assert areas_of_items(RankedLabels.of(truth, scores)) == pytest.approx([area], nan_ok=True), why


def test_a_measure_is_the_mean_over_items() -> None:
    truth, scores = [[1, 0, 0], [0, 0, 0]], [[1, 2, 3], [1, 2, 3]]
    assert coverage_error(truth, scores) == 1.5
    assert label_ranking_average_precision(truth, scores) == pytest.approx((1 / 3 + 1) / 2)


@settings(max_examples=150)
@given(data=st.data(), shape=array_shapes(min_dims=2, max_dims=2, max_side=6))
def test_equal_to_scikit_learn(data: st.DataObject, shape: tuple[int, int]) -> None:
    if shape[1] < 2:  # it takes one label for two classes
        return
    truth = data.draw(arrays(np.int64, shape, elements=st.integers(0, 1)))
    scores = data.draw(arrays(np.float64, shape, elements=st.sampled_from([-1.5, 0.0, 0.25, 0.5, 1.0])))
    pairs: list[tuple[Any, Any]] = [
        (coverage_error, metrics.coverage_error),
        (ranking_loss, metrics.label_ranking_loss),
        (label_ranking_average_precision, metrics.label_ranking_average_precision_score),
    ]
    for ours, theirs in pairs:
        assert ours(truth, scores) == pytest.approx(theirs(truth, scores), rel=1e-10, abs=1e-10), ours
    ranked = RankedLabels.of(truth, scores)
    for row, area in enumerate(areas_of_items(ranked)):
        if 0 < truth[row].sum() < shape[1]:
            assert area == pytest.approx(metrics.roc_auc_score(truth[row], scores[row]), rel=1e-10)
        else:
            assert math.isnan(area), "scikit-learn warns, and says NaN"
    for row, precision in enumerate(precision_at_labels(ranked)):
        if truth[row].any():
            assert precision == pytest.approx(metrics.average_precision_score(truth[row], scores[row]), rel=1e-10)
        else:
            assert math.isnan(precision), "scikit-learn warns, and says 0"


def test_without_items_nothing_is_known() -> None:
    empty = np.zeros((0, 3))
    for measure in (coverage_error, ranking_loss, label_ranking_average_precision, one_error):
        assert math.isnan(measure(empty, empty))


@pytest.mark.parametrize(
    ("truth", "scores", "said"),
    [
        ([[1, 0]], [[1, 0, 1]], r"of equal shape, found \(1, 2\) and \(1, 3\)"),
        ([[1, 0]], [[1, NAN]], "found NaN in row 1, column 2"),
        ([[1, 0], [1, 1]], [[1, 2], [1]], "rows of several lengths: 2 in row 1, 1 in row 2"),
        ([[1, 0.3]], [[1, 0]], "expected 0 or 1 .* found .*0.3.* in row 1, column 2"),
        ([[1, -1]], [[1, 0]], "found .*-1.* in row 1, column 2"),
        (np.zeros((2, 0)), np.zeros((2, 0)), "at least one label to rank"),
    ],
)
def test_what_cannot_be_ranked_is_refused(truth: Any, scores: Any, said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        ranking_loss(truth, scores)
    assert issubclass(MeasureError, GermaneError)
