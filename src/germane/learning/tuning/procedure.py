"""Tune strategies: from a scorer and a space of strategies to the complete result."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import get_args

import numpy as np

from germane.errors import GermaneError, unknown
from germane.learning.data.splits import QUERIES, k_folds
from germane.learning.strategies.strategy import Strategy
from germane.learning.tuning.cells import Cells, Everything, Halving, Progress, Scorer, SearchName
from germane.learning.tuning.choices import choose_best, choose_by_razor, choose_simplest, levels_of
from germane.learning.tuning.journal import Journal
from germane.learning.tuning.nested_folds import hold_out, learning_curve, procedure_of, validation_curves
from germane.learning.tuning.result import CurvePoint, Procedure, Tuning, notes_on
from germane.tables.columns.ids import IntArray

DEFAULT_FOLDS = 5
DEFAULT_CANDIDATES = 20
"""Default number of strategies in random search."""


def tune_strategies(
    score: Scorer,
    strategies: Sequence[Strategy],
    queries: Sequence[str],
    *,
    measure: str = "AP",
    lower_is_better: bool = False,
    k: int = 1000,
    groups: Sequence[Hashable] | None = None,
    folds: int = DEFAULT_FOLDS,
    search: SearchName = "grid",
    candidates: int | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    level: float = 0.95,
    resume: str | Path | None = None,
    data: str = "",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Choose among strategies by nested cross-validation over queries; `germane.tune` documents the parameters.

    Queries of the same group share a fold. `data` identifies the data for the journal.
    """
    _require(folds, search, alpha, level, threads, len(queries))
    fold = _folds(queries, folds, seed, groups)
    taken = _taken(list(strategies), search, candidates, seed)
    simplicity = levels_of(taken)
    simplest = choose_simplest(simplicity)
    sign = -1.0 if lower_is_better else 1.0
    about = {"measure": measure, "k": k, "queries": list(queries), "data": data}
    with nullcontext() if resume is None else Journal(resume, about) as journal:
        cells = Cells(taken, queries, score, sign, journal, threads, progress)
        order = np.argsort(np.random.PCG64(seed).random_raw(len(queries)), kind="stable")
        way = Halving(cells, order, simplest) if search == "halving" else Everything(cells)
        if search != "halving":
            way.survivors(np.arange(len(queries)))
        procedures = _procedures(cells, way, fold, simplicity, alpha, level)
    curve, curves = _curves(cells, simplicity, fold, seed) if search != "halving" else ((), {})
    tuning = Tuning(
        measure=measure,
        lower_is_better=lower_is_better,
        strategies=tuple(taken),
        queries=tuple(queries),
        values=sign * cells.values,
        fold=fold,
        procedures=procedures,
        simplest=taken[simplest],
        search=search,
        seed=seed,
        alpha=alpha,
        level=level,
        k=k,
        num_evaluated=cells.num_evaluated,
        learning_curve=curve,
        validation_curves=curves,
    )
    kept = 0 if journal is None else cells.num_evaluated - cells.num_new
    return notes_on(tuning, len(strategies), kept=kept, torn=journal is not None and journal.was_torn)


def _procedures(
    cells: Cells, way: Everything | Halving, fold: IntArray, simplicity: IntArray, alpha: float, level: float
) -> dict[str, Procedure]:
    """Evaluate each selection rule by nested cross-validation; cells are computed as they are needed."""
    everything, values, simplest = np.arange(len(fold)), cells.values, choose_simplest(simplicity)

    def best(rows: IntArray) -> int:
        return choose_best(values, simplicity, rows, way.survivors(rows))

    def razor(rows: IntArray) -> int:
        return choose_by_razor(values, simplicity, rows, way.survivors(rows), alpha=alpha)

    cells.fill([(simplest, everything)])
    procedures = {}
    for rule, choose in (("best", best), ("razor", razor), ("simplest", lambda _: simplest)):
        held = hold_out(values, fold, choose, lambda strategy, rows: cells.fill([(strategy, rows)]))
        chosen = cells.strategies[choose(everything)]
        procedures[rule] = procedure_of(rule, held, cells, values[simplest], chosen, level=level, alpha=alpha)
    return procedures


def _curves(
    cells: Cells, simplicity: IntArray, fold: IntArray, seed: int
) -> tuple[tuple[CurvePoint, ...], dict[str, tuple[CurvePoint, ...]]]:
    """Return the learning curve and the validation curves, in the measure's own units."""

    def own(points: Sequence[CurvePoint]) -> tuple[CurvePoint, ...]:
        return tuple(CurvePoint(point.x, cells.sign * point.tuned, cells.sign * point.held_out) for point in points)

    curves = validation_curves(cells.values, simplicity, fold, cells.strategies)
    learned = learning_curve(cells.values, simplicity, fold, seed=seed)
    return own(learned), {name: own(points) for name, points in curves.items()}


def _taken(strategies: list[Strategy], search: SearchName, candidates: int | None, seed: int) -> list[Strategy]:
    """Return the candidate strategies: all, or a random sample that always includes the simplest."""
    if not strategies:
        raise GermaneError("expected at least one strategy, found none", hint="for example 'BM25(k1={0.9,1.2}){,+rm3}'")
    if candidates is not None and candidates < 1:
        raise GermaneError(f"expected at least 1 candidate, found {candidates}")
    if search == "grid":
        if candidates is not None and candidates < len(strategies):
            all_of_them = f"grid search evaluates all {len(strategies)} strategies"
            hint = "use `search='random'` or `search='halving'` for a sample of that size"
            raise GermaneError(f"{all_of_them}, so it does not support candidates={candidates}", hint=hint)
        return strategies
    if candidates is None:
        candidates = DEFAULT_CANDIDATES if search == "random" else len(strategies)
    simplest = choose_simplest(levels_of(strategies))
    drawn = np.argsort(np.random.PCG64(seed).random_raw(len(strategies)), kind="stable")
    others = [int(place) for place in drawn if place != simplest][: candidates - 1]
    return [strategies[place] for place in sorted([simplest, *others])]


def _folds(queries: Sequence[str], folds: int, seed: int, groups: Sequence[Hashable] | None) -> IntArray:
    side = k_folds(queries, folds, seed=seed, groups=groups, words=QUERIES).side_of()
    return np.asarray([int(side[query]) - 1 for query in queries], np.int64)


def _require(folds: int, search: str, alpha: float, level: float, threads: int | None, num_queries: int) -> None:
    known = get_args(SearchName)
    if search not in known:
        raise unknown("search", search, known)
    for name, value in (("alpha", alpha), ("level", level)):
        if not 0 < value < 1:
            raise GermaneError(f"expected {name} between 0 and 1, found {value:g}")
    if threads is not None and threads < 1:
        raise GermaneError(f"expected at least 1 thread, found {threads}")
    if folds < 2:
        raise GermaneError(f"expected at least 2 folds, found {folds}")
    if num_queries < folds:
        hint = f"use at most {num_queries} folds" if num_queries > 1 else "judge at least 2 queries"
        problem = f"expected at least as many judged queries as folds ({folds}), found {num_queries}"
        raise GermaneError(problem, hint=hint)
