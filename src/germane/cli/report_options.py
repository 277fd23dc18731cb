"""Options that `report` and `plot` share: what is measured, compared and drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from germane.cli.compare import CORRECTIONS, PAIRED
from germane.cli.options import input_options, level_option, seed_option
from germane.formats.sources import display_name

_SHARED = [
    click.option("-m", "--measure", "measures", multiple=True, help="What to compute; may be repeated."),
    click.option("--baseline", metavar="RUN", help="Compare all others with this one.  [default: all pairs]"),
    click.option("--test", type=click.Choice(PAIRED), default="t", show_default=True, help="The test of differences."),
    click.option(
        "--correction",
        type=click.Choice(CORRECTIONS),
        default="holm",
        show_default=True,
        help="How p is adjusted for the family of tests.",
    ),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="The error rate that is accepted.",
    ),
    click.option(
        "--interval",
        type=click.Choice(["normal", "t", "percentile", "bca", "studentised"]),
        default="t",
        show_default=True,
        help="How the intervals of means and differences are made.",
    ),
    level_option,
    seed_option,
    click.option(
        "--topics",
        type=click.Choice(["qrels", "both"]),
        default="qrels",
        show_default=True,
        help="A missing topic is an empty ranking, or is left out.",
    ),
]


def numbers_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how the numbers come about."""
    function = input_options(function)
    for option in reversed(_SHARED):
        function = option(function)
    return function


def baseline_name(baseline: str | None, runs: tuple[str, ...]) -> str | None:
    """A baseline may be given as the file that it is."""
    return display_name(baseline) if baseline in runs else baseline
