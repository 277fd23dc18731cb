"""Columns of per-query values, the input of every interval and test. Rows are queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import number_array

EQUAL = 1e-12
"""Values within this relative distance are equal: 0.5 − 0.4 and 0.4 − 0.3 differ by 1e-16, which is only rounding."""


def columns_of(values: npt.ArrayLike, needs: str) -> FloatArray:
    """Return values as a matrix of queries × columns, after checking them.

    >>> columns_of([1, 2, 4], "an interval").shape
    (3, 1)
    """
    matrix = number_array(values, "value", "values")
    if matrix.ndim not in {1, 2}:
        hint = "use rows for queries, columns for what is estimated or tested"
        raise GermaneError(f"expected an array with 1 or 2 axes, found {matrix.ndim}", hint=hint)
    if len(matrix) < 2:
        raise GermaneError(f"{needs} requires at least two queries, found {len(matrix) or 'none'}")
    if not_numbers := int(np.count_nonzero(~np.isfinite(matrix))):
        hint = "remove the queries with undefined values from all systems"
        raise GermaneError(f"{not_numbers} of {matrix.size} values are NaN or infinite", hint=hint)
    return matrix.reshape(len(matrix), -1)


def column_sums(columns: FloatArray) -> FloatArray:
    """Sum each column sequentially: np.sum adds pairwise, which can change the last digit."""
    total: FloatArray = np.cumsum(columns, axis=0)[-1]
    return total


def column_means(columns: FloatArray) -> FloatArray:
    """Return the mean of each column."""
    return column_sums(columns) / len(columns)


def column_variances(columns: FloatArray) -> FloatArray:
    """Return the sample variance of each column (denominator n − 1)."""
    return column_sums((columns - column_means(columns)) ** 2) / (len(columns) - 1)


def standard_errors(columns: FloatArray) -> FloatArray:
    """Return the standard error of each column's mean, s/√n, with the sample standard deviation s."""
    return np.sqrt(column_variances(columns) / len(columns))


def mid_ranks(values: npt.NDArray[Any]) -> FloatArray:
    """Return ranks from 1 in ascending order; equal values share their mean rank.

    >>> mid_ranks(np.array([20, 10, 20])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(size) - (size - 1) / 2)[group])


def constant_columns(columns: FloatArray) -> BoolArray:
    """Return which columns have the same value for every query, up to rounding."""
    return np.asarray(np.ptp(columns, axis=0) <= EQUAL * np.abs(columns).max(axis=0))


def zero_columns(columns: FloatArray) -> BoolArray:
    """Return which columns are 0 for every query."""
    return np.asarray(~columns.any(axis=0))
