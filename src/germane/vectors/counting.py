"""The ranks of listed pairs among all documents, exactly, wherever the counting is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from germane.errors import InputError, MissingExtraError
from germane.tables.columns.ids import IntArray
from germane.vectors import on_numpy
from germane.vectors.matrix import PACK_HINT, Vectors
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.ranks import Ranks, Thresholds, ranks_of
from germane.vectors.similarity import COSINE, Similarity

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
    """Where each listed document stands in the ranking of all documents that are not excluded for its query.

    Equal scores are ordered by document id, descending by bytes, or by the row in which they came.

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
    query_squared = queries.all_squared_norms()
    if similarity.kernel == COSINE:
        queries.require_lengths(query_squared)
    most = int(np.bincount(pairs.query).max())
    real, exact = on_numpy.precision_for(queries, docs, similarity, most)
    score = on_numpy.pair_scores(queries, docs, pairs, similarity, query_squared, real)
    thresholds = Thresholds.of(pairs, score, queries.num)
    place = places(docs, ties)
    counts = on_numpy.count(
        queries, docs, thresholds, pairs.joined(excluded), similarity, query_squared, real, exact, place, progress
    )
    return ranks_of(thresholds, counts, place[thresholds.doc])


def places(docs: Vectors, ties: TieOrder) -> IntArray:
    """A number for each document, larger for the one that comes first among equal scores."""
    return docs.ids.byte_order() if ties == "docno" else -np.arange(docs.num)


def require_same_space(queries: Vectors, docs: Vectors, similarity: Similarity) -> None:
    """Refuse vectors that cannot be compared so."""
    if queries.dimensions != docs.dimensions:
        found = f"{queries.dimensions} in {queries.name}, {docs.dimensions} in {docs.name}"
        raise InputError(docs.name, None, f"expected vectors of as many components as the queries have, found {found}")
    for each in (queries, docs):
        if (each.kind == "binary") != similarity.is_binary:
            what = "bits" if similarity.is_binary else "numbers"
            hint = f"use dot, cosine or euclidean; {PACK_HINT}" if similarity.is_binary else "use hamming"
            raise InputError(
                each.name, None, f"{similarity.name} compares {what}, found {each.kind} vectors", hint=hint
            )
