"""Everything at every threshold, as columns, and the few points of it that a drawing needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from germane.errors import GermaneError
from germane.measures.decisions.rates import rates_of
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions

Columns = dict[str, Any]
"""Arrays of one length, by name."""


def rates_at_thresholds(decisions: Decisions) -> Columns:
    """The threshold, the four cells and every rate that needs no choice, highest threshold first.

    >>> columns = rates_at_thresholds(Decisions.of([True, False, True], [0.9, 0.5, 0.4]))
    >>> list(columns)[:7], columns["TP"].tolist(), columns["TPR"].tolist()
    (['threshold', 'TP', 'FP', 'FN', 'TN', 'TPR', 'TNR'], [1, 1, 2], [0.5, 0.5, 1.0])
    """
    cells = decisions.cells
    return {"threshold": decisions.thresholds, **cells._asdict(), **rates_of(cells)}


def thinned(columns: Mapping[str, Any], points: int = 1024) -> Columns:
    """The same columns with only the rows that a drawing can show; they must have an FPR and a TPR.

    >>> rates = np.linspace(0, 1, 100_001)
    >>> len(thinned({"FPR": rates, "TPR": rates}, points=10)["FPR"])
    11
    """
    for name in ("FPR", "TPR"):
        if name not in columns:
            raise GermaneError(f"expected a column {name} to thin by, found {', '.join(columns)}")
    kept = drawn_places(columns["FPR"], columns["TPR"], points)
    return {name: column[kept] for name, column in columns.items()}


def drawn_places(fpr: FloatArray, tpr: FloatArray, points: int = 1024) -> IntArray:
    """The first row in each of so many steps of FPR and of TPR, and both ends: no more than 2 × points + 1 rows.

    What is left out lies less than one step from what is kept, in both directions.
    """
    if points < 1:
        raise GermaneError(f"expected at least 1 point to keep, found {points}")
    kept = np.zeros(len(fpr), dtype=np.bool_)
    for rate in (fpr, tpr):
        step = np.minimum(np.floor(np.nan_to_num(rate) * points), points - 1)
        kept[1:] |= np.diff(step) != 0
    kept[[0, -1]] = True
    return np.flatnonzero(kept)
