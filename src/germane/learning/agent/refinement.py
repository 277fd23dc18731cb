"""A strategy's ranking once documents were judged for the query: each of its models asks again, and they are fused."""

from __future__ import annotations

from collections.abc import Sequence

from germane.errors import GermaneError
from germane.learning.agent.knowledge.calibration import standardised
from germane.learning.strategies.strategy import Strategy, fused
from germane.retrieval.feedback import Feedback, Refined
from germane.retrieval.indexes.index import Index
from germane.retrieval.query import Query
from germane.retrieval.search import Ranking, search


def refined_ranking(
    index: Index,
    strategy: Strategy,
    method: Feedback,
    query: Query,
    relevant: Sequence[int],
    other: Sequence[int],
    depth: int,
) -> Ranking:
    """What the strategy's models rank by the refined query, with standard scores.

    What people judged takes the place of pseudo feedback. A model that the method cannot serve (probabilistic feedback
    replaces an idf, which VSM has none of) is left out, and it is an error if none can. A method that has a model of
    its own may make the same query for all parts: then there is nothing to fuse.
    """
    asked: dict[tuple[str, str], Refined] = {}
    refused: list[GermaneError] = []
    for part in strategy.parts:
        try:
            found = method.refine(index, part.model, query, relevant, other)
        except GermaneError as problem:
            refused.append(problem)
        else:
            asked[str(found.model), repr(found.query)] = found
    if not asked:
        raise refused[0]
    lists = [search(index, found.query, found.model, depth) for found in asked.values()]
    if len(lists) == 1 or strategy.fusion is None:
        ranking = lists[0]
    else:
        weights = strategy.weights if len(lists) == len(strategy.parts) else None
        if weights is None and strategy.fusion.weights == "needed":
            weights = (1.0,) * len(lists)
        ranking = fused(index, [[each] for each in lists], strategy.fusion, depth, strategy.normalise, weights)[0]
    return Ranking(ranking.docs, standardised(ranking.scores))
