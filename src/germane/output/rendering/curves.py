"""Curves of a classifier for JSON, thinned to the points that a drawing can show."""

from __future__ import annotations

from typing import Any

import numpy as np

from germane.measures.decisions.at_thresholds import rates_at_thresholds, thinned
from germane.measures.decisions.scores.calibration import calibration_curve
from germane.measures.decisions.scores.score_densities import score_densities
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Performance

MAX_CALIBRATION_POINTS = 1000
"""Maximum number of points of a calibration curve in JSON."""


def performance_curves(performance: Performance) -> dict[str, Any]:
    """Return the data to draw a classifier: curves, densities and calibration, None where undefined."""
    found: dict[str, Any] = {"curves": None, "densities": None, "calibration": None}
    if performance.decisions is not None:
        found["curves"] = curves_as_dict(performance.decisions)
        found["densities"] = densities_as_dict(performance.decisions)
        if "Brier" in performance.overall:
            found["calibration"] = calibration_as_dict(performance.decisions, performance.seed)
    return found


def curves_as_dict(decisions: Decisions) -> dict[str, Any]:
    """Return the counts at the thresholds, from which every curve follows, thinned to what a drawing can show."""
    columns = thinned(rates_at_thresholds(decisions))
    return {
        "num_thresholds": len(decisions),
        "thresholds": columns["threshold"].tolist(),
        **{name: columns[name].tolist() for name in ("TP", "FP", "FN", "TN")},
    }


def densities_as_dict(decisions: Decisions) -> dict[str, Any] | None:
    """Return histograms of the scores of both classes; None without both classes, or if scores are infinite."""
    if decisions.one_class or not np.isfinite(decisions.thresholds[[0, -1]]).all():
        return None
    found = score_densities(decisions)
    return {"edges": found.edges.tolist(), "positives": found.positive.tolist(), "negatives": found.negative.tolist()}


def calibration_as_dict(decisions: Decisions, seed: int) -> dict[str, Any]:
    """Return the isotonic fit with the consistency band of a calibrated classifier, at most 1,000 points."""
    curve = calibration_curve(decisions, seed=seed)
    kept = np.unique(
        np.linspace(0, len(curve.claimed) - 1, min(len(curve.claimed), MAX_CALIBRATION_POINTS)).astype(np.int64)
    )
    parts = {"predicted": curve.claimed, **{name: getattr(curve, name) for name in ("fitted", "low", "high", "count")}}
    return {"level": curve.level, **{name: part[kept].tolist() for name, part in parts.items()}}
