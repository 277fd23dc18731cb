"""``germane retrieve``: run topics through an engine, and write the run and its timings."""

from __future__ import annotations

import sys
from typing import Any, get_args

from germane.api.retrieval.retrieval import DEFAULT_K, DEFAULT_TIMEOUT_SECONDS, retrieve
from germane.cli.options.printing import print_beside, require_output, result_options
from germane.cli.options.vocabulary import arguments, folders_option, option, shared
from germane.cli.shell.command_class import make_command
from germane.errors import GermaneError
from germane.formats.files.sources import STDIN
from germane.output.rendering.messages import print_message
from germane.output.rendering.progress import progress
from germane.retrieval.engines.past_queries import Shared
from germane.retrieval.engines.record import Retrieval, record_path
from germane.tables.notes.counts import counted


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
@option("--template", 'Request to OpenSearch: JSON with the placeholders "{{query}}" and "{{k}}".', "FILE")
@option(
    "--past-topics",
    "Past topics to learn from, for BII and --costs; --field and --topic-numbers apply to them too.",
    "FILE",
)
@option("--past-qrels", "Judgments of the past topics.", "FILE")
@option("--past-qrels-format", "Format of the past judgments.  [default: inferred from content]", "FORMAT")
@option("--past-rel", "Minimum grade of past judgments that counts as relevant.  [default: 1]", "GRADE", type=float)
@option(
    "--past-shared",
    "Past topics that are also in TOPICS, by id or text: refuse them, skip them, or keep them (scores are then "
    "optimistic).  [default: refuse]",
    get_args(Shared),
)
@folders_option
@shared("--costs")
@option(
    "--calibrate",
    "How to calibrate scores to P(R|d) for --costs: isotonic or logistic, with parameters normalise=zscore (minmax, "
    "none) and unjudged=non-relevant (left-out).  [default: isotonic]",
    "METHOD",
)
@option("--rerank", "Re-rank the top documents of an index with a model from `germane learn`.", "FILE")
@shared("--depth", otherwise="the depth of the --rerank model")
@option(
    "--rerank-feature rerank_features",
    "New location of a feature file of the --rerank model; may be repeated.",
    "NAME=FILE",
    multiple=True,
)
@shared("--threads", otherwise="all cores for an index, else 1")
@option("--timeout", "Maximum seconds to wait for a server's response.", "SECONDS", default=DEFAULT_TIMEOUT_SECONDS)
@shared("--overwrite")
@result_options
def command(source: str, topics: str, output: str, **choices: Any) -> None:
    """Run TOPICS through SOURCE and write the run to --output, in the format of its file extension.

    A record next to the run, RUN.json, holds the engine, times per query and the size of the index.

    SOURCE is the folder of an index (`germane index`), a table of PostgreSQL
    (postgresql://user@host/database?table=docs&id=id&text=title,body), an OpenSearch or Elasticsearch index
    (opensearch+https://host:9200/index?fields=title,body), or a Python function (module:function). Passwords come from
    the environment.

    An index supports every --model. The model boolean reads a topic as an expression with AND, OR, NOT, brackets and
    "phrases"; BII learns from past topics. --feedback treats the top documents as relevant (pseudo-relevance feedback).

    With --costs, documents are ranked by P(R|d) and returned only if their expected cost is worth it; bayes means
    0,1,1. Scores in the run are then probabilities. Documents of equal probability keep the order of the model's
    scores: each lower one gets the next smaller number.
    """
    require_output(output, "measures", "queries")
    _check_topics(topics)
    with progress("topics") as advance:
        retrieval = retrieve(source, topics, output=output, progress=advance, **choices)
    queries, docs = counted(len(retrieval.run.queries), "query"), counted(len(retrieval.run.docs), "document")
    found = f"{queries}, {docs} by {retrieval.run.tag}"
    print_beside(retrieval, "" if output == STDIN else f"{found}; times and sizes are in {record_path(output)}")
    if sys.stderr.isatty():
        print_message(_times(retrieval))


def _check_topics(topics: str) -> None:
    """Note a wrong file of topics: an engine would run the documents or log lines of another file as queries."""
    from germane.api.files.file_types import recognise

    try:
        found = recognise(topics)
    except GermaneError:
        return  # reading the topics reports the problem
    if found.thing == "documents":
        print_message(f"{topics} looks like documents ({found.why}); each is run as a query", label="note: ")
    elif found.thing == "log":
        note = f"note: {topics} looks like a query log ({found.why})"
        print_message(f"{note}; use `germane topics sample {topics}` to make topics")
    elif found.thing == "index":
        raise GermaneError(f"{topics}: expected topics, found an index", hint="are the index and TOPICS swapped?")


def _times(retrieval: Retrieval) -> str:
    """Return timings for a person at a terminal; they differ each time, so scripts do not get them."""
    median, p95 = (f"{retrieval.seconds_at(percent) * 1000:.3g} ms" for percent in (50, 95))
    return f"per query: median {median}, 95th percentile {p95}; {retrieval.queries_per_second:,.4g} queries per second"
