"""The ROC curve (true against false positive rate at every threshold) and areas under it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from germane import kernels
from germane.catalogue import Range
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.scores.isotonic import EXACT_PRODUCT, hull_corners, with_origin
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import exact_sum

MaxFpr = Annotated[float, Range(0, 1, without=(0,))]
"""A maximum false positive rate."""


@dataclass(frozen=True, eq=False)
class RocCurve:
    """ROC points from (0, 0), whose threshold is infinite, to (1, 1); NaN where a class is missing."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


def roc_curve(decisions: Decisions) -> RocCurve:
    """Return false and true positive rate at every threshold, highest first.

    >>> curve = roc_curve(Decisions.of([True, False, True], [0.9, 0.5, 0.4]))
    >>> curve.fpr.tolist(), curve.tpr.tolist(), curve.thresholds.tolist()
    ([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0], [inf, 0.9, 0.5, 0.4])
    """
    return _points(decisions, np.arange(len(decisions) + 1))


def convex_hull(decisions: Decisions) -> RocCurve:
    """Return the corners of the ROC convex hull: thresholds that are optimal for some costs, and the two ends.

    Points between two corners are reached by choosing between the two thresholds at random.

    >>> convex_hull(Decisions.of([True, False, True], [0.9, 0.5, 0.4])).tpr.tolist()
    [0.0, 0.5, 1.0]
    """
    return _points(decisions, hull_corners(decisions))


@decision_measure("AUC", of="scores", bounds=(0, 1), names=("AUROC", "ROC AUC", "area under the ROC curve"))
def area_under_roc(decisions: Decisions) -> float:
    """Area under the ROC curve: probability that a random positive scores higher than a random negative.

    Formula:    AUC = P(score of a positive > score of a negative) + ½ P(the two are equal)
    Reference:  Hanley & McNeil, Radiology 143 (1982), 29-36.
    Edge cases: NaN if a class is missing. Below ½, negatives tend to score higher; scores are not inverted.
                Computed in exact integer arithmetic, divided once. Of a table of probabilities: each class against the
                rest, and as averages macro, weighted (by items), micro (all classes pooled), ovo (mean over pairs of
                classes, Hand & Till 2001) and ovo weighted (pairs by items); classes without items are omitted.

    >>> area_under_roc(Decisions.of([True, True, False, False], [0.8, 0.4, 0.4, 0.1]))      # 3½ of 4 pairs
    0.875
    """
    return _area(decisions.true_positives, decisions.false_positives)


@decision_measure("hull_AUC", of="scores", bounds=(0.5, 1), names=("AUCH", "area under the convex hull"))
def area_under_hull(decisions: Decisions) -> float:
    """Area under the ROC convex hull: the AUC after optimal monotone recalibration of the scores.

    Formula:    area under the least concave curve above all points of the ROC curve
    Reference:  Provost & Fawcett, Machine Learning 42 (2001), 203-231.
    Edge cases: NaN if a class is missing. Never below ½, since (0, 0) and (1, 1) always belong to the hull. Optimistic,
                most of all for few items.

    >>> area_under_hull(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]))      # AUC is ¾
    0.875
    """
    true_positives, false_positives = with_origin(decisions)
    corners = hull_corners(decisions)
    return _area(true_positives[corners], false_positives[corners])


@decision_measure("partial_AUC", of="scores", bounds=(0, 1), names=("pAUC",))
def partial_area_under_roc(
    decisions: Decisions, *, max_fpr: MaxFpr = 0.1, scale: Literal["McClish", "raw"] = "McClish"
) -> float:
    """Area under the ROC curve up to a maximum false positive rate.

    Formula:    raw: the area A over false positive rates from 0 to m; McClish: ½ (1 + (A − m²/2) / (m − m²/2)),
                which is ½ for chance and 1 at best for every m
    Reference:  McClish, Medical Decision Making 9 (1989), 190-195.
    Edge cases: NaN if a class is missing. Linear interpolation between points. m = 1 gives the AUC.

    >>> round(partial_area_under_roc(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]), max_fpr=0.5), 4)
    0.6667
    """
    if not 0 < max_fpr <= 1:
        raise MeasureError(f"expected max_fpr above 0 and at most 1, found {max_fpr:g}")
    if scale not in ("McClish", "raw"):
        raise MeasureError(f"expected scale='McClish' or 'raw', found {scale!r}")
    if max_fpr == 1:
        return area_under_roc(decisions)
    if decisions.one_class:
        return math.nan
    curve = roc_curve(decisions)
    area = exact_sum(twice_areas_up_to(max_fpr, curve.fpr, curve.tpr)) / 2
    return area if scale == "raw" else mcclish(area, max_fpr)


def twice_areas_up_to(max_fpr: float, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Return twice the area between neighbouring points of the curve, up to `max_fpr`."""
    inside = int(np.searchsorted(fpr, max_fpr, side="right"))
    if not inside:
        return np.zeros(0)
    if inside < len(fpr):
        around = slice(inside - 1, inside + 1)
        end = np.interp(max_fpr, fpr[around], tpr[around])
        fpr, tpr = np.append(fpr[:inside], max_fpr), np.append(tpr[:inside], end)
    return np.asarray(np.diff(fpr) * (tpr[1:] + tpr[:-1]))


def mcclish(area: float, max_fpr: float) -> float:
    """Return a partial area on McClish's scale."""
    chance = max_fpr**2 / 2
    return (1 + (area - chance) / (max_fpr - chance)) / 2


def _points(decisions: Decisions, places: IntArray) -> RocCurve:
    true_positives, false_positives = with_origin(decisions)
    thresholds = np.concatenate(([np.inf], decisions.thresholds))
    return RocCurve(_shares(false_positives)[places], _shares(true_positives)[places], thresholds[places])


def _shares(so_far: Counts) -> FloatArray:
    with np.errstate(invalid="ignore"):
        return np.asarray(so_far / so_far[-1])


def _area(true_positives: Counts, false_positives: Counts) -> float:
    """Return the area under the line through the points; twice the area in pairs is an integer, divided once."""
    pairs = true_positives[-1].item() * false_positives[-1].item()
    if not pairs:
        return math.nan
    if true_positives.dtype.kind != "f":
        if pairs < EXACT_PRODUCT:
            return float(kernels.twice_area(true_positives, false_positives) / (2 * pairs))
        true_positives, false_positives = true_positives.astype(object), false_positives.astype(object)
    negatives = np.diff(false_positives, prepend=0)
    before = np.concatenate([[0], true_positives[:-1]])
    twice = np.sum(negatives * (true_positives + before))
    return float((twice.item() if isinstance(twice, np.generic) else twice) / (2 * pairs))
