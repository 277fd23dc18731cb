"""One column of scores for display: thresholds, curves, densities, calibration, and the choices of rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.measures.decisions.at_thresholds import drawn_places
from germane.measures.decisions.scores.calibration import CalibrationCurve, calibration_curve
from germane.measures.decisions.scores.detection_error import DetCurve, det_curve, det_points
from germane.measures.decisions.scores.isotonic import hull_corners, with_origin
from germane.measures.decisions.scores.roc import RocCurve, convex_hull, roc_curve
from germane.measures.decisions.scores.score_densities import score_densities
from germane.stats.thresholds.choice import choose_threshold
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate
from germane.tables.thresholds.choice import ThresholdChoice

STEPS = 1024
"""Steps per axis of a ROC curve: an omitted point is less than one step from a kept one, in FPR and TPR."""
PROBIT_STEPS = 512
"""Steps per axis of a DET curve, used in the same way."""
RULES = ("accuracy", "youden", "closest", "F1", "MCC")
ZONE = "rule-out TPR>=0.95, rule-in TNR>=0.95"
"""Rules whose thresholds a report offers."""

DET_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40)
WIDER_DET_TICKS = (*DET_TICKS, 60, 80, 90, 95)
"""Ticks in percent; the wider ones are for error rates that would not fit otherwise."""
WIDE_FROM = 0.3
LEAST_ERROR = 0.0005

BINS = 50
CALIBRATION_STEPS = 256
CALIBRATION_BINS = 40


@dataclass(frozen=True, eq=False)
class Stops:
    """Thresholds that a reader can select, lowest first, with exact counts.

    `det_x` and `det_y` are the error rates on probit axes; NaN where one of them is infinite.
    """

    thresholds: FloatArray
    true_positives: Counts
    false_positives: Counts
    det_x: FloatArray
    det_y: FloatArray

    def place(self, threshold: float) -> int:
        """Return the index of the stop with the same decisions as a threshold: the lowest one not below it."""
        return min(int(np.searchsorted(self.thresholds, threshold)), len(self.thresholds) - 1)


@dataclass(frozen=True, eq=False)
class CalibrationRows:
    """Isotonic fit by predicted probability, thinned, and the distribution of predicted probabilities."""

    claimed: FloatArray
    fitted: FloatArray
    band_claimed: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    edges: FloatArray
    positives: Counts
    negatives: Counts


@dataclass(frozen=True, eq=False)
class ScoreView:
    """One column of scores, ready to plot; each part is computed when first needed."""

    name: str
    decisions: Decisions
    positive: str
    negative: str
    probabilities: bool
    threshold: float | None
    estimates: Mapping[str, Estimate]
    rules: tuple[str, ...] = ()
    seed: int = 0
    unchosen: dict[str, str] = field(default_factory=dict)
    """Rules that choose no threshold, with the reason."""

    @cached_property
    def prevalence(self) -> float:
        total = self.decisions.num_positive + self.decisions.num_negative
        return self.decisions.num_positive / total if total else math.nan

    @cached_property
    def choices(self) -> dict[str, ThresholdChoice]:
        """Choice of each rule; a rule without a choice is in `unchosen` instead, with the reason."""
        found = {}
        for rule in dict.fromkeys((*RULES, ZONE, *self.rules)):
            try:
                found[rule] = choose_threshold(self.decisions, rule)
            except GermaneError as problem:
                if rule in self.rules:
                    raise
                self.unchosen[rule] = problem.message
        return found

    @cached_property
    def places(self) -> IntArray:
        """Indices of the kept points of the ROC curve; point 0 is the origin."""
        curve, errors = roc_curve(self.decisions), det_curve(self.decisions)
        if len(curve.fpr) <= 2 * STEPS:
            return np.arange(len(curve.fpr))
        kept = [
            drawn_places(curve.fpr, curve.tpr, STEPS),
            drawn_places(_along_probit(errors.fpr), _along_probit(errors.fnr), PROBIT_STEPS),
            hull_corners(self.decisions),  # the optima for all costs, so that the page can find them
        ]
        chosen = [p.threshold for choice in self.choices.values() for p in choice.points]
        at = [np.searchsorted(-curve.thresholds, -np.asarray(chosen, dtype=np.float64))]
        found: IntArray = np.unique(np.concatenate([*kept, *at]).clip(max=len(curve.fpr) - 1))
        return found

    @cached_property
    def stops(self) -> Stops:
        """Kept thresholds, and the reported one, whether or not it occurs as a score."""
        decisions, curve = self.decisions, roc_curve(self.decisions)
        tp, fp = with_origin(decisions)
        places = self.places
        if decisions.thresholds[0] == np.inf:  # then no threshold lies above all scores
            places = places[places > 0]
        thresholds, tp, fp = curve.thresholds[places], tp[places], fp[places]
        if self.threshold is not None and self.threshold not in thresholds:
            cells = decisions.at(self.threshold)
            at = int(np.searchsorted(-thresholds, -self.threshold))
            thresholds = np.insert(thresholds, at, self.threshold)
            tp, fp = np.insert(tp, at, cells.TP), np.insert(fp, at, cells.FP)
        x, y = _probit(decisions, tp, fp)
        return Stops(thresholds[::-1], tp[::-1], fp[::-1], x[::-1], y[::-1])

    @cached_property
    def curve(self) -> RocCurve:
        """The kept points of the ROC curve."""
        curve, places = roc_curve(self.decisions), self.places
        return RocCurve(curve.fpr[places], curve.tpr[places], curve.thresholds[places])

    @cached_property
    def hull(self) -> RocCurve:
        return convex_hull(self.decisions)

    @cached_property
    def mirrored(self) -> dict[str, FloatArray]:
        """Densities on common edges, positives upward, negatives downward: with area by class size, or 1."""
        spread = score_densities(self.decisions, bins=BINS)
        return {
            "edges": spread.edges,
            "positive": np.nan_to_num(spread.positive) * self.prevalence,
            "negative": -np.nan_to_num(spread.negative) * (1 - self.prevalence),
            "positive_alike": np.nan_to_num(spread.positive),
            "negative_alike": -np.nan_to_num(spread.negative),
        }

    @cached_property
    def calibration(self) -> CalibrationRows:
        """Calibration of predicted probabilities; an error for other scores."""
        if not self.probabilities:
            hint = "use scores between 0 and 1, which are treated as probabilities"
            raise GermaneError(f"{self.name}: calibration needs probabilities, found other scores", hint=hint)
        found = calibration_curve(self.decisions, seed=self.seed)
        kept = np.arange(len(found.claimed))
        if len(kept) > 2 * CALIBRATION_STEPS:
            kept = drawn_places(found.claimed, found.fitted, CALIBRATION_STEPS)
        edges = np.linspace(0, 1, CALIBRATION_BINS + 1)
        decisions, counts = self.decisions, (self.decisions.positives_at, self.decisions.negatives_at)
        positives, negatives = (np.histogram(decisions.thresholds, edges, weights=n)[0] for n in counts)
        claimed, fitted = found.claimed[kept], found.fitted[kept]
        return CalibrationRows(claimed, fitted, *_band(found), found.level, edges, positives, negatives)


def det_axis(views: tuple[ScoreView, ...]) -> dict[str, Any]:
    """Return the axes of a DET plot: positions of ticks on the probit scale, their labels, and the domain."""
    rates = [view.estimates["EER"].value for view in views if "EER" in view.estimates]
    wide = any(rate > WIDE_FROM for rate in rates)
    percent = WIDER_DET_TICKS if wide else DET_TICKS
    shares = np.asarray([LEAST_ERROR, *(each / 100 for each in percent), 0.97 if wide else 0.5])
    places = det_points(DetCurve(shares, shares, shares)).x.tolist()
    labels = [f"{each:g}".removeprefix("0") for each in percent]
    return {"ticks": places[1:-1], "labels": labels, "domain": [places[0], places[-1]]}


def iso_f1(levels: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8)) -> list[dict[str, float]]:
    """Return lines of equal F1 in the plane of recall and precision.

    >>> iso_f1((0.5,))[-1]["precision"]                                     # 2 · 1 · ⅓ / (1 + ⅓) = ½
    0.3333333333333333
    """
    return [
        {"F1": f1, "recall": recall, "precision": min(1.0, f1 * recall / (2 * recall - f1))}
        for f1 in levels
        for recall in np.linspace(f1 / (2 - f1), 1, 60).tolist()
    ]


def _band(found: CalibrationCurve) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the band at the mean predicted probability of each group that shares it."""
    changed = (np.diff(found.low) != 0) | (np.diff(found.high) != 0)
    group = np.concatenate([[0], np.cumsum(changed)])
    weight = np.bincount(group, weights=found.count)
    sums = np.bincount(group, weights=found.count * found.claimed)
    first = np.searchsorted(group, np.arange(group[-1] + 1))
    claimed = np.divide(sums, weight, out=found.claimed[first].copy(), where=weight > 0)
    return claimed, found.low[first], found.high[first]


def _along_probit(rate: FloatArray) -> FloatArray:
    """Return a rate as a position in [0, 1] along the axis of a DET plot."""
    from scipy.special import ndtri

    end = -float(ndtri(LEAST_ERROR))
    place: FloatArray = (np.clip(ndtri(np.nan_to_num(rate, nan=0.5)), -end, end) + end) / (2 * end)
    return place


def _probit(decisions: Decisions, tp: Counts, fp: Counts) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtri

    P, N = decisions.num_positive, decisions.num_negative
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = ndtri(np.asarray(fp / N if N else fp * np.nan)), ndtri(np.asarray((P - tp) / P if P else tp * np.nan))
    return np.where(np.isfinite(x), x, np.nan), np.where(np.isfinite(y), y, np.nan)
