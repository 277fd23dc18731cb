"""Count a confusion matrix from two columns of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import BoolArray, IntArray, first_row
from germane.tables.columns.one_column import one_column
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.decisions.confusion import Confusion, Label
from germane.tables.decisions.labels import MOST_LABELS, Labels, as_values, encode_labels
from germane.tables.decisions.weights import as_weights

WIDEST_RANGE = 1024
"""Maximum range of whole-number labels that are counted directly; others are encoded first."""

ROWS_AT_ONCE = 1 << 16
FIRST_LOOK = 1 << 12
"""Rows from which the range of labels is estimated."""


def count_confusion(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Label] | None = None,
    sample_weight: npt.ArrayLike | None = None,
    others: Literal["error", "drop"] = "error",
    source: str = "labels",
) -> Confusion:
    """Count items by true and predicted label, as `Confusion.of` describes."""
    given = aligned_columns({"y_true": y_true, "y_pred": y_pred, "sample_weight": sample_weight}, source)
    y_true, y_pred = one_column(given["y_true"], "truth", source), one_column(given["y_pred"], "prediction", source)
    sample_weight, n = given["sample_weight"], len(y_true)
    if len(y_pred) != n:
        raise InputError(source, None, f"expected as many predictions as true labels, found {len(y_pred)} and {n}")
    if n == 0:
        raise InputError(source, None, "expected at least one row, found none")
    declared = None if labels is None else as_values(labels)
    if declared is not None and (not declared or len(set(declared)) != len(declared)):
        raise InputError(source, None, f"expected distinct labels, found {list(declared)}")
    if sample_weight is None and (integers := _count_integers(y_true, y_pred)) is not None:
        values, counts = integers
        present = counts.sum(axis=0) + counts.sum(axis=1) > 0
        met = {values[i] for i in np.flatnonzero(present).tolist()}
        if declared is None or others == "drop" or met <= set(declared):
            return _arranged(values, counts, present, declared)
    # Encode both columns in parallel.
    columns = [(y_true, "truth"), (y_pred, "prediction")]
    truth, predicted = map_in_threads(lambda each: encode_labels(*each, source), columns)
    values = _union(truth, predicted, source)
    first, second = _placed(truth, values), _placed(predicted, values)
    if declared is not None:
        unknown = np.asarray([value not in declared for value in values])
        outside = unknown[first] | unknown[second]
        if others == "error" and (row := first_row(outside)) is not None:
            wrong, role = (first, "truth") if unknown[first[row]] else (second, "prediction")
            label = values[wrong[row]]
            hint = "declare it too: `labels=…`"
            if isinstance(label, str) != isinstance(declared[0], str):
                hint = "text and numbers are never the same label: declare them as they are in the data"
            listed = ", ".join(map(repr, declared[:10])) + (", …" if len(declared) > 10 else "")
            problem = f"expected one of the labels {listed}, found {label!r} as {role} in row {row + 1}"
            raise InputError(source, None, problem, hint=hint)
    weights = None if sample_weight is None else as_weights(sample_weight, n, source)
    present = np.bincount(first, minlength=len(values)) + np.bincount(second, minlength=len(values)) > 0
    if weights is None:
        counted = _count_in_threads(first, second, 0, len(values))
        assert counted is not None, "codes are places in values"
        return _arranged(values, counted, present, declared)
    sums = np.bincount(first * len(values) + second, weights=weights, minlength=len(values) ** 2)
    whole = weights.dtype.kind == "i"
    table = (sums.astype(np.int64) if whole else sums).reshape(len(values), -1)
    num_rows = n if declared is None else int(n - outside.sum())
    return _arranged(values, table, present, declared, num_rows=num_rows, weighted=not whole)


def _arranged(
    values: Sequence[Label],
    counts: npt.NDArray[Any],
    present: BoolArray,
    declared: tuple[Label, ...] | None,
    *,
    num_rows: int | None = None,
    weighted: bool = False,
) -> Confusion:
    """Return the counts of the wanted labels from those of all values."""
    if declared is None:
        at = np.flatnonzero(present)
        labels: tuple[Label, ...] = tuple(values[i] for i in at.tolist())
        chosen = counts if len(at) == len(counts) else counts[np.ix_(at, at)]
    else:
        labels = declared
        place = {value: i for i, value in enumerate(values)}
        pairs = [(i, place[label]) for i, label in enumerate(declared) if label in place]
        to, at = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T
        chosen = np.zeros((len(declared), len(declared)), dtype=counts.dtype)
        chosen[np.ix_(to, to)] = counts[np.ix_(at, at)]
    return Confusion(labels, chosen, int(chosen.sum()) if num_rows is None else num_rows, weighted)


def _count_integers(y_true: Any, y_pred: Any) -> tuple[Sequence[Label], IntArray] | None:
    """Return the values from the lowest to the highest, and their counts; None unless they are nearby integers."""
    for column in (y_true, y_pred):
        if not isinstance(column, np.ndarray) or column.ndim != 1 or column.dtype.kind not in "biu":
            return None
        if column.dtype == np.uint64:
            return None
    truth, predicted = (each.view(np.uint8) != 0 if each.dtype.kind == "b" else each for each in (y_true, y_pred))
    for rows in (slice(FIRST_LOOK), slice(None)):
        ends = map_in_threads(lambda column: (int(column.min()), int(column.max())), [truth[rows], predicted[rows]])
        lowest = min(low for low, _ in ends)
        size = max(high for _, high in ends) - lowest + 1
        if size > WIDEST_RANGE:
            return None
        if (counts := _count_in_threads(truth, predicted, lowest, size)) is not None:
            both_truth_values = y_true.dtype.kind == y_pred.dtype.kind == "b"
            values = range(lowest, lowest + size)
            return [bool(value) for value in values] if both_truth_values else values, counts
    raise AssertionError("all rows lie between the lowest and the highest")


def _count_in_threads(truth: npt.NDArray[Any], predicted: npt.NDArray[Any], lowest: int, size: int) -> IntArray | None:
    """Count each pair of integers; None if some lie outside the range."""
    n = len(truth)
    threads = min(num_threads(), 1 + n // ROWS_AT_ONCE)
    as_they_are = all(column.dtype == np.int64 and column.flags.c_contiguous for column in (truth, predicted))
    step = n if as_they_are else ROWS_AT_ONCE  # other widths are converted in parts that fit into the cache

    def count(part: int) -> IntArray | None:
        counts = np.zeros((size, size), dtype=np.int64)
        end = n * (part + 1) // threads
        for start in range(n * part // threads, end, max(1, step)):
            rows = slice(start, min(start + step, end))
            first, second = (np.ascontiguousarray(column[rows], dtype=np.int64) for column in (truth, predicted))
            if kernels.count_pairs(first, second, lowest, size, counts) >= 0:
                return None
        return counts

    counted = [counts for counts in map_in_threads(count, range(threads)) if counts is not None]
    return sum(counted[1:], start=counted[0]) if len(counted) == threads else None


def _union(truth: Labels, predicted: Labels, source: str) -> tuple[Label, ...]:
    """Return all values of both columns: sorted, or in the order of an ordered category."""
    if truth.are_text != predicted.are_text:
        kinds = [f"{'text' if each.are_text else 'numbers'} ({each.values[0]!r})" for each in (truth, predicted)]
        problem = f"expected labels of one kind, found {kinds[0]} as truth and {kinds[1]} as prediction"
        raise InputError(source, None, problem, hint="text and numbers are never the same label: convert one column")
    base, other = (truth, predicted) if truth.ordered or not predicted.ordered else (predicted, truth)
    union = dict.fromkeys((*base.values, *other.values))
    if len(union) > MOST_LABELS:
        raise InputError(source, None, f"expected at most {MOST_LABELS:,} different labels, found {len(union):,}")
    return tuple(union) if base.ordered else tuple(sorted(union))


def _placed(column: Labels, values: tuple[Label, ...]) -> IntArray:
    """Return the index of each row's label among the values."""
    place = {value: i for i, value in enumerate(values)}
    return np.asarray([place[value] for value in column.values], dtype=np.int64)[column.codes]
