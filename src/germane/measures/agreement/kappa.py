"""Kappa: chance-corrected agreement between two assessors, or between a classifier and the truth."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from germane.errors import MeasureError
from germane.tables.columns.ids import FloatArray

Chance = Literal["own", "pooled"]
Disagreement = Literal["linear", "quadratic"]


def kappa(
    counts: Any, *, chance: Chance = "own", weights: Disagreement | None = None, values: Any = None
) -> FloatArray:
    """Return chance-corrected agreement for a K × K table of counts, or a stack of them (last two axes: assessors).

    `values` are the numeric values of the classes, if their distances are not those of their positions.

    Formula:    (P(A) − P(E)) / (1 − P(E)): P(A) is the observed agreement, P(E) the agreement expected by chance. With
                weights, a disagreement is weighted by the distance between the two classes, or by its square.
    Reference:  Cohen, Educational and Psychological Measurement 20 (1960), 37-46 (chance="own": each assessor's own
                marginals); Scott, Public Opinion Quarterly 19 (1955), 321-325 (chance="pooled": pooled marginals).
    Edge cases: NaN if both assessors used the same single class. 1 for perfect agreement, 0 for chance; the minimum
                depends on the marginals.

    >>> round(kappa([[300, 20], [10, 70]], chance="pooled").item(), 3)
    0.776
    >>> round(kappa([[300, 20], [10, 70]]).item(), 4)
    0.7761
    """
    table = _table(counts)
    apart = distances(np.arange(table.shape[-1]) if values is None else values, weights)
    rows, columns = _marginals(table, chance)
    observed = (table * apart).sum(axis=(-2, -1)) * table.sum(axis=(-2, -1))
    expected = ((rows @ apart) * columns).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value: FloatArray = 1 - observed / expected
    return value


def agreement(counts: Any) -> FloatArray:
    """Return P(A), the share of items on which the two assessors agree.

    >>> agreement([[300, 20], [10, 70]]).item()
    0.925
    """
    table = _table(counts)
    with np.errstate(invalid="ignore"):
        share: FloatArray = np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))
    return share


def agreement_by_chance(counts: Any, *, chance: Chance = "own") -> FloatArray:
    """Return P(E), the agreement expected by chance, given the class frequencies.

    >>> round(agreement_by_chance([[300, 20], [10, 70]], chance="pooled").item(), 3)
    0.665
    """
    table = _table(counts)
    rows, columns = _marginals(table, chance)
    with np.errstate(invalid="ignore"):
        share: FloatArray = (rows * columns).sum(axis=-1) / table.sum(axis=(-2, -1)) ** 2
    return share


def _table(counts: Any) -> FloatArray:
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim < 2 or table.shape[-1] != table.shape[-2]:
        raise MeasureError(f"expected square tables of counts, found shape {table.shape}")
    return table


def _marginals(table: FloatArray, chance: Chance) -> tuple[FloatArray, FloatArray]:
    if chance not in ("own", "pooled"):
        raise MeasureError(f"expected chance='own' (each assessor's marginals) or 'pooled', found {chance!r}")
    rows, columns = table.sum(axis=-1), table.sum(axis=-2)
    if chance == "own":
        return rows, columns
    pooled = (rows + columns) / 2
    return pooled, pooled


def distances(values: Any, weights: Disagreement | None) -> FloatArray:
    """Return the disagreement weight of each pair of classes: 0 or 1, the distance of their values, or its square."""
    if weights not in (None, "linear", "quadratic"):
        raise MeasureError(f"expected weights='linear', 'quadratic' or None, found {weights!r}")
    numbers = np.asarray(values, dtype=np.float64)
    steps = np.abs(np.subtract.outer(numbers, numbers))
    if weights is None:
        return (steps > 0).astype(np.float64)
    return steps if weights == "linear" else steps**2
