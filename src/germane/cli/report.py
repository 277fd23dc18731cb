"""`germane report`: one page that shows it all."""

from __future__ import annotations

from typing import Any

import click

from germane.api.evaluating import DEFAULT_MEASURES
from germane.cli.commanding import make_command
from germane.cli.decision_options import decision_options, options_of_decisions, options_of_runs, require_items
from germane.cli.options import require_quotes
from germane.cli.report_options import baseline_name, numbers_options
from germane.cli.vocabulary import shared
from germane.report.decision_writing import report_decisions
from germane.report.progress import progress
from germane.report.writing import report


@make_command(
    "report",
    examples=[
        "germane report qrels.txt system1.run system2.run -o report.html",
        "germane report qrels.txt system1.run system2.run --baseline system1 -m 'AP RR' -o report.html",
        "germane report scores.csv -o classifier.html",
    ],
)
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | DATA")
@shared("--output", required=True)
@shared("--title", otherwise="Retrieval report, or Classification report")
@shared("--depth", default=50)
@click.option(
    "--run-costs",
    "costs",
    metavar="FILE.csv",
    help="What each run costs: a header such as run,ms per query and a line per run.",
)
@shared("--questions")
@shared("--topic-numbers", "question_numbers", type=click.Choice(["given", "position"]), default="given")
@shared("--documents")
@numbers_options
@decision_options
def command(
    files: tuple[str, ...],
    output: str,
    title: str | None,
    measures: tuple[str, ...],
    baseline: str | None,
    **options: Any,
) -> None:
    """Write one self-contained page on RUNS judged by QRELS, or on the classifiers in DATA: it opens offline, and can
    be mailed.

    Of runs it shows the leaderboard with intervals and groups, precision and recall, differences, every query with its
    rankings and worked tables, how systems and measures relate, and how much was judged. Queries and documents go by
    their ids; --questions and --documents, an index or a collection, put them in words. Below --depth only relevant
    documents are shown.

    Of classifiers, read as `germane classify` reads them, it shows the confusion matrix, every rate with its interval,
    densities and curves with a threshold that can be moved, and calibration.
    """
    named: dict[str, Any] = {} if title is None else {"title": title}
    qrels, runs = files[0], files[1:]
    if not runs:
        require_items(qrels, "report", options["truth"])
        with progress("classifiers") as advance:
            report_decisions(qrels, output=output, progress=advance, **named, **options_of_decisions(options))
        click.echo(f"wrote {output}", err=True)
        return
    require_quotes(runs)
    with progress("report") as advance:
        report(
            qrels,
            list(runs),
            list(measures) or DEFAULT_MEASURES,
            output=output,
            baseline=baseline_name(baseline, runs),
            progress=advance,
            **named,
            **options_of_runs(options),
        )
    click.echo(f"wrote {output}", err=True)
