"""The result of tuning: strategies and their values by query, the value of each way to choose, curves, and what a
reader of these must know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from germane.learning.strategies.strategy import Strategy
from germane.tables.columns.ids import FloatArray, IntArray
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
    F("num_train", "count", "by queries"),
    F("tuned", "value"),
    F("num_held_out", "count", "queries"),
    F("held_out", "value"),
)
STRATEGIES = (F("strategy", "name"), F("parts", "count"), F("changed", "count"), F("mean", "value"))
CURVES = (F("curve", "name"), F("x", "parameter"), F("tuned", "value"), F("held_out", "value"))
LEARNING = "learning"
"""The name of the curve over the number of training queries."""
SHOWN_STRATEGIES = 5
"""Number of strategies that people see unless they ask for another."""


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
class Tuning(Result):
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

    schema: ClassVar[str] = "tune/1"
    fact_names: ClassVar[str] = "measure lower_is_better k search seed alpha level chosen winner simplest"

    @property
    def curves(self) -> dict[str, tuple[CurvePoint, ...]]:
        """The curves by name: that of the number of training queries, and one for each parameter."""
        return {LEARNING: self.learning_curve, **(self.validation_curves or {})}

    def tables(self, **_: object) -> Iterator[Table]:
        """The ways to choose, what they chose by fold, all strategies, and the points of all curves."""
        yield table("procedures", PROCEDURES, self.procedures.values(), title=f"Ways to choose, by {self.measure}")
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
        yield table("curves", CURVES, points, title=f"Curves of {self.measure}; learning: x training queries")

    def shown(self, *, digits: int = 4, top: int | None = None, curves: bool = False) -> Iterator[Table | str]:
        """The ways to choose, the choices, the `top` strategies, and the curves if they are asked for."""
        procedures, folds, strategies, points = self.tables()
        means = [self.mean(strategy) * (1 if self.lower_is_better else -1) for strategy in self.strategies]
        best = sorted((place for place, mean in enumerate(means) if not math.isnan(mean)), key=means.__getitem__)
        best = best[: SHOWN_STRATEGIES if top is None else top]
        yield from (procedures, folds, *([strategies.chosen(best)] if best else []), *([points] if curves else []))

    def document(self, **_: object) -> dict[str, Any]:
        """The rules, and everything by query."""
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


def notes_on(tuning: Tuning, size_of_space: int, *, kept: int = 0, torn: bool = False) -> Tuning:
    """The same tuning, with notes on how it was done and what it says."""
    cells = len(tuning.strategies) * len(tuning.queries)
    notes = [
        Note(
            "rankings-evaluated",
            f"{tuning.num_evaluated:,} rankings",
            "(strategies × queries) were evaluated, each once; cross-validation and curves are computed from them"
            + ("" if tuning.num_evaluated == cells else f"; all would have been {cells:,}"),
            count=tuning.num_evaluated,
        )
    ]
    if kept:
        notes.append(Note("resumed", f"{kept:,} rankings", "of these were in the journal already", count=kept))
    if torn:
        notes.append(Note("journal-truncated", "", "the journal's last line was not complete, and was taken out"))
    if len(tuning.strategies) < size_of_space:
        drawn = f"{len(tuning.strategies)} of {size_of_space} strategies"
        what = f"were drawn by chance (seed {tuning.seed}), the simplest always among them"
        notes.append(Note("sampled-strategies", drawn, what, count=len(tuning.strategies)))
    notes.append(_against_simplest(tuning, tuning.procedures["best"]))
    if tuning.winner.simplicity != tuning.simplest.simplicity:  # else nothing simpler is there
        notes.append(_razor(tuning))
    if tuning.search == "halving":
        notes.append(Note("no-curves", "", "halving evaluates too little for learning and validation curves"))
    return replace(tuning, notes=(*tuning.notes, *notes))


def _against_simplest(tuning: Tuning, best: Procedure) -> Note:
    """Whether tuning is worth it, by queries that were not tuned on."""
    told = f"{best.difference:+.4f} (p {best.p:.2g})"
    better = (best.difference > 0) != tuning.lower_is_better
    if best.strategy == tuning.simplest and best.difference == 0:
        what = f"the simplest strategy, {tuning.simplest}, wins"
    elif math.isnan(best.p):
        what = (
            f"on held-out queries, taking the best differs by the same amount for every query from {tuning.simplest}, "
            f"{best.difference:+.4f}; no test can judge that"
        )
    elif best.p <= tuning.alpha:
        sense = "significantly better" if better else "significantly WORSE"
        what = f"on held-out queries, taking the best is {sense} than {tuning.simplest}: {told}"
    else:
        what = f"on held-out queries, taking the best does not differ significantly from {tuning.simplest}: {told}"
    return Note("against-simplest", "", what)


def _razor(tuning: Tuning) -> Note:
    if tuning.chosen == tuning.winner:
        what = f"no simpler strategy is as good as the winner, {tuning.winner}, by a paired t test at {tuning.alpha:g}"
    else:
        what = (
            f"Occam's razor: {tuning.chosen} is simpler than the winner, {tuning.winner}, and the winner does not beat "
            f"it significantly (paired t test at {tuning.alpha:g})"
        )
    return Note("simpler-is-as-good", "", what)
