"""`germane compare`: is it really better, by how much, and how sure is that?"""

from __future__ import annotations

from typing import Any

import click

from germane.api import Topics, compare, compare_groups, evaluate
from germane.cli.options import digits_option, format_option, input_options, level_option, require_quotes, seed_option
from germane.errors import GermaneError
from germane.report.comparison_tables import STYLES, render_comparison
from germane.report.notes import print_notes
from germane.report.progress import progress

PAIRED = ["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised-tukey", "nemenyi"]
UNPAIRED = ["welch", "permutation"]
CORRECTIONS = ["holm", "bonferroni", "bh", "by", "max-t", "none"]


@click.command("compare")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option("-m", "--measure", "measures", multiple=True, help="What to compare; may be repeated.  [default: AP]")
@click.option("--baseline", metavar="RUN", help="Compare all others with this one.  [default: all pairs]")
@click.option(
    "--test",
    type=click.Choice([*PAIRED, *UNPAIRED]),
    default=None,
    help="The test.  [default: t; welch with --unpaired]",
)
@click.option(
    "--sides",
    type=click.Choice(["two", "greater", "less"]),
    default="two",
    show_default=True,
    help="Whether b may differ either way, be greater, or be less.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    show_default=True,
    help="How p is adjusted for the family of tests.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The error rate that is accepted.",
)
@click.option(
    "--interval",
    type=click.Choice(["normal", "t", "percentile", "bca", "studentised"]),
    help="How the intervals of the differences are made.  [default: t]",
)
@level_option
@click.option(
    "--equivalence",
    type=click.FloatRange(0, min_open=True),
    metavar="DELTA",
    help="Also test whether the means are equivalent within plus or minus DELTA.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, min_open=True),
    metavar="DELTA",
    help="Also test whether b is not worse than a by more than DELTA.",
)
@click.option(
    "--difference",
    type=click.FloatRange(0, min_open=True),
    metavar="DELTA",
    help="Also say how many queries it takes to show a difference of DELTA.",
)
@click.option(
    "--slices",
    "--slice",
    metavar="FILE",
    help="Also within groups of queries; FILE has a query and its group to a line.",
)
@click.option(
    "--unpaired",
    metavar="FILE",
    help="Compare two groups of queries (treatment, control) instead; FILE has a query and its group to a line.",
)
@click.option(
    "--topics",
    type=click.Choice(["qrels", "both"]),
    default="qrels",
    show_default=True,
    help="A missing topic is an empty ranking; or an error, since the systems then answer different queries.",
)
@seed_option
@click.option(
    "--flips", type=click.IntRange(100), default=100_000, show_default=True, help="How often a randomised test draws."
)
@format_option(STYLES)
@digits_option
@input_options
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    unpaired: str | None,
    test: str | None,
    slices: str | None,
    topics: Topics,
    style: str,
    digits: int,
    baseline: str | None,
    equivalence: float | None,
    margin: float | None,
    difference: float | None,
    **choices: Any,
) -> None:
    """Compare RUNS on the same queries: differences with intervals, adjusted p-values, effect sizes.

    A folder stands for the run files in it.

    Declare what you compare before you look: the family of tests is all pairs of systems times all measures given here.
    """
    require_quotes(runs)
    read = ("ties", "scores", "scale", "collection_size", "qrels_format", "run_format")
    inputs = {key: choices.pop(key) for key in read}
    interval = choices.pop("interval")
    planned = {"baseline": baseline, "equivalence": equivalence, "margin": margin, "difference": difference}
    _require_sense(unpaired is not None, test, {**planned, "slices": slices, "interval": interval})
    with progress("runs") as advance:
        scores = evaluate(
            qrels, list(runs), measures or ("AP",), topics=topics, slices=slices, progress=advance, **inputs
        )
    if unpaired is not None:
        comparison = compare_groups(scores, unpaired, test=test or "welch", **choices)
    else:
        comparison = compare(
            scores,
            baseline=next((run.name for run in scores.runs if run.path == baseline), baseline),
            test=test or "t",
            interval=interval or "t",
            equivalence=equivalence,
            margin=margin,
            wanted_difference=difference,
            **choices,
        )
    click.echo(render_comparison(comparison, style, digits=digits), nl=False)
    if style != "json":
        print_notes(comparison.notes)


def _require_sense(unpaired: bool, test: str | None, planned: dict[str, Any]) -> None:
    """An option that would do nothing is an error."""
    if unpaired:
        given = [name for name, value in planned.items() if value is not None]
        if given:
            raise GermaneError(f"--{given[0]} is for systems on the same queries", hint="leave it out, or --unpaired")
        if test in PAIRED:
            raise GermaneError(f"the {test} test needs the same queries", hint=f"use {' or '.join(UNPAIRED)}")
    elif test in UNPAIRED:
        raise GermaneError(f"the {test} test is for two groups of queries", hint="name them with --unpaired FILE")
    if planned["interval"] is not None and test in ("tukey", "randomised-tukey"):
        raise GermaneError(f"{test} brings its own intervals", hint="leave --interval out")
