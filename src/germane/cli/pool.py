"""``germane pool``: choose the documents to judge; ``germane pool simulate``: see first which method would do best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from germane.api.pooling import DEFAULT_DEPTH, DistractorSource, make_pool
from germane.api.simulating_pools import DEFAULT_BUDGETS, simulate_pools
from germane.cli.options import digits_option, format_option, seed_option
from germane.errors import GermaneError
from germane.formats.pool_file import write_pool
from germane.judging.pooling import all_methods
from germane.report.notes import print_notes
from germane.report.pool_tables import STYLES, method_list, pool_summary, render_simulation
from germane.report.progress import progress

NAMES = ", ".join(method.name for method in all_methods())


class PoolGroup(click.Group):
    """Runs are pooled unless another command is named: `germane pool a.run` is `germane pool make a.run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["make", *args]
        return super().parse_args(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("germane pool", "[make] RUN… -o POOL [OPTIONS]")
        formatter.write_usage("germane pool", "simulate QRELS RUN… [OPTIONS]")


def _list_methods(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(method_list(all_methods()), nl=False)
        ctx.exit()


def _shared(function: Any) -> Any:
    """The options of both commands."""
    options = [
        click.option(
            "--depth",
            type=click.IntRange(1),
            default=DEFAULT_DEPTH,
            show_default=True,
            help="How deep into each run any method may look.",
        ),
        seed_option,
        click.option(
            "--rel", type=float, default=1, show_default=True, help="The least grade that counts as relevant."
        ),
        click.option("--collection", metavar="FILE", help="All documents there are, an id to a line."),
        click.option("--run-format", metavar="FORMAT", help="The format of the runs.  [default: told from content]"),
        click.option("--qrels-format", metavar="FORMAT", help="The format of the judgments.  [default: told from it]"),
        click.option(
            "--methods",
            "show_methods",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_list_methods,
            help="Say all about every method, and stop.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group("pool", cls=PoolGroup)
def command() -> None:
    """Choose the documents of RUNs that people are to judge, or simulate that on judged data."""


@command.command("make")
@click.argument("runs", nargs=-1, required=True)
@click.option("-o", "--output", required=True, metavar="POOL", help="The file to write: JSON lines, - to print them.")
@click.option("--method", default="depth", show_default=True, help=f"One of {NAMES}; parameters as in 'rrf(c=10)'.")
@click.option(
    "--budget", type=click.IntRange(1), help="The most documents per topic.  [default: all that the method takes]"
)
@click.option("--qrels", metavar="QRELS", help="Judgments that answer an adaptive method, or hold distractors.")
@click.option(
    "--distractors", type=click.IntRange(0), default=0, help="Add so many documents per topic known not to be relevant."
)
@click.option(
    "--distractors-from",
    type=click.Choice(["qrels", "collection"]),
    help="Judged not relevant in QRELS, or random ones of the collection that no run has.  [default: what is given]",
)
@click.option("--overwrite", is_flag=True, help="Replace POOL if there is such a file already.")
@_shared
def make(
    runs: tuple[str, ...],
    output: str,
    method: str,
    distractors_from: DistractorSource | None,
    overwrite: bool,
    **choices: Any,
) -> None:
    """Write the documents of each topic that people are to judge, and how they were chosen.

    Documents are ordered as in evaluation: score descending, ties by document id. Adaptive methods (mtf, hedge,
    maxmean, mm-ns, thompson, base+top) choose by the judgments so far, which --qrels has; without it the pool holds all
    that they may come to ask for. The file lists the documents by id and tells nothing of ranks.
    """
    if Path(output).exists() and output != "-" and not overwrite:
        raise GermaneError(
            f"{output} is there already", hint="people may be judging it: choose another name, or --overwrite"
        )
    with progress("topics") as advance:
        pool = make_pool(list(runs), method, distractors_from=distractors_from, progress=advance, **choices)
    write_pool(pool, output)
    click.echo(pool_summary(pool), nl=False, err=True)
    print_notes(pool.notes)


@command.command("simulate")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--method",
    "methods",
    multiple=True,
    help=f"One of {NAMES}; may be repeated.  [default: all that need no more data]",
)
@click.option(
    "--budgets",
    default=",".join(map(str, DEFAULT_BUDGETS)),
    show_default=True,
    help="Documents per topic, between commas.",
)
@click.option("-m", "--measure", default="AP", show_default=True, help="What the leaderboard is made of.")
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Replay methods that have chance in them so often, and print means and the extremes of tau.",
)
@click.option(
    "--leave-out",
    is_flag=True,
    help="Also pool again without each run, for the largest budget: is the pool fair to a run that it has not seen?",
)
@click.option("--groups", metavar="FILE", help="A run and its team to a line: a team's runs are left out together.")
@click.option(
    "--plot",
    "figure",
    metavar="FILE",
    help="Also draw it: share found and tau against the budget (svg, png, pdf, html).",
)
@format_option(STYLES)
@digits_option
@_shared
def simulate(
    qrels: str,
    runs: tuple[str, ...],
    methods: tuple[str, ...],
    budgets: str,
    groups: str | None,
    figure: str | None,
    style: str,
    digits: int,
    **choices: Any,
) -> None:
    """Replay pooling methods on judged data: what each would find, and its leaderboard.

    Share is found / all relevant documents known; tau is Kendall's tau-b between the leaderboard of the pool and that
    of all of QRELS. A document that QRELS does not judge counts as not relevant.
    """
    from germane.report import figures
    from germane.report.plots import pools

    if figure is not None:  # before the work: a wrong ending should not cost it
        figures.format_of(figure)
        figures.require_folder(figure)
    teams = None if groups is None else _read_groups(groups)
    with progress("replays") as advance:
        simulation = simulate_pools(
            qrels, list(runs), methods or None, _budgets(budgets), groups=teams, progress=advance, **choices
        )
    click.echo(render_simulation(simulation, style, digits=digits), nl=False)
    if figure is not None:
        figures.write_figure(pools.simulation(simulation.curve()), figure)
    if style != "json":
        print_notes(simulation.notes)


def _budgets(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise GermaneError(f"expected budgets such as 10,50,100, found {text!r}") from None


def _read_groups(path: str) -> dict[str, str]:
    from germane.formats.sources import display_name, open_source, source_name

    teams: dict[str, str] = {}
    with open_source(path) as lines:
        for number, line in enumerate(lines, start=1):
            fields = line.decode("utf-8", "surrogateescape").split()
            if fields and len(fields) != 2:
                raise GermaneError(f"{source_name(path)}:{number}: expected a run and its team, found {line!r}")
            if fields:
                teams[display_name(fields[0])] = fields[1]
    return teams
