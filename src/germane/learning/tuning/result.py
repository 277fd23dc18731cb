"""What tuning found: the strategies and their values by query, how well each way to choose does, and curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from germane.learning.strategies import Strategy
from germane.tables.ids import FloatArray, IntArray
from germane.tables.scores import Note


@dataclass(frozen=True)
class FoldChoice:
    """What was chosen without one fold's queries, how it scored on those it was chosen by, and on those of the fold."""

    strategy: Strategy
    tuned: float
    held_out: float
    num_train: int
    num_held_out: int


@dataclass(frozen=True, eq=False)
class Procedure:
    """A way to choose, tried by nested cross-validation: each query is scored by a strategy chosen without it.

    `rule` is ``best`` (the highest mean), ``razor`` (the simplest that the best does not beat significantly) or
    ``simplest`` (nothing is tuned). `tuned` is the mean of the scores by which strategies were chosen, each
    weighing as much as it has queries; `gap` is how much better they looked than the held-out score is (above
    0 for every measure: what choosing promised too much). `low` and `high` are the held-out score's interval; the
    difference is that to the simplest strategy, on the same queries, and `p` that of a paired t test.
    """

    rule: str
    strategy: Strategy
    """What the rule chooses by all queries: what to use from now on. The held-out score is the estimate for it."""
    by_fold: tuple[FoldChoice, ...]
    held_out_values: FloatArray
    tuned: float
    held_out: float
    low: float
    high: float
    gap: float
    difference: float
    difference_low: float
    difference_high: float
    p: float


@dataclass(frozen=True)
class CurvePoint:
    """At x, the score by which the best strategy was chosen, and its score on queries held out."""

    x: float
    tuned: float
    held_out: float


@dataclass(frozen=True, eq=False)
class Tuning:
    """All of it. `values` are strategies × queries in the measure's own units, NaN where nothing was evaluated."""

    measure: str
    lower_is_better: bool
    strategies: tuple[Strategy, ...]
    queries: tuple[str, ...]
    values: FloatArray
    fold: IntArray
    """The fold of each query, counted from 0."""
    procedures: Mapping[str, Procedure]
    simplest: Strategy
    search: str
    seed: int
    alpha: float
    level: float
    k: int
    num_evaluated: int
    """Rankings that were evaluated: a strategy for a query."""
    learning_curve: tuple[CurvePoint, ...] = ()
    validation_curves: Mapping[str, tuple[CurvePoint, ...]] | None = None
    notes: tuple[Note, ...] = ()

    @property
    def winner(self) -> Strategy:
        """The highest mean over all queries."""
        return self.procedures["best"].strategy

    @property
    def chosen(self) -> Strategy:
        """What Occam's razor leaves: the simplest strategy that the winner does not beat significantly."""
        return self.procedures["razor"].strategy

    def mean(self, strategy: Strategy) -> float:
        """The mean of a strategy over all queries; NaN where some were not evaluated."""
        return float(self.values[self.strategies.index(strategy)].mean())

    def __repr__(self) -> str:
        shape = f"{len(self.strategies)} strategies × {len(self.queries)} queries"
        return f"<Tuning: {self.measure} of {shape}, chosen {self.chosen}>"
