"""Options of commands that end in scores: what to compute, how to sum it up and print it, and when to fail."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from germane.api import DEFAULT_MEASURES
from germane.cli.options import digits_option, format_option, seed_option
from germane.errors import GermaneError
from germane.measures.names import parse_measure
from germane.measures.registry import definition_of
from germane.report.notes import print_notes
from germane.report.score_tables import STYLES, render_scores
from germane.tables.scores import AGGREGATES, Scores

_BOUNDS = click.option("--bounds", is_flag=True, help="Also the lowest and highest value under unjudged documents.")
_OPTIONS: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        help=f"What to compute, e.g. 'nDCG@10 AP(rel=2)'; may be repeated.  [default: {' '.join(DEFAULT_MEASURES)}]",
    ),
    click.option("-q", "--per-query", is_flag=True, help="Also every query."),
    click.option(
        "--topics",
        type=click.Choice(["qrels", "both"]),
        default="qrels",
        show_default=True,
        help="Average over the topics of the qrels, a missing one being an empty ranking; or over those in both.",
    ),
    click.option(
        "--aggregate",
        "aggregates",
        multiple=True,
        default=("mean",),
        show_default=True,
        type=click.Choice(["mean", "micro", *[a for a in AGGREGATES if a != "mean"]]),
        help="How queries become one number; may be repeated.",
    ),
    click.option(
        "--slices",
        "--slice",
        metavar="FILE",
        help="Also per group of queries; FILE has a query and its group to a line.",
    ),
    click.option(
        "--interval",
        type=click.Choice(["normal", "t", "percentile", "bca", "studentised"]),
        help="Also an interval for each mean, made by this method.",
    ),
    click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        help="The level of the interval.  [default: 0.95]",
    ),
    seed_option,
    _BOUNDS,
    format_option(STYLES),
    digits_option,
    click.option(
        "--fail-under",
        "gates",
        multiple=True,
        metavar="MEASURE=VALUE",
        help="Exit with status 1 if a run's mean is worse than this; may be repeated.",
    ),
]


def scoring_options(*, bounds: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the options that say what to compute and how to print it; `bounds` only where rankings are short."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(_OPTIONS):
            if bounds or option is not _BOUNDS:
                function = option(function)
        return function

    return add


def level_of(level: float | None, interval: str | None) -> float:
    """The level of the interval, which must have been asked for if a level was."""
    if level is not None and interval is None:
        raise GermaneError("--level is the level of an interval", hint="name a method too: --interval t")
    return 0.95 if level is None else level


def gates_of(texts: Sequence[str]) -> list[tuple[str, float]]:
    """The means below which to fail."""
    return [_gate(text) for text in texts]


def print_scores(
    scores: Scores,
    style: str,
    per_query: bool,
    aggregates: Sequence[str],
    digits: int,
    gates: Sequence[tuple[str, float]],
) -> None:
    """Print scores and, where the style has no place for them, notes; exit with status 1 if a gate fails."""
    click.echo(render_scores(scores, style, per_query=per_query, aggregates=aggregates, digits=digits), nl=False)
    if style in ("table", "markdown", "latex", "csv", "tsv"):
        print_notes(scores.notes)
    failures = [line for measure, limit in gates for line in _failures(scores, measure, limit)]
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
