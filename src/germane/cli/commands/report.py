"""`germane report`: write an interactive HTML report."""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options.decision_options import decision_options, given_files
from germane.cli.options.report_options import numbers_options
from germane.cli.options.vocabulary import option, shared
from germane.cli.shell.command_class import make_command
from germane.output.rendering.messages import print_message
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
@shared("--title", otherwise="Retrieval, Classification or Regression report")
@shared("--depth", default=50)
@option("--run-costs", "Cost of each run: CSV with a header such as run,ms per query.", "FILE.csv")
@shared("--query-texts")
@shared("--topic-numbers", default="given")
@shared("--documents")
@numbers_options
@decision_options
def command(files: tuple[str, ...], output: str, title: str | None, measures: tuple[str, ...], **options: Any) -> None:
    """Write one self-contained HTML page about RUNS judged by QRELS, or about the classifiers in DATA.

    The page opens offline and can be sent by email.

    For runs it shows the leaderboard with intervals and groups, precision and recall, differences, every query with its
    rankings and breakdowns, correlations, and judgment coverage. Add --query-texts and --documents (an index or a
    collection) to show texts instead of ids. Below --depth, only relevant documents are shown.

    For classifiers, read as in `germane classify`, it shows the confusion matrix, every rate with its interval,
    densities and curves with a movable threshold, and calibration. For --task regression, it shows predictions, errors,
    quantiles and differences.
    """
    given, how = given_files(files, "report", measures, options)
    with progress("report" if len(files) > 1 else "classifiers") as advance:
        report(*given, output=output, title=title, progress=advance, **how)
    print_message(f"wrote {output}")
