"""`germane plot`: draw a single figure for a paper or a web page."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.decision_options import decision_options, given_files
from germane.cli.options.report_options import numbers_options
from germane.cli.options.vocabulary import list_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.output.plots.kinds import DECISION_PLOTS, NUMBER_PLOTS, PLOTS, Source, plot_kind
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress
from germane.output.rendering.terminal import wrapped
from germane.output.reports.writing import plot


def _kinds(width: int | None) -> str:
    longest = max(map(len, (*PLOTS, *DECISION_PLOTS, *NUMBER_PLOTS))) + 2
    listed = "".join(
        f"Figures of {source}\n" + "".join(f"  {kind:<{longest}}{entry.help}\n" for kind, entry in plots.items())
        for source, plots in (
            ("QRELS RUN...", PLOTS),
            ("DATA", DECISION_PLOTS),
            ("DATA --task regression", NUMBER_PLOTS),
        )
    )
    return wrapped(listed, width)


@make_command(
    "plot",
    "germane plot pr qrels.txt system1.run system2.run -o curves.svg",
    "germane plot roc scores.csv --size column -o roc.pdf",
    "germane plot --list",
)
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | DATA")
@shared("--output", required=True)
@shared("--query")
@option(
    "--size",
    "Size: column (3.3 in wide, text of 8 pt), page (7 in), slide (16:9), 5x3 (inches) or 800x600px.",
    "column|page|slide|WxH",
)
@list_option(_kinds)
@numbers_options
@decision_options
def command(
    kind: str,
    files: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    query: str | None,
    size: str | None,
    **options: Any,
) -> None:
    """Draw one figure of RUNS judged by QRELS, for the first --measure, or of the classifiers in DATA
    (with --task regression, of the predicted numbers).

    KIND is one of the figures that --list describes. The file extension of --output chooses the format: SVG, PNG or PDF
    for a paper, HTML for a web page, JSON for the Vega-Lite specification, CSV for the numbers. --query is for pr and
    iprec.
    """
    if len(files) > 1 and query is not None and kind not in ("pr", "iprec"):
        raise GermaneError(f"--query is not supported with {kind}", hint="remove --query, or use pr or iprec")
    source: Source = "numbers" if options["task"] == "regression" else "decisions"
    plot_kind(kind, "runs" if len(files) > 1 else source)
    given, how = given_files(files, f"plot {kind}", measures, options)
    with progress("runs" if len(files) > 1 else "classifiers") as advance:
        plot(kind, *given, output=output, query=query, size=size, progress=advance, **how)
    print_message(f"wrote {output}")
