"""The SVM classifier: our arithmetic against scikit-learn's, files without scikit-learn, and wrong input."""

import json
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

from germane.errors import GermaneError, MissingExtraError
from germane.learning.learners.svm import SVMClassifier

RANDOM = np.random.default_rng(6)
X = RANDOM.normal(size=(80, 2)) * [1, 20] + [5, 0]
INSIDE = ((X[:, 0] - 5) ** 2 + (X[:, 1] / 20) ** 2 < 1).astype(int)
THREE = np.array(["low", "mid", "high"])[np.digitize(X[:, 0], [4.5, 5.5])]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
@pytest.mark.parametrize("labels", [INSIDE, THREE], ids=["two classes", "three classes"])
def test_scores_are_those_of_sklearn(kernel: Any, labels: Any) -> None:
    scaled = (X - X.mean(0)) / X.std(0)
    model = SVMClassifier(2.0, kernel=kernel, gamma=0.5).fit(X, labels)
    oracle: Any = LinearSVC(C=2.0, dual=False, tol=1e-6)
    if kernel != "linear":
        oracle = SVC(C=2.0, kernel="poly" if kernel == "polynomial" else "rbf", gamma=0.5, degree=2, coef0=1, tol=1e-6)
    oracle = OneVsRestClassifier(oracle).fit(scaled, labels)
    assert model.decision_function(X) == pytest.approx(oracle.decision_function(scaled), abs=1e-5)
    assert (model.predict(X) == oracle.predict(scaled)).mean() > 0.98
    assert model.classes_.tolist() == oracle.classes_.tolist()


def test_a_disc_needs_a_kernel() -> None:
    share = {kernel: (SVMClassifier(10, kernel=kernel).fit(X, INSIDE).predict(X) == INSIDE).mean()
             for kernel in ("linear", "rbf", "polynomial")}  # fmt: skip
    assert share["linear"] < 0.8
    assert min(share["rbf"], share["polynomial"]) > 0.95


def test_weights_are_in_the_units_of_the_features() -> None:
    model = SVMClassifier().fit(X, X[:, 1] > 0)
    assert X @ model.coef_[0] + model.intercept_[0] == pytest.approx(model.decision_function(X))
    by_thousand = SVMClassifier().fit(X * [1, 1000], X[:, 1] > 0)
    assert by_thousand.coef_[0] * [1, 1000] == pytest.approx(model.coef_[0], rel=1e-6)
    unscaled = SVMClassifier(standardise=False).fit(X, X[:, 1] > 0)
    assert unscaled.coef_[0] != pytest.approx(model.coef_[0], rel=1e-2)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
@pytest.mark.parametrize("labels", [INSIDE, INSIDE == 1, THREE], ids=["numbers", "booleans", "texts"])
def test_a_model_survives_json_and_needs_no_sklearn(kernel: Any, labels: Any, monkeypatch: Any) -> None:
    model = SVMClassifier(kernel=kernel).fit(X, labels)
    for name in [name for name in sys.modules if name.startswith("sklearn")]:
        monkeypatch.setitem(sys.modules, name, None)
    again = SVMClassifier.from_json(json.loads(json.dumps(model.to_json())))
    assert again.decision_function(X) == pytest.approx(model.decision_function(X), rel=1e-12)
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.get_params() == model.get_params()
    with pytest.raises(MissingExtraError, match="learn"):
        SVMClassifier().fit(X, labels)


WRONG = [
    # X                   y              params                      message
    ([[1.0], [np.inf]],   [1, 0],        {},                         "found inf in row 2, column 1"),
    ([[1.0], [2.0]],      [1, 1],        {},                         "at least two classes, found"),
    ([[1.0], [2.0]],      [1],           {},                         "a label for each of 2 rows, found 1"),
    ([[1.0], [2.0]],      [1, np.nan],   {},                         "found nan in row 2"),
    ([[1.0], [2.0]],      np.array([1, "a"], dtype=object), {},      "all numbers or all text, found int, str"),
    ([[1.0], [2.0]],      [1, 0],        {"C": -1},                  "a positive C"),
    ([[1.0], [2.0]],      [1, 0],        {"kernel": "cosine"},       "expected kernel to be one of linear, rbf"),
    (X,                   INSIDE,        {"kernel": "rbf", "max_iter": 1}, "did not converge within 1 step"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "y", "params", "message"), WRONG)
def test_wrong_input_is_told(rows: Any, y: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        SVMClassifier(**params).fit(rows, y)


def test_a_kernel_machine_has_no_weights_for_features() -> None:
    with pytest.raises(GermaneError, match="feature weights require kernel='linear', found 'rbf'"):
        _ = SVMClassifier(kernel="rbf").fit(X, INSIDE).coef_
