"""Naive Bayes that ignores missing values, in training and in prediction.

For a class C and features x the model is P(C) Π P(x_i | C). Each P(x_i | C) is learned from the rows that have x_i. In
prediction, the factor of a missing x_i is omitted. That is exact: marginalising sums the product over all values of
x_i, and the P(x_i | C) sum to 1. It is valid if values are missing at random. If the absence of a value is informative
(a test that only the ill are sent to), write it as a category of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError
from germane.learning.data.columns import (
    Category,
    Column,
    categories_of,
    class_labels,
    columns_of,
    is_numeric,
    numbers_of,
)
from germane.learning.learners.estimator import Classifier, require_kind
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import frame_columns
from germane.tables.notes.counts import counted

if TYPE_CHECKING:
    from germane.types import FeaturesLike, LabelsLike

UNSEEN = ("error", "skip")


@dataclass(frozen=True, eq=False)
class Categories:
    """A categorical column: P(value | class) = (count + alpha) / (observed + alpha × number of categories)."""

    values: tuple[Category, ...]
    probability: FloatArray
    """Probability by class and category."""

    def log_likelihood(self, column: Column, where: str, unseen: str) -> FloatArray:
        """Return log P(value | class), by row and class; 0 where the value is missing."""
        place: dict[Category | None, int] = {None: -1, **{value: number for number, value in enumerate(self.values)}}
        codes = np.asarray([place.get(value, -2) for value in categories_of(column, where)])
        if unseen == "error" and (codes == -2).any():
            row = int(np.argmax(codes == -2))
            problem = f"row {row}: {column[row]!r} did not occur in training, only {_some(self.values)}"
            hint = 'use `unseen="skip"` to treat it as missing'
            raise InputError(where, None, problem, hint=hint)
        with np.errstate(divide="ignore"):
            logs = np.log(self.probability)
        return np.where(codes[:, None] >= 0, logs.T[np.maximum(codes, 0)], 0.0)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "categories", "values": list(self.values), "probability": self.probability.tolist()}


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A numeric column: a normal distribution for each class."""

    mean: FloatArray
    variance: FloatArray

    def log_likelihood(self, column: Column, where: str, unseen: str) -> FloatArray:
        """Return the log density, by row and class; 0 where the value is missing."""
        values = numbers_of(column, where)[:, None]
        logs = -0.5 * (np.log(2 * pi * self.variance) + (values - self.mean) ** 2 / self.variance)
        return np.where(np.isnan(values), 0.0, logs)

    def to_json(self) -> dict[str, Any]:
        return {"kind": "gaussian", "mean": self.mean.tolist(), "variance": self.variance.tolist()}


