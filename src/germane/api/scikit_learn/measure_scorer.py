"""The scorer that scikit-learn's tools call. This module imports scikit-learn, and only `scorers` imports it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics._scorer import _BaseScorer

from germane.api.scikit_learn.scored_measure import ScoredMeasure, has_label_sets
from germane.errors import GermaneError

WITHOUT = {
    "predict_proba": "use an estimator with predict_proba, or wrap it: CalibratedClassifierCV(estimator)",
    "decision_function": "use an estimator whose decision_function returns log-likelihood ratios",
    "score_samples": "use an estimator of densities, such as KernelDensity",
}
"""Hints by a method that an estimator lacks."""


class MeasureScorer(_BaseScorer):  # type: ignore[misc]
    """A measure of germane as a scorer of scikit-learn: called with an estimator, X and y, it returns a number.

    Higher is better, as for every scorer: a measure of which lower values are better is negated. `set_score_request`
    requests `sample_weight` where metadata routing is enabled. Scorers of one dictionary share predictions.
    """

    def __init__(self, measure: ScoredMeasure, *, greater_is_better: bool) -> None:
        known = {} if measure.positive is None else {"pos_label": measure.positive}
        super().__init__(measure, 1 if greater_is_better else -1, known, measure.methods)
        self.measure = measure
        self.greater_is_better = greater_is_better
        self.sign: int = self._sign

    def __call__(
        self, estimator: Any, X: Any, y_true: Any = None, *, sample_weight: Any = None, **params: Any
    ) -> float:
        """Return the score of a fitted estimator; densities and vectors have no `y_true`."""
        return float(super().__call__(estimator, X, y_true, sample_weight=sample_weight, **params))

    def signed(self, values: Any) -> Any:
        """Return scores as values of the measure, or values as scores."""
        return self.sign * np.asarray(values, dtype=np.float64)

    def __repr__(self) -> str:
        given = [repr(str(self.measure)), f"greater_is_better={self.greater_is_better}"]
        options = {**self._kwargs, **dict(self.measure.options)}
        return f"scorer({', '.join([*given, *(f'{name}={value!r}' for name, value in options.items())])})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeasureScorer) and (self.measure, self.sign) == (other.measure, other.sign)

    def __hash__(self) -> int:
        return hash((self.measure, self.sign))

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any = None, sample_weight: Any = None
    ) -> float:
        measure = self.measure
        if y_true is None and measure.needs not in ("densities", "vectors"):
            raise GermaneError(f"{measure} needs true values, found no y", hint="pass y")
        several = has_label_sets(y_true)
        method = self._method_of(estimator, several=several)
        if measure.needs == "vectors":
            return self.sign * measure.of_vectors(X, estimator.predict(X))
        if measure.needs in ("numbers", "clusters", "densities"):
            return self.sign * measure(y_true, getattr(estimator, method)(X), sample_weight=sample_weight)
        if several:
            response = getattr(estimator, method)(X)
            if isinstance(response, list):  # for each label a column for "no" and one for "yes"
                response = np.stack([columns[:, -1] for columns in response], axis=1)
            return self.sign * measure.of_labels(y_true, response, method, sample_weight)
        # The positive class is not passed on: scikit-learn would cache the column of one scorer for all others.
        response = method_caller(estimator, method, X, pos_label=None)
        classes = np.asarray(getattr(estimator, "classes_", None) if hasattr(estimator, "classes_") else y_true)
        labels = np.unique(classes).tolist() if classes.ndim == 1 else []
        if method == "predict":
            return self.sign * measure.of_classes(y_true, response, labels, sample_weight)
        return self.sign * measure.of_scores(y_true, response, labels, method, sample_weight)

    def _method_of(self, estimator: Any, *, several: bool) -> str:
        """Return the first method that the estimator has; several classes need probabilities, several labels do not."""
        methods = self.measure.methods
        if not several and len(getattr(estimator, "classes_", ())) > 2 and "predict_proba" in methods:
            methods = ("predict_proba",)
        found = next((method for method in methods if hasattr(estimator, method)), None)
        if found is None:
            lacking = " or ".join(methods)
            problem = f"{self.measure} needs {lacking}, which {type(estimator).__name__} does not have"
            raise GermaneError(problem, hint=WITHOUT.get(methods[-1]))
        return found
