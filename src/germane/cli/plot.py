"""`germane plot`: a single figure, for a paper or a page."""

from __future__ import annotations

from typing import Any

import click

from germane.api.evaluating import DEFAULT_MEASURES
from germane.cli.commanding import make_command
from germane.cli.decision_options import decision_options, options_of_decisions, options_of_runs, require_items
from germane.cli.options import require_quotes
from germane.cli.report_options import baseline_name, numbers_options
from germane.cli.vocabulary import list_option, shared
from germane.errors import GermaneError
from germane.report.decision_writing import plot_decisions
from germane.report.plots.registry import DECISION_PLOTS, PLOTS, plot_kind
from germane.report.progress import progress
from germane.report.writing import plot


def _print_kinds() -> None:
    width = max(map(len, (*PLOTS, *DECISION_PLOTS))) + 2
    for source, plots in (("QRELS RUN...", PLOTS), ("DATA", DECISION_PLOTS)):
        click.echo(f"of {source}")
        for kind, entry in plots.items():
            click.echo(f"  {kind:<{width}}{entry.help}")


@make_command(
    "plot",
    examples=[
        "germane plot pr qrels.txt system1.run system2.run -o curves.svg",
        "germane plot roc scores.csv -o roc.pdf",
        "germane plot --list",
    ],
)
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | DATA")
@shared("--output", required=True)
@shared("--query")
@list_option(_print_kinds)
@numbers_options
@decision_options
def command(
    kind: str,
    files: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    baseline: str | None,
    query: str | None,
    **options: Any,
) -> None:
    """Draw one figure: of RUNS judged by QRELS, of the first measure that is given; or of the classifiers in DATA.

    KIND is one of those that --list explains; the file's ending says what is written: SVG, PNG or PDF for a paper, HTML
    for a page, JSON for the Vega-Lite specification itself. With --query, pr and iprec show that query alone.
    """
    qrels, runs = files[0], files[1:]
    if not runs:
        require_items(qrels, f"plot {kind}", options["truth"])
        with progress("classifiers") as advance:
            plot_decisions(kind, qrels, output=output, progress=advance, **options_of_decisions(options))
        click.echo(f"wrote {output}", err=True)
        return
    plot_kind(kind)
    if query is not None and kind not in ("pr", "iprec"):
        raise GermaneError("--query is for the kinds pr and iprec")
    require_quotes(runs)
    with progress("runs") as advance:
        plot(
            kind,
            qrels,
            list(runs),
            list(measures) or DEFAULT_MEASURES,
            output=output,
            query=query,
            baseline=baseline_name(baseline, runs),
            progress=advance,
            **options_of_runs(options),
        )
    click.echo(f"wrote {output}", err=True)
