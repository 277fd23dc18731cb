"""From the columns of a classifier to counts: what was predicted, or decided at a threshold, or most probable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, InputError
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.stats.intervals.cells import WeightedRows
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import frame_column, frame_columns, number_column, number_matrix, one_column
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.count_confusion import count_confusion
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.labels import Labels, as_values, encode_labels


def is_table(given: Any) -> bool:
    """Whether this is a frame with several columns, or a mapping of columns and not of single values."""
    if isinstance(given, Mapping):
        first = next(iter(given.values()), None)
        return first is None or (hasattr(first, "__len__") and not isinstance(first, str | bytes))
    names = frame_columns(given)
    return names is not None and len(names) != 1


def given_columns(given: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return what belongs to items, by parameter and item by item; scores as numbers, probabilities as they came."""
    by_label = is_table(given["y_proba"]) and isinstance(given["y_proba"], Mapping)
    found = aligned_columns({**given, "y_proba": None} if by_label else given, source) | {"y_proba": given["y_proba"]}
    for name in ("y_true", "y_pred", "sample_weight"):
        if found[name] is not None:
            found[name] = one_column(found[name], name, source)
    if found["y_score"] is not None:
        found["y_score"] = _scores(found["y_score"], source)
    return found


def _scores(given: Any, source: str) -> Any:
    try:
        column = one_column(given, "y_score", source)
    except InputError as problem:
        if getattr(given, "ndim", 1) == 2 and given.shape[1] > 1:
            raise InputError(source, None, problem.problem, hint="y_proba takes one column a class") from None
        raise
    array = column if isinstance(column, np.ndarray) and column.dtype.kind in "iuf" else None
    return number_column(column, "score", source) if array is None else array


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
    problem = f"expected predictions among the true labels {sides[0]}, found only others: {sides[1]}"
    hint = "write the labels alike in both columns; if no prediction is right, declare all labels: `labels=…`"
    raise InputError(source, None, problem, hint=hint)


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
    columns = _by_label(y_proba, truth)
    num = len(truth.values)
    if columns.shape[1] != num:
        turned = columns.shape == (num, len(truth))
        raise GermaneError(
            f"expected a column of probabilities for each of the {num} labels, found shape {columns.shape}",
            hint="rows are items and columns are labels: pass y_proba.T"
            if turned
            else "labels names the columns in their order",
        )
    return ProbabilityTable.of(columns, truth.codes, sample_weight)


def _by_label(y_proba: Any, truth: Labels) -> FloatArray:
    """The columns in the order of the labels, where they are named by them; as they came where they have no names."""
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
    columns = (y_proba[name] if isinstance(y_proba, Mapping) else frame_column(y_proba, name) for name in names)
    numbers = [
        number_column(column, f"probability of {name}", "y_proba") for name, column in zip(names, columns, strict=True)
    ]
    if len({len(column) for column in numbers}) > 1:
        raise GermaneError("expected columns of one length as y_proba, found several")
    return np.stack(numbers, axis=1) if numbers else np.zeros((0, 0))


def _rows(confusion: Confusion, truth: npt.NDArray[Any], called: npt.NDArray[Any], sample_weight: Any) -> WeightedRows:
    return truth.astype(np.int64) * len(confusion) + called, np.asarray(sample_weight, dtype=np.float64)
