"""A comparison: for each pair of systems and each measure the difference, how sure it is, and how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan

from germane.errors import GermaneError
from germane.tables.display import Displayed
from germane.tables.grid import aligned
from germane.tables.scores import Note, Scores


def adjusted_for(correction: str, num_tests: int, family: str) -> str:
    """The family of adjusted p-values and its correction in words, to follow "p".

    >>> adjusted_for("bonferroni", 3, "3 pairs of systems × 1 measure")
    'adjusted by bonferroni for 3 tests: 3 pairs of systems × 1 measure'
    """
    if num_tests == 1:
        return f"of one test: {family}"
    adjusted = "not adjusted for" if correction == "none" else f"adjusted by {correction} for"
    return f"{adjusted} {num_tests:,} tests: {family}"


@dataclass(frozen=True)
class Pair:
    """`b` against `a`: the difference is the mean of b minus that of a, so what is better is as the measure says.

    `p` is the test's own, `p_adjusted` takes the whole family into account. `wins` counts the queries on which b is
    better, `gained` and `lost` name those where that is most so; effect sizes are positive where b is better.
    """

    measure: str
    a: str
    b: str
    slice: str
    num_queries: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    effect: Mapping[str, float]
    wins: int | None
    ties: int | None
    losses: int | None
    gained: tuple[tuple[str, float], ...] = ()
    lost: tuple[tuple[str, float], ...] = ()
    p_equivalent: float | None = None
    p_not_worse: float | None = None
    smallest_detectable: float | None = None
    queries_needed: int | None = None

    def significant(self, alpha: float) -> bool:
        """Whether the adjusted p is at or below alpha; an undefined one is not."""
        return self.p_adjusted <= alpha

    def verdict(self, alpha: float) -> str:
        """Return yes or no for significant, or that there was no test: all queries differ by the same amount."""
        return "not tested" if isnan(self.p_adjusted) else "yes" if self.significant(alpha) else "no"


@dataclass(frozen=True)
class HeldDifference:
    """A difference held against a limit: at worst, so says its interval, b is `worst` off a."""

    pair: Pair
    limit: float
    worst: float
    lower_is_better: bool

    @property
    def kept(self) -> bool:
        """Whether the limit was kept; what is not defined keeps none."""
        return self.worst <= self.limit if self.lower_is_better else self.worst >= self.limit


@dataclass(frozen=True)
class Variance:
    """Two-way analysis of variance of one measure: systems and queries, without replication."""

    measure: str
    slice: str
    f_systems: float
    p_systems: float
    f_queries: float
    p_queries: float
    residual_sd: float


@dataclass(frozen=True)
class RankVariance:
    """Friedman's test of one measure: do the systems' mean ranks differ? Rank 1 is the highest value."""

    measure: str
    slice: str
    chi_squared: float
    df: int
    p: float
    mean_ranks: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Comparison(Displayed):
    """All pairs, with what was declared before they were looked at."""

    scores: Scores
    pairs: tuple[Pair, ...]
    test: str
    sides: str
    correction: str
    family: str
    num_tests: int
    alpha: float
    interval: str
    level: float
    seed: int
    simultaneous: bool = False
    """Whether all intervals hold together at their level."""
    matches: bool = False
    """Whether an interval excludes 0 exactly where its pair is significant. If not, intervals are unadjusted."""
    baseline: str | None = None
    equivalence: float | None = None
    margin: float | None = None
    wanted_difference: float | None = None
    paired: bool = True
    variance: tuple[Variance, ...] = ()
    friedman: tuple[RankVariance, ...] = ()
    letters: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    """By (slice, measure), the letters of each system: two that share one cannot be told apart."""
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: tuple[str, str, str]) -> Pair:
        """One pair: ``comparison["AP", "bm25", "dense"]``."""
        measure, a, b = key
        for pair in self.pairs:
            if (pair.measure, pair.a, pair.b, pair.slice) == (measure, a, b, ""):
                return pair
            if (pair.measure, pair.b, pair.a, pair.slice) == (measure, a, b, ""):
                raise GermaneError(
                    f"{b} comes before {a} here", hint=f"ask for {(measure, b, a)}; its difference is {a} less {b}"
                )
        there = ", ".join(sorted({f"({p.measure}, {p.a}, {p.b})" for p in self.pairs}))
        raise GermaneError(f"no pair {key}", hint=f"there are: {there}")

    @property
    def intervals_in_words(self) -> str:
        """The intervals with their level: simultaneous, of a single test, or unadjusted.

        An unadjusted interval may exclude 0 beside a pair that is not significant.
        """
        level = f"{self.level * 100:g}%"
        if self.simultaneous:
            return f"simultaneous {level} {self.interval} interval"
        unadjusted = "" if self.matches and self.num_tests == 1 else ", unadjusted"
        return f"{level} {self.interval} interval{unadjusted}"

    @property
    def family_in_words(self) -> str:
        """What the adjusted p-values are adjusted for, and how."""
        return adjusted_for(self.correction, self.num_tests, self.family)

    @property
    def base(self) -> str:
        """The one system that all others are compared with."""
        bases = dict.fromkeys(pair.a for pair in self.pairs)
        if len(bases) > 1:
            raise GermaneError(
                f"which of {len(self.scores.runs)} systems are the others held against?",
                hint="name it: `baseline=…`",
            )
        return next(iter(bases))

    def hold(self, limits: Mapping[str, float]) -> list[HeldDifference]:
        """Hold the worse end of each difference's interval against a limit for its measure, on all queries.

        ``{"nDCG@10": -0.01}`` asks that b be shown to lose at most .01: that it is not inferior by more than that. An
        end of a two-sided interval at level L is a one-sided bound at (1 + L) / 2. Where less is better the upper end
        counts, and the limit is positive.
        """
        base = self.base
        held = []
        for pair in self.pairs:
            if pair.measure in limits and not pair.slice:
                lower = self.scores.lower_is_better(pair.measure)
                worst = pair.high if lower else pair.low
                if isnan(worst):
                    raise GermaneError(
                        f"the difference of {pair.b} and {base} in {pair.measure} has no interval",
                        hint="choose another method, such as `interval='t'`, or a test that has intervals",
                    )
                held.append(HeldDifference(pair, limits[pair.measure], worst, lower))
        return held

    def __str__(self) -> str:
        """The pairs, as a table."""
        header = ["measure", "a", "b", "difference", "low", "high", "p", "p adjusted"]
        rows = [
            [
                pair.measure,
                pair.a,
                pair.b,
                *(f"{x:.4f}" for x in (pair.difference, pair.low, pair.high, pair.p, pair.p_adjusted)),
            ]
            for pair in self.pairs
        ]
        return f"{aligned(header, rows)}{self.intervals_in_words}; p {self.family_in_words}\n"

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.pairs)} pairs, test {self.test}, correction {self.correction}>"
