"""Sets of labels: how far the predicted set of each item is from the true one.

Both are given as a table of items × labels that says which labels an item has.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.label_sets import indicator_matrix


def same_sets(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> BoolArray:
    """Of each item, whether the two sets are the same.

    >>> same_sets([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    array([False,  True])
    """
    true, said = _tables(truth, predicted)
    return np.asarray((true == said).all(axis=1))


def wrong_labels(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> FloatArray:
    """Of each item, the share of the labels that one set has and the other has not.

    >>> wrong_labels([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    array([0.5, 0. ])
    """
    true, said = _tables(truth, predicted)
    return np.asarray((true != said).mean(axis=1))


@decision_measure("subset_accuracy", of="label sets", bounds=(0, 1), names=("exact match ratio",))
def subset_accuracy(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Share of the items whose predicted set of labels is the true one, label for label.

    Formula:    (items whose two sets are the same) / items
    Reference:  Ghamrawi & McCallum, "Collective multi-label classification", CIKM 2005, 195-200.
    Edge cases: two empty sets are the same. No item at all gives NaN.

    >>> subset_accuracy([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.5
    """
    found = same_sets(truth, predicted)
    return float(found.mean()) if len(found) else float("nan")


@decision_measure("hamming_loss", of="label sets", bounds=(0, 1), better="lower")
def hamming_loss(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Share of all yes-or-no answers, one for each item and label, that are wrong.

    Formula:    (labels in one of the two sets and not in the other, over all items) / (items * labels)
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168.
    Edge cases: no item at all gives NaN.

    >>> hamming_loss([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.25
    """
    found = wrong_labels(truth, predicted)
    return float(np.cumsum(found)[-1] / len(found)) if len(found) else float("nan")


def _tables(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> tuple[BoolArray, BoolArray]:
    true, said = indicator_matrix(truth, "truth"), indicator_matrix(predicted, "prediction")
    if true.shape != said.shape:
        raise MeasureError(f"expected two tables of items × labels alike in size, found {true.shape} and {said.shape}")
    return true, said
