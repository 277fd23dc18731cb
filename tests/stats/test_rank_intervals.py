"""Intervals of ranks: the vectorised bootstrap is the plain one, and declared choices count."""

from __future__ import annotations

import numpy as np
import pytest

from germane.errors import GermaneError
from germane.stats.intervals.ranks import rank_intervals
from germane.stats.intervals.resampling import bootstrap_counts
from germane.tables.columns.ids import FloatArray


def plain_rank_intervals(
    values: FloatArray, level: float, resamples: int, seed: int, *, higher_is_better: bool = True
) -> tuple[list[int], list[int]]:
    """One resample after the other, ranks counted as a person would."""
    sign = 1 if higher_is_better else -1
    best, worst = [], []
    for counts in bootstrap_counts(len(values), resamples, seed):
        for row in counts:
            means = [round(sign * sum(row * column) / len(values), 12) for column in values.T]
            best.append([1 + sum(other > own for other in means) for own in means])
            worst.append([sum(other >= own for other in means) for own in means])
    means = [round(sign * sum(column) / len(values), 12) for column in values.T]
    first = [1 + sum(other > own for other in means) for own in means]
    last = [sum(other >= own for other in means) for own in means]
    low_at, high_at = (int(np.ceil(tail * resamples)) - 1 for tail in ((1 - level) / 2, (1 + level) / 2))
    low, high = np.sort(best, axis=0)[low_at].tolist(), np.sort(worst, axis=0)[high_at].tolist()
    return list(map(min, low, first)), list(map(max, high, last))


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("steps", [3, 1000])
def test_rank_intervals_are_those_of_the_plain_bootstrap(higher_is_better: bool, steps: int) -> None:
    random = np.random.default_rng(steps)
    values = random.integers(0, steps, (12, 7)) / steps + np.linspace(0, 0.5, 7)
    values[:, 3] = values[:, 2]  # two systems that always tie
    found = rank_intervals(values, 0.9, resamples=199, seed=5, higher_is_better=higher_is_better)
    expected = plain_rank_intervals(values, 0.9, 199, 5, higher_is_better=higher_is_better)
    assert (found.low.tolist(), found.high.tolist()) == expected


BY_HAND = [
    # values by query and system         low           high          why
    ([[3, 2, 1], [3, 2, 1]],             [1, 2, 3],    [1, 2, 3],    "every query has one order"),
    ([[1, 1], [1, 1], [0, 0]],           [1, 1],       [2, 2],       "systems that always tie share both ranks"),
    ([[1, 0, 0]] * 3 + [[0, 2, 2]],      [1, 1, 1],    [3, 3, 3],    "the rank by all queries is inside"),
    ([[1, 0], [0, 1]],                   [1, 1],       [2, 2],       "one query drawn twice gives either order"),
]  # fmt: skip


@pytest.mark.parametrize(("values", "low", "high", "why"), BY_HAND)
def test_rank_intervals_by_hand(values: list[list[float]], low: list[int], high: list[int], why: str) -> None:
    found = rank_intervals(values)
    assert (found.low.tolist(), found.high.tolist()) == (low, high), why


def test_the_same_seed_gives_the_same_intervals_and_a_level_is_checked() -> None:
    values = np.random.default_rng(1).random((20, 30))
    first, again = (rank_intervals(values, seed=3, resamples=500) for _ in range(2))
    assert first.low.tolist() == again.low.tolist()
    assert (first.low <= first.high).all()
    with pytest.raises(GermaneError, match="level"):
        rank_intervals(values, 1.5)
    with pytest.raises(GermaneError, match="at least 40 resamples"):
        rank_intervals(values, resamples=10)
