"""Classifiers of several labels per item compared: the test of each measure, and families of tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import germane as ge
from germane.errors import GermaneError
from germane.stats.significance.paired_items import paired_means
from tests.errors.provoking import provoked

N, LABELS = 60, ["a", "b", "c", "d"]
CHANCE = np.random.default_rng(4)
TRUE = CHANCE.random((N, 4)) < [0.5, 0.3, 0.2, 0.4]
SCORES = {
    name: TRUE + CHANCE.normal(0, spread, (N, 4)) for name, spread in (("weak", 1.2), ("good", 0.6), ("best", 0.3))
}
CALLED = {name: scores >= 0.5 for name, scores in SCORES.items()}


def compare(*measures: str, **options: Any) -> Any:
    how: dict[str, Any] = {"task": "label-sets", "labels": LABELS, "resamples": 400, "measures": measures or None}
    return ge.compare(TRUE, **{**how, "y_pred": CALLED, "y_score": SCORES, **options})


def test_the_usual_measures_and_their_tests() -> None:
    found = compare()
    assert [(pair.measure, pair.test) for pair in found.pairs if (pair.a, pair.b) == ("weak", "good")] == [
        ("subset_accuracy", "mcnemar exact"),
        ("F1[micro]", "paired bootstrap"),
        ("F1[macro]", "paired bootstrap"),
        ("LRAP", "t"),
        ("AUC[macro]", "paired bootstrap"),
        ("AP[macro]", "paired bootstrap"),
    ]
    assert found.family == "3 pairs of classifiers × 6 measures"
    assert found.num_items == N
    assert all(pair.low <= pair.difference <= pair.high for pair in found.pairs)


MEASURES = ["subset_accuracy", "hamming_loss", "coverage_error", "ranking_loss", "LRAP", "one_error", "F1[samples]"]
MEASURES += ["F1[macro]", "F1[micro]", "F2[weighted]", "AUC[macro]", "AP[micro]", "AUC[weighted]", "AP[samples]"]
MEASURES += ["F1[a]", "TPR[b]", "AUC[c]", "AP[d]", "Jaccard[samples]", "PPV[samples]", "AUC[samples]"]


@pytest.mark.parametrize("measure", MEASURES)
def test_the_values_compared_are_those_that_classify_finds(measure: str) -> None:
    (pair,) = compare(measure, baseline="weak", y_pred={n: CALLED[n] for n in ("weak", "good")},
                      y_score={n: SCORES[n] for n in ("weak", "good")}).pairs  # fmt: skip
    values = []
    for name in ("weak", "good"):
        (found,) = ge.classify(TRUE, CALLED[name], y_score=SCORES[name], labels=LABELS, task="label-sets",
                               measures=[measure], resamples=40)  # fmt: skip
        values.append(found[measure].value)
    assert [pair.value_a, pair.value_b] == pytest.approx(values, rel=1e-12)
    assert pair.difference == pytest.approx(values[1] - values[0], abs=1e-12)
    assert pair.low <= pair.difference <= pair.high
    assert 0 < pair.p <= 1


def test_means_over_items_have_the_paired_t_test_of_scipy() -> None:
    wrong = {name: (called != TRUE).mean(axis=1) for name, called in CALLED.items()}
    (pair,) = compare("hamming_loss", y_pred={n: CALLED[n] for n in ("weak", "good")}, y_score=None).pairs
    theirs = stats.ttest_rel(wrong["good"], wrong["weak"])
    assert (pair.difference, pair.p) == pytest.approx((float(np.mean(wrong["good"] - wrong["weak"])), theirs.pvalue))
    interval = theirs.confidence_interval()
    assert (pair.low, pair.high) == pytest.approx((interval.low, interval.high))


ALIKE = "all items differ by the same amount, so the difference has no spread"
# fmt: off
BY_HAND = [
    # a             b             difference  p      remark
    ([0, 1, 0],     [0, 1, 0],    0,          1.0,   "no item differs"),
    ([0, 0, 0],     [1, 1, 1],    1,          None,  ALIKE),
    ([0.5],         [1],          0.5,        None,  "only one item"),
    ([0, 1, 0, 1],  [1, 1, 1, 0], 0.25,       0.6376, ""),
]
# fmt: on


@pytest.mark.parametrize(("a", "b", "difference", "p", "remark"), BY_HAND)
def test_paired_means_by_hand(a: list[float], b: list[float], difference: float, p: float | None, remark: str) -> None:
    found = paired_means(a, b)
    assert (found.difference, found.remark) == (difference, remark)
    assert np.isnan(found.p) if p is None else found.p == pytest.approx(p, abs=1e-4)


def test_an_interval_stays_within_the_possible_range() -> None:
    found = paired_means([0, 0, 0, 1], [1, 1, 1, 0])
    assert [found.low, found.high] == pytest.approx([-1, 1])
    assert found.high == 1


def test_equal_classifiers_do_not_differ() -> None:
    found = ge.compare(TRUE, y_pred={"a": CALLED["good"], "b": CALLED["good"]}, task="label-sets")
    assert [(pair.difference, pair.p) for pair in found.pairs] == [(0, 1), (0, 1), (0, 1)]


def test_labels_of_an_item_are_resampled_together() -> None:
    # Every label repeats the first, so four labels tell no more than one: the interval must not be narrower.
    (one,) = ge.classify(TRUE[:, :1], CALLED["weak"][:, :1], labels=["a"], task="label-sets", measures=["ACC[micro]"])
    same_truth, same_called = (np.repeat(each[:, :1], 4, axis=1) for each in (TRUE, CALLED["weak"]))
    (four,) = ge.classify(same_truth, same_called, labels=LABELS, task="label-sets", measures=["ACC[micro]"])
    assert four["ACC[micro]"] == one["ACC[micro]"]
    (cells,) = ge.classify(same_truth.ravel(), same_called.ravel(), positive=True, measures=["ACC"])
    width = cells["ACC"].high - cells["ACC"].low
    assert four["ACC[micro]"].high - four["ACC[micro]"].low > 1.7 * width


def test_classify_compares_the_columns_of_a_table() -> None:
    columns = {f"true_{label}": TRUE[:, at].astype(int) for at, label in enumerate(LABELS)}
    for name, called in CALLED.items():
        columns |= {f"{name}_{label}": called[:, at].astype(int) for at, label in enumerate(LABELS)}
    how: dict[str, Any] = {"truth": "true_*", "predicted": ["weak_*", "good_*", "best_*"], "task": "label-sets"}
    found = ge.classify(pd.DataFrame(columns), baseline="weak", correction="bonferroni", **how)
    assert found.comparison is not None
    assert {(pair.a, pair.b) for pair in found.comparison.pairs} == {("weak", "good"), ("weak", "best")}
    by_arrays = ge.compare(
        TRUE, y_pred=CALLED, labels=LABELS, task="label-sets", baseline="weak", correction="bonferroni"
    )
    assert found.comparison.pairs == by_arrays.pairs
    again = ge.compare(found, correction="none")
    assert [pair.p for pair in again.pairs] == [pair.p for pair in by_arrays.pairs]
    assert [pair.p_adjusted for pair in again.pairs] == [pair.p for pair in again.pairs]


def test_scores_are_decided_at_a_threshold() -> None:
    found = ge.compare(TRUE, y_score=SCORES, threshold=0.5, task="label-sets", measures=["F1[micro]"])
    decided = ge.compare(TRUE, y_pred=CALLED, task="label-sets", measures=["F1[micro]"])
    assert found.pairs == decided.pairs


def test_items_that_only_one_classifier_has_a_value_for_are_resampled() -> None:
    silent = CALLED["good"] & (np.arange(N) % 3 > 0)[:, None]
    (pair,) = ge.compare(
        TRUE, y_pred={"a": CALLED["good"], "b": silent}, task="label-sets", measures=["PPV[samples]"], resamples=400
    ).pairs
    assert pair.test in ("paired bootstrap", "none")
    assert pair.value_a != pair.value_b


test_what_cannot_be_compared = provoked(
    [
        ("cannot tell which F1 to compare: that of a label, or an average", lambda: compare("F1")),
        ("unknown label or average 'e'", lambda: compare("F1[e]")),
        ("unknown classifier 'worst'", lambda: compare(baseline="worst")),
        ("unknown correction 'bonferoni'; did you mean bonferroni?", lambda: compare(correction="bonferoni")),
        ("MSE cannot be compared for several labels per item", lambda: compare("MSE")),
        ("`threshold=` needs scores, found none", lambda: compare(y_score=None, threshold=0.5)),
        (
            "expected at least two classifiers to compare by LRAP, found none",
            lambda: compare("LRAP", y_score=None),
        ),
        (
            "expected two classifiers with decisions, or two with scores, found 2 of other kinds",
            lambda: compare(y_pred={"a": CALLED["good"]}, y_score={"b": SCORES["good"]}),
        ),
        (
            "expected a dict with the labels of each classifier as y_pred, found list",
            lambda: compare(y_pred=[CALLED["good"]]),
        ),
        (
            "arrays of task clusters cannot be compared",
            lambda: ge.compare([1, 0], y_pred={"a": [1, 0], "b": [0, 1]}, task="clusters"),
        ),
        ("unknown option 'separator'", lambda: ge.compare([1, 0], y_pred={"a": [1, 0], "b": [0, 1]}, separator=";")),
    ]
)


def test_a_comparison_needs_two() -> None:
    with pytest.raises(GermaneError, match="expected at least two classifiers to compare by subset_accuracy, found a"):
        ge.compare(TRUE, y_pred={"a": CALLED["good"]}, task="label-sets", measures=["subset_accuracy"])
