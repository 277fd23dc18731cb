"""Numbers behind a report on runs, each part computed when first needed."""

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
from germane.api.reports.queries import (
    GradesByQuery,
    QueryRankings,
    TopRanking,
    grades_by_query,
    rankings_by_query,
    run_of,
    top_ranking,
)
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
"""Recall levels at which curves are averaged: the usual eleven, and enough for a smooth line."""

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Cutoffs for the share of judged documents, besides the depth of the longest ranking."""

SINGLE_STEPS = ("comparison", "bounds", "relations")
"""Slow steps that are done once for all runs, for the progress bar."""

RELATIONS = ("rbo-a", "tau-b")


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Settings of a report: the baseline, tests, intervals and depth."""

    baseline: str | None = None
    test: str = "t"
    correction: str = "bonferroni"
    alpha: float = 0.05
    interval: str = "t"
    """Method for intervals of means, and of differences where the test has no matching one."""
    level: float = 0.95
    seed: int = 0
    depth: int = 50
    """Number of ranks shown, besides every relevant document."""


@dataclass(frozen=True, eq=False)
class Relations:
    """Rank correlations of runs: the mean over queries of each coefficient, by coefficient × run × run.

    The entry of a run with itself is NaN.
    """

    coefficients: tuple[str, ...]
    values: Any
    p: float
    depth: int


@dataclass(frozen=True, eq=False)
class RetrievalNumbers:
    """Numbers behind a report on runs, computed when first needed; rankings are read when shown."""

    given: Scores
    choices: Choices
    compared: SystemComparison | None = None
    run_costs: CostsLike | None = None
    progress: Progress | None = None

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """The runs."""
        return self.given.runs

    @cached_property
    def _inputs(self) -> tuple[Any, Any, dict[str, Any]]:
        """Judgments, runs and reading options."""
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
        """Costs by run."""
        return {} if self.run_costs is None else read_costs(self.run_costs, [run.name for run in self.runs])

    @cached_property
    def _steps(self) -> Iterator[int]:
        return count(len(self.runs) + 1)

    def step(self) -> None:
        """Say that a step is done: runs are scored, judged, and read for their rankings."""
        if self.progress is not None:
            self.progress(next(self._steps), 3 * len(self.runs) + len(SINGLE_STEPS))

    @cached_property
    def scores(self) -> Scores:
        """Values, means, intervals of means and notes, as of `germane eval --interval`."""
        choices, found = self.choices, self.given
        if len(found.queries) > 1:
            return with_intervals(found, choices.interval, choices.level, choices.seed)
        unknown = np.full(found.values.shape[:2], np.nan)  # one query has no variance
        intervals = MeanIntervals(choices.interval, choices.level, choices.seed, {"": (unknown, unknown)})
        return replace(found, intervals=intervals)

    def _evaluate(self, measures: MeasuresLike, **more: Any) -> Scores:
        how = self._inputs[2]
        more |= {"ties": self.judged[0].ties, "topics": self.given.topics, "trec_version": how["trec_version"]}
        found = evaluate(self.qrels, list(self.judged), measures, **more)
        return replace(found, runs=self.runs, score_type=how["score_type"])

    @cached_property
    def not_compared(self) -> str:
        """Reason why there is no comparison; empty where there is one."""
        if len(self.runs) < 2:
            return "Only one system was evaluated, so there is nothing to compare."
        if len(self.scores.queries) < 2:
            return "Statistics need at least two queries."
        return "" if self._comparable.any() else "None of these measures has a mean to compare."

    @cached_property
    def _comparable(self) -> Any:
        """Measures that have a mean and are defined for all queries."""
        undefined = (np.isnan(self.scores.values) & self.scores.scored[:, None, :]).any(axis=(0, 2))
        return ~self.scores.totals & ~undefined

    @cached_property
    def comparison(self) -> SystemComparison | None:
        """Comparison of the systems, by the measures that can be compared."""
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
        """The runs with ties broken by id, for curves, which have no expectation over ties."""
        return tuple(replace(run, ties="docno") if run.ties == "expected" else run for run in self.judged)

    @cached_property
    def interpolated(self) -> Scores:
        """Interpolated precision at every hundredth of recall, including the eleven levels."""
        measures = [f"IPrec@{level:g}" for level in FINE_LEVELS]
        how: dict[str, Any] = {"ties": self.ordered[0].ties, "topics": self.given.topics}
        return evaluate(self.qrels, list(self.ordered), measures, **how)

    def precision_recall(self, run: int) -> CurvePoints:
        """Return every point of the precision-recall curve of every query of a run."""
        return precision_recall_points(self.ordered[run])

    @cached_property
    def coverage(self) -> Scores:
        """Share of judged documents at several cutoffs."""
        deepest = max(int(run.num_retrieved.max(initial=1)) for run in self.judged)
        cutoffs = sorted({*(cut for cut in CUTOFFS if cut < deepest), max(deepest, 1)})
        return self._evaluate([f"Judged@{cut}" for cut in cutoffs])

    @cached_property
    def bounds(self) -> list[Scores]:
        """Measures with bounds under unjudged documents, where these are known and fast to compute."""
        found = []
        for measure in self.scores.measures:
            if MEASURES[measure].unjudged == "monotone":
                try:
                    found.append(self._evaluate([measure], bounds=True))
                except MeasureError:  # no bounds with this parameter, or these ties
                    continue
        self.step()
        return found

    def worked(self, measure: Measure, run: int) -> Worked:
        """Return a measure with the terms that add up to its value."""
        return work(measure, self.judged[run])

    @cached_property
    def _grades(self) -> GradesByQuery:
        return grades_by_query(self.qrels)

    @cached_property
    def tops(self) -> tuple[TopRanking, ...]:
        """The top documents of each ranking, read again from the sources."""
        found = []
        _, runs, how = self._inputs
        for info, source in named_runs(runs):
            run = run_of(source, info.name, how["run_format"])
            found.append(top_ranking(run, self._grades, how["ties"], how["score_type"], self.choices.depth))
            self.step()
        return tuple(found)

    @cached_property
    def rankings(self) -> list[QueryRankings]:
        """Documents retrieved by each run, with grades, by query."""
        return rankings_by_query(self.qrels, self._grades, self.judged, self.tops, self.choices.depth)

    @cached_property
    def relations(self) -> Relations | None:
        """Rank correlations of each two runs' top documents; None for a single run."""
        from germane.stats.rankings.all_pairs import overlap_and_tau
        from germane.stats.rankings.coefficients import DEFAULT_P

        if len(self.runs) < 2:
            return None
        count, depth = len(self.runs), self.choices.depth
        sums, defined = np.zeros((len(RELATIONS), count, count)), np.zeros((len(RELATIONS), count, count))
        # One query after the other, in the order of `between_runs`: the means are the same to the last digit.
        for query in sorted({query for top in self.tops for query in top.rankings}):
            runs = [r for r, top in enumerate(self.tops) if query in top.rankings]
            found = overlap_and_tau([self.tops[r].rankings[query].top(depth) for r in runs], DEFAULT_P)
            for place, values in enumerate(found):
                at = np.ix_([place], runs, runs)
                sums[at] += np.nan_to_num(values)
                defined[at] += ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            values = np.where(defined > 0, sums / defined, np.nan)
        self.step()
        return Relations(RELATIONS, values, DEFAULT_P, depth)


def retrieval_numbers(
    data: Scores | SystemComparison,
    choices: Mapping[str, Any],
    *,
    run_costs: CostsLike | None = None,
    progress: Progress | None = None,
) -> RetrievalNumbers:
    """Return the numbers behind a report on the runs of scores, or of a comparison.

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
