"""The plain reference of the kernel that scores vectors and counts scores above thresholds: every pair is scored."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

COMPILED = False
LANES = 16
COSINE, EUCLIDEAN = 1, 2

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def sum_in_lanes(terms: Floats) -> Floats:
    """Add up along the last axis: component i in lane i mod 16, then the lanes in halves."""
    missing = -terms.shape[-1] % LANES
    terms = np.concatenate((terms, np.zeros((*terms.shape[:-1], missing))), axis=-1)
    lanes = np.zeros((*terms.shape[:-1], LANES))
    for first in range(0, terms.shape[-1], LANES):
        lanes = lanes + terms[..., first : first + LANES]
    half = LANES // 2
    while half:
        lanes = lanes[..., :half] + lanes[..., half:]
        half //= 2
    total: Floats = lanes[..., 0]
    return total


def squared_norms(vectors: npt.NDArray[Any], out: Floats) -> None:
    """The squared length of each row."""
    out[:] = sum_in_lanes(vectors.astype(np.float64) ** 2)


def pair_sums(
    queries: npt.NDArray[Any], docs: npt.NDArray[Any], query: Rows, doc: Rows, kind: int, out: Floats
) -> None:
    """For each pair of a row of the queries and a row of the documents, the sum that its score is made of."""
    x, y = queries[query].astype(np.float64), docs[doc].astype(np.float64)
    out[:] = -sum_in_lanes((x - y) ** 2) if kind == EUCLIDEAN else sum_in_lanes(x * y)


def count_block(
    products: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    offset: npt.NDArray[Any],
    queries: npt.NDArray[Any],
    docs: npt.NDArray[Any],
    query_norm: Floats,
    doc_norm: Floats,
    kind: int,
    exact: bool,
    start: Rows,
    threshold: Floats,
    quick_threshold: Floats,
    window: Floats,
    lowest: npt.NDArray[Any],
    highest: npt.NDArray[Any],
    doc_place: Rows,
    pair_place: Rows,
    histogram: Rows,
    equal: Rows,
    ahead: Rows,
    first_query: int,
    last_query: int,
) -> None:
    """Count the documents of a block against the thresholds of each query, in place; `_vectors` says how.

    The products say only which documents count: a document that was masked has minus infinity there.
    """
    for q in range(first_query, last_query):
        begin, end = int(start[q]), int(start[q + 1])
        if begin == end:
            continue
        counted = np.flatnonzero(products[q] > -np.inf)
        score = np.empty(len(counted))
        pair_sums(queries, docs, np.full(len(counted), q), counted, kind, score)
        if kind == COSINE:
            score = score / (query_norm[q] * doc_norm[counted])
        elif exact:  # there the thresholds are the quick ones, half of a squared distance among them
            score = products[q, counted] * scale[counted] + offset[counted] if len(scale) else products[q, counted]
        limits = quick_threshold[begin:end] if exact else threshold[begin:end]
        below = np.searchsorted(limits, score)
        np.add.at(histogram, begin + q + below[below > 0], 1)
        for k in range(begin, end):
            tied = counted[score == limits[k - begin]]
            equal[k] += len(tied)
            ahead[k] += np.count_nonzero(doc_place[tied] > pair_place[k])
