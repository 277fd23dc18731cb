"""`germane agree`: measure inter-assessor agreement, and whether it matters for the leaderboard."""

from __future__ import annotations

from typing import Any

import click

from germane.api.truth.agreement import agree
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import folders_option, list_option, option, shared
from germane.cli.shell.command_class import Command, make_command
from germane.judging.rubric import scale_values
from germane.measures.agreement.measure import AGREEMENT
from germane.output.texts.pages import pages


class RunsAtTheEnd(Command):
    """Lets `--runs` take all words up to the next option, since a shell expands `runs/*` to several."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        taking = False
        for place, arg in enumerate(args):
            if taking and not (arg.startswith("-") and arg != "-"):
                spread += [arg] if args[place - 1] == "--runs" else ["--runs", arg]
            else:
                taking = arg == "--runs"
                spread.append(arg)
        return super().parse_args(ctx, spread)


@make_command(
    "agree",
    "germane agree ann.jsonl bob.jsonl",
    "germane agree ann.jsonl bob.jsonl --runs system1.run system2.run",
    "germane agree pool.judging.db",
    cls=RunsAtTheEnd,
)
@click.argument("files", nargs=-1, required=True)
@shared("--rel", otherwise="from the rubric, or 1")
@shared("--grades", otherwise="from the rubric, or those in FILES")
@option("--with-calibration", "Include calibration items.")
@option(
    "--runs",
    "Also rank these systems by each assessor's judgments, and compare the leaderboards.",
    "FILE...",
    multiple=True,
)
@shared("--measure", default="AP")
@folders_option
@shared("--per-query")
@shared("--level", default=0.95)
@shared("--resamples", default=1000)
@shared("--seed", default=0)
@result_options
@list_option(lambda width: pages(AGREEMENT, width))
def command(files: tuple[str, ...], grades: str | None, runs: tuple[str, ...], per_query: bool, **choices: Any) -> None:
    """Measure inter-assessor agreement in FILES.

    FILES are event logs written by `germane judge`, CSV, one qrels file per assessor, or a judging project. --measure
    ranks the systems of --runs. The verdict is based on the confidence interval of Krippendorff's alpha: a two-stage
    bootstrap (topics, then documents), or of documents only below 8 topics.
    """
    scale = None if grades is None else scale_values(grades)
    report = agree(list(files), grades=scale, runs=list(runs) or None, **choices)
    print_result(report, per_query=per_query)
