"""A support vector classifier: fitted by scikit-learn's solvers, applied by germane.

Only `fit` needs scikit-learn. The fitted model is a few arrays, which are applied here, so that a model file can be
used without scikit-learn.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, MissingExtraError
from germane.learning.learners.estimator import SavedEstimator, array_from_json, array_to_json
from germane.learning.learners.kernel_map import Gamma, KernelFunction, KernelName, gamma_of
from germane.learning.learners.training_rows import checked_features, checked_labels
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.notes.counts import counted


@dataclass(frozen=True, eq=False)
class Machine:
    """One binary machine: Σ weight_i · kernel(x, vector_i) + intercept."""

    vectors: FloatArray
    weights: FloatArray
    intercept: float


class SVMClassifier(SavedEstimator):
    """Support vector machine: one for two classes, otherwise one versus rest.

    Formula:    linear: ½|w|² + ½c² + C Σ max(0, 1 - y(w·x + c))² (LIBLINEAR, primal; the intercept c is in the penalty)
                rbf, polynomial: ½|w|² + C Σ max(0, 1 - y(w·φ(x) + c)) (LIBSVM, dual)
    Parameters: kernel: linear x·z; rbf exp(-gamma·|x - z|²); polynomial (gamma·x·z + coef0)^degree.
                standardise: subtract from each feature its mean and divide it by its standard deviation (on the
                training rows), because the penalty assumes features of equal scale.
    Reference:  Boser, Guyon & Vapnik, COLT 1992; Cortes & Vapnik, Machine Learning 20(3), 1995.
    Edge cases: A constant feature is divided by 1. A single class is an error.

    >>> rows, labels = [[-2.0], [-1.0], [0.0], [1.0], [2.0]], ["far", "near", "near", "near", "far"]
    >>> model = SVMClassifier(kernel="polynomial").fit(rows, labels)
    >>> model.predict([[-3.0], [0.5]]).tolist()
    ['far', 'near']
    """

    kind = "SVMClassifier"
    saved: ClassVar[Mapping[str, str]] = {"machines": "machines_"}
    classes_: npt.NDArray[Any]
    machines_: tuple[Machine, ...]
    kernel_: KernelFunction
    mean_: FloatArray
    deviation_: FloatArray

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: KernelName = "linear",
        gamma: Gamma = "scale",
        degree: int = 2,
        coef0: float = 1.0,
        standardise: bool = True,
        max_iter: int = 100_000,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardise = standardise
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Fit to features and a label for each row."""
        if not 0 < self.C < math.inf:
            raise GermaneError(f"expected a positive C, found {self.C!r}")
        features = checked_features(X)
        labels = checked_labels(y, len(features))
        self.classes_ = np.unique(labels)
        if len(self.classes_) < 2:
            raise GermaneError(f"expected at least two classes, found {self.classes_.tolist()}")
        self.n_features_in_ = features.shape[1]
        self.mean_, self.deviation_ = np.zeros(features.shape[1]), np.ones(features.shape[1])
        if self.standardise:
            self.mean_, deviation = features.mean(axis=0), features.std(axis=0)
            self.deviation_ = np.where(deviation > 0, deviation, 1.0)
        scaled = (features - self.mean_) / self.deviation_
        self.kernel_ = KernelFunction(self.kernel, gamma_of(self.gamma, scaled), self.degree, self.coef0)
        positives = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.machines_ = tuple(self._machine(scaled, labels == positive) for positive in positives)
        return self

    def _machine(self, features: FloatArray, is_positive: BoolArray) -> Machine:
        try:
            from sklearn.exceptions import ConvergenceWarning
            from sklearn.svm import SVC, LinearSVC
        except ImportError:
            raise MissingExtraError("fitting a support vector machine", "learn") from None
        kernel = self.kernel_
        same: dict[str, Any] = {"C": self.C, "tol": 1e-6, "max_iter": self.max_iter}
        if kernel.name == "linear":
            solver = LinearSVC(loss="squared_hinge", dual=False, **same)
        else:
            name = "poly" if kernel.name == "polynomial" else "rbf"
            solver = SVC(kernel=name, gamma=kernel.gamma, degree=kernel.degree, coef0=kernel.coef0, **same)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConvergenceWarning)
            try:
                solver.fit(features, is_positive)
            except ConvergenceWarning:
                problem = f"the support vector machine did not converge within {counted(self.max_iter, 'step')}"
                hint = "use a larger max_iter, a smaller C or standardised features"
                raise GermaneError(problem, hint=hint) from None
        if kernel.name == "linear":
            return Machine(solver.coef_, np.ones(1), float(solver.intercept_[0]))
        return Machine(solver.support_vectors_, solver.dual_coef_[0], float(solver.intercept_[0]))

    @property
    def coef_(self) -> FloatArray:
        """Weights of a linear machine, in the units of the features: a row for each machine."""
        self._require_fitted("machines_")
        if self.kernel_.name != "linear":
            raise GermaneError(f"feature weights require kernel='linear', found {self.kernel_.name!r}")
        return np.stack([machine.weights @ machine.vectors for machine in self.machines_]) / self.deviation_

    @property
    def intercept_(self) -> FloatArray:
        """Intercept of each linear machine, in the units of the features."""
        return np.array([machine.intercept for machine in self.machines_]) - self.coef_ @ self.mean_

    def decision_function(self, X: Any) -> FloatArray:
        """Return scores: with two classes one per row, above 0 for `classes_[1]`; with more, one per row and class."""
        self._require_fitted("machines_")
        scaled = (checked_features(X, columns=self.n_features_in_) - self.mean_) / self.deviation_
        scores = [self.kernel_(scaled, each.vectors) @ each.weights + each.intercept for each in self.machines_]
        return scores[0] if len(scores) == 1 else np.stack(scores, axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each row."""
        scores = self.decision_function(X)
        places = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[places])

    def _learned(self) -> dict[str, Any]:
        return {
            "classes": self.classes_.tolist(),
            "kernel": asdict(self.kernel_),
            "mean": array_to_json(self.mean_),
            "deviation": array_to_json(self.deviation_),
            "machines": [
                {
                    "vectors": array_to_json(each.vectors),
                    "weights": array_to_json(each.weights),
                    "intercept": each.intercept,
                }
                for each in self.machines_
            ],
        }

    def _take(self, given: Mapping[str, Any]) -> None:
        self.classes_ = np.asarray(given["classes"])
        self.kernel_ = KernelFunction(**given["kernel"])
        self.mean_, self.deviation_ = array_from_json(given["mean"]), array_from_json(given["deviation"])
        self.machines_ = tuple(
            Machine(array_from_json(each["vectors"]), array_from_json(each["weights"]), each["intercept"])
            for each in given["machines"]
        )
        self.n_features_in_ = len(self.mean_)
