"""Quality of scores and probabilities over all thresholds: areas, equal error rate, calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from germane.api.decisions.settings import Settings
from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.calibration import bin_sums, calibration_curve, calibration_values
from germane.measures.decisions.scores.detection_error import equal_error_rate, minimum_detection_cost
from germane.measures.decisions.scores.precision_recall import average_precision
from germane.measures.decisions.scores.probabilities import (
    brier_losses_of,
    clipped,
    log_losses_of,
    probabilities_of,
)
from germane.measures.decisions.scores.roc import area_under_hull, partial_area_under_roc
from germane.stats.intervals.delong import auc_estimate
from germane.stats.intervals.many_classes import ap_estimate
from germane.stats.intervals.scores import mean_loss_estimate, score_estimates
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.notes.counts import counted
from germane.tables.results.performance import Estimate

RESAMPLED: Mapping[str, DecisionMeasure] = {
    "partial_AUC(max_fpr=0.1)": partial_area_under_roc,
    "EER": equal_error_rate,
    "EER(at=hull)": equal_error_rate.choose(at="hull"),
}
VARIANTS: Mapping[str, Callable[[Decisions], float]] = {
    "minDCF": minimum_detection_cost,
    "hull_AUC": area_under_hull,
    "AP(area=trapezoid)": partial(average_precision, area="trapezoid"),
    "AP(area=interpolated)": partial(average_precision, area="interpolated"),
}
CALIBRATION = (
    *("miscalibration", "discrimination", "uncertainty"),
    *("miscalibration(binned)", "discrimination(binned)", "within(binned)", "ECE"),
)
"""Measures without an interval: resampling biases them, since ties and small bins look like miscalibration."""

BINNED = ("ECE", "MCE", "top_label_ECE", "classwise_ECE")
"""Measures of calibration over bins, which are parameters of theirs."""
OPTIMISTIC = ("hull_AUC", "minCllr", "minDCF")
"""Measures of scores without an interval: they fit the evaluated data, and a resample has ties that fit better."""

REMARKS = {
    "minDCF": "prior 0.01, both errors cost 1; no interval, since resampling adds to its optimism",
    "AP": "step",
    "EER": "midpoint",
    "miscalibration": "isotonic",
    "miscalibration(binned)": "15 bins of equal mass",
    "ECE": "15 bins of equal mass; biased upwards for few items",
}
"""Parameters of measures, shown as remarks."""


def score_measures() -> list[str]:
    """Return the names of the measures of scores that need no probabilities."""
    return ["AUC", "AP", *RESAMPLED, *VARIANTS]


def score_overall(decisions: Decisions, settings: Settings, *, probabilities: bool) -> dict[str, Estimate]:
    """Return every measure of scores, and of probabilities if the scores are such, each with its interval."""
    scale: dict[str, Any] = {"level": settings.level, "scale": settings.auc_scale}
    found = {"AUC": auc_estimate(decisions, **scale)}
    if settings.wants("AP"):
        found["AP"] = ap_estimate(decisions, **scale)
    asked = settings.extra("scores", score_measures())
    resampled = {name: measure for name, measure in RESAMPLED.items() if settings.wants(name)}
    resampled |= {name: chosen_measure(name) for name in asked if not why_no_interval(name)}
    found |= score_estimates(
        resampled,
        decisions,
        level=settings.level,
        resamples=settings.resamples,
        seed=settings.seed,
        stratified=settings.stratified,
    )
    found |= {name: Estimate(measure(decisions)) for name, measure in VARIANTS.items() if settings.wants(name)}
    found |= {
        name: Estimate(chosen_measure(name)(decisions), remark=why) for name in asked if (why := why_no_interval(name))
    }
    p = probabilities_of(decisions) if probabilities else None
    if p is not None and settings.wants_probabilities:
        found |= _of_probabilities(decisions, p, settings)
    return {name: with_remark(name, estimate) for name, estimate in found.items()}


def _of_probabilities(decisions: Decisions, p: FloatArray, settings: Settings) -> dict[str, Estimate]:
    """Return the usual measures of probabilities, and those asked for."""
    counts = np.concatenate([decisions.positives_at, decisions.negatives_at])
    # The Brier score of one probability is at most 1; that of a probability for each class, at most 2.
    found = {
        "log_loss": loss_estimate(np.concatenate(log_losses_of(p)), counts, settings.level, math.inf),
        "Brier": loss_estimate(np.concatenate(brier_losses_of(p)), counts, settings.level, 1.0),
    }
    if wanted := [name for name in CALIBRATION if settings.wants(name)]:
        values = calibration_values(found["Brier"].value, bin_sums(decisions), decisions)
        found |= {name: Estimate(values[name]) for name in wanted}
    if "miscalibration" in found:
        found["miscalibration"] = replace(found["miscalibration"], remark=_outside_band(decisions, settings.seed))
    for name in settings.extra("probabilities", ("log_loss", "Brier", *CALIBRATION)):
        chosen = chosen_measure(name)
        if chosen.name == "log_loss":
            clip = chosen.settings["clip"]
            losses = np.concatenate(log_losses_of(clipped(p, clip)))
            found[name] = loss_estimate(losses, counts, settings.level, greatest_loss(clip))
        else:
            found[name] = Estimate(chosen(decisions), remark=why_no_interval(name))
    return found


def why_no_interval(name: str) -> str:
    """Return why a measure with its parameters has a value but no interval; an empty text if it has one.

    >>> why_no_interval("ECE(bins=10)"), why_no_interval("partial_AUC(max_fpr=0.2)")
    ('10 bins of equal mass; no interval, since resampling biases it', '')
    """
    chosen = chosen_measure(name)
    if chosen.name in BINNED:
        used = chosen.settings
        return f"{used['bins']} bins of {used['binning']}; no interval, since resampling biases it"
    if chosen.of in ("probabilities", "probability table") and chosen.name not in (
        "log_loss",
        "Brier",
        "top_k_accuracy",
    ):
        return "no interval, since resampling biases it"
    is_optimistic = chosen.name in OPTIMISTIC or str(chosen) in VARIANTS
    return "no interval, since resampling adds to its optimism" if is_optimistic else ""


def greatest_loss(clip: float | None) -> float:
    """Return the greatest log-loss of an item whose probability is clipped."""
    # The larger of the two classes' losses: 1 - (1 - clip) is not exactly the clip.
    return max(-math.log(clip), -math.log1p(clip - 1)) if clip else math.inf


def loss_estimate(losses: FloatArray, counts: Counts, level: float, largest: float) -> Estimate:
    """Return a mean loss; if it is infinite, the remark has the number of items behind it."""
    found = mean_loss_estimate(losses, counts, level, (0.0, largest))
    impossible = counts[np.isinf(losses)].sum().item()
    return infinite_loss(found, impossible) if impossible else found


def infinite_loss(found: Estimate, impossible: float) -> Estimate:
    """Return an infinite loss with a remark on the number of items behind it, or on their total weight."""
    items = counted(impossible, "item") if isinstance(impossible, int) else f"items of weight {impossible:.4g}"
    return replace(found, remark=f"infinite: {items} had predicted probability 0 for the true class")


def _outside_band(decisions: Decisions, seed: int) -> str:
    """Return a remark on the share of items whose predicted probability the isotonic fit contradicts."""
    curve = calibration_curve(decisions, seed=seed)
    if np.isnan(curve.low).any():
        return ""
    outside = curve.count[(curve.fitted < curve.low) | (curve.fitted > curve.high)].sum() / curve.count.sum()
    return f"{outside:.0%} of items lie outside the {curve.level:.0%} calibration band"


def with_remark(name: str, estimate: Estimate) -> Estimate:
    """Return an estimate with the parameters of its measure in the remark."""
    if name not in REMARKS:
        return estimate
    remark = "; ".join(filter(None, [REMARKS[name], estimate.remark]))
    return Estimate(estimate.value, estimate.low, estimate.high, estimate.method, remark)
