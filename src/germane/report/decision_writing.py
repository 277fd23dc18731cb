"""Pages and figures on classifiers into files: `report_decisions` and `plot_decisions`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from germane.api.reporting_decisions import decision_numbers, decision_options
from germane.arguments import checked, refuse_unknown
from germane.formats.targets import open_target
from germane.report.figures import format_of, require_folder, vl_convert, write_figure
from germane.report.notebook_figures import Figure
from germane.report.plots.registry import decision_plot_kind


@checked
def report_decisions(
    data: Any,
    *,
    output: str | Path,
    title: str = "Classification report",
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> None:
    """Write one self-contained page on classifiers: matrices, rates, and scores with a threshold that can be moved.

    `data` is a file or frame with a row for each item; options are those of `classify_data`, and `rules` names rules
    whose thresholds are to be at hand besides the usual ones.
    """
    from germane.report.classification_page import classification_page

    refuse_unknown("report_decisions", options, decision_options())
    vl_convert()  # whoever lacks it should hear so before the work, not after; and so for a folder that is not there
    require_folder(output)
    advance = progress or (lambda done, total: None)
    numbers = decision_numbers(data, progress=lambda done, total: advance(done, 2 * total), **options)
    for place, view in enumerate(numbers.views):
        advance(len(numbers.views) + place, 2 * len(numbers.views))
        view.choices  # noqa: B018 -- what takes longest of what is left
    with open_target(output) as target:
        target.write(classification_page(numbers, title).encode())


@checked
def plot_decisions(kind: str, data: Any, *, output: str | Path | None = None, **options: Any) -> Figure:
    """Draw one figure of classifiers, and return its Vega-Lite spec, which notebooks show.

    Options are those of `report_decisions`.

    >>> spec = plot_decisions("roc", {"truth": [0, 1, 1, 0], "score": [0.1, 0.8, 0.4, 0.3]})
    >>> [(row["fpr"], row["tpr"]) for row in spec["datasets"]["hull"]]
    [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    """
    refuse_unknown("plot_decisions", options, decision_options())
    entry = decision_plot_kind(kind)
    if output is not None:  # a slip in it should be told before the work, not after
        format_of(output)
        require_folder(output)
    spec = Figure(entry.draw(**entry.rows(decision_numbers(data, **options))))
    if output is not None:
        write_figure(spec, output)
    return spec
