"""The rankings of several parts of a strategy, fused as `germane fuse` fuses runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from germane.errors import GermaneError
from germane.retrieval.fusion import NORMALISATIONS, Method, lists_of
from germane.retrieval.fusion.fuse_runs import DEFAULT_NORMALISATION
from germane.retrieval.indexes.index import Index
from germane.retrieval.search import Ranking, run_of
from germane.tables.columns.ids import Ids


def fused(
    index: Index,
    lists: Sequence[Sequence[Ranking]],
    method: Method,
    k: int,
    normalise: str | None = None,
    weights: Sequence[float] | None = None,
) -> list[Ranking]:
    """One ranking for each query, from what each part has for it (by part, then by query).

    A query for which only one part found something is ranked by that part; one for which none did stays empty.
    """
    num_queries = len(lists[0])
    width = len(str(num_queries))
    names = [f"{query:0{width}}" for query in range(num_queries)]  # in byte order, so that query i stays query i
    runs = [run_of(index, rankings, Ids.of(names), f"part {part}") for part, rankings in enumerate(lists, start=1)]
    if not any(len(run.score) for run in runs):
        return [Ranking(np.zeros(0, np.int64), np.zeros(0)) for _ in range(num_queries)]
    table = lists_of(runs, weights)
    with np.errstate(all="ignore"):  # what overflows is found below
        if method.uses == "scores":
            scaling = NORMALISATIONS.parse(normalise or DEFAULT_NORMALISATION)
            table = replace(table, score=scaling.target(table))
        scores = method.fuse(table)
    if not np.isfinite(scores).all():
        raise GermaneError(
            f"{method}: the scores are too large to fuse", hint="fuse(…, normalise=rank) looks at ranks alone"
        )
    numbers = np.unique(np.concatenate([ranking.docs for rankings in lists for ranking in rankings]))
    number = dict(zip(index.ids_of(numbers).to_bytes_list(), numbers.tolist(), strict=True))
    docs = np.asarray([number[doc] for doc in table.docs.to_bytes_list()], np.int64)
    order = np.lexsort((docs, -scores, table.query))
    ends = np.cumsum(table.num_candidates)
    rankings = []
    for first, last in zip(ends - table.num_candidates, ends, strict=True):
        best = order[first : min(last, first + k)]
        rankings.append(Ranking(docs[best], scores[best]))
    return rankings
