"""Cells and rates at every threshold, as columns, and the few points of them that a plot needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.measures.decisions.rates import Rate, rates_of
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions

Columns = dict[str, Any]
"""Columns of equal length, by name."""


def rates_at_thresholds(decisions: Decisions, rates: Sequence[Rate] = ()) -> Columns:
    """Return the thresholds, the four cells and these rates, highest threshold first.

    By default these are all rates without a required parameter.

    >>> columns = rates_at_thresholds(Decisions.of([True, False, True], [0.9, 0.5, 0.4]))
    >>> list(columns)[:7], columns["TP"].tolist(), columns["TPR"].tolist()
    (['threshold', 'TP', 'FP', 'FN', 'TN', 'TPR', 'TNR'], [1, 1, 2], [0.5, 0.5, 1.0])
    """
    cells = decisions.cells
    return {"threshold": decisions.thresholds, **cells._asdict(), **rates_of(cells, rates)}


def thinned(columns: Mapping[str, Any], points: int = 1024) -> Columns:
    """Return the columns with only the rows that a plot can show; FPR and TPR must be among them.

    >>> rates = np.linspace(0, 1, 100_001)
    >>> len(thinned({"FPR": rates, "TPR": rates}, points=10)["FPR"])
    11
    """
    for name in ("FPR", "TPR"):
        if name not in columns:
            raise GermaneError(f"expected a column {name}, found {', '.join(columns)}")
    kept = drawn_places(columns["FPR"], columns["TPR"], points)
    return {name: column[kept] for name, column in columns.items()}


def drawn_places(fpr: FloatArray, tpr: FloatArray, points: int = 1024) -> IntArray:
    """Return the first row in each of `points` steps of FPR and of TPR, and both ends: at most 2 × points + 1 rows.

    Every omitted row is less than one step from a kept one, in both directions.
    """
    if points < 1:
        raise GermaneError(f"expected at least 1 point to keep, found {points}")
    kept = np.zeros(len(fpr), dtype=np.bool_)
    for rate in (fpr, tpr):
        step = np.minimum(np.floor(np.nan_to_num(rate) * points), points - 1)
        kept[1:] |= np.diff(step) != 0
    kept[[0, -1]] = True
    return np.flatnonzero(kept)
