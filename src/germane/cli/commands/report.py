"""`germane report`: one page that shows it all."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.decision_options import decision_options, given_files
from germane.cli.options.report_options import numbers_options
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.output.rendering.progress import progress
from germane.output.reports.writing import report


@make_command(
    "report",
    "germane report qrels.txt system1.run system2.run -o report.html",
    "germane report qrels.txt system1.run system2.run --baseline system1 -m 'AP RR' -o report.html",
    "germane report scores.csv -o classifier.html",
)
@click.argument("files", nargs=-1, required=True, metavar="QRELS RUN... | DATA")
@shared("--output", required=True)
@shared("--title", otherwise="Retrieval report, or Classification report")
@shared("--depth", default=50)
@option("--run-costs", "What each run costs: a header such as run,ms per query and a line per run.", "FILE.csv")
@shared("--query-texts")
@shared("--topic-numbers", default="given")
@shared("--documents")
@numbers_options
@decision_options
def command(files: tuple[str, ...], output: str, title: str | None, measures: tuple[str, ...], **options: Any) -> None:
    """Write one self-contained page on RUNS judged by QRELS, or on the classifiers in DATA: it opens offline, and can
    be mailed.

    Of runs it shows the leaderboard with intervals and groups, precision and recall, differences, every query with its
    rankings and worked tables, how systems and measures relate, and how much was judged. Queries and documents go by
    their ids; --query-texts and --documents, an index or a collection, put them in words. Below --depth only relevant
    documents are shown.

    Of classifiers, read as `germane classify` reads them, it shows the confusion matrix, every rate with its interval,
    densities and curves with a threshold that can be moved, and calibration.
    """
    given, how = given_files(files, "report", measures, options)
    with progress("report" if len(files) > 1 else "classifiers") as advance:
        report(*given, output=output, title=title, progress=advance, **how)
    click.echo(f"wrote {output}", err=True)
