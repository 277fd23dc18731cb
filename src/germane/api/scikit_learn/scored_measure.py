"""A measure as scikit-learn's tools use it: its input, its direction, and its value for predictions or scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from germane.api.decisions.classification import classify
from germane.api.decisions.positive_class import label_asked_for, positive_if_known
from germane.errors import GermaneError, unknown
from germane.measures.decisions.matrix import AVERAGES as OVER_CLASSES
from germane.measures.decisions.names import PARTS_OF_BRIER, entry_named
from germane.measures.decisions.requests import Kind, Request
from germane.tables.decisions.confusion import Label
from germane.tables.results.performance import Performance

Needs = Literal["predictions", "scores", "probabilities", "numbers", "clusters", "vectors", "densities"]
NEEDS: dict[Kind, Needs] = {
    "rate": "predictions",
    "matrix": "predictions",
    "label sets": "predictions",
    "label scores": "scores",
    "scores": "scores",
    "probabilities": "probabilities",
    "probability table": "probabilities",
    "numbers": "numbers",
    "clusters": "clusters",
    "vectors": "vectors",
    "densities": "densities",
}
"""Response of an estimator by the input of a measure."""
METHODS: dict[Needs, tuple[str, ...]] = {
    "predictions": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
    "numbers": ("predict",),
    "clusters": ("predict",),
    "vectors": ("predict",),
    "densities": ("score_samples",),
}
"""Methods of an estimator that give a response, the preferred one first, as in scikit-learn's own scorers."""
CHEAPEST: dict[str, Any] = {"level": 0.5, "resamples": 4}
"""Options of `classify` with the fewest resamples: a scorer returns the value without its interval."""
AVERAGES = (*OVER_CLASSES, "samples")
"""Averages over classes, and over items with several labels."""
TASKS: dict[Needs, str] = {"numbers": "regression", "clusters": "clusters", "densities": "densities"}
"""Task of `classify` by response, where it is not classes."""
OF_ALL_CLASSES = ("ACC", "ERR", "BA", "MCC", "kappa")
"""Measures of predicted classes that need neither a positive class nor an average."""
EITHER_WAY = ("AUC", "hull_AUC", "log_loss", "Brier")
"""Measures with the same value whichever of two classes is positive, if scores are turned round with it."""


