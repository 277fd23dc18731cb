"""`classify`: everything about a classifier or detector, from labels, predictions and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from germane.api.classification_notes import matrix_notes, score_notes
from germane.api.classifying_matrix import Settings, matrix_performance
from germane.api.classifying_scores import score_overall, table_overall
from germane.api.positive import positive_label
from germane.errors import GermaneError
from germane.measures.deciding.probabilities import ProbabilityTable
from germane.stats.cell_intervals import WeightedRows
from germane.tables.confusion import Confusion, Label
from germane.tables.counting import count_confusion
from germane.tables.decisions import Decisions
from germane.tables.labels import Labels, encode_labels
from germane.tables.performance import Performance
from germane.tables.scores import Note

Average = Literal["binary", "macro", "micro", "weighted"]


def classify(
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    y_proba: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    threshold: float | None = None,
    sample_weight: Any = None,
    average: Average | None = None,
    probabilities: bool | None = None,
    name: str = "classifier",
    **how: Any,
) -> Performance:
    """How good a classifier is: its confusion matrix, every rate with an interval, and what its scores are worth.

    `y_pred` holds the decisions, `y_score` one score for each item (higher is more positive), `y_proba` a table of
    probabilities with one column for each of `labels`. With scores alone, the decisions follow from `threshold`; if
    none is given and all scores lie in [0, 1] it is ½, which a note says.

    `pos_label`, `labels`, `sample_weight`, `average` and `zero_division` mean what they mean in scikit-learn; `average`
    chooses which rates stand among those over everything (``binary``: of the positive class). `probabilities` says
    whether scores are probabilities; by default they are if all lie in [0, 1].

    `how` says what else to do, as `Settings` lists it: `prevalence` re-projects the predictive values, `cost_fp` and
    `cost_fn` give the expected cost of an item, and `level`, `interval`, `bootstrap`, `stratified`, `auc_scale`,
    `resamples` and `seed` say how intervals are made.

    >>> found = classify([0, 1, 1, 0, 1], y_score=[0.1, 0.8, 0.4, 0.3, 0.9])
    >>> found["TPR"].value, found["AUC"].value
    (0.6666666666666666, 1.0)
    """
    settings = Settings.of(**how)
    if y_pred is None and y_score is None and y_proba is None:
        raise GermaneError("nothing to evaluate", hint="give y_pred, y_score or y_proba beside y_true")
    if y_score is not None and y_proba is not None:
        raise GermaneError("y_score and y_proba are two ways to say the same", hint="give one of them")
    truth = encode_labels(y_true, "truth", "y_true")
    positive, notes = _positive(truth.values, pos_label, required=y_score is not None)
    decisions, table = None, None
    if y_score is not None:
        decisions = _decisions(truth, y_score, sample_weight, positive)
        if probabilities is None:
            probabilities = decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1
        if y_pred is None and threshold is None and probabilities:
            threshold = 0.5
            notes.append(Note("default-threshold", "", "scores lie in [0, 1]: at or above 0.5 counts as positive"))
        if y_pred is None and threshold is not None:
            y_pred = decided(truth.values, positive, np.asarray(y_score) >= threshold)
    elif y_proba is not None:
        labels = tuple(labels or truth.values)
        table = _probability_table(y_proba, labels, truth, sample_weight)
        if y_pred is None:
            y_pred = [labels[place] for place in np.argmax(table.probabilities, axis=1).tolist()]
    if y_pred is None:
        notes.append(Note("no-threshold", "", "without a threshold there are no decisions, only curves"))
        performance = Performance(
            name, "scores", len(truth), {}, positive=positive, level=settings.level, seed=settings.seed
        )
    else:
        y_one = _one_versus_rest(truth, positive) if decisions is not None and len(truth.values) > 2 else y_true
        confusion = count_confusion(y_one, y_pred, labels=labels, sample_weight=sample_weight, source=name)
        rows = _weighted_rows(confusion, y_one, y_pred, sample_weight)
        performance = matrix_performance(confusion, positive, settings, average=average, rows=rows, name=name)
        notes += matrix_notes(performance)
    overall = dict(performance.overall)
    if decisions is not None:
        overall |= score_overall(decisions, settings, probabilities=bool(probabilities))
        notes += score_notes(decisions, overall)
    if table is not None:
        overall |= table_overall(table, settings)
    return replace(performance, overall=overall, decisions=decisions, threshold=threshold, notes=tuple(notes))


def classify_matrix(
    confusion: Confusion,
    *,
    pos_label: Label | None = None,
    average: Average | None = None,
    name: str = "matrix",
    **how: Any,
) -> Performance:
    """The same from a confusion matrix that is there already; `how` are the interval options of `classify`.

    >>> found = classify_matrix(Confusion.of_matrix([[1820, 180], [10, 20]]))
    >>> found["PPV"].value, round(found["NPV"].low, 4)
    (0.1, 0.99)
    """
    settings = Settings.of(**how)
    positive, notes = _positive(confusion.labels, pos_label, required=False)
    performance = matrix_performance(confusion, positive, settings, average=average, name=name)
    return replace(performance, notes=(*notes, *matrix_notes(performance)))


def _positive(labels: Sequence[Label], asked: Label | None, *, required: bool) -> tuple[Label | None, list[Note]]:
    """The positive label, where one is asked for, known or needed; several classes do without."""
    if asked is None and not required and not _have_a_positive(labels):
        return None, []
    positive, note = positive_label(labels, asked)
    if positive is None and required:
        raise GermaneError(
            f"scores need a positive class, found {len(labels)} labels: {', '.join(map(str, labels[:5]))}",
            hint="name it: pos_label in Python, --positive on the command line",
        )
    return positive, [note] if note else []


def _have_a_positive(labels: Sequence[Label]) -> bool:
    try:
        return positive_label(labels)[0] is not None
    except GermaneError:
        return False


def _decisions(truth: Labels, y_score: Any, sample_weight: Any, positive: Label | None) -> Decisions:
    if len(y_score) != len(truth):
        raise GermaneError(f"expected as many scores as labels, found {len(y_score)} and {len(truth)}")
    is_positive = truth.codes == list(truth.values).index(positive) if positive is not None else truth.codes < 0
    return Decisions.of(is_positive, y_score, sample_weight, positive=positive if positive is not None else True)


def decided(labels: Sequence[Label], positive: Label | None, yes: npt.NDArray[np.bool_]) -> Any:
    """The label that each item gets: the positive one, or the other."""
    others = [label for label in labels if label != positive]
    other = others[0] if len(others) == 1 else f"not {positive}"
    return np.where(yes, np.asarray(positive, dtype=object), np.asarray(other, dtype=object)).tolist()


def _one_versus_rest(truth: Labels, positive: Label | None) -> list[Label]:
    names = [label if label == positive else f"not {positive}" for label in truth.values]
    return [names[code] for code in truth.codes.tolist()]


def _probability_table(y_proba: Any, labels: Sequence[Label], truth: Labels, sample_weight: Any) -> ProbabilityTable:
    columns = np.asarray(y_proba, dtype=np.float64)
    if columns.ndim != 2 or columns.shape[1] != len(labels):
        raise GermaneError(
            f"expected a column of probabilities for each of the {len(labels)} labels, found shape {columns.shape}",
            hint="labels names the columns in their order",
        )
    missing = [label for label in truth.values if label not in labels]
    if missing:
        raise GermaneError(f"no column of probabilities for {missing[0]!r}", hint="labels names the columns in order")
    place = np.asarray([labels.index(label) for label in truth.values])
    return ProbabilityTable.of(columns, place[truth.codes], sample_weight)


def _weighted_rows(confusion: Confusion, y_true: Any, y_pred: Any, sample_weight: Any) -> WeightedRows | None:
    """For weights that are not whole numbers: the cell of each item and its weight, to draw items."""
    if not confusion.weighted:
        return None
    columns = [encode_labels(column, "label", "labels") for column in (y_true, y_pred)]
    places = [np.asarray([confusion.place(label) for label in column.values])[column.codes] for column in columns]
    return places[0] * len(confusion) + places[1], np.asarray(sample_weight, dtype=np.float64)
