"""`germane eval`: score runs against judgments."""

from __future__ import annotations

import re
import sys

import click

from germane.api import DEFAULT_MEASURES, Topics, evaluate
from germane.cli.options import digits_option, format_option, input_options, require_quotes, seed_option
from germane.errors import GermaneError
from germane.measures.names import parse_measure
from germane.measures.registry import definition_of
from germane.report.notes import print_notes
from germane.report.progress import progress
from germane.report.score_tables import STYLES, render_scores
from germane.tables.scores import AGGREGATES, Scores


@click.command("eval")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help=f"What to compute, e.g. 'nDCG@10 AP(rel=2)'; may be repeated.  [default: {' '.join(DEFAULT_MEASURES)}]",
)
@click.option("-q", "--per-query", is_flag=True, help="Also every query.")
@click.option(
    "--topics",
    type=click.Choice(["qrels", "both"]),
    default="qrels",
    show_default=True,
    help="Average over the topics of the qrels, a missing one being an empty ranking; or over those in both.",
)
@click.option(
    "--aggregate",
    "aggregates",
    multiple=True,
    default=("mean",),
    show_default=True,
    type=click.Choice(["mean", "micro", *[a for a in AGGREGATES if a != "mean"]]),
    help="How queries become one number; may be repeated.",
)
@click.option(
    "--slices", "--slice", metavar="FILE", help="Also per group of queries; FILE has a query and its group to a line."
)
@click.option(
    "--interval",
    type=click.Choice(["normal", "t", "percentile", "bca", "studentised"]),
    help="Also an interval for each mean, made by this method.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The level of the interval.  [default: 0.95]",
)
@seed_option
@click.option("--bounds", is_flag=True, help="Also the lowest and highest value under unjudged documents.")
@format_option(STYLES)
@digits_option
@click.option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="MEASURE=VALUE",
    help="Exit with status 1 if a run's mean is worse than this; may be repeated.",
)
@input_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    topics: Topics,
    aggregates: tuple[str, ...],
    slices: str | None,
    bounds: bool,
    interval: str | None,
    level: float | None,
    seed: int,
    style: str,
    digits: int,
    gates: tuple[str, ...],
    **inputs: object,
) -> None:
    """Score RUNS against the judgments in QRELS.

    Both are files in any format germane knows (`germane convert --help` lists them), compressed or not; - is standard
    input. Results go to standard output, notes about them to standard error.
    """
    limits = [_gate(text) for text in gates]
    require_quotes(runs)
    if level is not None and interval is None:
        raise GermaneError("--level is the level of an interval", hint="name a method too: --interval t")
    wanted = [*(measures or DEFAULT_MEASURES), *(measure for measure, _ in limits)]
    with progress("runs") as advance:
        scores = evaluate(
            qrels,
            list(runs),
            wanted,
            topics=topics,
            slices=slices,
            bounds=bounds,
            interval=interval,
            level=0.95 if level is None else level,
            seed=seed,
            progress=advance,
            **inputs,  # type: ignore[arg-type]
        )
    click.echo(render_scores(scores, style, per_query=per_query, aggregates=aggregates, digits=digits), nl=False)
    if style in ("table", "markdown", "latex", "csv", "tsv"):
        print_notes(scores.notes)
    failures = [line for measure, limit in limits for line in _failures(scores, measure, limit)]
    for line in failures:
        click.echo(f"germane: {line}", err=True)
    if failures:
        sys.exit(1)


def _gate(text: str) -> tuple[str, float]:
    match = re.fullmatch(r"(.+)=([-+.\deE]+)", text)
    try:
        if match is None:
            raise ValueError
        return str(parse_measure(match[1])), float(match[2])
    except ValueError as problem:
        if isinstance(problem, GermaneError):
            raise
        raise GermaneError(f"expected --fail-under MEASURE=VALUE such as nDCG@10=.45, found {text!r}") from None


def _failures(scores: Scores, measure: str, limit: float) -> list[str]:
    lower = definition_of(parse_measure(measure)).better == "lower"
    lines = []
    for run, means in scores.mean().items():
        value = means[measure]
        if not (value <= limit if lower else value >= limit):
            lines.append(f"{run}: {measure} is {value:.4f}, {'above' if lower else 'under'} {limit:g}")
    return lines
