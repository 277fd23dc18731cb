"""``germane pool``: choose documents to judge; ``germane pool simulate``: compare pooling methods on judged data."""

from __future__ import annotations

from typing import Any

import click

from germane.api.truth.pool_simulation import DEFAULT_BUDGETS, simulate_pools
from germane.api.truth.pooling import DEFAULT_DEPTH
from germane.api.truth.pooling import pool as make_pool
from germane.cli.options.printing import format_options, print_beside, print_result, require_output, result_options
from germane.cli.options.spark_options import runs_on, spark_options
from germane.cli.options.vocabulary import list_option, option, qrels_format_option, run_format_option, shared, together
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.errors import GermaneError
from germane.formats.files.targets import require_new
from germane.formats.truth.pool_file import write_pool
from germane.judging.pooling import POOLING
from germane.output.rendering.progress import progress
from germane.output.texts.pages import pages


class PoolGroup(Group):
    """A group whose default command is `make`: `germane pool a.run` is `germane pool make a.run`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["make", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file"), *super().shell_complete(ctx, incomplete)]

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("germane pool", "[make] RUN… -o POOL [OPTIONS]")
        formatter.write_usage("germane pool", "simulate QRELS RUN… [OPTIONS]", prefix=" " * len("Usage: "))


_SHARED = together(
    shared("--depth", default=DEFAULT_DEPTH),
    shared("--seed", default=0),
    shared("--rel", default=1),
    option("--collection", "Ids of all documents in the collection, one per line.", "FILE"),
    run_format_option,
    qrels_format_option,
    list_option(lambda width: pages(POOLING, width)),
)
"""Options of both commands."""


def _pool() -> None:
    """Choose the documents of runs to judge, or simulate pooling methods on judged data."""


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
@option("--budget", "Maximum documents per query.  [default: all that the method selects]", "COUNT")
@shared("--qrels")
@option(
    "--distractors",
    "Number of distractors (presumed non-relevant) to add per query.",
    "COUNT",
    type=click.IntRange(0),
    default=0,
    show_default=False,
)
@option(
    "--distractors-from",
    "Distractors: judged non-relevant in --qrels, or random documents that no run retrieves.  [default: the one given]",
    ["qrels", "collection"],
)
@shared("--overwrite")
@format_options
@_SHARED
@spark_options
def make(runs: tuple[str, ...], output: str, overwrite: bool, engine: str, master: str | None, **choices: Any) -> None:
    """Write a pool: the documents to judge for each query, and how they were chosen.

    Runs are ordered as in evaluation: by descending score, ties broken by document id. Adaptive methods (mtf, hedge,
    maxmean, mm-ns, thompson, base+top) use the judgments so far (--qrels); without them, the pool holds every document
    they may ask for. The pool is JSON lines in order of document id, so it does not reveal ranks; -o - prints it.

    With --engine spark, a run is a path, pattern or address of files that Spark reads; only the top ranks come back.
    """
    require_output(output, "items", "topics")
    if not overwrite:
        require_new(output, hint="assessors may be judging this pool; choose another name, or use --overwrite")
    with progress("topics") as advance, runs_on(engine, master, runs, choices["run_format"]) as sources:
        pool = make_pool(sources, progress=advance, **choices)
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
@shared("--method", "methods", multiple=True, otherwise="all that need no other data")
@option(
    "--budgets", "Documents per query, separated by commas.", "COUNT,…", default=",".join(map(str, DEFAULT_BUDGETS))
)
@shared("--measure", default="AP")
@option(
    "--repeats",
    "Number of replays of random methods; prints means and the range of tau.",
    "COUNT",
    default=1,
)
@option(
    "--leave-one-out",
    "Also pool without each run in turn, at the largest budget, to test fairness to new runs.",
)
@option("--teams", "Exclude the runs of a team together; FILE has one `run team` per line.", "FILE")
@shared("--figure")
@result_options
@_SHARED
def simulate(
    qrels: str, runs: tuple[str, ...], methods: tuple[str, ...], budgets: str, figure: str | None, **choices: Any
) -> None:
    """Replay pooling methods on judged data: the relevant documents each finds, and the leaderboard it leads to.

    Share is the share of all known relevant documents that were found. Tau is Kendall's tau-b between the leaderboard
    of the pool and that of all QRELS. Unjudged documents count as non-relevant.
    """
    from germane.output.plots import figures, pools

    if figure is not None:  # report a wrong file extension before the work, not after it
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
