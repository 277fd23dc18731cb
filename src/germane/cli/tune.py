"""`germane tune`: which strategy to search with, and what to expect of it."""

from __future__ import annotations

from typing import Any, get_args

import click

from germane.cli.options import digits_option, format_option, level_option, seed_option
from germane.learning.tuning.running import DEFAULT_BUDGET, DEFAULT_FOLDS
from germane.learning.tuning.searching import SearchName
from germane.report.figures import format_of, require_folder, write_figure
from germane.report.notes import print_notes
from germane.report.progress import progress
from germane.report.tuning_figure import LEARNING, tuning_figure
from germane.report.tuning_tables import STYLES, render_tuning


def _list_space(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane.learning.strategy_space import DEFAULT_SPACE

        click.echo("\n".join(DEFAULT_SPACE))
        ctx.exit()


@click.command("tune")
@click.argument("index")
@click.argument("topics")
@click.argument("qrels")
@click.option(
    "--space",
    multiple=True,
    metavar="STRATEGY|FILE",
    help="Strategies to choose among, with alternatives in braces, as in 'BM25(k1={0.9,1.2}){,+rm3}' or "
    "'fuse(rrf,BM25,{QL,VSM})', or a file with one a line; may be repeated.  [default: what --list-space prints]",
)
@click.option(
    "--list-space",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_space,
    help="Print the space that is taken where none is given.",
)
@click.option("-m", "--measure", default="AP", show_default=True, help="What is to be good.")
@click.option(
    "--folds",
    type=click.IntRange(2),
    default=DEFAULT_FOLDS,
    show_default=True,
    help="Folds of topics, held out in turn.",
)
@click.option(
    "--search",
    type=click.Choice(get_args(SearchName)),
    default="grid",
    show_default=True,
    help="Evaluate all strategies; some, drawn by chance; or all on a few topics, and ever fewer on more.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help=f"How many strategies random search draws, or halving starts with.  [default: {DEFAULT_BUDGET} for random, "
    "all for halving]",
)
@click.option("-k", type=click.IntRange(1), default=1000, show_default=True, help="How many documents per topic.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The level of the test by which a simpler strategy counts as good enough.",
)
@level_option
@click.option(
    "--resume", metavar="FILE", help="A journal: go on from what it has, and add to it; it is made if it is not there."
)
@click.option("--threads", type=click.IntRange(1), help="Strategies evaluated at a time.  [default: all cores]")
@click.option("--field", default="title", show_default=True, help="The part of a topic to ask with.")
@click.option(
    "--topic-numbers",
    type=click.Choice(["given", "position"]),
    default="given",
    show_default=True,
    help="Whether the judgments name topics by the numbers in their file, or by their positions in it.",
)
@click.option("--qrels-format", metavar="FORMAT", help="The format of QRELS.  [default: told from its content]")
@click.option(
    "--top", type=click.IntRange(0), default=5, show_default=True, help="How many of the best strategies are listed."
)
@click.option("--curves", is_flag=True, help="Print the learning curve and the validation curves too.")
@click.option(
    "--figure", metavar="FILE", help="Draw a curve: .svg, .png, .pdf, .html, or .json for the Vega-Lite specification."
)
@click.option(
    "--curve",
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
    others (the best; or, by Occam's razor, the simplest that the best does not beat significantly), and scored on the
    topics held out. The gap is how much better the tuned score looked.
    """
    from germane.api.tuning import tune

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
