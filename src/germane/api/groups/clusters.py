"""Replace the intervals of a result by those for items in clusters; no interval for independent items remains."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, get_args

import numpy as np

from germane.api.decisions.matrix import MANY_CLASSES, OF_THE_MATRIX, of_whole_matrix
from germane.api.decisions.scores import REMARKS, VARIANTS, greatest_loss, why_no_interval
from germane.api.decisions.settings import Settings
from germane.api.groups.clustered_tables import averaged_areas, class_areas, is_top_k, top_k
from germane.api.groups.coded_items import CodedItems
from germane.measures.decisions.matrix import Average, averaged
from germane.measures.decisions.names import PARTS_OF_BRIER, base_name
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.requests import chosen_measure, chosen_rate, kind_of
from germane.stats.groups.cluster_bootstrap import cluster_cells, cluster_intervals, item_intervals
from germane.stats.groups.clustered_auc import auc_of_clusters
from germane.stats.intervals.clustered import FEW_CLUSTERS, mean_of_clusters, proportion_of_clusters
from germane.stats.intervals.rates import proportion_of
from germane.stats.intervals.scores import MOST_ROWS, redrawing
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.decisions.groups import Groups
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.deferred import Deferred
from germane.tables.results.performance import Estimate, Performance

MOST_CELLS = 50_000_000
"""Maximum number of cells of all clusters' matrices in memory (400 MB); above it, averages have no interval."""
INDEPENDENT = "no interval, since none accounts for clusters"
Table = Mapping[str, Estimate]


def least_resamples(settings: Settings) -> Settings:
    """Return settings with as few resamples as possible, for intervals that are going to be replaced."""
    return replace(settings, resamples=math.ceil(2 / (1 - settings.level)))


def with_clusters(found: Performance, items: CodedItems, clusters: Groups, settings: Settings) -> Performance:
    """Return a result whose intervals account for the clusters of its items."""
    of = _Clustered(found, items, clusters.codes, settings)
    by_class: Mapping[Label, Table] = Deferred(found.by_class, of.by_class)
    averages: Mapping[str, Table] = Deferred(found.averages, of.averages)
    resamples = settings.cell_resamples
    notes = (*found.notes, *few_clusters_note(len(clusters)))
    found = replace(found, by_class=by_class, averages=averages, resamples=resamples, notes=notes)
    return replace(found, overall=of.overall())


def few_clusters_note(num_clusters: int) -> list[Note]:
    """Return a note where there are too few clusters for reliable intervals."""
    if num_clusters >= FEW_CLUSTERS:
        return []
    what = f"too few for reliable intervals (collect at least {FEW_CLUSTERS})"
    return [Note("few-clusters", counted(num_clusters, "cluster"), what, count=num_clusters)]


