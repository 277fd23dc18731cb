"""`germane threshold`: choose an operating point on one set and see what it does on another."""

from __future__ import annotations

from typing import Any

import click

from germane.api.decisions.threshold_choice import threshold
from germane.cli.options.label_options import label_options
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import choice, folders_option, option, shared
from germane.cli.shell.command_class import Command, make_command
from germane.stats.thresholds.rules import THRESHOLD_RULES


class RuleHelp(Command):
    """Lists the rules beneath the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Rules"):
            formatter.write_dl([(entry.example, entry.description) for entry in THRESHOLD_RULES.values()], col_max=24)


@make_command(
    "threshold",
    "germane threshold dev.csv --test test.csv --rule 'TPR where TNR>=.95'",
    "germane threshold dev.csv --rule F1",
    cls=RuleHelp,
)
@click.argument("dev")
@option("--test", "Also what the chosen threshold does on this set, kept apart.", "FILE")
@shared("--rule", default="youden")
@choice(
    "--target-by",
    "Whether a target must be met by the rate, or by the worse end of its Wilson interval.",
    ["value", "lower"],
)
@label_options(several=False, predicted=False)
@folders_option
@shared("--level", default=0.95)
@shared("--resamples", otherwise="2000, fewer for long data")
@shared("--seed", default=0)
@result_options
def command(dev: str, rule: str, **choices: Any) -> None:
    """Choose an operating point on DEV by a stated rule.

    DEV has a row per item, with its true label and a score; an item is called positive if its score is at or above the
    threshold. What is chosen and measured on the same rows looks better than it is: keep a set apart for --test.
    """
    print_result(threshold(dev, rule, **choices))
