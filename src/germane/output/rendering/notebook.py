"""Results in notebooks: tables and notes as HTML, with a figure where that helps.

A notebook shows only one of the forms of an object, and which one differs: JupyterLab prefers HTML to a Vega-Lite
specification, VS Code the reverse. So a result has its tables and figure in one HTML fragment, while a figure drawn by
`germane.plot` is an object of its own.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from germane.measures.decisions.at_thresholds import rates_at_thresholds
from germane.output.plots import notebook_figures as figures
from germane.output.plots.theme import Spec
from germane.output.rendering import DIGITS, terminal
from germane.output.rendering.html import framed, lines_as_html, notes_as_html, table_as_html
from germane.output.rendering.notes import notes_in_words
from germane.output.reports.classification_rows import DRAWN_RATES
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.performances import AtThresholds, Performances
from germane.tables.results.result import MimeBundle, Result
from germane.tables.results.scores import Scores

MOST_ROWS = 30
"""Maximum number of rows; a longer table shows its first and last rows, and counts those in between."""
FIRST_AND_LAST = 5
"""Number of queries or thresholds shown from either end."""
MOST_RUNS = 10
"""Maximum number of runs shown query by query."""

FIGURES: dict[type, Callable[[Any], Spec | None]] = {
    Scores: figures.figure_of_scores,
    SystemComparison: figures.figure_of_comparison,
    Performances: figures.figure_of_performances,
    AtThresholds: lambda found: figures.figure_of_decisions(found.decisions),
}
"""Functions that draw the figure of a result, by its type."""


def mime_bundle(shown_as: Result | Decisions) -> MimeBundle:
    """Return a result as HTML for notebooks, and as text for terminals."""
    result = at_some_thresholds(shown_as) if isinstance(shown_as, Decisions) else shown_as
    shown = [each if isinstance(each, str) else each.ends(MOST_ROWS) for each in result.shown(digits=DIGITS)]
    notes = notes_in_words(result.notes)
    draw = FIGURES.get(type(result))
    parts = [lines_as_html(each) if isinstance(each, str) else table_as_html(each, DIGITS) for each in shown]
    picture = figures.picture(draw(result) if draw else None)
    folded = _by_query(result) if isinstance(result, Scores) else ""
    text = terminal.render(shown, DIGITS) + "".join(f"note: {line}\n" for line in notes)
    return {"text/html": framed(*parts, picture, folded, notes_as_html(notes)), "text/plain": text.rstrip("\n")}


def at_some_thresholds(decisions: Decisions) -> AtThresholds:
    """Return the most common rates, at the highest and the lowest scores."""
    rates = rates_at_thresholds(decisions)
    return AtThresholds(rates, decisions, _ends(len(decisions)), DRAWN_RATES)


def _ends(number: int) -> list[int]:
    return [*range(min(number, FIRST_AND_LAST)), *range(max(FIRST_AND_LAST, number - FIRST_AND_LAST), number)]


def _by_query(scores: Scores) -> str:
    """Render the values of the first and last queries in a collapsible section."""
    queries, runs = len(scores.queries), len(scores.runs)
    title = "By query"
    if queries > 2 * FIRST_AND_LAST:
        title += f": first and last {FIRST_AND_LAST} of {queries:,}"
    if runs > MOST_RUNS:
        title += f"; first {MOST_RUNS} of {runs:,} runs"
    table = _both_ends(scores).table("queries")
    return f"<details><summary>{html.escape(title)}</summary>\n{table_as_html(table, DIGITS)}</details>"


def _both_ends(scores: Scores) -> Scores:
    """Keep some runs and queries, without values computed over all of them."""
    q, r = _ends(len(scores.queries)), slice(MOST_RUNS)
    return replace(
        scores,
        runs=scores.runs[r],
        queries=tuple(scores.queries[i] for i in q),
        **{name: getattr(scores, name)[r][..., q] for name in ("values", "numerator", "denominator", "scored")},
        low=None,
        high=None,
        intervals=None,
        slices={},
    )
