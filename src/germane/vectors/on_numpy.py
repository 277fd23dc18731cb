"""Counting on the processor: each core multiplies blocks of documents (BLAS) and counts them (a compiled loop)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
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
"""So many products at a time: they stay in the cache until they are counted."""
FEWEST_DOCS, MOST_DOCS, MOST_QUERIES = 256, 1 << 14, 1 << 13
LARGEST = 1e37
"""Products below this are far enough from the end of single precision."""
UNIT = {np.float32: 2.0**-24, np.float64: 2.0**-53}
FEW_FOR_SINGLE = 256
"""With more thresholds than this, single precision leaves too many scores in doubt, and double is cheaper."""


def precision_for(queries: Vectors, docs: Vectors, similarity: Similarity, most: int) -> tuple[Any, bool]:
    """In which precision to multiply, and whether the products are exact in it."""
    if queries.is_whole and docs.is_whole and similarity.kernel != COSINE:
        # Half a squared norm is a multiple of a half: one bit more.
        bound = queries.dimensions * 2.0**14 * (4 if similarity.kernel == EUCLIDEAN else 1)
        return (np.float32 if bound <= 2**24 else np.float64), True
    double = "float64" in (queries.kind, docs.kind) or most > FEW_FOR_SINGLE
    return (np.float64 if double else np.float32), False


def pair_scores(
    queries: Vectors, docs: Vectors, pairs: Pairs, similarity: Similarity, query_squared: FloatArray, real: Any
) -> FloatArray:
    """The score of each pair. Documents are read in the order in which they lie."""
    order = np.argsort(pairs.doc, kind="stable")
    doc = pairs.doc[order]
    result = np.empty(len(pairs))
    rows = queries.rows(slice(None), real)
    wanted, at = np.unique(doc, return_inverse=True)
    for first in range(0, len(wanted), MOST_DOCS):
        chosen = wanted[first : first + MOST_DOCS]
        part = docs.rows(chosen, real)
        a, b = np.searchsorted(at, (first, first + MOST_DOCS))
        squared = docs.squared_norms(part, chosen)
        if similarity.kernel == COSINE:
            docs.require_lengths(squared, chosen)
        of_pair = order[a:b]
        query, row = pairs.query[of_pair], at[a:b] - first
        sums = _sums(rows, part, query, row, similarity)
        result[of_pair] = similarity.score(sums, query_squared[query], squared[row], docs.dimensions)
        docs.release(int(chosen[0]), int(chosen[-1]) + 1)
    return result


def _sums(queries: Reals, docs: Reals, query: IntArray, doc: IntArray, similarity: Similarity) -> FloatArray:
    """What the scores of these pairs of rows are made of, each core working out its share."""
    sums = np.empty(len(query))

    def work(a: int, b: int) -> None:
        kernels.pair_sums(queries, docs, query[a:b], doc[a:b], similarity.kernel, sums[a:b])

    _in_threads(len(query), work)
    return sums


def count(
    queries: Vectors,
    docs: Vectors,
    thresholds: Thresholds,
    masked: Pairs,
    similarity: Similarity,
    query_squared: FloatArray,
    real: Any,
    exact: bool,
    doc_place: IntArray,
    progress: Callable[[int, int], None] | None = None,
) -> Counts:
    """Count all documents but the masked ones against the thresholds of each query."""
    query_norm = np.sqrt(query_squared)
    quick = similarity.quick(thresholds.score, query_squared[thresholds.query], docs.dimensions)
    rows = queries.rows(slice(None), real)
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
                    exact, thresholds.start[q : q + len(products) + 1], thresholds.score, quick,
                    block.limit[part], lowest[part], highest[part], places, pair_place,
                    counts.histogram[q:], counts.equal, counts.ahead, 0, len(products),
                )  # fmt: skip
        return counts

    blocks = Blocks(rows, docs, masked, similarity, query_norm, exact, progress)
    with one_thread_each():
        return Counts.sum(map_in_threads(count_some, [blocks] * num_threads()))


def require_range(
    docs: Vectors,
    similarity: Similarity,
    query_norm: FloatArray,
    norm: FloatArray,
    squared: FloatArray,
    first: int,
    real: Any,
) -> None:
    """Refuse what has no direction, and products that single precision cannot hold."""
    if similarity.kernel == COSINE:
        docs.require_lengths(squared, first)
    if real is np.float32 and query_norm.max(initial=0) * norm.max() + squared.max() > LARGEST:
        row = first + int(norm.argmax())
        found = f"vector {docs.ids[row]!r} of length {norm.max():.3g}"
        raise InputError(
            docs.name,
            None,
            f"expected products below {LARGEST:g}, found {found}",
            hint="scale the vectors down, or store them as float64",
        )


@dataclass(frozen=True, eq=False)
class Block:
    """Some documents, beginning at row `first`: what is known of them, and their products with all queries.

    `limit` says for each query how far a quick value may be from its score.
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
        """Some queries at a time, with the number of the first; documents left out have minus infinity."""
        for q in range(0, len(self.queries), MOST_QUERIES):
            products = multiply(self.queries[q : q + MOST_QUERIES], self.rows, self.room)
            here = (self.hidden.query >= q) & (self.hidden.query < q + len(products))
            products[self.hidden.query[here] - q, self.hidden.doc[here]] = -np.inf
            yield q, products


