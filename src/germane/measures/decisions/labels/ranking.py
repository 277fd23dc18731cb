"""Multi-label measures of scores: how well the scores of an item put its true labels above the others.

The truth is an indicator matrix of items × labels, the scores a matrix of the same shape. Every measure is a mean over
items. Labels with equal scores share the rank of the last of them, so that ties never help.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.definition import MANY
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.label_matrices import indicator_matrix, score_matrix


class RankedLabels(NamedTuple):
    """The labels of each item (row) by falling score, with the number of labels and of true labels down to a rank.

    `up_to` counts the labels with this score or a higher one, `above` those with a higher one; `true_up_to` and
    `true_above` count the true ones among them.
    """

    true: BoolArray
    up_to: IntArray
    above: IntArray
    true_up_to: IntArray
    true_above: IntArray

    @classmethod
    def of(cls, truth: npt.ArrayLike, scores: npt.ArrayLike) -> RankedLabels:
        """Sort the labels of each item.

        >>> RankedLabels.of([[1, 0, 1]], [[0.2, 0.9, 0.2]]).up_to.tolist()
        [[1, 3, 3]]
        """
        is_true, column = indicator_matrix(truth, "truth"), score_matrix(scores, "scores")
        if is_true.shape != column.shape:
            shapes = f"{is_true.shape} and {column.shape}"
            raise MeasureError(f"expected truth and scores of items × labels of equal shape, found {shapes}")
        if not is_true.shape[1]:
            raise MeasureError("expected at least one label to rank, found none")
        order = np.argsort(-column, axis=1, kind="stable")
        true, falling = np.take_along_axis(is_true, order, axis=1), np.take_along_axis(column, order, axis=1)
        differs = falling[:, 1:] != falling[:, :-1]
        edge = np.ones((len(true), 1), dtype=np.bool_)
        place = np.arange(true.shape[1])
        first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), place, 0), axis=1)
        is_last = np.hstack([differs, edge])[:, ::-1]
        last = np.minimum.accumulate(np.where(is_last, place[::-1], true.shape[1]), axis=1)[:, ::-1]
        counts = np.cumsum(true, axis=1, dtype=np.int64)
        true_up_to = np.take_along_axis(counts, last, axis=1)
        true_above = np.where(first > 0, np.take_along_axis(counts, np.maximum(first - 1, 0), axis=1), 0)
        return cls(true, last + 1, first, true_up_to, true_above)

    @property
    def num_true(self) -> IntArray:
        """Number of true labels of each item."""
        return np.asarray(self.true.sum(axis=1))

    def share(self, of_true: FloatArray, without: float) -> FloatArray:
        """Return the mean of a value over the true labels of each item; `without` for an item that has none."""
        total = np.where(self.true, of_true, 0.0).sum(axis=1)
        found: FloatArray = np.where(self.num_true > 0, total / np.maximum(self.num_true, 1), without)
        return found


def coverage(ranked: RankedLabels) -> FloatArray:
    """Return for each item the rank of its last true label; 0 without one.

    >>> coverage(RankedLabels.of([[1, 0, 1], [0, 0, 0]], [[0.2, 0.9, 0.5], [0.2, 0.9, 0.5]])).tolist()
    [3.0, 0.0]
    """
    return np.asarray(np.where(ranked.true, ranked.up_to, 0).max(axis=1, initial=0), dtype=np.float64)


def wrong_pairs(ranked: RankedLabels) -> FloatArray:
    """Return for each item the share of pairs of a true and another label that are not in order, ties included."""
    others = ranked.true.shape[1] - ranked.num_true
    misplaced = np.where(ranked.true, ranked.up_to - ranked.true_up_to, 0).sum(axis=1)
    return np.asarray(misplaced / np.maximum(ranked.num_true * others, 1))


def precision_at_labels(ranked: RankedLabels, without: float = np.nan) -> FloatArray:
    """Return the average precision of each item over its true labels; `without` for an item that has none."""
    return ranked.share(ranked.true_up_to / ranked.up_to, without)


def wrong_tops(ranked: RankedLabels) -> FloatArray:
    """Return for each item the share of its top labels (several if they tie) that are not true."""
    return np.asarray(1 - ranked.true_up_to[:, 0] / ranked.up_to[:, 0])


def areas_of_items(ranked: RankedLabels) -> FloatArray:
    """Return the area under the ROC curve of each item over its labels; NaN unless it has true and other labels."""
    others = ranked.true.shape[1] - ranked.num_true
    before = ranked.up_to - ranked.true_up_to + ranked.above - ranked.true_above  # twice, as ties count half
    lost = np.where(ranked.true, before, 0).sum(axis=1)
    pairs = ranked.num_true * others
    return np.where(pairs > 0, 1 - lost / (2 * np.maximum(pairs, 1)), np.nan)


@decision_measure("coverage_error", of="label scores", bounds=(0, MANY), better="lower", names=("coverage",))
def coverage_error(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Number of labels to read from the top of an item's ranking until all its true labels are found, on average.

    Formula:    (sum over items of the lowest rank of a true label) / items; a label's rank is the number of labels with
        its score or a higher one
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168, who subtract 1; Tsoumakas, Katakis & Vlahavas, "Mining multi-label data", in Data Mining and
        Knowledge Discovery Handbook, Springer 2010.
    Edge cases: an item without a true label counts 0. The best value is the mean number of true labels. NaN without
        items.

    >>> coverage_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])         # ranks 2 and 3
    2.5
    """
    return _mean(coverage(RankedLabels.of(truth, scores)))


