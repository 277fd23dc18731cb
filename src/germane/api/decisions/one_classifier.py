"""Evaluate one classifier from its predictions, scores or probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.api.decisions.many_classes import rounded_note, table_measures, with_table
from germane.api.decisions.matrix import matrix_performance
from germane.api.decisions.notes import (
    default_threshold_note,
    matrix_notes,
    merged_labels_note,
    no_threshold_note,
    score_notes,
)
from germane.api.decisions.positive_class import positive_if_known, positive_label
from germane.api.decisions.scores import score_overall
from germane.api.decisions.settings import Settings
from germane.api.groups.coded_items import CodedItems, coded_items
from germane.errors import GermaneError, InputError
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.stats.intervals.cells import WeightedRows
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import frame_column, frame_columns, number_column, number_matrix
from germane.tables.decisions.confusion import Cells, Confusion, Label
from germane.tables.decisions.count_confusion import count_confusion
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import Labels, as_values, encode_labels
from germane.tables.notes.note import Note
from germane.tables.results.performance import Performance


class Classifier(NamedTuple):
    """Output of one classifier: predictions, one score per item, or a table of probabilities."""

    name: str
    predicted: Any = None
    score: Any = None
    proba: Any = None


def evaluated(
    truth: Any, said: Classifier, weight: Any, settings: Settings
) -> tuple[Performance, Callable[[], CodedItems]]:
    """Evaluate decisions, scores and probabilities; the second result codes the items, for those who need each."""
    name, y_pred, y_score, y_proba = said
    threshold, labels, probabilities = settings.threshold, settings.labels, settings.are_probabilities
    _require_one_way(said, threshold)
    counted: _Counted | None = None
    known: Labels | None = None
    if y_pred is not None:
        counted = _count_predictions(truth, y_pred, labels, weight, name)
    if y_score is not None or y_proba is not None:
        known = true_labels(truth, labels, name)
    values = counted.confusion.labels if counted is not None else known.values if known is not None else ()
    positive, notes = known_positive(values, settings.positive, required=y_score is not None)
    decisions, table, claims = None, None, None
    if y_proba is not None and known is not None:
        table = probability_table(y_proba, known, weight)
        claims = partial(_against_the_rest, known, table.probabilities, weight)
        notes += rounded_note(table)
        if len(known.values) == 2 and positive is not None:
            # Two columns that add up to one are treated as one score.
            y_score, table, probabilities = table.probabilities[:, known.values.index(positive)], None, True
        elif threshold is not None:
            hint = "use the scores of one class (y_score, or a column with `score=…`) and `positive=…`"
            raise GermaneError("`threshold=` requires scores of one class", hint=hint)
        elif counted is None:
            counted = _count_most_probable(table, known, weight)
    if y_score is not None and known is not None and positive is not None:
        decisions = Decisions.of(is_class(known, positive), y_score, weight, positive=positive)
        notes += merged_labels_note(_sizes(known), positive) if y_pred is None else []
        if probabilities is None:
            probabilities = decisions.thresholds[-1] >= 0 and decisions.thresholds[0] <= 1
        if counted is None and threshold is None and probabilities:
            threshold = 0.5
            notes.append(default_threshold_note())
        if counted is None and threshold is not None:
            counted = _count_at_threshold(decisions, threshold, known, y_score, weight)
    if counted is None:
        notes.append(no_threshold_note())
        found = Performance(name, "scores", len(truth), {}, positive=positive, level=settings.level, seed=settings.seed)
    else:
        found = matrix_performance(*counted, positive, settings, name)
        notes += matrix_notes(found)
    overall = dict(found.overall)
    if decisions is not None:
        overall |= score_overall(decisions, settings, probabilities=bool(probabilities))
        notes += score_notes(decisions, overall, inverted=settings.invert)
    found = replace(found, overall=overall, decisions=decisions, threshold=threshold, claims=claims)
    if table is not None and known is not None:
        found = with_table(found, table_measures(table, known.values, settings))
    found = replace(found, notes=tuple(notes))
    score = None if decisions is None else y_score
    return found, lambda: coded_items(found, truth, y_pred, score, table, weight)


def _against_the_rest(truth: Labels, probabilities: FloatArray, weight: Any, most: int) -> dict[Label, Decisions]:
    """Return the largest classes, each against the rest by its column of probabilities, in the order of labels."""
    sizes = np.bincount(truth.codes, minlength=len(truth.values))
    return {
        truth.values[i]: Decisions.of(truth.codes == i, probabilities[:, i], weight, positive=truth.values[i])
        for i in sorted(np.argsort(-sizes, kind="stable")[:most].tolist())
        if sizes[i]
    }


def performance_of_matrix(confusion: Confusion, settings: Settings, name: str) -> Performance:
    """Evaluate a given confusion matrix."""
    positive, notes = known_positive(confusion.labels, settings.positive, required=False)
    found = matrix_performance(confusion, None, positive, settings, name)
    return replace(found, notes=(*notes, *matrix_notes(found)))


def _sizes(truth: Labels) -> dict[Label, int]:
    """Return the number of items of each class."""
    return dict(zip(truth.values, np.bincount(truth.codes, minlength=len(truth.values)).tolist(), strict=True))


def known_positive(labels: Sequence[Label], asked: Label | None, *, required: bool) -> tuple[Label | None, list[Note]]:
    """Return the positive label, where it was given, can be inferred or is required; None for several classes."""
    positive, note = (positive_label if required else positive_if_known)(labels, asked)
    if positive is None and required and len(labels) == 1:
        hint = "use data with both classes; curves and AUC require them"
        raise GermaneError(f"expected positives and negatives, found {labels[0]!r} in all rows", hint=hint)
    if positive is None and required:
        listed = ", ".join(map(str, labels[:5])) + ", …" * (len(labels) > 5)
        raise GermaneError(f"cannot tell which of {len(labels)} labels is positive: {listed}", hint="use `positive=…`")
    return positive, [note] if note else []


def _require_one_way(said: Classifier, threshold: float | None) -> None:
    """Refuse scores beside probabilities, and a threshold beside predictions."""
    if said.score is not None and said.proba is not None:
        raise GermaneError("pass either y_score or y_proba, not both", hint="remove one of them")
    if threshold is None:
        return
    if said.predicted is not None:
        hint = "to decide from scores, pass only `score=…`"
        raise GermaneError("`threshold=` cannot be combined with predicted labels", hint=hint)


class _Counted(NamedTuple):
    """A confusion matrix and, where weights are not integers, the cell (truth · K + prediction) of each item."""

    confusion: Confusion
    rows: WeightedRows | None = None


def _count_predictions(
    y_true: Any, y_pred: Any, labels: Sequence[Label] | None, sample_weight: Any, source: str
) -> _Counted:
    """Count the predictions."""
    confusion = count_confusion(y_true, y_pred, labels=labels, sample_weight=sample_weight, source=source)
    if labels is None:
        require_a_common_label(confusion, source)
    if not confusion.weighted:
        return _Counted(confusion)
    columns = [encode_labels(column, "label", source) for column in (y_true, y_pred)]
    places = [np.asarray([confusion.place(label) for label in column.values])[column.codes] for column in columns]
    return _Counted(confusion, _rows(confusion, places[0], places[1], sample_weight))


def require_a_common_label(confusion: Confusion, source: str) -> None:
    """Refuse predictions that share no label with the truth, unless there are only two labels in all."""
    sums = (confusion.counts.sum(axis=axis).tolist() for axis in (1, 0))
    true, called = ([label for label, n in zip(confusion.labels, side, strict=True) if n] for side in sums)
    if len(confusion) < 3 or set(true) & set(called):
        return
    sides = [", ".join(repr(label) for label in side[:5]) + ", …" * (len(side) > 5) for side in (true, called)]
    problem = f"expected predictions among the true labels {sides[0]}, found only others: {sides[1]}"
    hint = "use the same labels in both columns; if no prediction is right, declare all labels: `labels=…`"
    raise InputError(source, None, problem, hint=hint)


def _count_at_threshold(
    decisions: Decisions, threshold: float, truth: Labels, y_score: Any, sample_weight: Any
) -> _Counted:
    """Count decisions where a score at or above the threshold is positive; several classes are one against the rest."""
    positive = decisions.positive
    labels = truth.values if len(truth.values) == 2 else (f"not {positive}", positive)
    cells, weighted = decisions.at(threshold), decisions.weighted
    confusion = matrix_of_cells(labels, positive, cells, decisions.num_rows, weighted=weighted)
    if not confusion.weighted:
        return _Counted(confusion)
    at = labels.index(positive)
    is_positive, called = is_class(truth, positive), np.asarray(y_score, dtype=np.float64) >= threshold
    places = [np.where(side, at, 1 - at) for side in (is_positive, called)]
    return _Counted(confusion, _rows(confusion, places[0], places[1], sample_weight))


def matrix_of_cells(
    labels: tuple[Label, ...], positive: Label, cells: Cells, num_rows: int, *, weighted: bool
) -> Confusion:
    """Return the matrix of two labels from the four cells of the positive one."""
    tp, fp, fn, tn = cells
    counts = np.asarray([[tn, fp], [fn, tp]] if labels.index(positive) else [[tp, fn], [fp, tn]])
    return Confusion(labels, counts, num_rows, weighted)


def _count_most_probable(table: ProbabilityTable, truth: Labels, sample_weight: Any) -> _Counted:
    """Count decisions where each item gets its most probable class, the first of equally probable ones."""
    called = np.argmax(table.probabilities, axis=1)
    places = np.arange(len(truth.values))
    counted = count_confusion(truth.codes, called, labels=places.tolist(), sample_weight=sample_weight)
    confusion = Confusion(truth.values, counted.counts, counted.num_rows, counted.weighted)
    return _Counted(confusion, _rows(confusion, truth.codes, called, sample_weight) if counted.weighted else None)


def true_labels(y_true: Any, labels: Sequence[Label] | None, source: str) -> Labels:
    """Return the true classes, in the order of `labels` if declared; any other label is then an error."""
    found = encode_labels(y_true, "truth", source)
    if labels is None:
        return found
    count_confusion(
        y_true, y_true, labels=labels, source=source
    )  # raises an error that names the row of an undeclared label
    declared = as_values(labels)
    place = np.asarray([declared.index(value) for value in found.values], dtype=np.int32)
    return Labels(declared, place[found.codes], ordered=True)


def is_class(truth: Labels, label: Label) -> BoolArray:
    """Return for each item whether it has this class, which need not occur."""
    found: BoolArray = truth.codes == (truth.values.index(label) if label in truth.values else -1)
    return found


def probability_table(y_proba: Any, truth: Labels, sample_weight: Any) -> ProbabilityTable:
    """Return the predicted probabilities with the column of the true class, checked."""
    columns = _by_label(y_proba, truth)
    num = len(truth.values)
    if columns.shape[1] != num:
        hint = "name the columns in order: `labels=…`"
        if columns.shape == (num, len(truth)):
            hint = "rows are items and columns are labels: pass y_proba.T"
        problem = f"expected a column of probabilities for each of the {num} labels, found shape {columns.shape}"
        raise GermaneError(problem, hint=hint)
    return ProbabilityTable.of(columns, truth.codes, sample_weight)


def _by_label(y_proba: Any, truth: Labels) -> FloatArray:
    """Return the columns in the order of the labels if named by them, else unchanged."""
    names = list(y_proba) if isinstance(y_proba, Mapping) else frame_columns(y_proba)
    if names is None:
        return number_matrix(y_proba, "probability", "y_proba")
    if len(names) == len(truth.values):
        text = [str(label) for label in truth.values]
        if sorted(map(str, names)) != sorted(text):
            listed = ", ".join(map(str, names[:5]))
            hint = f"name them {', '.join(text[:5])}; or pass y_proba.to_numpy() if they are in this order"
            raise GermaneError(f"expected the labels as columns of y_proba, found {listed}", hint=hint)
        names = sorted(names, key=lambda name: text.index(str(name)))
    columns = [(n, y_proba[n] if isinstance(y_proba, Mapping) else frame_column(y_proba, n)) for n in names]
    numbers = [number_column(column, f"probability of {name}", "y_proba") for name, column in columns]
    if len({len(column) for column in numbers}) > 1:
        raise GermaneError("expected columns of equal length as y_proba, found several lengths")
    return np.stack(numbers, axis=1) if numbers else np.zeros((0, 0))


def _rows(confusion: Confusion, truth: npt.NDArray[Any], called: npt.NDArray[Any], sample_weight: Any) -> WeightedRows:
    return truth.astype(np.int64) * len(confusion) + called, np.asarray(sample_weight, dtype=np.float64)
