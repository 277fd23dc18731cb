"""What was found about a classifier, as JSON for programs: everything, in full."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from germane.measures.deciding.at_thresholds import rates_at_thresholds, thinned
from germane.measures.deciding.calibration import calibration_curve
from germane.measures.deciding.score_densities import score_densities
from germane.report.matrix_tables import matrix_as_dict
from germane.report.notes import note_as_dict
from germane.tables.decisions import Decisions
from germane.tables.performance import Estimate, Performance

SHOWN_CLAIMS = 1000
"""So many points of a calibration curve are written at most."""


def performance_as_dict(performance: Performance) -> dict[str, Any]:
    """What other programs read; its keys are stable."""
    found: dict[str, Any] = {
        "name": performance.name,
        "task": performance.task,
        "num_rows": performance.num_rows,
        "columns": dict(performance.columns),
        "positive": performance.positive,
        "threshold": performance.threshold,
        "level": performance.level,
        "seed": performance.seed,
        "resamples": performance.resamples,
        "overall": estimates_as_dict(performance.overall),
        "by_class": [
            {"label": label, "measures": estimates_as_dict(table)} for label, table in performance.by_class.items()
        ],
        "averages": {name: estimates_as_dict(table) for name, table in performance.averages.items()},
        "clusters": [list(block) for block in performance.clusters],
        "curves": None,
        "densities": None,
        "calibration": None,
        "notes": [note_as_dict(note) for note in performance.notes],
    }
    if performance.confusion is not None:
        found["confusion"] = matrix_as_dict(performance.confusion)
    if performance.decisions is not None:
        found["curves"] = curves_as_dict(performance.decisions)
        found["densities"] = densities_as_dict(performance.decisions)
        if "Brier" in performance.overall:
            found["calibration"] = calibration_as_dict(performance.decisions, performance.seed)
    return found


def estimates_as_dict(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    """Each estimate with its interval; null where a number is not defined."""
    return {
        name: {
            "value": finite(e.value),
            "low": finite(e.low),
            "high": finite(e.high),
            "method": e.method,
            **({"remark": e.remark} if e.remark else {}),
        }
        for name, e in estimates.items()
    }


def finite(value: float) -> float | str | None:
    """JSON knows neither NaN nor infinity: null, and "Infinity" or "-Infinity" as text.

    >>> finite(0.5), finite(float("nan")), finite(float("inf"))
    (0.5, None, 'Infinity')
    """
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def curves_as_dict(decisions: Decisions) -> dict[str, Any]:
    """The counts at the thresholds, thinned to what a drawing shows; every curve follows from them."""
    columns = thinned(rates_at_thresholds(decisions))
    return {
        "num_thresholds": len(decisions),
        "thresholds": [finite(value) for value in columns["threshold"].tolist()],
        **{name: columns[name].tolist() for name in ("TP", "FP", "FN", "TN")},
    }


def densities_as_dict(decisions: Decisions) -> dict[str, Any] | None:
    """The histograms of the scores of both classes; none without both, or where scores are infinite."""
    if decisions.one_class or not np.isfinite(decisions.thresholds[[0, -1]]).all():
        return None
    found = score_densities(decisions)
    return {
        "edges": found.edges.tolist(),
        "positives": found.positive.tolist(),
        "negatives": found.negative.tolist(),
    }


def calibration_as_dict(decisions: Decisions, seed: int) -> dict[str, Any]:
    """The isotonic fit with the band of true claims, at no more than a thousand claims."""
    curve = calibration_curve(decisions, seed=seed)
    kept = np.unique(np.linspace(0, len(curve.claimed) - 1, min(len(curve.claimed), SHOWN_CLAIMS)).astype(np.int64))
    columns = {name: getattr(curve, name)[kept].tolist() for name in ("claimed", "fitted", "low", "high", "count")}
    return {"level": curve.level, **{name: [finite(v) for v in column] for name, column in columns.items()}}
