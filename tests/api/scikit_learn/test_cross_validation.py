"""Estimators compared on folds: published numbers, an independent formula, and runs as clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_classification, make_moons, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    cross_validate,
)
from sklearn.svm import SVC

import germane as ge
from germane.sklearn import compare_cross_validated, compare_folds, scorer
from tests.errors.provoking import provoked

X, Y = make_classification(90, random_state=1)
GOOD, BAD = LogisticRegression(), DummyClassifier(strategy="uniform", random_state=0)
TWO = {"bad": BAD, "good": GOOD}
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)


def corrected_p(differences: Any, train: float, test: float) -> float:
    """Two-sided p of the corrected repeated k-fold test, as Bouckaert & Frank (2004) have it."""
    n, mean, variance = len(differences), np.mean(differences), np.var(differences, ddof=1)
    return float(2 * stats.t.sf(abs(mean) / math.sqrt(variance * (1 / n + test / train)), n - 1))


def test_the_example_of_scikit_learn() -> None:
    """Its page "Statistical comparison of models using grid search" has t = 0.750 and, one-sided, p = 0.227."""
    moons, labels = make_moons(noise=0.352, random_state=1, n_samples=100)
    models = {kernel: SVC(kernel=kernel, random_state=0) for kernel in ("linear", "rbf")}
    cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    found = compare_cross_validated(models, moons, labels, measures="AUC", cv=cv, sides="greater")
    assert round(found.pairs[0].p, 3) == 0.227
    assert round(stats.t.isf(found.pairs[0].p, 99), 3) == 0.750
    naive = ge.compare(found.scores, sides="greater").pairs[0]
    assert round(naive.p, 3) == 0.005


@pytest.mark.parametrize("measures", ["ACC", "AUC, F1[macro]", ["log_loss"]])
def test_differences_and_p_are_those_of_an_independent_computation(measures: Any) -> None:
    found = compare_cross_validated(TWO, X, Y, measures=measures, cv=TWICE, correction="none")
    for pair in found.pairs:
        columns = []
        for model in (BAD, GOOD):
            each = scorer(pair.measure)
            columns.append(cross_validate(model, X, Y, scoring=each, cv=TWICE)["test_score"])
        sign = -1 if pair.measure == "log_loss" else 1
        differences = sign * (columns[1] - columns[0])
        assert pair.difference == pytest.approx(differences.mean())
        assert pair.p == pytest.approx(corrected_p(differences, 60, 30))
        half = stats.t.ppf(0.975, 5) * math.sqrt(differences.var(ddof=1) * (1 / 6 + 0.5))
        assert (pair.low, pair.high) == pytest.approx((pair.difference - half, pair.difference + half))


def test_lower_is_better_for_a_loss() -> None:
    found = compare_cross_validated(TWO, X, Y, measures="log_loss", cv=TWICE)
    (pair,) = found.pairs
    assert pair.mean_a > pair.mean_b > 0
    assert pair.wins == 6
    assert found.scores.lower_is_better("log_loss")


def test_runs_as_clusters_by_hand() -> None:
    """Two runs of two folds: the means of runs are 0.2 and 0.05, all differences 0.1 0.3 -0.1 0.2."""
    splits = {"train": [np.r_[2, 3], np.r_[0, 1]] * 2, "test": [np.r_[0, 1], np.r_[2, 3]] * 2}
    results = {
        "a": {"test_ACC": [0.0] * 4, "indices": splits},
        "b": {"test_ACC": [0.1, 0.3, -0.1, 0.2], "indices": splits},
    }
    found = compare_folds(results, runs="clusters")
    error = math.sqrt(0.15**2 / 2 / 2 + 1 * 0.0875 / 3)
    assert found.pairs[0].p == pytest.approx(2 * stats.t.sf(0.125 / error, 3))
    assert found.pairs[0].high == pytest.approx(0.125 + stats.t.ppf(0.975, 3) * error)
    assert found.test == "corrected resampled t, runs as clusters"
    assert found.scores.queries == ("run 1 fold 1", "run 1 fold 2", "run 2 fold 1", "run 2 fold 2")
    assert "corrected resampled t-test with runs as clusters" in str(found)
    assert compare_folds(results).pairs[0].p == pytest.approx(corrected_p([0.1, 0.3, -0.1, 0.2], 2, 2))


def test_results_of_cross_validate_give_what_the_estimators_give() -> None:
    of_estimators = compare_cross_validated(TWO, X, Y, measures="ACC", cv=TWICE, runs="clusters")
    results = {
        name: cross_validate(model, X, Y, scoring={"ACC": "accuracy"}, cv=TWICE, return_indices=True)
        for name, model in TWO.items()
    }
    of_results = compare_folds(results, runs="clusters")
    assert of_results.pairs == of_estimators.pairs
    assert of_results.scores.queries == of_estimators.scores.queries


def test_all_pairs_and_measures_are_one_family() -> None:
    three = {**TWO, "svm": SVC()}
    found = compare_cross_validated(three, X, Y, measures="ACC, AUC", cv=5)
    assert (found.num_tests, found.correction, found.simultaneous) == (6, "bonferroni", True)
    assert [pair.p_adjusted for pair in found.pairs] == pytest.approx([min(1, 6 * pair.p) for pair in found.pairs])
    against = compare_cross_validated(three, X, Y, cv=5, baseline="bad", correction="holm")
    assert [(pair.a, pair.b) for pair in against.pairs] == [("bad", "good"), ("bad", "svm")]


def test_a_splitter_with_chance_in_it_divides_once_for_all() -> None:
    same = {"one": LogisticRegression(), "another": LogisticRegression()}
    found = compare_cross_validated(same, X, Y, cv=KFold(3, shuffle=True), measures="ACC")
    assert (found.pairs[0].ties, found.pairs[0].p) == (3, 1)


def test_groups_and_numbers() -> None:
    rows, values = make_regression(60, noise=5, random_state=0)
    groups = [f"patient {i // 6}" for i in range(60)]
    models = {"mean": DummyRegressor(), "linear": LinearRegression()}
    found = compare_cross_validated(models, rows[:, :5], values, measures="RMSE", cv=GroupKFold(5), groups=groups)
    assert len(found.scores.queries) == 5
    assert found.pairs[0].mean_a > 0


def test_equivalence_on_folds_uses_the_corrected_error() -> None:
    values = {"a": {"ACC": [0.80, 0.82, 0.81, 0.83]}, "b": {"ACC": [0.81, 0.82, 0.80, 0.84]}}
    (pair,) = compare_folds(values, folds=(90, 10), equivalence=0.05).pairs
    differences = np.asarray([0.01, 0.0, -0.01, 0.01])
    error = math.sqrt(differences.var(ddof=1) * (1 / 4 + 1 / 9))
    expected = stats.t.sf((0.05 - differences.mean()) / error, 3)
    assert pair.p_equivalent == pytest.approx(expected)
    assert compare_folds(values, folds=(90, 10)).variance == ()


VALUES = {"a": {"ACC": [0.5, 0.6, 0.7]}, "b": {"ACC": [0.6, 0.7, 0.9]}}
BY_FOLD = {"a": {"1": 1.0, "2": 2.0}, "b": {"1": 1.0, "2": 3.0}}
RESULTS = {
    name: cross_validate(model, X, Y, scoring={"ACC": "accuracy"}, cv=TWICE, return_indices=True)
    for name, model in TWO.items()
}
REPEATED = RepeatedKFold(n_splits=3, n_repeats=2)
OTHER = cross_validate(GOOD, X, Y, scoring={"ACC": "accuracy"}, cv=REPEATED, return_indices=True)

test_errors = provoked(
    [
        ("expected at least two estimators, found none", lambda: compare_cross_validated({}, X, Y)),
        ("expected at least two systems to compare, found 1", lambda: compare_cross_validated({"a": GOOD}, X, Y, cv=2)),
        ("dividing the rows into folds failed", lambda: compare_cross_validated(TWO, X, Y[:5], cv=2)),
        (
            "cross-validation of good failed",
            lambda: compare_cross_validated(TWO, X, Y, measures="RMSE", cv=[([0], [1])] * 2),
        ),
        (
            "runs as clusters need several runs with equally many folds, found 1 run",
            lambda: compare_cross_validated(TWO, X, Y, cv=3, runs="clusters"),
        ),
        (
            "found splits that are not runs",
            lambda: compare_cross_validated(TWO, X, Y, cv=ShuffleSplit(3, random_state=0), runs="clusters"),
        ),
        ("cannot tell the sizes of training and test part", lambda: compare_folds(VALUES)),
        ("the results have indices, which say the sizes", lambda: compare_folds(RESULTS, folds=(60, 30))),
        (
            "runs as clusters need to know which folds are a run",
            lambda: compare_folds(VALUES, folds=(9, 1), runs="clusters"),
        ),
        (
            "expected the same measures, found ACC of a and F1 of b",
            lambda: compare_folds({**VALUES, "b": {"F1": [1, 1, 1]}}, folds=(9, 1)),
        ),
        ("cross-validated on the same folds, found different ones", lambda: compare_folds({**RESULTS, "c": OTHER})),
        (
            "cross-validated on the same folds, found different ones",
            lambda: compare_folds({**VALUES, "b": {"ACC": [1, 1]}}, folds=(9, 1)),
        ),
        ("expected values by estimator and measure, found none", lambda: compare_folds({}, folds=(9, 1))),
        ("expected values by estimator and measure, found others", lambda: compare_folds({"a": [1, 2]}, folds=(9, 1))),  # type: ignore[dict-item]
        (
            "max-t resamples independent queries, found folds",
            lambda: compare_folds(VALUES, folds=(9, 1), correction="max-t"),
        ),
        ("expected sizes above 0", lambda: compare_folds(VALUES, folds=(0, 1))),
        (
            "the bootstrap interval assumes independent queries",
            lambda: ge.compare(BY_FOLD, folds=(9, 1), interval="bootstrap"),
        ),
    ]
)
