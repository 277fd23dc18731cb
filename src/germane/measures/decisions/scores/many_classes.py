"""Measures of a table of probabilities for several classes: averages of areas, top-k accuracy, calibration.

Areas of each class against the rest are those of `AUC` and `AP`; their averages have the names `macro`, `weighted`,
`micro`, `ovo` and `ovo weighted`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from germane.catalogue import Count
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.scores.calibration import Binning, expected_calibration_error
from germane.measures.decisions.scores.precision_recall import average_precision
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn, over_columns, over_some
from germane.measures.decisions.scores.roc import area_under_roc
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions

ScoreAverage = Literal["macro", "weighted", "micro", "ovo", "ovo weighted"]
AREAS: Mapping[str, Callable[[Decisions], float]] = {"AUC": area_under_roc, "AP": average_precision}
"""Areas of each class against the rest, by measure."""


class ColumnAreas(NamedTuple):
    """The areas of one class against the rest, and its pairs won against each other class."""

    areas: Mapping[str, float]
    wins: FloatArray


@dataclass(frozen=True, eq=False)
class ClassAreas:
    """Areas of every class against the rest (NaN without items), and pairs won by class and other class."""

    areas: Mapping[str, FloatArray]
    wins: FloatArray
    sizes: Counts

    @classmethod
    def of(cls, table: ProbabilityTable, *measures: str) -> ClassAreas:
        """Compute areas from one sort of each column; without names, all of `AREAS`."""
        names = measures or tuple(AREAS)
        return cls.joined(over_columns(table, lambda ranked: column_areas(ranked, table.num_classes, names)), table)

    @classmethod
    def joined(cls, columns: list[ColumnAreas], table: ProbabilityTable) -> ClassAreas:
        """Combine the areas of all columns."""
        areas = {name: np.asarray([column.areas[name] for column in columns]) for name in columns[0].areas}
        return cls(areas, np.stack([column.wins for column in columns]), table.sizes)

    @property
    def prevalence(self) -> FloatArray:
        """Share of each class."""
        return np.asarray(self.sizes / self.sizes.sum())

    def average(self, measure: str, average: ScoreAverage) -> float:
        """Return an average over classes with items, or over pairs of them; not `micro`, which sorts all columns."""
        if average in ("ovo", "ovo weighted"):
            if measure != "AUC":
                raise MeasureError(f"{measure} is not defined for pairs of classes", hint="use AUC, or another average")
            return one_versus_one(self.wins, self.sizes, weighted=average == "ovo weighted")
        values = self.areas[measure]
        there = ~np.isnan(values)
        weights = self.prevalence[there] if average == "weighted" else np.ones(int(there.sum()))
        return float(values[there] @ weights / weights.sum()) if weights.any() else math.nan


def column_areas(ranked: RankedColumn, num_classes: int, measures: tuple[str, ...] = tuple(AREAS)) -> ColumnAreas:
    """Return the areas of one class and its pairs won."""
    decisions = ranked.decisions
    areas = {name: math.nan if decisions.one_class else AREAS[name](decisions) for name in measures}
    return ColumnAreas(areas, ranked.wins(num_classes))


def one_versus_one(wins: FloatArray, sizes: Counts, *, weighted: bool = False) -> float:
    """Return Hand and Till's M: the mean over pairs of classes of the AUC that separates the two.

    Formula:    M = 2 / (c (c − 1)) · sum over pairs i < j of (A(i|j) + A(j|i)) / 2; A(i|j) is the probability that an
                item of class i has a higher probability of i than an item of class j (equal ones count half).
                weighted: pairs by their number of items, as scikit-learn's average="weighted"
    Reference:  Hand & Till, Machine Learning 45 (2001), 171-186.
    Edge cases: pairs with a class without items are omitted; NaN without pairs. Does not depend on how frequent
                classes are, unless weighted.

    >>> one_versus_one(np.asarray([[0.0, 1.0], [1.0, 0.0]]), np.asarray([1, 2]))       # 1 of 2 pairs, either way
    0.5
    """
    there = np.flatnonzero(sizes)
    if len(there) < 2:
        return math.nan
    n = sizes[there].astype(np.float64)
    shares = wins[np.ix_(there, there)] / np.outer(n, n)
    weights = np.add.outer(n, n) if weighted else np.ones_like(shares)
    np.fill_diagonal(weights, 0.0)
    return float((shares * weights).sum() / weights.sum())


def pooled(table: ProbabilityTable) -> Decisions:
    """Return the decisions of all items about all classes, at the thresholds where a true class is met.

    Only these and the points just above them are corners of the curves, so areas are those of all items × classes.
    """
    values, place = np.unique(table.of_what_happened, return_inverse=True)
    mine = np.bincount(place, weights=None if table.weights is None else table.counts, minlength=len(values))
    kind = table.counts.dtype
    at, above = over_some(table, lambda columns: _cells_from(table, columns, values))
    up_to = np.cumsum(mine[::-1]).astype(kind)[::-1]  # items whose true class is at or above each value
    true = np.stack([up_to - mine.astype(kind), up_to], axis=1)[::-1].ravel()
    called = np.stack([above, at], axis=1)[::-1].ravel()
    total = table.counts.sum()
    thresholds = np.stack([np.nextafter(values, np.inf), values], axis=1)[::-1].ravel()
    return Decisions(
        np.append(thresholds, min(values[0], table.probabilities.min())),
        np.append(true, total),
        np.append(called - true, total * (table.num_classes - 1)),
        table.probabilities.size,
        kind.kind == "f",
    )


def _cells_from(table: ProbabilityTable, columns: Sequence[int], values: FloatArray) -> Counts:
    """Return the weight of the probabilities at or above each value, and above it, in these columns."""
    found = np.zeros((2, len(values)), dtype=table.counts.dtype)
    for column in columns:
        if table.weights is None:
            ordered, below = np.sort(table.columns[column]), np.arange(len(table.codes) + 1)
        else:
            order = np.argsort(table.columns[column])
            ordered = table.columns[column][order]
            below = np.concatenate((table.counts[:0], [0], np.cumsum(table.counts[order])))
        lower = np.searchsorted(ordered, values)
        upper = lower.copy()
        met = np.flatnonzero(ordered[np.minimum(lower, len(ordered) - 1)] == values)
        upper[met] = np.searchsorted(ordered, values[met], side="right")
        found += below[-1] - below[np.stack([lower, upper])]
    return found


def micro_area(table: ProbabilityTable, measure: str) -> float:
    """Return an area over all items and classes together.

    >>> micro_area(ProbabilityTable.of([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], [0, 1]), "AUC")     # 6 of 8 pairs
    0.75
    """
    return AREAS[measure](pooled(table))


def in_top(table: ProbabilityTable, k: int) -> BoolArray:
    """Return whether the true class of each item is among its k most probable ones."""
    mine = table.of_what_happened
    higher = np.zeros(len(mine), dtype=np.int32)
    for at, column in enumerate(table.columns):
        higher += column > mine
        higher += (column == mine) & (table.codes < at)
    found: BoolArray = higher < k
    return found


def most_probable(table: ProbabilityTable) -> Decisions:
    """Return the highest probability of each item, and whether its class (the first of equal ones) is the true one."""
    called = table.probabilities.argmax(axis=1)
    confidence = table.probabilities[np.arange(len(called)), called]
    return Decisions.of(called == table.codes, confidence, table.weights)


@decision_measure("top_k_accuracy", of="probability table", bounds=(0, 1), names=("top-k accuracy", "top-k ACC"))
def top_k_accuracy(table: ProbabilityTable, *, k: Count = 2) -> float:
    """Share of items whose true class is among the k most probable classes.

    Formula:    (items with fewer than k classes before the true one) / items
    Reference:  Russakovsky et al., International Journal of Computer Vision 115 (2015), 211-252.
    Edge cases: of equal probabilities, that of the later column comes first, as in scikit-learn; so k = 1 differs from
                the accuracy, where the first column counts, if two classes are equally probable. 1 if k is at least the
                number of classes.

    >>> top_k_accuracy(ProbabilityTable.of([[0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], [1, 2]))
    0.5
    """
    if k < 1:
        raise MeasureError(f"expected k of 1 or more, found {k}")
    return float(table.counts[in_top(table, k)].sum() / table.counts.sum())


@decision_measure(
    "top_label_ECE",
    of="probability table",
    bounds=(0, 1),
    better="lower",
    names=("confidence ECE", "top-label ECE", "confidence calibration error"),
)
def top_label_calibration_error(table: ProbabilityTable, *, bins: Count = 15, binning: Binning = "equal mass") -> float:
    """Mean absolute difference between the highest probability and the share of items where it is right, over bins.

    Formula:    ECE of the highest probability of each item as a probability that its class is the true one
    Reference:  Guo, Pleiss, Sun & Weinberger, ICML 2017, with bins of equal width.
    Edge cases: of equally probable classes the first counts. Says nothing of the other probabilities; classwise_ECE
                does. Depends on the binning, and is biased upwards for few items.

    >>> seen = ProbabilityTable.of([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2]], [0, 0])
    >>> round(top_label_calibration_error(seen), 4)                                     # |0.6 − 1/2|
    0.1
    """
    return expected_calibration_error(most_probable(table), bins=bins, binning=binning)


@decision_measure(
    "classwise_ECE",
    of="probability table",
    bounds=(0, 1),
    better="lower",
    names=("class-wise ECE", "static calibration error", "marginal calibration error"),
)
def classwise_calibration_error(table: ProbabilityTable, *, bins: Count = 15, binning: Binning = "equal mass") -> float:
    """Mean over the classes of the ECE of each class against the rest.

    Formula:    (1/K) · sum over the K classes of the ECE of their probability
    Reference:  Kull et al., NeurIPS 2019; Nixon et al., CVPR Workshops 2019.
    Edge cases: classes without items count too: what is predicted for them never happens. Small for many classes, since
                most probabilities are near 0. Depends on the binning, and is biased upwards for few items.

    >>> seen = ProbabilityTable.of([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]], [0, 1])
    >>> round(classwise_calibration_error(seen), 4)                                     # (0.1 + 0.2 + 0.1) / 3
    0.1333
    """
    errors = over_columns(table, lambda r: expected_calibration_error(r.decisions, bins=bins, binning=binning))
    return math.fsum(errors) / len(errors)


def resampled(table: ProbabilityTable, drawn: FloatArray) -> ProbabilityTable:
    """Return the table in which each item counts as often as it was drawn."""
    return replace(table, weights=drawn)
