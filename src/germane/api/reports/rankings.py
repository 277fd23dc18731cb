"""Everything that a report on runs shows, each part worked out when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from germane.api.comparisons.family_intervals import asked_for_means
from germane.api.comparisons.systems import compare_systems
from germane.api.inputs import require_inputs
from germane.api.rankings.evaluation import evaluate, judged_runs, named_runs, with_intervals
from germane.api.reports.costs import read_costs
from germane.api.reports.queries import QueryRankings, TopRanking, rankings_by_query, run_of, top_ranking
from germane.errors import GermaneError, MeasureError
from germane.measures.definition import MEASURES, work
from germane.measures.rankings.curves import CurvePoints, precision_recall_points
from germane.tables.rankings.judged_run import JudgedRun, Worked
from germane.tables.rankings.measure import Measure
from germane.tables.rankings.qrels import Qrels
from germane.tables.results.comparison import SystemComparison
from germane.tables.results.scores import MeanIntervals, RunInfo, Scores

if TYPE_CHECKING:
    from germane.types import CostsLike, MeasuresLike, Progress

LEVELS = tuple(round(i / 10, 1) for i in range(11))
FINE_LEVELS = tuple(round(i / 100, 2) for i in range(101))
"""Levels of recall at which curves are averaged: the usual eleven, and enough for a smooth line."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""How far down the share of judged documents is looked at."""

SINGLE_STEPS = ("comparison", "interpolated", "bounds")
"""What takes a while and is done once, for all runs."""

RELATIONS = ("rbo-a", "tau-b")


@dataclass(frozen=True, kw_only=True)
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
    """The numbers behind a report. What is not asked for is never computed; rankings are read when they are shown."""

    given: Scores
    choices: Choices
    compared: SystemComparison | None = None
    run_costs: CostsLike | None = None
    progress: Progress | None = None

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """Which runs there are."""
        return self.given.runs

    @cached_property
    def _inputs(self) -> tuple[Any, Any, dict[str, Any]]:
        """Judgments, runs, and how they are read."""
        (qrels, runs, _), options = require_inputs(self.given)
        return qrels, runs, options

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self.judged[0].qrels

    @cached_property
    def judged(self) -> tuple[JudgedRun, ...]:
        """The runs, matched with the judgments."""
        found = []
        qrels, runs, how = self._inputs
        for run in judged_runs(qrels, named_runs(runs), **how):
            found.append(run)
            self.step()
        return tuple(found)

    @cached_property
    def costs(self) -> Mapping[str, Mapping[str, float]]:
        """By run, what it costs."""
        return {} if self.run_costs is None else read_costs(self.run_costs, [run.name for run in self.runs])

    @cached_property
    def _steps(self) -> Iterator[int]:
        return count(len(self.runs) + 1)

    def step(self) -> None:
        """Say that a step is done: runs are scored, judged, read for their rankings, and related to each other."""
        if self.progress is not None:
            self.progress(next(self._steps), 4 * len(self.runs) + len(SINGLE_STEPS))

    @cached_property
    def scores(self) -> Scores:
        """Values, means, intervals of means and notes: what `germane eval --interval` says."""
        choices, found = self.choices, self.given
        if len(found.queries) > 1:
            return with_intervals(found, choices.interval, choices.level, choices.seed)
        unknown = np.full(found.values.shape[:2], np.nan)  # what varies from query to query is not known from one
        intervals = MeanIntervals(choices.interval, choices.level, choices.seed, {"": (unknown, unknown)})
        return replace(found, intervals=intervals)

    def _evaluate(self, measures: MeasuresLike, **more: Any) -> Scores:
        how = self._inputs[2]
        more |= {"ties": self.judged[0].ties, "topics": self.given.topics, "trec_version": how["trec_version"]}
        found = evaluate(self.qrels, list(self.judged), measures, **more)
        return replace(found, runs=self.runs, score_type=how["score_type"])

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
    def comparison(self) -> SystemComparison | None:
        """What `germane compare` says of those measures that can be compared."""
        if self.compared is not None or self.not_compared:
            return self.compared
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
        own = asked_for_means(scores, c.baseline, c.interval, c.level, c.test, c.correction)
        self.step()
        return compare_systems(
            scores, baseline=c.baseline, test=c.test, correction=c.correction, alpha=c.alpha, seed=c.seed, **own
        )

    @cached_property
    def ordered(self) -> tuple[JudgedRun, ...]:
        """The runs in one order, for curves: these have no expectation over ties, so ids decide."""
        return tuple(replace(run, ties="docno") if run.ties == "expected" else run for run in self.judged)

    @cached_property
    def interpolated(self) -> Scores:
        """Interpolated precision at every hundredth of recall, the eleven levels among them."""
        measures = [f"IPrec@{level:g}" for level in FINE_LEVELS]
        how: dict[str, Any] = {"ties": self.ordered[0].ties, "topics": self.given.topics}
        found = evaluate(self.qrels, list(self.ordered), measures, **how)
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
            if MEASURES[measure].unjudged == "monotone":
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
        _, runs, how = self._inputs
        for info, source in named_runs(runs):
            run = run_of(source, info.name, how["run_format"])
            found.append(top_ranking(run, self.qrels, how["ties"], how["score_type"], self.choices.depth))
            self.step()
        return tuple(found)

    @cached_property
    def rankings(self) -> list[QueryRankings]:
        """By query, what each run retrieved and how it was judged."""
        return rankings_by_query(self.qrels, self.judged, self.tops, self.choices.depth)

    @cached_property
    def relations(self) -> Relations | None:
        """How alike each two runs rank their first documents; None for a single run."""
        from germane.stats.rankings.coefficients import DEFAULT_P
        from germane.stats.rankings.correlations import correlations
        from germane.stats.rankings.ranked_items import Pair

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
                    found = correlations("runs", names, pairs, RELATIONS, p=DEFAULT_P, depth=depth, missing="append")
                    means = found.mean()
                    values[:, i, j] = values[:, j, i] = [means[name] for name in RELATIONS]
            self.step()
        return Relations(RELATIONS, values, DEFAULT_P, depth)


def retrieval_numbers(
    data: Scores | SystemComparison,
    choices: Mapping[str, Any],
    *,
    run_costs: CostsLike | None = None,
    progress: Progress | None = None,
) -> RetrievalNumbers:
    """Be ready to say all about the runs of scores, or of a comparison.

    >>> scores = evaluate({"q1": {"d1": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}, "RR")
    >>> numbers = retrieval_numbers(scores, {})
    >>> numbers.scores.mean(), numbers.rankings[0].documents
    ({'run': {'RR': 0.5}}, ['d2', 'd1'])
    """
    scores, compared = (data, None) if isinstance(data, Scores) else (data.scores, data)
    made = scores.intervals
    declared = {} if made is None else {"interval": made.method, "level": made.level, "seed": made.seed}
    if compared is not None:
        declared |= {name: getattr(compared, name) for name in ("baseline", "test", "correction", "alpha")}
    chosen = Choices(**{**declared, **choices})
    if chosen.baseline is not None:
        chosen = replace(chosen, baseline=scores.runs[scores.run_index(chosen.baseline)].name)
    if chosen.depth < 1:
        raise GermaneError(f"expected a depth of 1 or more, found {chosen.depth}")
    scores = replace(scores, slices={}, low=None, high=None)
    return RetrievalNumbers(scores, chosen, compared, run_costs, progress)
