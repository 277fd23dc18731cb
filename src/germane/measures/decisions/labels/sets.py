"""Multi-label measures: how the predicted label set of each item compares with the true one.

Both are given as an indicator matrix of items × labels.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.label_matrices import indicator_matrix


def same_sets(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> BoolArray:
    """Return for each item whether the predicted and the true label set are equal.

    >>> same_sets([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    array([False,  True])
    """
    true, said = _tables(truth, predicted)
    return np.asarray((true == said).all(axis=1))


def wrong_labels(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> FloatArray:
    """Return for each item the share of labels that are in one set but not in the other.

    >>> wrong_labels([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    array([0.5, 0. ])
    """
    true, said = _tables(truth, predicted)
    return np.asarray((true != said).mean(axis=1))


@decision_measure("subset_accuracy", of="label sets", bounds=(0, 1), names=("exact match ratio",))
def subset_accuracy(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Share of items whose predicted label set equals the true one exactly.

    Formula:    (items with equal label sets) / items
    Reference:  Ghamrawi & McCallum, "Collective multi-label classification", CIKM 2005, 195-200.
    Edge cases: two empty sets are equal. NaN without items.

    >>> subset_accuracy([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.5
    """
    found = same_sets(truth, predicted)
    return float(found.mean()) if len(found) else float("nan")


@decision_measure("hamming_loss", of="label sets", bounds=(0, 1), better="lower")
def hamming_loss(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> float:
    """Share of item-label pairs that are predicted wrongly.

    Formula:    (sum over items of the number of labels in exactly one of the two sets) / (items * labels)
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168.
    Edge cases: NaN without items.

    >>> hamming_loss([[1, 1], [0, 1]], [[1, 0], [0, 1]])
    0.25
    """
    found = wrong_labels(truth, predicted)
    return float(np.cumsum(found)[-1] / len(found)) if len(found) else float("nan")


def _tables(truth: npt.ArrayLike, predicted: npt.ArrayLike) -> tuple[BoolArray, BoolArray]:
    true, said = indicator_matrix(truth, "truth"), indicator_matrix(predicted, "prediction")
    if true.shape != said.shape:
        raise MeasureError(f"expected two tables of items × labels of equal shape, found {true.shape} and {said.shape}")
    return true, said
