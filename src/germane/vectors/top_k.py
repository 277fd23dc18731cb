"""The exact top k: all documents are multiplied, those that may be among the k best are kept, then scored exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, Ids, IntArray
from germane.tables.columns.stretches import Stretches
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.rankings.run import Run
from germane.vectors.counting import TieOrder, places, require_same_space
from germane.vectors.matrix import Reals, Vectors
from germane.vectors.on_numpy import Block, Blocks, Scoring, block_size, one_thread_each
from germane.vectors.pairs import NO_PAIRS, Pairs
from germane.vectors.similarity import Similarity


@dataclass(frozen=True, eq=False)
class Nearest:
    """The best documents of each query by row, best first, and their scores; `num` is their number.

    After the last document of a query, `doc` is -1 and `score` is NaN.
    """

    doc: IntArray
    score: FloatArray
    num: IntArray

    def to_run(self, queries: Ids, docs: Ids, *, name: str = "exact") -> Run:
        """Return the top k as a run. Its rank column holds the order, whatever the tie-breaking rule."""
        there = np.arange(self.doc.shape[1]) < self.num[:, None]
        rank = (np.nonzero(there)[1] + 1).astype(np.float64)
        sizes = Stretches.of_sizes(self.num.tolist())
        return Run(queries, sizes, docs.take(self.doc[there]), self.score[there], rank, name=name)


def nearest_rows(
    queries: Vectors,
    docs: Vectors,
    k: int,
    similarity: Similarity,
    *,
    excluded: Pairs = NO_PAIRS,
    ties: TieOrder = "docno",
    progress: Callable[[int, int], None] | None = None,
) -> Nearest:
    """Return the k best documents of each query that are not excluded for it, as a full sort would.

    Ties are broken by document id, descending by bytes, or by row order, also at the cutoff.

    >>> from germane.vectors.similarity import similarity_called
    >>> queries, docs = Vectors.of(np.float32([[1, 0]])), Vectors.of(np.float32([[1, 0], [2, 0], [1, 1], [0, 1]]))
    >>> nearest_rows(queries, docs, 2, similarity_called("dot")).doc
    array([[1, 2]])
    """
    if k < 1:
        raise GermaneError(f"expected k of 1 or more, found {k}")
    require_same_space(queries, docs, similarity)
    scoring = Scoring.of(queries, docs, similarity, 1)
    _ = scoring.rows, scoring.query_norm  # computed once, not by each thread
    best = _Best(scoring, min(k, docs.num), min(docs.num, block_size(queries.num)), places(docs, ties))

    def take_some(shares: Iterable[Block]) -> None:
        for block in shares:
            for q, values in block.products():
                part = slice(q, q + len(values))
                _adjust(values, similarity, block.squared)
                query, doc = _reaching(values, best.bound[part], block.limit[part], best.k)
                best.add(q + query, block.first + doc, values[query, doc], block.limit)

    with one_thread_each():
        map_in_threads(take_some, [Blocks(scoring, excluded, progress)] * num_threads())
    return best.in_order()


def _adjust(products: Reals, similarity: Similarity, squared: FloatArray) -> None:
    """Turn products into quick values, in place."""
    adjustment = similarity.adjustment(squared)
    if adjustment is not None:
        scale, offset = (each.astype(products.dtype) for each in adjustment)
        products *= scale
        products += offset


def _reaching(values: Reals, reached: FloatArray, limit: FloatArray, k: int) -> tuple[IntArray, IntArray]:
    """Return the pairs of a block that may be among the k best, given the bound so far, without excluded ones."""
    real: Any = values.dtype.type
    low = reached - limit
    if len(values) and values.shape[1] > k and np.isneginf(reached).any():
        # The block's own k-th best is a bound too, up to twice the window.
        low = np.maximum(low, np.partition(values, -k, axis=1)[:, -k].astype(np.float64) - 2 * limit)
    lowest = np.maximum(np.nextafter(low.astype(real), real(-np.inf)), np.finfo(real).min)
    query, doc = np.divmod(np.flatnonzero(values >= lowest[:, None]), max(1, values.shape[1]))
    return query, doc


class _Best:
    """Candidates for the k best so far, one row per query; several threads may add to it.

    Documents are compared by quick values, at most `limit` away from their scores. A row has room for more than k: only
    when it is full, documents that cannot be among the k best are dropped. `bound` is a lower bound on the k-th best
    score, or −infinity.
    """

    def __init__(self, scoring: Scoring, k: int, most_at_once: int, place: IntArray) -> None:
        self.k, self.place, self.scoring, num_queries = k, place, scoring, scoring.queries.num
        room = min(len(place), k + max(k, 2 * most_at_once))
        self.most_kept = max(k, room - most_at_once)
        self.doc = np.empty((num_queries, room), dtype=np.int64)
        self.quick = np.empty((num_queries, room))
        self.num = np.zeros(num_queries, dtype=np.int64)
        self.limit = np.zeros(num_queries)
        self.bound = np.full(num_queries, -np.inf)
        self.lock = Lock()

    def add(self, query: IntArray, doc: IntArray, quick: Reals, limit: FloatArray) -> None:
        """Add documents of a block, sorted by query; `limit` is for all queries."""
        new = np.bincount(query, minlength=len(self.num))
        before = np.cumsum(new) - new
        with self.lock:
            if (self.num + new > self.doc.shape[1]).any():
                self.shorten()
            np.maximum(self.limit, limit, out=self.limit)
            column = self.num[query] + np.arange(len(query)) - before[query]
            self.doc[query, column], self.quick[query, column] = doc, quick
            self.num += new

    def shorten(self) -> None:
        """Drop documents that cannot be among the k best of their row."""
        crowded = []
        for row in np.flatnonzero(self.num > self.k).tolist():
            quick = self.quick[row, : self.num[row]]
            self.bound[row] = np.partition(quick, -self.k)[-self.k] - self.limit[row]
            kept = np.flatnonzero(quick >= self.bound[row] - self.limit[row])
            self.keep(row, kept)
            if len(kept) > self.most_kept:
                crowded.append(row)
        if crowded:  # too many are nearly equal, so exact scores must decide
            order, _ = self.by_score(np.asarray(crowded))
            for row, best in zip(crowded, order, strict=True):
                self.keep(row, best[: self.k])

    def keep(self, row: int, which: IntArray) -> None:
        """Keep some entries of a row, by index."""
        self.num[row] = len(which)
        for values in (self.doc[row], self.quick[row]):
            values[: len(which)] = values[which]

    def by_score(self, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the indices of documents in each of these rows, best first, and their scores; NaN after the last."""
        num = self.num[rows]
        there = np.arange(num.max(initial=0)) < num[:, None]
        score = np.full(there.shape, np.nan)
        doc = np.where(there, self.doc[rows, : there.shape[1]], 0)
        score[there] = self.scoring.scores(Pairs(np.repeat(rows, num), doc[there]))
        order = np.lexsort((-self.place[doc], -score), axis=-1)
        return order, np.take_along_axis(score, order, axis=1)

    def in_order(self) -> Nearest:
        """Return the k best documents of each query, best first."""
        self.shorten()
        order, score = self.by_score(np.arange(len(self.num)))
        order, score = order[:, : self.k], score[:, : self.k]
        doc = np.where(np.isnan(score), -1, np.take_along_axis(self.doc, order, axis=1))
        return Nearest(doc, score, np.minimum(self.num, self.k))