@dataclass(frozen=True)
class ScoredMeasure:
    """A measure with the class or average in brackets, and the options that `classify` takes for it.

    Called with true values and predictions, as scikit-learn calls a metric, it returns its value.
    """

    request: Request
    positive: Label | None = None
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, measure: str, average: str | None, positive: Label | None, options: dict[str, Any]) -> ScoredMeasure:
        """Return a measure from its name, which may end with an average or a class: ``F1[macro]``."""
        extra = {name: options.get(name) for name in ("prevalence", "cost_fp", "cost_fn")}
        request = Request.of(measure, **extra)
        if request.group and average is not None:
            raise GermaneError(f"{measure} already names a class or an average", hint="remove `average=`")
        if average not in (None, "binary", *AVERAGES):
            raise unknown("average", average, ["binary", *AVERAGES])
        if average not in (None, "binary"):
            request = Request.of(f"{request.name}[{average}]")
        if request.kind not in NEEDS:
            problem = f"{request} needs predicted intervals, which no method of an estimator returns"
            raise GermaneError(problem, hint="use `classify` with `quantiles=…`")
        return cls(request, positive, tuple(options.items()))

    def __str__(self) -> str:
        return str(self.request)

    @cached_property
    def needs(self) -> Needs:
        """The response of an estimator that the measure is computed from."""
        return NEEDS[self.request.kind]

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods of an estimator that give the response, the preferred one first."""
        # Cllr uses scores as log-likelihood ratios, which probabilities are not.
        return ("decision_function",) if self.request.name == "Cllr" else METHODS[self.needs]

    @property
    def better(self) -> str:
        """Whether higher or lower values are better, or neither."""
        return "neither" if self.request.name in PARTS_OF_BRIER else entry_named(self.request.name).better

    def __call__(self, y_true: Any, y_pred: Any, *, sample_weight: Any = None, pos_label: Label | None = None) -> float:
        """Return the value for predictions."""
        weighted = {"sample_weight": sample_weight}
        if self.needs in TASKS:
            arrays = (y_pred,) if self.needs == "densities" else (y_true, y_pred)
            return self._value(*arrays, task=TASKS[self.needs], **weighted)
        if has_label_sets(y_true):
            return self.of_labels(y_true, y_pred, "predict", sample_weight)
        given = self.positive if pos_label is None else pos_label
        positive = None if self.request.group else given
        # A test part need not have the positive class.
        labels = None if positive is None else _declared([y_true, y_pred], positive)
        return self._value(y_true, y_pred, positive=positive, labels=labels, **weighted)

    def of_vectors(self, vectors: Any, clusters: Any) -> float:
        """Return the value for clusters of vectors, without known classes."""
        return self._value(None, clusters, vectors=vectors, task="clusters")

    def of_classes(self, y_true: Any, y_pred: Any, classes: list[Label], sample_weight: Any) -> float:
        """Return the value for predicted classes."""
        positive = None
        if self.request.kind == "rate" and not self.request.group and self.request.name not in OF_ALL_CLASSES:
            if len(classes) > 2:
                raise self._several(classes)
            positive = self._positive(classes)
        return self(y_true, y_pred, sample_weight=sample_weight, pos_label=positive)

    def of_scores(self, y_true: Any, given: Any, classes: list[Label], method: str, sample_weight: Any) -> float:
        """Return the value for the scores of two classes (of the second one), or the probabilities of several."""
        if len(classes) > 2:
            if method != "predict_proba":
                problem = f"{self} of {len(classes)} classes needs probabilities, found only {method}"
                raise GermaneError(problem, hint="use an estimator with predict_proba")
            found = self._performance(y_true, y_proba=given, labels=classes, sample_weight=sample_weight)
            if str(self) not in found.overall:
                raise self._several(classes)
            return found[str(self)].value
        if self.request.group:
            problem = f"{self} needs three classes or more, found {len(classes)}"
            raise GermaneError(problem, hint=f"use scorer({self.request.name!r}), of one class against the other")
        positive = self._positive(classes)
        is_probability = method == "predict_proba"
        if positive == classes[0]:
            given = 1 - given if is_probability else -given
        # Declaring labels takes time, so it is done only for a test part without one of the classes.
        labels = None if len(np.unique(y_true)) == len(classes) else classes
        known = {"positive": positive, "labels": labels, "are_probabilities": is_probability}
        return self._value(y_true, y_score=given, sample_weight=sample_weight, **known)

    def _several(self, classes: list[Label]) -> GermaneError:
        """Return the error on a measure of one class where several have equal rights."""
        hint = f"name one, for example scorer('{self}[macro]')"
        return GermaneError(f"{self} of {len(classes)} classes needs an average", hint=hint)

    def _positive(self, classes: list[Label]) -> Label:
        """Return the positive one of two classes; the second where that makes no difference."""
        if self.positive is not None:
            return label_asked_for(classes, self.positive)
        known, _ = positive_if_known(classes)
        if known is None and self.request.name not in EITHER_WAY:
            listed = " and ".join(map(repr, classes))
            hint = f"for example scorer({str(self)!r}, pos_label={classes[-1]!r})"
            raise GermaneError(f"{self}: cannot tell which label is positive: {listed}", hint=hint)
        return classes[-1] if known is None else known

    def of_labels(self, y_true: Any, given: Any, method: str, sample_weight: Any) -> float:
        """Return the value for several labels per item: predicted ones, or a score of each."""
        role = "y_pred" if method == "predict" else "y_score"
        return self._value(y_true, task="label-sets", sample_weight=sample_weight, **{role: given})

    def _value(self, y_true: Any, y_pred: Any = None, **given: Any) -> float:
        return self._performance(y_true, y_pred, **given)[str(self)].value

    def _performance(self, y_true: Any, y_pred: Any = None, **given: Any) -> Performance:
        options = {name: value for name, value in given.items() if value is not None}
        return classify(y_true, y_pred, measures=[str(self)], **CHEAPEST, **dict(self.options), **options).only


def has_label_sets(y_true: Any) -> bool:
    """Whether these are several labels per item, as an array or a sparse matrix with a column for each label."""
    return hasattr(y_true, "todense") or getattr(y_true, "ndim", 1) == 2


def _declared(columns: Sequence[Any], positive: Label) -> list[Label] | None:
    """Return all labels, the positive one among them, if it does not occur; None if it does."""
    there = {label for column in columns for label in np.unique(np.asarray(column)).tolist()}
    return None if positive in there else sorted([*there, positive])
