"""The curves of a classifier, as JSON has them: thinned to what a drawing shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from germane.measures.decisions.at_thresholds import rates_at_thresholds, thinned
from germane.measures.decisions.scores.calibration import calibration_curve
from germane.measures.decisions.scores.score_densities import score_densities
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Performance

SHOWN_CLAIMS = 1000
"""So many points of a calibration curve are written at most."""


def performance_curves(performance: Performance) -> dict[str, Any]:
    """What a program needs to draw a classifier, null where there is none: curves, densities, calibration."""
    found: dict[str, Any] = {"curves": None, "densities": None, "calibration": None}
    if performance.decisions is not None:
        found["curves"] = curves_as_dict(performance.decisions)
        found["densities"] = densities_as_dict(performance.decisions)
        if "Brier" in performance.overall:
            found["calibration"] = calibration_as_dict(performance.decisions, performance.seed)
    return found


def curves_as_dict(decisions: Decisions) -> dict[str, Any]:
    """The counts at the thresholds, thinned to what a drawing shows; every curve follows from them."""
    columns = thinned(rates_at_thresholds(decisions))
    return {
        "num_thresholds": len(decisions),
        "thresholds": columns["threshold"].tolist(),
        **{name: columns[name].tolist() for name in ("TP", "FP", "FN", "TN")},
    }


def densities_as_dict(decisions: Decisions) -> dict[str, Any] | None:
    """The histograms of the scores of both classes; none without both, or where scores are infinite."""
    if decisions.one_class or not np.isfinite(decisions.thresholds[[0, -1]]).all():
        return None
    found = score_densities(decisions)
    return {"edges": found.edges.tolist(), "positives": found.positive.tolist(), "negatives": found.negative.tolist()}


def calibration_as_dict(decisions: Decisions, seed: int) -> dict[str, Any]:
    """The isotonic fit with the band of true claims, at no more than a thousand claims."""
    curve = calibration_curve(decisions, seed=seed)
    kept = np.unique(np.linspace(0, len(curve.claimed) - 1, min(len(curve.claimed), SHOWN_CLAIMS)).astype(np.int64))
    parts = {"predicted": curve.claimed, **{name: getattr(curve, name) for name in ("fitted", "low", "high", "count")}}
    return {"level": curve.level, **{name: part[kept].tolist() for name, part in parts.items()}}
