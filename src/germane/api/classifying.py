"""`classify`: everything about a classifier or detector, from labels, predictions and scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from germane.api.classification_notes import (
    matrix_notes,
    merged_labels_note,
    require_computed,
    score_notes,
    with_missing,
)
from germane.api.classifying_items import (
    Counted,
    count_at_threshold,
    count_most_probable,
    count_predictions,
    given_columns,
    is_class,
    is_table,
    probability_table,
    true_labels,
)
from germane.api.classifying_matrix import Settings, matrix_performance
from germane.api.classifying_scores import score_overall, table_overall
from germane.api.positive import positive_label
from germane.arguments import checked
from germane.distributed.spark_run import lies_on_spark
from germane.errors import GermaneError
from germane.measures.deciding.names import canonical_name
from germane.tables.confusion import Confusion, Label
from germane.tables.decisions import Decisions
from germane.tables.labels import Labels
from germane.tables.performance import Performance
from germane.tables.scores import Note

Average = Literal["binary", "macro", "micro", "weighted"]


@checked
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
    probabilities with one column for each of `labels`, or of the sorted classes; two columns are one score. The
    decisions are those of `y_pred`; without it, what scores at or above `threshold` is positive (without a threshold
    and if all scores lie in [0, 1], ½ is taken, which a note says), and of several probabilities the highest counts.

    `y_true` may be a data frame of Spark: the others, and `truth`, are names of its columns then, and what is not named
    is told by the usual names. Rows are counted on the cluster, and the AUC comes with a bound of its error.

    `pos_label`, `labels`, `sample_weight`, `average` and `zero_division` mean what they mean in scikit-learn; `average`
    chooses which rates stand among those over everything (``binary``: of the positive class). `probabilities` says
    whether scores are probabilities; by default they are if all lie in [0, 1].

    Columns may be lists, arrays, tensors, columns of data frames, or all of them mappings ``{id: value}``, which are
    aligned by id. A frame or a mapping as `y_proba` has the labels as its columns.

    `how` says what else to do, as `Settings` lists it: `prevalence` re-projects the predictive values, `cost_fp` and
    `cost_fn` give the expected cost of an item, `measures` leaves only these among what holds over everything, and
    `level`, `interval`, `bootstrap`, `stratified`, `auc_scale`, `resamples` and `seed` say how intervals are made.

    >>> found = classify([0, 1, 1, 0, 1], y_score=[0.1, 0.8, 0.4, 0.3, 0.9])
    >>> found["TPR"].value, found["AUC"].value
    (0.6666666666666666, 1.0)
    """
    if lies_on_spark(y_true):
        unused = {"y_proba": y_proba, "labels": labels, "average": average, "probabilities": probabilities}
        return _on_spark(y_true, y_pred, y_score, sample_weight, pos_label, threshold, name, unused, how)
    _require_columns(y_true)
    found = classify_one(
        y_true,
        y_pred,
        y_score=y_score,
        y_proba=y_proba,
        labels=labels,
        pos_label=pos_label,
        threshold=threshold,
        sample_weight=sample_weight,
        average=average,
        probabilities=probabilities,
        name=name,
        settings=Settings.of(**how),
    )
    (found,) = require_computed([found])
    return found


