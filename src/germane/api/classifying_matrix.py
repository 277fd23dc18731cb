"""What a confusion matrix says: every rate of each class, averages over classes, what holds over everything."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np

from germane.errors import GermaneError, did_you_mean
from germane.measures.agreement import kappa
from germane.measures.deciding.confusion_order import cluster_order
from germane.measures.deciding.matrix import AVERAGES, Average, averaged, averaged_cells, matthews
from germane.measures.deciding.names import canonical_name, split_names
from germane.measures.deciding.rates import ChosenRate, rate_of, reported_rates
from germane.stats.cell_intervals import WeightedRows, matrix_interval
from germane.stats.proportions import require_level
from germane.stats.rate_intervals import rate_estimates
from germane.tables.confusion import Cells, Confusion, Label, one_versus_rest
from germane.tables.ids import FloatArray
from germane.tables.performance import Estimate, Performance

MANY_CLASSES = 100
"""Above so many classes, averages over them get no interval: each resample would be a matrix of ten thousand cells."""

OTHER_WORDS = {
    "truth": "the true labels go first; a file or frame, of which columns are named: ge.classify_data",
    "positive": "with arrays it is called pos_label, as in scikit-learn",
    "weights": "with arrays they are called sample_weight, as in scikit-learn",
    "weight": "with arrays they are called sample_weight, as in scikit-learn",
    "score": "with arrays they are called y_score",
    "predicted": "with arrays they are called y_pred",
}
"""What the command line, or a habit, calls the arguments of `classify`; none of these is a setting."""


@dataclass(frozen=True)
class Settings:
    """How intervals are made and what is projected; one object, so that every part does the same.

    `interval` is that of proportions; `bootstrap` that of F, MCC, kappa and averages, which draws the cells again,
    within each true class if `stratified`; `auc_scale` is the scale of DeLong's. Without `resamples`, 2,000 are taken,
    and fewer for measures of many scores. `zero_division` is what 0 / 0 counts as. `measures` are those that stand
    among the ones over everything.
    """

    level: float = 0.95
    interval: Literal["wilson", "clopper-pearson"] = "wilson"
    bootstrap: Literal["bca", "percentile"] = "bca"
    stratified: bool = False
    auc_scale: Literal["logit", "plain"] = "logit"
    resamples: int | None = None
    seed: int = 0
    zero_division: float = math.nan
    prevalence: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None
    measures: tuple[str, ...] | None = None

    def wants(self, name: str) -> bool:
        """Whether a measure is asked for, by its name in results; all are if none is named."""
        return self.measures is None or name in self.measures

    @classmethod
    def of(cls, **how: Any) -> Settings:
        """Settings from keywords; a wrong one is named."""
        known = [each.name for each in fields(cls)]
        for name in how:
            if name in OTHER_WORDS:
                raise GermaneError(f"no option is called {name!r}", hint=OTHER_WORDS[name])
            if name not in known:
                raise GermaneError(f"no option is called {name!r}{did_you_mean(name, known)}", hint=", ".join(known))
        if how.get("measures") is not None:
            names = how["measures"]
            how["measures"] = tuple(map(canonical_name, split_names(names) if isinstance(names, str) else names))
        settings = cls(**how)
        require_level(settings.level)
        if settings.resamples is not None and settings.resamples < 1:
            raise GermaneError(f"expected resamples of 1 or more, found {settings.resamples}")
        shares = {"zero_division": settings.zero_division, "prevalence": settings.prevalence}
        costs = {"cost_fp": settings.cost_fp, "cost_fn": settings.cost_fn}
        for name, value in {**shares, **costs}.items():
            if value is not None and not isinstance(value, int | float | np.number):
                raise GermaneError(f"expected a number as {name}, found {value!r}")
            if value is not None and (value < 0 or (name in shares and value > 1)):
                raise GermaneError(f"expected {name} between 0 and {'1' if name in shares else '∞'}, found {value:g}")
        return settings

    @property
    def cell_resamples(self) -> int:
        """How often the cells of a matrix are drawn: it costs little."""
        return self.resamples or 2000

    def of_rates(self) -> dict[str, Any]:
        """What `rate_estimates` wants to know."""
        return {
            "level": self.level,
            "proportion": self.interval,
            "cells_method": self.bootstrap,
            "stratified": self.stratified,
            "resamples": self.cell_resamples,
            "seed": self.seed,
        }

    def chosen_rates(self) -> list[ChosenRate]:
        """The rates that every report has, and those that somebody asked for by giving a prevalence or costs."""
        rates = reported_rates()
        if self.prevalence is not None:
            rates += [ChosenRate(rate_of(name), {"prevalence": self.prevalence}) for name in ("PPV_at", "NPV_at")]
        return rates


def matrix_performance(
    confusion: Confusion,
    rows: WeightedRows | None,
    positive: Label | None,
    settings: Settings,
    *,
    average: str | None = None,
    name: str,
) -> Performance:
    """All that follows from a matrix; where weights are not whole, `rows` hold the cell and the weight of each item."""
    if not confusion.total:
        raise GermaneError("expected items in the confusion matrix, found none")
    if average == "binary" and positive is None:
        raise GermaneError("the average 'binary' needs a positive class", hint="name it, or take the average 'macro'")
    if average not in (None, "binary", *AVERAGES):
        raise GermaneError(f"no average is called {average!r}", hint=f"there are: binary, {', '.join(AVERAGES)}")
    if average is None:
        average = "binary" if positive is not None else None
    if average != "binary" and not settings.cost_fp is settings.cost_fn is None:
        raise GermaneError("costs are those of errors about a positive class", hint="name it, or leave the costs out")
    by_class = _by_class(confusion, settings, rows)
    correct = _correct(confusion, settings, rows)
    whole, averages = _over_classes(confusion, settings, rows, correct["ACC"])
    if average == "binary" and positive is not None:
        overall = dict(by_class[positive]) | _cost(confusion.cells(positive), settings, weighted=confusion.weighted)
    else:
        overall = correct | whole
        overall |= {n: e for n, e in averages.get(average or "", {}).items() if n not in overall}
    return Performance(
        name,
        "classes",
        confusion.num_rows,
        overall,
        by_class,
        averages,
        confusion,
        positive=positive if average == "binary" else None,
        clusters=cluster_order(confusion) if len(confusion) > 2 else (),
        level=settings.level,
        seed=settings.seed,
        resamples=settings.cell_resamples,
    )


def _by_class(
    confusion: Confusion, settings: Settings, rows: WeightedRows | None
) -> dict[Label, Mapping[str, Estimate]]:
    chosen = settings.chosen_rates()
    if rows is None:
        tables = rate_estimates(chosen, confusion.all_cells(), weighted=confusion.weighted, **settings.of_rates())
    else:
        tables = [
            rate_estimates(
                chosen, confusion.cells(label), rows=_cells_of_rows(confusion, at, rows), **settings.of_rates()
            )[0]
            for at, label in enumerate(confusion.labels)
        ]
    return {label: _zero_divided(table, settings) for label, table in zip(confusion.labels, tables, strict=True)}


def _cells_of_rows(confusion: Confusion, at: int, rows: WeightedRows) -> WeightedRows:
    """For one class against the rest, the cell of each item: 0 TP, 1 FP, 2 FN, 3 TN."""
    truth, predicted = np.divmod(np.asarray(rows[0]), len(confusion))
    return 2 * (predicted != at) + (truth != at), rows[1]


def _right_or_wrong(confusion: Confusion, rows: WeightedRows) -> WeightedRows:
    """The cell of each item where TP holds what is right and FP what is wrong."""
    truth, predicted = np.divmod(np.asarray(rows[0]), len(confusion))
    return (truth != predicted).astype(np.int64), rows[1]


def _zero_divided(table: Mapping[str, Estimate], settings: Settings) -> Mapping[str, Estimate]:
    """What 0 / 0 is taken for, where somebody said so."""
    if math.isnan(settings.zero_division):
        return table
    return {
        name: Estimate(settings.zero_division, remark="0 / 0, taken for this") if math.isnan(e.value) else e
        for name, e in table.items()
    }


def _correct(confusion: Confusion, settings: Settings, rows: WeightedRows | None) -> dict[str, Estimate]:
    """The share of what is right, and of what is wrong, over all classes."""
    correct, total = np.trace(confusion.counts), confusion.total
    (found,) = rate_estimates(
        [ChosenRate(rate_of(name)) for name in ("ACC", "ERR")],
        Cells(correct, total - correct, 0, 0),
        weighted=confusion.weighted,
        rows=None if rows is None else _right_or_wrong(confusion, rows),
        **settings.of_rates(),
    )
    return found


def _balanced_accuracy(counts: FloatArray) -> FloatArray:
    return averaged(ChosenRate(rate_of("TPR")), counts, "macro")


OF_THE_MATRIX: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "MCC": matthews,
    "kappa": kappa,
    "BA": _balanced_accuracy,
}
"""Measures of several classes at once."""


def _over_classes(
    confusion: Confusion, settings: Settings, rows: WeightedRows | None, accuracy: Estimate
) -> tuple[dict[str, Estimate], dict[str, Mapping[str, Estimate]]]:
    """Agreement measures of the whole matrix, and averages of the rates of its classes, all from the same draws."""
    # A ratio that is infinite for one class has no mean over the classes.
    chosen = [rate for rate in settings.chosen_rates() if rate.rate.interval != "ratio"]
    names: tuple[Average, ...] = get_args(Average)
    wanted = [(average, rate) for average in names for rate in chosen]

    def all_of_them(counts: FloatArray) -> FloatArray:
        cells, support = one_versus_rest(counts), counts.sum(axis=-1)
        values = [statistic(counts) for statistic in OF_THE_MATRIX.values()]
        values += [averaged_cells(rate, cells, support, a, zero_division=settings.zero_division) for a, rate in wanted]
        return np.stack(values, axis=-1)

    drawn = [_with_accuracy(each, accuracy) for each in _drawn(confusion, all_of_them, settings, rows)]
    table: dict[str, dict[str, Estimate]] = {average: {} for average in names}
    for (average, rate), estimate in zip(wanted, drawn[len(OF_THE_MATRIX) :], strict=True):
        table[average][str(rate)] = estimate
    return dict(zip(OF_THE_MATRIX, drawn, strict=False)), dict(table)


def _with_accuracy(found: Estimate, accuracy: Estimate) -> Estimate:
    """Where every resample gives the same: the interval of the proportion that lies beneath."""
    if found.method != "degenerate" or not accuracy.has_interval:
        return found
    return replace(found, remark=f"{found.remark}; ACC [{accuracy.low:.3g}, {accuracy.high:.3g}]")


def _drawn(
    confusion: Confusion, statistics: Callable[[FloatArray], FloatArray], settings: Settings, rows: WeightedRows | None
) -> list[Estimate]:
    """Statistics of the whole matrix (… × m), all from the same draws."""
    if len(confusion) > MANY_CLASSES:
        values = statistics(confusion.counts.astype(np.float64)[None])[0]
        remark = f"no interval above {MANY_CLASSES} classes"
        return [Estimate(float(value), remark=remark) for value in values]
    return matrix_interval(
        statistics,
        confusion,
        method=settings.bootstrap,
        stratified=settings.stratified,
        rows=rows,
        level=settings.level,
        resamples=settings.cell_resamples,
        seed=settings.seed,
    )


def _cost(cells: Cells, settings: Settings, *, weighted: bool) -> dict[str, Estimate]:
    """The expected cost of an item, if somebody said what errors cost; beside it what deciding blindly would cost."""
    if settings.cost_fp is None and settings.cost_fn is None:
        return {}
    share = settings.prevalence if settings.prevalence is not None else (cells.TP + cells.FN) / sum(cells)
    cost_fp, cost_fn = (1.0 if cost is None else cost for cost in (settings.cost_fp, settings.cost_fn))
    chosen = ChosenRate(rate_of("cost"), {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": share})
    (found,) = rate_estimates([chosen], cells, weighted=weighted, **settings.of_rates())
    remark = (
        f"FP costs {cost_fp:g}, FN {cost_fn:g}, prevalence {share:.4g}; "
        f"always no: {cost_fn * share:.4g}, always yes: {cost_fp * (1 - share):.4g}"
    )
    return {"cost": replace(found[str(chosen)], remark=remark)}
