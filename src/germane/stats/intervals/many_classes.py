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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.measures.decisions.scores.many_classes import AREAS, ClassAreas, pooled
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn, over_some
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
AVERAGED: tuple[Key, ...] = (
    *(("AUC", average) for average in ("macro", "weighted", "micro", "ovo", "ovo weighted")),
    *(("AP", average) for average in ("macro", "weighted", "micro")),
)
"""Areas and their averages over classes."""
METHODS = {"AUC": "delong", "AP": "influence"}
FEWEST: Mapping[Key, int] = {
    **{("AP", average): 60 for average in ("", "macro", "weighted")},
    **{("AUC", average): 20 for average in ("ovo", "ovo weighted")},
    ("AUC", "macro"): 10,
}
"""Items of the smallest class below which 95% intervals may cover less than 94%; `tests/stats/many_classes_coverage.py`
prints how much."""


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

    @property
    def smallest_class(self) -> int:
        """Number of items of the smallest class that has any."""
        sizes = np.bincount(self.codes, weights=self.counts)
        return int(sizes[sizes > 0].min())

    def minus(self, other: Influenced) -> Influenced:
        """Return the difference from another value on the same items."""
        return Influenced(self.value - other.value, self.influence - other.influence, self.codes, self.counts)


def influences(
    table: ProbabilityTable, wanted: Sequence[Key], areas: ClassAreas | None = None
) -> dict[Key, Influenced]:
    """Return averages of areas with the influence of each item; classes without items are omitted.

    >>> table = ProbabilityTable.of([[0.6, 0.4], [0.3, 0.7], [0.5, 0.5], [0.2, 0.8]], [0, 0, 1, 1])
    >>> round(influences(table, [("AUC", "macro")])["AUC", "macro"].variance, 4)           # DeLong's, by both columns
    0.125
    """
    by_rank = [key for key in wanted if key[1] != "micro"]
    found: dict[Key, Influenced] = {}
    if by_rank:
        areas = areas or ClassAreas.of(table)
        for key, summed in over_some(table, lambda columns: _summed(table, areas, by_rank, columns)).items():
            value = areas.average(*key)
            found[key] = _centred(table, areas, key, value, summed)
    if together := [measure for measure, average in wanted if average == "micro"]:
        decisions = pooled(table)
        for measure in together:
            value = AREAS[measure](decisions)
            influence = _micro_auc(table, decisions, value) if measure == "AUC" else _micro_ap(table, decisions, value)
            found[measure, "micro"] = Influenced(value, influence, table.codes, table.counts)
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
    measures = dict.fromkeys(measure for measure, average in wanted if average in ("macro", "weighted"))
    classes = int((areas.sizes > 0).sum())
    for at in columns:
        if not 0 < areas.sizes[at] < areas.sizes.sum():
            continue
        ranked = RankedColumn.of(table, at)
        parts = {measure: INFLUENCES[measure](ranked, areas.areas[measure][at]) for measure in measures}
        for key in wanted:
            measure, average = key
            if average in ("ovo", "ovo weighted"):
                part = _on_pairs(ranked, areas, weighted=average == "ovo weighted")
            else:
                part = parts[measure] * (areas.prevalence[at] if average == "weighted" else 1 / classes)
            sums[key][ranked.order] += part
    return sums


def _on_auc(ranked: RankedColumn, auc: float) -> FloatArray:
    """Return the influence of each item, in the order of the column, on the AUC of its class against the rest."""
    decisions, share = ranked.decisions, _share(ranked.decisions)
    below = _below(decisions.negatives_at)[ranked.group] / decisions.num_negative
    found: FloatArray = np.where(ranked.own, (below - auc) / share, (_above(ranked) - auc) / (1 - share))
    return found


def _on_ap(ranked: RankedColumn, ap: float) -> FloatArray:
    """Return the influence of each item, in the order of the column, on the average precision of its class."""
    precision, gained, lost = _precision_parts(ranked.decisions)
    each = np.where(ranked.own, (precision - ap + gained)[ranked.group], 0.0) - lost[ranked.group]
    return np.asarray(each / _share(ranked.decisions))


INFLUENCES: Mapping[str, Callable[[RankedColumn, float], FloatArray]] = {"AUC": _on_auc, "AP": _on_ap}


def _on_pairs(ranked: RankedColumn, areas: ClassAreas, *, weighted: bool) -> FloatArray:
    """Return the influence on the areas of this class against each other one, each weighted by its part in M."""
    sizes, shares = areas.sizes, areas.prevalence
    classes = int((sizes > 0).sum())
    parts = (shares[ranked.at] + shares) / 2 if weighted else np.full(len(shares), 1 / classes)
    parts = np.where(sizes > 0, parts / (classes - 1), 0.0)
    parts[ranked.at] = 0.0
    held = np.maximum(sizes, np.finfo(np.float64).tiny)
    each = (parts / held)[ranked.codes] * (1 if ranked.weights is None else ranked.weights)
    below = _below(np.bincount(ranked.group, weights=each, minlength=len(ranked.decisions)))[ranked.group]
    of_others = (parts / held * sizes.sum())[ranked.codes] * _above(ranked)
    found: FloatArray = np.where(ranked.own, below / shares[ranked.at], of_others)
    return found


def _share(decisions: Decisions) -> float:
    return decisions.num_positive / (decisions.num_positive + decisions.num_negative)


def _above(ranked: RankedColumn) -> FloatArray:
    """Return the share of the class above each item, with half of that at it."""
    return np.asarray(ranked.twice_above / (2 * ranked.decisions.num_positive))


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