@decision_measure("ranking_loss", of="label scores", bounds=(0, 1), better="lower", names=("label_ranking_loss",))
def ranking_loss(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Share of pairs of a true and another label of an item that its scores put in the wrong order.

    Formula:    (sum over items of wrong pairs / (true labels * other labels)) / items; a tie is a wrong pair
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168; Tsoumakas, Katakis & Vlahavas, "Mining multi-label data", Springer 2010.
    Edge cases: an item without a true label, or with all labels, has no pairs and counts 0. NaN without items.

    >>> ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])           # 1 of 2 and 2 of 2 pairs
    0.75
    """
    return _mean(wrong_pairs(RankedLabels.of(truth, scores)))


@decision_measure(
    "LRAP",
    of="label scores",
    bounds=(0, 1),
    names=("label_ranking_average_precision", "label-ranking average precision", "label ranking AP"),
)
def label_ranking_average_precision(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Label-ranking average precision: share of true labels among those ranked as high as a true label, on average.

    Formula:    mean over items of the mean over true labels of (true labels with this score or a higher one) / (labels
        with this score or a higher one)
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168 (average precision); Tsoumakas, Katakis & Vlahavas, "Mining multi-label data", Springer 2010.
    Edge cases: an item without a true label counts 1, as one with all labels does. NaN without items.

    >>> round(label_ranking_average_precision([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]), 4)
    0.4167
    """
    return _mean(precision_at_labels(RankedLabels.of(truth, scores), without=1.0))


@decision_measure("one_error", of="label scores", bounds=(0, 1), better="lower", names=("one-error", "1-error"))
def one_error(truth: npt.ArrayLike, scores: npt.ArrayLike) -> float:
    """Share of items whose top-ranked label is not a true one.

    Formula:    (items whose label with the highest score is not true) / items; each of k tied top labels counts 1/k
    Reference:  Schapire & Singer, "BoosTexter: a boosting-based system for text categorization", Machine Learning 39
        (2000), 135-168; Tsoumakas, Katakis & Vlahavas, "Mining multi-label data", Springer 2010.
    Edge cases: an item without a true label counts 1, whatever its scores. NaN without items.

    >>> one_error([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 0.75], [1, 0.2, 0.1]])           # half of a tie, and all
    0.75
    """
    return _mean(wrong_tops(RankedLabels.of(truth, scores)))


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")
