"""Figures as displays of scikit-learn: from predictions, or from an estimator and data."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.api.decisions.classification import classify
from germane.api.decisions.positive_class import label_asked_for
from germane.arguments import checked
from germane.errors import GermaneError, unknown
from germane.output.plots.kinds import DECISION_PLOTS, NUMBER_PLOTS
from germane.output.plots.notebook_figures import Figure
from germane.output.reports.writing import plot
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.labels import encode_labels
from germane.tables.results.performances import Performances
from germane.tables.results.result import MimeBundle

if TYPE_CHECKING:
    from germane.types import FeaturesLike, LabelsLike, Learner, ProbabilitiesLike, ScoresLike

PROBABILITIES, SCORES = ("predict_proba",), ("predict_proba", "decision_function")
OF_ONE_CLASS = ("density", "threshold", "calibration")
"""Kinds of figures that show the scores of one class."""
OF_NUMBERS = tuple(kind for kind in NUMBER_PLOTS if kind != "quantiles")
"""Kinds of figures of a regression; one of quantiles needs several predictions."""
RESPONSES = {
    **dict.fromkeys(DECISION_PLOTS, SCORES),
    **dict.fromkeys(("confusion", *OF_NUMBERS), ("predict",)),
    "calibration": PROBABILITIES,
}
"""Methods of an estimator by kind of figure, the preferred one first."""


@dataclass(frozen=True, eq=False)
class Display:
    """A figure of a classifier as a display of scikit-learn: `figure_` is drawn, `performance_` has its numbers.

    `kind` is one of the figures of labelled items in `germane plot --list`: roc, pr, det, density, threshold,
    calibration or confusion; or of a regression: predicted or residuals. A notebook shows the display itself; `save`
    writes it to a file.

    >>> shown = Display.from_predictions([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3], kind="roc")
    >>> shown
    <Display: roc of classifier>
    >>> shown.performance_["AUC"].value, shown.plot() is shown.figure_
    (1.0, True)
    """

    kind: str
    figure_: Figure
    performance_: Performances

    @classmethod
    @checked
    def from_predictions(
        cls,
        y_true: LabelsLike,
        y_pred: LabelsLike | ScoresLike | ProbabilitiesLike,
        *,
        kind: str = "roc",
        sample_weight: ScoresLike | None = None,
        positive: Label | None = None,
        name: str | None = None,
        size: str | None = None,
    ) -> Display:
        """Draw predictions: labels for a confusion matrix, numbers for a regression, otherwise scores or probabilities.

        Probabilities may be a matrix with a column for each class. `positive` (`pos_label` is an alias) and
        `sample_weight` are as in scikit-learn; `size` is that of `germane.plot`.
        """
        _require_kind(kind)
        matrix = getattr(y_pred, "ndim", 1) == 2
        _require_one_class(kind, y_pred, matrix=matrix)
        role = "y_pred" if RESPONSES[kind] == ("predict",) else "y_proba" if matrix else "y_score"
        given = {role: y_pred, "sample_weight": sample_weight, "positive": positive, "name": name}
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if kind in OF_NUMBERS:
            options["task"] = "regression"
        found = classify(y_true, **options)
        return cls(kind, plot(kind, found, size=size), found)

    @classmethod
    @checked
    def from_estimator(
        cls,
        estimator: Learner,
        X: FeaturesLike,
        y: LabelsLike,
        *,
        kind: str = "roc",
        sample_weight: ScoresLike | None = None,
        positive: Label | None = None,
        name: str | None = None,
        size: str | None = None,
    ) -> Display:
        """Draw what a fitted estimator predicts for X.

        A confusion matrix and a regression need `predict`, other figures `predict_proba` or `decision_function`.
        """
        _require_kind(kind)
        methods = RESPONSES[kind]
        method = next((each for each in methods if hasattr(estimator, each)), None)
        called = type(estimator).__name__
        if method is None:
            problem = f"a figure of kind {kind} needs {' or '.join(methods)}, which {called} does not have"
            raise GermaneError(problem, hint="wrap the estimator: CalibratedClassifierCV(estimator)")
        try:
            response: Any = getattr(estimator, method)(X)
        except Exception as error:
            raise GermaneError(f"{method} of {called} failed: {error}") from error
        classes: list[Label] = np.asarray(getattr(estimator, "classes_", ())).tolist()
        if method != "predict" and not classes:
            classes = list(encode_labels(y, "y").values)
        if method != "predict" and (len(classes) == 2 or positive is not None):
            positive = classes[-1] if positive is None else label_asked_for(classes, positive)
            response = _of_class(np.asarray(response), classes.index(positive))
        options: dict[str, Any] = {"sample_weight": sample_weight, "positive": positive, "name": name or called}
        return cls.from_predictions(y, response, kind=kind, size=size, **options)

    def plot(self) -> Figure:
        """Return the figure, which a notebook shows."""
        return self.figure_

    def save(self, output: str) -> None:
        """Write the figure to a file, whose name ends with svg, png, pdf, html or json."""
        from germane.output.plots.figures import format_of, require_folder, write_figure

        format_of(output)
        require_folder(output)
        write_figure(self.figure_, output)

    def __repr__(self) -> str:
        return f"<Display: {self.kind} of {self.performance_[0].name}>"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> MimeBundle:
        return self.figure_._repr_mimebundle_(include, exclude)


def _of_class(response: FloatArray, place: int) -> FloatArray:
    """Return the scores of one class; those of two classes may be one column, of the second."""
    if response.ndim == 2:
        return response[:, place]
    return response if place else -response


def _require_one_class(kind: str, response: Any, *, matrix: bool) -> None:
    """Refuse probabilities of several classes for a figure of one."""
    if kind in OF_ONE_CLASS and matrix and response.shape[1] > 2:
        problem = f"a figure of kind {kind} shows one class, found probabilities of {response.shape[1]}"
        raise GermaneError(problem, hint="pass the column of one class, or use from_estimator with `positive=…`")


def _require_kind(kind: str) -> None:
    if kind not in RESPONSES:
        raise unknown("kind of display", kind, RESPONSES)
