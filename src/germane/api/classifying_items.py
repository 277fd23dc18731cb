"""From the columns of a classifier to counts: what was predicted, or decided at a threshold, or most probable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError
from germane.measures.deciding.probabilities import ProbabilityTable
from germane.stats.cell_intervals import WeightedRows
from germane.tables.confusion import Confusion, Label
from germane.tables.counting import count_confusion
from germane.tables.decisions import Decisions
from germane.tables.ids import BoolArray
from germane.tables.labels import Labels, as_values, encode_labels


class Counted(NamedTuple):
    """A confusion matrix and, where weights are not whole numbers, the cell (truth · K + prediction) of each item."""

    confusion: Confusion
    rows: WeightedRows | None = None


def count_predictions(
    y_true: Any, y_pred: Any, labels: Sequence[Label] | None, sample_weight: Any, source: str
) -> Counted:
    """What was predicted."""
    confusion = count_confusion(y_true, y_pred, labels=labels, sample_weight=sample_weight, source=source)
    if labels is None:
        _require_a_common_label(confusion, source)
    if not confusion.weighted:
        return Counted(confusion)
    columns = [encode_labels(column, "label", source) for column in (y_true, y_pred)]
    places = [np.asarray([confusion.place(label) for label in column.values])[column.codes] for column in columns]
    return Counted(confusion, _rows(confusion, places[0], places[1], sample_weight))


def _require_a_common_label(confusion: Confusion, source: str) -> None:
    """Refuse predictions of which none could be right; of two labels in all, either side may have but one."""
    true, called = (
        [label for label, n in zip(confusion.labels, confusion.counts.sum(axis=axis).tolist(), strict=True) if n]
        for axis in (1, 0)
    )
    if len(confusion) < 3 or set(true) & set(called):
        return
    sides = [", ".join(repr(label) for label in side[:5]) + ", …" * (len(side) > 5) for side in (true, called)]
    raise InputError(
        source,
        None,
        f"expected predictions among the true labels {sides[0]}, found only others: {sides[1]}",
        hint="write the labels alike in both columns; if no prediction is right, declare all labels: `labels=…`",
    )


def count_at_threshold(
    decisions: Decisions, threshold: float, truth: Labels, y_score: Any, sample_weight: Any
) -> Counted:
    """What is decided if a score at or above the threshold is positive; several classes are one against the rest."""
    positive = decisions.positive
    labels = truth.values if len(truth.values) == 2 else (f"not {positive}", positive)
    at = labels.index(positive)
    tp, fp, fn, tn = decisions.at(threshold)
    counts = np.asarray([[tn, fp], [fn, tp]] if at else [[tp, fn], [fp, tn]])
    confusion = Confusion(labels, counts, decisions.num_rows, decisions.weighted)
    if not confusion.weighted:
        return Counted(confusion)
    is_positive, called = is_class(truth, positive), np.asarray(y_score, dtype=np.float64) >= threshold
    places = [np.where(side, at, 1 - at) for side in (is_positive, called)]
    return Counted(confusion, _rows(confusion, places[0], places[1], sample_weight))


def count_most_probable(table: ProbabilityTable, truth: Labels, sample_weight: Any) -> Counted:
    """What is decided if each item gets its most probable class; of equally probable ones the first."""
    called = np.argmax(table.probabilities, axis=1)
    places = np.arange(len(truth.values))
    counted = count_confusion(truth.codes, called, labels=places.tolist(), sample_weight=sample_weight)
    confusion = Confusion(truth.values, counted.counts, counted.num_rows, counted.weighted)
    return Counted(confusion, _rows(confusion, truth.codes, called, sample_weight) if counted.weighted else None)


def true_labels(y_true: Any, labels: Sequence[Label] | None, source: str) -> Labels:
    """The true classes; if `labels` are declared in their order, and any other is an error."""
    found = encode_labels(y_true, "truth", source)
    if labels is None:
        return found
    count_confusion(y_true, y_true, labels=labels, source=source)  # says which row has a label that was not declared
    declared = as_values(labels)
    place = np.asarray([declared.index(value) for value in found.values], dtype=np.int32)
    return Labels(declared, place[found.codes], ordered=True)


def is_class(truth: Labels, label: Label) -> BoolArray:
    """For each item, whether this is its class, which need not occur."""
    found: BoolArray = truth.codes == (truth.values.index(label) if label in truth.values else -1)
    return found


def probability_table(y_proba: Any, truth: Labels, sample_weight: Any) -> ProbabilityTable:
    """Claimed probabilities with the column that came true, checked."""
    try:
        columns = np.asarray(y_proba, dtype=np.float64)
    except (TypeError, ValueError):
        raise GermaneError("expected numbers as probabilities, found something else") from None
    num = len(truth.values)
    if columns.ndim != 2 or columns.shape[1] != num:
        raise GermaneError(
            f"expected a column of probabilities for each of the {num} labels, found shape {columns.shape}",
            hint="labels names the columns in their order",
        )
    return ProbabilityTable.of(columns, truth.codes, sample_weight)


def _rows(confusion: Confusion, truth: npt.NDArray[Any], called: npt.NDArray[Any], sample_weight: Any) -> WeightedRows:
    return truth.astype(np.int64) * len(confusion) + called, np.asarray(sample_weight, dtype=np.float64)
