"""Pages and figures into files: `germane.report` and `germane.plot`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from germane.api.inputs import subject_of
from germane.api.options import ReportOptions
from germane.api.reports.numbers import numbers_of
from germane.api.reports.regression import RegressionNumbers
from germane.api.reports.texts import read_questions, texts_for
from germane.arguments import checked, refuse_unknown
from germane.errors import GermaneError, InputError
from germane.formats.files.part_folders import is_read
from germane.formats.files.targets import open_target
from germane.output.page.vega import bundling_ahead
from germane.output.plots.figures import fit_size, format_of, require_folder, vl_convert, write_figure
from germane.output.plots.kinds import plot_kind
from germane.output.plots.notebook_figures import Figure
from germane.output.plots.sizes import size_of
from germane.output.reports.retrieval_rows import Asked
from germane.tables.results.performances import Performances
from germane.tables.results.result import Result

if TYPE_CHECKING:
    from germane.types import LabelsLike, MatrixLike, MeasuresLike, QrelsLike, RunsLike, TableLike

TITLES = {"clusters": "Clustering report", "densities": "Density report"}
"""Titles of pages on items of other tasks."""
OF_RUNS = ("query_texts", "topic_numbers", "documents")
"""Options of pages on runs."""

READ_BESIDES = ("query_texts", "documents", "run_costs")
"""Options that may name an input file."""


@checked
def report(
    data: Result | QrelsLike | TableLike | LabelsLike | MatrixLike,
    runs: RunsLike | str | Path | None = None,
    measures: MeasuresLike | None = None,
    *,
    output: str | Path | None = None,
    title: str | None = None,
    **options: Unpack[ReportOptions],
) -> None:
    """Write one self-contained page on a result, on runs, or on classifiers: ``report(scores, "page.html")``.

    Of runs, it shows the leaderboard, curves, differences, and every query with its rankings down to `depth`, and every
    relevant document besides: `data` are judgments, or scores, whose runs are read again. Options are those of
    `evaluate` (ties, topics, …) and of `compare` (test, correction, alpha, interval, level, seed); `run_costs` is a
    CSV file or a dict, by run, of what each costs. `query_texts` says in words what the queries ask: a file of topics
    (TREC, TSV, JSON lines), or a dict of texts by id. ``topic_numbers="position"`` is for judgments that count the
    positions in that file. `documents` is an index, a collection, a folder of pictures named by document, or a dict of
    texts by id: rankings then show how documents begin, and open the whole text with the words of the query marked.

    Of classifiers, it shows matrices, rates, and scores with a threshold that can be moved: `data` and options are
    those of `classify`, and `rules` names rules whose thresholds are to be at hand besides the usual ones. Of predicted
    numbers (``task="regression"``), it shows predictions, errors, quantiles and differences.
    """
    if isinstance(data, Result) and output is None:
        output, runs = runs, None  # type: ignore[assignment]
    if output is None:
        raise GermaneError("report: expected an output file, found none", hint="add `output='report.html'`")
    vl_convert()  # whoever lacks it should hear so before the work, not after; and so for a folder that is not there
    require_folder(output)
    _spare_inputs(output, data, runs, options)
    given: dict[str, Any] = dict(options)
    texts = {name: given.pop(name) for name in OF_RUNS if name in given}
    with bundling_ahead():
        if subject_of("report", data, runs) in ("scores", "rankings"):
            numbers = numbers_of("report", data, runs, measures, given)
            page = _page_on_runs(numbers, title or "Retrieval report", **texts)
        else:
            refuse_unknown("report", texts, given)
            page = _page_on_items(data, measures, title, given)
    with open_target(output) as target:
        target.write(page.encode())


def _spare_inputs(output: str | Path, data: Any, runs: Any, options: Mapping[str, Any]) -> None:
    """Raise an error if the output would replace a file that is read: judgments cannot be recovered from a page."""
    several = list(runs.values()) if isinstance(runs, Mapping) else runs if isinstance(runs, list | tuple) else [runs]
    paths = [data, *several, *(options.get(name) for name in READ_BESIDES)]
    if is_read(output, [path for path in paths if isinstance(path, str | Path)]):
        raise InputError(output, None, "the output is also an input", hint="choose another name for the output")


def _page_on_runs(
    numbers: Any, title: str, query_texts: Any = None, topic_numbers: Any = "given", documents: Any = None
) -> str:
    from germane.output.reports.retrieval_page import retrieval_page

    asked = read_questions(query_texts, topic_numbers)
    shown = (query.by_best_rank() for query in numbers.rankings)
    return retrieval_page(numbers, title, texts_for(numbers.scores.queries, shown, asked, documents))


def _page_on_items(data: Any, measures: Any, title: str | None, options: dict[str, Any]) -> str:
    from germane.output.reports.classification_page import classification_page
    from germane.output.reports.regression_page import regression_page

    advance = options.pop("progress", None)
    if advance is not None and not isinstance(data, Result):  # one half of the work; the other is to choose thresholds
        options["progress"] = lambda done, total: advance(done, 2 * total)
    numbers: Any = numbers_of("report", data, None, measures, options)
    if isinstance(numbers, RegressionNumbers):
        return regression_page(numbers, title or "Regression report")
    for place, view in enumerate(numbers.views):
        if advance is not None:
            advance(len(numbers.views) + place, 2 * len(numbers.views))
        view.choices  # noqa: B018 -- what takes longest of what is left
    usual = TITLES.get(numbers.performances[0].task, "Classification report")
    return classification_page(numbers, title or usual)


@checked
def plot(
    kind: str,
    data: Result | QrelsLike | TableLike | LabelsLike | MatrixLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike | None = None,
    *,
    output: str | Path | None = None,
    query: str | None = None,
    size: str | None = None,
    **options: Unpack[ReportOptions],
) -> Figure:
    """Draw one figure of a result, of runs, or of classifiers; return its Vega-Lite spec, which notebooks show.

    What it takes besides the kind is what `report` takes; of several measures the first is drawn. `output` ends with
    svg, png, pdf, html, json or csv; `query` shows one query instead of the average. `size` lays the figure out for a
    place: ``"column"`` (3.3 inches wide, text of 8 pt), ``"page"`` (7 inches, 9 pt), ``"slide"`` (16:9, 18 pt), or
    width and height in inches (``"5x3"``) or pixels (``"800x600px"``).
    `germane.output.plots.kinds.PLOTS` lists the kinds.

    >>> spec = plot("distribution", {"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "RR")
    >>> spec["datasets"]["rows"]
    [{'system': 'run', 'query': 'q1', 'value': 0.5}]
    >>> spec = plot("roc", [0, 1, 1, 0], y_score=[0.1, 0.8, 0.4, 0.3])
    >>> [(row["fpr"], row["tpr"]) for row in spec["datasets"]["hull"]]
    [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    """
    of_runs = subject_of("plot", data, runs) in ("scores", "rankings")
    task = data[0].task if isinstance(data, Performances) else options.get("task")
    entry = plot_kind(kind, "runs" if of_runs else "numbers" if task == "regression" else "decisions")
    if query is not None and not of_runs:
        raise GermaneError("`query=` requires runs, found labelled items", hint="remove `query=`")
    if output is not None:  # a slip in it should be told before the work, not after
        if format_of(output) == "csv" and size is not None:
            raise GermaneError("`size=` is not supported with .csv", hint="remove `size=`")
        require_folder(output)
        _spare_inputs(output, data, runs, options)
    if size is not None:
        size_of(size)
        vl_convert()
    numbers = numbers_of("plot", data, runs, measures, options)
    rows = entry.rows(numbers, Asked(query=query)) if of_runs else entry.rows(numbers)
    drawn = entry.draw(**rows)
    spec = Figure(drawn if size is None else fit_size(drawn, size))
    if output is not None:
        write_figure(spec, output)
    return spec
