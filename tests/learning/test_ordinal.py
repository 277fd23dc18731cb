"""The ordered logit: against statsmodels, numerical differences and logistic regression."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from statsmodels.miscmodels.ordinal_model import OrderedModel

from germane.errors import GermaneError
from germane.learning.learners.ordinal import OrderedLogit, _slope_and_curvature, _value

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(300, 3)) * [1.0, 10.0, 0.1] + [0.0, 50.0, 3.0]
LATENT = X @ [1.0, -0.1, 5.0] + RANDOM.logistic(size=300)
GRADE = np.digitize(LATENT, np.quantile(LATENT, [0.4, 0.7, 0.95])).astype(float)


def test_the_maximum_is_that_of_statsmodels() -> None:
    model = OrderedLogit(ridge=0).fit(X, GRADE)
    oracle = OrderedModel(GRADE, (X - X.mean(0)) / X.std(0), distr="logit")
    found = oracle.fit(method="bfgs", disp=False, gtol=1e-9, maxiter=500)
    assert model.coef_ * X.std(0) == pytest.approx(found.params[:3], rel=1e-4)
    thresholds = oracle.transform_threshold_params(found.params[3:])[1:-1]
    assert model.thresholds_ - model.coef_ @ X.mean(0) == pytest.approx(thresholds, rel=1e-4)
    assert model.log_likelihood_ >= found.llf - 1e-9
    expected = found.model.predict(found.params, exog=((X - X.mean(0)) / X.std(0))[:5])
    assert model.predict_proba(X[:5]) == pytest.approx(np.asarray(expected), abs=1e-5)


def test_two_grades_are_logistic_regression() -> None:
    model = OrderedLogit(ridge=1.0).fit(X[:, :1], GRADE > 1)
    oracle = LogisticRegression(C=1.0, tol=1e-10).fit(X[:, :1], GRADE > 1)
    assert model.coef_ == pytest.approx(oracle.coef_[0], rel=1e-6)
    assert -model.thresholds_ == pytest.approx(oracle.intercept_, rel=1e-6)


def test_without_features_that_tell_anything_the_probabilities_are_the_shares() -> None:
    model = OrderedLogit().fit([[1.0]] * 10, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2])
    assert model.coef_.tolist() == [0]
    assert model.predict_proba([[1.0]])[0] == pytest.approx([0.5, 0.3, 0.2])


def apart_from_differences(parameters: Any, penalty: Any) -> tuple[float, float]:
    """How far slope and curvature are from those by differences of the value and of the slope."""
    place = GRADE.astype(np.int64)
    scaled = (X - X.mean(0)) / X.std(0)
    slope, curvature = _slope_and_curvature(parameters, scaled, place, penalty)
    units = 1e-5 * np.eye(len(parameters))
    values = [[_value(parameters + sign * u, scaled, place, penalty) for sign in (1, -1)] for u in units]
    ends = [[_slope_and_curvature(parameters + sign * u, scaled, place, penalty)[0] for sign in (1, -1)] for u in units]
    by_slope = np.array([up - down for up, down in ends])
    return (
        float(np.abs(slope - np.array([up - down for up, down in values]) / 2e-5).max()),
        float(np.abs(curvature - by_slope / 2e-5).max()),
    )


def test_slope_and_curvature_are_those_of_numerical_differences() -> None:
    parameters, penalty = np.array([-1.0, 0.2, 1.7, 0.4, -0.3, 0.1]), np.array([0, 0, 0, 1.0, 2.0, 3.0])
    assert max(apart_from_differences(parameters, penalty)) < 1e-4


def test_probabilities_keep_their_digits_far_out() -> None:
    model = OrderedLogit(ridge=1.0).fit(X, GRADE)
    far = X[:2] + np.array([[60.0], [-60.0]])
    probabilities = model.predict_proba(np.vstack((X, far)))
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(302))
    assert (probabilities > 0).all()
    assert model.predict(far).tolist() in ([0.0, 3.0], [3.0, 0.0])


def test_order_of_rows_and_names_of_grades_change_nothing() -> None:
    model = OrderedLogit().fit(X, GRADE)
    turned = np.random.default_rng(1).permutation(len(X))
    assert OrderedLogit().fit(X[turned], GRADE[turned] * 10 - 7).coef_ == pytest.approx(model.coef_, abs=1e-9)
    assert OrderedLogit().fit(X, -GRADE).coef_ == pytest.approx(-model.coef_, abs=1e-9)


def test_a_model_survives_json() -> None:
    model = OrderedLogit(ridge=0.5).fit(X, GRADE)
    again = OrderedLogit.from_json(json.loads(json.dumps(model.to_json())))
    assert again.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert again.get_params() == model.get_params()


SEPARATED = [
    ([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], "a threshold tells them apart"),
    ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], "nearly: only rows of one value are mixed"),
    ([[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 3], "every row has its grade"),
]


@pytest.mark.parametrize(("rows", "grades", "why"), SEPARATED)
@pytest.mark.parametrize("max_iter", [20, 50, 500])
def test_separated_grades_have_no_maximum_without_a_ridge(rows: Any, grades: Any, why: str, max_iter: int) -> None:
    with pytest.raises(GermaneError, match="did not converge"):
        OrderedLogit(ridge=0, max_iter=max_iter).fit(rows, grades)
    assert OrderedLogit(ridge=0.01).fit(rows, grades).coef_[0] > 0, why


WRONG = [
    # X                   y              params           message
    ([[1.0], [np.nan]],   [1, 0],        {},              "found nan in row 2, column 1"),
    ([[1.0], [2.0]],      [1, 1],        {},              "at least two grades, found"),
    ([[1.0], [2.0]],      [1],           {},              "a grade for each of 2 rows, found 1"),
    ([[1.0], [2.0]],      [1, 0],        {"ridge": -1},   "ridge of 0 or more"),
    (np.zeros((0, 1)),    [],            {},              "at least two grades"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "y", "params", "message"), WRONG)
def test_wrong_input_is_told(rows: Any, y: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        OrderedLogit(**params).fit(rows, y)