class _Clustered:
    """Estimates of one classifier, with the statistic behind each of them."""

    def __init__(self, found: Performance, items: CodedItems, codes: IntArray, settings: Settings) -> None:
        self.found, self.items, self.codes, self.settings = found, items, codes, settings
        self.draws: dict[str, Any] = {
            "method": settings.bootstrap,
            "level": settings.level,
            "resamples": settings.cell_resamples,
            "seed": settings.seed,
        }

    def overall(self) -> dict[str, Estimate]:
        """Return the overall measures."""
        table = dict(self.found.overall)
        kinds = {name: "groups" if name.endswith("]") else kind_of(name) for name in table}
        rates = {name: e for name, e in table.items() if kinds[name] == "rate"}
        positive = self.found.positive
        of_class = positive is not None and positive in self.items.labels
        new = self._of_class(rates, self._place(positive)) if of_class else self._of_all_classes(rates)
        new |= self._of_matrix({name: e for name, e in table.items() if kinds[name] == "matrix"})
        new |= self._of_scores({name: e for name, e in table.items() if kinds[name] in ("scores", "probabilities")})
        new |= self._averaged_areas(table, self.settings.average or "")
        if self.items.table is not None:
            names = filter(is_top_k, table)
            new |= {name: top_k(self.items.table, name, self.codes, self.settings) for name in names}
        return {name: new.get(name, without_interval(estimate)) for name, estimate in table.items()}

    def by_class(self) -> dict[Label, Table]:
        """Return the rates of each class."""
        found: dict[Label, Table] = {}
        for label, table in self.found.by_class.items():
            place = self._place(label)
            areas: Table = {}
            if self.items.table is not None:
                areas = class_areas(self.items.table, place, self.codes, self.settings, table)
            same = {name: _as_before(table[name], each) for name, each in areas.items()}
            found[label] = {**self._of_class(table, place), **same}
        return found

    def averages(self) -> dict[str, Table]:
        """Return the averages of rates."""
        names = get_args(Average)
        found: dict[str, Table] = {}
        for average, table in self.found.averages.items():
            rates = self._averaged(table, average) if average in names else _all_without(table)
            found[average] = {**rates, **self._averaged_areas(table, average)}
        return found

    def _averaged_areas(self, table: Table, average: str) -> dict[str, Estimate]:
        if self.items.table is None:
            return {}
        areas = averaged_areas(self.items.table, average, self.codes, self.settings, table)
        return {name: _as_before(table[name], estimate) for name, estimate in areas.items()}

    def _place(self, label: Label | None) -> int:
        assert label is not None
        return self.items.labels.index(label)

    def _of_class(self, table: Table, place: int) -> dict[str, Estimate]:
        """Return the rates where one class is positive."""
        cells = self.items.cells_of(place)
        sums, rows = (cluster_cells(cells, self.codes, 4, weight) for weight in (self.items.weight, None))
        new: dict[str, Estimate] = {}
        drawn: dict[str, Rate] = {}
        for name, estimate in table.items():
            rate = self._rate(name)
            value = float(rate(Cells(*sums.sum(axis=0)))) if rate is not None else math.nan
            if rate is None or not math.isfinite(value):
                new[name] = without_interval(estimate)
            elif rate.interval == "proportion":
                new[name] = self._share(rate, sums, rows)
            else:
                drawn[name] = rate
        new |= self._drawn({n: _of_cells(rate) for n, rate in drawn.items()}, sums)
        return {name: _as_before(table[name], new[name]) for name in table}

    def _rate(self, name: str) -> Rate | None:
        """Return a rate with its parameters; the cost is at the prevalence asked for or that of the data."""
        if name != "cost":
            return chosen_rate(name)
        given, share = self.settings, self.settings.prevalence
        if share is None:
            share = float(RATES["prevalence"](self.found.confusion.cells(self.found.positive)))  # type: ignore[union-attr, arg-type]
        costs = (1.0 if cost is None else cost for cost in (given.cost_fp, given.cost_fn))
        chosen: Rate = RATES["cost"].choose(**dict(zip(("cost_fp", "cost_fn"), costs, strict=True)), prevalence=share)
        return chosen

    def _share(self, rate: Rate, sums: FloatArray, rows: FloatArray) -> Estimate:
        """Return a proportion of counts."""
        successes, trials = (part(Cells(*sums.T)) for part in proportion_of(rate))
        items = float(proportion_of(rate)[1](Cells(*rows[trials > 0].T)).sum())
        how = {"method": self.settings.interval, "level": self.settings.level}
        return proportion_of_clusters(successes, trials, items=items, **how)  # type: ignore[arg-type]

    def _of_all_classes(self, table: Table) -> dict[str, Estimate]:
        """Return rates where no class is positive: accuracy, measures of the matrix, and the average asked for."""
        new: dict[str, Estimate] = {}
        if {"ACC", "ERR"} & set(table):
            wrong = self.items.wrong  # TP holds correct and FP wrong predictions
            sums, rows = (cluster_cells(wrong, self.codes, 4, weight) for weight in (self.items.weight, None))
            new |= {name: self._share(RATES[name], sums, rows) for name in ("ACC", "ERR") if name in table}
        new |= self._of_matrix({name: e for name, e in table.items() if name in OF_THE_MATRIX})
        rest = {name: e for name, e in table.items() if name not in new}
        average = self.settings.average
        return new | (self._averaged(rest, average) if average in get_args(Average) else _all_without(rest))

    def _of_matrix(self, table: Table) -> dict[str, Estimate]:
        statistics = {n: OF_THE_MATRIX[n] if n in OF_THE_MATRIX else of_whole_matrix(n) for n in table}
        found = self._drawn_of_matrix(statistics)
        return {name: _as_before(estimate, found[name]) for name, estimate in table.items()}

    def _averaged(self, table: Table, average: Any) -> dict[str, Estimate]:
        zero = self.settings.zero_division
        statistics: dict[str, Callable[[FloatArray], FloatArray]] = {}
        for name, estimate in table.items():
            rate = chosen_rate(name)
            if rate is not None and math.isfinite(estimate.value):
                statistics[name] = partial(averaged, rate, average=average, zero_division=zero)
        found = self._drawn_of_matrix(statistics)
        return {name: found.get(name, without_interval(estimate)) for name, estimate in table.items()}

    def _drawn_of_matrix(self, statistics: Mapping[str, Callable[[FloatArray], FloatArray]]) -> dict[str, Estimate]:
        """Return statistics of the whole matrix, all from the same resamples."""
        size = len(self.items.labels)
        if not statistics:
            return {}
        if size > MANY_CLASSES or (int(self.codes.max()) + 1) * size**2 > MOST_CELLS:
            remark = f"no interval above {MANY_CLASSES} classes" if size > MANY_CLASSES else "too many clusters"
            counts = self.found.confusion.counts.astype(np.float64)  # type: ignore[union-attr]
            return {name: Estimate(float(each(counts[None])[0]), remark=remark) for name, each in statistics.items()}
        table = cluster_cells(self.items.pairs, self.codes, size * size, self.items.weight)
        shaped = {n: _of_matrices(each, size) for n, each in statistics.items()}
        return self._drawn(shaped, table)

    def _drawn(
        self, statistics: Mapping[str, Callable[[FloatArray], FloatArray]], table: FloatArray
    ) -> dict[str, Estimate]:
        """Return statistics of cells, all from the same resamples of clusters."""
        if not statistics:
            return {}

        def all_of_them(cells: FloatArray) -> FloatArray:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.stack([np.broadcast_to(each(cells), len(cells)) for each in statistics.values()], axis=1)

        return dict(zip(statistics, cluster_intervals(all_of_them, table, **self.draws), strict=True))

    def _of_scores(self, table: Table) -> dict[str, Estimate]:
        """Return measures of scores and of probabilities."""
        items, level = self.items, self.settings.level
        new: dict[str, Estimate] = {}
        drawn: dict[str, Callable[[FloatArray], float]] = {}
        for name, estimate in table.items():
            losses = items.losses(name)
            if not math.isfinite(estimate.value):
                new[name] = without_interval(estimate)
            elif losses is not None:
                bounds = (0.0, _greatest(name, of_table=items.table is not None))
                new[name] = mean_of_clusters(losses, self.codes, items.weight, level=level, bounds=bounds)
            elif name == "AUC" and items.score is not None and items.is_positive is not None:
                scale = self.settings.auc_scale
                new[name] = auc_of_clusters(
                    items.is_positive, items.score, self.codes, items.weight, level=level, scale=scale
                )
            elif items.score is None or _never_resampled(name):
                new[name] = without_interval(estimate)
            else:
                drawn[name] = chosen_measure(name)
        new |= self._drawn_of_scores(drawn, table)
        return {name: _as_before(table[name], _with_parameters(name, new[name])) for name in table}

    def _drawn_of_scores(self, measures: Mapping[str, Callable[..., float]], table: Table) -> dict[str, Estimate]:
        items, resamples = self.items, self.settings.resamples
        if not measures or items.is_positive is None or items.score is None:
            return {}
        if resamples is None and items.num_items > MOST_ROWS:
            why = f"no interval by default above {MOST_ROWS:,} rows; use --resamples 200"
            return {name: Estimate(table[name].value, remark=why) for name in measures}
        redrawn = redrawing(items.is_positive, items.score, items.weight)
        statistics = {name: _of_draws(measure, redrawn) for name, measure in measures.items()}
        level, seed = self.settings.level, self.settings.seed
        return item_intervals(statistics, self.codes, level=level, resamples=resamples, seed=seed)


