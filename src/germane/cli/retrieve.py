"""``germane retrieve``: ask an engine with topics, and write the run and what it cost."""

from __future__ import annotations

import sys
from typing import Any, get_args

import click

from germane.api.retrieving import DEFAULT_K, DEFAULT_TIMEOUT_SECONDS, retrieve
from germane.report.notes import print_notes
from germane.report.progress import progress
from germane.retrieval.engines.past import Shared
from germane.retrieval.engines.record import Retrieval, record_path


@click.command("retrieve")
@click.argument("source")
@click.argument("topics")
@click.option("-o", "--output", required=True, metavar="RUN", help="The file to write, its ending being its format.")
@click.option(
    "--model",
    metavar="MODEL",
    help="How an index of germane's own ranks, as in 'BM25(k1=0.9)'; boolean: a topic is an expression with AND, OR, "
    "NOT, brackets and \"phrases\"; BII, as in 'BII(prior_weight=5)': learned from past topics.  [default: BM25]",
)
@click.option(
    "-k", type=click.IntRange(1), default=DEFAULT_K, show_default=True, help="How many documents per topic, at most."
)
@click.option(
    "--field",
    default="title",
    show_default=True,
    help="The part of a topic to ask with: title, description, narrative, or several with + between them.",
)
@click.option(
    "--numbers",
    type=click.Choice(["given", "position"]),
    default="given",
    show_default=True,
    help="Call topics as their file does, or 1, 2, 3 in its order.",
)
@click.option(
    "--feedback",
    metavar="METHOD",
    help="Pseudo relevance feedback on an index of germane's own, as in 'rm3(terms=20)'.",
)
@click.option(
    "--template", metavar="FILE", help='The request to OpenSearch, as JSON with "{{query}}" and "{{k}}" in it.'
)
@click.option(
    "--past-topics",
    metavar="FILE",
    help="Topics to learn from, for BII and for --costs; --field and --numbers hold for them too.",
)
@click.option("--past-qrels", metavar="FILE", help="The judgments of the past topics.")
@click.option("--past-qrels-format", metavar="FORMAT", help="Their format.  [default: told from the content]")
@click.option("--past-rel", type=float, help="The least grade of theirs that counts as relevant.  [default: 1]")
@click.option(
    "--past-shared",
    type=click.Choice(get_args(Shared)),
    help="Past topics that are among TOPICS too, by id or by words: an error; learn from the others; or learn from "
    "them too, which makes figures too good.  [default: refuse]",
)
@click.option(
    "--costs",
    metavar="C,C'",
    help="Rank by P(R|d) and return what is worth it: C is the cost of returning a relevant document, C' of any other, "
    "as in -1,0.5 (a gain is below 0); a third number is the cost of missing a relevant one; bayes is 0,1,1.",
)
@click.option(
    "--calibration",
    metavar="METHOD",
    help="How scores become P(R|d) for --costs: isotonic or logistic, with normalise=zscore (minmax, none) and "
    "unjudged=non-relevant (left-out), as in 'logistic(normalise=none)'.  [default: isotonic]",
)
@click.option(
    "--rerank",
    metavar="MODEL",
    help="Put the best documents of an index into another order, by a model that `germane learn` wrote.",
)
@click.option("--depth", type=click.IntRange(1), help="How many of them.  [default: as many as it was learned on]")
@click.option(
    "--rerank-feature",
    "rerank_features",
    multiple=True,
    metavar="NAME=FILE",
    help="Where a column is that MODEL reads, if not where it was; may be repeated.",
)
@click.option(
    "--threads", type=click.IntRange(1), help="Topics asked at a time.  [default: all cores for an index, else 1]"
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=DEFAULT_TIMEOUT_SECONDS,
    show_default=True,
    help="How many seconds a server may take for an answer.",
)
@click.option("--overwrite", is_flag=True, help="Replace RUN, and its record, if there is such a file already.")
def command(source: str, topics: str, output: str, **choices: Any) -> None:
    """Ask SOURCE with each of TOPICS, write RUN, and beside it RUN.json: the engine, times per query, the index's size.

    SOURCE is the folder of an index (`germane index`), a table of PostgreSQL
    (postgresql://user@host/database?table=docs&id=id&text=title,body), an OpenSearch or Elasticsearch index
    (opensearch+https://host:9200/index?fields=title,body), or a Python function (module:function). Passwords come from
    the environment.

    With --costs the scores in RUN are probabilities. Documents of equal probability keep the order of the model's
    scores: each lower one gets the next smaller number.
    """
    with progress("topics") as advance:
        retrieval = retrieve(source, topics, output=output, progress=advance, **choices)
    if output != "-":
        found = f"{len(retrieval.run.queries):,} topics, {len(retrieval.run.docs):,} documents"
        click.echo(f"{found} by {retrieval.run.tag}; times and sizes are in {record_path(output)}", err=True)
    if sys.stderr.isatty():
        click.echo(_times(retrieval), err=True)
    print_notes(retrieval.notes)


def _times(retrieval: Retrieval) -> str:
    """For somebody who watches: they differ each time, so they are no part of what a script would compare."""
    median, p95 = (f"{retrieval.seconds_at(percent) * 1000:.3g} ms" for percent in (50, 95))
    return f"per topic {median} (median), {p95} (95 %); {retrieval.queries_per_second:,.4g} topics per second"
