"""Sort scores in parallel: the distinct ones, highest first, with counts at or above each.

Scores are divided into buckets of neighbouring values; each bucket is sorted independently, on any free core, and the
results are concatenated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from germane import kernels
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.columns.threads import map_in_threads, num_threads

BINS_LOG2 = 14
"""Number of bins in which keys are counted (as a power of 2); buckets are made of bins."""

BUCKET = 1 << 16
"""Usual number of scores in a bucket: half a megabyte, which fits into the cache of a core."""

LARGEST_BUCKETS = 256
"""Maximum number of buckets; writing to more streams is slower than sorting larger buckets."""

NATIVE = ("<f8", "<f4", "<i8", "<i4")
"""Types that the kernel reads without conversion."""


class SortedScores(NamedTuple):
    """The distinct scores, highest first, with the positives and negatives at or above each."""

    thresholds: FloatArray
    true_positives: IntArray
    false_positives: IntArray


def readable(scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return scores in a type that the kernels read, without a copy if possible."""
    return np.ascontiguousarray(scores, dtype=scores.dtype if scores.dtype.str in NATIVE else np.float64)


def sort_scores(is_positive: BoolArray, scores: npt.NDArray[Any]) -> SortedScores | int:
    """Return the sorted scores; or the first row that is NaN.

    >>> sort_scores(np.array([True, False, True]), np.array([1, 2, 2])).true_positives
    array([1, 2])
    """
    scores, truth = readable(scores), np.ascontiguousarray(is_positive)
    parts = _parts(n := len(scores))
    ranges = map_in_threads(lambda part: kernels.score_range(scores[part]), parts)
    for part, (_, _, row) in zip(parts, ranges, strict=True):
        if row >= 0:
            return int(part.start) + row
    lowest, highest = min(low for low, _, _ in ranges), max(high for _, high, _ in ranges)
    bins_log2 = BINS_LOG2 if n > BUCKET else 1
    shift = max(0, (highest - lowest).bit_length() - bins_log2)

    def count(part: slice) -> IntArray:
        counts = np.zeros((2, 1 << bins_log2), dtype=np.int64)
        kernels.count_keys(scores[part], truth[part], lowest, shift, counts)
        return counts

    counts = np.stack(map_in_threads(count, parts))
    bins = counts.sum(axis=(0, 1))
    # Neighbouring bins that together hold about as many scores as a bucket should.
    bucket_of = ((np.cumsum(bins) - bins) // max(BUCKET, n // LARGEST_BUCKETS)).astype(np.int32)
    sizes = _bucket_sizes(counts, bucket_of)
    places = np.cumsum(sizes.T).reshape(sizes.T.shape).T - sizes
    keys = np.empty(n, dtype=np.uint64)

    def place(i: int) -> None:
        # Positives come first in a bucket and negatives first in the kernels' tables, hence the two [::-1].
        starts = np.ascontiguousarray(places[i, ::-1])
        kernels.place_keys(scores[parts[i]], truth[parts[i]], lowest, shift, bucket_of, starts, keys)

    map_in_threads(place, range(len(parts)))
    return _sort_buckets(keys, sizes.sum(axis=0))


def _parts(n: int) -> list[slice]:
    """Return the rows of each thread."""
    threads = min(num_threads(), 1 + n // BUCKET)
    return [slice(n * i // threads, n * (i + 1) // threads) for i in range(threads)]


def _bucket_sizes(counts: IntArray, bucket_of: npt.NDArray[np.int32]) -> IntArray:
    """Return the number of scores by part (first axis), class (positives first) and bucket."""
    starts = np.flatnonzero(np.diff(bucket_of, prepend=-1))
    sizes = np.zeros((len(counts), 2, int(bucket_of[-1]) + 1), dtype=np.int64)
    sizes[:, :, bucket_of[starts]] = np.add.reduceat(counts[:, ::-1], starts, axis=2)
    return sizes


def _sort_buckets(keys: npt.NDArray[np.uint64], sizes: IntArray) -> SortedScores:
    """Sort each bucket and concatenate the results; `sizes` are by class (positives first) and bucket."""
    n = len(keys)
    spare = np.empty(n, dtype=np.uint64)
    true_positives, false_positives = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    before = np.cumsum(sizes, axis=1) - sizes
    starts, ends = before.sum(axis=0), (before + sizes).sum(axis=0)
    buckets = [bucket for bucket in range(len(starts)) if ends[bucket] > starts[bucket]]

    def sort(bucket: int) -> int:
        own = slice(starts[bucket], ends[bucket])
        columns = true_positives[own], false_positives[own]
        positives, negatives = before[:, bucket].tolist()
        return kernels.sort_bucket(keys[own], spare[own], int(sizes[0, bucket]), positives, negatives, *columns)

    threads = len(_parts(n))
    distinct = map_in_threads(lambda i: list(map(sort, buckets[i::threads])), range(threads))
    filled = 0
    for place, bucket in enumerate(buckets):
        start, count = int(starts[bucket]), distinct[place % threads][place // threads]
        if start > filled:  # repeated scores have left gaps
            for column in (spare, true_positives, false_positives):
                column[filled : filled + count] = column[start : start + count]
        filled += count
    # A view would keep arrays that are mostly empty in memory.
    sparse = 2 * filled < n
    thresholds, tp, fp = spare.view(np.float64)[:filled], true_positives[:filled], false_positives[:filled]
    return SortedScores(thresholds.copy(), tp.copy(), fp.copy()) if sparse else SortedScores(thresholds, tp, fp)
