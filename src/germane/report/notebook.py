"""Results as notebooks show them: the terminal's tables and notes as HTML, with a figure where that helps.

A notebook shows one form of what it is given, and which one differs: JupyterLab prefers HTML to a Vega-Lite spec, VS
Code the reverse. So a result has tables and picture in one piece of HTML, and a figure that was drawn by `germane.plot`
is a thing of its own.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from germane.measures.deciding.explain import DecisionExplanation
from germane.measures.explain import Explanation
from germane.report import notebook_figures as figures
from germane.report.classification_rows import DRAWN_RATES
from germane.report.classifier_pairs import comparison_title, render_pairs
from germane.report.comparison_tables import render_comparison
from germane.report.explanations import render_decision_explanation, render_explanation
from germane.report.notebook_blocks import Block, Table, Title, as_html, as_text, framed, read_markdown
from germane.report.notes import notes_in_words
from germane.report.performance_tables import render_performances, threshold_table
from germane.report.plots.theme import Spec
from germane.report.score_tables import render_scores
from germane.report.threshold_tables import render_threshold
from germane.tables.classifier_comparison import ClassifierComparison
from germane.tables.comparison import Comparison
from germane.tables.decisions import Decisions
from germane.tables.display import MimeBundle
from germane.tables.performance import Performance
from germane.tables.scores import Scores
from germane.tables.threshold_choice import ThresholdReport

DIGITS = 4
FIRST_AND_LAST = 5
"""Of the queries, and of the thresholds, so many from either end."""
MOST_RUNS = 10
"""So many runs are shown query by query."""


@dataclass(frozen=True)
class Shown:
    """What is shown of a result; `folded` can be opened."""

    blocks: list[Block]
    notes: list[str]
    figure: Spec | None = None
    folded_title: str = ""
    folded: tuple[Block, ...] = ()


def mime_bundle(result: Any) -> MimeBundle:
    """A result as HTML for notebooks, and as text for terminals."""
    shown = SHOWN[type(result)](result)
    short = [block.shortened() if isinstance(block, Table) else block for block in shown.blocks]
    notes = "".join(f"<li>note: {html.escape(line)}</li>" for line in shown.notes)
    folded = f"<details><summary>{html.escape(shown.folded_title)}</summary>\n{as_html(shown.folded)}</details>"
    return {
        "text/html": framed(
            as_html(short),
            figures.picture(shown.figure),
            folded if shown.folded else "",
            f'<ul class="notes">{notes}</ul>' if notes else "",
        ),
        "text/plain": (as_text(short) + "".join(f"note: {line}\n" for line in shown.notes)).rstrip("\n"),
    }


def _scores(scores: Scores) -> Shown:
    blocks = read_markdown(render_scores(scores, "markdown", digits=DIGITS))
    queries, runs = len(scores.queries), len(scores.runs)
    title = "By query"
    if queries > 2 * FIRST_AND_LAST:
        title += f": the first and the last {FIRST_AND_LAST} of {queries:,}"
    if runs > MOST_RUNS:
        title += f"; the first {MOST_RUNS} of {runs:,} runs"
    by_query = read_markdown(
        render_scores(_both_ends(scores), "markdown", per_query=True, aggregates=(), digits=DIGITS)
    )
    return Shown(blocks, notes_in_words(scores.notes), figures.figure_of_scores(scores), title, tuple(by_query))


def _both_ends(scores: Scores) -> Scores:
    """Some runs and queries, and nothing that is taken over all of them."""
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


def _ends(number: int) -> list[int]:
    return [i for i in range(number) if i < FIRST_AND_LAST or i >= number - FIRST_AND_LAST]


def _comparison(comparison: Comparison) -> Shown:
    blocks = read_markdown(render_comparison(comparison, "markdown", digits=DIGITS))
    return Shown(blocks, notes_in_words(comparison.notes), figures.figure_of_comparison(comparison))


def _performance(performance: Performance) -> Shown:
    headline = render_performances([performance], "table", digits=DIGITS).partition("\n")[0]
    blocks = read_markdown(render_performances([performance], "markdown", digits=DIGITS))
    return Shown(
        [Title(headline), *blocks], notes_in_words(performance.notes), figures.figure_of_performance(performance)
    )


def _decisions(decisions: Decisions) -> Shown:
    kept = _ends(len(decisions))
    (table,) = read_markdown(threshold_table(decisions, "markdown", digits=DIGITS, places=kept))
    assert isinstance(table, Table)
    shown = replace(
        table.with_columns(("threshold", *decisions.cells._fields, *DRAWN_RATES)),
        left_out=len(decisions) - len(kept),
    )
    head = (
        f"{decisions.num_rows:,} rows, {decisions.num_positive:,} positive and {decisions.num_negative:,} negative; "
        f"{len(decisions):,} different scores"
    )
    return Shown([Title(head), shown], [], figures.figure_of_decisions(decisions))


def _classifier_comparison(comparison: ClassifierComparison) -> Shown:
    table = read_markdown(render_pairs(comparison, "markdown", DIGITS))
    return Shown([Title(comparison_title(comparison)), *table], notes_in_words(comparison.notes))


def _threshold(report: ThresholdReport) -> Shown:
    return Shown(read_markdown(render_threshold(report, "markdown", digits=DIGITS)), notes_in_words(report.notes))


def _explanation(explanation: Explanation) -> Shown:
    return Shown(read_markdown(render_explanation(explanation, "markdown", digits=DIGITS)), [])


def _decision_explanation(explanation: DecisionExplanation) -> Shown:
    blocks = read_markdown(render_decision_explanation(explanation, "markdown", digits=DIGITS))
    return Shown(blocks, notes_in_words(explanation.notes))


SHOWN: dict[type, Callable[[Any], Shown]] = {
    Scores: _scores,
    Comparison: _comparison,
    Performance: _performance,
    Decisions: _decisions,
    ClassifierComparison: _classifier_comparison,
    ThresholdReport: _threshold,
    Explanation: _explanation,
    DecisionExplanation: _decision_explanation,
}
"""How each kind of result is shown."""
