"""The facts behind a report's verdict, by measure: the best system, its lead, its weak queries, what is unjudged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from germane.api.reports.rankings import RetrievalNumbers
from germane.measures.definition import MEASURES
from germane.measures.rankings.counts import unjudged_share
from germane.tables.rankings.judged_run import JudgedRun
from germane.tables.rankings.measure import Measure
from germane.tables.results.comparison import Pair

FAILURE = 0.1
"""Values below this are failures, of measures between 0 and 1 where higher is better."""

SAME_MEAN = 1e-9
"""Means that differ from the best by less than this part of it differ by rounding only."""


@dataclass(frozen=True)
class Lead:
    """The best system's lead over another one, positive in the direction of the measure."""

    system: int
    lead: float
    low: float
    high: float
    p: float
    significant: bool
    minimum_detectable: float | None = None

    @property
    def tested(self) -> bool:
        """Whether there is a p-value: none is defined where all queries differ by the same amount."""
        return not math.isnan(self.p)

    @property
    def excludes_zero(self) -> bool:
        """Whether the whole interval is above 0; an undefined one is not."""
        return self.low > 0

    @property
    def shown(self) -> bool:
        """Whether both the test and the interval show the lead; a method without intervals has its test alone."""
        return self.significant and self.lead > 0 and (self.excludes_zero or math.isnan(self.low))


@dataclass(frozen=True)
class Failures:
    """The weakest queries of the best system, the weakest first, by their places."""

    queries: tuple[int, ...]
    can_fail: bool
    """Whether `FAILURE` is a limit for this measure."""
    are_failures: bool
    """Whether these are all queries below `FAILURE`; otherwise they are merely the weakest."""
    of_all_systems: int
    """Number of these queries on which every system fails."""
    missing: int
    """Number of these queries that the run lacks."""


@dataclass(frozen=True)
class Unjudged:
    """Unjudged documents in what the measure looks at: the share by system, and the bounds of the means, if known."""

    cut: int | None
    shares: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None


@dataclass(frozen=True)
class Verdict:
    """One measure: the systems with the best mean, the leads of the first of them, its weak queries, the unjudged."""

    measure: Measure
    best: tuple[int, ...]
    others: tuple[int, ...]
    """The systems that have another mean, the best first."""
    mean: float
    interval: tuple[float, float]
    leads: tuple[Lead, ...]
    """Over every system that it was tested against and that does not share its mean, the closest first."""
    baseline_wins: int | None
    """Number of systems that beat the baseline; None where there is no baseline, or where it is best itself."""
    failures: Failures
    unjudged: Unjudged

    @property
    def runner_up(self) -> int | None:
        """The system with the next best mean; None where there is no other mean."""
        return self.others[0] if self.others else None


