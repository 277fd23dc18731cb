"""Query-level scaling: puts features on one scale, because a high BM25 for one query is a low one for another."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from germane.errors import unknown
from germane.tables.columns.ids import FloatArray, IntArray

Scaling = Literal["minmax", "zscore", "none"]

DESCRIPTIONS: dict[str, str] = {
    "minmax": "each feature scaled within a query, from 0 (lowest) to 1 (highest)",
    "zscore": "each feature standardised within a query to mean 0 and standard deviation 1 (divided by n)",
    "none": "no scaling",
}
"""Descriptions of the scalings. A feature that is constant within a query becomes 0."""


def scale_by_query(features: FloatArray, query: IntArray, scaling: Scaling) -> FloatArray:
    """Scale each column within each query; `query` is ascending.

    >>> rows = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0], [7.0, 0.0]])
    >>> scale_by_query(rows, np.array([0, 0, 0, 1]), "minmax")
    array([[0. , 0. ],
           [1. , 0. ],
           [0.5, 0. ],
           [0. , 0. ]])
    """
    require_scaling(scaling)
    if scaling == "none" or not len(features):
        return features
    first = np.flatnonzero(np.diff(query, prepend=-1))
    group = np.repeat(np.arange(len(first)), np.diff(first, append=len(query)))
    low, high = np.minimum.reduceat(features, first, axis=0), np.maximum.reduceat(features, first, axis=0)
    if scaling == "minmax":
        centre, spread = low, high - low
    else:
        size = np.diff(first, append=len(query))[:, None]
        centre = _sums(features, group, len(first)) / size
        spread = np.sqrt(_sums((features - centre[group]) ** 2, group, len(first)) / size)
        # Equal values may leave rounding errors, which would be scaled up to a spread of 1.
        spread = np.where(low == high, 0.0, spread)
    below = spread[group]
    scaled: FloatArray = np.divide(features - centre[group], below, out=np.zeros_like(features), where=below > 0)
    return scaled


def require_scaling(scaling: str) -> None:
    """Reject an unknown scaling."""
    known = get_args(Scaling)
    if scaling not in known:
        raise unknown("scaling", scaling, known)


def _sums(features: FloatArray, group: IntArray, groups: int) -> FloatArray:
    columns = [np.bincount(group, weights=column, minlength=groups) for column in features.T]
    return np.stack(columns, axis=1) if columns else np.zeros((groups, 0))
