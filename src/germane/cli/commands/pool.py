"""``germane pool``: choose the documents to judge; ``germane pool simulate``: see first which method would do best."""

from __future__ import annotations

from typing import Any

import click

from germane.api.truth.pool_simulation import DEFAULT_BUDGETS, simulate_pools
from germane.api.truth.pooling import DEFAULT_DEPTH
from germane.api.truth.pooling import pool as make_pool
from germane.cli.options.printing import format_options, print_beside, print_result, require_one_output, result_options
from germane.cli.options.vocabulary import list_option, option, qrels_format_option, run_format_option, shared, together
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.errors import GermaneError
from germane.formats.files.targets import require_new
from germane.formats.truth.pool_file import write_pool
from germane.judging.pooling import POOLING
from germane.output.rendering.progress import progress
from germane.output.texts.pages import pages


class PoolGroup(Group):
    """Runs are pooled unless another command is named: `germane pool a.run` is `germane pool make a.run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["make", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file"), *super().shell_complete(ctx, incomplete)]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("germane pool", "[make] RUN… -o POOL [OPTIONS]")
        formatter.write_usage("germane pool", "simulate QRELS RUN… [OPTIONS]")


_SHARED = together(
    shared("--depth", default=DEFAULT_DEPTH),
    shared("--seed", default=0),
    shared("--rel", default=1),
    option("--collection", "All documents there are, an id to a line.", "FILE"),
    run_format_option,
    qrels_format_option,
    list_option(lambda: pages(POOLING)),
)
"""The options of both commands."""


def _pool() -> None:
    """Choose the documents of RUNs that people are to judge, or simulate that on judged data."""


command: Group = make_command("pool", cls=PoolGroup)(_pool)


@subcommand(
    command,
    "make",
    "germane pool system1.run system2.run -o pool.jsonl --depth 2",
    "germane pool system1.run system2.run -o small.jsonl --method rrf --budget 3",
    "germane pool make --list",
)
@click.argument("runs", nargs=-1, required=True)
@shared("--output", required=True)
@shared("--method", default="depth")
@option("--budget", "The most documents per topic.  [default: all that the method takes]", "COUNT")
@shared("--qrels")
@option(
    "--distractors",
    "Add so many documents per topic known not to be relevant.",
    "COUNT",
    type=click.IntRange(0),
    default=0,
    show_default=False,
)
@option(
    "--distractors-from",
    "Judged not relevant in --qrels, or random ones of the collection that no run has.  [default: what is given]",
    ["qrels", "collection"],
)
@shared("--overwrite")
@format_options
@_SHARED
def make(runs: tuple[str, ...], output: str, overwrite: bool, **choices: Any) -> None:
    """Write the documents of each topic that people are to judge, and how they were chosen.

    Documents are ordered as in evaluation: score descending, ties by document id. Adaptive methods (mtf, hedge,
    maxmean, mm-ns, thompson, base+top) choose by the judgments so far, which --qrels has; without it the pool holds all
    that they may come to ask for. Distractors may come from it, too. The file, JSON lines, lists the documents by id
    and tells nothing of ranks; -o - prints it.
    """
    require_one_output(output)
    if not overwrite:
        require_new(output, hint="people may be judging it; choose another name, or use --overwrite")
    with progress("topics") as advance:
        pool = make_pool(list(runs), progress=advance, **choices)
    write_pool(pool, output, overwrite=overwrite)
    print_beside(pool, str(pool))


@subcommand(
    command,
    "simulate",
    "germane pool simulate qrels.txt system1.run system2.run --budgets 1,2,3",
    "germane pool simulate qrels.txt system1.run system2.run --method depth --method mtf --budgets 2",
)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True)
@shared("--method", "methods", multiple=True, otherwise="all that need no more data")
@option("--budgets", "Documents per topic, between commas.", "COUNT,…", default=",".join(map(str, DEFAULT_BUDGETS)))
@shared("--measure", default="AP")
@option(
    "--repeats",
    "Replay methods that have chance in them so often, and print means and the extremes of tau.",
    "COUNT",
    default=1,
)
@option(
    "--leave-one-out",
    "Also pool again without each run, for the largest budget: is the pool fair to a run that it has not seen?",
)
@option("--teams", "A run and its team to a line: a team's runs are left out together.", "FILE")
@shared("--figure")
@result_options
@_SHARED
def simulate(
    qrels: str, runs: tuple[str, ...], methods: tuple[str, ...], budgets: str, figure: str | None, **choices: Any
) -> None:
    """Replay pooling methods on judged data: what each would find, and its leaderboard.

    Share is found / all relevant documents known; tau is Kendall's tau-b between the leaderboard of the pool and that
    of all of QRELS. A document that QRELS does not judge counts as not relevant.
    """
    from germane.output.plots import figures, pools

    if figure is not None:  # before the work: a wrong ending should not cost it
        figures.format_of(figure)
        figures.require_folder(figure)
    with progress("replays") as advance:
        choices["teams"] = None if choices["teams"] is None else _read_teams(choices["teams"])
        simulation = simulate_pools(qrels, list(runs), methods or None, _budgets(budgets), progress=advance, **choices)
    print_result(simulation)
    if figure is not None:
        figures.write_figure(pools.simulation(simulation.table("budgets").records()), figure)


def _budgets(text: str) -> list[int]:
    try:
        return [int(part) for part in text.replace(",", " ").split()]
    except ValueError:
        raise GermaneError(f"expected budgets such as 10,50,100, found {text!r}") from None


def _read_teams(path: str) -> dict[str, str]:
    from germane.formats.files.sources import display_name
    from germane.formats.rows.slices import read_pairs

    return {display_name(run): team for run, team in read_pairs(path, "a run and its team")}
