"""LambdaMART by LightGBM: boosted trees on the gradients of nDCG; an optional learner."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from germane.errors import GermaneError, MissingExtraError
from germane.learning.learners.estimator import SavedEstimator
from germane.learning.learners.training_rows import checked_features, checked_grades, query_numbers
from germane.tables.columns.ids import FloatArray

MOST_GRADE = 30
"""Highest grade that LightGBM supports; its gain of a grade is 2^grade - 1."""


class LambdaMART(SavedEstimator):
    """LambdaMART: boosted trees, each fitted to the changes in nDCG from swapping documents.

    Parameters: trees, leaves and learning_rate as in boosting; min_rows is the minimum number of rows per leaf; seed is
                for binning the data. One thread and a fixed order make it reproducible.
    Reference:  Burges, "From RankNet to LambdaRank to LambdaMART", MSR-TR-2010-82; LightGBM's lambdarank objective.
    Edge cases: Grades are integers from 0 to 30. Queries whose rows all have the same grade are ignored.
    """

    kind = "LambdaMART"
    saved: ClassVar[Mapping[str, str]] = {"trees": "trees_"}
    trees_: str

    def __init__(
        self, *, trees: int = 100, leaves: int = 15, learning_rate: float = 0.05, min_rows: int = 20, seed: int = 0
    ) -> None:
        self.trees = trees
        self.leaves = leaves
        self.learning_rate = learning_rate
        self.min_rows = min_rows
        self.seed = seed

    def fit(self, X: Any, y: Any, query: Any) -> Self:
        """Fit to features, grades, and the query of each row."""
        features = checked_features(X)
        grades = checked_grades(y, len(features))
        queries = query_numbers(query, len(features))
        if (grades != np.floor(grades)).any() or grades.min() < 0 or grades.max() > MOST_GRADE:
            wrong = grades[(grades != np.floor(grades)) | (grades < 0) | (grades > MOST_GRADE)][0]
            problem = f"LambdaMART: expected integer grades from 0 to {MOST_GRADE}, found {wrong:g}"
            raise GermaneError(problem)
        if len(np.unique(grades)) == 1:
            raise GermaneError(f"expected rows with different grades, found only grade {grades[0]:g}")
        lightgbm = _lightgbm()
        order = np.argsort(queries, kind="stable")
        data = lightgbm.Dataset(features[order], grades[order], group=np.bincount(queries), free_raw_data=False)
        settings = {
            "objective": "lambdarank",
            "num_leaves": self.leaves,
            "learning_rate": self.learning_rate,
            "min_data_in_leaf": self.min_rows,
            "seed": self.seed,
            "deterministic": True,
            "force_row_wise": True,
            "num_threads": 1,
            "verbosity": -1,
        }
        self.trees_ = lightgbm.train(settings, data, num_boost_round=self.trees).model_to_string()
        self.n_features_in_ = features.shape[1]
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each row; within a query, higher is better."""
        self._require_fitted("trees_")
        features = checked_features(X, columns=self.n_features_in_)
        booster = _lightgbm().Booster(model_str=self.trees_)
        return np.asarray(booster.predict(features, num_threads=1), np.float64)

    def _learned(self) -> dict[str, Any]:
        """Return the trees as LightGBM's own text."""
        return {"learned": {"n_features_in_": self.n_features_in_, "trees": self.trees_}}

    def _take(self, given: Mapping[str, Any]) -> None:
        self.n_features_in_, self.trees_ = int(given["learned"]["n_features_in_"]), str(given["learned"]["trees"])


def _lightgbm() -> Any:
    try:
        return importlib.import_module("lightgbm")
    except ImportError:
        raise MissingExtraError("LambdaMART", "lightgbm") from None
