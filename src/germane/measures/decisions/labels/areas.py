"""AUC and AP of every label, and over all labels together, for many resamples of the items at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from germane.tables.columns.ids import BoolArray, FloatArray, IntArray


class Areas(NamedTuple):
    """AUC and AP, one row for each resample and one column for each label; NaN without positives (or negatives).

    `positives` has the number of items with the label.
    """

    auc: FloatArray
    ap: FloatArray
    positives: FloatArray


@dataclass(frozen=True, eq=False)
class SortedItems:
    """Items sorted by one score: which item is where, which is positive, and where each score begins.

    >>> label = SortedItems.of(np.asarray([True, False, True]), np.asarray([0.9, 0.5, 0.4]), np.arange(3))
    >>> auc, ap, _ = label.areas(np.ones((1, 3)))
    >>> auc.tolist(), ap.round(4).tolist()
    ([0.5], [0.8333])
    """

    item: IntArray
    positive: BoolArray
    begin: IntArray | None
    """Where each distinct score begins; None if all scores differ."""

    @classmethod
    def of(cls, positive: BoolArray, score: FloatArray, item: IntArray) -> SortedItems:
        """Sort by falling score; `item` has the item that each score belongs to."""
        order = np.argsort(-score, kind="stable")
        falling = score[order]
        begins = np.append(True, falling[1:] != falling[:-1])
        begin = None if begins.all() else np.flatnonzero(begins)
        return cls(item[order], positive[order], begin)

    def areas(self, drawn: FloatArray) -> Areas:
        """Return AUC, AP and the number of positives for each row of `drawn`: how often each item was drawn."""
        weight = drawn[:, self.item]
        true = weight * self.positive
        other = weight - true
        if self.begin is not None:
            true, other = (np.add.reduceat(each, self.begin, axis=1) for each in (true, other))
        found, false = np.cumsum(true, axis=1), np.cumsum(other, axis=1)
        num, rest = found[:, -1], false[:, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            auc = (other * (found - true / 2)).sum(axis=1) / (num * rest)
            precision = np.where(true > 0, found / (found + false), 0.0)
            ap = (true * precision).sum(axis=1) / num
        return Areas(auc, np.minimum(ap, 1.0), num)


@dataclass(frozen=True, eq=False)
class LabelAreas:
    """The scores of every label, sorted, and those of all labels together (micro)."""

    labels: tuple[SortedItems, ...]
    micro: SortedItems
    truth: BoolArray

    @classmethod
    def of(cls, truth: npt.ArrayLike, scores: npt.ArrayLike) -> LabelAreas:
        """Sort the scores of each label, and all of them."""
        true, column = np.asarray(truth, dtype=np.bool_), np.asarray(scores, dtype=np.float64)
        num, width = true.shape
        items = np.arange(num)
        by_label = tuple(SortedItems.of(true[:, at], column[:, at], items) for at in range(width))
        return cls(by_label, SortedItems.of(true.ravel(), column.ravel(), np.repeat(items, width)), true)

    def by_label(self, drawn: FloatArray) -> Areas:
        """Return AUC and AP of each label (columns) in each resample (rows)."""
        found = [label.areas(drawn) for label in self.labels]
        return Areas(*(np.stack(columns, axis=1) for columns in zip(*found, strict=True)))

    def averages(self, drawn: FloatArray, of_labels: Areas, average: str) -> Areas:
        """Return macro (labels alike), weighted (by true items) or micro (all labels together) averages.

        A label without a value is omitted.
        """
        if average == "micro":
            return self.micro.areas(drawn)
        support = of_labels.positives if average == "weighted" else np.ones(of_labels.auc.shape)
        auc, ap = (_mean(values, support) for values in (of_labels.auc, of_labels.ap))
        return Areas(auc, ap, of_labels.positives.sum(axis=1))


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    weights = np.where(np.isnan(values), 0.0, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = np.where(weights > 0, values * weights, 0.0).sum(axis=1) / weights.sum(axis=1)
    return found