class NaiveBayes(Classifier):
    """Naive Bayes for categorical and numeric columns, with missing values (None or NaN) anywhere.

    It is a classifier of scikit-learn: for pipelines, searches and cross-validation.

    Parameters
    categorical     positions or names of the categorical columns; "all"; or None: those with any value that is not a
                    number. `columns_` says how each column was treated.
    alpha           initial count of each category (1: Laplace smoothing; 0: none)
    var_smoothing   share of the largest variance of a numeric column that is added to every variance
    priors          P(class), in the order of `classes_`; None: class frequencies of the training rows
    unseen          a category that did not occur in training: "error", or "skip" to treat it as missing

    Reference:  Little & Rubin, "Statistical Analysis with Missing Data", Wiley 2002, on when missing values may be
                ignored; Zhang, "The Optimality of Naive Bayes", FLAIRS 2004.
    Edge cases: A row without observed values gets the priors. Of equally probable classes `predict` returns the first
                in the order of `classes_`. With alpha=0 a row can be impossible under every class, which is an error.

    >>> X = [["sun", 30], ["sun", None], ["rain", 12], [None, 15]]
    >>> model = NaiveBayes(alpha=1).fit(X, ["warm", "warm", "cold", "cold"])
    >>> model.columns_[0].values, model.columns_[0].probability         # cold: rain 1 of 1; warm: sun 2 of 2
    (('rain', 'sun'), array([[0.66666667, 0.33333333],
           [0.25      , 0.75      ]]))
    >>> model.predict_proba([["sun", None], [None, None]]).round(4)     # 1/3 : 3/4 = 4 : 9, and the priors
    array([[0.3077, 0.6923],
           [0.5   , 0.5   ]])
    """

    def __init__(
        self,
        categorical: Sequence[int | str] | str | None = None,
        *,
        alpha: float = 1.0,
        var_smoothing: float = 1e-9,
        priors: npt.ArrayLike | None = None,
        unseen: str = "error",
    ) -> None:
        self.categorical = categorical
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.priors = priors
        self.unseen = unseen

    def fit(self, X: FeaturesLike, y: LabelsLike) -> NaiveBayes:
        """Learn P(class), and P(x_i | class) from the rows that have x_i."""
        self._check_parameters()
        self._require_labels(y)
        aligned_columns({"X": X if frame_columns(X) is not None else None, "y": y}, "NaiveBayes")
        names, columns = columns_of(X)
        labels = class_labels(y, len(columns[0]))
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.class_count_ = np.bincount(codes)
        self.prior_ = self._prior()
        self.names_, self.n_features_in_ = names, len(names)
        are_categories = self._are_categories(names, columns)
        hint = "list categorical columns in `categorical`"
        numbers = {i: numbers_of(columns[i], names[i], hint) for i, is_one in enumerate(are_categories) if not is_one}
        spreads = [float(np.nanvar(values)) for values in numbers.values() if not np.isnan(values).all()]
        smoothing = self.var_smoothing * max(spreads, default=0.0)
        self.columns_: tuple[Categories | Gaussian, ...] = tuple(
            self._gaussian(numbers[i], codes, names[i], smoothing)
            if i in numbers
            else self._categories(column, codes, names[i])
            for i, column in enumerate(columns)
        )
        return self

    def predict_joint_log_proba(self, X: FeaturesLike) -> FloatArray:
        """Return log P(class) + Σ log P(x_i | class) over observed values, by row and class."""
        self._require_fitted("columns_")
        names, columns = columns_of(X)
        self._require_columns(len(columns))
        if frame_columns(X) is not None and names != self.names_:
            raise InputError("X", None, f"expected columns {_some(self.names_)}, found {_some(names)}")
        with np.errstate(divide="ignore"):
            joint = np.tile(np.log(self.prior_), (len(columns[0]), 1))
        for name, learned, column in zip(self.names_, self.columns_, columns, strict=True):
            joint += learned.log_likelihood(column, name, self.unseen)
        return joint

    def predict_log_proba(self, X: FeaturesLike) -> FloatArray:
        """Return log P(class | observed values), by row and class."""
        joint = self.predict_joint_log_proba(X)
        highest = joint.max(axis=1, keepdims=True)
        if np.isneginf(highest).any():
            problem = f"row {np.argmax(np.isneginf(highest))} is impossible under every class"
            hint = "use an alpha above 0, which gives every category some probability in every class"
            raise InputError("X", None, problem, hint=hint)
        return np.asarray(joint - highest - np.log(np.exp(joint - highest).sum(axis=1, keepdims=True)))

    def predict_proba(self, X: FeaturesLike) -> FloatArray:
        """Return P(class | observed values), by row and class."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: FeaturesLike) -> npt.NDArray[Any]:
        """Return the most probable class of each row."""
        probable = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[probable])

    def _inputs(self) -> dict[str, bool]:
        return {"allow_nan": True, "categorical": True, "string": True}

    def to_json(self) -> dict[str, Any]:
        """Return the fitted model as a JSON object."""
        self._require_fitted("columns_")
        return {
            "learner": "NaiveBayes",
            "version": 1,
            "parameters": {name: _listed(value) for name, value in self.get_params().items()},
            "classes": self.classes_.tolist(),
            "class_count": self.class_count_.tolist(),
            "prior": self.prior_.tolist(),
            "names": self.names_,
            "columns": [column.to_json() for column in self.columns_],
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> NaiveBayes:
        """Return a fitted model from a JSON object."""
        require_kind(given, "NaiveBayes")
        model = cls(**given["parameters"])
        model.classes_, model.class_count_ = np.asarray(given["classes"]), np.asarray(given["class_count"])
        model.prior_, model.names_ = np.asarray(given["prior"], np.float64), list(given["names"])
        model.columns_ = tuple(map(_read_column, given["columns"]))
        model.n_features_in_ = len(model.columns_)
        return model

    def _check_parameters(self) -> None:
        for name in ("alpha", "var_smoothing"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise GermaneError(f"expected {name} of 0 or more, found {getattr(self, name)}")
        if self.unseen not in UNSEEN:
            raise GermaneError(f"expected unseen to be one of {', '.join(UNSEEN)}, found {self.unseen!r}")

    def _prior(self) -> FloatArray:
        if self.priors is None:
            return np.asarray(self.class_count_ / self.class_count_.sum())
        prior = np.asarray(self.priors, dtype=np.float64)
        if prior.shape != self.classes_.shape or (prior < 0).any() or not np.isclose(prior.sum(), 1):
            problem = f"expected {len(self.classes_)} priors, one per class, that sum to 1, found {prior.tolist()}"
            raise GermaneError(problem)
        return prior

    def _are_categories(self, names: list[str], columns: list[Column]) -> list[bool]:
        if self.categorical is None:
            return [not is_numeric(column) for column in columns]
        if isinstance(self.categorical, str):
            if self.categorical != "all":
                raise GermaneError(f'expected categorical to be a list of columns or "all", found {self.categorical!r}')
            return [True] * len(names)
        places = set(range(len(names)))
        wanted = {names.index(one) if one in names else one for one in self.categorical}
        if unknown := [one for one in wanted if one not in places]:
            raise GermaneError(f"categorical: unknown column {unknown[0]!r}; choose from {_some(names)}")
        return [i in wanted for i in range(len(names))]

    def _categories(self, column: Column, codes: IntArray, name: str) -> Categories:
        found = categories_of(column, name)
        values = sorted({v for v in found if v is not None}, key=lambda value: (isinstance(value, str), value))
        place: dict[Category | None, int] = {None: len(values), **{value: i for i, value in enumerate(values)}}
        width = len(values) + 1  # the last is for missing values
        cells = codes * width + np.asarray([place[value] for value in found])
        counts = np.bincount(cells, minlength=len(self.classes_) * width).reshape(-1, width)[:, :-1]
        totals = counts.sum(axis=1, keepdims=True) + self.alpha * len(values)
        self._require_observed(totals[:, 0] > 0, name)
        return Categories(tuple(values), (counts + self.alpha) / totals)

    def _gaussian(self, values: FloatArray, codes: IntArray, name: str, smoothing: float) -> Gaussian:
        of_class = [values[(codes == code) & ~np.isnan(values)] for code in range(len(self.classes_))]
        self._require_observed(np.asarray([len(observed) > 0 for observed in of_class]), name)
        variance = np.asarray([observed.var() for observed in of_class]) + smoothing
        if not variance.all():
            place = int(np.argmin(variance))
            of_whom = f"class {self.classes_[place].item()!r} ({counted(len(of_class[place]), 'sample')})"
            same = f"all values in {of_whom} are equal"
            hint = "remove the column, or list it in `categorical`"
            raise InputError(name, None, f"{same}, so their variance is 0 even after smoothing", hint=hint)
        return Gaussian(np.asarray([observed.mean() for observed in of_class]), variance)

    def _require_observed(self, observed: npt.NDArray[np.bool_], name: str) -> None:
        if not observed.all():
            absent = f"no value in class {self.classes_[int(np.argmin(observed))].item()!r}"
            raise InputError(name, None, f"{absent}, so nothing can be learned", hint="remove the column")


def _read_column(given: Mapping[str, Any]) -> Categories | Gaussian:
    if given["kind"] == "gaussian":
        return Gaussian(np.asarray(given["mean"], np.float64), np.asarray(given["variance"], np.float64))
    return Categories(tuple(given["values"]), np.asarray(given["probability"], np.float64))


def _listed(value: Any) -> Any:
    """Return a parameter as JSON."""
    values = value.tolist() if isinstance(value, np.ndarray) else value
    return list(values) if isinstance(values, list | tuple) else values


def _some(values: Sequence[object]) -> str:
    shown = ", ".join(map(repr, values[:8]))
    return shown if len(values) <= 8 else f"{shown} and {len(values) - 8} more"
