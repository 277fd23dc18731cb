"""Which pooling method would have done best: all of them replayed on data that are judged already."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from germane.api.evaluating import load_qrels
from germane.api.pooling import DEFAULT_DEPTH, Progress, load_runs, read_collection
from germane.arguments import checked
from germane.errors import GermaneError
from germane.judging.leave_one_out import LeftOut, leave_one_out
from germane.judging.pooling import Method, all_methods, method_of, topic_lists
from germane.judging.simulate import Replay, Replayed, replay_method, require_budgets
from germane.measures.names import parse_measure
from germane.tables.judged_run import JudgedRun
from germane.tables.matching import match
from germane.tables.measure import Measure
from germane.tables.pool import PooledRun
from germane.tables.qrels import Qrels
from germane.tables.scores import Note

DEFAULT_BUDGETS = (10, 20, 30, 50, 75, 100, 150, 200)


@dataclass(frozen=True, eq=False)
class PoolSimulation:
    """What each method came to at each budget, and how fair its pool is to a run that it has not seen."""

    rows: tuple[Replayed, ...]
    left_out: tuple[LeftOut, ...]
    qrels: str
    runs: tuple[PooledRun, ...]
    num_topics: int
    num_relevant: int
    measure: str
    rel: float
    depth: int
    seed: int
    repeats: int
    notes: tuple[Note, ...] = ()

    def curve(self) -> list[dict[str, Any]]:
        """What a figure draws: one row per method and budget; None where tau is not defined."""
        return [
            {
                "method": row.method,
                "budget": row.budget,
                "share": row.share,
                "tau": None if math.isnan(row.tau) else row.tau,
            }
            for row in self.rows
        ]


@checked
def simulate_pools(
    qrels: Any,
    runs: Any,
    methods: Iterable[str | Method] | None = None,
    budgets: Sequence[int] = DEFAULT_BUDGETS,
    *,
    measure: str | Measure = "AP",
    rel: float = 1,
    depth: int = DEFAULT_DEPTH,
    seed: int = 0,
    repeats: int = 1,
    leave_out: bool = False,
    groups: Mapping[str, str] | None = None,
    collection: str | Path | Iterable[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: Progress | None = None,
) -> PoolSimulation:
    """Replay pooling methods on judged data, for several budgets of documents per topic.

    For each: the share of all known relevant documents that it finds, and Kendall's tau-b between the leaderboard of
    its judgments and that of all judgments. AP of a sample is inferred from the sample. `repeats` replays each random
    method so often, with the next seed each time, and takes means. `leave_out` also makes each pool (of the largest
    budget) again without each run, to see how fair it is to a run that it has not seen; `groups` names the team of a
    run, whose runs are left out together.

    >>> simulation = simulate_pools(
    ...     {"q1": {"d1": 1, "d2": 0, "d3": 1}},
    ...     {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d3": 2.0, "d2": 1.0}}}, ["depth"], [1, 2])
    >>> [(row.budget, row.found, row.share) for row in simulation.rows]
    [(1, 1, 0.5), (2, 2, 1.0)]
    """
    if groups is not None and not leave_out:
        raise GermaneError(
            "teams are left out together, and nothing is left out", hint="use `leave_out=True` with teams"
        )
    documents = () if collection is None else read_collection(collection)
    methods = None if methods is None else list(methods)
    chosen = _chosen(methods, bool(documents))
    sampling = [method.name for method in chosen if method.kind == "sample"]
    if leave_out and methods is not None and sampling:
        raise GermaneError(
            f"{sampling[0]} draws a sample, which has no leave-one-run-out", hint="remove `leave_out=`, or this method"
        )
    asked = require_budgets(budgets)
    if repeats < 1:
        raise GermaneError(f"expected 1 or more repeats, found {repeats}")
    loaded = load_runs(runs, run_format)
    truth = load_qrels(qrels, format=qrels_format)
    if groups is not None and (unknown := set(groups) - {entry.name for _, entry in loaded}):
        raise GermaneError(f"a group is given for {sorted(unknown)[0]!r}, which is no run")

    def match_run(wide: Qrels, number: int) -> JudgedRun:
        return match(wide, loaded[number][0])

    lists = topic_lists([run for run, _ in loaded], depth, documents)
    data = Replay.of(truth, lists, match_run, measure=parse_measure(measure), rel=rel, seed=seed)
    if not data.lists:
        raise GermaneError("the runs and the judgments have no topic in common")
    fair = [method for method in chosen if method.kind != "sample"] if leave_out else []
    replays = sum(repeats if method.random else 1 for method in chosen)
    total = replays * len(data.lists) + len(fair) * len(loaded)
    advance = _Counter(progress, total).advance
    rows = [row for method in chosen for row in replay_method(data, method, asked, repeats=repeats, advance=advance)]
    left_out = [
        row for method in fair for row in leave_one_out(data, method, asked[-1], groups=groups, advance=advance)
    ]
    return PoolSimulation(
        rows=tuple(rows),
        left_out=tuple(left_out),
        qrels=truth.name,
        runs=tuple(entry for _, entry in loaded),
        num_topics=len(data.lists),
        num_relevant=data.num_relevant,
        measure=str(data.measure),
        rel=rel,
        depth=depth,
        seed=seed,
        repeats=repeats,
        notes=tuple(_notes(data, truth, rows, chosen, leave_out)),
    )


class _Counter:
    """Progress over work that comes in several parts."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def advance(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _chosen(methods: Iterable[str | Method] | None, has_collection: bool) -> list[Method]:
    """The methods asked for; by default all that can be replayed."""
    if methods is None:
        return [method for method in all_methods() if has_collection or not method.needs_collection]
    chosen = list(dict.fromkeys(method_of(method) for method in methods))
    if not chosen:
        raise GermaneError("expected at least one pooling method, found none", hint="for example depth")
    for method in chosen:
        if method.needs_collection and not has_collection:
            raise GermaneError(f"{method.name} draws from the collection", hint="give it: `collection=…`")
    return chosen


def _notes(
    data: Replay, truth: Qrels, rows: Sequence[Replayed], methods: Sequence[Method], leave_out: bool
) -> list[Note]:
    notes = []
    worst = max(rows, key=lambda row: row.unjudged / max(row.judged + row.unjudged, 1))
    if worst.unjudged:
        share = worst.unjudged / (worst.judged + worst.unjudged)
        what = (
            f"of the documents asked for by {worst.method} at {worst.budget} have no judgment: taken for not relevant"
        )
        notes.append(Note("unjudged", f"{share:.1%}", what, count=round(worst.unjudged), share=share))
    missing = truth.num_queries - len(data.lists)
    if missing:
        notes.append(Note("missing-topics", f"{missing} topics", "are in no run, and nothing is found", count=missing))
    if any(row.tau != row.tau for row in rows):
        notes.append(Note("undefined", "tau", "is undefined where all runs score the same"))
    inferred = {row.method: row.measure for row in rows if row.measure != str(data.measure)}
    if inferred:
        how = ", ".join(f"{method} ({measure})" for method, measure in inferred.items())
        notes.append(Note("inferred", str(data.measure), f"is inferred from the sample for {how}"))
    if leave_out and any(method.kind == "sample" for method in methods):
        notes.append(Note("not-left-out", "samples", "have no leave-one-run-out"))
    return notes
