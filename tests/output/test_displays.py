"""Displays: the same figure from predictions and from an estimator, and errors that name what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, LinearSVC

import germane as ge
from germane.output.plots.kinds import DECISION_PLOTS
from germane.sklearn import Display
from tests.errors.provoking import provoked

X, Y = make_classification(60, flip_y=0.2, random_state=0)
MODEL = LogisticRegression().fit(X, Y)
SCORES = MODEL.predict_proba(X)[:, 1]
MANY_X, MANY_Y = load_iris(return_X_y=True)
OF_MANY = LogisticRegression(max_iter=1000).fit(MANY_X, MANY_Y)


@pytest.mark.parametrize("kind", DECISION_PLOTS)
def test_an_estimator_draws_what_its_predictions_draw(kind: str) -> None:
    of_estimator = Display.from_estimator(MODEL, X, Y, kind=kind, name="model")
    given = MODEL.predict(X) if kind == "confusion" else SCORES
    of_predictions = Display.from_predictions(Y, given, kind=kind, name="model")
    assert of_estimator.figure_ == of_predictions.figure_
    assert of_estimator.kind == kind
    assert repr(of_estimator) == f"<Display: {kind} of model>"


@pytest.mark.parametrize("kind", ["predicted", "residuals"])
def test_a_regression_is_drawn(kind: str) -> None:
    numbers = X[:, 0] + np.arange(60) % 3
    model = LinearRegression().fit(X, numbers)
    shown = Display.from_estimator(model, X, numbers, kind=kind, name="model")
    assert shown.figure_ == Display.from_predictions(numbers, model.predict(X), kind=kind, name="model").figure_
    assert shown.performance_["R2"].value == pytest.approx(model.score(X, numbers))


def test_the_figure_is_that_of_plot() -> None:
    shown = Display.from_predictions(Y, SCORES, kind="roc", name="model")
    assert shown.figure_ == ge.plot("roc", Y, y_score=SCORES, name="model")
    assert shown.plot() is shown.figure_
    assert shown.performance_["AUC"].value == pytest.approx(roc_auc_score(Y, SCORES))


def test_a_notebook_shows_a_display() -> None:
    shown = Display.from_predictions(Y, SCORES)
    spec = "application/vnd.vegalite.v5+json"
    assert shown._repr_mimebundle_()[spec] == shown.figure_._repr_mimebundle_()[spec]
    assert shown._repr_mimebundle_().keys() >= {spec, "text/plain", "image/svg+xml"}


def test_a_display_is_written_to_a_file(tmp_path: Path) -> None:
    Display.from_predictions(Y, SCORES, size="column").save(str(tmp_path / "roc.svg"))
    assert "<svg" in (tmp_path / "roc.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["roc", "calibration"])
def test_the_other_class_may_be_positive(kind: str) -> None:
    of_zero = Display.from_estimator(MODEL, X, Y, kind=kind, pos_label=0)  # type: ignore[call-arg]
    assert of_zero.performance_[0].positive == 0
    assert of_zero.performance_["AUC"].value == pytest.approx(roc_auc_score(Y, SCORES))


def test_a_decision_function_is_drawn_where_probabilities_are_missing() -> None:
    model = SVC().fit(X, Y)
    expected = roc_auc_score(Y, model.decision_function(X))
    for positive in (0, 1):
        shown = Display.from_estimator(model, X, Y, positive=positive)
        assert shown.performance_["AUC"].value == pytest.approx(expected)


def test_one_of_many_classes_is_drawn_against_the_rest() -> None:
    shown = Display.from_estimator(OF_MANY, MANY_X, MANY_Y, kind="calibration", positive=1)
    expected = roc_auc_score(MANY_Y == 1, OF_MANY.predict_proba(MANY_X)[:, 1])
    assert shown.performance_["AUC"].value == pytest.approx(expected)
    curves = Display.from_estimator(OF_MANY, MANY_X, MANY_Y, kind="roc").figure_
    assert curves == ge.plot("roc", MANY_Y, y_proba=OF_MANY.predict_proba(MANY_X), name="LogisticRegression")


def test_weights_count() -> None:
    weights = np.where(Y == 1, 3, 1)
    shown = Display.from_estimator(MODEL, X, Y, kind="pr", sample_weight=weights)
    assert shown.performance_[0].num_rows == 60
    plain = Display.from_estimator(MODEL, X, Y, kind="pr")
    assert shown.performance_["AP"].value > plain.performance_["AP"].value


test_errors = provoked(
    [
        ("unknown kind of display 'rocc'; did you mean roc?", lambda: Display.from_predictions(Y, SCORES, kind="rocc")),
        (
            "a figure of kind calibration needs predict_proba, which LinearSVC does not have",
            lambda: Display.from_estimator(LinearSVC().fit(X, Y), X, Y, kind="calibration"),
        ),
        (
            "a figure of kind density shows one class, found probabilities of 3",
            lambda: Display.from_estimator(OF_MANY, MANY_X, MANY_Y, kind="density"),
        ),
        ("predict_proba of LogisticRegression failed", lambda: Display.from_estimator(MODEL, X[:, :2], Y)),
        (
            "expected the true labels as y_true, found None",
            lambda: Display.from_predictions(None, SCORES),  # type: ignore[arg-type]
        ),
        ("unknown class 7", lambda: Display.from_estimator(MODEL, X, Y, positive=7)),
    ]
)
