"""Learners as estimators of scikit-learn: its own checks of those that claim to be one, and who does not claim it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator

from germane.errors import GermaneError
from germane.learning import NaiveBayes, PartitioningTransduction, RankingSVM

EXPECTED_TO_FAIL = {"check_supervised_y_2d": "a matrix with one column is a column of labels, without a warning"}


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # germane's learners do not inherit from scikit-learn, which they do not need
    CHECKS = [
        case
        for case in estimator_checks_generator(NaiveBayes(), expected_failed_checks=EXPECTED_TO_FAIL, mark="xfail")
        if "check_array_api_input" not in str(case)  # needs another array library, which is not claimed
    ]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_naive_bayes_is_an_estimator(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn's checks themselves
        check(estimator)


def test_naive_bayes_is_scored_with_weights() -> None:
    model = NaiveBayes().fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1])
    assert model.score([[0.0], [1.0]], [0, 0]) == 0.5
    assert model.score([[0.0], [1.0]], [0, 0], sample_weight=[3, 1]) == 0.75


def test_naive_bayes_in_a_cross_validation() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [2.0]], 30, axis=0)
    labels = np.repeat(["no", "yes"], 30)
    assert cross_val_score(NaiveBayes(), rows, labels, cv=3).min() > 0.7


def test_an_unfitted_learner_raises_what_scikit_learn_catches() -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        NaiveBayes().predict([[1]])
    with pytest.raises(GermaneError, match="not fitted yet"):
        RankingSVM().predict([[1]])


@pytest.mark.parametrize("learner", [RankingSVM(C=2.0), PartitioningTransduction(missing=None)], ids=repr)
def test_other_learners_have_parameters_and_do_not_claim_to_be_classifiers(learner: Any) -> None:
    assert clone(learner).get_params() == learner.get_params()
    assert not hasattr(learner, "__sklearn_tags__")
    assert not hasattr(learner, "score")
    with pytest.raises(AttributeError):
        is_classifier(learner)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: NaiveBayes().fit([[1.0], [2.0]], None), "requires y to be passed"),  # type: ignore[arg-type]
        (lambda: NaiveBayes().fit([[1.0], [2.0]], np.asarray([0.5, 1.5])), "expected classes, found the continuous"),
        (lambda: NaiveBayes().fit(np.asarray([[1j], [2j]]), [0, 1]), "expected real numbers, found complex ones"),
        (lambda: NaiveBayes().fit(np.zeros((2, 0)), [0, 1]), "X has 0 feature"),
    ],
)
def test_what_is_refused(call: Any, problem: str) -> None:
    with pytest.raises(GermaneError, match=problem):
        call()
