"""Agreement beyond chance of two judges, or of a classifier with the truth: one kappa."""

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
    """Agreement beyond chance, for a K × K table of counts or a stack of them (the last two axes are the two judges).

    `values` are the numbers that the classes stand for, where the distance of two is not that of their places.

    Formula:    (P(A) − P(E)) / (1 − P(E)): P(A) how often the judges agree, P(E) how often they would by chance. With
                weights, a disagreement counts by the distance of the two classes, or by its square.
    Reference:  Cohen, Educational and Psychological Measurement 20 (1960), 37-46 (chance="own": each judge's own
                marginals); Scott, Public Opinion Quarterly 19 (1955), 321-325 (chance="pooled": both share one).
    Edge cases: NaN if only one class is ever used, by both: then chance explains everything. 1 for total agreement,
                0 for chance; the least value depends on the marginals.

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
    """P(A): the share of items about which the judges agree.

    >>> agreement([[300, 20], [10, 70]]).item()
    0.925
    """
    table = _table(counts)
    with np.errstate(invalid="ignore"):
        share: FloatArray = np.trace(table, axis1=-2, axis2=-1) / table.sum(axis=(-2, -1))
    return share


def agreement_by_chance(counts: Any, *, chance: Chance = "own") -> FloatArray:
    """P(E): the share of items about which judges would agree who know only how frequent each class is.

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
        raise MeasureError(f"chance is own (each judge's marginals) or pooled, found {chance!r}")
    rows, columns = table.sum(axis=-1), table.sum(axis=-2)
    if chance == "own":
        return rows, columns
    pooled = (rows + columns) / 2
    return pooled, pooled


def distances(values: Any, weights: Disagreement | None) -> FloatArray:
    """How much each pair of classes disagrees: 0 or 1, by the distance of their values, or by its square."""
    if weights not in (None, "linear", "quadratic"):
        raise MeasureError(f"weights are linear or quadratic (or None), found {weights!r}")
    numbers = np.asarray(values, dtype=np.float64)
    steps = np.abs(np.subtract.outer(numbers, numbers))
    if weights is None:
        return (steps > 0).astype(np.float64)
    return steps if weights == "linear" else steps**2
