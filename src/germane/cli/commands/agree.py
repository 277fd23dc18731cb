"""`germane agree`: do the assessors agree, and does it matter?"""

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
    """Lets `--runs` take all that follows up to the next option, as a shell writes `runs/*`."""

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
@shared("--rel", otherwise="the rubric's, or 1")
@shared("--grades", otherwise="the rubric's, or those given")
@option("--with-calibration", "Count calibration items too.")
@option(
    "--runs",
    "Also rank these systems by each assessor's grades, and compare the leaderboards.",
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
@list_option(lambda: pages(AGREEMENT))
def command(files: tuple[str, ...], grades: str | None, runs: tuple[str, ...], per_query: bool, **choices: Any) -> None:
    """Say how far the assessors of FILES agree.

    FILES are events as `germane judge` keeps them, CSV, one qrels file per assessor, or a judging project. --measure is
    what the systems of --runs are ranked by. The verdict follows the interval of Krippendorff's alpha: a
    bootstrap of topics and documents within them, or of documents alone below 8 topics.
    """
    scale = None if grades is None else scale_values(grades)
    report = agree(list(files), grades=scale, runs=list(runs) or None, **choices)
    print_result(report, per_query=per_query)