def without_interval(estimate: Estimate) -> Estimate:
    """Return an estimate without an interval that assumes independent items."""
    if not estimate.has_interval:
        return estimate
    remark = "; ".join(filter(None, [estimate.remark, INDEPENDENT]))
    return Estimate(estimate.value, remark=remark)


def _all_without(table: Table) -> dict[str, Estimate]:
    return {name: without_interval(estimate) for name, estimate in table.items()}


def _as_before(old: Estimate, new: Estimate) -> Estimate:
    """Keep the value to the last bit, which another order of summation may change."""
    return replace(new, value=old.value) if math.isclose(old.value, new.value, rel_tol=1e-9, abs_tol=1e-12) else new


def _with_parameters(name: str, estimate: Estimate) -> Estimate:
    """Return an estimate with the parameters of its measure in the remark, once."""
    if name not in REMARKS or REMARKS[name] in estimate.remark:
        return estimate
    return replace(estimate, remark="; ".join(filter(None, [REMARKS[name], estimate.remark])))


def _never_resampled(name: str) -> bool:
    """Whether resampling biases a measure, so that it has no interval."""
    return name in VARIANTS or name in PARTS_OF_BRIER or bool(why_no_interval(name))


def _greatest(name: str, *, of_table: bool) -> float:
    """Return the greatest possible loss of an item."""
    if base_name(name) == "log_loss":
        return greatest_loss(chosen_measure(name).settings["clip"])
    return 2.0 if of_table else 1.0


def _of_cells(rate: Rate) -> Callable[[FloatArray], FloatArray]:
    return lambda cells: np.asarray(rate(Cells(*cells.T)))


def _of_matrices(statistic: Callable[[FloatArray], FloatArray], size: int) -> Callable[[FloatArray], FloatArray]:
    return lambda cells: statistic(cells.reshape(-1, size, size))


def _of_draws(measure: Callable[..., float], redrawn: Callable[[FloatArray], Any]) -> Callable[[FloatArray], float]:
    def statistic(drawn: FloatArray) -> float:
        decisions = redrawn(drawn)
        return math.nan if decisions.one_class else float(measure(decisions))

    return statistic
