"""K × K matrices and agreement: the lectures' examples, then scikit-learn's numbers."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from germane.errors import MeasureError
from germane.measures.agreement import kappa as agreement
from germane.measures.decisions.matrix import (
    accuracy,
    averaged,
    balanced_accuracy,
    kappa,
    matthews,
    matthews_correlation,
)
from germane.measures.decisions.rates import RATES
from germane.tables.decisions.confusion import Cells, Confusion

PEOPLE = Confusion.of_matrix([[13, 4, 2], [2, 15, 1], [5, 1, 57]], labels=["woman", "man", "child"], rows="prediction")
ANIMALS = Confusion.of_matrix([[5, 3, 0], [2, 3, 1], [0, 2, 11]], labels=["cat", "dog", "rabbit"])
JUDGES = [[300, 20], [10, 70]]

MATRICES = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.integers(0, 4), min_size=k * k, max_size=k * k).map(lambda c: np.asarray(c).reshape(k, k))
)


def items(matrix: Any) -> tuple[list[int], list[int]]:
    """The rows behind a matrix."""
    truth, predicted = np.indices(matrix.shape)
    return np.repeat(truth.ravel(), matrix.ravel()).tolist(), np.repeat(predicted.ravel(), matrix.ravel()).tolist()


def test_people_and_animals_of_the_lectures() -> None:
    assert accuracy(PEOPLE) == 0.85
    assert PEOPLE.cells("woman") == Cells(13, 6, 7, 74)
    assert averaged(RATES.parse("PPV"), PEOPLE.counts).item() == pytest.approx((13 / 19 + 15 / 18 + 57 / 63) / 3)
    assert accuracy(ANIMALS) == float(Fraction(19, 27))
    assert balanced_accuracy(ANIMALS) == pytest.approx(float((Fraction(5, 8) + Fraction(3, 6) + Fraction(11, 13)) / 3))


def test_judges_of_lecture_004() -> None:
    assert agreement.agreement(JUDGES).item() == 0.925
    relevant = Fraction(10 + 20 + 300 + 300, 800)
    by_chance = relevant**2 + (1 - relevant) ** 2
    assert agreement.agreement_by_chance(JUDGES, chance="pooled").item() == pytest.approx(float(by_chance))
    assert round(float(by_chance), 3) == 0.665
    pooled = agreement.kappa(JUDGES, chance="pooled").item()
    assert pooled == pytest.approx(float((Fraction(37, 40) - by_chance) / (1 - by_chance)), rel=1e-14)
    assert round(pooled, 3) == 0.776
    own = agreement.kappa(JUDGES).item()
    expected = agreement.agreement_by_chance(JUDGES).item()
    assert own == pytest.approx((0.925 - expected) / (1 - expected))
    assert own != pooled


@given(cells=st.tuples(*[st.integers(0, 9)] * 4))
def test_the_rates_of_two_classes_are_those_of_the_matrix(cells: tuple[int, int, int, int]) -> None:
    tp, fp, fn, tn = cells
    matrix = Confusion.of_matrix([[tn, fp], [fn, tp]])
    for name, of_matrix in (("kappa", kappa), ("MCC", matthews_correlation), ("ACC", accuracy)):
        rate = RATES[name](Cells(*cells)).item()
        assert of_matrix(matrix) == pytest.approx(rate, rel=1e-12, abs=1e-12, nan_ok=True), name
    both = tp + fn > 0 and tn + fp > 0
    if both:
        assert balanced_accuracy(matrix) == pytest.approx(RATES["BA"](Cells(*cells)).item())


@settings(max_examples=10)
@given(matrix=MATRICES.filter(lambda m: m.any()))
def test_equal_to_scikit_learn(matrix: Any) -> None:
    truth, predicted = items(matrix)
    seen, labels = Confusion.of_matrix(matrix), list(range(len(matrix)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = metrics.matthews_corrcoef(truth, predicted)
        ours = matthews_correlation(seen)
        assert (0.0 if math.isnan(ours) else ours) == pytest.approx(theirs, abs=1e-12)
        for weights in (None, "linear", "quadratic"):
            theirs = metrics.cohen_kappa_score(truth, predicted, labels=labels, weights=weights)
            ours = kappa(seen, weights=weights)
            if not math.isnan(ours):
                assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)
        assert balanced_accuracy(seen) == pytest.approx(metrics.balanced_accuracy_score(truth, predicted))
        for average in ("macro", "micro", "weighted"):
            for zero_division in (0.0, 1.0, math.nan):
                options = {"labels": labels, "average": average, "zero_division": zero_division}
                for rate, function in (
                    ("PPV", metrics.precision_score),
                    ("TPR", metrics.recall_score),
                    ("F1", metrics.f1_score),
                ):
                    ours = averaged(RATES.parse(rate), matrix, average, zero_division=zero_division).item()
                    theirs = function(truth, predicted, **options)
                    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12, nan_ok=True), (rate, options)


@settings(max_examples=25)
@given(stack=st.lists(MATRICES.filter(lambda m: len(m) == 3), min_size=1, max_size=4))
def test_a_stack_gives_what_each_gives_alone(stack: list[Any]) -> None:
    together = np.stack(stack)
    for of in (matthews, agreement.kappa, agreement.agreement, lambda m: averaged(RATES.parse("F1"), m, "weighted")):
        np.testing.assert_allclose(of(together), [of(matrix) for matrix in stack])


def test_one_class_only_is_nan() -> None:
    alone = Confusion.of_matrix([[5, 0], [0, 0]])
    assert math.isnan(kappa(alone))
    assert math.isnan(matthews_correlation(alone))
    assert balanced_accuracy(alone) == 1


def test_wrong_choices_are_named() -> None:
    with pytest.raises(MeasureError, match="did you mean macro"):
        averaged(RATES.parse("F1"), ANIMALS.counts, "makro")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="own"):
        agreement.kappa(JUDGES, chance="shared")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="linear"):
        agreement.kappa(JUDGES, weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="square"):
        agreement.kappa([[1, 2, 3], [4, 5, 6]])
