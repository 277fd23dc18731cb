"""`germane explain`: the worked table behind one number."""

from __future__ import annotations

import click

from germane.api import explain
from germane.cli.options import input_options
from germane.report.explanations import STYLES, render_explanation


@click.command("explain")
@click.argument("measure")
@click.argument("qrels")
@click.argument("run")
@click.option("-q", "--query", default="", help="The query to explain.")
@click.option("--format", "style", type=click.Choice(STYLES), default="table", show_default=True, help="How to print.")
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals, except in JSON.")
@input_options
def command(measure: str, qrels: str, run: str, query: str, style: str, digits: int, **inputs: object) -> None:
    """Show, rank by rank, the terms that add up to MEASURE for one query of RUN.

    Example: germane explain nDCG@10 qrels.txt bm25.run --query 301
    """
    explanation = explain(measure, qrels, run, query, **inputs)  # type: ignore[arg-type]
    click.echo(render_explanation(explanation, style, digits=digits), nl=False)
