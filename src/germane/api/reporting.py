"""Everything that a report on runs shows, each part worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from germane.api.comparing import compare
from germane.api.evaluating import (
    DEFAULT_MEASURES,
    ScoreType,
    Topics,
    evaluate,
    judge_run,
    load_qrels,
    named_runs,
    score_type_of,
)
from germane.api.family import family_of
from germane.api.family_intervals import asked_for_means
from germane.api.reporting_costs import read_costs
from germane.api.reporting_queries import QueryRankings, TopRanking, rankings_by_query, run_of, top_ranking
from germane.arguments import option_names
from germane.errors import GermaneError, MeasureError
from germane.measures.foreign_names import TrecVersion
from germane.measures.ranking.curves import CurvePoints, precision_recall_points
from germane.measures.registry import definition_of, work
from germane.tables.comparison import Comparison
from germane.tables.judged_run import JudgedRun, Ties, Worked
from germane.tables.measure import Measure
from germane.tables.qrels import Qrels
from germane.tables.scores import MeanIntervals, RunInfo, Scores

LEVELS = tuple(round(i / 10, 1) for i in range(11))
FINE_LEVELS = tuple(round(i / 100, 2) for i in range(101))
"""Levels of recall at which curves are averaged: the usual eleven, and enough for a smooth line."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""How far down the share of judged documents is looked at."""

SINGLE_STEPS = ("comparison", "interpolated", "bounds")
"""What takes a while and is done once, for all runs."""

RELATIONS = ("rbo-a", "tau-b")


@dataclass(frozen=True)
class Choices:
    """What was declared before anybody looked at the numbers."""

    baseline: str | None = None
    test: str = "t"
    correction: str = "bonferroni"
    alpha: float = 0.05
    interval: str = "t"
    """How intervals of means are made, and of differences where the test has none of its own."""
    level: float = 0.95
    seed: int = 0
    depth: int = 50
    """Rankings are shown down to here, and every relevant document besides."""


@dataclass(frozen=True, eq=False)
class Relations:
    """How alike the runs rank: the mean over queries of each coefficient, by coefficient × run × run.

    A run is not compared with itself: that place is NaN.
    """

    coefficients: tuple[str, ...]
    values: Any
    p: float
    depth: int


@dataclass(frozen=True, eq=False)
class RetrievalNumbers:
    """The numbers behind a report. What is not asked for is never computed."""

    qrels: Qrels
    runs: tuple[RunInfo, ...]
    sources: tuple[Any, ...]
    judged: tuple[JudgedRun, ...]
    measures: tuple[str | Measure, ...]
    topics: Topics
    score_type: ScoreType
    trec_version: TrecVersion
    choices: Choices
    run_format: str | None = None
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    step: Callable[[], None] = lambda: None

    @cached_property
    def scores(self) -> Scores:
        """Values, means, intervals of means and notes: what `germane eval --interval` says."""
        choices = self.choices
        if len(self.qrels.queries) > 1:
            return self._evaluate(self.measures, interval=choices.interval, level=choices.level, seed=choices.seed)
        found = self._evaluate(self.measures)  # what varies from query to query is not known from one
        unknown = np.full(found.values.shape[:2], np.nan)
        intervals = MeanIntervals(choices.interval, choices.level, choices.seed, {"": (unknown, unknown)})
        return replace(found, intervals=intervals)

    def _evaluate(self, measures: Iterable[str | Measure], **more: Any) -> Scores:
        ties = self.judged[0].ties
        found = evaluate(
            self.qrels,
            list(self.judged),
            measures,
            ties=ties,
            topics=self.topics,
            trec_version=self.trec_version,
            **more,
        )
        return replace(found, runs=self.runs, score_type=self.score_type)

    @cached_property
    def not_compared(self) -> str:
        """Why there is no comparison; empty where there is one."""
        if len(self.runs) < 2:
            return "There is one system, so there is nothing to compare it with."
        if len(self.scores.queries) < 2:
            return "There is one query, which says nothing about others."
        return "" if self._comparable.any() else "No measure here has a mean that could be compared."

    @cached_property
    def _comparable(self) -> Any:
        """Measures that have a mean and are defined for all queries."""
        undefined = (np.isnan(self.scores.values) & self.scores.scored[:, None, :]).any(axis=(0, 2))
        return ~self.scores.totals & ~undefined

    @cached_property
    def comparison(self) -> Comparison | None:
        """What `germane compare` says of those measures that can be compared."""
        if self.not_compared:
            return None
        keep = self._comparable
        scores = self.scores
        if not keep.all():
            scores = replace(
                scores,
                measures=tuple(m for m, kept in zip(scores.measures, keep, strict=True) if kept),
                **{name: getattr(scores, name)[:, keep] for name in ("values", "numerator", "denominator")},
                totals=scores.totals[keep],
                intervals=None,
            )
        c = self.choices
        num_tests = len(family_of(scores, c.baseline))
        self.step()
        return compare(
            scores,
            baseline=c.baseline,
            test=c.test,
            correction=c.correction,
            alpha=c.alpha,
            **asked_for_means(c.interval, c.level, c.test, c.correction, num_tests),  # type: ignore[arg-type]
            seed=c.seed,
        )

    @cached_property
    def ordered(self) -> tuple[JudgedRun, ...]:
        """The runs in one order, for curves: these have no expectation over ties, so ids decide."""
        return tuple(replace(run, ties="docno") if run.ties == "expected" else run for run in self.judged)

    @cached_property
    def interpolated(self) -> Scores:
        """Interpolated precision at every hundredth of recall, the eleven levels among them."""
        measures = [f"IPrec@{level:g}" for level in FINE_LEVELS]
        found = evaluate(self.qrels, list(self.ordered), measures, ties=self.ordered[0].ties, topics=self.topics)
        self.step()
        return found

    def precision_recall(self, run: int) -> CurvePoints:
        """Every point of the precision-recall curve of every query of a run: nothing is thinned."""
        return precision_recall_points(self.ordered[run])

    @cached_property
    def coverage(self) -> Scores:
        """The share of judged documents down to several ranks."""
        deepest = max(int(run.num_retrieved.max(initial=1)) for run in self.judged)
        return self._evaluate([f"Judged@{cut}" for cut in CUTOFFS if cut <= deepest] or ["Judged@1"])

    @cached_property
    def bounds(self) -> list[Scores]:
        """The measures whose bounds under unjudged documents are known and quickly found, each with them."""
        found = []
        for measure in self.scores.measures:
            if definition_of(measure).unjudged == "monotone":
                try:
                    found.append(self._evaluate([measure], bounds=True))
                except MeasureError:  # with this parameter, or these ties, they are not known
                    continue
        self.step()
        return found

    def worked(self, measure: Measure, run: int) -> Worked:
        """A measure worked out: the terms whose sum is its value."""
        return work(measure, self.judged[run])

    @cached_property
    def tops(self) -> tuple[TopRanking, ...]:
        """The first documents of each ranking, read again from the sources."""
        found = []
        for info, source, judged in zip(self.runs, self.sources, self.judged, strict=True):
            run = run_of(source, info.name, self.run_format)
            found.append(top_ranking(run, self.qrels, judged.ties, self.score_type, self.choices.depth))
            self.step()
        return tuple(found)

    @cached_property
    def rankings(self) -> list[QueryRankings]:
        """By query, what each run retrieved and how it was judged."""
        return rankings_by_query(self.qrels, self.judged, self.tops, self.choices.depth)

    @cached_property
    def relations(self) -> Relations | None:
        """How alike each two runs rank their first documents; None for a single run."""
        from germane.stats.coefficients import DEFAULT_P
        from germane.stats.correlations import correlations
        from germane.stats.rankings import Pair

        if len(self.runs) < 2:
            return None
        count, depth = len(self.runs), self.choices.depth
        values = np.full((len(RELATIONS), count, count), np.nan)
        for i in range(count):
            for j in range(i):
                a, b = self.tops[i].rankings, self.tops[j].rankings
                pairs = {query: Pair(a[query], b[query]) for query in a if query in b}
                if pairs:
                    names = (self.runs[i].name, self.runs[j].name)
                    found = correlations(
                        "runs", names, pairs, RELATIONS, p=DEFAULT_P, depth=depth, missing="append"
                    ).mean()
                    values[:, i, j] = values[:, j, i] = [found[name] for name in RELATIONS]
            self.step()
        return Relations(RELATIONS, values, DEFAULT_P, depth)


