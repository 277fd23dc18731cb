"""The columns that show how a measure of scores comes from the thresholds, one row for each distinct score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from germane.measures.decisions.measure import CONSTRAINED, DecisionMeasure
from germane.measures.decisions.rates import RATES
from germane.measures.decisions.scores.constrained import breakdown
from germane.measures.decisions.scores.detection_error import bits_of
from germane.measures.decisions.scores.gains import gains_curve
from germane.measures.decisions.scores.isotonic import hull_corners, isotonic_fit
from germane.measures.decisions.scores.precision_recall import areas_between, precision_recall_curve
from germane.measures.decisions.scores.probabilities import brier_losses_of, clipped, log_losses_of
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions

Used = Mapping[str, Any]
"""Every parameter of the measure."""


class Breakdown(NamedTuple):
    """Columns beside the counts, the words before the value, and the column that adds up to it (or none)."""

    columns: dict[str, FloatArray]
    line: str
    term: str = ""


def breakdown_of(measure: DecisionMeasure, decisions: Decisions) -> Breakdown | None:
    """Return the breakdown of a measure of scores or probabilities; None if it has none but its formula."""
    made = BREAKDOWNS.get(measure.name)
    return None if made is None else made(decisions, measure.settings)


def _curve(decisions: Decisions) -> tuple[FloatArray, FloatArray]:
    """Return FPR and TPR at every threshold, preceded by the origin."""
    cells = decisions.cells
    return np.append(0.0, RATES["FPR"](cells)), np.append(0.0, RATES["TPR"](cells))


def _area(decisions: Decisions, used: Used) -> Breakdown:
    fpr, tpr = _curve(decisions)
    return Breakdown({"area": np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2}, "sum of the areas", "area")


def _partial_area(decisions: Decisions, used: Used) -> Breakdown:
    m = used["max_fpr"]
    if m == 1:
        return _area(decisions, used)
    fpr, tpr = _curve(decisions)
    step, up = np.diff(fpr), np.diff(tpr)
    inside = np.clip(m - fpr[:-1], 0, step)
    reached = tpr[:-1] + up * np.divide(inside, step, out=np.ones(len(step)), where=step > 0)
    columns = {"area": inside * (tpr[:-1] + reached) / 2}
    if used["scale"] == "raw":
        return Breakdown(columns, f"sum of the areas up to FPR {m:g}", "area")
    area = columns["area"].sum()
    line = f"(1 + (A − m²/2) / (m − m²/2)) / 2, where m = {m:g} and A, the sum of the areas up to FPR m, is {area:.4f},"
    return Breakdown(columns, line)


def _average_precision(decisions: Decisions, used: Used) -> Breakdown:
    curve = precision_recall_curve(decisions)
    called = decisions.true_positives + decisions.false_positives > 0
    step = np.zeros(len(decisions))
    step[called] = areas_between(curve.recall, curve.precision, used["area"])
    return Breakdown({"PPV": RATES["PPV"](decisions.cells), "step": step}, "sum of the steps", "step")


def _equal_error(decisions: Decisions, used: Used) -> Breakdown:
    fpr, tpr = (rate[1:] for rate in _curve(decisions))
    columns = {"FNR": 1 - tpr, "apart": np.abs(fpr + tpr - 1)}
    if used["at"] == "hull":
        return Breakdown(
            {**columns, "corner": _corners(decisions)}, "FPR where a line between two corners has FPR = FNR"
        )
    return Breakdown(columns, "(FPR + FNR) / 2 where they are least apart")


def _corners(decisions: Decisions) -> FloatArray:
    """Return 1 at the corners of the convex hull, else 0."""
    marked = np.zeros(len(decisions) + 1)
    marked[hull_corners(decisions)] = 1
    return marked[1:]


def _hull_area(decisions: Decisions, used: Used) -> Breakdown:
    corners, (fpr, tpr) = hull_corners(decisions), _curve(decisions)
    area = np.zeros(len(fpr))
    area[corners[1:]] = np.diff(fpr[corners]) * (tpr[corners][1:] + tpr[corners][:-1]) / 2
    line = "sum of the areas between the corners of the convex hull"
    return Breakdown({"corner": _corners(decisions), "area": area[1:]}, line, "area")


def _detection_cost(decisions: Decisions, used: Used) -> Breakdown:
    miss, alarm = used["cost_miss"] * used["prior"], used["cost_false_alarm"] * (1 - used["prior"])
    fpr, tpr = _curve(decisions)
    cost = (miss * (1 - tpr) + alarm * fpr) / min(miss, alarm)
    where = "where nothing is positive"
    if not decisions.one_class and (best := int(np.argmin(cost))):
        where = f"at threshold {decisions.text(decisions.thresholds[best - 1].item())}"
    return Breakdown({"FNR": 1 - tpr[1:], "cost": cost[1:]}, f"least cost, {where}")


def _at_limits(decisions: Decisions, used: Used) -> Breakdown:
    return Breakdown(*breakdown(decisions, used["rate"], used["limits"]))


def _of_top(decisions: Decisions, used: Used) -> Breakdown:
    curve, at = gains_curve(decisions), used["at"]
    line = f"share of the positives in the top {at:.4g} of the items"
    return Breakdown({"share": curve.share[1:], "gain": curve.gain[1:]}, line)


def _lift(decisions: Decisions, used: Used) -> Breakdown:
    columns, line, _ = _of_top(decisions, used)
    return Breakdown(columns, f"{line} / {used['at']:.4g}")


def _mean(decisions: Decisions, of_positives: FloatArray, of_negatives: FloatArray) -> FloatArray:
    """Return what each threshold adds to the mean over all items; a class without items there adds 0."""
    total = decisions.num_positive + decisions.num_negative
    return _part(decisions.positives_at, of_positives, total) + _part(decisions.negatives_at, of_negatives, total)


def _part(counts: Any, values: FloatArray, total: float) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(counts > 0, values, 0) * counts / total)


def _bits(decisions: Decisions, ratios: FloatArray) -> FloatArray:
    if decisions.one_class:
        return np.full(len(decisions), np.nan)
    of_positives, of_negatives = bits_of(ratios)
    positives = _part(decisions.positives_at, of_positives, 2 * decisions.num_positive)
    return positives + _part(decisions.negatives_at, of_negatives, 2 * decisions.num_negative)


def _ratio_cost(decisions: Decisions, used: Used) -> Breakdown:
    return Breakdown({"bits": _bits(decisions, decisions.thresholds)}, "sum of the bits", "bits")


def _least_ratio_cost(decisions: Decisions, used: Used) -> Breakdown:
    fit = isotonic_fit(decisions)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_blocks = np.log(fit.positives / decisions.num_positive) - np.log(fit.negatives / decisions.num_negative)
    ratios = of_blocks[fit.block]
    return Breakdown({"LLR": ratios, "bits": _bits(decisions, ratios)}, "sum of the bits of the fitted LLR", "bits")


def _log_loss(decisions: Decisions, used: Used) -> Breakdown:
    losses = log_losses_of(clipped(decisions.thresholds, used["clip"]))
    return Breakdown(
        {"loss": _mean(decisions, *losses)}, "sum of the losses, each divided by the number of items,", "loss"
    )


def _brier(decisions: Decisions, used: Used) -> Breakdown:
    losses = _mean(decisions, *brier_losses_of(decisions.thresholds))
    return Breakdown({"loss": losses}, "sum of the squared errors, each divided by the number of items,", "loss")


def _miscalibration(decisions: Decisions, used: Used) -> Breakdown:
    fitted = _fitted(decisions)
    losses, least = (_mean(decisions, *brier_losses_of(p)) for p in (decisions.thresholds, fitted))
    return Breakdown({"fitted": fitted, "excess": losses - least}, "sum of the excess over the isotonic fit", "excess")


def _discrimination(decisions: Decisions, used: Used) -> Breakdown:
    fitted = _fitted(decisions)
    total = decisions.num_positive + decisions.num_negative
    constant = np.full(len(decisions), decisions.num_positive / total)
    losses, least = (_mean(decisions, *brier_losses_of(p)) for p in (constant, fitted))
    line = "sum of the gains of the isotonic fit over the base rate"
    return Breakdown({"fitted": fitted, "gain": losses - least}, line, "gain")


def _fitted(decisions: Decisions) -> FloatArray:
    fit = isotonic_fit(decisions)
    return fit.share[fit.block]


BREAKDOWNS: Mapping[str, Callable[[Decisions, Used], Breakdown]] = {
    CONSTRAINED: _at_limits,
    "gain": _of_top,
    "lift": _lift,
    "AUC": _area,
    "partial_AUC": _partial_area,
    "hull_AUC": _hull_area,
    "AP": _average_precision,
    "EER": _equal_error,
    "minDCF": _detection_cost,
    "Cllr": _ratio_cost,
    "minCllr": _least_ratio_cost,
    "log_loss": _log_loss,
    "Brier": _brier,
    "miscalibration": _miscalibration,
    "discrimination": _discrimination,
}
