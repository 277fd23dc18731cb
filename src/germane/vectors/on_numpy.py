"""Count on the CPU: each core multiplies blocks of documents (BLAS) and counts them (a compiled loop)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from germane import kernels
from germane.errors import InputError
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.vectors.matrix import Reals, Vectors
from germane.vectors.pairs import Pairs
from germane.vectors.ranks import Counts, Thresholds
from germane.vectors.similarity import COSINE, EUCLIDEAN, Similarity, window

PRODUCTS = 1 << 21
"""Products per block: few enough to stay in the cache until they are counted."""
FEWEST_DOCS, MOST_DOCS, MOST_QUERIES = 256, 1 << 14, 1 << 13
LARGEST = 1e37
"""Maximum product in single precision, safely below overflow."""
UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}
FEW_FOR_SINGLE = 256
"""Maximum number of thresholds for single precision: with more, too many scores are in doubt, and double is cheaper."""


def precision_for(queries: Vectors, docs: Vectors, similarity: Similarity, most: int) -> tuple[Any, bool]:
    """Return the precision for products, and whether they are exact in it."""
    if queries.is_whole and docs.is_whole and similarity.kernel != COSINE:
        # Half a squared norm is a multiple of ½: one more bit.
        bound = queries.dimensions * 2.0**14 * (4 if similarity.kernel == EUCLIDEAN else 1)
        return (np.float32 if bound <= 2**24 else np.float64), True
    double = "float64" in (queries.kind, docs.kind) or most > FEW_FOR_SINGLE
    return (np.float64 if double else np.float32), False


@dataclass(frozen=True, eq=False)
class Scoring:
    """Vectors to compare, and how: `real` is the precision of products, and `exact` says that they are not rounded."""

    queries: Vectors
    docs: Vectors
    similarity: Similarity
    query_squared: FloatArray
    real: Any
    exact: bool = False

    @classmethod
    def of(cls, queries: Vectors, docs: Vectors, similarity: Similarity, most: int) -> Scoring:
        """Prepare scoring against up to `most` thresholds per query."""
        squared = queries.all_squared_norms()
        if similarity.kernel == COSINE:
            queries.require_lengths(squared)
        return cls(queries, docs, similarity, squared, *precision_for(queries, docs, similarity, most))

    @cached_property
    def rows(self) -> Reals:
        """The queries in the precision of products."""
        return self.queries.rows(slice(None), self.real)

    @cached_property
    def query_norm(self) -> FloatArray:
        """The norm of each query."""
        return np.sqrt(self.query_squared)

    def scores(self, pairs: Pairs) -> FloatArray:
        """Return the score of each pair. Documents are read in storage order."""
        docs, similarity = self.docs, self.similarity
        order = np.argsort(pairs.doc, kind="stable")
        result = np.empty(len(pairs))
        wanted, at = np.unique(pairs.doc[order], return_inverse=True)
        for first in range(0, len(wanted), MOST_DOCS):
            chosen = wanted[first : first + MOST_DOCS]
            part = docs.rows(chosen, self.real)
            a, b = np.searchsorted(at, (first, first + MOST_DOCS))
            squared = docs.squared_norms(part, chosen)
            if similarity.kernel == COSINE:
                docs.require_lengths(squared, chosen)
            of_pair = order[a:b]
            query, row = pairs.query[of_pair], at[a:b] - first
            sums = _sums(self.rows, part, query, row, similarity)
            result[of_pair] = similarity.score(sums, self.query_squared[query], squared[row], docs.dimensions)
            docs.release(int(chosen[0]), int(chosen[-1]) + 1)
        return result

    def require_range(self, norm: FloatArray, squared: FloatArray, first: int) -> None:
        """Reject zero vectors for cosine, from row `first` on, and products that single precision cannot hold."""
        if self.similarity.kernel == COSINE:
            self.docs.require_lengths(squared, first)
        if self.real is np.float32 and self.query_norm.max(initial=0) * norm.max() + squared.max() > LARGEST:
            found = f"vector {self.docs.ids[first + int(norm.argmax())]!r} of length {norm.max():.3g}"
            problem = f"expected products below {LARGEST:g}, found {found}"
            raise InputError(self.docs.name, None, problem, hint="scale the vectors down, or store them as float64")


def _sums(queries: Reals, docs: Reals, query: IntArray, doc: IntArray, similarity: Similarity) -> FloatArray:
    """Return the sums behind the scores of these pairs of rows, computed in parallel."""
    sums = np.empty(len(query))
    size = max(1, -(-len(query) // num_threads()))

    def work(a: int) -> None:
        some = slice(a, a + size)
        kernels.pair_sums(queries, docs, query[some], doc[some], similarity.kernel, sums[some])

    map_in_threads(work, list(range(0, len(query), size)))
    return sums


def count(
    scoring: Scoring,
    thresholds: Thresholds,
    masked: Pairs,
    doc_place: IntArray,
    progress: Callable[[int, int], None] | None = None,
) -> Counts:
    """Count all documents except the masked ones against the thresholds of each query."""
    similarity, real, rows, query_norm = scoring.similarity, scoring.real, scoring.rows, scoring.query_norm
    quick = similarity.quick(thresholds.score, scoring.query_squared[thresholds.query], scoring.docs.dimensions)
    pair_place = doc_place[thresholds.doc]
    nothing = np.zeros(0, dtype=real)

    def count_some(shares: Iterable[Block]) -> Counts:
        counts = Counts.none_yet(thresholds)
        for block in shares:
            lowest, highest = _reach(quick, thresholds.start, block.limit, real)
            adjustment = similarity.adjustment(block.squared)
            scale, offset = (nothing, nothing) if adjustment is None else (each.astype(real) for each in adjustment)
            places = doc_place[block.first : block.first + len(block.rows)]
            for q, products in block.products():
                part = slice(q, q + len(products))
                kernels.count_block(
                    products, scale, offset, rows[part], block.rows, query_norm[part], block.norm, similarity.kernel,
                    scoring.exact, thresholds.start[q : q + len(products) + 1], thresholds.score, quick,
                    block.limit[part], lowest[part], highest[part], places, pair_place,
                    counts.histogram[q:], counts.equal, counts.ahead, 0, len(products),
                )  # fmt: skip
        return counts

    blocks = Blocks(scoring, masked, progress)
    with one_thread_each():
        return Counts.sum(map_in_threads(count_some, [blocks] * num_threads()))


@dataclass(frozen=True, eq=False)
class Block:
    """A block of documents, starting at row `first`, and their products with all queries.

    `limit` is, for each query, the maximum distance of a quick value from its score.
    """

    first: int
    rows: Reals
    squared: FloatArray
    norm: FloatArray
    limit: FloatArray
    queries: Reals
    hidden: Pairs
    room: Reals

    def products(self) -> Iterator[tuple[int, Reals]]:
        """Yield products for some queries at a time, with the number of the first; excluded documents get −infinity."""
        for q in range(0, len(self.queries), MOST_QUERIES):
            part = self.queries[q : q + MOST_QUERIES]
            shape = len(part), len(self.rows)
            # Reuse the buffer: fresh memory costs up to a tenth of the product.
            products = np.matmul(part, self.rows.T, out=self.room[: shape[0] * shape[1]].reshape(shape))
            here = (self.hidden.query >= q) & (self.hidden.query < q + len(products))
            products[self.hidden.query[here] - q, self.hidden.doc[here]] = -np.inf
            yield q, products


class Blocks:
    """Iterates over documents in blocks; several threads may share it, each with its own product buffer."""

    def __init__(self, scoring: Scoring, left_out: Pairs, progress: Callable[[int, int], None] | None = None) -> None:
        self.scoring, self.docs, self.left_out, self.progress = scoring, scoring.docs, left_out.by_doc, progress
        self.size = block_size(scoring.queries.num)
        self.next = 0
        self.lock = Lock()

    def __iter__(self) -> Iterator[Block]:
        room = np.empty(min(self.scoring.queries.num, MOST_QUERIES) * self.size, dtype=self.scoring.real)
        while True:
            with self.lock:
                first, self.next = self.next, self.next + self.size
                if first < self.docs.num and self.progress is not None:
                    self.progress(first, self.docs.num)
            if first >= self.docs.num:
                return
            last = min(first + self.size, self.docs.num)
            yield self._block(first, last, room)
            self.docs.release(first, last)

    def _block(self, first: int, last: int, room: Reals) -> Block:
        by, rows = self.scoring, self.docs.rows(slice(first, last), self.scoring.real)
        squared = self.docs.squared_norms(rows, first)
        norm = np.sqrt(squared)
        by.require_range(norm, squared, first)
        limit = np.zeros(by.queries.num)
        if not by.exact:
            limit = window(by.similarity, by.query_norm, float(norm.max()), self.docs.dimensions, UNIT[by.real])
        return Block(first, rows, squared, norm, limit, by.rows, self.left_out.in_block(first, last), room)


def block_size(num_queries: int) -> int:
    """Return the number of documents per block."""
    return min(MOST_DOCS, max(FEWEST_DOCS, PRODUCTS // max(1, min(num_queries, MOST_QUERIES))))


def one_thread_each() -> AbstractContextManager[object]:
    """Limit matrix products to one thread: germane runs one per core, and none should wait for another."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits


def _reach(quick: FloatArray, start: IntArray, limit: FloatArray, real: Any) -> tuple[Reals, Reals]:
    """Return, by query, where a quick value may reach the lowest threshold, and where it is above all of them."""
    lowest, highest = np.full((2, len(limit)), np.inf)
    some = np.diff(start) > 0
    lowest[some], highest[some] = quick[start[:-1][some]], quick[start[1:][some] - 1]
    down, up = (lowest - limit).astype(real), (highest + limit).astype(real)
    return np.nextafter(down, real(-np.inf)), np.nextafter(up, real(np.inf))
