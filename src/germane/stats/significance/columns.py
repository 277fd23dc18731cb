"""Columns of per-query values: what every interval and test begins with. Rows are queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import GermaneError
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import number_array

EQUAL = 1e-12
"""Values this close, relative to the largest, are the same: .5 − .4 and .4 − .3 differ by 1e-16 and mean one thing."""


def columns_of(values: npt.ArrayLike, needs: str) -> FloatArray:
    """Values as a matrix of queries × columns, once it is sure that there is something to compute.

    >>> columns_of([1, 2, 4], "an interval").shape
    (3, 1)
    """
    matrix = number_array(values, "value", "values")
    if matrix.ndim not in {1, 2}:
        hint = "rows are queries, columns are what is estimated or tested"
        raise GermaneError(f"expected values by query, or by query and column; found {matrix.ndim} axes", hint=hint)
    if len(matrix) < 2:
        hint = f"there {'is one' if len(matrix) else 'are none'}; what varies from query to query is not known"
        raise GermaneError(f"{needs} needs at least two queries", hint=hint)
    if not_numbers := int(np.count_nonzero(~np.isfinite(matrix))):
        hint = "leave out the queries for which a value is undefined, in all systems alike"
        raise GermaneError(f"{not_numbers} of {matrix.size} values are NaN or infinite", hint=hint)
    return matrix.reshape(len(matrix), -1)


def column_sums(columns: FloatArray) -> FloatArray:
    """Query after query: np.sum adds pairwise, and the difference can show in a digit."""
    total: FloatArray = np.cumsum(columns, axis=0)[-1]
    return total


def column_means(columns: FloatArray) -> FloatArray:
    """The mean of each column."""
    return column_sums(columns) / len(columns)


def column_variances(columns: FloatArray) -> FloatArray:
    """The sample variance of each column, with n − 1."""
    return column_sums((columns - column_means(columns)) ** 2) / (len(columns) - 1)


def standard_errors(columns: FloatArray) -> FloatArray:
    """The standard error of each column's mean: s/√n, s the sample standard deviation (n − 1)."""
    return np.sqrt(column_variances(columns) / len(columns))


def mid_ranks(values: npt.NDArray[Any]) -> FloatArray:
    """Ranks from 1 in rising order; equal values share the mean of their ranks.

    >>> mid_ranks(np.array([20, 10, 20])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, size = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(size) - (size - 1) / 2)[group])


def constant_columns(columns: FloatArray) -> BoolArray:
    """Which columns have the same value for every query, up to rounding."""
    return np.asarray(np.ptp(columns, axis=0) <= EQUAL * np.abs(columns).max(axis=0))


def zero_columns(columns: FloatArray) -> BoolArray:
    """Which columns are 0 for every query."""
    return np.asarray(~columns.any(axis=0))