def classify_one(
    y_true: Any,
    y_pred: Any,
    *,
    y_score: Any,
    y_proba: Any,
    labels: Sequence[Label] | None,
    pos_label: Label | None,
    threshold: float | None,
    sample_weight: Any,
    average: Average | None,
    probabilities: bool | None,
    name: str,
    settings: Settings,
) -> Performance:
    """The same of one among several classifiers, which may lack a measure that others have."""
    given = {"y_true": y_true, "y_pred": y_pred, "y_score": y_score, "y_proba": y_proba, "sample_weight": sample_weight}
    y_true, y_pred, y_score, y_proba, sample_weight = given_columns(given, name).values()
    _require_one_way(y_pred, y_score, y_proba, threshold)
    counted: Counted | None = None
    truth: Labels | None = None
    if y_pred is not None:
        counted = count_predictions(y_true, y_pred, labels, sample_weight, name)
    if y_score is not None or y_proba is not None:
        truth = true_labels(y_true, labels, name)
    known = counted.confusion.labels if counted is not None else truth.values if truth is not None else ()
    positive, notes = _positive(known, pos_label, required=y_score is not None)
    decisions, table = None, None
    if y_proba is not None and truth is not None:
        table = probability_table(y_proba, truth, sample_weight)
        if len(truth.values) == 2 and positive is not None:
            # Two columns that add up to one are one score.
            y_score, table, probabilities = table.probabilities[:, truth.values.index(positive)], None, True
        elif threshold is not None:
            raise GermaneError("a threshold is for the scores of one class", hint="y_score and pos_label give those")
        elif counted is None:
            counted = count_most_probable(table, truth, sample_weight)
    if y_score is not None and truth is not None and positive is not None:
        decisions = Decisions.of(is_class(truth, positive), y_score, sample_weight, positive=positive)
        notes += merged_labels_note(truth, positive) if y_pred is None else []
        if probabilities is None:
            probabilities = decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1
        if counted is None and threshold is None and probabilities:
            threshold = 0.5
            notes.append(Note("default-threshold", "", "scores lie in [0, 1]: at or above 0.5 counts as positive"))
        if counted is None and threshold is not None:
            counted = count_at_threshold(decisions, threshold, truth, y_score, sample_weight)
    if counted is None:
        notes.append(
            Note("no-threshold", "", "without a threshold there are no decisions, only curves; --threshold gives one")
        )
        performance = Performance(
            name, "scores", len(y_true), {}, positive=positive, level=settings.level, seed=settings.seed
        )
    else:
        performance = matrix_performance(*counted, positive, settings, average=average, name=name)
        notes += matrix_notes(performance)
    overall = dict(performance.overall)
    if decisions is not None:
        overall |= score_overall(decisions, settings, probabilities=bool(probabilities))
        notes += score_notes(decisions, overall)
    if table is not None:
        overall |= table_overall(table, settings)
    overall = {name: estimate for name, estimate in overall.items() if settings.wants(name)}
    performance = replace(performance, overall=overall, decisions=decisions, threshold=threshold)
    claimed = table is not None or bool(probabilities)
    found = replace(performance, notes=tuple(notes), named=canonical_name, asked=settings.measures)
    return with_missing(found, settings.measures, scores=decisions is not None, probabilities=claimed)


def _on_spark(
    frame: Any,
    predicted: str | None,
    score: str | None,
    weight: str | None,
    positive: Label | None,
    threshold: float | None,
    name: str,
    given: Mapping[str, Any],
    how: dict[str, Any],
) -> Performance:
    """A whole frame, of which columns are given by name."""
    from germane.api.classifying_on_spark import classify_on_spark

    for option, value in given.items():
        if value is not None:
            raise GermaneError(f"a frame of Spark has no use for {option}", hint="leave it out")
    columns = {"truth": how.pop("truth", None), "predicted": predicted, "score": score, "weight": weight}
    return classify_on_spark(frame, columns, positive=positive, threshold=threshold, name=name, **how)


@checked
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
    performance = matrix_performance(confusion, None, positive, settings, average=average, name=name)
    overall = {name: estimate for name, estimate in performance.overall.items() if settings.wants(name)}
    notes += matrix_notes(performance)
    found = replace(performance, overall=overall, notes=tuple(notes), named=canonical_name, asked=settings.measures)
    (found,) = require_computed([with_missing(found, settings.measures, scores=False, probabilities=False)])
    return found


def _positive(labels: Sequence[Label], asked: Label | None, *, required: bool) -> tuple[Label | None, list[Note]]:
    """The positive label, where one is asked for, known or needed; several classes do without."""
    if asked is None and not required and not _have_a_positive(labels):
        return None, []
    positive, note = positive_label(labels, asked)
    if positive is None and required and len(labels) == 1:
        raise GermaneError(
            f"expected positives and negatives, found {labels[0]!r} in all rows",
            hint="curves, AUC and the like need both; name a file that has them",
        )
    if positive is None and required:
        raise GermaneError(
            f"scores need a positive class, found {len(labels)} labels: {', '.join(map(str, labels[:5]))}",
            hint="name it: `positive=…`",
        )
    return positive, [note] if note else []


def _have_a_positive(labels: Sequence[Label]) -> bool:
    try:
        return positive_label(labels)[0] is not None
    except GermaneError:
        return False


def _require_columns(y_true: Any) -> None:
    """Refuse a file or a table where one column is wanted."""
    if isinstance(y_true, str | Path) or is_table(y_true):
        what = f"{y_true!r}" if isinstance(y_true, str | Path) else f"a table ({type(y_true).__name__})"
        raise GermaneError(
            f"expected the true labels as y_true, found {what}", hint="a file or frame: ge.classify_data"
        )


def _require_one_way(y_pred: Any, y_score: Any, y_proba: Any, threshold: float | None) -> None:
    """Refuse two answers to one question."""
    if y_pred is None and y_score is None and y_proba is None:
        raise GermaneError("nothing to evaluate", hint="give y_pred, y_score or y_proba beside y_true")
    if y_score is not None and y_proba is not None:
        raise GermaneError("y_score and y_proba are two ways to say the same", hint="give one of them")
    if threshold is None:
        return
    if y_pred is not None:
        raise GermaneError(
            "the predictions are decisions already, and a threshold would make others",
            hint="for other decisions from the scores, give these alone: `score=…`",
        )
    if math.isnan(threshold):
        raise GermaneError("expected a number as threshold, found NaN")
