"""The interval method for each rate of four cells: Wilson, Newcombe, log scale, bootstrap, Mercaldo, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from germane.errors import GermaneError
from germane.measures.decisions.rates import RATES, Rate
from germane.stats.intervals.cell_bootstrap import CellsMethod, Draws
from germane.stats.intervals.cells import WeightedRows, cell_intervals, empty_cells, row_intervals
from germane.stats.intervals.proportions import (
    PROPORTION_INTERVALS,
    Ends,
    RatioInterval,
    exact_odds_ratio,
    log_odds_ratio,
    log_ratio,
    mercaldo,
    mover_ratio,
    newcombe_difference,
    weighted_sum,
)
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells
from germane.tables.results.performance import Estimate

UNITS = Cells(*np.eye(4))
"""Four confusion matrices with one item each."""


class Difference(NamedTuple):
    """A rate of the form offset + scale · (first − second), for two independent proportions given to `_part`."""

    first: tuple[str, str]
    second: tuple[str, str]
    offset: float
    scale: float


def _part(cells: Cells, counted: str, other: str) -> tuple[Any, Any]:
    """Return the count of one cell, and the sum of it and another."""
    return getattr(cells, counted), getattr(cells, counted) + getattr(cells, other)


DIFFERENCES = {
    "informedness": Difference(("TP", "FN"), ("FP", "TN"), 0, 1),  # TPR − FPR
    "markedness": Difference(("TP", "FP"), ("FN", "TN"), 0, 1),  # PPV − FOR
    "BA": Difference(("TP", "FN"), ("FP", "TN"), 0.5, 0.5),  # (1 + TPR − FPR) / 2
    "HTER": Difference(("TP", "FN"), ("FP", "TN"), 0.5, -0.5),  # (1 − TPR + FPR) / 2
}
RATIOS: dict[str, Callable[[Cells, float], RatioInterval]] = {
    "LR+": lambda c, level: log_ratio(_part(c, "TP", "FN"), _part(c, "FP", "TN"), level),
    "LR-": lambda c, level: log_ratio(_part(c, "FN", "TP"), _part(c, "TN", "FP"), level),
    "DOR": log_odds_ratio,
}
PROJECTED: dict[str, Literal["PPV", "NPV"]] = {"PPV_at": "PPV", "NPV_at": "NPV"}


def _with_reference(text: str, function: Callable[..., object]) -> str:
    return f"{text}: {(function.__doc__ or '').partition('Reference:')[2].splitlines()[0].strip()}"


RATE_METHODS = {
    "newcombe": _with_reference(
        "Newcombe's interval of a difference of two proportions, from the Wilson limits of each", newcombe_difference
    ),
    "mover": _with_reference(
        "MOVER, for a weighted sum of two proportions, from the Wilson limits of each", weighted_sum
    ),
    "mover-r": _with_reference(
        "MOVER-R, for a ratio of two proportions with an empty cell, from the Wilson limits of each", mover_ratio
    ),
    "log": "Symmetric on the log scale of a ratio; if a cell is empty, `mover-r` or `exact` is used instead.",
    "exact": _with_reference("Inverted Fisher's exact test, for an odds ratio with an empty cell", exact_odds_ratio),
    "mercaldo": _with_reference(
        "Symmetric on the logit scale of a predictive value, at a prevalence that is treated as known", mercaldo
    ),
    "degenerate": "No interval: every resample gives the same value, so the spread is unknown (see the remark).",
    "none": "No interval.",
}
"""Descriptions of the methods of this module; those of proportions and of the bootstrap are listed elsewhere."""


def rate_estimates(
    chosen: Sequence[Rate],
    cells: Cells,
    *,
    proportion: str = "wilson",
    cells_method: CellsMethod = "bca",
    stratified: bool = False,
    weighted: bool = False,
    rows: WeightedRows | None = None,
    **draws: Unpack[Draws],
) -> list[dict[str, Estimate]]:
    """Return rates by name, each with its appropriate interval, for each entry of the cells (one per class).

    `weighted` means that the cells are sums of weights that are not integers: then items are resampled from `rows`
    (the cell of each, 0 TP, 1 FP, 2 FN, 3 TN, and its weight), or there is no interval. Rates that require a bootstrap
    share their resamples.

    >>> (found,) = rate_estimates([RATES["TPR"], RATES.parse("F1")], Cells(20, 180, 10, 1820))
    >>> round(found["TPR"].value, 4), round(found["TPR"].low, 4), round(found["TPR"].high, 4), found["TPR"].method
    (0.6667, 0.4878, 0.8077, 'wilson')
    >>> rate_estimates([RATES.parse("F1")], Cells(10, 0, 0, 5))[0]["F1"].remark
    'FP and FN are 0, so every resample gives 1; TPR [0.722, 1], PPV [0.722, 1]'
    """
    level = draws.get("level", 0.95)
    draws["method"] = cells_method
    each_class = Cells(*np.broadcast_arrays(*(np.atleast_1d(column) for column in cells)))
    columns = {str(rate): rate(each_class) for rate in chosen}
    num = len(each_class.TP)
    if rows is not None and num > 1:
        raise GermaneError(f"rows require a single set of cells, found {num}", hint="call it once per class")
    if rows is not None:
        return [dict(zip(columns, row_intervals(chosen, *rows, **draws), strict=True))]
    if weighted or any((np.asarray(column) != np.rint(column)).any() for column in cells):
        remark = "weights are not integers"
        return [
            {name: Estimate(values[at].item(), remark=remark) for name, values in columns.items()} for at in range(num)
        ]
    estimates = {
        str(rate): _closed_form(rate, each_class, columns[str(rate)], proportion, level)
        for rate in chosen
        if rate.interval != "cells"
    }
    drawn = [rate for rate in chosen if rate.interval == "cells"]
    table: list[dict[str, Estimate]] = []
    for at in range(num):
        of_class = Cells(*(column[at].item() for column in each_class))
        found = cell_intervals(drawn, of_class, stratified=stratified, **draws) if drawn else []
        by_draws = {
            str(rate): _with_underlying(rate, each, of_class, proportion, level)
            for rate, each in zip(drawn, found, strict=True)
        }
        table.append({name: by_draws[name] if name in by_draws else estimates[name][at] for name in columns})
    return table


def proportion_of(rate: Rate) -> tuple[Callable[[Cells], FloatArray], Callable[[Cells], FloatArray]]:
    """Return the numerator and denominator of a proportion, derived from its formula.

    >>> counted, among = proportion_of(RATES["ACC"])
    >>> counted(Cells(1, 2, 3, 4)).item(), among(Cells(1, 2, 3, 4)).item()
    (5.0, 10.0)
    """
    parts = rate.expression.ratio
    if parts is None:
        raise GermaneError(f"{rate.name} is not a proportion: {rate.formula}")

    def count(cells: Cells) -> FloatArray:
        return parts[0](**cells._asdict())

    def total(cells: Cells) -> FloatArray:
        return parts[1](**cells._asdict())

    counted, among = count(UNITS), total(UNITS)
    known = Cells(*np.asarray([1.0, 3.0, 9.0, 27.0]))
    linear = count(known) == counted @ known and total(known) == among @ known
    if not (linear and np.isin([counted, among], [0, 1]).all() and (counted <= among).all()):
        raise GermaneError(f"{rate.name} is not a proportion of counts: {rate.formula}")
    return count, total


def _closed_form(rate: Rate, cells: Cells, values: FloatArray, proportion: str, level: float) -> list[Estimate]:
    """Return the estimates of one rate, one for each entry of the cells."""
    if rate.interval == "proportion":
        counted, among = proportion_of(rate)
        return _estimates(values, PROPORTION_INTERVALS[proportion](counted(cells), among(cells), level), proportion)
    if rate.interval == "two proportions":
        by = DIFFERENCES[rate.name]
        apart = newcombe_difference(_part(cells, *by.first), _part(cells, *by.second), level)
        ends = [by.offset + by.scale * end for end in apart]
        return _estimates(values, (np.minimum(*ends), np.maximum(*ends)), "newcombe")
    if rate.interval == "cost":
        given = rate.filled()
        costs = given["cost_fn"] * given["prevalence"], given["cost_fp"] * (1 - given["prevalence"])
        missed, alarmed = _part(cells, "FN", "TP"), _part(cells, "FP", "TN")
        return _estimates(values, weighted_sum(missed, alarmed, costs, level), "mover")
    if rate.interval == "ratio":
        found, method = RATIOS[rate.name](cells, level), "log"
    else:
        found, method = mercaldo(cells, rate.filled()["prevalence"], PROJECTED[rate.name], level), "mercaldo"
    instead = "exact" if rate.name == "DOR" else "mover-r"
    plain = _estimates(values, (found.low, found.high), method)
    return [
        replace(each, method=instead, remark=f"{empty_cells(Cells(*of_class))}") if empty else each
        for each, empty, of_class in zip(plain, found.empty.tolist(), zip(*cells, strict=True), strict=True)
    ]


def _estimates(values: FloatArray, ends: Ends, method: str) -> list[Estimate]:
    return [
        Estimate(value, remark="undefined for these counts") if np.isnan(value) else Estimate(value, low, high, method)
        for value, low, high in zip(values.tolist(), *(end.tolist() for end in ends), strict=True)
    ]


def _with_underlying(chosen: Rate, found: Estimate, cells: Cells, proportion: str, level: float) -> Estimate:
    """For a degenerate bootstrap, add the intervals of the underlying proportions to the remark."""
    if found.method != "degenerate":
        return found
    remarks = []
    for name in ("TPR", "TNR", "PPV", "NPV"):
        rate = RATES[name]
        if set(rate.expression.names) <= set(chosen.expression.names):
            (under,) = _closed_form(rate, Cells(*map(np.atleast_1d, cells)), np.zeros(1), proportion, level)
            if under.has_interval:
                remarks.append(f"{name} [{under.low:.3g}, {under.high:.3g}]")
    return replace(found, remark="; ".join([found.remark, ", ".join(remarks)]))
