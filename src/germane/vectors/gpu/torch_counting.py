"""Counting and scoring with torch operations: they run on any device and define what Triton kernels must do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import torch

from germane.tables.columns.ids import IntArray
from germane.vectors.matrix import Vectors
from germane.vectors.similarity import COSINE, DOT, EUCLIDEAN, Similarity

if TYPE_CHECKING:
    from germane.vectors.gpu.on_torch import Work

LANES = 16
MOST_IN_HALF = 256
"""Maximum number of thresholds for 16-bit products: with more, single-precision sums leave too many scores in doubt."""
PRODUCTS_AT_ONCE = 1 << 26
PAIRS_AT_ONCE = 1 << 14


class Loader:
    """Loads vectors to a device, in the number type used for products."""

    def __init__(self, vectors: Vectors, dtype: torch.dtype, device: torch.device) -> None:
        self.vectors, self.dtype, self.device = vectors, dtype, device
        resident = vectors.resident
        self.is_there = resident is not None and resident.device == device and resident.dtype == dtype
        """Whether all vectors already are on the device."""

    def block(self, first: int, last: int) -> torch.Tensor:
        """Return the rows from `first` up to `last`."""
        return self.rows(slice(first, last))

    def rows(self, which: slice | IntArray) -> torch.Tensor:
        """Return some rows."""
        if self.is_there:
            there = which if isinstance(which, slice) else torch.as_tensor(which, device=self.device)
            return self.vectors.resident[there]  # type: ignore[index]
        if self.dtype in (torch.float16, torch.bfloat16):
            stored = np.ascontiguousarray(self.vectors.stored(which))
            return torch.from_numpy(stored.view(np.int16)).to(self.device).view(self.dtype)
        real = np.float64 if self.dtype == torch.float64 else np.float32
        rows = self.vectors.rows(which, real)
        return torch.from_numpy(rows if rows.flags.writeable else rows.copy()).to(self.device)


def sum_in_lanes(terms: torch.Tensor) -> torch.Tensor:
    """Sum along the last axis in double precision: component i in lane i mod 16, then the lanes pairwise."""
    missing = -terms.shape[-1] % LANES
    terms = torch.nn.functional.pad(terms, (0, missing))
    lanes = terms[..., :LANES].clone()
    for first in range(LANES, terms.shape[-1], LANES):
        lanes += terms[..., first : first + LANES]
    half = LANES // 2
    while half:
        lanes = lanes[..., :half] + lanes[..., half:]
        half //= 2
    return lanes[..., 0]


def squared_norms(rows: torch.Tensor) -> torch.Tensor:
    """Return the squared norm of each row."""
    number = torch.arange(len(rows), device=rows.device)
    return best(pair_sums, rows)(rows, rows, number, number, DOT)


def nearly_squared_norms(rows: torch.Tensor) -> torch.Tensor:
    """Return the squared norm of each row, up to the last digits of double precision."""
    parts = [torch.linalg.vector_norm(part, dim=1, dtype=torch.float64) for part in rows.split(1 << 18)]
    return torch.cat(parts) ** 2


def longest(rows: torch.Tensor) -> float:
    """Return an upper bound on all norms, at most 0.1% above the largest, in one single-precision pass."""
    real = torch.float64 if rows.dtype == torch.float64 else torch.float32
    return float(torch.linalg.vector_norm(rows, dim=1, dtype=real).max()) * (1 + 2.0**-10)


def pair_sums(
    queries: torch.Tensor, docs: torch.Tensor, query: torch.Tensor, doc: torch.Tensor, kind: int
) -> torch.Tensor:
    """Return, for each pair of a query row and a document row, the sum that its score is computed from."""
    sums = torch.empty(len(query), dtype=torch.float64, device=queries.device)
    for first in range(0, len(query), PAIRS_AT_ONCE):
        some = slice(first, first + PAIRS_AT_ONCE)
        x, y = queries[query[some]].double(), docs[doc[some]].double()
        sums[some] = -sum_in_lanes((x - y) ** 2) if kind == EUCLIDEAN else sum_in_lanes(x * y)
    return sums


def pair_scores(
    similarity: Similarity,
    queries: torch.Tensor,
    docs: torch.Tensor,
    query_norm: torch.Tensor,
    query: torch.Tensor,
    doc: torch.Tensor,
) -> torch.Tensor:
    """Return the score of each pair; the torch version of `Similarity.score`."""
    sums = best(pair_sums, queries)(queries, docs, query, doc, similarity.kernel)
    if similarity.kernel == COSINE:
        squared = best(pair_sums, queries)(docs, docs, doc, doc, DOT)
        return sums / (query_norm[query] * square_root(squared))
    return (sums - queries.shape[1]) / 2 if similarity.is_binary else sums


def tally(
    limits: torch.Tensor, histogram: torch.Tensor, query: torch.Tensor, score: torch.Tensor, sign: int
) -> torch.Tensor:
    """Count scores by the number of thresholds of their query below them; return that number for each score that equals
    the next threshold, and -1 for any other."""
    width = limits.shape[1]
    below = torch.zeros_like(query)
    step = width // 2
    flat = limits.view(-1)
    while step:  # rows are padded with infinity
        below += step * (flat[query * width + below + step - 1] < score)
        step //= 2
    histogram.view(-1).index_add_(0, query * width + below, torch.full_like(below, sign))
    return torch.where(flat[query * width + below] == score, below, -1)


def best(function: Callable[..., torch.Tensor], where: torch.Tensor) -> Callable[..., torch.Tensor]:
    """Return the best implementation of a function for a tensor's device: Triton's on a GPU, if available."""
    if where.is_cuda:
        with suppress(ImportError):  # torch without Triton
            from germane.vectors.gpu import triton_counting

            return {tally: triton_counting.tally, pair_sums: triton_counting.pair_sums}[function]
    return function


def square_root(values: torch.Tensor) -> torch.Tensor:
    """Return correctly rounded square roots, as NumPy does: torch on the CPU is off by one unit in 1% of cases."""
    return values.sqrt() if values.is_cuda else torch.from_numpy(np.sqrt(values.numpy()))


def adjustment(similarity: Similarity, squared: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return scale and offset of each document; None if the product is the quick value."""
    found = similarity.adjustment(squared.cpu().numpy()) if similarity.kernel in (COSINE, EUCLIDEAN) else None
    if found is None:
        return None
    scale, offset = (torch.as_tensor(each, device=squared.device) for each in found)
    return scale, offset


