"""Pages and figures into files: `germane.report` and `germane.plot`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from germane.api.evaluating import DEFAULT_MEASURES
from germane.api.reporting import report_options, retrieval_numbers
from germane.api.reporting_texts import Documents, Questions, read_questions, texts_for
from germane.arguments import checked, refuse_unknown
from germane.formats.targets import open_target
from germane.report.figures import format_of, require_folder, vl_convert, write_figure
from germane.report.notebook_figures import Figure
from germane.report.plots.registry import plot_kind
from germane.report.retrieval_rows import Asked
from germane.tables.measure import Measure


@checked
def report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    output: str | Path,
    title: str = "Retrieval report",
    baseline: str | None = None,
    depth: int = 50,
    questions: Questions | None = None,
    question_numbers: Literal["given", "position"] = "given",
    documents: Documents | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> None:
    """Write one self-contained page on runs: leaderboard, curves, differences, and every query with its rankings.

    It takes judgments and runs and not their scores, because it shows rankings and explains numbers. Rankings go down
    to `depth`, and every relevant document besides. Options are those of `evaluate` (ties, topics, …) and of `compare`
    (test, correction, alpha, interval, level, seed); `costs` is a CSV file or a dict, by run, of what each costs.

    `questions` says in words what the queries ask: a file of topics (TREC, TSV, JSON lines), or a dict of texts by id.
    `question_numbers="position"` is for judgments that count the positions in that file. `documents` is an index, a
    collection, or a dict of texts by id: each ranking then shows how its documents begin.
    """
    from germane.report.retrieval_page import retrieval_page

    refuse_unknown("report", options, report_options())
    vl_convert()  # whoever lacks it should hear so before the work, not after; and so for a folder that is not there
    require_folder(output)
    asked = read_questions(questions, question_numbers)
    numbers = retrieval_numbers(qrels, runs, measures, baseline=baseline, depth=depth, progress=progress, **options)
    shown = (query.documents for query in numbers.rankings)
    texts = texts_for(numbers.scores.queries, shown, asked, documents)
    with open_target(output) as target:
        target.write(retrieval_page(numbers, title, texts).encode())


@checked
def plot(
    kind: str,
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    output: str | Path | None = None,
    query: str | None = None,
    **options: Any,
) -> Figure:
    """Draw one figure of a measure (the first of several), and return its Vega-Lite spec, which notebooks show.

    `output` ends with svg, png, pdf, html or json; `query` shows one query instead of the average. Options are those of
    `report`. `germane.report.plots.registry.PLOTS` lists the kinds.

    >>> spec = plot("distribution", {"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "RR")
    >>> spec["datasets"]["rows"]
    [{'system': 'run', 'query': 'q1', 'value': 0.5}]
    """
    refuse_unknown("plot", options, ("baseline", "depth", *report_options()))
    entry = plot_kind(kind)
    if output is not None:  # a slip in it should be told before the work, not after
        format_of(output)
        require_folder(output)
    numbers = retrieval_numbers(qrels, runs, measures, **options)
    spec = Figure(entry.draw(**entry.rows(numbers, Asked(query=query))))
    if output is not None:
        write_figure(spec, output)
    return spec
