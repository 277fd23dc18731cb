"""`germane plot`: a single figure, for a paper or a page."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.decision_options import decision_options, given_files
from germane.cli.options.report_options import numbers_options
from germane.cli.options.vocabulary import list_option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.output.plots.kinds import DECISION_PLOTS, PLOTS, plot_kind
from germane.output.rendering.progress import progress
from germane.output.reports.writing import plot


def _kinds() -> str:
    width = max(map(len, (*PLOTS, *DECISION_PLOTS))) + 2
    return "".join(
        f"of {source}\n" + "".join(f"  {kind:<{width}}{entry.help}\n" for kind, entry in plots.items())
        for source, plots in (("QRELS RUN...", PLOTS), ("DATA", DECISION_PLOTS))
    )


@make_command(
    "plot",
    "germane plot pr qrels.txt system1.run system2.run -o curves.svg",
    "germane plot roc scores.csv -o roc.pdf",
    "germane plot --list",
)
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | DATA")
@shared("--output", required=True)
@shared("--query")
@list_option(_kinds)
@numbers_options
@decision_options
def command(
    kind: str, files: tuple[str, ...], output: str, measures: tuple[str, ...], query: str | None, **options: Any
) -> None:
    """Draw one figure: of RUNS judged by QRELS, of the first measure that is given; or of the classifiers in DATA.

    KIND is one of those that --list explains; the file's ending says what is written: SVG, PNG or PDF for a paper, HTML
    for a page, JSON for the Vega-Lite specification itself. With --query, pr and iprec show that query alone.
    """
    if len(files) > 1 and query is not None and kind not in ("pr", "iprec"):
        raise GermaneError("--query is for the kinds pr and iprec")
    plot_kind(kind, "runs" if len(files) > 1 else "decisions")
    given, how = given_files(files, f"plot {kind}", measures, options)
    with progress("runs" if len(files) > 1 else "classifiers") as advance:
        plot(kind, *given, output=output, query=query, progress=advance, **how)
    click.echo(f"wrote {output}", err=True)
