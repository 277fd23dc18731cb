"""Detection errors: DET curve (false alarms against misses), equal error rate and detection cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from germane.catalogue import Positive, Probability
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.scores.isotonic import hull_corners, isotonic_fit, with_origin
from germane.measures.decisions.scores.roc import roc_curve
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import Moments

Scale = Literal["probit", "log"]
At = Literal["midpoint", "hull"]


@dataclass(frozen=True, eq=False)
class DetCurve:
    """False positive and false negative rate at every threshold, from infinity down; NaN where a class is missing."""

    fpr: FloatArray
    fnr: FloatArray
    thresholds: FloatArray


@dataclass(frozen=True, eq=False)
class DetPoints:
    """A DET curve in plot coordinates, without the `dropped` points at infinity (a rate of 0, or 1 on probit axes)."""

    x: FloatArray
    y: FloatArray
    thresholds: FloatArray
    dropped: int


def det_curve(decisions: Decisions) -> DetCurve:
    """Return false positive and false negative rate at every threshold, highest first.

    >>> curve = det_curve(Decisions.of([True, False, True], [0.9, 0.5, 0.4]))
    >>> curve.fpr.tolist(), curve.fnr.tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.5, 0.5, 0.0])
    """
    roc = roc_curve(decisions)
    true_positives, _ = with_origin(decisions)
    with np.errstate(invalid="ignore"):
        fnr: FloatArray = (true_positives[-1] - true_positives) / true_positives[-1]
    return DetCurve(roc.fpr, fnr, roc.thresholds)


def det_points(curve: DetCurve, scale: Scale = "probit") -> DetPoints:
    """Return the curve on probit axes (normal scores give straight lines) or on log10 axes.

    Reference: Martin et al., "The DET curve in assessment of detection task performance", Eurospeech 1997.

    >>> points = det_points(DetCurve(np.asarray([0, 0.5]), np.asarray([1, 0.5]), np.asarray([np.inf, 0.3])))
    >>> points.x.tolist(), points.y.tolist(), points.dropped
    ([0.0], [0.0], 1)
    """
    if scale not in ("probit", "log"):
        raise MeasureError(f"expected scale='probit' or 'log', found {scale!r}")
    if scale == "probit":
        from scipy.special import ndtri

        x, y = ndtri(curve.fpr), ndtri(curve.fnr)
    else:
        with np.errstate(divide="ignore"):
            x, y = np.log10(curve.fpr), np.log10(curve.fnr)
    shown = np.isfinite(x) & np.isfinite(y)
    return DetPoints(x[shown], y[shown], curve.thresholds[shown], int((~shown).sum()))


@decision_measure("EER", of="scores", bounds=(0, 1), better="lower", names=("equal error rate",))
def equal_error_rate(decisions: Decisions, *, at: At = "midpoint") -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Formula:    midpoint: (FPR + FNR) / 2 at the threshold where |FPR − FNR| is least; hull: where the convex hull of
                the ROC curve meets FPR = FNR
    Reference:  Brümmer & de Villiers, "The BOSARIS toolkit user guide", 2011, on the hull.
    Edge cases: NaN if a class is missing. Of equally good thresholds, the highest is used. At most ½ on the hull.
                Differences are compared in exact integer arithmetic.

    >>> seen = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    >>> equal_error_rate(seen), equal_error_rate(seen, at="hull")
    (0.5, 0.25)
    """
    if at not in ("midpoint", "hull"):
        raise MeasureError(f"expected at='midpoint' or 'hull', found {at!r}")
    if decisions.one_class:
        return math.nan
    tp, fp = with_origin(decisions)
    places = hull_corners(decisions) if at == "hull" else np.arange(len(tp))
    P, N = decisions.num_positive, decisions.num_negative
    if not decisions.weighted and P * N >= 1 << 62:
        tp, fp = tp.astype(object), fp.astype(object)
    # (FPR − FNR) · P·N, which increases from −P·N to P·N.
    gap = fp[places] * P - (P - tp[places]) * N
    if at == "midpoint":
        least = int(np.argmin(np.abs(gap)))
        return _ratio(fp[least] * P + (P - tp[least]) * N, 2 * P * N, decisions.weighted)
    after = int(np.argmax(gap >= 0))
    before = after - 1
    # The hull crosses FPR = FNR between these two corners, at this share of the way from one to the other.
    # Counts times P·N exceed 64 bits long before P·N does, so use Python's unlimited integers.
    number: Callable[[Any], Any] = float if decisions.weighted else int
    way = (number(-gap[before]), number(gap[after] - gap[before]))
    start, end = number(fp[places[before]]), number(fp[places[after]])
    return _ratio(start * way[1] + (end - start) * way[0], number(N) * way[1], decisions.weighted)


