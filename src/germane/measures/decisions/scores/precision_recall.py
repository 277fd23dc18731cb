"""The precision-recall curve and the area under it, with three interpolations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from germane.errors import MeasureError, unknown
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import exact_sum

Area = Literal["step", "trapezoid", "interpolated"]


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision-recall points from recall 0 (infinite threshold) to recall 1; NaN without positives."""

    precision: FloatArray
    recall: FloatArray
    thresholds: FloatArray
    baseline: float
    """Precision of predicting everything positive, which is the prevalence."""


def precision_recall_curve(decisions: Decisions) -> PrecisionRecallCurve:
    """Return precision and recall at every threshold, highest first; precision starts at 1 by convention.

    The curve is a step function: values between two points are not attained. Thresholds that only items of weight 0
    reach are omitted.

    >>> curve = precision_recall_curve(Decisions.of([True, False, True], [0.9, 0.5, 0.4]))
    >>> curve.precision.round(3).tolist(), curve.recall.tolist(), round(curve.baseline, 3)
    ([1.0, 1.0, 0.5, 0.667], [0.0, 0.5, 0.5, 1.0], 0.667)
    """
    called = decisions.true_positives + decisions.false_positives
    there = called > 0
    found = decisions.true_positives[there]
    with np.errstate(invalid="ignore"):
        precision = np.concatenate(([1.0], found / called[there]))
        recall = np.concatenate(([0.0], found)) / decisions.num_positive
    thresholds = np.concatenate(([np.inf], decisions.thresholds[there]))
    return PrecisionRecallCurve(precision, recall, thresholds, baseline(decisions))


@decision_measure(
    "AP", of="scores", bounds=(0, 1), names=("average precision", "AUPRC", "PR AUC", "area under the PR curve")
)
def average_precision(decisions: Decisions, *, area: Area = "step") -> float:
    """Area under the precision-recall curve: the mean precision over the positives.

    Formula:    step: sum of (R_i − R_(i−1)) P_i over the thresholds; trapezoid: sum of (R_i − R_(i−1))
                (P_i + P_(i−1)) / 2 from P_0 = 1; interpolated: as step, with the highest precision at this or any
                higher recall
    Reference:  Davis & Goadrich, ICML 2006, on why linear interpolation between points is optimistic.
    Edge cases: NaN without positives. The expected value for random scores is the prevalence, not ½. Of a table of
                probabilities: each class against the rest, and as averages macro, weighted (by items) and micro (all
                classes pooled); classes without items are omitted.

    >>> seen = Decisions.of([True, False, True], [0.9, 0.5, 0.4])
    >>> round(average_precision(seen), 4), round(average_precision(seen, area="trapezoid"), 4)
    (0.8333, 0.7917)
    """
    if area not in get_args(Area):
        raise unknown("area", area, get_args(Area), error=MeasureError)
    if not decisions.num_positive:
        return math.nan
    if area == "step":
        # Without a positive the recall stays, so such thresholds add nothing.
        met = np.flatnonzero(decisions.positives_at)
        found = decisions.true_positives[met]
        recall = np.concatenate(([0.0], found)) / decisions.num_positive
        precision = np.concatenate(([1.0], found / (found + decisions.false_positives[met])))
        return min(exact_sum(areas_between(recall, precision, area)), 1.0)
    curve = precision_recall_curve(decisions)
    # Rounding of the terms may push the sum above 1 by an ulp.
    return min(exact_sum(areas_between(curve.recall, curve.precision, area)), 1.0)


def areas_between(recall: FloatArray, precision: FloatArray, area: Area) -> FloatArray:
    """Return the area between neighbouring points of the curve."""
    heights = precision[1:]
    if area == "trapezoid":
        heights = (heights + precision[:-1]) / 2
    elif area == "interpolated":
        heights = np.maximum.accumulate(heights[::-1])[::-1]
    return np.asarray(np.diff(recall) * heights)


def baseline(decisions: Decisions) -> float:
    """Return the prevalence: the precision of predicting everything positive, or of random scores.

    >>> baseline(Decisions.of([True, False, False, False], [0.9, 0.5, 0.4, 0.1]))
    0.25
    """
    total = decisions.num_positive + decisions.num_negative
    return float(decisions.num_positive / total) if total else math.nan
