"""`germane feedback`: does relevance feedback help, without credit for what was seen already?"""

from __future__ import annotations

from typing import Any

import click

from germane.cli.options import digits_option, format_option, seed_option
from germane.report.feedback_tables import STYLES, method_list, render_feedback
from germane.report.notes import print_notes
from germane.report.progress import progress


def _list_methods(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        from germane.retrieval.feedback import all_feedback

        click.echo(method_list(all_feedback()), nl=False)
        ctx.exit()


@click.command("feedback")
@click.argument("index")
@click.argument("topics")
@click.argument("qrels")
@click.option("--model", default="BM25", show_default=True, help="What ranks before feedback, such as BM25(k1=0.9).")
@click.option(
    "--method",
    "methods",
    multiple=True,
    help="A feedback method, such as 'rocchio(beta=.75,gamma=.15)'; may be repeated.  [default: rocchio]",
)
@click.option(
    "--list", is_flag=True, is_eager=True, expose_value=False, callback=_list_methods, help="Say all about the methods."
)
@click.option(
    "--judged",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many new documents the person judges in a round; 0: nobody judges, and the top is taken for relevant.",
)
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="How often.")
@click.option(
    "--by",
    type=click.Choice(["residual", "frozen", "modified", "control"]),
    default="residual",
    show_default=True,
    help="What was seen is taken out; keeps its place; keeps it down to the last relevant one; or is the other half "
    "of the collection.",
)
@click.option("-m", "--measure", "measures", multiple=True, help="May be repeated.  [default: AP, nDCG@10]")
@click.option("--rel", type=float, default=1, show_default=True, help="The least grade that the person calls relevant.")
@click.option(
    "--lost",
    type=click.Choice(["remove", "keep"]),
    default="remove",
    show_default=True,
    help="Queries without relevant documents left: out of every trial, or counted as 0.",
)
@click.option("--depth", type=click.IntRange(1), default=1000, show_default=True, help="The length of the rankings.")
@click.option(
    "--topic-numbers",
    type=click.Choice(["given", "position"]),
    default="given",
    show_default=True,
    help="Whether the judgments name topics by the numbers in their file, or by their positions in it.",
)
@click.option("--qrels-format", metavar="FORMAT", help="The format of QRELS.  [default: told from its content]")
@click.option(
    "--hurt", type=click.IntRange(0), default=5, show_default=True, help="How many queries that lost are listed."
)
@seed_option
@format_option(STYLES)
@digits_option
def command(
    index: str,
    topics: str,
    qrels: str,
    methods: tuple[str, ...],
    measures: tuple[str, ...],
    hurt: int,
    style: str,
    digits: int,
    **choices: Any,
) -> None:
    """Let QRELS play a person who judges the top documents for TOPICS, and compare the rankings before and after.

    Each method's gain is told with its interval, p adjusted for all methods, rounds and measures, and the queries that
    it hurts. Values on the full list are there too: they count what was seen already.
    """
    from germane.api.feedback import DEFAULT_MEASURES, evaluate_feedback

    with progress("methods") as advance:
        found = evaluate_feedback(
            index,
            topics,
            qrels,
            feedback=methods or ("rocchio",),
            measures=measures or DEFAULT_MEASURES,
            progress=advance,
            **choices,
        )
    click.echo(render_feedback(found, style, digits=digits, hurt=hurt), nl=False)
    if style != "json":
        print_notes(found.notes)