@decision_measure("minDCF", of="scores", bounds=(0, 1), better="lower", names=("minimum detection cost",))
def minimum_detection_cost(
    decisions: Decisions, *, prior: Probability = 0.01, cost_miss: Positive = 1, cost_false_alarm: Positive = 1
) -> float:
    """Minimum expected detection cost over all thresholds, relative to always deciding the cheaper way.

    Formula:    min over thresholds of (c_miss π FNR + c_fa (1 − π) FPR) / min(c_miss π, c_fa (1 − π)); π is the prior
    Reference:  NIST Speaker Recognition Evaluation Plan, 2016.
    Edge cases: NaN if a class is missing. At most 1, since always-yes and always-no are among the thresholds.
                Optimistic, because the threshold is chosen on the evaluated data.

    >>> minimum_detection_cost(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]), prior=0.5)
    0.5
    """
    if not 0 < prior < 1:
        raise MeasureError(f"expected a prior between 0 and 1, found {prior:g}")
    if not (0 < cost_miss < math.inf and 0 < cost_false_alarm < math.inf):
        found = f"cost_miss={cost_miss:g} and cost_false_alarm={cost_false_alarm:g}"
        raise MeasureError(f"expected finite costs above 0, found {found}")
    if decisions.one_class:
        return math.nan
    curve = det_curve(decisions)
    miss, false_alarm = cost_miss * prior, cost_false_alarm * (1 - prior)
    blind = min(miss, false_alarm)
    return float(np.min(miss / blind * curve.fnr + false_alarm / blind * curve.fpr))


@decision_measure("Cllr", of="scores", bounds=(0, math.inf), better="lower", names=("cost of log-likelihood ratios",))
def log_likelihood_ratio_cost(decisions: Decisions) -> float:
    """Log-likelihood-ratio cost: expected cost in bits, at even odds, of scores used as natural log-likelihood ratios.

    Formula:    ½ mean over positives of log2(1 + e^−s) + ½ mean over negatives of log2(1 + e^s)
    Reference:  Brümmer & du Preez, Computer Speech and Language 20 (2006), 230-275.
    Edge cases: NaN if a class is missing. Uninformative scores (all 0) cost 1. Meaningless for scores that are not
                log-likelihood ratios. Infinite if an infinite score is wrong.

    >>> log_likelihood_ratio_cost(Decisions.of([True, False], [0, 0]))
    1.0
    """
    return _bits(decisions, decisions.thresholds, decisions.positives_at, decisions.negatives_at)


@decision_measure("minCllr", of="scores", bounds=(0, 1), better="lower")
def least_log_likelihood_ratio_cost(decisions: Decisions) -> float:
    """Cllr after optimal monotone recalibration of the scores; what remains is lack of discrimination.

    Formula:    Cllr of log((p/P) / (n/N)); p and n are the positives and negatives in the block of the isotonic fit
    Reference:  Brümmer & du Preez, Computer Speech and Language 20 (2006), 230-275.
    Edge cases: NaN if a class is missing. Optimistic, because the fit uses the evaluated data.

    >>> least_log_likelihood_ratio_cost(Decisions.of([True, False], [1, 1]))
    1.0
    """
    if decisions.one_class:
        return math.nan
    fit = isotonic_fit(decisions)
    with np.errstate(divide="ignore"):
        s = np.log(fit.positives / decisions.num_positive) - np.log(fit.negatives / decisions.num_negative)
    return min(_bits(decisions, s, fit.positives, fit.negatives), 1.0)


def bits_of(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the cost in bits of a positive and of a negative item with these log-likelihood ratios."""
    return np.logaddexp(0, -scores) / math.log(2), np.logaddexp(0, scores) / math.log(2)


def _bits(decisions: Decisions, scores: FloatArray, positives: Counts, negatives: Counts) -> float:
    """Return the mean cost of positives and negatives; a score without items adds 0 even if its cost is infinite."""
    if decisions.one_class:
        return math.nan
    means = []
    for bits, counts in zip(bits_of(scores), (positives, negatives), strict=True):
        if np.isinf(bits[counts > 0]).any():
            return math.inf
        mean = Moments()
        mean.add(bits, counts)
        means.append(mean.mean)
    return sum(means) / 2


def _ratio(numerator: Any, denominator: Any, weighted: bool) -> float:
    return float(numerator / denominator) if weighted else float(Fraction(int(numerator), int(denominator)))
