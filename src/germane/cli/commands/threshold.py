"""`germane threshold`: choose an operating point on one set, and evaluate it on another."""

from __future__ import annotations

from typing import Any

import click

from germane.api.thresholds.choice import threshold
from germane.cli.options.label_options import label_options
from germane.cli.options.printing import print_result, result_options
from germane.cli.options.vocabulary import choice, folders_option, option, shared
from germane.cli.shell.command_class import Command, make_command
from germane.stats.thresholds.rules import THRESHOLD_RULES


class RuleHelp(Command):
    """A command whose help lists the rules below the options."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Rules"):
            formatter.write_dl([(entry.example, entry.description) for entry in THRESHOLD_RULES.values()], col_max=24)


@make_command(
    "threshold",
    "germane threshold dev.csv --test test.csv --rule 'TPR where TNR>=0.95'",
    "germane threshold dev.csv --rule F1",
    cls=RuleHelp,
)
@click.argument("dev")
@option("--test", "Also evaluate the chosen threshold on this held-out set.", "FILE")
@shared("--rule", default="youden")
@choice(
    "--target-by",
    "What must meet a target: the rate, or the worse end of its Wilson interval.",
    ["value", "lower"],
)
@label_options(several=False, predicted=False)
@shared("--slices", multiple=True, metavar="COLUMN")
@shared("--invert")
@folders_option
@shared("--level", default=0.95)
@shared("--resamples", otherwise="2000, fewer for long data")
@shared("--seed", default=0)
@result_options
def command(dev: str, rule: str, **choices: Any) -> None:
    """Choose an operating point on DEV by a stated rule.

    DEV has one row per item, with its true label and a score. An item is predicted positive if its score is at or above
    the threshold. Rates on the rows that chose the threshold are optimistic, so evaluate on a held-out set with --test.
    With --slices, the rule is also applied to each slice of the items, beside the common threshold.
    """
    print_result(threshold(dev, rule, **choices))
