"""From vectors to a `JudgedRun`: every document of the collection is retrieved, and those listed are ranked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from germane.tables.columns.ids import IntArray
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import reorder_ties
from germane.tables.rankings.qrels import Qrels
from germane.vectors.counting import rank_pairs, require_same_space
from germane.vectors.matrix import Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.relevance import rows_of
from germane.vectors.similarity import Similarity


@dataclass(frozen=True, eq=False)
class Found:
    """Where the queries and documents of judgments lie among vectors.

    `query` has the row of each query of the judgments, `doc` that of each document that they list; -1 is nowhere.
    `excluded` are queries of the judgments, by their number, with the rows of documents left out of their rankings.
    """

    query: IntArray
    doc: IntArray
    excluded: Pairs


def find(qrels: Qrels, queries: Vectors, docs: Vectors, *, exclude_self: bool = False) -> Found:
    """Find what the judgments name, by id; `exclude_self` leaves the document of the query's own id out."""
    query, doc = rows_of(qrels.queries, queries.ids), rows_of(qrels.docs, docs.ids)
    itself = rows_of(qrels.queries, docs.ids) if exclude_self else np.full(len(query), -1)
    left_out = np.flatnonzero((itself >= 0) & (query >= 0))
    return Found(query, doc, Pairs(left_out, itself[left_out]))


def hits_of(qrels: Qrels, found: Found, num_docs: int) -> IntArray:
    """The rows of the judgments whose documents are in the rankings of their queries."""
    if (found.query >= 0).all() and (found.doc >= 0).all():
        there = np.arange(len(found.doc))
    else:
        there = np.flatnonzero((found.query[qrels.query] >= 0) & (found.doc >= 0))
    if len(found.excluded) == 0:
        return there
    pair = qrels.query[there] * num_docs + found.doc[there]
    return there[~np.isin(pair, found.excluded.query * num_docs + found.excluded.doc)]


def judge_vectors(
    qrels: Qrels,
    queries: Vectors,
    docs: Vectors,
    found: Found,
    similarity: Similarity,
    *,
    ties: Ties = "docno",
    device: str = "cpu",
    name: str = "vectors",
    progress: Callable[[int, int], None] | None = None,
) -> JudgedRun:
    """The ranking of all documents that the vectors make, seen through judgments.

    >>> from germane.vectors.similarity import similarity_called
    >>> qrels = Qrels.from_dict({"0": {"1": 1, "2": 0}})
    >>> queries, docs = Vectors.of([[1.0, 0.0]]), Vectors.of([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> run = judge_vectors(qrels, queries, docs, find(qrels, queries, docs), similarity_called("cosine"))
    >>> run.rank, run.grade, run.num_retrieved
    (array([1, 2]), array([0., 1.]), array([3]))
    """
    require_same_space(queries, docs, similarity)
    hit = hits_of(qrels, found, docs.num)
    query = qrels.query[hit]
    # Only queries with a listed document are multiplied.
    asked = np.flatnonzero(np.bincount(query, minlength=qrels.num_queries))
    number = np.full(qrels.num_queries, -1)
    number[asked] = np.arange(len(asked))
    excluded = found.excluded.take(np.flatnonzero(number[found.excluded.query] >= 0))
    ranks = rank_pairs(
        queries.take(found.query[asked]),
        docs,
        Pairs(number[query], found.doc[hit]),
        similarity,
        excluded=Pairs(number[excluded.query], excluded.doc),
        ties="order" if ties == "order" else "docno",
        device=device,
        progress=progress,
    )
    order = ranks.order
    in_run = found.query >= 0
    left_out = np.bincount(found.excluded.query, minlength=qrels.num_queries)
    unknown = np.ones(queries.num, dtype=bool)
    unknown[found.query[in_run]] = False
    run = JudgedRun(
        qrels=qrels,
        in_run=in_run,
        num_retrieved=np.where(in_run, docs.num - left_out, 0),
        doc=hit[order],
        rank=ranks.rank[order],
        first=ranks.first[order],
        last=ranks.last[order],
        ties=ties,
        name=name,
        unknown_queries=tuple(sorted(queries.ids.take(np.flatnonzero(unknown)))),
    )
    return reorder_ties(run) if ties in ("best", "worst") else run


def without_unknown(run: JudgedRun) -> JudgedRun:
    """The same, where queries that are not in the judgments are only scored at another time."""
    return replace(run, unknown_queries=())
