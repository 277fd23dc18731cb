"""Registry of figure kinds: the rows of each and the function that draws them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from germane.catalogue import known_name
from germane.errors import GermaneError, unknown
from germane.output.plots import confusion, curves, decisions, operating, queries, score_views, systems
from germane.output.plots.theme import Spec
from germane.output.reports import classification_rows as classification
from germane.output.reports import operating_rows
from germane.output.reports import retrieval_rows as retrieval

Source = Literal["runs", "decisions"]


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


OTHERWISE = {
    "runs": ("requires one table of labelled items, found runs", "DATA.csv"),
    "decisions": ("requires judgments and at least one run, found one file", "QRELS RUN"),
}


def plot_kind(kind: str, source: Source) -> Plot:
    """The entry of a kind that is drawn from runs, or from labelled items."""
    known = {**PLOTS, **DECISION_PLOTS}
    named = known_name(kind, known) or kind
    if named not in known:
        raise unknown("plot", kind, known)
    plots = PLOTS if source == "runs" else DECISION_PLOTS
    if named not in plots:
        what, files = OTHERWISE[source]
        raise GermaneError(f"a figure of kind {kind} {what}", hint=f"use `germane plot {kind} {files}`")
    return plots[named]
