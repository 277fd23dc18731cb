"""Decision curves (net benefit by the probability at which somebody acts) and cost curves (expected cost by costs)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from germane.errors import MeasureError
from germane.measures.decisions.scores.isotonic import hull_corners, with_origin
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions

ACT_AT: FloatArray = np.arange(1, 100) / 100
"""Probabilities at which a decision curve is computed: every hundredth."""


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit of acting on items whose predicted probability is at or above each threshold.

    `error` is the standard error of `net_benefit`; `act_on_all` is the net benefit without a model, and that of acting
    on none is 0.
    """

    act_at: FloatArray
    net_benefit: FloatArray
    error: FloatArray
    act_on_all: FloatArray


def decision_curve(decisions: Decisions, act_at: FloatArray = ACT_AT) -> DecisionCurve:
    """Return the net benefit at each threshold probability; scores must be probabilities.

    The net benefit is the mean over items of 1 for a true positive, minus the odds of the threshold for a false
    positive, and 0 for the others; so its standard error is that of a mean.

    Reference: Vickers & Elkin, Medical Decision Making 26 (2006), 565-574; Pfeiffer & Gail, Biometrical Journal 62
    (2020), 764-776, on its variance.

    >>> curve = decision_curve(Decisions.of([True, False, True, False], [0.9, 0.8, 0.3, 0.1]), np.asarray([0.2, 0.5]))
    >>> curve.net_benefit.tolist(), curve.act_on_all.tolist()
    ([0.4375, 0.0], [0.375, 0.0])
    """
    if decisions.thresholds[0] > 1 or decisions.thresholds[-1] < 0:
        raise MeasureError(
            "a decision curve needs probabilities, found scores outside [0, 1]", hint="use predicted probabilities"
        )
    tp, fp = with_origin(decisions)
    places = np.searchsorted(-decisions.thresholds, -act_at, side="right")
    total, odds = float(tp[-1] + fp[-1]), act_at / (1 - act_at)
    hits, alarms = tp[places] / total, fp[places] / total
    benefit = hits - alarms * odds
    variance = np.maximum(hits + alarms * odds**2 - benefit**2, 0.0)
    prevalence = float(tp[-1]) / total
    error = np.sqrt(variance / max(total - 1, 1))
    return DecisionCurve(act_at, benefit, error, prevalence - (1 - prevalence) * odds)


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Corners of the lowest expected cost, from 0 to 1 on both axes; `thresholds` are optimal up to each corner.

    `positive_share` is the share of the cost of errors that falls on positives: prevalence times the cost of a false
    negative, relative to the sum of both. `cost` is relative to the highest possible one.
    """

    positive_share: FloatArray
    cost: FloatArray
    thresholds: FloatArray


def cost_curve(decisions: Decisions) -> CostCurve:
    """Return the lower envelope of the expected cost over all thresholds, for every ratio of costs and prevalence.

    A threshold is a line from its FPR, where only false positives cost, to its FNR, where only false negatives do. The
    envelope consists of the corners of the ROC convex hull; it is optimistic, since it is chosen on the same items.

    Reference: Drummond & Holte, Machine Learning 65 (2006), 95-130.

    >>> curve = cost_curve(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]))
    >>> curve.positive_share.round(3).tolist(), curve.cost.round(3).tolist()
    ([0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.0, 0.25, 0.0, 0.0])
    """
    tp, fp = with_origin(decisions)
    corners = hull_corners(decisions)
    with np.errstate(invalid="ignore"):
        fpr, fnr = fp[corners] / fp[-1], (tp[-1] - tp[corners]) / tp[-1]
    more_alarms, fewer_misses = np.diff(fpr), -np.diff(fnr)
    with np.errstate(invalid="ignore"):
        crossings = more_alarms / (more_alarms + fewer_misses)
    costs = fnr[:-1] * crossings + fpr[:-1] * (1 - crossings)
    thresholds = np.concatenate(([np.inf], decisions.thresholds))[corners]
    share = np.concatenate(([0.0], crossings, [1.0]))
    return CostCurve(share, np.concatenate((fpr[:1], costs, fnr[-1:])), thresholds[np.r_[: len(corners), -1]])
