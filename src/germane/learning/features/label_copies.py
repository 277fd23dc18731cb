"""Detect features that give the label away: copies of the label, or perfect separation of the labels.

>>> [str(leak) for leak in find_label_copies([[0, 3.0], [1, 9.0], [0, 3.0]], [0, 1, 0], ["bm25", "clicks"])]
['label as feature: 1 across features and labels (bm25 equals the label)', 'label as feature: 1 across features and labels (clicks is a rising copy of the label)']
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.learning.data.leakage import Leak
from germane.tables.columns.ids import FloatArray, IntArray

LEAST_ROWS = 20
"""Minimum number of rows: with fewer, a feature may order all labels correctly by chance."""


def find_label_copies(
    features: npt.ArrayLike, labels: npt.ArrayLike, names: Sequence[str], query: npt.ArrayLike | None = None
) -> list[Leak]:
    """Return the features (columns) that reveal the label.

    A copy has one value for each label, increasing or decreasing with it: the label itself, its double, its logarithm.
    With `query` (one for each row), copies within every query are found too, on 20 rows or more; scaling a copy by
    query produces them. A feature with more values than labels is reported too if, on 20 rows or more, all values of a
    higher label are above (or below) all values of a lower one: a copy with noise looks like that.
    """
    columns, label = np.asarray(features, np.float64), np.asarray(labels, np.float64)
    if columns.ndim != 2 or len(columns) != len(label) or columns.shape[1] != len(names):
        expected = f"features by row and column for {len(label)} labels and {len(names)} names"
        raise GermaneError(f"expected {expected}, found {' × '.join(map(str, columns.shape))}")
    whole = np.zeros(len(label), np.int64)
    queries = None if query is None else np.unique(np.asarray(query), return_inverse=True)[1].reshape(-1)
    leaks = []
    for name, column in zip(names, columns.T, strict=True):
        if why := _why(column, label, whole, queries):
            leaks.append(Leak("label as feature", ("features", "labels"), 1, (f"{name} {why}",)))
    return leaks


def _why(column: FloatArray, label: FloatArray, whole: IntArray, queries: IntArray | None) -> str:
    if len(np.unique(label)) < 2:
        return ""
    if np.array_equal(column, label):
        return "equals the label"
    if direction := _copy(column, label, whole):
        return f"is a {direction} copy of the label"
    if queries is not None and len(label) >= LEAST_ROWS and (direction := _copy(column, label, queries, repeated=True)):
        return f"is a {direction} copy of the label within each query"
    if len(label) >= LEAST_ROWS and (direction := _separates(column, label)):
        return f"orders all rows by their labels, {direction}"
    return ""


def _copy(column: FloatArray, label: FloatArray, group: IntArray, *, repeated: bool = False) -> str:
    """Whether, within each group, equal labels have equal values, and values increase (or decrease) with the label.

    With `repeated`, some label must occur twice in a group: otherwise every correct feature would count as a copy.
    """
    order = np.lexsort((column, label, group))
    same_group = np.diff(group[order]) == 0
    by_label = np.diff(label[order])[same_group]
    by_value = np.diff(column[order])[same_group]
    steps = by_label > 0
    if not steps.any() or not (by_value[~steps] == 0).all() or (repeated and steps.all()):
        return ""
    return "rising" if (by_value[steps] > 0).all() else "falling" if (by_value[steps] < 0).all() else ""


def _separates(column: FloatArray, label: FloatArray) -> str:
    grades = np.unique(label)
    low = np.asarray([column[label == grade].min() for grade in grades])
    high = np.asarray([column[label == grade].max() for grade in grades])
    if (high[:-1] < low[1:]).all():
        return "rising"
    return "falling" if (low[:-1] > high[1:]).all() else ""
