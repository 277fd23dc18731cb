"""``germane retrieve``: ask an engine with topics, and write the run and what it cost."""

from __future__ import annotations

import sys
from typing import Any, get_args

import click

from germane.api.retrieval.retrieval import DEFAULT_K, DEFAULT_TIMEOUT_SECONDS, retrieve
from germane.cli.options.printing import print_beside, require_one_output, result_options
from germane.cli.options.vocabulary import arguments, folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.output.rendering.progress import progress
from germane.retrieval.engines.past_queries import Shared
from germane.retrieval.engines.record import Retrieval, record_path


@make_command(
    "retrieve",
    "germane retrieve library topics.tsv -o bm25.run",
    "germane retrieve library topics.tsv --model 'QL(mu=1000)' --feedback rm3 -k 100 -o ql.run",
    "germane retrieve opensearch+https://search.example.org/library topics.tsv -o os.run",
)
@arguments("source", "topics")
@shared("--output", required=True)
@shared("--model", otherwise="BM25")
@shared("--top", "k", default=DEFAULT_K)
@shared("--field", default="title")
@shared("--topic-numbers", default="given")
@shared("--feedback")
@option("--template", 'The request to OpenSearch, as JSON with "{{query}}" and "{{k}}" in it.', "FILE")
@option(
    "--past-topics",
    "Topics to learn from, for BII and for --costs; --field and --topic-numbers hold for them too.",
    "FILE",
)
@option("--past-qrels", "The judgments of the past topics.", "FILE")
@option("--past-qrels-format", "Their format.  [default: told from the content]", "FORMAT")
@option("--past-rel", "The least grade of theirs that counts as relevant.  [default: 1]", "GRADE", type=float)
@option(
    "--past-shared",
    "Past topics that are among TOPICS too, by id or by words: an error; learn from the others; or learn from "
    "them too, which makes figures too good.  [default: refuse]",
    get_args(Shared),
)
@folders_option
@shared("--costs")
@option(
    "--calibrate",
    "How scores become P(R|d) for --costs: isotonic or logistic, with normalise=zscore (minmax, none) and "
    "unjudged=non-relevant (left-out), as in 'logistic(normalise=none)'.  [default: isotonic]",
    "METHOD",
)
@option(
    "--rerank", "Put the best documents of an index into another order, by a model that `germane learn` wrote.", "FILE"
)
@shared("--depth", otherwise="as far as the model of --rerank was learned on")
@option(
    "--rerank-feature rerank_features",
    "Where a column is that the model of --rerank reads, if not where it was; may be repeated.",
    "NAME=FILE",
    multiple=True,
)
@shared("--threads", otherwise="all cores for an index, else 1")
@option("--timeout", "How many seconds a server may take for an answer.", "SECONDS", default=DEFAULT_TIMEOUT_SECONDS)
@shared("--overwrite")
@result_options
def command(source: str, topics: str, output: str, **choices: Any) -> None:
    """Ask SOURCE with each of TOPICS, and write the run to --output, whose ending is its format.

    Beside the run there is a record, RUN.json: the engine, times per query, the index's size.

    SOURCE is the folder of an index (`germane index`), a table of PostgreSQL
    (postgresql://user@host/database?table=docs&id=id&text=title,body), an OpenSearch or Elasticsearch index
    (opensearch+https://host:9200/index?fields=title,body), or a Python function (module:function). Passwords come from
    the environment.

    An index ranks by any --model; boolean takes a topic as an expression with AND, OR, NOT, brackets and "phrases", and
    BII learns from past topics. --feedback takes the top for relevant (pseudo relevance feedback).

    With --costs documents are ranked by P(R|d), and what is worth it is returned; bayes stands for 0,1,1. The scores in
    the run are then probabilities. Documents of equal probability keep the order of the model's
    scores: each lower one gets the next smaller number.
    """
    require_one_output(output)
    _look_at(topics)
    with progress("topics") as advance:
        retrieval = retrieve(source, topics, output=output, progress=advance, **choices)
    found = f"{len(retrieval.run.queries):,} topics, {len(retrieval.run.docs):,} documents by {retrieval.run.tag}"
    print_beside(retrieval, "" if output == STDIN else f"{found}; times and sizes are in {record_path(output)}")
    if sys.stderr.isatty():
        click.echo(_times(retrieval), err=True)


def _look_at(topics: str) -> None:
    """A document or a line of a log is a question to every engine, so the wrong file gives a run: whoever names it
    hears so."""
    from germane.api.files.file_types import recognise

    try:
        found = recognise(topics)
    except GermaneError:
        return  # reading the topics says what is wrong with them
    if found.thing == "documents":
        click.echo(f"note: {topics} looks like documents ({found.why}); each is asked as a question", err=True)
    elif found.thing == "log":
        said = f"note: {topics} looks like a query log ({found.why})"
        click.echo(f"{said}; `germane topics sample {topics}` makes topics of it", err=True)
    elif found.thing == "index":
        raise GermaneError(f"{topics}: expected topics, found an index", hint="are the index and TOPICS swapped?")


def _times(retrieval: Retrieval) -> str:
    """For somebody who watches: they differ each time, so they are no part of what a script would compare."""
    median, p95 = (f"{retrieval.seconds_at(percent) * 1000:.3g} ms" for percent in (50, 95))
    return f"per topic {median} (median), {p95} (95 %); {retrieval.queries_per_second:,.4g} topics per second"
