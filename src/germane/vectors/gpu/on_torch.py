"""Count with torch, on a GPU or CPU: the same thresholds, windows and scores as `on_numpy`.

16-bit vectors are multiplied as they are, by the GPU's tensor cores; documents are loaded in blocks, or already are on
the device. Triton kernels count if available (`triton_counting`), otherwise torch operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, IntArray
from germane.vectors.gpu import torch_counting as plain
from germane.vectors.matrix import Vectors
from germane.vectors.on_numpy import UNIT, precision_for
from germane.vectors.pairs import Pairs
from germane.vectors.ranks import Ranks
from germane.vectors.similarity import COSINE, DOT, Similarity, window

PRODUCTS = {"cpu": 1 << 22, "cuda": 1 << 29}
"""Maximum number of products computed at a time, by device."""
MOST_DOCS = 1 << 16
PAIRS_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class Work:
    """State shared by all blocks. `quick` are the thresholds by query, on the scale of the products, padded with
    infinity."""

    similarity: Similarity
    queries: torch.Tensor
    query_norm: torch.Tensor
    quick: torch.Tensor
    unit: float
    exact: bool

    @property
    def dimensions(self) -> int:
        return int(self.queries.shape[1])


@dataclass(frozen=True, eq=False)
class Limits:
    """Thresholds on a device: `score` has those of each query in its row, ascending, padded with infinity.

    `start` is the offset of each query in the flat order, `doc` the document of each threshold, `order` its index among
    the given pairs, and `given` the scores as given.
    """

    score: torch.Tensor
    there: torch.Tensor
    start: torch.Tensor
    doc: torch.Tensor
    order: torch.Tensor
    given: torch.Tensor

    @classmethod
    def of(cls, pairs: Pairs, score: torch.Tensor, num_queries: int) -> Limits:
        """Sort the scores of the listed pairs."""
        query, doc = (torch.as_tensor(each, device=score.device) for each in (pairs.query, pairs.doc))
        number = torch.arange(len(query), device=score.device)
        order = number if bool((query.diff() >= 0).all()) else torch.argsort(query, stable=True)
        query = query[order]
        sizes = torch.bincount(query, minlength=num_queries)
        start = torch.cumsum(sizes, 0) - sizes
        # A power of two, with room for the number of thresholds itself as a position.
        width = 1 << int(sizes.max()).bit_length()
        filled = torch.full((num_queries, width), torch.inf, dtype=torch.float64, device=score.device)
        filled.view(-1)[query * width + number - start[query]] = score[order]
        limits, column = filled.sort(dim=1, stable=True)
        there = torch.arange(width, device=score.device) < sizes[:, None]
        order = order[(column + start[:, None])[there]]
        return cls(limits, there, start, doc[order], order, score)


class Tally:
    """Counts on the device, listed documents included, and the documents that were scored exactly."""

    def __init__(self, limits: Limits, docs: Vectors, ties: str) -> None:
        self.limits, self.docs, self.ties = limits, docs, ties
        self.histogram = torch.zeros(limits.score.shape, dtype=torch.int64, device=limits.score.device)
        self.equal, self.ahead = (torch.zeros_like(limits.doc) for _ in range(2))

    def add(self, query: torch.Tensor, doc: torch.Tensor, score: torch.Tensor, sign: int = 1) -> None:
        """Count documents by their scores; with sign -1, remove them again."""
        limits = self.limits.score
        below = plain.best(plain.tally, limits)(limits, self.histogram, query, score, sign)
        tied = (below >= 0).nonzero()[:, 0]
        while len(tied):
            query, doc, score, below = query[tied], doc[tied], score[tied], below[tied]
            threshold = self.limits.start[query] + below
            self.equal.index_add_(0, threshold, torch.full_like(threshold, sign))
            others = (self.limits.doc[threshold] != doc).nonzero()[:, 0]
            if len(others):
                self._stand_ahead(threshold[others], doc[others], sign)
            below = below + 1
            tied = (limits[query, below] == score).nonzero()[:, 0]

    def _stand_ahead(self, threshold: torch.Tensor, doc: torch.Tensor, sign: int) -> None:
        """Count the documents equal to a threshold that rank before its own document by the tie-breaking rule."""
        rows = torch.cat((doc, self.limits.doc[threshold])).cpu().numpy()
        place = places_among(self.docs, rows, self.ties)
        first = torch.as_tensor(place[: len(doc)] > place[len(doc) :], device=doc.device)
        self.ahead.index_add_(0, threshold, sign * first.long())

    def ranks(self) -> Ranks:
        """Add up the counts: a document above n thresholds ranks above each of the lowest n."""
        above = torch.zeros_like(self.histogram)
        above[:, :-1] = self.histogram[:, 1:].flip(1).cumsum(1).flip(1)
        of_threshold = above[self.limits.there]
        columns = torch.stack((of_threshold + self.ahead + 1, of_threshold + 1, of_threshold + self.equal))
        given = torch.empty_like(columns)
        given[:, self.limits.order] = columns
        rank, first, last = given.cpu().numpy()
        return Ranks(self.limits.given.cpu().numpy(), rank, first, last, self._order(columns[0]).cpu().numpy())

    def _order(self, rank: torch.Tensor) -> torch.Tensor:
        """Return the given pairs sorted by query and rank."""
        query = torch.repeat_interleave(self.limits.there.sum(1), output_size=len(rank))
        return self.limits.order[torch.argsort(query * (self.docs.num + 1) + rank)]


def places_among(docs: Vectors, rows: IntArray, ties: str) -> IntArray:
    """Return a number for each of these documents; of equal scores, the larger number ranks first."""
    if ties == "order":
        return -rows
    wanted, at = np.unique(rows, return_inverse=True)
    return np.asarray(docs.ids.take(wanted).byte_order()[at], dtype=np.int64)


def rank_pairs(
    queries: Vectors,
    docs: Vectors,
    pairs: Pairs,
    similarity: Similarity,
    excluded: Pairs,
    ties: str,
    device: str,
    progress: Callable[[int, int], None] | None,
) -> Ranks:
    """Return the ranks of listed pairs; `counting.rank_pairs` documents the arguments."""
    place = _device(device)
    most = int(np.bincount(pairs.query, minlength=1).max())
    multiplied, unit, exact = _precision(queries, docs, similarity, most, place)
    loader = plain.Loader(docs, multiplied, place)
    rows = plain.Loader(queries, multiplied, place).block(0, queries.num)
    query_squared = _query_lengths(queries, rows, similarity)
    norm = torch_of(np.sqrt(query_squared), place)
    score = _pair_scores(rows, loader, pairs, similarity, norm, docs)
    limits = Limits.of(pairs, score, queries.num)
    work = Work(similarity, rows, norm, _quick(similarity, limits.score, query_squared, docs.dimensions), unit, exact)
    tally = Tally(limits, docs, ties)
    for first, block in _blocks(loader, docs, queries.num, place):
        largest, adjustment = _lengths(work, docs, block, first)
        low, high = _reach(work, largest)
        count = _counter(block, most, multiplied)
        for query, doc in count(work, block, low, high, adjustment, tally.histogram):
            value = plain.pair_scores(similarity, rows, block, norm, query, doc)
            tally.add(query, doc + first, value)
        if progress is not None:
            progress(min(docs.num, first + len(block)), docs.num)
    if len(excluded):
        taken_out = _pair_scores(rows, loader, excluded, similarity, norm, docs)
        tally.add(torch_of(excluded.query, place), torch_of(excluded.doc, place), taken_out, sign=-1)
    return tally.ranks()


def torch_of(values: FloatArray | IntArray, device: torch.device) -> torch.Tensor:
    """Return an array as a tensor on the device."""
    return torch.as_tensor(values, device=device)


def _device(name: str) -> torch.device:
    try:
        device = torch.device("cpu" if name == "torch" else name)
    except RuntimeError:
        raise GermaneError(f"expected a device such as cpu, cuda or cuda:1, found {name!r}") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise GermaneError("torch found no GPU", hint="use `device='cpu'`")
    if device.type == "cuda" and device.index is None:
        return torch.device("cuda", torch.cuda.current_device())
    return device


def _precision(
    queries: Vectors, docs: Vectors, similarity: Similarity, most: int, device: torch.device
) -> tuple[torch.dtype, float, bool]:
    """Return the number type for products, the rounding unit of their sums, and whether products are exact.

    Tensor cores multiply 16-bit numbers exactly and add sixteen products at a time to a single-precision sum; published
    experiments find that such a step loses at most two units in the sum's last place. Vendors do not specify it; with
    sixteen products per step, d components take d / 16 steps of two times 2^-23: d times 2^-26.
    """
    half = {"bfloat16": torch.bfloat16, "float16": torch.float16}
    if device.type == "cuda" and queries.kind == docs.kind and docs.kind in half and most <= plain.MOST_IN_HALF:
        return half[docs.kind], 2.0**-26, False
    real, exact = precision_for(queries, docs, similarity, most)
    return (torch.float32 if real is np.float32 else torch.float64), UNIT[real], exact


def _query_lengths(queries: Vectors, rows: torch.Tensor, similarity: Similarity) -> FloatArray:
    """Return the squared norm of each query, from the rows on the device."""
    squared: FloatArray = plain.squared_norms(rows).cpu().numpy()
    queries.require_finite(squared)
    if similarity.kernel == COSINE:
        queries.require_lengths(squared)
    return squared


def _quick(similarity: Similarity, limits: torch.Tensor, query_squared: FloatArray, dimensions: int) -> torch.Tensor:
    """Return the thresholds on the scale of the quick values."""
    if similarity.kernel == DOT and not similarity.is_binary:
        return limits
    return torch_of(similarity.quick(limits.cpu().numpy(), query_squared[:, None], dimensions), limits.device)


def _pair_scores(
    rows: torch.Tensor, loader: plain.Loader, pairs: Pairs, similarity: Similarity, norm: torch.Tensor, docs: Vectors
) -> torch.Tensor:
    """Return the score of each pair; documents are read in storage order."""
    if loader.is_there:
        query, doc = torch_of(pairs.query, rows.device), torch_of(pairs.doc, rows.device)
        return plain.pair_scores(similarity, rows, loader.block(0, docs.num), norm, query, doc)
    order = np.argsort(pairs.doc, kind="stable")
    score = torch.empty(len(pairs), dtype=torch.float64, device=rows.device)
    for at in range(0, len(order), PAIRS_AT_ONCE):
        some = order[at : at + PAIRS_AT_ONCE]
        wanted, local = np.unique(pairs.doc[some], return_inverse=True)
        part = loader.rows(wanted)
        _require_range(docs, similarity, plain.nearly_squared_norms(part), wanted)
        query, place = torch_of(pairs.query[some], rows.device), torch_of(local, rows.device)
        score[torch_of(some, rows.device)] = plain.pair_scores(similarity, rows, part, norm, query, place)
    return score


def _require_range(docs: Vectors, similarity: Similarity, squared: Any, first: int | IntArray) -> None:
    """Reject non-finite numbers, and zero vectors for cosine."""
    if not bool((squared < np.inf).all()) or (similarity.kernel == COSINE and not bool(squared.all())):
        there = squared if isinstance(squared, np.ndarray) else squared.cpu().numpy()
        docs.require_finite(there, first)
        docs.require_lengths(there, first)


def _blocks(
    loader: plain.Loader, docs: Vectors, num_queries: int, device: torch.device
) -> Iterator[tuple[int, torch.Tensor]]:
    # Resident vectors are one block: the counters divide it themselves.
    size = docs.num if loader.is_there else min(MOST_DOCS, PRODUCTS[device.type] // max(1, num_queries))
    size = max(1, size)
    for first in range(0, docs.num, size):
        yield first, loader.block(first, min(docs.num, first + size))


def _lengths(
    work: Work, docs: Vectors, block: torch.Tensor, first: int
) -> tuple[float, tuple[torch.Tensor, torch.Tensor] | None]:
    """Return a bound on the norms of a block's documents, and what turns products into quick values."""
    if work.similarity.kernel == DOT:
        largest = plain.longest(block)
        if not largest < np.inf:
            docs.require_finite(plain.squared_norms(block).cpu().numpy(), first)
        return largest, None
    squared = plain.squared_norms(block) if work.exact else plain.nearly_squared_norms(block)
    _require_range(docs, work.similarity, squared, first)
    return float(squared.max().sqrt()) * (1 + 2.0**-40), plain.adjustment(work.similarity, squared)


def _reach(work: Work, largest: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the bounds between which a quick value may be on either side of each threshold."""
    quick, real = work.quick, torch.float64 if work.queries.dtype == torch.float64 else torch.float32
    if work.exact:
        return quick.to(real), quick.to(real)
    limit = window(work.similarity, work.query_norm.cpu().numpy(), largest, work.dimensions, work.unit)
    wide = torch.as_tensor(limit, device=quick.device)[:, None]
    infinity = torch.tensor(torch.inf, device=quick.device, dtype=real)
    return torch.nextafter((quick - wide).to(real), -infinity), torch.nextafter((quick + wide).to(real), infinity)


def _counter(block: torch.Tensor, most: int, multiplied: torch.dtype) -> Callable[..., Any]:
    """Return the best counter: Triton kernels on a GPU, torch operations elsewhere."""
    if block.is_cuda and multiplied.itemsize < 8:
        try:
            from germane.vectors.gpu import triton_counting
        except ImportError:  # torch without Triton
            return plain.count
        if triton_counting.fits(block, most):
            return triton_counting.count
    return plain.count
