"""Intervals of areas of a table of probabilities: averages over classes, whose areas depend on the same items.

Formula:    the variance of an average of areas is that of the mean influence of the items. For AUC, influences are made
    of DeLong's structural components: of an item of class i, the share of other items below it in column i; of any
    other item, the share of class i above it. For AP, they are the derivative of the area with respect to the share of
    an item. An item has a part in the column of every class, so its influences add up: this is the covariance between
    classes. In `micro` areas, the K probabilities of an item are one cluster (Obuchowski).
Reference:  DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988), 837-845; Hand & Till, Machine Learning 45 (2001),
    171-186; Obuchowski, Biometrics 53 (1997), 567-578; Hampel, JASA 69 (1974), 383-393, on influence curves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.measures.decisions.scores.many_classes import ClassAreas, column_areas, micro_area, pooled
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn, over_columns, over_some
from germane.stats.intervals.bootstrap_ends import near_to
from germane.stats.intervals.delong import AucScale
from germane.stats.intervals.proportions import normal_quantile
from germane.stats.intervals.scores import bounded_ends
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate

Key = tuple[str, str]
"""A measure and an average: ``("AUC", "macro")``."""
METHODS = {"AUC": "delong", "AP": "influence"}
FEW_POSITIVES = 10
"""Below this number of items of a class, the interval of its AP covers less than it says; a remark says so."""


@dataclass(frozen=True, eq=False)
class Influenced:
    """A value and the influence of each item on it, whose mean is 0; `codes` and `counts` are those of the table."""

    value: float
    influence: FloatArray
    codes: IntArray
    counts: Counts

    @property
    def variance(self) -> float:
        """The squared standard error; NaN if a class has only one item."""
        sizes, total = np.bincount(self.codes, weights=self.counts), float(self.counts.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.bincount(self.codes, weights=self.counts * self.influence) / sizes
            apart = self.counts * (self.influence - means[self.codes]) ** 2
            # Within classes as DeLong's components; between them, since frequencies of classes are random too.
            within = np.bincount(self.codes, weights=apart) * sizes / (sizes - 1)
        there = sizes > 0
        if (sizes[there] < 2).any():
            return math.nan
        return float((within[there].sum() + (sizes[there] * means[there] ** 2).sum()) / total**2)

    def minus(self, other: Influenced) -> Influenced:
        """Return the difference from another value on the same items."""
        return Influenced(self.value - other.value, self.influence - other.influence, self.codes, self.counts)


def influences(table: ProbabilityTable, wanted: Sequence[Key]) -> dict[Key, Influenced]:
    """Return averages of areas with the influence of each item; classes without items are omitted.

    >>> table = ProbabilityTable.of([[0.6, 0.4], [0.3, 0.7], [0.5, 0.5], [0.2, 0.8]], [0, 0, 1, 1])
    >>> round(influences(table, [("AUC", "macro")])["AUC", "macro"].variance, 4)           # DeLong's, by both columns
    0.125
    """
    by_rank = [key for key in wanted if key[1] != "micro"]
    found: dict[Key, Influenced] = {}
    if by_rank:
        areas = ClassAreas.joined(over_columns(table, lambda r: column_areas(r, table.num_classes)), table)
        for key, summed in over_some(table, lambda columns: _summed(table, areas, by_rank, columns)).items():
            value = areas.average(*key)  # type: ignore[arg-type]
            found[key] = _centred(table, areas, key, value, summed)
    for measure in (measure for measure, average in wanted if average == "micro"):
        found[measure, "micro"] = _micro(table, measure)
    return found


class _Sums(dict[Key, FloatArray]):
    """Influences by measure and average, which add up."""

    def __add__(self, other: Mapping[Key, FloatArray]) -> _Sums:
        return _Sums({key: value + other[key] for key, value in self.items()})

    def __radd__(self, _: int) -> _Sums:
        return self


def _summed(table: ProbabilityTable, areas: ClassAreas, wanted: Sequence[Key], columns: Sequence[int]) -> _Sums:
    """Return the sums over these columns of the influence of each item on the area of the column's class."""
    sums = _Sums({key: np.zeros(len(table.codes)) for key in wanted})
    for at in columns:
        if 0 < areas.sizes[at] < areas.sizes.sum():
            ranked = RankedColumn.of(table, at)
            parts = _ColumnInfluence(ranked, areas)
            for key in wanted:
                sums[key][ranked.order] += parts.of(*key)
    return sums


