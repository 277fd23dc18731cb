"""Sums over the open pairs of a ranking, without forming the pairs. Compiled by Cython (pure mode).

A pair is a row and a row of lower grade in the same query; it is *open* while the better row does not score at least 1
more than the worse one. Rows come in the order of their scores, so that the rows near enough to form open pairs with
the next one only grow in number; their sums by grade are kept in a tree of prefix sums (Fenwick's). A query of n rows
and k grades costs n log k. Rows are first taken as the better ones, from the highest score down, and then as the worse
ones, from the lowest score up: with scores and grades negated the second is the same as the first. Both ask whether
the same difference is below 1, so that both sides of a pair agree on whether it is open.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t
from cython.cimports.libc.string import memset

COMPILED = cython.compiled


def hinge_sums(score, order, grade, bounds, weight):
    """The squared hinge of all pairs; for each row, half the slope of that sum, and its open pairs; all weighted.

    `order` lists the rows by query, and by ascending score in a query; `grade` counts from 1 in each query; `bounds`
    are the ends of the queries with a 0 before them; `weight` is that of each query's pairs.
    """
    s: cython.const[cython.double][::1] = score
    by_score: cython.const[int64_t][::1] = order
    rank: cython.const[int64_t][::1] = grade
    ends: cython.const[int64_t][::1] = bounds
    of_query: cython.const[cython.double][::1] = weight
    slopes = np.zeros(len(score))
    open_pairs = np.zeros(len(score))
    slope: cython.double[::1] = slopes
    num_open: cython.double[::1] = open_pairs
    # Beside each other, for each grade: how many rows, the sum of their scores.
    sums = np.zeros(2 * (int(grade.max(initial=0)) + 1))
    tree: cython.double[::1] = sums
    query: int64_t
    begin: int64_t
    end: int64_t
    at: int64_t
    to: int64_t
    row: int64_t
    g: int64_t
    most: int64_t
    step: int64_t
    centre: cython.double
    upward: cython.double
    count: cython.double
    total: cython.double
    hinges: cython.double
    in_query: cython.double
    loss: cython.double = 0.0
    with cython.nogil:
        for query in range(ends.shape[0] - 1):
            begin = ends[query]
            end = ends[query + 1]
            if begin == end:
                continue
            most = 0
            for at in range(begin, end):
                most = max(most, rank[by_score[at]])
            # Scores count from the middle of their query: sums of them lose fewer digits.
            centre = 0.5 * (s[by_score[begin]] + s[by_score[end - 1]])
            in_query = 0.0
            for step in range(-1, 2, 2):
                memset(cython.address(tree[0]), 0, 2 * (most + 1) * cython.sizeof(cython.double))
                at = end - 1 if step < 0 else begin
                to = at
                while begin <= at < end:
                    row = by_score[at]
                    while begin <= to < end and step * (s[by_score[to]] - s[row]) < 1.0:
                        upward = step * (centre - s[by_score[to]])
                        g = rank[by_score[to]] if step < 0 else most + 1 - rank[by_score[to]]
                        while g <= most:
                            tree[2 * g] += 1.0
                            tree[2 * g + 1] += upward
                            g += g & -g
                        to += step
                    count = 0.0
                    total = 0.0
                    g = rank[row] - 1 if step < 0 else most - rank[row]
                    while g > 0:
                        count += tree[2 * g]
                        total += tree[2 * g + 1]
                        g -= g & -g
                    upward = step * (centre - s[row])
                    hinges = count * (1.0 - upward) + total
                    slope[row] += of_query[query] * step * hinges
                    num_open[row] += of_query[query] * count
                    # (1 - better + worse)² summed = half of (1 - 2 better) hinges of the better, (1 + 2 worse) of the
                    # worse rows, for the hinges of both sides have the same sum
                    in_query += hinges * (0.5 - upward)
                    at += step
            loss += of_query[query] * in_query
    return loss, slopes, open_pairs


def pair_differences(score, order, grade, bounds, weight, open_pairs, values):
    """For each row, the sum over its open pairs of its own row of `values` less that of the other row; weighted.

    That is the Laplacian of the graph of open pairs times `values`; `open_pairs` is what `hinge_sums` gave.
    """
    s: cython.const[cython.double][::1] = score
    by_score: cython.const[int64_t][::1] = order
    rank: cython.const[int64_t][::1] = grade
    ends: cython.const[int64_t][::1] = bounds
    of_query: cython.const[cython.double][::1] = weight
    z: cython.const[cython.double][:, ::1] = values
    differences = open_pairs[:, None] * values
    out: cython.double[:, ::1] = differences
    width: int64_t = values.shape[1]
    sums = np.zeros((int(grade.max(initial=0)) + 1, width))
    tree: cython.double[:, ::1] = sums
    query: int64_t
    begin: int64_t
    end: int64_t
    at: int64_t
    to: int64_t
    row: int64_t
    other: int64_t
    g: int64_t
    most: int64_t
    step: int64_t
    i: int64_t
    if width == 0:
        return differences
    with cython.nogil:
        for query in range(ends.shape[0] - 1):
            begin = ends[query]
            end = ends[query + 1]
            most = 0
            for at in range(begin, end):
                most = max(most, rank[by_score[at]])
            for step in range(-1, 2, 2):
                memset(cython.address(tree[0, 0]), 0, (most + 1) * width * cython.sizeof(cython.double))
                at = end - 1 if step < 0 else begin
                to = at
                while begin <= at < end:
                    row = by_score[at]
                    while begin <= to < end and step * (s[by_score[to]] - s[row]) < 1.0:
                        other = by_score[to]
                        g = rank[other] if step < 0 else most + 1 - rank[other]
                        while g <= most:
                            for i in range(width):
                                tree[g, i] += z[other, i]
                            g += g & -g
                        to += step
                    g = rank[row] - 1 if step < 0 else most - rank[row]
                    while g > 0:
                        for i in range(width):
                            out[row, i] -= of_query[query] * tree[g, i]
                        g -= g & -g
                    at += step
    return differences
