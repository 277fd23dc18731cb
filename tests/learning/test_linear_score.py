"""Score = aα + bω + c and its threshold: the lectures' example, least squares, and rules."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from germane.errors import GermaneError
from germane.learning.learners.linear_score import LinearScore

LECTURE = [
    # document, query               α      ω  relevant
    ("37 linux operating system",   0.032, 3, 1),
    ("37 penguin logo",             0.02,  4, 0),
    ("238 operating system",        0.043, 2, 1),
    ("238 runtime environment",     0.004, 2, 0),
    ("1741 kernel layer",           0.022, 3, 1),
    ("2094 device driver",          0.03,  2, 1),
    ("3191 device driver",          0.027, 5, 0),
]  # fmt: skip
X = np.array([[alpha, omega] for _, alpha, omega, _ in LECTURE])
Y = np.array([relevant for *_, relevant in LECTURE])


def test_the_lectures_examples() -> None:
    model = LinearScore().fit(X, Y)
    assert model.predict(X).tolist() == [True, False, True, False, True, True, False]
    a, b = model.coef_
    assert a > 0 > b  # the more alike and the nearer together, the better
    scores = model.decision_function(X)
    assert scores == pytest.approx(a * X[:, 0] + b * X[:, 1] + model.intercept_)
    assert model.threshold_ == pytest.approx((scores[Y == 1].min() + scores[Y == 0].max()) / 2)


def test_the_weights_are_those_of_least_squares() -> None:
    model, oracle = LinearScore().fit(X, Y), LinearRegression().fit(X, Y)
    assert model.coef_ == pytest.approx(oracle.coef_)
    assert model.intercept_ == pytest.approx(oracle.intercept_)


# One feature that rises with the score; relevant are two, four and five of five.
RISING, RELEVANT = [[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 1, 0, 1, 1]
RULES = [
    # rule                     called relevant    why
    ("accuracy",               [0, 0, 0, 1, 1],   "one error, as from two on; of tied choices the highest threshold"),
    ("TPR where PPV>=.7",      [0, 1, 1, 1, 1],   "all are found, three of four rightly"),
    ("TNR",                    [0, 0, 0, 0, 0],   "nothing called relevant is no false alarm: the highest score is θ"),
    ("cost(cost_fn=100)",      [0, 1, 1, 1, 1],   "a miss costs more than any false alarm"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "expected", "why"), RULES)
def test_the_rule_chooses_the_threshold(rule: str, expected: list[int], why: str) -> None:
    model = LinearScore(rule).fit(RISING, RELEVANT)
    assert model.predict(RISING).astype(int).tolist() == expected, why


def test_a_rule_that_calls_all_relevant_puts_the_threshold_just_below_the_lowest_score() -> None:
    model = LinearScore("TPR where TPR>=1").fit([[1.0], [1.0], [2.0]], [1, 1, 0])
    lowest_relevant = model.decision_function([[1.0]])[0]
    assert model.predict([[1.0]]).all()
    model = LinearScore("TPR").fit([[2.0], [1.0], [0.0]], [1, 0, 1])
    assert model.predict([[2.0], [1.0], [0.0]]).all()
    assert model.threshold_ < model.decision_function([[2.0], [1.0], [0.0]]).min()
    assert lowest_relevant > 0


def test_constant_and_repeated_features() -> None:
    model = LinearScore().fit([[1, 7, 1], [2, 7, 2], [3, 7, 3]], [0, 1, 1])
    assert model.coef_[1] == 0
    assert model.coef_[0] == pytest.approx(model.coef_[2])


def test_a_model_survives_json() -> None:
    model = LinearScore("F1").fit(X, Y)
    again = LinearScore.from_json(json.loads(json.dumps(model.to_json())))
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()
    assert (again.rule, again.threshold_, again.rule_in_words_) == ("F1", model.threshold_, model.rule_in_words_)


WRONG = [
    # X                    y               rule        message
    ([[1.0], [np.nan]],    [1, 0],         "accuracy", "found nan in row 2, column 1"),
    ([[1.0], [2.0]],       [1, 2],         "accuracy", "expected 1 for relevant and 0"),
    ([[1.0], [2.0]],       ["yes", "no"],  "accuracy", "expected 1 for relevant and 0"),
    ([[1.0], [2.0]],       [1, 1],         "accuracy", "found only"),
    ([[1.0], [2.0]],       [1, 0, 1],      "accuracy", "a label for each of 2 rows, found 3"),
    ([[1.0], [2.0]],       [1, 0],         "acuracy",  "accuracy"),
    ([[1.0], [2.0]],       [1, 0],         "rule-out TPR>=.5, rule-in TNR>=.5", "one threshold"),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "y", "rule", "message"), WRONG)
def test_wrong_input_is_told(rows: Any, y: Any, rule: str, message: str) -> None:
    with pytest.raises(GermaneError, match=message):
        LinearScore(rule).fit(rows, y)
