"""The plain reference of the kernel that sums over the open pairs of a ranking: no pair is formed here either."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

COMPILED = False

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def hinge_sums(score: Floats, order: Rows, grade: Rows, bounds: Rows, weight: Floats) -> tuple[float, Floats, Floats]:
    """The squared hinge of all pairs; for each row, half the slope of that sum, and its open pairs; all weighted.

    `order` lists the rows by query, and by ascending score in a query; `grade` counts from 1 in each query; `bounds`
    are the ends of the queries with a 0 before them; `weight` is that of each query's pairs.
    """
    loss = 0.0
    slopes, open_pairs = np.zeros(len(score)), np.zeros(len(score))
    for better, worse, of_query in _by_grade(order, grade, bounds, weight):
        for rows, others, sign in ((better, worse, 1.0), (worse, better, -1.0)):
            count, total = _near(sign * score[rows], sign * score[others], sign * score[others][:, None])
            hinges = count * (1 - sign * score[rows]) + total[:, 0]
            slopes[rows] -= of_query * sign * hinges
            open_pairs[rows] += of_query * count
            loss += float(of_query * (hinges * (0.5 - sign * score[rows])).sum())
    return loss, slopes, open_pairs


def pair_differences(
    score: Floats, order: Rows, grade: Rows, bounds: Rows, weight: Floats, open_pairs: Floats, values: Floats
) -> Floats:
    """For each row, the sum over its open pairs of its own row of `values` less that of the other row; weighted.

    That is the Laplacian of the graph of open pairs times `values`; `open_pairs` is what `hinge_sums` gave.
    """
    differences = open_pairs[:, None] * values
    for better, worse, of_query in _by_grade(order, grade, bounds, weight):
        for rows, others, sign in ((better, worse, 1.0), (worse, better, -1.0)):
            differences[rows] -= of_query * _near(sign * score[rows], sign * score[others], values[others])[1]
    return differences


def _by_grade(order: Rows, grade: Rows, bounds: Rows, weight: Floats) -> Iterator[tuple[Rows, Rows, float]]:
    """The rows of a grade and of all lower grades in its query, with the weight of a pair."""
    for begin, end, of_query in zip(bounds[:-1].tolist(), bounds[1:].tolist(), weight.tolist(), strict=True):
        rows = order[begin:end]
        for own in range(2, int(grade[rows].max(initial=0)) + 1):
            yield rows[grade[rows] == own], rows[grade[rows] < own], of_query


def _near(of_rows: Floats, of_others: Floats, values: Floats) -> tuple[Floats, Floats]:
    """For each row, how many others score more than it does less 1; and the sum of their values."""
    ascending = np.argsort(of_others, kind="stable")
    above = np.zeros((len(ascending) + 1, values.shape[1]))
    above[:-1] = np.cumsum(values[ascending][::-1], axis=0)[::-1]
    first = np.searchsorted(of_others[ascending], of_rows - 1, side="right")
    return (len(ascending) - first).astype(np.float64), above[first]
