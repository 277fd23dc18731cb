"""Quality of a table of probabilities: areas by class and averaged, top-k accuracy, calibration, losses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from germane.api.decisions.scores import greatest_loss, loss_estimate, why_no_interval
from germane.api.decisions.settings import Settings
from germane.measures.decisions.names import base_name
from germane.measures.decisions.rates import RATES
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.calibration import bin_sums, calibration_values
from germane.measures.decisions.scores.many_classes import in_top, top_label_calibration_error
from germane.measures.decisions.scores.probabilities import ProbabilityTable, brier
from germane.measures.decisions.scores.ranked_columns import RankedColumn, over_columns
from germane.stats.intervals.delong import auc_estimate
from germane.stats.intervals.many_classes import AVERAGED, ap_estimate, area_estimate, influences
from germane.stats.intervals.rates import rate_estimates
from germane.stats.intervals.scores import score_estimates
from germane.tables.decisions.confusion import Cells, Label
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.deferred import Deferred
from germane.tables.results.performance import Estimate, Performance

TOP_K = (2, 5)
"""Top-k accuracies of every report, if there are more classes than k."""
SUMMED = (
    *("miscalibration", "discrimination", "uncertainty"),
    *("miscalibration(binned)", "discrimination(binned)", "within(binned)"),
)
"""Components of the Brier score, which add up over the classes."""
BINS, ADDED = "15 bins of equal mass", "each class against the rest, added up"
MEAN = "mean of the values of the classes; no interval"
REMARKS = {
    "miscalibration": f"isotonic; {ADDED}",
    "miscalibration(binned)": f"{BINS}; {ADDED}",
    "top_label_ECE": f"{BINS}; biased upwards for few items",
    "classwise_ECE": f"{BINS}; biased upwards for few items",
}
OF_THE_TABLE = ("log_loss", "Brier", *SUMMED, "top_label_ECE", "classwise_ECE")
"""Measures of the whole table in every report, besides top-k accuracies."""
Estimates = dict[str, Estimate]


class TableMeasures(NamedTuple):
    """Measures of a table: overall, of each class against the rest, and averaged over classes."""

    overall: Estimates
    by_class: dict[Label, Estimates]
    averages: dict[str, Estimates]


def table_measures(table: ProbabilityTable, labels: Sequence[Label], settings: Settings) -> TableMeasures:
    """Return the measures of probabilities for several classes: those asked for, else those of every report."""
    columns = over_columns(table, partial(_of_column, settings=settings))
    by_class = [estimates for estimates, _ in columns]
    averages = _averages(table, by_class, settings)
    overall = _overall(table, [values for _, values in columns], settings)
    overall |= {name: e for name, e in averages.get(settings.average or "", {}).items() if name not in overall}
    return TableMeasures(overall, dict(zip(labels, by_class, strict=True)), averages)


def with_table(found: Performance, measures: TableMeasures) -> Performance:
    """Add the measures of a table of probabilities to those of its decisions."""
    overall = {**found.overall, **measures.overall}
    by_class, averages = _joined(found.by_class, measures.by_class), _joined(found.averages, measures.averages)
    return replace(found, overall=overall, by_class=by_class, averages=averages)


def _joined(found: Mapping[Any, Mapping[str, Estimate]], more: Mapping[Any, Estimates]) -> Mapping[Any, Any]:
    """Return both tables as one; what is computed on demand still is."""
    names = dict.fromkeys((*found, *more))

    def both() -> dict[Any, Estimates]:
        return {name: {**found.get(name, {}), **more.get(name, {})} for name in names}

    return Deferred(names, both) if isinstance(found, Deferred) else both()


def rounded_note(table: ProbabilityTable) -> list[Note]:
    """Return the note on rows of rounded probabilities that do not sum to 1 exactly."""
    rounded = table.rounded
    if rounded is None:
        return []
    amount = counted(rounded.num_rows, "row")
    gap = f"by at most {rounded.largest:.2g}; probabilities are rounded to {rounded.precision}"
    what = f"not summing to 1 ({gap}); used as they are, not normalised"
    return [Note("rounded-probabilities", amount, what, count=rounded.num_rows)]


def _of_column(ranked: RankedColumn, settings: Settings) -> tuple[Estimates, Mapping[str, float]]:
    """Return the measures of one class against the rest, and the values of its calibration."""
    decisions, found = ranked.decisions, Estimates()
    if settings.wants("AUC"):
        found["AUC"] = auc_estimate(decisions, level=settings.level, scale=settings.auc_scale)
    if settings.wants("AP"):
        found["AP"] = ap_estimate(decisions, level=settings.level, scale=settings.auc_scale)
    values: Mapping[str, float] = {}
    if any(map(settings.wants, (*SUMMED, "ECE", "classwise_ECE"))):
        values = calibration_values(brier(decisions), bin_sums(decisions), decisions)
    if settings.wants("ECE"):
        found["ECE"] = Estimate(values["ECE"], remark=REMARKS["classwise_ECE"])
    resampled = {}
    for name in _of_classes(settings):
        if why := why_no_interval(name):
            found[name] = Estimate(chosen_measure(name)(decisions), remark=why)
        else:
            resampled[name] = chosen_measure(name)
    how: dict[str, Any] = {"level": settings.level, "resamples": settings.resamples, "seed": settings.seed}
    return found | score_estimates(resampled, decisions, **how), values


def _of_classes(settings: Settings) -> list[str]:
    """Return the measures of one class against the rest that were asked for beyond the usual ones."""
    of_probabilities = settings.extra("probabilities", ("ECE", *OF_THE_TABLE))
    of_classes = [name for name in of_probabilities if base_name(name) not in OF_THE_TABLE]
    return [*settings.extra("scores", ("AUC", "AP")), *of_classes]


def _averages(table: ProbabilityTable, by_class: Sequence[Estimates], settings: Settings) -> dict[str, Estimates]:
    """Return areas averaged over classes with their intervals, and means of other measures of the classes."""
    averages: dict[str, Estimates] = {}
    groups = {request.group for request in settings.requests}
    wanted = [key for key in AVERAGED if settings.wants(key[0]) or key[1] in groups]
    for (measure, average), found in influences(table, wanted).items():
        how: dict[str, Any] = {"level": settings.level, "scale": settings.auc_scale, "weighted": table.weighted}
        averages.setdefault(average, {})[measure] = area_estimate(found, measure, average, **how)
    for name in by_class[0]:
        if name not in ("AUC", "AP"):
            values = np.asarray([estimates[name].value for estimates in by_class])
            for average, weights in (("macro", np.ones(len(values))), ("weighted", table.sizes)):
                averages.setdefault(average, {})[name] = Estimate(_mean(values, weights), remark=MEAN)
    omitted = int((table.sizes == 0).sum())
    if omitted:
        remark = f"{omitted} class{'es' * (omitted > 1)} without items omitted"
        for average, estimates in averages.items():
            if average != "micro":
                averages[average] = {
                    name: replace(e, remark="; ".join(filter(None, [e.remark, remark])))
                    for name, e in estimates.items()
                }
    return averages


def _mean(values: Any, weights: Any) -> float:
    """Return the weighted mean of the values of classes; those that are undefined are omitted."""
    there = ~np.isnan(values) & (weights > 0)
    return float(np.average(values[there], weights=weights[there])) if there.any() else math.nan


def _overall(table: ProbabilityTable, by_class: Sequence[Mapping[str, float]], settings: Settings) -> Estimates:
    """Return the measures of the whole table; `by_class` are values of the calibration of each class."""
    found = Estimates()
    usual = [f"top_k_accuracy(k={k})" for k in TOP_K if k < table.num_classes] if settings.measures is None else []
    asked = [*settings.extra("probability table", OF_THE_TABLE), *settings.extra("probabilities", OF_THE_TABLE)]
    for name in dict.fromkeys((*usual, *asked)):
        if base_name(name) in (*OF_THE_TABLE, "top_k_accuracy"):
            found[name] = _of_table(table, name, settings)
    if settings.wants("log_loss"):
        found["log_loss"] = loss_estimate(table.log_losses(), table.counts, settings.level, math.inf)
    if settings.wants("Brier"):
        # The Brier score of a probability for each class is at most 2.
        found["Brier"] = loss_estimate(table.brier_losses(), table.counts, settings.level, 2.0)
    for name in filter(settings.wants, SUMMED):
        found[name] = Estimate(math.fsum(values[name] for values in by_class))
    if settings.wants("top_label_ECE"):
        found["top_label_ECE"] = Estimate(top_label_calibration_error(table))
    if settings.wants("classwise_ECE"):
        found["classwise_ECE"] = Estimate(math.fsum(values["ECE"] for values in by_class) / len(by_class))
    return {name: replace(e, remark=e.remark or REMARKS.get(name, "")) for name, e in found.items()}


def _of_table(table: ProbabilityTable, name: str, settings: Settings) -> Estimate:
    """Return a measure of the whole table with its parameters."""
    chosen = chosen_measure(name)
    if chosen.name == "top_k_accuracy":
        return _top_k(table, int(chosen.settings["k"]), settings)
    if chosen.name == "log_loss":
        clip = chosen.settings["clip"]
        return loss_estimate(table.log_losses(clip), table.counts, settings.level, greatest_loss(clip))
    return Estimate(chosen(table), remark=why_no_interval(name))


def _top_k(table: ProbabilityTable, k: int, settings: Settings) -> Estimate:
    """Return a top-k accuracy, which is a proportion, with the interval of one."""
    right = in_top(table, k)
    correct, total = table.counts[right].sum(), table.counts.sum()
    rows = ((~right).astype(np.int64), table.counts) if table.weighted else None
    cells = Cells(correct, total - correct, 0, 0)
    (found,) = rate_estimates([RATES["ACC"]], cells, weighted=table.weighted, rows=rows, **settings.of_rates())
    return found["ACC"]