def count(
    work: Work,
    block: torch.Tensor,
    low: torch.Tensor,
    high: torch.Tensor,
    adjusted: tuple[torch.Tensor, torch.Tensor] | None,
    histogram: torch.Tensor,
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Count a block's documents against the thresholds of each query; yield the pairs that must be scored exactly.

    A document adds 1 to ``histogram[query, n]`` if it is certainly above exactly n thresholds, and near no other.
    """
    docs_at_once = max(1, PRODUCTS_AT_ONCE // max(1, len(work.queries)))
    for first in range(0, len(block), docs_at_once):
        part = block[first : first + docs_at_once]
        values = multiply(work.queries, part)
        if adjusted is not None:
            scale, offset = (each[first : first + docs_at_once].to(values.dtype) for each in adjusted)
            values = values * scale + offset
        above = torch.searchsorted(high, values)
        near = low.gather(1, above) <= values
        histogram.scatter_add_(1, above.masked_fill(near, 0), torch.ones_like(above))
        query, doc = near.nonzero(as_tuple=True)
        yield query, doc + first


def multiply(queries: torch.Tensor, docs: torch.Tensor) -> torch.Tensor:
    """Return all products, in single precision at least."""
    if queries.dtype.itemsize < 4:
        return torch.mm(queries, docs.T, out_dtype=torch.float32)
    return queries @ docs.T
