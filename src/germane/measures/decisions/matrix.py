"""Measures of a K × K confusion matrix: overall measures and averages of per-class rates."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np

from germane.errors import MeasureError, unknown
from germane.measures.agreement.kappa import Chance, Disagreement, agreement
from germane.measures.agreement.kappa import kappa as kappa_of_counts
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.rates import RATES, Rate
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Confusion, one_versus_rest

Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = get_args(Average)


def averaged(chosen: Rate, counts: Any, average: Average = "macro", *, zero_division: float = math.nan) -> FloatArray:
    """Average a rate over the classes of a confusion matrix, or of each of a stack of matrices (…, K, K).

    macro: every class has equal weight. weighted: classes are weighted by support. micro: the cells of all classes are
    summed before the rate is computed. A class whose rate is 0 / 0 is skipped, or counts as `zero_division`
    (scikit-learn's default is 0).

    >>> animals = np.asarray([[5, 3, 0], [2, 3, 1], [0, 2, 11]])
    >>> [round(averaged(RATES.parse("PPV"), animals, average).item(), 4) for average in AVERAGES]
    [0.6687, 0.7037, 0.7363]
    """
    matrix = np.asarray(counts)
    return averaged_cells(chosen, one_versus_rest(matrix), matrix.sum(axis=-1), average, zero_division=zero_division)


def averaged_cells(
    chosen: Rate, cells: Cells, support: Any, average: Average, *, zero_division: float = math.nan
) -> FloatArray:
    """Average a rate over classes, given the cells of each class (…, K) and its number of items (`support`)."""
    if average not in AVERAGES:
        raise unknown("average", average, AVERAGES, error=MeasureError)
    values = chosen(Cells(*(column.sum(axis=-1) for column in cells)) if average == "micro" else cells)
    values = np.where(np.isnan(values), zero_division, values)
    if average == "micro":
        return values
    weights = support if average == "weighted" else np.ones(values.shape)
    weights = np.where(np.isnan(values), 0, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean: FloatArray = np.where(weights > 0, values * weights, 0).sum(axis=-1) / weights.sum(axis=-1)
    return mean


def matthews(counts: Any) -> FloatArray:
    """Return the Matthews correlation coefficient of each of a stack of matrices.

    >>> matthews(np.asarray([[[2, 0], [0, 3]], [[1, 1], [1, 1]]])).tolist()
    [1.0, 0.0]
    """
    matrix = np.asarray(counts, dtype=np.float64)
    true, called, n = matrix.sum(axis=-1), matrix.sum(axis=-2), matrix.sum(axis=(-2, -1))
    shared = np.trace(matrix, axis1=-2, axis2=-1) * n - (true * called).sum(axis=-1)
    spread = (n**2 - (true**2).sum(axis=-1)) * (n**2 - (called**2).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        value: FloatArray = shared / np.sqrt(spread)
    return np.clip(value, -1.0, 1.0)


@decision_measure("ACC", of="matrix", bounds=(0, 1), names=("accuracy",))
def accuracy(confusion: Confusion) -> float:
    """Share of items predicted correctly.

    Formula:    sum of the diagonal / sum of all cells
    Reference:  Sokolova & Lapalme, Information Processing & Management 45 (2009), 427-437.
    Edge cases: NaN without items. High for a classifier that always predicts a very frequent class.

    >>> accuracy(Confusion.of_matrix([[13, 2, 5], [4, 15, 1], [2, 1, 57]]))
    0.85
    """
    return float(agreement(confusion.counts))


@decision_measure("BA", of="matrix", bounds=(0, 1), names=("balanced accuracy", "macro recall"))
def balanced_accuracy(confusion: Confusion) -> float:
    """Mean recall of the classes: accuracy as if all classes were equally frequent.

    Formula:    mean over classes of (items of the class predicted correctly / items of the class)
    Reference:  Brodersen et al., ICPR 2010.
    Edge cases: classes without items are skipped; NaN without items.

    >>> round(balanced_accuracy(Confusion.of_matrix([[13, 2, 5], [4, 15, 1], [2, 1, 57]])), 4)
    0.7833
    """
    return float(averaged(RATES.parse("TPR"), confusion.counts, "macro"))


@decision_measure("MCC", of="matrix", bounds=(-1, 1), names=("Matthews correlation", "matthews_corrcoef", "R_K"))
def matthews_correlation(confusion: Confusion) -> float:
    """Matthews correlation coefficient between true and predicted classes.

    Formula:    (c n − sum of t_k p_k) / √((n² − sum of t_k²)(n² − sum of p_k²)): c of n items correct, t_k in class k,
                p_k predicted as k
    Reference:  Gorodkin, Computational Biology and Chemistry 28 (2004), 367-374.
    Edge cases: NaN if only one class occurs, or only one is predicted. −1 is possible only with two classes.

    >>> round(matthews_correlation(Confusion.of_matrix([[7000, 2000], [100, 900]])), 3)
    0.448
    """
    return float(matthews(confusion.counts))


@decision_measure("kappa", of="matrix", bounds=(-1, 1), names=("Cohen's kappa", "Cohen kappa"))
def kappa(confusion: Confusion, *, chance: Chance = "own", weights: Disagreement | None = None) -> float:
    """Chance-corrected agreement between predicted and true classes.

    Formula:    (P(A) − P(E)) / (1 − P(E)): P(A) is the accuracy, P(E) the accuracy expected by chance
    Reference:  Cohen, Educational and Psychological Measurement 20 (1960), 37-46.
    Edge cases: NaN if every item has, and is predicted as, the same class.

    >>> round(kappa(Confusion.of_matrix([[300, 20], [10, 70]]), chance="pooled"), 3)
    0.776
    """
    return float(kappa_of_counts(confusion.counts, chance=chance, weights=weights))
