"""The Ranking SVM: learn weights that score the better document of a pair higher, by a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from germane.errors import GermaneError
from germane.learning.learners.estimator import Estimator, array_from_json, array_to_json, require_kind
from germane.learning.learners.kernel_map import FeatureMap, FittedMap, feature_map_from_json, fitted_map_from_json
from germane.learning.learners.ranking_svm_newton import PairWeight, Solver, minimise, pair_data
from germane.learning.learners.training_rows import checked_features, checked_grades, query_numbers
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray
from germane.tables.columns.one_column import frame_columns

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

    from germane.types import FeaturesLike, IdsLike, ScoresLike

SolverChoice = Literal["auto", "hessian", "conjugate gradients"]
LEARNED = ("objective_", "gap_", "gradient_norm_", "n_iter_", "num_pairs_", "num_queries_", "n_features_in_")


class RankingSVM(Estimator):
    """Ranking SVM: a linear score learned from pairs of documents of a query.

    It is not an estimator of scikit-learn, though it has `get_params` and `set_params`: `fit` needs the query of each
    row, and scores of different queries cannot be compared.

    Formula:    minimise ½|w|² + C Σ weight · max(0, 1 - w·(x_better - x_worse))², over all pairs of rows of one query
                with different grades; no intercept, as it would cancel
    Parameters: C weighs the pairs against the size of the weights. pair_weight: "pair", every pair has weight 1;
                "query", every query has weight 1, shared equally by its pairs, so that long lists do not dominate.
                kernel: a feature map (FourierMap, NystroemMap) that is fitted and stored with the model. tol: relative
                distance of the objective from its minimum, by a computed bound. solver: "hessian" forms the Hessian,
                "conjugate gradients" only multiplies by it; auto forms it for up to 1000 features.
    Reference:  Joachims, KDD 2002; Lee & Lin, Neural Computation 26(4), 2014.
    Edge cases: Queries whose rows all have the same grade form no pairs and have no effect. The order of rows, and a
                constant added to a feature within a query, have no effect; rescaling a feature does (through |w|²), so
                scale first. With a kernel, a constant does change the model. Scores are comparable only within a query.

    >>> model = RankingSVM(C=1.0).fit([[1.0], [0.0]], [1, 0], [1, 1])
    >>> model.coef_.round(12).tolist(), round(model.objective_, 12)      # ½w² + (1 - w)² is least at 2/3
    ([0.666666666667], 0.333333333333)
    """

    coef_: FloatArray
    objective_: float
    gap_: float
    gradient_norm_: float
    n_iter_: int
    num_pairs_: int
    num_queries_: int
    n_features_in_: int
    map_: FittedMap | None

    def __init__(
        self,
        C: float = 1.0,
        *,
        pair_weight: PairWeight = "pair",
        kernel: FeatureMap | None = None,
        tol: float = 1e-8,
        max_iter: int = 100,
        solver: SolverChoice = "auto",
    ) -> None:
        self.C = C
        self.pair_weight = pair_weight
        self.kernel = kernel
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver

    def fit(self, X: FeaturesLike, y: ScoresLike, query: IdsLike) -> Self:
        """Fit to features, grades, and the query of each row (numbers or names, in any order)."""
        for name, value in (("C", self.C), ("tol", self.tol)):
            if not (0 < value < math.inf):
                raise GermaneError(f"expected a positive {name}, found {value!r}")
        if self.solver not in get_args(SolverChoice):
            raise GermaneError(
                f"expected solver to be one of {', '.join(get_args(SolverChoice))}, found {self.solver!r}"
            )
        solver: Solver | None = None if self.solver == "auto" else self.solver
        frame = X if frame_columns(X) is not None else None
        aligned_columns({"X": frame, "y": y, "query": query}, "RankingSVM")
        features = checked_features(X)
        grades = checked_grades(y, len(features))
        queries = query_numbers(query, len(features))
        fitted = None if self.kernel is None else self.kernel.fit(features)
        mapped = features if fitted is None else fitted.transform(features)
        data = pair_data(mapped, grades, queries, self.pair_weight)
        with _linear_algebra().limit(limits=1):
            solution = minimise(data, self.C, tol=self.tol, max_iter=self.max_iter, solver=solver)
        self.coef_, self.objective_, self.gap_ = solution.weights, solution.objective, solution.gap
        self.gradient_norm_, self.n_iter_ = solution.gradient_norm, solution.num_steps
        self.num_pairs_, self.num_queries_ = data.num_pairs, data.num_queries
        self.n_features_in_, self.map_ = features.shape[1], fitted
        return self

    def decision_function(self, X: FeaturesLike) -> FloatArray:
        """Return the score of each row; within a query, higher is better."""
        self._require_fitted("coef_")
        features = checked_features(X, columns=self.n_features_in_)
        mapped = features if self.map_ is None else self.map_.transform(features)
        return np.asarray(np.einsum("ij,j->i", mapped, self.coef_))  # a row's score does not depend on other rows

    def predict(self, X: FeaturesLike) -> FloatArray:
        """Return the scores, as `decision_function` does: a ranker predicts an order."""
        return self.decision_function(X)

    def to_json(self) -> dict[str, Any]:
        """Return the model as a JSON object."""
        self._require_fitted("coef_")
        params = {**self.get_params(), "kernel": None if self.kernel is None else self.kernel.to_json()}
        return {
            "learner": "RankingSVM",
            "version": 1,
            "params": params,
            "learned": {name: getattr(self, name) for name in LEARNED},
            "coef": array_to_json(self.coef_) if self.map_ else self.coef_.tolist(),
            "map": None if self.map_ is None else self.map_.to_json(),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Return the model from a JSON object."""
        require_kind(given, "RankingSVM")
        params = dict(given["params"])
        params["kernel"] = None if params["kernel"] is None else feature_map_from_json(params["kernel"])
        model = cls(**params)
        for name in LEARNED:
            setattr(model, name, given["learned"][name])
        coef = given["coef"]
        model.coef_ = np.asarray(coef, dtype=np.float64) if isinstance(coef, list) else array_from_json(coef)
        model.map_ = None if given["map"] is None else fitted_map_from_json(given["map"])
        if model.map_ is None and len(model.coef_) != model.n_features_in_:
            raise GermaneError(f"expected {model.n_features_in_} weights, found {len(model.coef_)}")
        return model


@cache
def _linear_algebra() -> ThreadpoolController:
    """Find the linear-algebra libraries, to limit them to one thread.

    On a busy machine, waiting threads cost far more than they save: a product of 3,000 × 300 numbers took 12 ms in one
    thread, and 60 to 90 ms in two, on two cores shared with other processes.
    """
    import scipy.linalg  # noqa: F401 - it has a library of its own, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
