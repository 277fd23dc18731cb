"""`germane agree`: do the assessors agree, and does it matter?"""

from __future__ import annotations

from typing import Any

import click

from germane.api.agreeing import agree
from germane.cli.options import digits_option, format_option, level_option, seed_option
from germane.errors import GermaneError
from germane.report.agreement_pages import agreement_list
from germane.report.agreement_tables import STYLES, render_agreement
from germane.report.notes import print_notes


class RunsAtTheEnd(click.Command):
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


def _print_measures(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(agreement_list(), nl=False)
        ctx.exit()


@click.command("agree", cls=RunsAtTheEnd)
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--rel", type=click.FloatRange(0), help="The least grade that counts as relevant.  [default: the rubric's, or 1]"
)
@click.option("--grades", metavar="0,1,2", help="The grades of the scale.  [default: the rubric's, or those given]")
@click.option("--calibration", is_flag=True, help="Count calibration items too.")
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN...",
    help="Also rank these systems by each judge's grades, and compare the leaderboards.",
)
@click.option("-m", "--measure", default="AP", show_default=True, help="What systems are ranked by.")
@click.option("-q", "--per-topic", is_flag=True, help="Show every topic.")
@level_option
@click.option(
    "--resamples",
    type=click.IntRange(100),
    default=1000,
    show_default=True,
    help="How often topics, and documents within topics, are drawn again for the intervals.",
)
@seed_option
@format_option(STYLES)
@digits_option
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_measures,
    help="Say what each measure of agreement is.",
)
def command(
    files: tuple[str, ...],
    grades: str | None,
    runs: tuple[str, ...],
    style: str,
    digits: int,
    per_topic: bool,
    **choices: Any,
) -> None:
    """Say how far the assessors of FILES agree: events, CSV, one qrels file per assessor, or a judging project."""
    report = agree(list(files), grades=_scale(grades), runs=list(runs) or None, **choices)
    click.echo(render_agreement(report, style, per_topic=per_topic, digits=digits), nl=False)
    if style != "json":
        print_notes(report.notes)


def _scale(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise GermaneError(f"expected numbers with commas between, as in --grades 0,1,2; found {text!r}") from None
