"""Exact ranks of listed pairs among all documents, on any device, and from them a `JudgedRun` in which every document
is retrieved and the listed ones are ranked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from germane.errors import InputError, MissingExtraError
from germane.tables.columns.ids import IntArray
from germane.tables.rankings.judged_run import JudgedRun, Ties
from germane.tables.rankings.matching import reorder_ties
from germane.tables.rankings.qrels import Qrels
from germane.vectors.matrix import PACK_HINT, Vectors
from germane.vectors.on_numpy import Scoring, count
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.ranks import Ranks, Thresholds, ranks_of
from germane.vectors.relevance import rows_of
from germane.vectors.similarity import Similarity

TieOrder = Literal["docno", "order"]


def rank_pairs(
    queries: Vectors,
    docs: Vectors,
    pairs: Pairs,
    similarity: Similarity,
    *,
    excluded: Pairs = NO_PAIRS,
    ties: TieOrder = "docno",
    device: str = "cpu",
    progress: Callable[[int, int], None] | None = None,
) -> Ranks:
    """Return the rank of each listed document among all documents that are not excluded for its query.

    Ties are broken by document id, descending by bytes, or by row order.

    >>> from germane.vectors.similarity import similarity_called
    >>> queries, docs = Vectors.of(np.float32([[1, 0]])), Vectors.of(np.float32([[1, 0], [2, 0], [1, 1], [0, 1]]))
    >>> ranks = rank_pairs(queries, docs, Pairs.of([0, 0], [0, 3]), similarity_called("dot"))
    >>> ranks.rank, ranks.first, ranks.last
    (array([3, 4]), array([2, 4]), array([3, 4]))
    """
    require_same_space(queries, docs, similarity)
    if len(pairs) == 0:
        return Ranks(np.zeros(0), *(np.zeros(0, dtype=np.int64) for _ in range(4)))
    if device != "cpu":
        try:
            import torch  # noqa: F401 - all of the module below needs it
        except ImportError:
            raise MissingExtraError("evaluating vectors on a GPU", "gpu") from None
        from germane.vectors.gpu import on_torch

        return on_torch.rank_pairs(queries, docs, pairs, similarity, excluded, ties, device, progress)
    scoring = Scoring.of(queries, docs, similarity, int(np.bincount(pairs.query).max()))
    thresholds = Thresholds.of(pairs, scoring.scores(pairs), queries.num)
    place = places(docs, ties)
    counts = count(scoring, thresholds, pairs.joined(excluded), place, progress)
    return ranks_of(thresholds, counts, place[thresholds.doc])


def places(docs: Vectors, ties: TieOrder) -> IntArray:
    """Return a number for each document; of equal scores, the larger number ranks first."""
    return docs.ids.byte_order() if ties == "docno" else -np.arange(docs.num)


def require_same_space(queries: Vectors, docs: Vectors, similarity: Similarity) -> None:
    """Reject vectors that cannot be compared with this similarity."""
    if queries.dimensions != docs.dimensions:
        found = f"{queries.dimensions} in {queries.name}, {docs.dimensions} in {docs.name}"
        raise InputError(
            docs.name, None, f"expected queries and documents with the same number of dimensions, found {found}"
        )
    for each in (queries, docs):
        if (each.kind == "binary") != similarity.is_binary:
            what = "bits" if similarity.is_binary else "numbers"
            hint = f"use dot, cosine or euclidean, or {PACK_HINT}" if similarity.is_binary else "use hamming"
            problem = f"{similarity.name} requires {what}, found {each.kind} vectors"
            raise InputError(each.name, None, problem, hint=hint)


@dataclass(frozen=True, eq=False)
class Found:
    """Rows of judged queries and documents among the vectors.

    `query` has the row of each judged query, `doc` that of each judged document; -1 if there is no vector. `excluded`
    are judged queries, by number, with the rows of documents excluded from their rankings.
    """

    query: IntArray
    doc: IntArray
    excluded: Pairs


def find(qrels: Qrels, queries: Vectors, docs: Vectors, *, exclude_self: bool = False) -> Found:
    """Find the judged queries and documents by id; `exclude_self` excludes the document with the query's own id."""
    query, doc = rows_of(qrels.queries, queries.ids), rows_of(qrels.docs, docs.ids)
    itself = rows_of(qrels.queries, docs.ids) if exclude_self else np.full(len(query), -1)
    left_out = np.flatnonzero((itself >= 0) & (query >= 0))
    return Found(query, doc, Pairs(left_out, itself[left_out]))


def hits_of(qrels: Qrels, found: Found, num_docs: int) -> IntArray:
    """Return the rows of the qrels whose documents are ranked for their queries."""
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
    """Return the complete ranking of all documents by the vectors, as a judged run.

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
    # Only queries with a listed document need products.
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
    """Return the run without unknown queries, for batches in which other queries are scored separately."""
    return replace(run, unknown_queries=())
