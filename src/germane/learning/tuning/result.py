"""The result of tuning: strategies and their values by query, the selection rules, curves, and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from germane.learning.strategies.strategy import Strategy
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, table
from germane.tables.results.result import Result

PROCEDURES = (
    F("rule", "name"),
    F("strategy", "name"),
    F("tuned", "value"),
    F("held_out", "value"),
    F("low", "value"),
    F("high", "value"),
    F("gap", "difference"),
    F("difference", "difference", "to simplest"),
    F("difference_low", "difference", "low"),
    F("difference_high", "difference", "high"),
    F("p", "p"),
)
FOLDS = (
    F("rule", "name"),
    F("fold", "count"),
    F("strategy", "name", "chosen without it"),
    F("num_train", "count", "training queries"),
    F("tuned", "value"),
    F("num_held_out", "count", "held-out queries"),
    F("held_out", "value"),
)
STRATEGIES = (F("strategy", "name"), F("parts", "count"), F("changed", "count"), F("mean", "value"))
CURVES = (F("curve", "name"), F("x", "parameter"), F("tuned", "value"), F("held_out", "value"))
LEARNING = "learning"
"""Name of the curve over the number of training queries."""
SHOWN_STRATEGIES = 5
"""Default number of strategies shown."""


@dataclass(frozen=True)
class FoldChoice:
    """Choice made without one fold, with its score on the training queries and on the fold."""

    strategy: Strategy
    tuned: float
    held_out: float
    num_train: int
    num_held_out: int


@dataclass(frozen=True, eq=False)
class Procedure:
    """A selection rule, evaluated by nested cross-validation: each query is scored by a strategy chosen without it.

    `rule` is ``best`` (highest mean), ``razor`` (the simplest that the best does not beat significantly) or
    ``simplest`` (no tuning). `tuned` is the mean of the scores at which strategies were chosen, weighted by the number
    of queries; `gap` is by how much it exceeds the held-out score (the optimism; positive is worse for every measure).
    `low` and `high` are the interval of the held-out score; the difference is that to the simplest strategy, on the
    same queries, and `p` is that of a paired t-test.
    """

    rule: str
    strategy: Strategy
    """The rule's choice on all queries, to be used from now on. The held-out score is its estimate."""
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
    """At x, the score at which the best strategy was chosen, and its score on held-out queries."""

    x: float
    tuned: float
    held_out: float


@dataclass(frozen=True, eq=False)
class Tuning(Result):
    """The result of tuning. `values` are strategies × queries in the measure's own units, NaN where not evaluated."""

    measure: str
    lower_is_better: bool
    strategies: tuple[Strategy, ...]
    queries: tuple[str, ...]
    values: FloatArray
    fold: IntArray
    """Fold of each query, from 0."""
    procedures: Mapping[str, Procedure]
    simplest: Strategy
    search: str
    seed: int
    alpha: float
    level: float
    k: int
    num_evaluated: int
    """Number of rankings evaluated: one per strategy and query."""
    learning_curve: tuple[CurvePoint, ...] = ()
    validation_curves: Mapping[str, tuple[CurvePoint, ...]] | None = None
    notes: tuple[Note, ...] = ()

    schema: ClassVar[str] = "tune/1"
    fact_names: ClassVar[str] = "measure lower_is_better k search seed alpha level chosen winner simplest"

    @property
    def curves(self) -> dict[str, tuple[CurvePoint, ...]]:
        """The curves by name: the learning curve, and one validation curve per parameter."""
        return {LEARNING: self.learning_curve, **(self.validation_curves or {})}

    def tables(self, **_: object) -> Iterator[Table]:
        """Return the selection rules, their choices by fold, all strategies, and the points of all curves."""
        yield table("procedures", PROCEDURES, self.procedures.values(), title=f"Selection rules, by {self.measure}")
        folds = [
            {"rule": rule, "fold": number, **vars(choice)}
            for rule in ("best", "razor")
            for number, choice in enumerate(self.procedures[rule].by_fold, start=1)
        ]
        yield table("folds", FOLDS, folds, title="Choices by fold")
        rows = [{"strategy": s, **s.simplicity._asdict(), "mean": self.mean(s)} for s in self.strategies]
        title = f"Best of {len(rows)} strategies on all queries, by {self.measure}"
        yield table("strategies", STRATEGIES, rows, title=title)
        points = [{"curve": name, **vars(point)} for name, own in self.curves.items() for point in own]
        yield table("curves", CURVES, points, title=f"Curves of {self.measure}; learning: x is training queries")

    def shown(self, *, digits: int = 4, top: int | None = None, curves: bool = False) -> Iterator[Table | str]:
        """Return the selection rules, the choices, the `top` strategies and, if asked for, the curves."""
        procedures, folds, strategies, points = self.tables()
        means = [self.mean(strategy) * (1 if self.lower_is_better else -1) for strategy in self.strategies]
        best = sorted((place for place, mean in enumerate(means) if not math.isnan(mean)), key=means.__getitem__)
        best = best[: SHOWN_STRATEGIES if top is None else top]
        yield from (procedures, folds, *([strategies.chosen(best)] if best else []), *([points] if curves else []))

    def document(self, **_: object) -> dict[str, Any]:
        """Return the rules, and all values by query."""
        procedures, _folds, strategies, _points = (each.records() for each in self.tables())
        for record, each in zip(procedures, self.procedures.values(), strict=True):
            record["by_fold"] = [vars(choice) for choice in each.by_fold]
            record["queries"] = dict(zip(self.queries, each.held_out_values, strict=True))
        for record, values in zip(strategies, self.values.tolist(), strict=True):
            by_query = zip(self.queries, values, strict=True)
            record["queries"] = {query: value for query, value in by_query if not math.isnan(value)}
        curves = {name: [vars(point) for point in points] for name, points in self.curves.items()}
        return {
            **self.facts(),
            "rankings_evaluated": self.num_evaluated,
            "procedures": procedures,
            "folds": dict(zip(self.queries, self.fold + 1, strict=True)),
            "strategies": strategies,
            "learning_curve": curves.pop(LEARNING),
            "validation_curves": curves,
        }

    @property
    def winner(self) -> Strategy:
        """The strategy with the highest mean over all queries."""
        return self.procedures["best"].strategy

    @property
    def chosen(self) -> Strategy:
        """The choice of Occam's razor: the simplest strategy that the winner does not beat significantly."""
        return self.procedures["razor"].strategy

    def mean(self, strategy: Strategy) -> float:
        """Return the mean of a strategy over all queries; NaN if some were not evaluated."""
        return float(self.values[self.strategies.index(strategy)].mean())

    def __repr__(self) -> str:
        shape = f"{len(self.strategies)} strategies × {len(self.queries)} queries"
        return f"<Tuning: {self.measure} of {shape}, chosen {self.chosen}>"


