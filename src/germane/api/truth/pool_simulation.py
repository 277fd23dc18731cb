"""Simulate pooling methods on judged data, to see which one does best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from germane.api.rankings.evaluation import load_qrels
from germane.api.truth.pooling import DEFAULT_DEPTH, Progress, load_runs, read_collection
from germane.arguments import checked
from germane.errors import GermaneError
from germane.judging.pooling.lists import topic_lists
from germane.judging.pooling.method import POOLING, Method
from germane.judging.simulate import LeftOut, Replay, Replayed, fairness, replay_method, without_each_run
from germane.measures.definition import MEASURES
from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.matching import match
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.columns import F, Table, by_key, table
from germane.tables.results.result import Result
from germane.tables.truth.pool import PooledRun

if TYPE_CHECKING:
    from germane.types import QrelsLike, RunsLike

DEFAULT_BUDGETS = (10, 20, 30, 50, 75, 100, 150, 200)


BUDGETS = (
    F("method", "name"),
    F("budget", "count"),
    F("judged", "count"),
    F("unjudged", "count"),
    F("found", "count"),
    F("share", "value"),
    F("tau", "value"),
    F("tau_low", "value", "low", people="repeated"),
    F("tau_high", "value", "high", people="repeated"),
    F("repeats", "count", people=False),
    F("measure", "name", people=False),
)
FAIRNESS = (
    F("method", "name"),
    F("mean_change", "difference", "mean score change"),
    F("largest_loss", "difference"),
    F("mean_drop", "value", "mean rank drop", digits=2),
    F("largest_drop", "count"),
    F("run", "name", "of run"),
)
LEFT_OUT = (
    F("method", "name"),
    F("run", "name", "run left out"),
    F("score", "value"),
    F("score_without", "value", "without"),
    F("rank", "count"),
    F("rank_without", "count", "without it"),
    F("unique", "count", "unique relevant"),
    F("drop", "count", people=False),
)


@dataclass(frozen=True, eq=False)
class PoolSimulation(Result):
    """Result of `simulate_pools`: each method at each budget, and the fairness of its pool to unseen runs."""

    rows: tuple[Replayed, ...]
    leave_one_out: tuple[LeftOut, ...]
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

    schema: ClassVar[str] = "pool-simulate/1"

    def tables(self) -> Iterator[Table]:
        """Yield each method at each budget; with leave-one-out, the fairness of each method, and each run."""
        yield table("budgets", BUDGETS, self.rows, when={"repeated": self.repeats > 1})
        if self.leave_one_out:
            rows = [{"method": method, **vars(found)} for method, found in fairness(self.leave_one_out).items()]
            yield table("fairness", FAIRNESS, rows, title="Fairness to runs outside the pool")
            yield table("leave_one_out", LEFT_OUT, self.leave_one_out, title="Each run left out of the pool")

    def document(self) -> dict[str, Any]:
        """Return the settings, the budgets, each run left out, and fairness by method."""
        records = {each.name: each.records() for each in self.tables()}
        return {
            "qrels": self.qrels,
            "runs": [vars(run) for run in self.runs],
            "topics": self.num_topics,
            "relevant": self.num_relevant,
            **{name: getattr(self, name) for name in ("measure", "rel", "depth", "seed", "repeats")},
            "budgets": records["budgets"],
            "leave_one_out": records.get("leave_one_out", []),
            "fairness": by_key(records.get("fairness", []), "method"),
        }


@checked
def simulate_pools(
    qrels: QrelsLike,
    runs: RunsLike,
    methods: Iterable[str | Method] | None = None,
    budgets: Sequence[int] = DEFAULT_BUDGETS,
    *,
    measure: str | Measure = "AP",
    rel: float = 1,
    depth: int = DEFAULT_DEPTH,
    seed: int = 0,
    repeats: int = 1,
    leave_one_out: bool = False,
    teams: Mapping[str, str] | None = None,
    collection: str | Path | Iterable[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: Progress | None = None,
) -> PoolSimulation:
    """Replay pooling methods on judged data, for several budgets of documents per topic.

    For each, the result has the share of all known relevant documents that it finds, and Kendall's tau-b between the
    leaderboard of its judgments and that of all judgments. AP of a sample is inferred from the sample. Each random
    method is replayed `repeats` times, with the next seed each time, and averaged. `leave_one_out` also builds each
    pool (of the largest budget) without each run, to see how fair it is to unseen runs; `teams` names the team of each
    run; runs of a team are left out together.

    >>> simulation = simulate_pools(
    ...     {"q1": {"d1": 1, "d2": 0, "d3": 1}},
    ...     {"a": {"q1": {"d1": 2.0, "d2": 1.0}}, "b": {"q1": {"d3": 2.0, "d2": 1.0}}}, ["depth"], [1, 2])
    >>> [(row.budget, row.found, row.share) for row in simulation.rows]
    [(1, 1, 0.5), (2, 2, 1.0)]
    """
    if teams is not None and not leave_one_out:
        raise GermaneError("`teams=` requires leave-one-out", hint="add `leave_one_out=True`")
    documents = () if collection is None else read_collection(collection)
    methods = None if methods is None else list(methods)
    chosen = _chosen(methods, bool(documents))
    sampling = [method.name for method in chosen if method.kind == "sample"]
    if leave_one_out and methods is not None and sampling:
        hint = f"remove `leave_one_out=` or the method {sampling[0]}"
        raise GermaneError(f"leave-one-out is not supported with {sampling[0]}, which draws a sample", hint=hint)
    if not budgets or min(budgets) < 1:
        raise GermaneError(f"expected budgets of 1 or more documents per query, found {list(budgets)}")
    asked = sorted(set(budgets))
    if repeats < 1:
        raise GermaneError(f"expected 1 or more repeats, found {repeats}")
    loaded = load_runs(runs, run_format)
    truth = load_qrels(qrels, format=qrels_format)
    if teams is not None and (unknown := set(teams) - {entry.name for _, entry in loaded}):
        hint = f"choose from {', '.join(entry.name for _, entry in loaded)}"
        raise GermaneError(f"unknown run {sorted(unknown)[0]!r} in teams", hint=hint)

    def match_run(wide: Qrels, number: int) -> JudgedRun:
        return match(wide, loaded[number][0])

    def advance() -> None:
        if progress is not None:
            progress(next(done), total)

    lists = topic_lists([run for run, _ in loaded], depth, documents)
    data = Replay.of(truth, lists, match_run, measure=MEASURES.parse(measure), rel=rel, seed=seed)
    if not data.lists:
        raise GermaneError("runs and qrels share no query", hint="check that both use the same query ids")
    fair = [method for method in chosen if method.kind != "sample"] if leave_one_out else []
    replays = sum(repeats if method.random else 1 for method in chosen)
    total = replays * len(data.lists) + len(fair) * len(loaded)
    done = count(1)
    rows = [row for method in chosen for row in replay_method(data, method, asked, repeats=repeats, advance=advance)]
    replayed = (without_each_run(data, method, asked[-1], teams=teams, advance=advance) for method in fair)
    without_one = [row for each in replayed for row in each]
    return PoolSimulation(
        rows=tuple(rows),
        leave_one_out=tuple(without_one),
        qrels=truth.name,
        runs=tuple(entry for _, entry in loaded),
        num_topics=len(data.lists),
        num_relevant=data.num_relevant,
        measure=str(data.measure),
        rel=rel,
        depth=depth,
        seed=seed,
        repeats=repeats,
        notes=tuple(_notes(data, truth, rows, chosen, leave_one_out)),
    )


def _chosen(methods: Iterable[str | Method] | None, has_collection: bool) -> list[Method]:
    """Return the methods asked for; by default all that can be replayed."""
    if methods is None:
        return [method for method in POOLING if has_collection or not method.needs_collection]
    chosen = list(dict.fromkeys(POOLING.parse(method) for method in methods))
    if not chosen:
        raise GermaneError("expected at least one pooling method, found none", hint="for example depth")
    for method in chosen:
        if method.needs_collection and not has_collection:
            raise GermaneError(f"{method.name} requires a collection", hint="add `collection=…`")
    return chosen


def _notes(
    data: Replay, truth: Qrels, rows: Sequence[Replayed], methods: Sequence[Method], leave_one_out: bool
) -> list[Note]:
    notes = []
    worst = max(rows, key=lambda row: row.unjudged / max(row.judged + row.unjudged, 1))
    if worst.unjudged:
        share = worst.unjudged / (worst.judged + worst.unjudged)
        what = f"of documents chosen by {worst.method} at budget {worst.budget} are unjudged (counted as non-relevant)"
        notes.append(Note("unjudged", f"{share:.1%}", what, count=round(worst.unjudged), share=share))
    missing = truth.num_queries - len(data.lists)
    if missing:
        what = "missing from all runs; their relevant documents count as not found"
        notes.append(Note("missing-queries", counted(missing, "judged query"), what, count=missing))
    if any(row.tau != row.tau for row in rows):
        notes.append(Note("undefined", "tau", "is undefined where all runs score the same"))
    inferred = {row.method: row.measure for row in rows if row.measure != str(data.measure)}
    if inferred:
        how = ", ".join(f"{method} ({measure})" for method, measure in inferred.items())
        notes.append(Note("inferred-measure", str(data.measure), f"is estimated from sampled judgments for {how}"))
    if leave_one_out and any(method.kind == "sample" for method in methods):
        what = "is not supported for sampling methods; simulate a deterministic one, such as depth"
        notes.append(Note("no-leave-one-out", "leave-one-run-out", what))
    return notes
