"""`germane report`: one page that shows it all."""

from __future__ import annotations

from typing import Any

import click

from germane.api import DEFAULT_MEASURES
from germane.cli.options import require_quotes
from germane.cli.report_options import baseline_name, numbers_options
from germane.errors import GermaneError
from germane.report.progress import progress
from germane.report.writing import report


@click.command("report")
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN...")
@click.option("-o", "--output", required=True, metavar="FILE.html", help="The page to write.")
@click.option("--title", default="Retrieval report", show_default=True, help="What the page is called.")
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Show rankings down to this rank, and every relevant document besides.",
)
@click.option(
    "--costs", metavar="FILE.csv", help="What each run costs: a header such as run,ms per query and a line per run."
)
@numbers_options
def command(
    files: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    baseline: str | None,
    **options: Any,
) -> None:
    """Write one self-contained page on RUNS judged by QRELS: it opens offline, and can be mailed.

    It shows the leaderboard with intervals and groups, precision and recall, differences, every query with its rankings
    and worked tables, how systems and measures relate, and how much was judged.
    """
    qrels, runs = files[0], files[1:]
    if not runs:  # a single file would be the decisions of classifiers, which have a page of their own
        raise GermaneError(
            "expected judgments and at least one run, found one file",
            hint="germane report QRELS RUN -o report.html",
        )
    require_quotes(runs)
    with progress("report") as advance:
        report(
            qrels,
            list(runs),
            list(measures) or DEFAULT_MEASURES,
            output=output,
            baseline=baseline_name(baseline, runs),
            progress=advance,
            **options,
        )
    click.echo(f"wrote {output}", err=True)
