"""Scores of vectors, and how many of them lie above each of some thresholds. Compiled by Cython (pure mode).

The score of a pair is summed in double precision and in one order, whatever the machine: sixteen lanes, component i in
lane i mod 16, then the lanes in halves. A block of products, quick and rounded, decides about every document whose
score is farther from each threshold than rounding can reach; the others are scored again.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t

COMPILED = cython.compiled

Real = cython.fused_type(cython.float, cython.double)

DOT = cython.declare(cython.int, 0)
COSINE = cython.declare(cython.int, 1)
EUCLIDEAN = cython.declare(cython.int, 2)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sum_in_lanes(
    x: cython.pointer[cython.const[Real]], y: cython.pointer[cython.const[Real]], size: int64_t, kind: cython.int
) -> cython.double:
    """The sum of products, or the negative sum of squared differences."""
    # Sums of whole groups are indexed by constants alone, so that they stay in registers.
    sums = cython.declare(cython.double[16])
    lane = cython.declare(cython.double[16])
    i: int64_t = 0
    k: int64_t
    half: int64_t
    difference: cython.double
    for k in range(16):
        sums[k] = 0.0
    if kind == EUCLIDEAN:
        while i + 16 <= size:
            for k in range(16):
                difference = cython.cast(cython.double, x[i + k]) - cython.cast(cython.double, y[i + k])
                sums[k] -= difference * difference
            i += 16
    else:
        while i + 16 <= size:
            for k in range(16):
                sums[k] += cython.cast(cython.double, x[i + k]) * cython.cast(cython.double, y[i + k])
            i += 16
    for k in range(16):
        lane[k] = sums[k]
    for k in range(size - i):
        if kind == EUCLIDEAN:
            difference = cython.cast(cython.double, x[i + k]) - cython.cast(cython.double, y[i + k])
            lane[k] -= difference * difference
        else:
            lane[k] += cython.cast(cython.double, x[i + k]) * cython.cast(cython.double, y[i + k])
    half = 8
    while half > 0:
        for k in range(half):
            lane[k] += lane[k + half]
        half //= 2
    return lane[0]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def num_below(threshold: cython.pointer[cython.const[cython.double]], size: int64_t, score: cython.double) -> int64_t:
    """How many of the rising thresholds lie below a score; without branches, which would be guessed wrong."""
    base: int64_t = 0
    half: int64_t
    while size > 1:
        half = size // 2
        base += half if threshold[base + half - 1] < score else 0
        size -= half
    return base + (threshold[base] < score)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def bucket_of(value: Real, low: Real, per_unit: Real, num_buckets: cython.int) -> cython.int:
    """Which of the equal buckets above `low` a value falls into; 0 below it. It never falls as the value rises."""
    place: Real = (value - low) * per_unit
    place = place if place > -1.0 else -1.0
    place = place if place < num_buckets else num_buckets
    return cython.cast(cython.int, place + 1.0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_into_buckets(
    threshold: cython.pointer[cython.const[cython.double]],
    count: int64_t,
    window: cython.double,
    low: Real,
    per_unit: Real,
    num_buckets: cython.int,
    below: cython.pointer[int32_t],
    reached: cython.pointer[int32_t],
) -> cython.void:
    """For each bucket, how many thresholds lie below all of it by more than the window, and how many it may reach."""
    bucket: cython.int
    end: Real
    k: int64_t
    for bucket in range(num_buckets + 3):
        below[bucket] = 0
        reached[bucket] = 0
    for k in range(count):
        # An eighth more covers the rounding of the ends themselves.
        end = threshold[k] - 1.125 * window
        reached[bucket_of(end, low, per_unit, num_buckets)] += 1
        end = threshold[k] + 1.125 * window
        below[bucket_of(end, low, per_unit, num_buckets) + 1] += 1
    for bucket in range(1, num_buckets + 3):
        below[bucket] += below[bucket - 1]
        reached[bucket] += reached[bucket - 1]


def squared_norms(vectors: cython.const[Real][:, ::1], out: cython.double[::1]):
    """The squared length of each row."""
    row: int64_t
    with cython.nogil:
        for row in range(vectors.shape[0]):
            out[row] = sum_in_lanes(
                cython.address(vectors[row, 0]), cython.address(vectors[row, 0]), vectors.shape[1], DOT
            )


def pair_sums(
    queries: cython.const[Real][:, ::1],
    docs: cython.const[Real][:, ::1],
    query: cython.const[int64_t][::1],
    doc: cython.const[int64_t][::1],
    kind: cython.int,
    out: cython.double[::1],
):
    """For each pair of a row of the queries and a row of the documents, the sum that its score is made of."""
    i: int64_t
    with cython.nogil:
        for i in range(query.shape[0]):
            out[i] = sum_in_lanes(
                cython.address(queries[query[i], 0]), cython.address(docs[doc[i], 0]), queries.shape[1], kind
            )


def count_block(
    products: cython.const[Real][:, ::1],
    scale: cython.const[Real][::1],
    offset: cython.const[Real][::1],
    queries: cython.const[Real][:, ::1],
    docs: cython.const[Real][:, ::1],
    query_norm: cython.const[cython.double][::1],
    doc_norm: cython.const[cython.double][::1],
    kind: cython.int,
    exact: cython.bint,
    start: cython.const[int64_t][::1],
    threshold: cython.const[cython.double][::1],
    quick_threshold: cython.const[cython.double][::1],
    window: cython.const[cython.double][::1],
    lowest: cython.const[Real][::1],
    highest: cython.const[Real][::1],
    doc_place: cython.const[int64_t][::1],
    pair_place: cython.const[int64_t][::1],
    histogram: int64_t[::1],
    equal: int64_t[::1],
    ahead: int64_t[::1],
    first_query: int64_t,
    last_query: int64_t,
):
    """Count the documents of a block against the thresholds of each query, in place.

    The thresholds of query q are ``start[q]`` to ``start[q + 1]``, rising; `quick_threshold` are the same on the scale
    of ``products * scale + offset``, which is at most ``window[q]`` off; `lowest` and `highest` bound what can come
    within the window of the lowest and of the highest one. A document above n of its query's thresholds adds one to
    ``histogram[start[q] + q + n]`` (which is not kept for n = 0); one that equals a threshold also adds to `equal`,
    and to `ahead` if its place among the ids is before that of the threshold's own document.
    """
    room = np.empty(512, dtype=np.asarray(products).dtype)
    chunk: Real[::1] = room
    values: cython.pointer[cython.const[Real]]
    adjusted: cython.bint = scale.shape[0] > 0
    num_docs: int64_t = products.shape[1]
    q: int64_t
    at: int64_t
    size: int64_t
    i: int64_t
    k: int64_t
    begin: int64_t
    count: int64_t
    below: int64_t
    reaching: cython.int
    sure: cython.int
    low: Real
    high: Real
    value: cython.double
    limit: cython.double
    tied: cython.bint
    under = cython.declare(int32_t[4099])
    reached = cython.declare(int32_t[4099])
    bucket = cython.declare(cython.int[512])
    num_buckets: cython.int = 0
    per_unit: Real = 0.0
    sorted_in: cython.bint
    t: cython.pointer[cython.const[cython.double]]
    with cython.nogil:
        for q in range(first_query, last_query):
            begin = start[q]
            count = start[q + 1] - begin
            if count == 0:
                continue
            t = cython.address(quick_threshold[begin])
            low = lowest[q]
            high = highest[q]
            limit = window[q]
            sorted_in = False
            for at in range(0, num_docs, 512):
                size = min(512, num_docs - at)
                values = cython.address(products[q, at])
                if adjusted:
                    for i in range(size):
                        chunk[i] = values[i] * scale[at + i] + offset[at + i]
                    values = cython.address(chunk[0])
                reaching = 0
                for i in range(size):
                    reaching += values[i] >= low
                if reaching == 0:
                    continue
                sure = 0
                for i in range(size):
                    sure += values[i] > high
                if sure == reaching:
                    histogram[begin + q + count] += sure
                    continue
                if not sorted_in:
                    # Over the whole reach of the thresholds, some buckets to each; most of them hold none.
                    num_buckets = cython.cast(cython.int, min(4096, 16 * count))
                    per_unit = num_buckets / (high - low)
                    sort_into_buckets(t, count, limit, low, per_unit, num_buckets, under, reached)
                    sorted_in = True
                for i in range(size):
                    bucket[i] = bucket_of(values[i], low, per_unit, num_buckets)
                for i in range(size):
                    below = under[bucket[i]]
                    if reached[bucket[i]] == below:
                        histogram[begin + q + below] += 1
                        continue
                    value = values[i]
                    below += num_below(t + below, reached[bucket[i]] - below, value)
                    if exact:
                        tied = below < count and t[below] == value
                    elif (below < count and t[below] - value <= limit) or (below > 0 and value - t[below - 1] <= limit):
                        value = sum_in_lanes(
                            cython.address(queries[q, 0]), cython.address(docs[at + i, 0]), queries.shape[1], kind
                        )
                        if kind == COSINE:
                            value = value / (query_norm[q] * doc_norm[at + i])
                        below = num_below(cython.address(threshold[begin]), count, value)
                        tied = below < count and threshold[begin + below] == value
                    else:
                        tied = False
                    histogram[begin + q + below] += 1
                    if tied:
                        k = begin + below
                        value = threshold[k]
                        while k < begin + count and threshold[k] == value:
                            equal[k] += 1
                            ahead[k] += doc_place[at + i] > pair_place[k]
                            k += 1
