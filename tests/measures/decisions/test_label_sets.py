"""Sets of labels, by hand and against scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn import metrics

from germane.errors import MeasureError
from germane.measures.decisions.labels.sets import hamming_loss, subset_accuracy
from germane.tables.columns.ids import BoolArray

# fmt: off
BY_HAND = [
    # truth             predicted           same sets  wrong answers
    ("110 010 000",     "110 010 000",      1.0,       0.0),
    ("110 010 000",     "100 011 000",      1 / 3,     2 / 9),
    ("111",             "000",              0.0,       1.0),
    ("00",              "00",               1.0,       0.0),
]
# fmt: on


def table(text: str) -> BoolArray:
    return np.asarray([[digit == "1" for digit in item] for item in text.split()])


@pytest.mark.parametrize(("truth", "predicted", "same", "wrong"), BY_HAND)
def test_by_hand(truth: str, predicted: str, same: float, wrong: float) -> None:
    assert subset_accuracy(table(truth), table(predicted)) == pytest.approx(same)
    assert hamming_loss(table(truth), table(predicted)) == pytest.approx(wrong)


@given(data=st.data(), shape=array_shapes(min_dims=2, max_dims=2, max_side=6))
def test_equal_to_scikit_learn(data: st.DataObject, shape: tuple[int, int]) -> None:
    if shape[1] < 2:  # it takes one label for two classes
        return
    truth, predicted = (data.draw(arrays(bool, shape)) for _ in range(2))
    assert subset_accuracy(truth, predicted) == pytest.approx(metrics.accuracy_score(truth, predicted))
    assert hamming_loss(truth, predicted) == pytest.approx(metrics.hamming_loss(truth, predicted))


def test_without_items_nothing_is_known() -> None:
    empty = np.zeros((0, 3), dtype=bool)
    assert math.isnan(subset_accuracy(empty, empty))
    assert math.isnan(hamming_loss(empty, empty))


def test_tables_of_other_sizes_are_refused() -> None:
    with pytest.raises(MeasureError, match=r"of equal shape, found \(1, 2\) and \(1, 3\)"):
        subset_accuracy([[1, 0]], [[1, 0, 1]])
