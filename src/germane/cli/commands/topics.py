"""``germane topics sample``: sample the queries of a benchmark from a query log."""

from __future__ import annotations

import click

from germane.cli.options.vocabulary import folders_option, option, shared
from germane.cli.shell.command_class import Group, make_command, subcommand
from germane.output.rendering.messages import print_message

MOST_NAMES = 8
"""Maximum number of fields listed in a note."""


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
@option("-n --size", "Number of queries to sample.", "COUNT", default=50)
@folders_option
@shared("--seed", default=0)
@option("--uniform", "Sample all queries with equal probability, regardless of frequency.")
@option("--counts", "Add the frequency of each query as a third column.")
@shared("--output", otherwise="standard output")
@shared("--overwrite")
def sample(log: str, size: int, seed: int, uniform: bool, counts: bool, output: str | None, overwrite: bool) -> None:
    """Sample distinct queries from LOG, by default with probability proportional to their frequency.

    LOG has one query per line, optionally with a tab and its frequency; or it is CSV with a header such as query,count,
    JSON lines with the same names, or a file of TREC or SMART topics, whose titles are the queries. Queries that differ
    only in case or white space count as one. Prints one number, tab and query per line: a topic file. The third column
    of a topic file is the description, so do not use the output of --counts for judging.
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
        print_message(f"unused fields: {', '.join(drawn.left_out[:MOST_NAMES])}", label="note: ")
    print_message(
        f"sampled {size} of {drawn.num_distinct} distinct queries (total frequency {drawn.num_asked}), seed {seed}"
    )
