"""``germane topics sample``: draw the queries of a benchmark from a query log."""

from __future__ import annotations

import click

from germane.cli.commanding import Group, make_command, subcommand
from germane.cli.vocabulary import seed_option


def _topics() -> None:
    """Make the queries of a benchmark."""


command: Group = make_command("topics", cls=Group)(_topics)


@subcommand(
    command,
    "sample",
    examples=["germane topics sample log.tsv -n 3", "germane topics sample log.tsv -n 3 --uniform --seed 7"],
)
@click.argument("log", type=click.Path(allow_dash=True))
@click.option(
    "-n",
    "--size",
    metavar="COUNT",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many queries to draw.",
)
@seed_option
@click.option("--uniform", is_flag=True, help="Give all queries the same chance, however often they were asked.")
def sample(log: str, size: int, seed: int, uniform: bool) -> None:
    """Draw different queries from LOG, by default those asked more often with a higher probability.

    LOG has a query per line, or a query, a tab and how often it was asked. Queries that differ only in case or white
    space are one. Prints, between tabs, a number, the query, and how often it was asked.
    """
    from germane.formats.query_log import sample_queries
    from germane.formats.sources import open_source, source_name

    with open_source(log) as lines:
        drawn = sample_queries(lines, size, seed, weighted=not uniform, source=source_name(log))
    for number, query in enumerate(drawn.queries, start=1):
        click.echo(f"{number}\t{query.text}\t{query.frequency}")
    click.echo(
        f"drew {size} of {drawn.num_distinct} different queries, asked {drawn.num_asked} times; seed {seed}", err=True
    )