class _ColumnInfluence:
    """Influence of each item, in the order of one column, on the areas of its class."""

    def __init__(self, ranked: RankedColumn, areas: ClassAreas) -> None:
        self.ranked, self.areas = ranked, areas
        self.share = areas.prevalence[ranked.at]
        self.num_classes = int((areas.sizes > 0).sum())
        self.above = ranked.twice_above / (2 * ranked.decisions.num_positive)
        self._kept: dict[str, FloatArray] = {}

    def of(self, measure: str, average: str) -> FloatArray:
        """Return the influence by way of this column on an average."""
        if average in ("ovo", "ovo weighted"):
            return self._on_pairs(weighted=average == "ovo weighted")
        if measure not in self._kept:
            self._kept[measure] = self._on_auc() if measure == "AUC" else self.on_ap()
        return self._kept[measure] * (self.share if average == "weighted" else 1 / self.num_classes)

    def _on_auc(self) -> FloatArray:
        auc, decisions = self.areas.areas["AUC"][self.ranked.at], self.ranked.decisions
        below = _below(decisions.negatives_at)[self.ranked.group] / decisions.num_negative
        return np.where(self.ranked.own, (below - auc) / self.share, (self.above - auc) / (1 - self.share))

    def _on_pairs(self, *, weighted: bool) -> FloatArray:
        """Return the influence on the areas of this class against each other one, each weighted by its part in M."""
        ranked, shares, pairs = self.ranked, self.areas.prevalence, self.num_classes - 1
        parts = (shares[ranked.at] + shares) / (2 * pairs) if weighted else np.full(len(shares), 1 / pairs)
        if not weighted:
            parts = parts / self.num_classes
        sizes = self.areas.sizes
        one = np.divide(parts, sizes, out=np.zeros(len(parts)), where=sizes > 0)
        one[ranked.at] = 0.0
        each = one[ranked.codes] if ranked.weights is None else one[ranked.codes] * ranked.weights
        at = np.bincount(ranked.group, weights=each, minlength=len(ranked.decisions))
        of_others = np.divide(parts, shares, out=np.zeros(len(parts)), where=shares > 0)[ranked.codes] * self.above
        return np.where(ranked.own, _below(at)[ranked.group] / self.share, of_others)

    def on_ap(self) -> FloatArray:
        """Return the influence on the average precision."""
        ap, group = self.areas.areas["AP"][self.ranked.at], self.ranked.group
        precision, gained, lost = _precision_parts(self.ranked.decisions)
        mine = precision[group] - ap + gained[group] - lost[group]
        return np.where(self.ranked.own, mine, -lost[group]) / self.share


def _below(counts: Counts) -> FloatArray:
    """Return the weight below each distinct probability (highest first), with half of that at it."""
    up_to = np.cumsum(counts[::-1])[::-1]
    return np.asarray(up_to - counts / 2)


