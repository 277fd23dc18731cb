"""Figures in notebooks: those that go with a result, and those that somebody draws."""

from __future__ import annotations

import base64
import html
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

from germane.api.reports.decisions import DecisionNumbers
from germane.api.reports.rankings import Choices, RetrievalNumbers
from germane.api.reports.scores import ScoreView
from germane.output.plots import decisions as decision_plots
from germane.output.plots import systems
from germane.output.plots.figures import as_svg, with_config
from germane.output.plots.theme import Spec
from germane.output.reports.classification_rows import roc_rows
from germane.output.reports.retrieval_rows import Asked, distribution_rows, forest_rows
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.performance import Performance
from germane.tables.results.performances import Performances
from germane.tables.results.result import MimeBundle
from germane.tables.results.scores import Scores

NOTEBOOK_TYPE = "application/vnd.vegalite.v5+json"
NOTEBOOK_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""What JupyterLab and VS Code draw by themselves. Our specs need nothing newer."""
MOST_POINTS = 2000
"""A picture of more values would make a notebook heavy."""


class Figure(dict[str, Any]):
    """A Vega-Lite spec that a notebook draws: JupyterLab and VS Code from the spec, others from a picture."""

    def __repr__(self) -> str:
        return f"<Figure: {self.get('description', 'a Vega-Lite spec')}>"

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> MimeBundle:
        forms: MimeBundle = {NOTEBOOK_TYPE: {**with_config(self), "$schema": NOTEBOOK_SCHEMA}, "text/plain": repr(self)}
        if can_draw():
            forms["image/svg+xml"] = as_svg(self)
        return forms


def can_draw() -> bool:
    """Whether the library that makes pictures is there."""
    return find_spec("vl_convert") is not None


def picture(spec: Spec | None) -> str:
    """A figure as part of a page of HTML; nothing where there is none, or nothing to draw it with."""
    if spec is None or not can_draw():
        return ""
    encoded = base64.b64encode(as_svg(spec).encode()).decode()
    return f'<img alt="{html.escape(spec["description"])}" src="data:image/svg+xml;base64,{encoded}">'


def figure_of_scores(scores: Scores) -> Spec | None:
    """The value of every query, by run, of the first measure."""
    if not scores.queries or len(scores.runs) * len(scores.queries) > MOST_POINTS:
        return None
    return systems.distribution(**distribution_rows(RetrievalNumbers(scores, Choices()), Asked()))


def figure_of_comparison(comparison: SystemComparison) -> Spec | None:
    """Differences from the baseline, or from the best, of the first measure."""
    if not comparison.paired:
        return None
    asked = Asked(comparison.pairs[0].measure)
    rows = forest_rows(RetrievalNumbers(comparison.scores, Choices(), comparison), asked)
    return systems.forest(**rows) if len(rows["rows"]) <= MOST_POINTS else None


def figure_of_performances(found: Performances) -> Spec | None:
    """The ROC curve of the only classifier, of scores of two classes."""
    performance = found[0]
    if len(found) > 1 or performance.decisions is None or performance.decisions.one_class:
        return None
    view = ScoreView(performance.name, performance.decisions, "", "", False, performance.threshold, performance.overall)
    numbers = DecisionNumbers(performance.name, (performance,), None, (view,), False)
    return decision_plots.roc(**roc_rows(numbers))


def figure_of_decisions(decisions: Decisions) -> Spec | None:
    """The ROC curve."""
    from germane.measures.decisions.scores.roc import area_under_roc
    from germane.tables.results.performance import Estimate

    overall = {"AUC": Estimate(area_under_roc(decisions))}
    found = Performance("scores", "scores", decisions.num_rows, overall, decisions=decisions)
    return figure_of_performances(Performances((found,)))
