"""Registry of figure kinds: the rows of each and the function that draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from germane.catalogue import known_name
from germane.errors import GermaneError, unknown
from germane.output.plots import confusion, curves, decisions, operating, predictions, queries, score_views, systems
from germane.output.plots.theme import Spec
from germane.output.reports import classification_rows as classification
from germane.output.reports import operating_rows
from germane.output.reports import regression_rows as regression
from germane.output.reports import retrieval_rows as retrieval

Source = Literal["runs", "decisions", "numbers"]


@dataclass(frozen=True)
class Plot:
    """A kind of figure: `rows` gives `draw` its arguments."""

    draw: Callable[..., Spec]
    rows: Callable[..., dict[str, Any]]
    help: str


PLOTS: dict[str, Plot] = {
    "pr": Plot(
        curves.precision_recall,
        retrieval.precision_recall_rows,
        "Precision vs. recall, averaged at every hundredth of recall; every point with --query.",
    ),
    "iprec": Plot(
        curves.interpolated_precision,
        retrieval.eleven_point_rows,
        "Interpolated precision at eleven recall levels.",
    ),
    "differences": Plot(queries.differences, retrieval.difference_rows, "Differences of two systems by query, sorted."),
    "distribution": Plot(systems.distribution, retrieval.distribution_rows, "Per-query values by system."),
    "forest": Plot(
        systems.forest,
        retrieval.forest_rows,
        "Differences from the baseline (default: the best system) with intervals.",
    ),
    "leaderboard": Plot(
        systems.leaderboard,
        retrieval.leaderboard_rows,
        "Means with intervals; letters join systems that do not differ significantly.",
    ),
}

DECISION_PLOTS: dict[str, Plot] = {
    "roc": Plot(
        decisions.roc, classification.roc_rows, "True vs. false positive rate, with chance, convex hull and AUC."
    ),
    "pr": Plot(
        decisions.precision_recall,
        classification.precision_recall_rows,
        "Precision vs. recall in steps, with lines of equal F1 and the prevalence.",
    ),
    "det": Plot(decisions.det, classification.det_rows, "Miss rate vs. false alarm rate on probit axes, with the EER."),
    "gains": Plot(
        operating.gains, operating_rows.gains_rows, "Share of the positives among the items with the highest scores."
    ),
    "lift": Plot(
        operating.lift, operating_rows.lift_rows, "Precision of the highest scores relative to the prevalence."
    ),
    "net-benefit": Plot(
        operating.net_benefit,
        operating_rows.net_benefit_rows,
        "Decision curves: net benefit by threshold probability with a band, and of acting on all or none.",
    ),
    "cost": Plot(
        operating.cost,
        operating_rows.cost_rows,
        "Cost curves: lowest expected cost by the share of the cost that falls on positives.",
    ),
    "density": Plot(score_views.density, classification.density_rows, "Score densities of positives and negatives."),
    "threshold": Plot(
        score_views.above,
        classification.threshold_rows,
        "Score densities and rates by threshold, with the threshold of a --rule and the undecided zone.",
    ),
    "calibration": Plot(
        score_views.above,
        classification.calibration_rows,
        "Calibration: share of positives by predicted probability (isotonic fit with a band), and a histogram.",
    ),
    "confusion": Plot(
        confusion.confusion,
        classification.confusion_rows,
        "Confusion matrix as a heat map: counts, row percentages, clusters outlined.",
    ),
}

NUMBER_PLOTS: dict[str, Plot] = {
    "predicted": Plot(
        predictions.against_truth, regression.predicted_rows, "Predicted against true values, with the diagonal."
    ),
    "residuals": Plot(predictions.errors, regression.error_rows, "Errors (predicted − true) by predicted value."),
    "quantiles": Plot(
        predictions.quantile_calibration,
        regression.quantile_rows,
        "Calibration of quantiles: share of true values at or below each, with intervals.",
    ),
}

FOUND = {"runs": "runs", "decisions": "one file"}
"""What a source that was found is called, where that is shorter than what it should be."""
SOURCES: dict[Source, tuple[dict[str, Plot], str, str]] = {
    "runs": (PLOTS, "judgments and at least one run", "QRELS RUN"),
    "decisions": (DECISION_PLOTS, "one table of labelled items", "DATA.csv"),
    "numbers": (NUMBER_PLOTS, "predicted numbers", "DATA.csv --task regression"),
}
"""The kinds of figures of each source, what it is, and how to give it."""


def plot_kind(kind: str, source: Source) -> Plot:
    """The entry of a kind that is drawn from runs, from labelled items, or from predicted numbers."""
    known = {**PLOTS, **DECISION_PLOTS, **NUMBER_PLOTS}
    named = known_name(kind, known) or kind
    if named not in known:
        raise unknown("plot", kind, known)
    plots, found, _ = SOURCES[source]
    if named not in plots:
        needed, files = next((what, files) for kinds, what, files in SOURCES.values() if named in kinds)
        problem = f"a figure of kind {kind} requires {needed}, found {FOUND.get(source, found)}"
        raise GermaneError(problem, hint=f"use `germane plot {kind} {files}`")
    return plots[named]
