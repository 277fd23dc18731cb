"""Measures of a table of probabilities: by hand, then scikit-learn's numbers, then Hand and Till's formula."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn import metrics

from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.scores.calibration import (
    binned_brier_parts,
    discrimination,
    expected_calibration_error,
    isotonic_brier_parts,
    miscalibration,
)
from germane.measures.decisions.scores.many_classes import (
    ClassAreas,
    classwise_calibration_error,
    micro_area,
    pooled,
    top_k_accuracy,
    top_label_calibration_error,
)
from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier, log_loss
from germane.measures.decisions.scores.ranked_columns import RankedColumn
from germane.tables.decisions.decisions import Decisions

HAND = ProbabilityTable.of(
    [
        [0.7, 0.2, 0.1],  # class 0
        [0.4, 0.4, 0.2],  # class 0
        [0.5, 0.3, 0.2],  # class 1
        [0.2, 0.6, 0.2],  # class 1
        [0.1, 0.3, 0.6],  # class 2
    ],
    [0, 0, 1, 1, 2],
)
HALF = Fraction(1, 2)
PAIRS_BY_HAND: list[tuple[int, int, Fraction | int, str]] = [
    # i, j, pairs of an item of i and one of j in order by column i (equal ones half)     why
    (0, 1, 3, "0.7 above 0.5 and 0.2; 0.4 above 0.2"),
    (0, 2, 2, "0.7 and 0.4 above 0.1"),
    (1, 0, 3, "0.6 above 0.2 and 0.4; 0.3 above 0.2"),
    (1, 2, 1 + HALF, "0.6 above 0.3; 0.3 equals 0.3"),
    (2, 0, 2, "0.6 above 0.1 and 0.2"),
    (2, 1, 2, "0.6 above 0.2 twice"),
]


@pytest.mark.parametrize(("i", "j", "won", "why"), PAIRS_BY_HAND)
def test_pairs_of_classes_by_hand(i: int, j: int, won: Fraction, why: str) -> None:
    assert ClassAreas.of(HAND).wins[i, j] == float(won), why


def test_hand_and_till_by_hand() -> None:
    shares = {(i, j): Fraction(won) / (2 * (1 if 2 in (i, j) else 2)) for i, j, won, _ in PAIRS_BY_HAND}
    pairs = [(shares[i, j] + shares[j, i]) / 2 for i, j in ((0, 1), (0, 2), (1, 2))]
    assert pairs == [Fraction(3, 4), 1, Fraction(7, 8)]
    areas = ClassAreas.of(HAND)
    assert areas.average("AUC", "ovo") == pytest.approx(float(sum(pairs) / 3))
    assert areas.average("AUC", "ovo weighted") == pytest.approx(
        float((4 * pairs[0] + 3 * pairs[1] + 3 * pairs[2]) / 10)
    )


def test_areas_against_the_rest_by_hand() -> None:
    areas = ClassAreas.of(HAND)
    expected = [Fraction(5, 6), Fraction(9, 2) / 6, Fraction(1)]  # pairs won: 3 + 2 of 6, 3 + 1½ of 6, 4 of 4
    assert areas.areas["AUC"].tolist() == pytest.approx([float(area) for area in expected])
    assert areas.average("AUC", "macro") == pytest.approx(float(sum(expected) / 3))
    assert areas.average("AUC", "weighted") == pytest.approx(
        float((2 * expected[0] + 2 * expected[1] + expected[2]) / 5)
    )
    with pytest.raises(MeasureError, match="AP is not defined for pairs of classes"):
        areas.average("AP", "ovo")


TOP_BY_HAND = [
    # k  expected          why
    (1, Fraction(3, 5), "the first, fourth and fifth; 0.4 of the second is behind the equal 0.4 of a later column"),
    (2, Fraction(1), "0.3 is the second highest of the third"),
    (7, Fraction(1), "there are only three classes"),
]


@pytest.mark.parametrize(("k", "expected", "why"), TOP_BY_HAND)
def test_top_k_by_hand(k: int, expected: Fraction, why: str) -> None:
    assert top_k_accuracy(HAND, k=k) == float(expected), why


def test_top_k_of_nothing_is_an_error() -> None:
    with pytest.raises(MeasureError, match="expected k of 1 or more, found 0"):
        top_k_accuracy(HAND, k=0)


def test_calibration_by_hand() -> None:
    table = ProbabilityTable.of([[0.6, 0.3, 0.1], [0.6, 0.1, 0.3], [0.2, 0.7, 0.1]], [0, 2, 1])
    # 0.6 was right once in two and 0.7 once in one.
    assert top_label_calibration_error(table, bins=2) == pytest.approx((2 * 0.1 + 0.3) / 3)
    # One bin for each class: the mean probability against the share of its items.
    by_class = [1.4 / 3 - 1 / 3, 1.1 / 3 - 1 / 3, 0.5 / 3 - 1 / 3]
    assert classwise_calibration_error(table, bins=1) == pytest.approx(sum(map(abs, by_class)) / 3)


def test_nothing_is_won_without_items() -> None:
    with pytest.raises(GermaneError, match="expected at least one weight above 0"):
        top_k_accuracy(ProbabilityTable.of([[0.5, 0.5]], [0], [0]), k=1)
    assert math.isnan(ClassAreas.of(ProbabilityTable.of([[0.5, 0.5]], [0])).average("AUC", "ovo"))


# Against scikit-learn ---------------------------------------------------------------------------------------------


class Made(NamedTuple):
    table: ProbabilityTable
    truth: Any
    weights: Any

    @property
    def p(self) -> Any:
        return self.table.probabilities


@st.composite
def tables(draw: st.DrawFn, *, all_classes: bool = False, weights: bool = True) -> Made:
    """Few items with many equal probabilities, of three to five classes; weights are none, whole or not."""
    classes = draw(st.integers(3, 5))
    codes = st.integers(0, classes - 1)
    truth = draw(st.lists(codes, min_size=2, max_size=12)) + list(range(classes) if all_classes else ())
    row = st.lists(st.integers(0, 4), min_size=classes, max_size=classes).filter(any)
    odds = np.asarray(draw(st.lists(row, min_size=len(truth), max_size=len(truth))), dtype=np.float64)
    kinds = [st.none(), *([st.integers(1, 3), st.sampled_from([0.5, 1.25, 2.0])] if weights else [])]
    some = draw(st.sampled_from(kinds).flatmap(lambda kind: st.lists(kind, min_size=len(truth), max_size=len(truth))))
    given_weights = None if None in some else np.asarray(some)
    p = odds / odds.sum(axis=1, keepdims=True)
    return Made(ProbabilityTable.of(p, truth, given_weights), np.asarray(truth), given_weights)


def same(value: Any) -> Any:
    return pytest.approx(value, rel=1e-10, abs=1e-10, nan_ok=True)


@given(made=tables(all_classes=True))
def test_areas_are_those_of_scikit_learn(made: Made) -> None:
    areas, right = ClassAreas.of(made.table), np.eye(made.table.num_classes)[made.truth]
    how: dict[str, Any] = {"sample_weight": made.weights}
    for average in ("macro", "weighted"):
        found = metrics.roc_auc_score(made.truth, made.p, multi_class="ovr", average=average, **how)
        assert areas.average("AUC", average) == same(found)
        found = metrics.average_precision_score(right, made.p, average=average, **how)
        assert areas.average("AP", average) == same(found)
    assert areas.areas["AUC"].tolist() == same(
        metrics.roc_auc_score(made.truth, made.p, multi_class="ovr", average=None, **how).tolist()
    )
    assert areas.areas["AP"].tolist() == same(
        metrics.average_precision_score(right, made.p, average=None, **how).tolist()
    )
    assert micro_area(made.table, "AUC") == same(
        metrics.roc_auc_score(made.truth, made.p, multi_class="ovr", average="micro", **how)
    )
    assert micro_area(made.table, "AP") == same(metrics.average_precision_score(right, made.p, average="micro", **how))


@given(made=tables(all_classes=True, weights=False))
def test_areas_of_pairs_are_those_of_scikit_learn(made: Made) -> None:
    areas = ClassAreas.of(made.table)
    for ours, theirs in (("ovo", "macro"), ("ovo weighted", "weighted")):
        found = metrics.roc_auc_score(made.truth, made.p, multi_class="ovo", average=theirs)
        assert areas.average("AUC", ours) == same(found)  # type: ignore[arg-type]


def test_scikit_learn_has_no_weights_for_pairs_and_we_have() -> None:
    with pytest.raises(ValueError, match="sample_weight is not supported for multiclass one-vs-one"):
        metrics.roc_auc_score([0, 1, 2], np.eye(3), multi_class="ovo", sample_weight=[1, 2, 3])
    repeated = np.repeat(np.arange(5), [1, 2, 3, 1, 2])
    once = ProbabilityTable.of(HAND.probabilities, HAND.codes, [1, 2, 3, 1, 2])
    twice = ProbabilityTable.of(HAND.probabilities[repeated], HAND.codes[repeated])
    assert ClassAreas.of(once).average("AUC", "ovo") == ClassAreas.of(twice).average("AUC", "ovo")


def test_scikit_learn_refuses_missing_classes_and_we_omit_them() -> None:
    table = ProbabilityTable.of(HAND.probabilities[:4], HAND.codes[:4])
    with pytest.raises(ValueError, match="Number of classes in y_true not equal"):
        metrics.roc_auc_score(table.codes, table.probabilities, multi_class="ovr")
    areas = ClassAreas.of(table)
    assert math.isnan(areas.areas["AUC"][2])
    assert areas.average("AUC", "macro") == pytest.approx(areas.areas["AUC"][:2].mean())
    assert areas.average("AUC", "ovo") == pytest.approx(3 / 4)


@given(made=tables())
def test_top_k_and_losses_are_those_of_scikit_learn(made: Made) -> None:
    labels = range(made.table.num_classes)
    for k in range(1, made.table.num_classes):
        found = metrics.top_k_accuracy_score(made.truth, made.p, k=k, labels=labels, sample_weight=made.weights)
        assert top_k_accuracy(made.table, k=k) == same(float(found))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = metrics.log_loss(made.truth, np.clip(made.p, 1e-15, 1), labels=labels, sample_weight=made.weights)
        squares = metrics.brier_score_loss(made.truth, made.p, labels=labels, sample_weight=made.weights)
    assert log_loss(made.table, clip=1e-15) == pytest.approx(found, abs=1e-9)
    assert brier(made.table) == same(squares)


# Against the papers -----------------------------------------------------------------------------------------------


def hand_and_till(p: Any, truth: Any) -> float:
    """M of Hand & Till (2001), equation 7, from the sums of ranks of equation 3."""
    present, total = sorted(set(truth.tolist())), 0.0
    for place, i in enumerate(present):
        for j in present[place + 1 :]:
            both = []
            for one, other in ((i, j), (j, i)):
                among = (truth == one) | (truth == other)
                ranks, mine = rankdata(p[among, one]), truth[among] == one
                n, m = int(mine.sum()), int((~mine).sum())
                both.append((ranks[mine].sum() - n * (n + 1) / 2) / (n * m))
            total += sum(both) / 2
    return 2 * total / (len(present) * (len(present) - 1)) if len(present) > 1 else math.nan


@given(made=tables(weights=False))
def test_one_versus_one_is_what_hand_and_till_define(made: Made) -> None:
    assert ClassAreas.of(made.table).average("AUC", "ovo") == same(hand_and_till(made.p, made.truth))


@given(made=tables())
def test_the_parts_of_the_brier_score_add_up_over_classes(made: Made) -> None:
    for parts in (isotonic_brier_parts(made.table), binned_brier_parts(made.table, bins=3, binning="equal width")):
        assert parts.total == same(brier(made.table))
    columns = [
        Decisions.of(made.truth == at, made.p[:, at].copy(), made.weights) for at in range(made.table.num_classes)
    ]
    assert miscalibration(made.table) == pytest.approx(sum(map(miscalibration, columns)), abs=1e-9)
    assert discrimination(made.table) == pytest.approx(sum(map(discrimination, columns)), abs=1e-9)
    shares = made.table.sizes / made.table.sizes.sum()
    assert isotonic_brier_parts(made.table).uncertainty == same(float((shares * (1 - shares)).sum()))


@given(made=tables(), bins=st.integers(1, 4), binning=st.sampled_from(["equal mass", "equal width"]))
def test_calibration_is_that_of_each_class_and_of_the_highest_probability(made: Made, bins: int, binning: Any) -> None:
    how: dict[str, Any] = {"bins": bins, "binning": binning}
    columns = [
        Decisions.of(made.truth == at, made.p[:, at].copy(), made.weights) for at in range(made.table.num_classes)
    ]
    expected = np.mean([expected_calibration_error(column, **how) for column in columns])
    assert classwise_calibration_error(made.table, **how) == same(float(expected))
    called = made.p.argmax(axis=1)
    top = Decisions.of(called == made.truth, made.p.max(axis=1), made.weights)
    assert top_label_calibration_error(made.table, **how) == same(expected_calibration_error(top, **how))


@given(made=tables())
def test_a_ranked_column_has_the_decisions_of_its_class(made: Made) -> None:
    for at in range(made.table.num_classes):
        ours = RankedColumn.of(made.table, at).decisions
        theirs = Decisions.of(made.truth == at, made.p[:, at].copy(), made.weights)
        assert ours.thresholds.tolist() == theirs.thresholds.tolist()
        assert ours.true_positives.tolist() == same(theirs.true_positives.tolist())
        assert ours.false_positives.tolist() == same(theirs.false_positives.tolist())


@given(made=tables())
def test_the_pooled_curve_keeps_its_corners(made: Made) -> None:
    ours, right = pooled(made.table), np.eye(made.table.num_classes, dtype=bool)[made.truth]
    weights = None if made.weights is None else np.repeat(made.weights, made.table.num_classes)
    theirs = Decisions.of(right.ravel(), made.p.ravel(), weights)
    for threshold in made.table.of_what_happened:
        assert tuple(ours.at(threshold)) == same(tuple(theirs.at(threshold)))
