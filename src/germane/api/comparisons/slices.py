"""Compare a classifier between slices of its items: each slice against the rest, or against one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from germane.api.decisions.matrix import OF_THE_MATRIX, of_whole_matrix
from germane.api.decisions.scores import VARIANTS, why_no_interval
from germane.api.decisions.settings import Settings
from germane.api.groups.coded_items import CodedItems
from germane.errors import unknown
from germane.measures.decisions.matrix import AVERAGES, averaged
from germane.measures.decisions.names import PARTS_OF_BRIER, base_name
from germane.measures.decisions.rates import Rate
from germane.measures.decisions.requests import Request, chosen_measure, chosen_rate
from germane.measures.decisions.scores.many_classes import in_top
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.stats.groups.clustered_auc import auc_deviations
from germane.stats.groups.slice_differences import (
    bootstrap_of_cells,
    bootstrap_of_items,
    difference_of_areas,
    difference_of_aucs,
    difference_of_clustered_proportions,
    difference_of_means,
    difference_of_proportions,
    difference_of_ratios,
)
from germane.stats.intervals.cell_bootstrap import Draws
from germane.stats.intervals.many_classes import AVERAGED, METHODS, influences
from germane.stats.intervals.rates import UNITS, proportion_of
from germane.stats.intervals.scores import redrawing
from germane.stats.significance.corrections import CORRECTIONS
from germane.stats.significance.outcomes import PairedDifference
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.decisions.groups import Groups
from germane.tables.results.slice_differences import REST, SliceDifferences, SlicePair

OF_POSITIVE = ("ACC", "TPR", "FPR", "PPV", "predicted")
"""Rates compared by default: equal opportunity, equal odds, predictive parity and demographic parity."""
OF_CLASSES, OF_TABLES = ("ACC", "F1[macro]"), ("AUC[macro]",)
"""Measures compared by default for several classes, and for their probabilities."""
MOST_DRAWS, FEWEST_RESAMPLES, USUAL_RESAMPLES = 4_000_000, 200, 2000
"""Items × resamples by default for measures of scores, and limits of the number of resamples."""
Outcome = tuple[PairedDifference, float, float]
"""The difference, and the values of both sides."""
Comparer = Callable[[BoolArray, BoolArray], Outcome]
"""Function that compares the items of b, the second argument, with those of a."""


def usual_measures(items: CodedItems, positive: Label | None) -> list[str]:
    """Return the measures compared by default."""
    decisions = (OF_CLASSES if positive is None else OF_POSITIVE) if items.truth is not None else ()
    return [*decisions, *(("AUC",) if items.score is not None else OF_TABLES if items.table is not None else ())]


def compare_slices(
    items: CodedItems,
    slices: Mapping[str, Groups],
    clusters: Groups | None,
    settings: Settings,
    *,
    positive: Label | None,
    weighted: bool,
) -> tuple[SliceDifferences | None, list[str]]:
    """Return the differences, None where nothing can be compared, and the measures that cannot be."""
    by = _Compared(items, None if clusters is None else clusters.codes, settings, positive, weighted)
    asked = [str(request) for request in settings.requests]
    wanted = asked if settings.measures is not None else list(dict.fromkeys((*usual_measures(items, positive), *asked)))
    comparers = {name: by.comparer(Request.read(name)) for name in wanted}
    found: list[tuple[str, str, str, Outcome]] = []
    for column, groups in slices.items():
        for name, against, a, b in _sides(column, groups, settings.against):
            found += [(m, name, against, compare(a, b)) for m, compare in comparers.items() if compare is not None]
    without = [name for name, compare in comparers.items() if compare is None]
    if not found:
        return None, without
    p = np.asarray([outcome.p for *_, (outcome, _, _) in found])
    adjusted = p if settings.correction == "none" else CORRECTIONS[settings.correction].adjust(p)
    pairs = tuple(
        SlicePair(m, name, against, vb, va, o.difference, o.low, o.high, o.p, float(q), o.test, o.interval, o.remark)
        for (m, name, against, (o, va, vb)), q in zip(found, adjusted, strict=True)
    )
    return SliceDifferences(pairs, settings.correction, settings.level), without


def slice_name(column: str, value: Label) -> str:
    """Return the name of a slice: its column and value, or the value alone where the column has no name."""
    return f"{column}={value}" if column else str(value)


def _sides(column: str, groups: Groups, against: str | None) -> Iterator[tuple[str, str, BoolArray, BoolArray]]:
    """Yield the name of a slice, what it is compared with, and the items of that and of the slice."""
    names = [slice_name(column, value) for value in groups.values]
    if len(names) < 2:
        return
    if against is None:
        if len(names) == 2:  # each is the rest of the other, and both differences are one test
            yield names[1], names[0], groups.has(0), groups.has(1)
            return
        for place, name in enumerate(names):
            yield name, REST, ~groups.has(place), groups.has(place)
        return
    texts = [str(value) for value in groups.values]
    if against not in (*names, *texts):
        raise unknown("slice", against, names)
    base = names.index(against) if against in names else texts.index(against)
    for place, name in enumerate(names):
        if place != base:
            yield name, names[base], groups.has(base), groups.has(place)


class _Compared:
    """Items of one classifier, ready to be compared between slices by any measure."""

    def __init__(
        self, items: CodedItems, clusters: IntArray | None, settings: Settings, positive: Label | None, weighted: bool
    ) -> None:
        self.items, self.clusters, self.settings, self.weighted = items, clusters, settings, weighted
        self.place = None if positive is None or positive not in items.labels else items.labels.index(positive)
        self.level = settings.level
        self.draws: Draws = {
            "method": settings.bootstrap,
            "level": settings.level,
            "resamples": settings.cell_resamples,
            "seed": settings.seed,
        }
        self.weight = np.ones(items.num_items) if items.weight is None else items.weight

    def comparer(self, request: Request) -> Comparer | None:
        """Return the function that compares two slices by a measure; None if none can."""
        table = self.items.table
        if table is not None and (request.name, request.group) in AVERAGED:
            return partial(self._of_table_areas, table, (request.name, request.group))
        if table is not None and base_name(request.name) == "top_k_accuracy":
            right = in_top(table, int(chosen_measure(request.name).settings["k"]))
            return partial(self._of_shares, right * self.weight, self.weight)
        if request.kind in ("scores", "probabilities"):
            return None if request.group else self._of_scores(request.name)
        if request.kind not in ("rate", "matrix") or self.items.truth is None:
            return None
        if request.kind == "matrix":
            return None if request.group else partial(self._of_matrix, of_whole_matrix(request.name))
        return self._of_rate(request)

    def _of_rate(self, request: Request) -> Comparer | None:
        name, group = request
        rate, labels = chosen_rate(name), [str(label) for label in self.items.labels]
        average = group or self.settings.average
        place = labels.index(group) if group in labels else None if group else self.place
        if rate is None:
            return None
        if place is not None:
            if rate.interval == "proportion":
                return partial(self._of_shares, *self._parts(rate, place))
            return partial(self._of_cells, rate, self.items.cells_of(place))
        if not group and name in ("ACC", "ERR"):
            return partial(self._of_shares, *self._parts(rate, None))
        if not group and name in OF_THE_MATRIX:
            return partial(self._of_matrix, OF_THE_MATRIX[name])
        if average not in AVERAGES:
            return None
        return partial(self._of_matrix, partial(averaged, rate, average=average))

    def _parts(self, rate: Rate, place: int | None) -> tuple[FloatArray, FloatArray]:
        """Return for each item its weight if it counts in the numerator, and in the denominator."""
        cells = self.items.wrong if place is None else self.items.cells_of(place)
        successes, trials = (part(UNITS)[cells] * self.weight for part in proportion_of(rate))
        return successes, trials

    def _of_shares(self, successes: FloatArray, trials: FloatArray, a: BoolArray, b: BoolArray) -> Outcome:
        (x, m), (y, n) = ((float(successes[side].sum()), float(trials[side].sum())) for side in (a, b))
        values = (x / m if m else math.nan), (y / n if n else math.nan)
        if not (m and n):
            return PairedDifference(math.nan, remark="undefined on one side"), *values
        if self.clusters is None and not self.weighted:
            return difference_of_proportions((x, m), (y, n), level=self.level), *values
        both = a | b
        units = self._units()[both]
        sums = successes[both], trials[both]
        return difference_of_clustered_proportions(*sums, b[both], units, level=self.level), *values

    def _units(self) -> IntArray:
        """Return the cluster of each item; without clusters, each is its own."""
        return np.arange(self.items.num_items) if self.clusters is None else self.clusters

    def _of_cells(self, rate: Rate, cells: IntArray, a: BoolArray, b: BoolArray) -> Outcome:
        return self._drawn(lambda counts: np.asarray(rate(Cells(*counts.T))), cells, 4, a, b)

    def _of_matrix(self, statistic: Callable[[FloatArray], FloatArray], a: BoolArray, b: BoolArray) -> Outcome:
        size = len(self.items.labels)
        square = size * size
        return self._drawn(lambda c: statistic(c.reshape(-1, size, size)), self.items.pairs, square, a, b)

    def _drawn(
        self, statistic: Callable[[FloatArray], FloatArray], cells: IntArray, num: int, a: BoolArray, b: BoolArray
    ) -> Outcome:
        values = []
        for side in (a, b):
            counts = np.bincount(cells[side], weights=self.weight[side], minlength=num)
            with np.errstate(divide="ignore", invalid="ignore"):
                values.append(float(statistic(counts.astype(np.float64)[None])[0]))
        if not np.isfinite(values).all():
            return PairedDifference(math.nan, remark="undefined on one side"), values[0], values[1]
        both = a | b
        clusters = None if self.clusters is None else _compressed(self.clusters[both])
        weights = None if self.items.weight is None else self.items.weight[both]
        found = bootstrap_of_cells(statistic, cells[both], b[both], num, clusters, weights, self.draws)
        return found, values[0], values[1]

    def _of_scores(self, name: str) -> Comparer | None:
        losses = self.items.losses(name)
        if losses is not None:
            return partial(self._of_losses, losses)
        if self.items.score is None:
            return None
        if name == "AUC":
            return self._of_areas
        if name in VARIANTS or name in PARTS_OF_BRIER or why_no_interval(name):
            return None
        return partial(self._of_draws, chosen_measure(name))

    def _of_losses(self, losses: FloatArray, a: BoolArray, b: BoolArray) -> Outcome:
        values = [float(np.average(losses[side], weights=self.weight[side])) for side in (a, b)]
        if not np.isfinite(values).all():
            return PairedDifference(math.nan, remark="not finite on one side"), values[0], values[1]
        if self.clusters is None and self.items.weight is None:
            return difference_of_means(losses[a], losses[b], level=self.level), values[0], values[1]
        both = a | b
        units, weight = self._units()[both], self.weight[both]
        found = difference_of_ratios(losses[both] * weight, weight, b[both], units, level=self.level)
        return found, values[0], values[1]

    def _of_areas(self, a: BoolArray, b: BoolArray) -> Outcome:
        truth, score = self.items.is_positive, self.items.score
        assert truth is not None
        assert score is not None
        if any(truth[side].all() or not truth[side].any() for side in (a, b)):
            return PairedDifference(math.nan, remark="one side has a single class"), math.nan, math.nan
        num = int(self._units().max()) + 1
        sides = [
            auc_deviations(truth[side], score[side], self._units()[side], self.weight[side], num_clusters=num)
            for side in (a, b)
        ]
        found = difference_of_aucs(*sides, clustered=self.clusters is not None, level=self.level)
        return found, sides[0].value, sides[1].value

    def _of_table_areas(self, table: ProbabilityTable, key: tuple[str, str], a: BoolArray, b: BoolArray) -> Outcome:
        if self.weighted:
            return PairedDifference(math.nan, remark="weights are not integers"), math.nan, math.nan
        sides = [
            ProbabilityTable(
                table.probabilities[of], table.codes[of], None if table.weights is None else table.weights[of]
            )
            for of in (a, b)
        ]
        found = [influences(side, [key])[key] for side in sides]
        values = found[0].value, found[1].value
        if set(sides[0].codes.tolist()) != set(sides[1].codes.tolist()):
            return PairedDifference(math.nan, remark="one side lacks a class"), *values
        clusters = None if self.clusters is None else (self.clusters[a], self.clusters[b])
        test = METHODS[key[0]]
        return difference_of_areas(found[0], found[1], clusters, level=self.level, test=test), *values

    def _of_draws(self, measure: Callable[..., float], a: BoolArray, b: BoolArray) -> Outcome:
        truth, score = self.items.is_positive, self.items.score
        assert truth is not None
        assert score is not None

        def of(side: BoolArray) -> Callable[[FloatArray], float]:
            weight = None if self.items.weight is None else self.items.weight[side]
            redrawn = redrawing(truth[side], score[side], weight)

            def statistic(drawn: FloatArray) -> float:
                decisions = redrawn(drawn)
                return math.nan if decisions.one_class else float(measure(decisions))

            return statistic

        statistics = of(a), of(b)
        first, second = (each(np.ones(int(side.sum()))) for each, side in zip(statistics, (a, b), strict=True))
        if not math.isfinite(first) or not math.isfinite(second):
            return PairedDifference(math.nan, remark="undefined on one side"), first, second
        both = a | b
        affordable = max(FEWEST_RESAMPLES, MOST_DRAWS // int(both.sum()), math.ceil(2 / (1 - self.level)))
        taken = self.settings.resamples or min(USUAL_RESAMPLES, affordable)
        how: Draws = {"level": self.level, "resamples": taken, "seed": self.settings.seed}
        clusters = None if self.clusters is None else _compressed(self.clusters[both])
        return bootstrap_of_items(statistics, b[both], clusters, how), first, second


def _compressed(codes: IntArray) -> IntArray:
    """Return codes from 0 without gaps, so that every one of them is drawn."""
    found: IntArray = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    return found
