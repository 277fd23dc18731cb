"""`germane tune`: which strategy to search with, and what to expect of it."""

from __future__ import annotations

from typing import Any, get_args

import click

from germane.cli.commanding import make_command
from germane.cli.vocabulary import (
    digits_option,
    format_option,
    judged_topics_options,
    level_option,
    list_option,
    seed_option,
    shared,
)
from germane.errors import GermaneError
from germane.learning.tuning.running import DEFAULT_BUDGET, DEFAULT_FOLDS
from germane.learning.tuning.searching import SearchName
from germane.report.figures import format_of, require_folder, write_figure
from germane.report.notes import print_notes
from germane.report.progress import progress
from germane.report.tuning_figure import LEARNING, tuning_figure
from germane.report.tuning_tables import STYLES, render_tuning


def _print_space() -> None:
    from germane.learning.strategy_space import DEFAULT_SPACE

    click.echo("\n".join(DEFAULT_SPACE))


@make_command(
    "tune",
    examples=[
        "germane tune library topics.tsv judged.txt --space 'BM25(k1={0.9,1.2},b={0.4,0.75})' --folds 2",
        "germane tune --list",
    ],
)
@click.argument("index")
@click.argument("topics")
@click.argument("qrels")
@shared("--space", multiple=True, otherwise="what --list prints")
@list_option(_print_space)
@shared("--measure", default="AP")
@shared("--folds", default=DEFAULT_FOLDS)
@click.option(
    "--search",
    type=click.Choice(get_args(SearchName)),
    default="grid",
    show_default=True,
    help="Evaluate all strategies; some, drawn by chance; or all on a few topics, and ever fewer on more.",
)
@click.option(
    "--candidates",
    "budget",
    metavar="COUNT",
    type=click.IntRange(1),
    help=f"How many strategies random search draws, or halving starts with.  [default: {DEFAULT_BUDGET} for random, "
    "all for halving]",
)
@shared("--top", "k", default=1000)
@shared("--alpha", default=0.05)
@level_option
@click.option(
    "--resume", metavar="FILE", help="A journal: go on from what it has, and add to it; it is made if it is not there."
)
@shared("--threads", otherwise="all cores")
@judged_topics_options
@shared("--show", "top", default=5)
@click.option("--curves", is_flag=True, help="Print the learning curve and the validation curves too.")
@shared("--figure")
@click.option(
    "--curve",
    metavar="NAME",
    default=LEARNING,
    show_default=True,
    help="Which curve: learning, parts, or a parameter such as BM25.k1.",
)
@seed_option
@format_option(STYLES)
@digits_option
def command(
    index: str,
    topics: str,
    qrels: str,
    space: tuple[str, ...],
    top: int,
    curves: bool,
    figure: str | None,
    curve: str,
    style: str,
    digits: int,
    **choices: Any,
) -> None:
    """Choose among strategies on INDEX by the judged ones of TOPICS, and say what to expect of the choice.

    Each strategy is evaluated once for each topic. Then each fold of topics is held out, a strategy is chosen by the
    others (the best; or, by Occam's razor, the simplest that the best does not beat significantly, at --alpha), and
    scored on the topics held out. The gap is how much better the tuned score looked.
    """
    from germane.api.tuning import tune

    if curves and choices["search"] == "halving":
        raise GermaneError("halving evaluates too little for curves", hint="use --search grid, or remove --curves")
    if figure is not None:  # a slip in it should be told before the work, not after
        format_of(figure)
        require_folder(figure)
    with progress("rankings") as advance:
        tuning = tune(index, topics, qrels, space=space or None, progress=advance, **choices)
    drawn = None if figure is None else tuning_figure(tuning, curve)
    click.echo(render_tuning(tuning, style, digits=digits, top=top, curves=curves), nl=False)
    if figure is not None and drawn is not None:
        write_figure(drawn, figure)
        click.echo(f"wrote {figure}", err=True)
    if style != "json":
        print_notes(tuning.notes)