class Verdicts:
    """The verdicts of all measures; what they share is computed once."""

    def __init__(self, numbers: RetrievalNumbers) -> None:
        self._numbers = numbers
        self._means = numbers.scores.mean()

    def of(self, measure: Measure) -> Verdict | None:
        """Return the verdict of a measure; None where no system has a mean."""
        numbers, name = self._numbers, str(measure)
        lower = numbers.scores.lower_is_better(measure)
        means = np.asarray([self._means[run.name][name] for run in numbers.runs])
        if np.isnan(means).all():
            return None
        mean = float(np.nanmin(means) if lower else np.nanmax(means))
        best = tuple(np.flatnonzero(np.abs(means - mean) <= SAME_MEAN * abs(mean)).tolist())
        place = numbers.scores.measures.index(measure)
        intervals = numbers.scores.intervals
        assert intervals is not None
        leads = sorted(self._leads(name, best, lower), key=lambda lead: (lead.lead, lead.system))
        order = np.argsort(means if lower else -means, kind="stable").tolist()
        rest = [r for r in order if r not in best and not np.isnan(means[r])]
        return Verdict(
            measure,
            best,
            tuple(rest),
            mean,
            (float(intervals.low[best[0], place]), float(intervals.high[best[0], place])),
            tuple(leads),
            self._baseline_wins(name, best[0], lower),
            self._failures(measure, place, best[0]),
            self._unjudged(measure),
        )

    def beats(self, measure: Measure, system: int, other: int) -> bool:
        """Return whether a system is shown to be better than another one."""
        lower = self._numbers.scores.lower_is_better(measure)
        return any(lead.system == other and lead.shown for lead in self._leads(str(measure), (system,), lower))

    @cached_property
    def _pairs(self) -> Mapping[str, Sequence[Pair]]:
        found: dict[str, list[Pair]] = {}
        comparison = self._numbers.comparison
        for pair in () if comparison is None else comparison.pairs:
            if not pair.slice:
                found.setdefault(pair.measure, []).append(pair)
        return found

    def _leads(self, measure: str, best: tuple[int, ...], lower: bool) -> list[Lead]:
        places = {run.name: place for place, run in enumerate(self._numbers.runs)}
        name = self._numbers.runs[best[0]].name
        pairs = [pair for pair in self._pairs.get(measure, ()) if name in (pair.a, pair.b)]
        found = [self._lead(pair, name, places, lower) for pair in pairs]
        return [lead for lead in found if lead.system not in best]

    def _lead(self, pair: Pair, name: str, places: Mapping[str, int], lower: bool) -> Lead:
        """A pair as a lead of the named system."""
        against = (pair.a == name) != lower  # b − a favours b, unless lower is better
        difference, low, high = pair.difference, pair.low, pair.high
        if against:
            difference, low, high = -difference, -high, -low
        other = places[pair.b if pair.a == name else pair.a]
        significant = pair.significant(self._numbers.choices.alpha)
        return Lead(other, difference, low, high, pair.p_adjusted, significant, pair.minimum_detectable)

    def _baseline_wins(self, measure: str, best: int, lower: bool) -> int | None:
        comparison = self._numbers.comparison
        if comparison is None or comparison.baseline in (None, self._numbers.runs[best].name):
            return None
        places = {run.name: place for place, run in enumerate(self._numbers.runs)}
        pairs = self._pairs.get(measure, ())
        return sum(self._lead(pair, pair.b, places, lower).shown for pair in pairs)

    def _failures(self, measure: Measure, place: int, best: int) -> Failures:
        scores = self._numbers.scores
        definition, run = MEASURES[measure], self._numbers.judged[best]
        level = float(str(dict(measure.parameters).get("rel", 1)))
        values = scores.values[:, place]
        # A query without a relevant document says nothing about the system.
        counted = scores.scored[best] & ~np.isnan(values[best]) & (run.num_relevant(level) > 0)
        can_fail = definition.better == "higher" and tuple(definition.bounds) == (0, 1)
        failing = counted & (values[best] < FAILURE) if can_fail else np.zeros(len(counted), dtype=bool)
        among = failing if failing.any() else counted
        sign = -1 if scores.lower_is_better(measure) else 1
        order = sorted(np.flatnonzero(among).tolist(), key=lambda query: (sign * values[best, query], query))
        with np.errstate(invalid="ignore"):
            everybody = (failing & ~(values >= FAILURE).any(axis=0)).sum()
        missing = (failing & ~run.in_run).sum()
        return Failures(tuple(order), can_fail, bool(failing.any()), int(everybody), int(missing))

    def _unjudged(self, measure: Measure) -> Unjudged:
        cut = measure.at if MEASURES[measure].at == "cut" and isinstance(measure.at, int) else None
        shares = tuple(unjudged_in(run, cut) for run in self._numbers.judged)
        for scores in self._numbers.bounds:
            if scores.measures[0] == measure:
                low, high = scores.extreme_means("low"), scores.extreme_means("high")
                assert low is not None
                assert high is not None
                ends = (tuple(end[run.name][0] for run in scores.runs) for end in (low, high))
                return Unjudged(cut, shares, *ends)
        return Unjudged(cut, shares, None, None)


def unjudged_in(run: JudgedRun, cut: int | None) -> float:
    """Return the share of unjudged documents among all that are retrieved down to a rank.

    >>> from germane.tables.rankings.judged_run import judged
    >>> unjudged_in(judged("1 - 0 -"), 2)
    0.5
    """
    retrieved = int(run.depth(cut).sum())
    return round(float(unjudged_share.work(run, cut=cut).numerator.sum()), 6) / retrieved if retrieved else 0.0
