"""The estimator interface of scikit-learn, without scikit-learn: parameters that can be read and set.

A learner takes its parameters in `__init__` and stores them, unchanged, under the same names; learned attributes end in
an underscore. Arrays are stored in JSON as base64 bytes with type and shape: every bit survives, and nothing can be
executed.
"""

from __future__ import annotations

import base64
import inspect
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError, did_you_mean
from germane.learning.data.columns import class_labels
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.one_column import frame_columns
from germane.tables.decisions.weights import as_weights

if TYPE_CHECKING:
    from germane.types import FeaturesLike, LabelsLike, ScoresLike


class Estimator:
    """Base class of learners: their parameters, by name."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return every parameter and its value; no learner here contains another one, so `deep` has no effect."""
        return {name: getattr(self, name) for name in _parameter_names(type(self))}

    def set_params(self, **params: object) -> Self:
        """Set some of the parameters."""
        known = _parameter_names(type(self))
        for name, value in params.items():
            if name not in known:
                problem = f"{type(self).__name__} has no parameter {name!r}{did_you_mean(name, known)}"
                hint = f"choose from {', '.join(known)}"
                raise GermaneError(problem, hint=hint)
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def _require_fitted(self, attribute: str) -> None:
        """Reject predictions before `fit`."""
        if not hasattr(self, attribute):
            raise _not_fitted_error()(f"this {type(self).__name__} is not fitted yet", hint="call fit first")


def _not_fitted_error() -> type[GermaneError]:
    """Return the class of errors before `fit`: where scikit-learn is loaded, one that it can catch as its own."""
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return GermaneError
    return type("NotFittedError", (GermaneError, exceptions.NotFittedError), {"__module__": __name__})


class Classifier(Estimator):
    """A classifier as scikit-learn knows it: `fit`, `predict`, `score`, and tags that say what it takes."""

    _estimator_type = "classifier"
    n_features_in_: int

    def predict(self, X: FeaturesLike) -> npt.NDArray[Any]:
        """Return the class of each row."""
        raise NotImplementedError

    def score(self, X: FeaturesLike, y: LabelsLike, sample_weight: ScoresLike | None = None) -> float:
        """Return the accuracy: the share of rows, or of their weight, whose class is predicted correctly."""
        predicted = self.predict(X)
        given = {"X": X if frame_columns(X) is not None else None, "y": y, "sample_weight": sample_weight}
        weight = aligned_columns(given, type(self).__name__)["sample_weight"]
        correct = predicted == class_labels(y, len(predicted))
        weights = None if weight is None else as_weights(weight, len(correct), "sample_weight")
        return float(np.average(correct, weights=weights))

    def __sklearn_tags__(self) -> Any:  # called only by scikit-learn
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=True, **self._inputs()),
        )

    def _inputs(self) -> dict[str, bool]:
        """Return which inputs are supported besides numbers, in the words of scikit-learn's tags."""
        return {}

    def _require_labels(self, y: Any) -> None:
        """Refuse missing labels and numbers that are not classes."""
        if y is None:
            problem = f"{type(self).__name__} requires y to be passed, but the target y is None"
            raise InputError("y", None, problem, hint="pass a label for each row")
        if isinstance(y, np.ndarray) and y.dtype.kind == "f" and (left := y[~np.isnan(y) & (y % 1 != 0)]).size:
            hint = "turn classes into text or integers; a regression predicts continuous values"
            raise InputError("y", None, f"expected classes, found the continuous value {left[0]:g}", hint=hint)

    def _require_columns(self, num_columns: int) -> None:
        """Refuse rows with another number of columns than those of training."""
        if num_columns != self.n_features_in_:
            name, known = type(self).__name__, self.n_features_in_
            hint = (
                f"use the same columns: X has {num_columns} features, but {name} is expecting {known} features as input"
            )
            raise InputError("X", None, f"expected {known} columns as in training, found {num_columns}", hint=hint)


class SavedEstimator(Estimator):
    """A learner that can be stored as JSON: its parameters, and the learned attributes named in `saved`."""

    kind: ClassVar[str]
    saved: ClassVar[Mapping[str, str]]
    """Attribute by its name in a file; arrays are stored as lists of floats."""
    n_features_in_: int

    def to_json(self) -> dict[str, Any]:
        """Return the model as a JSON object."""
        for attribute in self.saved.values():
            self._require_fitted(attribute)
        return {"learner": self.kind, "version": 1, "params": self.get_params(), **self._learned()}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """Return the model from a JSON object."""
        require_kind(given, cls.kind)
        model = cls(**given["params"])
        model._take(given)
        return model

    def _learned(self) -> dict[str, Any]:
        found = {name: getattr(self, attribute) for name, attribute in self.saved.items()}
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in found.items()}

    def _take(self, given: Mapping[str, Any]) -> None:
        for name, attribute in self.saved.items():
            value = given[name]
            setattr(self, attribute, np.asarray(value, np.float64) if isinstance(value, list) else value)
        self.n_features_in_ = len(given["coef"])


def _parameter_names(learner: type) -> list[str]:
    return [name for name in inspect.signature(learner).parameters if name != "self"]


def require_kind(given: Any, learner: str, version: int = 1) -> None:
    """Reject an object that was not written by `to_json` of this learner."""
    found = given.get("learner") if isinstance(given, dict) else None
    if found != learner:
        raise GermaneError(f"expected a {learner} model, found {found!r}")
    if given.get("version") != version:
        problem = f"expected version {version} of a {learner} model, found {given.get('version')!r}"
        hint = "the file was written by another version of germane; fit again"
        raise GermaneError(problem, hint=hint)


TYPES = ("<f8", "<i8")
MOST = 1 << 40


def array_to_json(array: npt.NDArray[Any]) -> dict[str, Any]:
    """Return an array of floats or integers as a JSON object.

    >>> array_to_json(np.array([1.0]))
    {'dtype': '<f8', 'shape': [1], 'base64': 'AAAAAAAA8D8='}
    """
    dtype = "<f8" if array.dtype.kind == "f" else "<i8"
    data = np.ascontiguousarray(array, dtype=dtype).tobytes()
    return {"dtype": dtype, "shape": list(array.shape), "base64": base64.b64encode(data).decode("ascii")}


def array_from_json(given: Mapping[str, Any]) -> npt.NDArray[Any]:
    """Return an array from a JSON object.

    >>> array_from_json(array_to_json(np.array([[1.5, -2.0]]))).tolist()
    [[1.5, -2.0]]
    """
    if given.get("dtype") not in TYPES:
        raise GermaneError(f"expected an array of type {' or '.join(TYPES)}, found {given.get('dtype')!r}")
    try:
        data = base64.b64decode(given["base64"], validate=True)
    except (ValueError, KeyError, TypeError):
        raise GermaneError("expected an array in base64, found something else") from None
    shape = given.get("shape", [])
    if not isinstance(shape, list) or not all(type(size) is int and 0 <= size <= MOST for size in shape):
        raise GermaneError(f"expected an array shape, found {shape!r}")
    if len(data) != 8 * math.prod(shape):
        raise GermaneError(f"expected {8 * math.prod(shape)} bytes for an array of shape {shape}, found {len(data)}")
    return np.frombuffer(data, dtype=given["dtype"]).reshape(shape).astype(given["dtype"][1:])
