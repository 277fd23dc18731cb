"""The kinds of figures: what each needs, how its rows are made and who draws them. A new kind is one entry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from germane.errors import GermaneError, did_you_mean
from germane.report import retrieval_rows as retrieval
from germane.report.plots import curves, queries, systems
from germane.report.plots.theme import Spec

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


def plot_kind(kind: str) -> Plot:
    """The entry of a kind."""
    if kind not in PLOTS:
        raise GermaneError(
            f"no plot is called {kind!r}{did_you_mean(kind, PLOTS)}", hint=f"there are: {', '.join(PLOTS)}"
        )
    return PLOTS[kind]
