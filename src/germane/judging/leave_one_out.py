"""How fair a pool is to a run that it has not seen: the pool made again without each run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from germane.judging.pooling.method import Method
from germane.judging.simulate import Order, Replay, order_of, some_rows
from germane.tables.columns.ids import FloatArray, IntArray


@dataclass(frozen=True)
class LeftOut:
    """A run as the pool of the others sees it: its score and rank with its documents in the pool, and without.

    `unique` counts relevant documents that only this run brought into the pool.
    """

    method: str
    run: str
    score: float
    score_without: float
    rank: int
    rank_without: int
    unique: int

    @property
    def drop(self) -> int:
        """How many places it loses."""
        return self.rank_without - self.rank


@dataclass(frozen=True)
class Fairness:
    """What runs lose when they are not in the pool, on the mean and at worst; changes of a score are negative."""

    mean_change: float
    largest_loss: float
    mean_drop: float
    largest_drop: int
    run: str
    """The run of the largest drop."""


def fairness(rows: Sequence[LeftOut]) -> dict[str, Fairness]:
    """By method, how much a run loses when it is not in the pool."""
    found = {}
    for method in dict.fromkeys(row.method for row in rows):
        mine = [row for row in rows if row.method == method]
        changes = [row.score_without - row.score for row in mine]
        worst = max(mine, key=lambda row: (row.drop, row.score - row.score_without))
        mean_drop = sum(row.drop for row in mine) / len(mine)
        found[method] = Fairness(math.fsum(changes) / len(mine), min(changes), mean_drop, worst.drop, worst.run)
    return found


def without_each_run(
    data: Replay,
    method: Method,
    budget: int,
    *,
    teams: Mapping[str, str] | None = None,
    advance: Callable[[], None] | None = None,
) -> list[LeftOut]:
    """How the pool would have treated each run had it not been there: the pool is made again without it.

    The budget stays the same. Where it is larger than the pool, this leaves out just what only that run brought in.
    `teams` names the team of each run: a team's runs are alike, so all of them are left out together.
    """
    names = [run.name for run in data.runs]
    team = [(teams or {}).get(name, name) for name in names]
    scores, relevant = _pooled(data, order_of(data, method, budget), budget)
    found = []
    for number, name in enumerate(names):
        out = [other for other in range(len(names)) if team[other] == team[number]]
        without, kept = _pooled(data, order_of(data, method, budget, without=out), budget)
        only = np.setdiff1d(relevant, kept)
        found.append(
            LeftOut(
                str(method),
                name,
                float(scores[number]),
                float(without[number]),
                _rank(scores, number),
                _rank(without, number),
                len(only),
            )
        )
        if advance is not None:
            advance()
    return found


def _pooled(data: Replay, order: Order, budget: int) -> tuple[FloatArray, IntArray]:
    """The leaderboard of a pool, and the relevant documents in it."""
    asked = np.concatenate([rows[:budget] for rows in order.rows])
    seen = np.sort(asked[asked >= 0])
    grade = data.qrels.grade[seen]
    scores = data.leaderboard(some_rows(data.qrels, seen, np.maximum(grade, 0.0)), seen, data.measure)
    return scores, seen[grade >= data.rel]


def _rank(scores: FloatArray, run: int) -> int:
    return 1 + int((scores > scores[run]).sum())
