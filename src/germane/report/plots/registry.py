"""The kinds of figures: what each needs, how its rows are made and who draws them. A new kind is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from germane.errors import GermaneError, did_you_mean
from germane.report import classification_rows as classification
from germane.report import retrieval_rows as retrieval
from germane.report.plots import confusion, curves, decisions, queries, score_views, systems
from germane.report.plots.theme import Spec
from germane.tables.spelling import known_name

Source = Literal["runs", "decisions"]


@dataclass(frozen=True)
class Plot:
    """A kind of figure: `rows` takes numbers from `source` and gives `draw` its arguments."""

    draw: Callable[..., Spec]
    rows: Callable[..., dict[str, Any]]
    source: Source
    help: str


PLOTS: dict[str, Plot] = {
    "pr": Plot(
        curves.precision_recall,
        retrieval.precision_recall_rows,
        "runs",
        "Precision against recall, averaged at every hundredth of recall; every point with --query.",
    ),
    "iprec": Plot(
        curves.interpolated_precision,
        retrieval.eleven_point_rows,
        "runs",
        "Interpolated precision at the eleven levels of recall.",
    ),
    "differences": Plot(
        queries.differences, retrieval.difference_rows, "runs", "Two systems, query by query, sorted by difference."
    ),
    "distribution": Plot(
        systems.distribution, retrieval.distribution_rows, "runs", "The value of every query, by system."
    ),
    "forest": Plot(
        systems.forest,
        retrieval.forest_rows,
        "runs",
        "Differences from the baseline (else from the best system) with intervals.",
    ),
    "leaderboard": Plot(
        systems.leaderboard, retrieval.leaderboard_rows, "runs", "Means with intervals, and letters for groups."
    ),
}

DECISION_PLOTS: dict[str, Plot] = {
    "roc": Plot(
        decisions.roc,
        classification.roc_rows,
        "decisions",
        "True against false positive rate, with chance, hull and AUC.",
    ),
    "pr": Plot(
        decisions.precision_recall,
        classification.precision_recall_rows,
        "decisions",
        "Precision against recall in steps, with lines of equal F1 and the prevalence.",
    ),
    "det": Plot(
        decisions.det, classification.det_rows, "decisions", "Misses against false alarms on probit axes, with the EER."
    ),
    "density": Plot(
        score_views.density, classification.density_rows, "decisions", "The scores of positives and of negatives."
    ),
    "threshold": Plot(
        score_views.threshold_view,
        classification.threshold_rows,
        "decisions",
        "Both densities above the rates at every threshold, with the threshold of a --rule and the undecided zone.",
    ),
    "calibration": Plot(
        score_views.calibration_view,
        classification.calibration_rows,
        "decisions",
        "What was claimed against what came true (isotonic, with a band), and a histogram of the claims.",
    ),
    "confusion": Plot(
        confusion.confusion,
        classification.confusion_rows,
        "decisions",
        "The confusion matrix as a heat map: counts, percent of the row, clusters outlined.",
    ),
}


def plot_kind(kind: str) -> Plot:
    """The entry of a kind that is drawn of runs."""
    named = known_name(kind, {**PLOTS, **DECISION_PLOTS}) or kind
    if named in DECISION_PLOTS and named not in PLOTS:
        raise GermaneError(
            f"a figure of kind {kind} is drawn from one table of labelled items", hint=f"germane plot {kind} DATA.csv"
        )
    return _known(named, PLOTS)


def decision_plot_kind(kind: str) -> Plot:
    """The entry of a kind that is drawn of labelled items."""
    named = known_name(kind, {**PLOTS, **DECISION_PLOTS}) or kind
    if named in PLOTS and named not in DECISION_PLOTS:
        raise GermaneError(
            f"a figure of kind {kind} is drawn from judgments and at least one run, found one file",
            hint=f"germane plot {kind} QRELS RUN",
        )
    return _known(named, DECISION_PLOTS)


def _known(kind: str, plots: dict[str, Plot]) -> Plot:
    if kind not in plots:
        known = [*PLOTS, *(name for name in DECISION_PLOTS if name not in PLOTS)]
        raise GermaneError(
            f"no plot is called {kind!r}{did_you_mean(kind, known)}", hint=f"there are: {', '.join(known)}"
        )
    return plots[kind]
