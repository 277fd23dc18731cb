"""Breakdown of a measure of several labels per item: item by item, or label by label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from germane.measures.decisions.explain import DecisionExplanation
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells, Label


def explain_by_item(
    name: str, labels: Sequence[Label], truth: BoolArray, predicted: BoolArray | None, values: FloatArray
) -> DecisionExplanation:
    """Break down a mean over items: the labels and the value of each item, and what it adds to the mean.

    An item without a value adds nothing and does not count.

    >>> truth, predicted = np.asarray([[True, False], [True, True]]), np.asarray([[True, True], [True, True]])
    >>> print(explain_by_item("hamming_loss", ["a", "b"], truth, predicted, np.asarray([0.5, 0.0])))
    item  true  predicted  hamming_loss    term
    1     a     a;b              0.5000  0.2500
    2     a;b   a;b              0.0000  0.0000
    <BLANKLINE>
    hamming_loss = sum of the terms = 0.2500
    """
    columns: dict[str, Any] = {"item": [str(number + 1) for number in range(len(truth))]}
    columns["true"] = _texts(labels, truth)
    if predicted is not None:
        columns["predicted"] = _texts(labels, predicted)
    there = ~np.isnan(values)
    columns[name] = values.tolist()
    return _summed(name, columns, values, there.astype(np.float64), "item")


def explain_by_label(
    name: str,
    labels: Sequence[Label],
    column: str,
    values: FloatArray,
    weights: FloatArray,
    cells: Cells | None = None,
) -> DecisionExplanation:
    """Break down an average over labels: the cells and the value of each label, and what it adds to the average.

    A label without a value adds nothing and does not count.

    >>> print(explain_by_label("AUC[macro]", ["a", "b"], "AUC", np.asarray([0.5, 0.75]), np.ones(2)))
    label     AUC    term
    a      0.5000  0.2500
    b      0.7500  0.3750
    <BLANKLINE>
    AUC[macro] = sum of the terms = 0.6250
    """
    columns: dict[str, Any] = {"label": [str(label) for label in labels]}
    columns |= {} if cells is None else {cell: count.tolist() for cell, count in cells._asdict().items()}
    columns[column] = values.tolist()
    return _summed(name, columns, values, np.where(np.isnan(values), 0.0, weights), "label")


def _summed(
    name: str, columns: dict[str, Any], values: FloatArray, weights: FloatArray, each: str
) -> DecisionExplanation:
    if not weights.sum():
        return DecisionExplanation(name, columns, (f"{name} is undefined for every {each}",), float("nan"))
    terms = np.where(weights > 0, values * weights, 0.0) / weights.sum()
    value = float(terms.sum())
    return DecisionExplanation(
        name, {**columns, "term": terms.tolist()}, (f"{name} = sum of the terms = {value:.4f}",), value, "term"
    )


def _texts(labels: Sequence[Label], table: BoolArray) -> list[str]:
    """Return the set of labels of each item as text; a hyphen is the empty set."""
    return [";".join(str(labels[at]) for at in np.flatnonzero(row).tolist()) or "-" for row in table]