class Blocks:
    """The documents block by block; several threads may take from it, each with room for its own products."""

    def __init__(
        self,
        queries: Reals,
        docs: Vectors,
        left_out: Pairs,
        similarity: Similarity,
        query_norm: FloatArray,
        exact: bool,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.queries, self.docs, self.left_out = queries, docs, left_out.by_doc
        self.similarity, self.query_norm, self.exact, self.progress = similarity, query_norm, exact, progress
        self.size = block_size(len(queries))
        self.next = 0
        self.lock = Lock()

    def __iter__(self) -> Iterator[Block]:
        room = np.empty(min(len(self.queries), MOST_QUERIES) * self.size, dtype=self.queries.dtype)
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
        real = self.queries.dtype.type
        rows = self.docs.rows(slice(first, last), real)
        squared = self.docs.squared_norms(rows, first)
        norm = np.sqrt(squared)
        require_range(self.docs, self.similarity, self.query_norm, norm, squared, first, real)
        limit = np.zeros(len(self.queries))
        if not self.exact:
            limit = window(self.similarity, self.query_norm, float(norm.max()), self.docs.dimensions, UNIT[real])
        hidden = self.left_out.in_block(first, last)
        return Block(first, rows, squared, norm, limit, self.queries, hidden, room)


def block_size(num_queries: int) -> int:
    """How many documents make a block."""
    return min(MOST_DOCS, max(FEWEST_DOCS, PRODUCTS // max(1, min(num_queries, MOST_QUERIES))))


def multiply(rows: Reals, block: Reals, room: Reals) -> Reals:
    """The products of some queries with a block of documents, put into the same `room` every time: fresh memory costs
    as much as a tenth of the product."""
    products = room[: len(rows) * len(block)].reshape(len(rows), len(block))
    return np.matmul(rows, block.T, out=products)


def one_thread_each() -> AbstractContextManager[object]:
    """While this holds, a matrix product takes one thread: each of ours has its own, and none waits for another."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits


def _reach(quick: FloatArray, start: IntArray, limit: FloatArray, real: Any) -> tuple[Reals, Reals]:
    """From where on a quick value may reach the lowest threshold of its query, and where it is above all of them."""
    lowest, highest = np.full((2, len(limit)), np.inf)
    some = np.diff(start) > 0
    lowest[some], highest[some] = quick[start[:-1][some]], quick[start[1:][some] - 1]
    down, up = (lowest - limit).astype(real), (highest + limit).astype(real)
    return np.nextafter(down, real(-np.inf)), np.nextafter(up, real(np.inf))


def _in_threads(num: int, work: Callable[[int, int], None]) -> None:
    """Divide ``range(num)`` among the cores."""
    size = max(1, -(-num // num_threads()))
    map_in_threads(lambda a: work(a, min(num, a + size)), list(range(0, num, size)))
