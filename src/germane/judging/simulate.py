"""Pooling replayed on judged data: what each method would have found, and what leaderboard it would have given; and,
made again without each run, how fair it is to a run that it has not seen.

Every method is run once per topic, to the largest budget; a smaller budget is the beginning of the same order. Where a
method asks for an unjudged document, it counts as non-relevant, and such documents are counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from germane.judging.pooling.assembly import relevance, with_budget
from germane.judging.pooling.lists import Draws, TopicLists
from germane.judging.pooling.method import Method
from germane.judging.pooling.queue import SampledOrder, replay
from germane.measures.definition import work
from germane.stats.rankings.rank_correlation import tau_b
from germane.tables.columns.ids import BoolArray, FloatArray, Ids, IntArray
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels, Sampling

NO_DOCS = np.zeros(0, dtype=np.uint8)


@dataclass(frozen=True)
class Replayed:
    """One method at one budget. `judged` and `unjudged` count documents over all topics, with and without a judgment;
    `share` is found / all relevant documents known, `tau` compares the leaderboard with that of all judgments.

    Where a random method was repeated with other seeds, these are means, and `tau_low` and `tau_high` the extremes.
    """

    method: str
    budget: int
    judged: float
    unjudged: float
    found: float
    share: float
    tau: float
    tau_low: float
    tau_high: float
    repeats: int
    measure: str


@dataclass(frozen=True)
class LeftOut:
    """A run with and without its contribution to the pool: score and rank.

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
        """Number of ranks it loses."""
        return self.rank_without - self.rank


@dataclass(frozen=True)
class Fairness:
    """Loss of runs that are not pooled, mean and worst; score changes are negative."""

    mean_change: float
    largest_loss: float
    mean_drop: float
    largest_drop: int
    run: str
    """The run with the largest drop."""


def fairness(rows: Sequence[LeftOut]) -> dict[str, Fairness]:
    """Loss of unpooled runs by method."""
    found = {}
    for method in dict.fromkeys(row.method for row in rows):
        mine = [row for row in rows if row.method == method]
        changes = [row.score_without - row.score for row in mine]
        worst = max(mine, key=lambda row: (row.drop, row.score - row.score_without))
        mean_drop = sum(row.drop for row in mine) / len(mine)
        found[method] = Fairness(math.fsum(changes) / len(mine), min(changes), mean_drop, worst.drop, worst.run)
    return found


@dataclass(frozen=True, eq=False)
class Replay:
    """A judged test collection, ready for replaying: the rankings to pool and the runs to score.

    `qrels` list the judgments and, as -1, whatever else some run ranks within the depth of the pool; `runs` are matched
    with them. `lists` has the judged topics only.
    """

    qrels: Qrels
    lists: Sequence[TopicLists]
    runs: Sequence[JudgedRun]
    measure: Measure
    rel: float
    seed: int

    @classmethod
    def of(
        cls,
        qrels: Qrels,
        lists: Sequence[TopicLists],
        match_run: Callable[[Qrels, int], JudgedRun],
        *,
        measure: Measure,
        rel: float,
        seed: int,
    ) -> Replay:
        """Build a replay; `match_run` matches the run of a number with given judgments."""
        topics = set(qrels.queries)
        kept = [topic for topic in lists if topic.topic in topics]
        wide = _with_unjudged(qrels, kept)
        runs = [match_run(wide, number) for number in range(len(kept[0].ranked))] if kept else []
        return cls(wide, kept, runs, measure, rel, seed)

    @cached_property
    def row_of(self) -> Mapping[str, Mapping[str, int]]:
        """Row in the qrels of each document, by topic."""
        topics = list(self.qrels.queries)
        rows: dict[str, dict[str, int]] = {topic: {} for topic in topics}
        for row, (query, doc) in enumerate(zip(self.qrels.query.tolist(), self.qrels.docs, strict=True)):
            rows[topics[query]][doc] = row
        return rows

    @cached_property
    def grades(self) -> Mapping[str, Mapping[str, float]]:
        """Grade of each judged document, by topic."""
        grade = self.qrels.grade.tolist()
        return {
            topic: {doc: grade[row] for doc, row in rows.items() if grade[row] >= 0}
            for topic, rows in self.row_of.items()
        }

    @property
    def num_relevant(self) -> int:
        """Number of known relevant documents over all topics."""
        return int((self.qrels.grade >= self.rel).sum())

    def leaderboard(self, qrels: Qrels, kept: IntArray, measure: Measure) -> FloatArray:
        """Return the mean of each run with only these rows of the judgments."""
        place = np.full(len(self.qrels.grade), -1)
        place[kept] = np.arange(len(kept))
        return np.asarray([_mean(measure, _seen_through(run, qrels, place)) for run in self.runs])

    @cached_property
    def truth(self) -> FloatArray:
        """The leaderboard of all judgments."""
        judged = np.flatnonzero(self.qrels.grade >= 0)
        return self.leaderboard(some_rows(self.qrels, judged, self.qrels.grade[judged]), judged, self.measure)


