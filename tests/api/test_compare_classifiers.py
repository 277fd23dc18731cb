"""Classifiers on the same items: which test is taken, what it sees, what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import germane as ge
from germane.errors import GermaneError, MeasureError
from germane.measures.decisions.names import canonical_name
from germane.stats.significance.paired_classifiers import CLASSIFIER_TESTS

TRUTH = [1, 1, 1, 1, 0, 0, 0, 0] * 10
A = [1, 1, 0, 0, 0, 0, 1, 0] * 10
B = [1, 1, 1, 0, 0, 0, 0, 0] * 10
SCORES = {"a": [0.9, 0.8, 0.3, 0.4, 0.1, 0.2, 0.7, 0.3] * 10, "b": [0.9, 0.8, 0.6, 0.4, 0.1, 0.2, 0.3, 0.5] * 10}

TESTS = [
    # measure        test                 difference
    ("ACC",          "mcnemar exact",     7 / 8 - 5 / 8),
    ("accuracy",     "mcnemar exact",     7 / 8 - 5 / 8),
    ("ERR",          "mcnemar exact",     1 / 8 - 3 / 8),
    ("recall",       "mcnemar exact",     3 / 4 - 2 / 4),
    ("specificity",  "mcnemar exact",     4 / 4 - 3 / 4),
    ("precision",    "paired bootstrap",  3 / 3 - 2 / 3),
    ("F1",           "paired bootstrap",  6 / 7 - 4 / 7),
    ("macro recall", "paired bootstrap",  7 / 8 - 5 / 8),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "test", "difference"), TESTS)
def test_each_measure_has_its_test(measure: str, test: str, difference: float) -> None:
    (pair,) = ge.compare(TRUTH, y_pred={"a": A, "b": B}, measures=[measure], resamples=100).pairs
    assert pair.test == test
    goes_with = CLASSIFIER_TESTS[test].measures  # what the reference says
    assert canonical_name(pair.measure) in goes_with or not goes_with
    assert pair.difference == pytest.approx(difference)
    assert pair.value_b - pair.value_a == pytest.approx(difference)
    assert pair.low <= pair.difference <= pair.high


@pytest.mark.parametrize(
    ("mcnemar", "test"),
    [("mid-p", "mcnemar mid-p"), ("corrected", "mcnemar corrected"), ("uncorrected", "mcnemar")],
)
def test_a_version_of_mcnemar_s_test_is_chosen_by_its_word(mcnemar: Any, test: str) -> None:
    (pair,) = ge.compare(TRUTH, y_pred={"a": A, "b": B}, measures=["ACC"], mcnemar=mcnemar).pairs
    assert pair.test == test


def test_mcnemar_is_the_sign_test_of_what_differs() -> None:
    (pair,) = ge.compare(TRUTH, y_pred={"a": A, "b": B}, measures=["ACC"]).pairs
    assert pair.p == pytest.approx(binomtest(0, 20).pvalue)


def test_scores_are_compared_by_delong_and_by_drawing_items() -> None:
    found = ge.compare(TRUTH, y_score=SCORES, resamples=200)
    assert [pair.measure for pair in found.pairs] == ["AUC", "AP"]
    for pair in found.pairs:
        values = [ge.classify(TRUTH, y_score=SCORES[name], resamples=40)[pair.measure].value for name in "ab"]
        assert [pair.value_a, pair.value_b] == pytest.approx(values)


def test_the_order_of_items_changes_no_count() -> None:
    order = np.random.default_rng(3).permutation(len(TRUTH))
    columns = [np.asarray(column)[order] for column in (TRUTH, A, B)]
    first = ge.compare(TRUTH, y_pred={"a": A, "b": B}, resamples=100)
    assert first.pairs == ge.compare(columns[0], y_pred={"a": columns[1], "b": columns[2]}, resamples=100).pairs


def test_swapping_two_classifiers_turns_the_difference_round() -> None:
    one, other = (
        ge.compare(TRUTH, y_pred=dict(columns), measures=["ACC", "F1", "kappa"], resamples=100).pairs
        for columns in ([("a", A), ("b", B)], [("b", B), ("a", A)])
    )
    for first, second in zip(one, other, strict=True):
        assert (first.difference, first.p) == pytest.approx((-second.difference, second.p))


def test_a_baseline_is_compared_with_each() -> None:
    found = ge.compare(TRUTH, y_pred={"a": A, "b": B, "c": TRUTH}, baseline="b", measures=["ACC"])
    assert [(pair.a, pair.b) for pair in found.pairs] == [("b", "a"), ("b", "c")]
    adjusted = [pair.p_adjusted for pair in found.pairs]
    assert adjusted == sorted(adjusted) or adjusted[0] >= found.pairs[0].p
    assert all(pair.p_adjusted >= pair.p for pair in found.pairs)


def test_several_classes_are_compared_as_a_whole() -> None:
    truth, a, b = ["cat", "dog", "fox"] * 8, ["cat", "dog", "dog"] * 8, ["cat", "dog", "fox"] * 8
    found = ge.compare(truth, y_pred={"a": a, "b": b}, resamples=100)
    assert [pair.measure for pair in found.pairs] == ["ACC", "macro F1", "MCC"]
    (kappa,) = ge.compare(truth, y_pred={"a": a, "b": b}, measures=["kappa"], resamples=100).pairs
    assert (kappa.value_a, kappa.value_b) == pytest.approx((0.5, 1.0))


BAD: list[tuple[dict[str, Any], str]] = [
    ({"y_pred": {"a": A}}, "at least two classifiers"),
    (
        {"y_pred": {"a": A, "b": B}, "measures": ["AUC"]},
        "expected at least two classifiers to compare by AUC, found none",
    ),
    ({"y_pred": {"a": A, "b": B}, "measures": ["nonsense"]}, "unknown measure 'nonsense'"),
    ({"y_pred": {"a": A, "b": B[:5]}}, "expected 80 items from b, found 5"),
    ({"y_pred": {"a": A, "b": B}, "baseline": "z"}, "unknown classifier 'z'"),
    ({"y_pred": {"a": A, "b": B}, "correction": "z"}, "unknown correction 'z'"),
    ({"y_pred": {"a": A, "b": B}, "mcnemar": "z"}, "unknown mcnemar 'z'"),
    ({"y_pred": {"a": A, "b": B}, "positive": 7}, "the positive label 7 does not occur"),
    ({"y_pred": {"a": A, "b": B}, "level": 2}, "level"),
    ({"y_pred": {"a": A, "b": B}, "resamples": 1}, "expected at least 40 resamples, found 1"),
    ({"y_score": {"a": SCORES["a"], "b": ["x"] * 80}}, "expected a number as score of b in every row"),
    ({"y_score": {"a": SCORES["a"], "b": [math.nan] * 80}}, "expected a number as score of b, found NaN in row 1"),
]


@pytest.mark.parametrize(("given", "said"), BAD)
def test_wrong_input_is_a_clear_error(given: dict[str, Any], said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        ge.compare(TRUTH, **given)


def test_text_is_never_the_same_label_as_a_number() -> None:
    with pytest.raises(GermaneError, match=r"numbers \(0\) as truth and text \('0'\) from a"):
        ge.compare([0, 1], y_pred={"a": ["0", "1"], "b": [0, 1]})


ROWS = np.arange(3_000)
LONG_TRUTH, LONG_SCORES = ROWS % 2, {"a": ROWS % 7, "b": ROWS % 5}
PERFECT = {"a": ROWS % 7, "b": ROWS % 2}
DRAWS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    # scores    how often          remark
    (LONG_SCORES, {},                 "1333 resamples"),  # the usual 2,000 would take 6 million draws
    (LONG_SCORES, {"resamples": 1500}, ""),  # what is asked for is drawn
    (PERFECT,     {},                 "p is the smallest possible with 1333 resamples"),
    (PERFECT,     {"resamples": 1500}, "p is the smallest possible with 1500 resamples"),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "given", "remark"), DRAWS)
def test_resamples_that_are_asked_for_are_drawn(scores: dict[str, Any], given: dict[str, Any], remark: str) -> None:
    (pair,) = ge.compare(LONG_TRUTH, y_score=scores, measures=["AP"], **given).pairs
    assert pair.remark == remark
    draws = given.get("resamples", 1333)
    assert pair.p == pytest.approx(2 / (draws + 1)) if "smallest" in remark else pair.p > 2 / (draws + 1)
    # p is a multiple of what one draw adds, so that it tells how many there were.
    assert pair.p * (draws + 1) / 2 == pytest.approx(round(pair.p * (draws + 1) / 2))


def test_short_data_are_drawn_as_often_as_usual() -> None:
    short = {name: column[:50] for name, column in LONG_SCORES.items()}
    (pair,) = ge.compare(LONG_TRUTH[:50], y_score=short, measures=["AP"]).pairs
    assert pair.remark == ""


def test_a_baseline_that_is_nearly_a_name_is_guessed() -> None:
    with pytest.raises(GermaneError, match=r"unknown classifier 'modelb'; did you mean model_b\?"):
        ge.compare(TRUTH, y_pred={"model_a": A, "model_b": B}, baseline="modelb")


def test_a_measure_that_does_not_exist_is_named() -> None:
    with pytest.raises(MeasureError, match="unknown measure 'Fx'"):
        ge.compare([0, 1], y_pred={"a": [0, 1], "b": [0, 1]}, measures=["Fx"])


def test_classifiers_of_weighted_items_are_not_compared() -> None:
    items = {"label": [0, 1, 0, 1], "a": [0.1, 0.9, 0.4, 0.6], "b": [0.2, 0.8, 0.7, 0.3], "w": [1.5, 0.5, 1, 1]}
    found = ge.classify(items, truth="label", score=["a", "b"], weight="w", positive=1)
    with pytest.raises(GermaneError, match="classifiers of weighted items, or of one class only, cannot be compared"):
        ge.compare(found)
