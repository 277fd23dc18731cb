"""What a confusion matrix says: every rate of each class, averages over classes, what holds over everything."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError, did_you_mean
from germane.measures.agreement import kappa
from germane.measures.deciding.confusion_order import cluster_order
from germane.measures.deciding.matrix import AVERAGES, averaged, matthews
from germane.measures.deciding.rates import ChosenRate, rate_of, reported_rates
from germane.stats.cell_intervals import WeightedRows, matrix_interval
from germane.stats.rate_intervals import rate_estimates
from germane.tables.confusion import Cells, Confusion, Label
from germane.tables.ids import FloatArray
from germane.tables.performance import Estimate, Performance

MANY_CLASSES = 100
"""Above so many classes, averages over them get no interval: each resample would be a matrix of ten thousand cells."""


@dataclass(frozen=True)
class Settings:
    """How intervals are made and what is projected; one object, so that every part does the same.

    `interval` is that of proportions; `bootstrap` that of F, MCC, kappa and averages, which draws the cells again,
    within each true class if `stratified`; `auc_scale` is the scale of DeLong's. Without `resamples`, 2,000 are taken,
    and fewer for measures of many scores. `zero_division` is what 0 / 0 counts as.
    """

    level: float = 0.95
    interval: Literal["wilson", "clopper-pearson"] = "wilson"
    bootstrap: Literal["bca", "percentile"] = "bca"
    stratified: bool = False
    auc_scale: Literal["plain", "logit"] = "plain"
    resamples: int | None = None
    seed: int = 0
    zero_division: float = math.nan
    prevalence: float | None = None
    cost_fp: float | None = None
    cost_fn: float | None = None

    @classmethod
    def of(cls, **how: Any) -> Settings:
        """Settings from keywords; a wrong one is named."""
        known = [each.name for each in fields(cls)]
        for name in how:
            if name not in known:
                raise GermaneError(f"no option is called {name!r}{did_you_mean(name, known)}", hint=", ".join(known))
        return cls(**how)

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
    positive: Label | None,
    settings: Settings,
    *,
    average: str | None = None,
    rows: WeightedRows | None = None,
    name: str,
) -> Performance:
    """All that follows from a matrix; `rows` hold the cell (truth · K + prediction) and the weight of each item."""
    if not confusion.total:
        raise GermaneError("expected items in the confusion matrix, found none")
    if average == "binary" and positive is None:
        raise GermaneError("average='binary' needs a positive class", hint="give pos_label, or average='macro'")
    if average not in (None, "binary", *AVERAGES):
        raise GermaneError(f"no average is called {average!r}", hint=f"there are: binary, {', '.join(AVERAGES)}")
    by_class = _by_class(confusion, settings, rows)
    if positive is not None and positive not in by_class:
        raise GermaneError(f"the positive label {positive!r} is not among the labels")
    averages = _averages(confusion, settings, rows) if len(confusion) > 2 else {}
    if average is None:
        average = "binary" if positive is not None else None
    if average == "binary" and positive is not None:
        overall = dict(by_class[positive]) | _cost(confusion.cells(positive), settings)
    else:
        overall = _over_everything(confusion, settings, rows)
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
    return 2 * (predicted != at) + ((truth == at) == (predicted != at)), rows[1]


def _zero_divided(table: Mapping[str, Estimate], settings: Settings) -> Mapping[str, Estimate]:
    """What 0 / 0 is taken for, where somebody said so."""
    if math.isnan(settings.zero_division):
        return table
    return {
        name: Estimate(settings.zero_division, remark="0 / 0, taken for this") if math.isnan(e.value) else e
        for name, e in table.items()
    }


def _over_everything(confusion: Confusion, settings: Settings, rows: WeightedRows | None) -> dict[str, Estimate]:
    """Accuracy as a proportion; agreement measures by drawing the cells again."""
    correct, total = np.trace(confusion.counts), confusion.total
    as_cells = Cells(correct, total - correct, 0, 0)
    (found,) = rate_estimates(
        [ChosenRate(rate_of(name)) for name in ("ACC", "ERR")],
        as_cells,
        weighted=confusion.weighted,
        **settings.of_rates(),
    )
    statistics = {"MCC": matthews, "kappa": kappa, "BA": _balanced_accuracy}
    drawn = _drawn(confusion, list(statistics.values()), settings, rows)
    return found | dict(zip(statistics, drawn, strict=True))


def _balanced_accuracy(counts: FloatArray) -> FloatArray:
    return averaged(ChosenRate(rate_of("TPR")), counts, "macro")


def _averages(confusion: Confusion, settings: Settings, rows: WeightedRows | None) -> dict[str, Mapping[str, Estimate]]:
    # A ratio that is infinite for one class has no mean over the classes.
    chosen = [rate for rate in settings.chosen_rates() if rate.rate.interval != "ratio"]
    wanted = [(average, rate) for average in AVERAGES for rate in chosen]

    def statistic(average: Any, rate: ChosenRate) -> Any:
        return lambda counts: averaged(rate, counts, average, zero_division=settings.zero_division)

    drawn = _drawn(confusion, [statistic(*each) for each in wanted], settings, rows)
    table: dict[str, dict[str, Estimate]] = {average: {} for average in AVERAGES}
    for (average, rate), estimate in zip(wanted, drawn, strict=True):
        table[average][str(rate)] = estimate
    return dict(table)


def _drawn(
    confusion: Confusion, statistics: Sequence[Any], settings: Settings, rows: WeightedRows | None
) -> list[Estimate]:
    """Statistics of the whole matrix, all from the same draws."""

    def all_of_them(counts: npt.NDArray[np.float64]) -> FloatArray:
        return np.stack([statistic(counts) for statistic in statistics], axis=-1)

    if len(confusion) > MANY_CLASSES:
        values = all_of_them(confusion.counts.astype(np.float64)[None])[0]
        remark = f"no interval above {MANY_CLASSES} classes"
        return [Estimate(float(value), remark=remark) for value in values]
    return matrix_interval(
        all_of_them,
        confusion,
        method=settings.bootstrap,
        stratified=settings.stratified,
        rows=rows,
        level=settings.level,
        resamples=settings.cell_resamples,
        seed=settings.seed,
    )


def _cost(cells: Cells, settings: Settings) -> dict[str, Estimate]:
    """The expected cost of an item, if somebody said what errors cost."""
    if settings.cost_fp is None and settings.cost_fn is None:
        return {}
    share = settings.prevalence if settings.prevalence is not None else (cells.TP + cells.FN) / sum(cells)
    chosen = ChosenRate(
        rate_of("cost"),
        {
            "cost_fp": 1.0 if settings.cost_fp is None else settings.cost_fp,
            "cost_fn": 1.0 if settings.cost_fn is None else settings.cost_fn,
            "prevalence": share,
        },
    )
    return {
        "cost": Estimate(
            chosen(cells).item(),
            remark=f"at costs {settings.cost_fp or 1:g} (FP) and "
            f"{settings.cost_fn or 1:g} (FN), prevalence {share:.4g}",
        )
    }
