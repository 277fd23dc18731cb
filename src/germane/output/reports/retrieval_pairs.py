"""The comparison as data: what follows from the values of the queries is worked out by the page, to the last digit."""

from __future__ import annotations

from typing import Any

import numpy as np

from germane.api.comparisons.family_intervals import ROUNDING, level_of_each
from germane.api.reports.rankings import RetrievalNumbers
from germane.stats.significance.columns import EQUAL, column_means, constant_columns, standard_errors
from germane.stats.significance.effects import differences
from germane.tables.columns.ids import FloatArray
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import Scores

PLAIN = ("difference", "low", "high", "p", "p_adjusted", "wins", "ties", "losses")


def pairs_block(numbers: RetrievalNumbers) -> dict[str, Any]:
    """The pairs as columns; systems and measures by their places, and without the columns that the page works out."""
    comparison = numbers.comparison
    if comparison is None:
        return {"measure": []}
    system = {run.name: i for i, run in enumerate(numbers.runs)}
    measure = {str(m): i for i, m in enumerate(numbers.scores.measures)}
    pairs = [pair for pair in comparison.pairs if not pair.slice]
    columns = {
        "measure": np.asarray([measure[pair.measure] for pair in pairs]),
        "a": np.asarray([system[pair.a] for pair in pairs]),
        "b": np.asarray([system[pair.b] for pair in pairs]),
        **{name: _column([getattr(pair, name) for pair in pairs]) for name in PLAIN},
        "d_z": _column([pair.effect["d_z"] for pair in pairs]),
    }
    facts = {"intervals": comparison.intervals_in_words, "family": f"p {comparison.family_in_words}"}
    return {**_without_derived(columns, numbers, comparison), **facts}


def _column(values: list[Any]) -> FloatArray:
    return np.asarray(values, dtype=np.float64)  # None becomes NaN, and null in the page


def _without_derived(
    columns: dict[str, FloatArray], numbers: RetrievalNumbers, comparison: SystemComparison
) -> dict[str, Any]:
    """The columns but for those that `expandPairs` in columns.js gets exactly, and what it takes for that."""
    num_tests = int(np.count_nonzero(~np.isnan(columns["p"])))
    rounding = ROUNDING if comparison.matches else 0.0
    width = _width(comparison, num_tests)
    derived = _derived(columns, numbers.scores, 0.0 if width is None else width, rounding, num_tests)
    same = [name for name, column in derived.items() if np.array_equal(column, columns[name], equal_nan=True)]
    kept = {name: column for name, column in columns.items() if name not in same}
    return {**kept, "derived": same, "width": width, "num_tests": num_tests, "rounding": rounding}


def _derived(
    columns: dict[str, FloatArray], scores: Scores, width: float, rounding: float, num_tests: int
) -> dict[str, FloatArray]:
    """What the page will work out, in the same order of additions."""
    names, means = [str(m) for m in scores.measures], scores.mean()
    mean_of = np.asarray([[means[run.name][name] for name in names] for run in scores.runs])
    measure, *sides = (columns[name].astype(np.int64) for name in ("measure", "a", "b"))
    a, b = (scores.values[side, measure][:, scores.scored[0]].T for side in sides)
    gains = differences(b, a)
    sign = np.where([scores.lower_is_better(name) for name in names], -1.0, 1.0)[measure]
    mean, error = column_means(gains), standard_errors(gains)
    half = np.where(constant_columns(gains), 0.0, width * error)
    low, high = (np.where(np.abs(end) < rounding, 0.0, end) for end in (mean - half, mean + half))
    wins, losses = (np.count_nonzero(direction * sign * gains > 0, axis=0) for direction in (1, -1))
    varies = np.ptp(gains, axis=0) > EQUAL * np.maximum(np.abs(a).max(axis=0), np.abs(b).max(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.where(varies, sign * mean / (error * np.sqrt(len(gains))), np.nan)
    return {
        "difference": mean_of[sides[1], measure] - mean_of[sides[0], measure],
        "low": low,
        "high": high,
        "p_adjusted": np.minimum(columns["p"] * num_tests, 1.0),
        "wins": wins,
        "ties": len(gains) - wins - losses,
        "losses": losses,
        "d_z": size,
    }


def _width(comparison: SystemComparison, num_tests: int) -> float | None:
    """How many standard errors the t intervals reach to either side; None for intervals of another kind."""
    from scipy.special import stdtrit

    if comparison.interval != "t":
        return None
    level = comparison.level
    if comparison.matches:
        level = level_of_each(comparison.correction, comparison.alpha, max(1, num_tests))
    return float(stdtrit(comparison.pairs[0].num_queries - 1, (1 + level) / 2))
