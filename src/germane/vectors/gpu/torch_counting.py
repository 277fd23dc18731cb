"""Counting and scoring in torch's own operations: they run on any device, and say what the Triton kernels must do."""

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
"""With more thresholds than this, sums in single precision leave too many scores in doubt."""
PRODUCTS_AT_ONCE = 1 << 26
PAIRS_AT_ONCE = 1 << 14


class Loader:
    """Brings vectors to a device, in the numbers in which they are multiplied."""

    def __init__(self, vectors: Vectors, dtype: torch.dtype, device: torch.device) -> None:
        self.vectors, self.dtype, self.device = vectors, dtype, device
        resident = vectors.resident
        self.is_there = resident is not None and resident.device == device and resident.dtype == dtype
        """All of them lie on the device already."""

    def block(self, first: int, last: int) -> torch.Tensor:
        """Rows from `first` up to `last`."""
        return self.rows(slice(first, last))

    def rows(self, which: slice | IntArray) -> torch.Tensor:
        """Some rows."""
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
    """Add up along the last axis in double precision: component i in lane i mod 16, then the lanes in halves."""
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
    """The squared length of each row."""
    number = torch.arange(len(rows), device=rows.device)
    return best(pair_sums, rows)(rows, rows, number, number, DOT)


def nearly_squared_norms(rows: torch.Tensor) -> torch.Tensor:
    """The squared length of each row but for the last digits of double precision."""
    parts = [torch.linalg.vector_norm(part, dim=1, dtype=torch.float64) for part in rows.split(1 << 18)]
    return torch.cat(parts) ** 2


def longest(rows: torch.Tensor) -> float:
    """A bound of all lengths, at most a thousandth above the largest: one pass in single precision."""
    real = torch.float64 if rows.dtype == torch.float64 else torch.float32
    return float(torch.linalg.vector_norm(rows, dim=1, dtype=real).max()) * (1 + 2.0**-10)


def pair_sums(
    queries: torch.Tensor, docs: torch.Tensor, query: torch.Tensor, doc: torch.Tensor, kind: int
) -> torch.Tensor:
    """For each pair of a row of the queries and a row of the documents, the sum that its score is made of."""
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
    """The score of each pair; in torch what `Similarity.score` is in NumPy."""
    sums = best(pair_sums, queries)(queries, docs, query, doc, similarity.kernel)
    if similarity.kernel == COSINE:
        squared = best(pair_sums, queries)(docs, docs, doc, doc, DOT)
        return sums / (query_norm[query] * square_root(squared))
    return (sums - queries.shape[1]) / 2 if similarity.is_binary else sums


def tally(
    limits: torch.Tensor, histogram: torch.Tensor, query: torch.Tensor, score: torch.Tensor, sign: int
) -> torch.Tensor:
    """Count scores by how many thresholds of their queries are below them; returns that number for each that equals
    the next threshold, and -1 for any other."""
    width = limits.shape[1]
    below = torch.zeros_like(query)
    step = width // 2
    flat = limits.view(-1)
    while step:  # infinity stands behind the last threshold
        below += step * (flat[query * width + below + step - 1] < score)
        step //= 2
    histogram.view(-1).index_add_(0, query * width + below, torch.full_like(below, sign))
    return torch.where(flat[query * width + below] == score, below, -1)


def best(function: Callable[..., torch.Tensor], where: torch.Tensor) -> Callable[..., torch.Tensor]:
    """The function of this name that is best on the device of a tensor: Triton's on a GPU, if it is there."""
    if where.is_cuda:
        with suppress(ImportError):  # torch without Triton
            from germane.vectors.gpu import triton_counting

            return {tally: triton_counting.tally, pair_sums: triton_counting.pair_sums}[function]
    return function


def square_root(values: torch.Tensor) -> torch.Tensor:
    """Rounded correctly, as NumPy does it: torch on the processor is a unit off in one of a hundred; a GPU is not."""
    return values.sqrt() if values.is_cuda else torch.from_numpy(np.sqrt(values.numpy()))


def adjustment(similarity: Similarity, squared: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The scale and the offset of each document; None where the product is the quick value."""
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
    """Count a block's documents against the thresholds of each query; yields the pairs that must be scored.

    A document adds one to ``histogram[query, n]`` if it is surely above exactly n thresholds, and not near another one.
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
    """All products, in single precision at least."""
    if queries.dtype.itemsize < 4:
        return torch.mm(queries, docs.T, out_dtype=torch.float32)
    return queries @ docs.T
