"""Ordinal regression: grades are ordered, but their distances need not be equal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from germane.errors import GermaneError
from germane.learning.learners.estimator import SavedEstimator
from germane.learning.learners.training_rows import checked_features, checked_grades
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.notes.counts import counted


class OrderedLogit(SavedEstimator):
    """Ordered logit (proportional odds): one linear score, with thresholds between the grades.

    Formula:    P(grade ≤ k) = 1 / (1 + exp(-(θ_k - w·x))), θ ascending; w and θ maximise the log-likelihood minus
                ½·ridge·|w|², by Newton's method (the problem is convex)
    Reference:  McCullagh, "Regression models for ordinal data", JRSS B 42(2), 1980.
    Edge cases: With ridge 0, rows whose grades the features separate have no maximum, which is an error. Constant
                features get weight 0. Two grades: logistic regression.

    >>> model = OrderedLogit(ridge=0.1).fit([[0.0], [1.0], [1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[-1.0], [1.5], [4.0]]).tolist()
    [0.0, 1.0, 2.0]
    """

    kind = "OrderedLogit"
    saved: ClassVar[Mapping[str, str]] = {
        "coef": "coef_",
        "thresholds": "thresholds_",
        "grades": "classes_",
        "log_likelihood": "log_likelihood_",
        "num_steps": "n_iter_",
    }
    coef_: FloatArray
    thresholds_: FloatArray
    classes_: FloatArray
    log_likelihood_: float
    n_iter_: int

    def __init__(self, ridge: float = 1.0, *, tol: float = 1e-9, max_iter: int = 50) -> None:
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to features and grades."""
        if not 0 <= self.ridge < math.inf:
            raise GermaneError(f"expected a ridge of 0 or more, found {self.ridge!r}")
        features = checked_features(X)
        grades, place = np.unique(checked_grades(y, len(features)), return_inverse=True)
        if len(grades) < 2:
            raise GermaneError(f"expected at least two grades, found {grades.tolist()}")
        centre, spread = features.mean(axis=0), features.std(axis=0)
        spread[spread == 0] = 1.0
        parameters, self.n_iter_ = self._maximise((features - centre) / spread, place, self.ridge / spread**2)
        cuts = len(grades) - 1
        self.coef_ = parameters[cuts:] / spread
        self.thresholds_ = parameters[:cuts] + float(self.coef_ @ centre)
        self.classes_ = grades
        self.n_features_in_ = features.shape[1]
        self.log_likelihood_ = float(_terms(self.thresholds_, features @ self.coef_, place).log_p.sum())
        return self

    def _maximise(self, features: FloatArray, place: IntArray, ridge: FloatArray) -> tuple[FloatArray, int]:
        """Return thresholds and weights for standardised features, by Newton's method with step halving."""
        cuts = int(place.max())
        above = np.cumsum(np.bincount(place))[:-1] / len(place)
        parameters = np.concatenate((np.log(above / (1 - above)), np.zeros(features.shape[1])))
        penalty = np.concatenate((np.zeros(cuts), ridge))
        value = _value(parameters, features, place, penalty)
        first_rank = None
        for step_number in range(1, self.max_iter + 1):
            slope, curvature = _slope_and_curvature(parameters, features, place, penalty)
            step, _, rank, _ = np.linalg.lstsq(curvature, slope, rcond=None)
            first_rank = first_rank or rank
            if rank < first_rank:
                break  # the curvature vanished in some direction: there is no maximum
            size = 1.0
            while True:
                tried = parameters - size * step
                found = _value(tried, features, place, penalty)
                if found <= value or size < 1e-10:
                    break
                size /= 2
            parameters, value = tried, found
            if np.abs(step).max() <= self.tol:
                return parameters, step_number
        hint = "use a ridge above 0: features that separate the grades have no best weights without it"
        raise GermaneError(f"the ordered logit did not converge within {counted(self.max_iter, 'step')}", hint=hint)

    def decision_function(self, X: Any) -> FloatArray:
        """Return w·x for each row: the score to rank by."""
        self._require_fitted("coef_")
        return np.asarray(np.einsum("ij,j->i", checked_features(X, columns=self.n_features_in_), self.coef_))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each grade, in the order of `classes_`, for each row."""
        score = self.decision_function(X)
        places = range(len(self.classes_))
        logs = [_terms(self.thresholds_, score, np.full(len(score), place)).log_p for place in places]
        return np.exp(np.stack(logs, axis=1))

    def predict(self, X: Any) -> FloatArray:
        """Return the most probable grade of each row; of equally probable ones the lowest."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class _Terms(NamedTuple):
    """log P(grade) of each row, and its derivatives by the thresholds above and below the grade."""

    log_p: FloatArray
    by_upper: FloatArray
    by_lower: FloatArray
    upper_twice: FloatArray
    lower_twice: FloatArray
    mixed: FloatArray


def _terms(thresholds: FloatArray, score: FloatArray, place: IntArray) -> _Terms:
    """Compute F(u) - F(l) as F(u) · F(-l) · (1 - exp(l - u)), F logistic, to avoid cancellation."""
    ends = np.concatenate(([-np.inf], thresholds, [np.inf]))
    upper, lower = ends[place + 1] - score, ends[place] - score
    f_upper, f_lower = 0.5 * (1 + np.tanh(0.5 * upper)), 0.5 * (1 + np.tanh(0.5 * lower))
    narrow = np.exp(lower - upper)
    with np.errstate(divide="ignore", invalid="ignore"):  # descending thresholds have no likelihood: the caller checks
        log_p = -np.logaddexp(0, -upper) - np.logaddexp(0, lower) + np.log1p(-narrow)
        ratio = narrow / (1 - narrow)
    bend = ratio * (1 + ratio)
    return _Terms(
        log_p,
        1 - f_upper + ratio,
        -f_lower - ratio,
        -f_upper * (1 - f_upper) - bend,
        -f_lower * (1 - f_lower) - bend,
        bend,
    )


def _value(parameters: FloatArray, features: FloatArray, place: IntArray, penalty: FloatArray) -> float:
    """Return the objective to minimise; infinite if thresholds are out of order."""
    cuts = int(place.max())
    if (np.diff(parameters[:cuts]) <= 0).any():
        return math.inf
    log_p = _terms(parameters[:cuts], features @ parameters[cuts:], place).log_p
    return float(0.5 * penalty @ parameters**2 - log_p.sum())


def _slope_and_curvature(
    parameters: FloatArray, features: FloatArray, place: IntArray, penalty: FloatArray
) -> tuple[FloatArray, FloatArray]:
    cuts = int(place.max())
    terms = _terms(parameters[:cuts], features @ parameters[cuts:], place)
    # Upper and lower threshold minus score of a row, as products with all parameters; 0 where there is none.
    number = np.arange(cuts)
    upper = np.hstack((place[:, None] == number, -features * (place < cuts)[:, None]))
    lower = np.hstack((place[:, None] == number + 1, -features * (place > 0)[:, None]))
    slope = penalty * parameters - terms.by_upper @ upper - terms.by_lower @ lower
    crossed = upper.T @ (terms.mixed[:, None] * lower)
    curvature = -(
        upper.T @ (terms.upper_twice[:, None] * upper)
        + lower.T @ (terms.lower_twice[:, None] * lower)
        + crossed
        + crossed.T
    )
    return slope, curvature + np.diag(penalty)