def _precision_parts(decisions: Decisions) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return at each threshold the precision, and what a positive and what any item there changes at those below."""
    true, called = decisions.true_positives, decisions.true_positives + decisions.false_positives
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(called > 0, true / called, 0.0)
        each = np.where(called > 0, decisions.positives_at / called, 0.0)
    return precision, np.cumsum(each[::-1])[::-1], np.cumsum((each * precision)[::-1])[::-1]


def _centred(
    table: ProbabilityTable, areas: ClassAreas, key: Key, value: float, summed: FloatArray
) -> Influenced:
    """Return the influences with their mean by class, which also depends on how frequent the classes are."""
    measure, average = key
    if average in ("ovo", "ovo weighted"):
        there = areas.sizes > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.bincount(table.codes, weights=table.counts * summed, minlength=len(there)) / areas.sizes
        summed = summed - means[table.codes]
        if average == "ovo weighted":
            possible = np.outer(areas.sizes, areas.sizes).astype(np.float64)
            pairs = np.divide(areas.wins, possible, out=np.zeros_like(possible), where=possible > 0)
            of_class = (pairs.sum(axis=0) + pairs.sum(axis=1)) / (2 * (there.sum() - 1))
            summed = summed + of_class[table.codes] - value
    if average == "weighted":
        summed = summed + areas.areas[measure][table.codes] - value
    return Influenced(value, summed, table.codes, table.counts)


def _micro(table: ProbabilityTable, measure: str) -> Influenced:
    """Return an area over all items and classes; the probabilities of an item are one cluster."""
    decisions = pooled(table)
    value, classes = micro_area(table, measure), table.num_classes
    mine = table.of_what_happened
    if measure == "AP":
        precision, gained, lost = _precision_parts(decisions)
        thresholds = decisions.thresholds

        def at(p: FloatArray) -> IntArray:
            # A probability belongs to the first threshold at or below it.
            return np.minimum(np.searchsorted(-thresholds, -p), len(thresholds) - 1)

        place = at(mine)
        influence = precision[place] - value + gained[place]
        return Influenced(
            value, influence - sum(lost[at(column)] for column in table.columns), table.codes, table.counts
        )
    order = np.argsort(mine)
    ordered, total = mine[order], float(table.counts.sum())
    heights = np.concatenate(([0.0], np.cumsum(table.counts[order])))
    negatives = np.concatenate(([0], np.diff(decisions.false_positives)))
    negatives[0] = decisions.false_positives[0]
    below = _below(negatives)[np.searchsorted(-decisions.thresholds, -mine)] / decisions.num_negative
    above = -_shares_above(ordered, heights, mine)
    for column in table.columns:
        above = above + _shares_above(ordered, heights, column)
    return Influenced(value, below - value + above / (total * (classes - 1)) - value, table.codes, table.counts)


def _shares_above(ordered: FloatArray, heights: FloatArray, p: FloatArray) -> FloatArray:
    """Return the weight of true classes with a higher probability, with half of those with an equal one."""
    lower, upper = (heights[np.searchsorted(ordered, p, side=side)] for side in ("left", "right"))  # type: ignore[call-overload]
    return np.asarray(heights[-1] - (lower + upper) / 2)


def area_estimate(
    found: Influenced, measure: str, *, level: float, scale: AucScale = "logit", weighted: bool = False
) -> Estimate:
    """Return an area with its interval, on the logit scale unless `scale` is plain.

    Edge cases: no interval if a class has only one item, if weights are not integers, or without any variance.
    """
    value = found.value
    if math.isnan(value):
        return Estimate(value, remark="no class has items and other items")
    if weighted:
        return Estimate(value, remark="weights are not integers")
    variance = found.variance
    if math.isnan(variance):
        return Estimate(value, remark="the variance requires two items of each class")
    if variance <= near_to(1.0) ** 2 or not 0 < value < 1:
        return Estimate(value, remark="the variance is 0: every item has the same part in the value")
    error, z = math.sqrt(variance), normal_quantile(level)
    if scale == "plain":
        return Estimate(value, max(0.0, value - z * error), min(1.0, value + z * error), METHODS[measure])
    low, high, _ = bounded_ends(value, error, z, (0.0, 1.0))
    return Estimate(value, low, high, f"{METHODS[measure]}, logit")


def ap_estimate(ranked: RankedColumn, areas: ClassAreas, *, level: float) -> Estimate:
    """Return the average precision of one class against the rest, with its interval on the logit scale."""
    decisions, ap = ranked.decisions, areas.areas["AP"][ranked.at]
    if decisions.one_class:
        return Estimate(ap, remark=f"no {'negatives' if decisions.num_positive else 'positives'}")
    counts = np.ones(len(ranked.codes), dtype=np.int64) if ranked.weights is None else ranked.weights
    influence = _ColumnInfluence(ranked, areas).on_ap()
    found = Influenced(float(ap), influence, ranked.own.astype(np.int64), counts)
    return area_estimate(found, "AP", level=level, weighted=decisions.weighted)