@dataclass(frozen=True, eq=False)
class Order:
    """Documents that a method requests per topic within its budget: rows of the qrels, -1 for missing ones."""

    rows: Sequence[IntArray]
    strata: Sequence[Sequence[str]] | None = None
    """For a sample: the stratum of each pooled document, in sampling order."""


def order_of(
    data: Replay,
    method: Method,
    budget: int,
    *,
    seed: int | None = None,
    without: Sequence[int] = (),
    advance: Callable[[], None] | None = None,
) -> Order:
    """Replay one method on every topic."""
    rows: list[IntArray] = []
    strata: list[list[str]] = []
    sized = with_budget(method, budget)
    for topic in data.lists:
        lists = topic.without(without) if without else topic
        queue = sized.start(lists, Draws(data.seed if seed is None else seed, topic.topic))
        if isinstance(queue, SampledOrder):
            order = queue.order
            strata.append([queue.stratum[doc] for doc in order])
        else:
            order = replay(queue, relevance(queue, data.grades[topic.topic], data.rel), budget)
        known = data.row_of[topic.topic]
        rows.append(np.asarray([known.get(queue.docs[doc], -1) for doc in order], dtype=np.int64))
        if advance is not None:
            advance()
    return Order(rows, strata if method.kind == "sample" else None)


def replay_method(
    data: Replay, method: Method, budgets: Sequence[int], *, repeats: int = 1, advance: Callable[[], None] | None = None
) -> list[Replayed]:
    """One method at each budget (documents per topic); a random one as often as told, each time with the next seed."""
    rows: list[list[Replayed]] = [[] for _ in budgets]
    for repeat in range(repeats if method.random else 1):
        order = order_of(data, method, max(budgets), seed=data.seed + repeat, advance=advance)
        for found, budget in zip(rows, budgets, strict=True):
            found.append(_replayed(data, method, order, budget))
    return list(map(_averaged, rows))


def _averaged(rows: Sequence[Replayed]) -> Replayed:
    if len(rows) == 1:
        return rows[0]
    taus = [row.tau for row in rows if not math.isnan(row.tau)] or [math.nan]
    columns = zip(*((row.judged, row.unjudged, row.found, row.share) for row in rows), strict=True)
    judged, unjudged, found, share = (math.fsum(column) / len(rows) for column in columns)
    first, tau = rows[0], math.fsum(taus) / len(taus)
    counts = (judged, unjudged, found, share)
    return Replayed(first.method, first.budget, *counts, tau, min(taus), max(taus), len(rows), first.measure)


def _replayed(data: Replay, method: Method, order: Order, budget: int) -> Replayed:
    measure = _measure_for(data.measure, method)
    seen, grade = _seen(data, order, budget)
    if measure.name == "XinfAP":
        kept, qrels = _sampled(data.qrels, order, budget)
        scores = data.leaderboard(qrels, kept, measure)
    else:
        scores = data.leaderboard(some_rows(data.qrels, seen, np.maximum(grade, 0.0)), seen, measure)
    tau = float(tau_b(scores, data.truth)) if len(scores) > 1 else float("nan")
    judged, found = int((grade >= 0).sum()), int((grade >= data.rel).sum())
    unjudged = sum(len(rows[:budget]) for rows in order.rows) - judged
    share = found / data.num_relevant if data.num_relevant else float("nan")
    return Replayed(str(method), budget, judged, unjudged, found, share, tau, tau, tau, 1, str(measure))


def _seen(data: Replay, order: Order, budget: int) -> tuple[IntArray, FloatArray]:
    """Return the rows of the qrels within a budget, in order, and their grades."""
    asked = np.concatenate([rows[:budget] for rows in order.rows])
    seen = np.sort(asked[asked >= 0])
    return seen, data.qrels.grade[seen]


