"""From the numbers of a report on classifiers to the rows of gains, lift, decision curves and cost curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from germane.api.reports.decisions import DecisionNumbers
from germane.api.reports.scores import ScoreView
from germane.errors import GermaneError
from germane.measures.decisions.scores.decision_curve import DecisionCurve, cost_curve, decision_curve
from germane.measures.decisions.scores.gains import gains_curve
from germane.output.reports.classification_rows import Found, in_series, points_of, series_of, views_with_scores
from germane.stats.intervals.gains import gain_estimate, lift_estimate
from germane.stats.intervals.proportions import normal_quantile
from germane.tables.results.performance import Estimate

TOP = 0.1
"""Share of the items whose gain or lift a legend states."""
MAX_BANDS = 3
"""Maximum number of classifiers with a band; more would cover one another."""


def gains_rows(numbers: DecisionNumbers) -> Found:
    """Gains of every classifier; the legend states that of the top tenth."""
    return _of_top(numbers, "gains", "gain", gain_estimate)


def lift_rows(numbers: DecisionNumbers) -> Found:
    """Lift of every classifier; the legend states that of the top tenth."""
    return _of_top(numbers, "lift", "lift", lift_estimate)


def _of_top(numbers: DecisionNumbers, kind: str, measure: str, estimate: Callable[..., Estimate]) -> Found:
    views: list[ScoreView] = []
    named, level = f"{measure}(at={TOP:g})", numbers.performances[0].level
    rows: list[Found] = []
    for view in views_with_scores(numbers, kind):
        views.append(replace(view, estimates={named: estimate(view.decisions, at=TOP, level=level)}))
        # The first point has no items, and so no lift.
        curve, places = gains_curve(view.decisions), view.places if measure == "gain" else view.places[1:]
        columns = {measure: getattr(curve, measure)[places], "threshold": curve.thresholds[places]}
        rows += points_of(view, share=curve.share[places], **columns)
    return {"rows": in_series(rows, tuple(views), named), "series": series_of(tuple(views), named)}


def net_benefit_rows(numbers: DecisionNumbers) -> Found:
    """Decision curves of every classifier, with pointwise intervals if they are few; acting on all."""
    views = views_with_scores(numbers, "net-benefit")
    curves = [_decision_curve(view) for view in views]
    rows: list[Found] = []
    band: list[Found] = []
    # Classifiers of other items have another prevalence, and so another line.
    act_on_all: dict[float, list[Found]] = {}
    quantile = normal_quantile(numbers.performances[0].level)
    for view, curve in zip(views, curves, strict=True):
        # Where no item reaches the threshold nothing varies, and no interval can be given.
        has_ends = (curve.error > 0) & (not view.decisions.weighted)
        half = np.where(has_ends, quantile * curve.error, np.nan)
        ends = {"low": curve.net_benefit - half, "high": curve.net_benefit + half, "act_on_all": curve.act_on_all}
        points = points_of(view, act_at=curve.act_at, benefit=curve.net_benefit, **ends)
        rows += points
        act_on_all[view.prevalence] = points_of(view, act_at=curve.act_at, benefit=curve.act_on_all)
        if len(views) <= MAX_BANDS:
            band += [dict(row) for row in points if row["low"] is not None]
    best = max([view.prevalence for view in views])
    return {
        "rows": in_series(rows, views, "Brier"),
        "series": series_of(views, "Brier"),
        "band": in_series(band, views, "Brier"),
        "act_on_all": [row for points in act_on_all.values() for row in points],
        "domain": [-0.2 * best, 1.05 * best],
    }


def _decision_curve(view: ScoreView) -> DecisionCurve:
    if not view.probabilities:
        hint = "use scores between 0 and 1, which are treated as probabilities"
        raise GermaneError(f"{view.name}: a decision curve needs probabilities, found other scores", hint=hint)
    return decision_curve(view.decisions)


def cost_rows(numbers: DecisionNumbers) -> Found:
    """Cost curves of every classifier."""
    views = views_with_scores(numbers, "cost")
    rows: list[Found] = []
    for view in views:
        curve = cost_curve(view.decisions)
        rows += points_of(view, share=curve.positive_share, cost=curve.cost, threshold=curve.thresholds)
    return {"rows": in_series(rows, views, "AUC"), "series": series_of(views, "AUC")}
