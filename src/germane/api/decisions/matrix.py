"""Evaluate a confusion matrix: every rate of each class, averages over classes, overall measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np

from germane.api.decisions.settings import Settings
from germane.errors import GermaneError, unknown
from germane.measures.agreement.kappa import kappa
from germane.measures.decisions.confusion_order import cluster_order
from germane.measures.decisions.matrix import AVERAGES, Average, averaged, averaged_cells, matthews
from germane.measures.decisions.rates import RATES
from germane.measures.decisions.requests import chosen_measure
from germane.stats.intervals.cell_bootstrap import CELLS_METHODS
from germane.stats.intervals.cells import WeightedRows, matrix_interval
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.rates import rate_estimates
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Confusion, Label, one_versus_rest
from germane.tables.results.deferred import Deferred
from germane.tables.results.performance import Estimate, Performance

MANY_CLASSES = 100
"""Maximum number of classes for intervals of averages; a resample of more has over ten thousand cells."""
SHOWN_LABELS = 5
"""Maximum number of classes whose order a remark lists."""


def matrix_performance(
    confusion: Confusion, rows: WeightedRows | None, positive: Label | None, settings: Settings, name: str
) -> Performance:
    """Evaluate a matrix; where weights are not integers, `rows` hold the cell and the weight of each item."""
    if not confusion.total:
        raise GermaneError("expected items in the confusion matrix, found none")
    average: str | None = settings.average
    if average == "binary" and positive is None:
        hint = "use `positive=…` or `average='macro'`"
        raise GermaneError("`average='binary'` needs a positive class", hint=hint)
    if average not in (None, "binary", *AVERAGES):
        raise unknown("average", average, ["binary", *AVERAGES])
    if average is None and positive is not None:
        average = "binary"
    if average != "binary" and not settings.cost_fp is settings.cost_fn is None:
        hint = "use `positive=…`, or remove `cost_fp=` and `cost_fn=`"
        raise GermaneError("costs of errors need a positive class", hint=hint)
    by_class: Mapping[Label, Mapping[str, Estimate]]
    averages: Mapping[str, Mapping[str, Estimate]]
    overall: dict[str, Estimate] = {}
    waits = _can_wait(settings, rows)
    if waits:
        by_class = Deferred(confusion.labels, partial(_by_class, confusion, settings, None))
    else:
        by_class = _by_class(confusion, settings, rows)
    if waits and (average == "binary" or not settings.wants_decisions):
        averages = Deferred(get_args(Average), lambda: _of_all_classes(confusion, settings, None)[1])
    else:
        overall, averages = _of_all_classes(confusion, settings, rows)
        overall |= {n: e for n, e in averages.get(average or "", {}).items() if n not in overall}
    if average == "binary" and positive is not None:
        overall = _wanted_rates(confusion, positive, settings) if waits else dict(by_class[positive])
        overall |= _cost(confusion.cells(positive), settings, weighted=confusion.weighted)
    overall |= _asked_of_matrix(confusion, rows, settings)
    found = Performance(name, "classes", confusion.num_rows, overall, by_class, averages, confusion)
    found = replace(found, level=settings.level, seed=settings.seed, resamples=settings.cell_resamples)
    clusters = cluster_order(confusion) if len(confusion) > 2 else ()
    return replace(found, positive=positive if average == "binary" else None, clusters=clusters)


def _can_wait(settings: Settings, rows: WeightedRows | None) -> bool:
    """Whether tables that were not asked for may be computed later: none of them will raise an error then."""
    enough = settings.cell_resamples >= math.ceil(2 / (1 - settings.level))
    known = settings.interval in PROPORTION_INTERVALS and settings.bootstrap in CELLS_METHODS
    return settings.measures is not None and rows is None and enough and known


def _wanted_rates(confusion: Confusion, positive: Label, settings: Settings) -> dict[str, Estimate]:
    """Return the rates of the positive class that were asked for."""
    chosen = [rate for rate in settings.chosen_rates() if settings.wants(str(rate))] if settings.wants_decisions else []
    if not chosen:
        return {}
    cells, how = confusion.cells(positive), settings.of_rates()
    (found,) = rate_estimates(chosen, cells, weighted=confusion.weighted, **how)
    return dict(_zero_divided(found, settings))


def _of_all_classes(
    confusion: Confusion, settings: Settings, rows: WeightedRows | None
) -> tuple[dict[str, Estimate], dict[str, Mapping[str, Estimate]]]:
    """Return measures of the whole matrix, and averages of rates over classes."""
    correct = _correct(confusion, settings, rows)
    whole, averages = _over_classes(confusion, settings, rows, correct["ACC"])
    return correct | whole, averages


def _by_class(
    confusion: Confusion, settings: Settings, rows: WeightedRows | None
) -> dict[Label, Mapping[str, Estimate]]:
    chosen, how = settings.chosen_rates(), settings.of_rates()
    if rows is None:
        tables = rate_estimates(chosen, confusion.all_cells(), weighted=confusion.weighted, **how)
    else:
        truth, predicted = np.divmod(np.asarray(rows[0]), len(confusion))
        tables = []
        for at, label in enumerate(confusion.labels):
            cells = 2 * (predicted != at) + (truth != at)  # of each item: 0 TP, 1 FP, 2 FN, 3 TN
            tables += rate_estimates(chosen, confusion.cells(label), rows=(cells, rows[1]), **how)
    return {label: _zero_divided(table, settings) for label, table in zip(confusion.labels, tables, strict=True)}


def _zero_divided(table: Mapping[str, Estimate], settings: Settings) -> Mapping[str, Estimate]:
    """Replace 0 / 0 by `zero_division`, where it was given."""
    if math.isnan(settings.zero_division):
        return table
    return {
        name: Estimate(settings.zero_division, remark="0 / 0, set by zero_division") if math.isnan(e.value) else e
        for name, e in table.items()
    }


def _correct(confusion: Confusion, settings: Settings, rows: WeightedRows | None) -> dict[str, Estimate]:
    """Return accuracy and error rate over all classes."""
    correct, total = np.trace(confusion.counts), confusion.total
    if rows is not None:  # TP holds correct and FP wrong predictions
        truth, predicted = np.divmod(np.asarray(rows[0]), len(confusion))
        rows = (truth != predicted).astype(np.int64), rows[1]
    chosen, cells = [RATES["ACC"], RATES["ERR"]], Cells(correct, total - correct, 0, 0)
    (found,) = rate_estimates(chosen, cells, weighted=confusion.weighted, rows=rows, **settings.of_rates())
    return found


def _balanced_accuracy(counts: FloatArray) -> FloatArray:
    return averaged(RATES["TPR"], counts, "macro")


Statistic = Callable[..., FloatArray]
OF_THE_MATRIX: Mapping[str, Statistic] = {"MCC": matthews, "kappa": kappa, "BA": _balanced_accuracy}
"""Measures of the whole matrix."""


def _over_classes(
    confusion: Confusion, settings: Settings, rows: WeightedRows | None, accuracy: Estimate
) -> tuple[dict[str, Estimate], dict[str, Mapping[str, Estimate]]]:
    """Return measures of the whole matrix, and averages of rates over classes, all from the same resamples."""
    # A ratio that is infinite for one class has no finite mean over the classes.
    chosen = [rate for rate in settings.chosen_rates() if rate.interval != "ratio"]
    names: tuple[Average, ...] = get_args(Average)
    wanted = [(average, rate) for average in names for rate in chosen]

    def all_of_them(counts: FloatArray) -> FloatArray:
        cells, support = one_versus_rest(counts), counts.sum(axis=-1)
        values = [statistic(counts) for statistic in OF_THE_MATRIX.values()]
        values += [averaged_cells(rate, cells, support, a, zero_division=settings.zero_division) for a, rate in wanted]
        return np.stack(values, axis=-1)

    drawn = [_with_accuracy(each, accuracy) for each in _drawn(confusion, all_of_them, settings, rows)]
    averages: dict[str, dict[str, Estimate]] = {average: {} for average in names}
    for (average, rate), estimate in zip(wanted, drawn[len(OF_THE_MATRIX) :], strict=True):
        averages[average][str(rate)] = estimate
    return dict(zip(OF_THE_MATRIX, drawn, strict=False)), dict(averages)


def of_whole_matrix(name: str) -> Statistic:
    """Return a measure of the whole matrix with its parameters, as a function of a stack of matrices.

    >>> of_whole_matrix("kappa(weights=linear)")(np.asarray([[[3, 1], [0, 2]], [[2, 0], [0, 2]]])).round(4).tolist()
    [0.6667, 1.0]
    """
    chosen = chosen_measure(name)
    if chosen.name in OF_THE_MATRIX:
        return partial(OF_THE_MATRIX[chosen.name], **dict(chosen.rest))

    def one_by_one(counts: FloatArray) -> FloatArray:
        labels = tuple(range(counts.shape[-1]))
        flat = counts.reshape(-1, len(labels), len(labels))
        values = [chosen(Confusion(labels, each, int(each.sum()), True)) for each in flat]
        return np.reshape(values, counts.shape[:-2])

    return one_by_one


def _asked_of_matrix(confusion: Confusion, rows: WeightedRows | None, settings: Settings) -> dict[str, Estimate]:
    """Return the measures of the whole matrix that were asked for with parameters."""
    names = settings.extra("matrix", ())
    if not names:
        return {}
    each = [of_whole_matrix(name) for name in names]

    def all_of_them(counts: FloatArray) -> FloatArray:
        return np.stack([statistic(counts) for statistic in each], axis=-1)

    found = dict(zip(names, _drawn(confusion, all_of_them, settings, rows), strict=True))
    return {name: _with_order(name, estimate, confusion.labels) for name, estimate in found.items()}


def _with_order(name: str, estimate: Estimate, labels: Sequence[Label]) -> Estimate:
    """Add the order of the classes to the remark, where the distance of two classes counts."""
    if chosen_measure(name).settings.get("weights") is None or len(labels) < 3:
        return estimate
    order = ", ".join(map(str, labels[:SHOWN_LABELS])) + ", …" * (len(labels) > SHOWN_LABELS)
    return replace(estimate, remark="; ".join(filter(None, [f"order of classes: {order}", estimate.remark])))


def _with_accuracy(found: Estimate, accuracy: Estimate) -> Estimate:
    """Add the interval of the accuracy to the remark, where every resample gives the same value."""
    if found.method != "degenerate" or not accuracy.has_interval:
        return found
    return replace(found, remark=f"{found.remark}; ACC [{accuracy.low:.3g}, {accuracy.high:.3g}]")


def _drawn(
    confusion: Confusion, statistics: Statistic, settings: Settings, rows: WeightedRows | None
) -> list[Estimate]:
    """Return statistics of the whole matrix (… × m), all from the same resamples."""
    if len(confusion) > MANY_CLASSES:
        values = statistics(confusion.counts.astype(np.float64)[None])[0]
        remark = f"no interval above {MANY_CLASSES} classes"
        return [Estimate(float(value), remark=remark) for value in values]
    return matrix_interval(statistics, confusion, method=settings.bootstrap, rows=rows, **settings.of_cells())


def _cost(cells: Cells, settings: Settings, *, weighted: bool) -> dict[str, Estimate]:
    """Return the expected cost of an item, if costs were given, with those of the two constant decisions."""
    if settings.cost_fp is None and settings.cost_fn is None:
        return {}
    share = settings.prevalence if settings.prevalence is not None else (cells.TP + cells.FN) / sum(cells)
    cost_fp, cost_fn = (1.0 if cost is None else cost for cost in (settings.cost_fp, settings.cost_fn))
    chosen = RATES["cost"].choose(cost_fp=cost_fp, cost_fn=cost_fn, prevalence=share)
    (found,) = rate_estimates([chosen], cells, weighted=weighted, **settings.of_rates())
    remark = (
        f"FP costs {cost_fp:g}, FN {cost_fn:g}, prevalence {share:.4g}; "
        f"always no: {cost_fn * share:.4g}, always yes: {cost_fp * (1 - share):.4g}"
    )
    return {"cost": replace(found[str(chosen)], remark=remark)}
