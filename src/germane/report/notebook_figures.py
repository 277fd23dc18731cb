"""Figures in notebooks: those that go with a result, and those that somebody draws."""

from __future__ import annotations

import base64
import html
from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from germane.api.reporting_decisions import DecisionNumbers
from germane.api.reporting_scores import ScoreView
from germane.report.classification_rows import roc_rows
from germane.report.figures import as_svg, with_config
from germane.report.plots import decisions as decision_plots
from germane.report.plots import systems
from germane.report.plots.theme import Spec
from germane.report.retrieval_rows import Asked, distribution_rows, forest_rows
from germane.tables.comparison import Comparison
from germane.tables.decisions import Decisions
from germane.tables.display import MimeBundle
from germane.tables.performance import Performance
from germane.tables.scores import Scores

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
        forms: MimeBundle = {
            NOTEBOOK_TYPE: {**with_config(self), "$schema": NOTEBOOK_SCHEMA},
            "text/plain": repr(self),
        }
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


@dataclass(frozen=True, eq=False)
class _Numbers:
    """What the rows of figures on runs are made from."""

    scores: Scores
    comparison: Comparison | None = None
    not_compared: str = ""


def figure_of_scores(scores: Scores) -> Spec | None:
    """The value of every query, by run, of the first measure."""
    if not scores.queries or len(scores.runs) * len(scores.queries) > MOST_POINTS:
        return None
    return systems.distribution(**distribution_rows(_Numbers(scores), Asked()))


def figure_of_comparison(comparison: Comparison) -> Spec | None:
    """Differences from the baseline, or from the best, of the first measure."""
    if not comparison.paired:
        return None
    asked = Asked(comparison.pairs[0].measure)
    rows = forest_rows(_Numbers(comparison.scores, comparison), asked)
    return systems.forest(**rows) if len(rows["rows"]) <= MOST_POINTS else None


def figure_of_performance(performance: Performance) -> Spec | None:
    """The ROC curve, of scores of two classes."""
    if performance.decisions is None or performance.decisions.one_class:
        return None
    view = ScoreView(performance.name, performance.decisions, "", "", False, performance.threshold, performance.overall)
    numbers = DecisionNumbers(performance.name, (performance,), None, (view,), False)
    return decision_plots.roc(**roc_rows(numbers))


def figure_of_decisions(decisions: Decisions) -> Spec | None:
    """The ROC curve."""
    from germane.measures.deciding.roc import area_under_roc
    from germane.tables.performance import Estimate

    overall = {"AUC": Estimate(area_under_roc(decisions))}
    return figure_of_performance(Performance("scores", "scores", decisions.num_rows, overall, decisions=decisions))