def _centred(table: ProbabilityTable, areas: ClassAreas, key: Key, value: float, summed: FloatArray) -> Influenced:
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
            with np.errstate(invalid="ignore"):  # a single class has no pair, and the average is NaN
                of_class = (pairs.sum(axis=0) + pairs.sum(axis=1)) / (2 * (there.sum() - 1))
            summed = summed + of_class[table.codes] - value
    if average == "weighted":
        summed = summed + areas.areas[measure][table.codes] - value
    return Influenced(value, summed, table.codes, table.counts)


def _micro_ap(table: ProbabilityTable, decisions: Decisions, value: float) -> FloatArray:
    """Return the influences on the AP over all items and classes; the probabilities of an item are one cluster."""
    precision, gained, lost = _precision_parts(decisions)
    rising = decisions.thresholds[::-1]

    def at(ordered: FloatArray) -> IntArray:
        # A probability belongs to the highest threshold at or below it.
        return np.minimum(len(rising) - np.searchsorted(rising, ordered, side="right"), len(rising) - 1)

    mine = _in_order(table.of_what_happened, lambda ordered: (precision - value + gained)[at(ordered)])
    return mine - _over_probabilities(table, lambda ordered: lost[at(ordered)])


def _micro_auc(table: ProbabilityTable, decisions: Decisions, value: float) -> FloatArray:
    """Return the influences on the AUC over all items and classes, with one positive and K − 1 negatives per item."""
    rising, below = decisions.thresholds[::-1], _below(decisions.negatives_at)[::-1] / decisions.num_negative
    order = np.argsort(table.of_what_happened)
    true, heights = table.of_what_happened[order], np.concatenate(([0.0], np.cumsum(table.counts[order])))

    def above(ordered: FloatArray) -> FloatArray:
        """Return the part of a pair lost to items whose true class has a higher probability; equal ones are half."""
        lower, upper = (heights[np.searchsorted(true, ordered, side=side)] for side in ("left", "right"))
        return np.asarray(1 - (lower + upper) / (2 * heights[-1])) / (table.num_classes - 1)

    mine = table.of_what_happened
    won = _in_order(mine, lambda ordered: below[np.searchsorted(rising, ordered, side="right") - 1] - above(ordered))
    return won + _over_probabilities(table, above) - 2 * value


def _over_probabilities(table: ProbabilityTable, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return, for each item, the sum over its probabilities of a function of ordered ones."""

    def several(columns: Sequence[int]) -> FloatArray:
        return np.asarray(sum(_in_order(table.columns[at], function) for at in columns))

    found: FloatArray = over_some(table, several)
    return found


def _in_order(p: FloatArray, function: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Return a function of ordered values for each value: looking up in order stays in the cache."""
    order, found = np.argsort(p), np.empty(len(p))
    found[order] = function(p[order])
    return found


def area_estimate(
    found: Influenced,
    measure: str,
    average: str = "",
    *,
    level: float,
    scale: AucScale = "logit",
    weighted: bool = False,
) -> Estimate:
    """Return an area with its interval, on the logit scale unless `scale` is plain.

    Edge cases: no interval if a class has only one item, if weights are not integers, or without any variance.
    """
    value = found.value
    if math.isnan(value):
        return Estimate(value, remark="requires items of at least two classes")
    if weighted:
        return Estimate(value, remark="weights are not integers")
    variance = found.variance
    if math.isnan(variance):
        return Estimate(value, remark="a class has only one item: the variance requires two of each")
    if variance <= near_to(1.0) ** 2 or not 0 < value < 1:
        return Estimate(value, remark="the variance is 0: every item has the same part in the value")
    error, z = math.sqrt(variance), normal_quantile(level)
    smallest = found.smallest_class
    few = smallest < FEWEST.get((measure, average), 0)
    remark = f"the smallest class has {smallest:,} items: may cover less than {100 * level:g}%" if few else ""
    if scale == "plain":
        ends = max(0.0, value - z * error), min(1.0, value + z * error)
        return Estimate(value, *ends, METHODS[measure], remark)
    low, high, _ = bounded_ends(value, error, z, (0.0, 1.0))
    return Estimate(value, low, high, f"{METHODS[measure]}, logit", remark)


def ap_estimate(decisions: Decisions, *, level: float, scale: AucScale = "logit") -> Estimate:
    """Return the average precision of one class against the rest, with its interval.

    >>> found = ap_estimate(Decisions.of([True, True, False, True, False] * 20, np.arange(100)), level=0.95)
    >>> round(found.value, 4), round(found.low, 4), round(found.high, 4), found.method
    (0.591, 0.4554, 0.714, 'influence, logit')
    """
    if decisions.one_class:
        return Estimate(math.nan, remark=f"no {'negatives' if decisions.num_positive else 'positives'}")
    ap = AREAS["AP"](decisions)
    precision, gained, lost = _precision_parts(decisions)
    # The items of one class at one score have the same influence.
    influence = np.concatenate([precision - ap + gained - lost, -lost]) / _share(decisions)
    codes = np.repeat([0, 1], len(decisions))
    found = Influenced(ap, influence, codes, np.concatenate([decisions.positives_at, decisions.negatives_at]))
    return area_estimate(found, "AP", level=level, scale=scale, weighted=decisions.weighted)


def influenced_ap(ranked: RankedColumn) -> Influenced:
    """Return the average precision of one class against the rest, with the influence of each item in its order."""
    ap = AREAS["AP"](ranked.decisions)
    counts = np.ones(len(ranked.codes), dtype=np.int64) if ranked.weights is None else ranked.weights
    return Influenced(ap, _on_ap(ranked, ap), ranked.own.astype(np.int64), counts)
