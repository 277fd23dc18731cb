"""`search`: rank the documents of an index for queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from germane.arguments import checked
from germane.errors import GermaneError
from germane.retrieval.indexes.index import Index
from germane.retrieval.models import MODELS, Model
from germane.retrieval.query import Query
from germane.retrieval.search import run_of, search_many
from germane.tables.results.rankings import Rankings

QueriesLike = str | Query | Sequence[str | Query] | Mapping[str, str | Query]
"""One or several queries: texts or weighted terms, in a list or by id."""


@checked
def search(
    index: Index | str | Path,
    queries: QueriesLike,
    model: str | Model = "BM25",
    k: int = 1000,
    *,
    threads: int | None = None,
) -> Rankings:
    """Rank the k best documents for each query, among those that contain one of its terms.

    `queries` is one query, a list of them, or a dict of queries by id; without ids, the text of a query is its id. The
    result is a run, which `germane.evaluate` accepts. `threads` is the number of threads (by default, all cores).

    >>> index = Index.of({"d1": "red wine", "d2": "wine, wine", "d3": "roses"}, analyser="plain")
    >>> list(search(index, "wine").docs)
    ['d2', 'd1']
    >>> list(search(index, {"q1": "wine", "q2": "red roses"}, k=1)["q2"])
    ['d3']
    """
    if k < 1:
        raise GermaneError(f"expected k of 1 or more, found {k}")
    opened = opened_index(index)
    ranker = MODELS.parse(model)
    given = [queries] if isinstance(queries, str | Query) else queries
    asked = given if isinstance(given, Mapping) else {_text(query): query for query in given}
    found = search_many(opened, list(asked.values()), ranker, k, threads=threads)
    run = run_of(opened, found, asked, str(ranker))
    return Rankings(run.queries, run.stretches, run.docs, run.score, tag=run.name, name=run.name)


def _text(query: str | Query) -> str:
    return query if isinstance(query, str) else " ".join(query.weights)


def opened_index(index: Index | str | Path) -> Index:
    """Return the index, opened if it is given as a folder."""
    return index if isinstance(index, Index) else Index.open(index)
