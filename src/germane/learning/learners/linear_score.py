"""A linear score of the features with a threshold: the first learner of relevance in the lectures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from germane.errors import GermaneError
from germane.learning.learners.estimator import SavedEstimator
from germane.learning.learners.training_rows import checked_features, checked_labels
from germane.stats.thresholds.aims import PairRule
from germane.stats.thresholds.choice import choose_threshold
from germane.stats.thresholds.rules import parse_rule
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.decisions import Decisions


class LinearScore(SavedEstimator):
    """Linear classifier: score = w·x + c; relevant if score > θ.

    Formula:    w and c by least squares against 1 (relevant) and 0 (non-relevant). θ by `rule`, as in `germane
                threshold` (accuracy, youden, F1, "TPR where TNR>=0.9", …), on the training rows: midway between the
                lowest score that the rule calls relevant and the next lower one; of tied thresholds the highest.
    Reference:  Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, 15.4.1.
    Edge cases: Features that are constant or repeat others share the smallest weights that fit. If the rule calls all
                rows relevant, θ is just below the lowest score; if none, it is the highest score. Results on the
                training rows are optimistic: evaluate the classifier on held-out rows.

    The seven examples of cosine α and window ω from the lectures:

    >>> rows = [[0.032, 3], [0.02, 4], [0.043, 2], [0.004, 2], [0.022, 3], [0.03, 2], [0.027, 5]]
    >>> model = LinearScore().fit(rows, [1, 0, 1, 0, 1, 1, 0])
    >>> a, b, c = *model.coef_, model.intercept_
    >>> f"Score = {a:.2f} α {b:+.3f} ω {c:+.3f}, θ = {model.threshold_:.3f}"
    'Score = 28.05 α -0.239 ω +0.576, θ = 0.342'
    """

    kind = "LinearScore"
    saved: ClassVar[Mapping[str, str]] = {n: f"{n}_" for n in ("coef", "intercept", "threshold", "rule_in_words")}
    coef_: FloatArray
    intercept_: float
    threshold_: float
    rule_in_words_: str

    def __init__(self, rule: str = "accuracy") -> None:
        self.rule = rule

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to features, and to which rows are relevant (1 or True) and non-relevant (0 or False)."""
        features = checked_features(X)
        is_relevant = relevance_of(checked_labels(y, len(features)))
        if isinstance(parse_rule(self.rule), PairRule):
            raise GermaneError(f"expected a rule that chooses one threshold, found {self.rule!r}")
        centre, spread = features.mean(axis=0), features.std(axis=0)
        spread[spread == 0] = 1.0
        target = is_relevant.astype(np.float64)
        scaled = np.linalg.lstsq((features - centre) / spread, target - target.mean(), rcond=None)[0]
        self.coef_ = scaled / spread
        self.intercept_ = float(target.mean() - self.coef_ @ centre)
        self.n_features_in_ = features.shape[1]
        scores = self.decision_function(features)
        choice = choose_threshold(Decisions.of(is_relevant, scores), self.rule)
        self.rule_in_words_ = choice.words
        self.threshold_ = _between(scores, float(choice.points[0].threshold))
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row."""
        self._require_fitted("coef_")
        features = checked_features(X, columns=self.n_features_in_)
        return np.asarray(np.einsum("ij,j->i", features, self.coef_) + self.intercept_)

    def predict(self, X: Any) -> BoolArray:
        """Return a mask of the rows with a score above the threshold."""
        return self.decision_function(X) > self.threshold_


def relevance_of(labels: Any) -> BoolArray:
    """Return labels 1 and 0, or True and False, as booleans; both must occur.

    >>> relevance_of(np.array([1, 0, 1])).tolist()
    [True, False, True]
    """
    found = np.unique(labels)
    if found.dtype.kind not in "biuf" or not np.isin(found, [0, 1]).all():
        shown = ", ".join(map(repr, found[:5].tolist()))
        hint = "turn grades into labels with grades >= 1, or a higher grade"
        raise GermaneError(f"expected 1 for relevant and 0 for non-relevant, found {shown}", hint=hint)
    if len(found) < 2:
        raise GermaneError(f"expected relevant and non-relevant rows (1 and 0), found only {float(found[0]):g}")
    return np.asarray(labels == 1)


def _between(scores: FloatArray, lowest: float) -> float:
    """Return a threshold that scores of `lowest` or more exceed, and no lower score."""
    lower = scores[scores < lowest]
    if not len(lower):
        return float(np.nextafter(lowest, -np.inf))
    return float(lower.max()) if np.isinf(lowest) else float((lower.max() + lowest) / 2)