def notes_on(tuning: Tuning, size_of_space: int, *, kept: int = 0, torn: bool = False) -> Tuning:
    """Return the tuning with notes on how it was done and what it shows."""
    cells = len(tuning.strategies) * len(tuning.queries)
    notes = [
        Note(
            "rankings-evaluated",
            f"{tuning.num_evaluated:,} rankings",
            "evaluated (strategies × queries), each once; cross-validation and curves are computed from them"
            + ("" if tuning.num_evaluated == cells else f"; a full grid has {cells:,}"),
            count=tuning.num_evaluated,
        )
    ]
    if kept:
        notes.append(Note("resumed", counted(kept, "ranking"), "reused from the journal", count=kept))
    if torn:
        what = "the journal's last line was incomplete and was removed; its ranking was evaluated again"
        notes.append(Note("journal-truncated", "", what))
    if len(tuning.strategies) < size_of_space:
        drawn = f"{len(tuning.strategies)} of {size_of_space} strategies"
        what = f"evaluated, sampled at random (seed {tuning.seed}), always including the simplest"
        notes.append(Note("sampled-strategies", drawn, what, count=len(tuning.strategies)))
    notes.append(_against_simplest(tuning, tuning.procedures["best"]))
    if tuning.winner.simplicity != tuning.simplest.simplicity:  # otherwise there is nothing simpler
        notes.append(_razor(tuning))
    if tuning.search == "halving":
        what = "halving evaluates too few rankings for learning and validation curves; use --search grid"
        notes.append(Note("no-curves", "", what))
    return replace(tuning, notes=(*tuning.notes, *notes))


def _against_simplest(tuning: Tuning, best: Procedure) -> Note:
    """Return a note on whether tuning pays off, on held-out queries."""
    difference = f"{best.difference:+.4f} (p = {best.p:.2g})"
    better = (best.difference > 0) != tuning.lower_is_better
    if best.strategy == tuning.simplest and best.difference == 0:
        what = f"the simplest strategy, {tuning.simplest}, has the best mean"
    elif math.isnan(best.p):
        what = (
            f"on held-out queries, choosing the best differs from {tuning.simplest} by {best.difference:+.4f} for "
            "every query, so no test is possible"
        )
    elif best.p <= tuning.alpha:
        sense = "significantly better" if better else "significantly WORSE"
        what = f"on held-out queries, choosing the best is {sense} than {tuning.simplest}: {difference}"
    else:
        what = (
            f"on held-out queries, choosing the best does not differ significantly from {tuning.simplest}: {difference}"
        )
    return Note("against-simplest", "", what)


def _razor(tuning: Tuning) -> Note:
    if tuning.chosen == tuning.winner:
        what = (
            f"the winner, {tuning.winner}, beats every simpler strategy significantly "
            f"(paired t-test, α = {tuning.alpha:g})"
        )
    else:
        what = (
            f"Occam's razor: {tuning.chosen} is simpler than the winner, {tuning.winner}, and not significantly worse "
            f"(paired t-test, α = {tuning.alpha:g})"
        )
    return Note("simpler-is-as-good", "", what)