def _measure_for(measure: Measure, method: Method) -> Measure:
    """Return the measure for a sample: inferred AP for AP; a sample of the collection lists only judged documents."""
    if method.kind != "sample" or measure.name != "AP" or measure.at is not None:
        return measure
    parameters = tuple(pair for pair in measure.parameters if pair[0] == "rel")
    if len(parameters) < len(measure.parameters):
        return measure
    if method.needs_collection:
        return Measure("InfAP", (*parameters, ("unlisted", "pooled")))
    return Measure("XinfAP", parameters)


def _sampled(qrels: Qrels, order: Order, budget: int) -> tuple[IntArray, Qrels]:
    """Return the judgments of a sample, with pooled but unsampled documents as -1, by stratum."""
    assert order.strata is not None
    codes: dict[str, int] = {}
    grade, stratum = [], []
    for asked, labels in zip(order.rows, order.strata, strict=True):
        grade.append(np.where(np.arange(len(asked)) < budget, np.maximum(qrels.grade[asked], 0.0), -1.0))
        stratum.append(np.asarray([codes.setdefault(label, len(codes)) for label in labels], dtype=np.int64))
    rows = np.concatenate(order.rows)
    back = np.argsort(rows)
    subset = some_rows(qrels, rows[back], np.concatenate(grade)[back])
    strata = Sampling(Ids.of(codes), np.concatenate(stratum)[back], np.ones(len(rows)))
    return rows[back], replace(subset, sampling=strata)


def _with_unjudged(qrels: Qrels, lists: Sequence[TopicLists]) -> Qrels:
    """Return the judgments and, as -1, every other document that could be pooled."""
    topics = list(qrels.queries)
    pairs = [(topics[query], doc) for query, doc in zip(qrels.query.tolist(), qrels.docs, strict=True)]
    listed = set(pairs)
    more = [pair for topic in lists for doc in topic.docs if (pair := (topic.topic, doc)) not in listed]
    names, docs = ([pair[part] for pair in (*pairs, *more)] for part in (0, 1))
    grade = np.concatenate((qrels.grade, np.full(len(more), -1.0)))
    size = qrels.collection_size
    return Qrels.from_columns(names, docs, grade, scale=qrels.scale, collection_size=size, name=qrels.name)


def some_rows(qrels: Qrels, kept: IntArray, grade: FloatArray) -> Qrels:
    """Return these rows of the judgments, in order, without ids, which are not needed here."""
    counts = np.bincount(qrels.query[kept], minlength=qrels.num_queries)
    start, docs = np.concatenate(([0], np.cumsum(counts))), Ids(NO_DOCS, np.zeros(len(kept) + 1, dtype=np.int64))
    return replace(qrels, start=start, docs=docs, grade=grade, groups=None, sampling=None)


def _seen_through(run: JudgedRun, qrels: Qrels, place: IntArray) -> JudgedRun:
    """Return the run matched with fewer judgments; `place` maps each row, -1 if it is gone."""
    here: BoolArray = place[run.doc] >= 0
    ranks = {name: getattr(run, name)[here] for name in ("rank", "first", "last")}
    return replace(run, qrels=qrels, doc=place[run.doc[here]], **ranks)


def _mean(measure: Measure, run: JudgedRun) -> float:
    values = work(measure, run).value
    known = values[~np.isnan(values)]
    return float(np.cumsum(known)[-1] / len(known)) if len(known) else float("nan")


def without_each_run(
    data: Replay,
    method: Method,
    budget: int,
    *,
    teams: Mapping[str, str] | None = None,
    advance: Callable[[], None] | None = None,
) -> list[LeftOut]:
    """Rebuild the pool without each run in turn and measure what the run loses.

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
        before, after = float(scores[number]), float(without[number])
        rank, rank_after = (1 + int((board > board[number]).sum()) for board in (scores, without))
        unique = len(np.setdiff1d(relevant, kept))
        found.append(LeftOut(str(method), name, before, after, rank, rank_after, unique))
        if advance is not None:
            advance()
    return found


def _pooled(data: Replay, order: Order, budget: int) -> tuple[FloatArray, IntArray]:
    """Return the leaderboard of a pool, and its relevant documents."""
    seen, grade = _seen(data, order, budget)
    scores = data.leaderboard(some_rows(data.qrels, seen, np.maximum(grade, 0.0)), seen, data.measure)
    return scores, seen[grade >= data.rel]
