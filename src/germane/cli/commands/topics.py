"""``germane topics sample``: draw the queries of a benchmark from a query log."""

from __future__ import annotations

import click

from germane.cli.options.vocabulary import folders_option, option, shared
from germane.cli.shell.command_class import Group, make_command, subcommand

MOST_NAMES = 8
"""Fields named in a note."""


def _topics() -> None:
    """Make the queries of a benchmark."""


command: Group = make_command("topics", cls=Group)(_topics)


@subcommand(
    command,
    "sample",
    "germane topics sample log.tsv -n 3 -o topics.tsv",
    "germane topics sample log.tsv -n 3 --uniform --seed 7",
    "germane topics sample log.tsv -n 3 --counts",
)
@click.argument("log", type=click.Path(allow_dash=True))
@option("-n --size", "How many queries to draw.", "COUNT", default=50)
@folders_option
@shared("--seed", default=0)
@option("--uniform", "Give all queries the same chance, however often they were asked.")
@option("--counts", "Also how often each query was asked, as a third column.")
@shared("--output", otherwise="the screen")
@shared("--overwrite")
def sample(log: str, size: int, seed: int, uniform: bool, counts: bool, output: str | None, overwrite: bool) -> None:
    """Draw different queries from LOG, by default those asked more often with a higher probability.

    LOG has a query per line, or a query, a tab and how often it was asked; or it is CSV with a header such as
    query,count, JSON lines with the same names, or a file of TREC or SMART topics, whose titles are the queries.
    Queries that differ only in case or white space are one. Prints a number, a tab and the query: a file of topics. In
    such a file the third column is the description, so do not judge what --counts printed.
    """
    from germane.formats.files.part_folders import naming_parts
    from germane.formats.files.sources import STDIN, open_source, source_name
    from germane.formats.files.targets import open_target, require_new
    from germane.formats.truth.query_log import sample_queries

    target = STDIN if output is None else output
    if not overwrite:
        require_new(target)
    with naming_parts(log), open_source(log) as lines:
        drawn = sample_queries(lines, size, seed, weighted=not uniform, source=source_name(log))
    with open_target(target, overwrite=overwrite) as file:
        for number, query in enumerate(drawn.queries, start=1):
            columns = [str(number), query.text, *([str(query.frequency)] if counts else [])]
            file.write(("\t".join(columns) + "\n").encode())
    if drawn.left_out:
        click.echo(f"note: not used: {', '.join(drawn.left_out[:MOST_NAMES])}", err=True)
    click.echo(
        f"drew {size} of {drawn.num_distinct} different queries, asked {drawn.num_asked} times; seed {seed}", err=True
    )