def report_options() -> list[str]:
    """Return the names of all options of a report, those of `evaluate` and of `compare` that it takes included."""
    return [*option_names(retrieval_numbers), *(each.name for each in fields(Choices))]


def retrieval_numbers(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    ties: Ties = "docno",
    topics: Topics = "qrels",
    scores: ScoreType | None = None,
    trec_version: TrecVersion = 10,
    scale: float | None = None,
    collection_size: int | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    costs: str | Path | Mapping[str, Mapping[str, float]] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **choices: Any,
) -> RetrievalNumbers:
    """Judge the runs and be ready to say all about them.

    >>> numbers = retrieval_numbers({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "RR")
    >>> numbers.scores.mean(), numbers.rankings[0].documents
    ({'run': {'RR': 0.5}}, ['d2', 'd1'])
    """
    if isinstance(qrels, Scores):
        raise GermaneError(
            "a report shows rankings and judgments, and scores hold neither",
            hint='pass what they were made from: report("qrels.txt", ["bm25.run"], ["AP"], output="report.html")',
        )
    chosen = Choices(**choices)
    if chosen.depth < 1:
        raise GermaneError(f"expected a depth of 1 or more, found {chosen.depth}")
    truth = load_qrels(qrels, scale=scale, collection_size=collection_size, format=qrels_format)
    named = [(info, _read_once(source, run_format)) for info, source in named_runs(runs)]
    # Runs are judged, read again for their rankings, and related to each other.
    step = _counter(progress, 3 * len(named) + len(SINGLE_STEPS))
    judged = []
    score_type = score_type_of(scores, trec_version)
    for info, source in named:
        judged.append(judge_run(truth, source, name=info.name, ties=ties, score_type=score_type, format=run_format))
        step()
    return RetrievalNumbers(
        qrels=truth,
        runs=tuple(info for info, _ in named),
        sources=tuple(source for _, source in named),
        judged=tuple(judged),
        measures=(measures,) if isinstance(measures, str | Measure) else tuple(measures),
        topics=topics,
        score_type=score_type,
        trec_version=trec_version,
        choices=chosen,
        run_format=run_format,
        costs={} if costs is None else read_costs(costs, [info.name for info, _ in named]),
        step=step,
    )


def _read_once(source: Any, run_format: str | None) -> Any:
    """Standard input cannot be read again, so it is kept."""
    return run_of(source, "-", run_format) if str(source) == "-" else source


def _counter(progress: Callable[[int, int], None] | None, total: int) -> Callable[[], None]:
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    return step
