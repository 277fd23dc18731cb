"""Result of a comparison: for each pair of systems and each measure the difference, its interval, p and effect size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any, ClassVar

from germane.errors import GermaneError
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table, columns_of, table
from germane.tables.results.comparison_overview import Overview
from germane.tables.results.result import Result, attributes
from germane.tables.results.scores import Scores, better_of

if TYPE_CHECKING:
    from germane.tables.results.classifier_comparison import ClassifierPair


CORRECTION_NAMES = {
    "bonferroni": "Bonferroni's method",
    "holm": "Holm's method",
    "bh": "Benjamini and Hochberg's method",
    "by": "Benjamini and Yekutieli's method",
}
"""Corrections that have another name in a sentence than as an argument."""
TEST_NAMES = {
    "t": "paired t-test",
    "welch": "Welch's t-test",
    "corrected resampled t": "corrected resampled t-test",
    "corrected resampled t, runs as clusters": "corrected resampled t-test with runs as clusters",
}
"""Tests whose name in a sentence is not the argument with "test" behind it."""


def adjusted_for(correction: str, num_tests: int, family: str) -> str:
    """Return how p-values are adjusted and for which family, in words that follow "p".

    >>> adjusted_for("bonferroni", 3, "3 pairs of systems × 1 measure")
    "adjusted for 3 tests (3 pairs of systems × 1 measure) by Bonferroni's method"
    """
    if num_tests == 1:
        return f"of one test ({family})"
    tests = f"{num_tests:,} tests ({family})"
    if correction == "none":
        return f"not adjusted for {tests}"
    return f"adjusted for {tests} by {CORRECTION_NAMES.get(correction, correction)}"


@dataclass(frozen=True)
class Pair:
    """`b` against `a`: the difference is the mean of b minus that of a, whichever direction is better.

    `p` is that of the test alone, `p_adjusted` accounts for the whole family. `wins` counts the queries on which b is
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
    p_noninferior: float | None = None
    minimum_detectable: float | None = None
    queries_needed: int | None = None

    def significant(self, alpha: float) -> bool:
        """Whether the adjusted p is at or below alpha; False where it is undefined."""
        return self.p_adjusted <= alpha

    def verdict(self, alpha: float) -> str:
        """Return yes or no for significant, or that there was no test: all queries differ by the same amount."""
        return "not tested" if isnan(self.p_adjusted) else "yes" if self.significant(alpha) else "no"


@dataclass(frozen=True)
class HeldDifference:
    """A difference held against a limit; `worst` is the worse end of its interval."""

    pair: Pair
    limit: float
    worst: float
    lower_is_better: bool

    @property
    def kept(self) -> bool:
        """Whether the limit was kept; False where the interval is undefined."""
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


LETTERED = 20
"""Maximum number of systems whose groups people can read off letters; more have intervals of their ranks."""

SLICE = F("slice", "name", people="sliced", empty="all")
PAIRS = (
    F("measure", "name"),
    SLICE,
    *F("a", "name").also("b"),
    F("num_queries", "count", people=False),
    *F("mean_a", "value", people="unpaired").also("mean_b"),
    F("difference", "difference"),
    F("interval", "difference interval"),
    F("p", "p", last=True, drop=4),
    F("p_adjusted", "p", "adjusted p", last=True),
    F("effect", "effect", people="first", drop=3),
    *F("wins", "count", people="filled", drop=1).also("ties", "losses"),
    *F("gained", "list", people=False, flat=False).also("lost"),
    F("minimum_detectable", "value", "detectable", people="filled", drop=5),
    F("queries_needed", "count", people="filled", nested="planned"),
    F("p_equivalent", "p", "equivalence p", people="filled", nested="equivalence"),
    F("p_noninferior", "p", "non-inferiority p", people="filled", nested="margin"),
    # The family and level are in every row, since a file of pairs may be all that a program gets.
    F("interval_method", "text", people=False, nested=False),
    F("level", "value", people=False, nested=False),
    *F("simultaneous", "flag", people=False, nested=False).also("matches_test"),
    F("correction", "text", people=False, nested=False),
    F("num_tests", "count", people=False, nested=False),
    F("family", "text", people=False, nested=False),
)
VARIANCE = (
    F("measure", "name"),
    SLICE,
    F("f_systems", "statistic", "F systems"),
    F("p_systems", "p", digits=4),
    F("f_queries", "statistic", "F queries"),
    F("p_queries", "p", digits=4),
    F("residual_sd", "value", digits=4),
)
FRIEDMAN = (
    F("measure", "name"),
    SLICE,
    F("chi_squared", "statistic"),
    F("df", "count"),
    F("p", "p", digits=4),
    F("mean_ranks", "statistic"),
)
MEANS = (F("run", "name"), SLICE, F("num_queries", "count", "queries"))


class Comparison(Result):
    """Result of `compare`: pairs with a difference, its interval and p-values, and the settings.

    For systems it is a `SystemComparison`, for classifiers on the same items a `ClassifierComparison`.
    """

    pairs: tuple[Pair, ...] | tuple[ClassifierPair, ...]
    correction: str
    alpha: float
    level: float
    seed: int
    baseline: str | None


def pairs_table(
    fields: Iterable[F],
    comparison: Comparison,
    title: str,
    same: Mapping[str, Any],
    when: Mapping[str, object] | None = None,
) -> Table:
    """Return the table of pairs, significant ones with a star and the others dimmed; `same` holds for every row."""
    significant = [pair.significant(comparison.alpha) for pair in comparison.pairs]
    return table(
        "pairs",
        fields,
        comparison.pairs,
        title=f"{title}; * adjusted p ≤ {comparison.alpha:g}",
        when=when,
        marks={"p_adjusted": ["*" if each else "" for each in significant]},
        same=same,
        dim=[not each for each in significant],
    )


@dataclass(frozen=True, eq=False)
class SystemComparison(Comparison):
    """Comparison of all pairs of systems on the same queries, or of two groups of queries."""

    notes_in_titles: ClassVar[tuple[str, ...]] = ("family",)
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
    """Whether the intervals are simultaneous at their level."""
    matches: bool = False
    """Whether an interval excludes 0 exactly where its pair is significant. If not, intervals are unadjusted."""
    baseline: str | None = None
    equivalence: float | None = None
    margin: float | None = None
    planned_difference: float | None = None
    paired: bool = True
    variance: tuple[Variance, ...] = ()
    friedman: tuple[RankVariance, ...] = ()
    letters: Mapping[tuple[str, str], Mapping[str, str]] = field(default_factory=dict)
    """Letters of each system by (slice, measure): systems that share a letter do not differ significantly."""
    ranks: Mapping[tuple[str, str], Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    """Bootstrap interval of each system's rank by (slice, measure), at level 1 − α; for more systems than letters can
    show."""
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: tuple[str, str, str]) -> Pair:
        """Return one pair: ``comparison["AP", "bm25", "dense"]``."""
        measure, a, b = key
        for pair in self.pairs:
            if (pair.measure, pair.a, pair.b, pair.slice) == (measure, a, b, ""):
                return pair
            if (pair.measure, pair.b, pair.a, pair.slice) == (measure, a, b, ""):
                hint = f"use {(measure, b, a)}; its difference is {a} − {b}"
                raise GermaneError(f"{b} comes before {a} in this comparison", hint=hint)
        there = ", ".join(sorted({f"({p.measure}, {p.a}, {p.b})" for p in self.pairs}))
        raise GermaneError(f"unknown pair {key}", hint=f"choose from {there}")

    def tied_for_best(self, measure: str, label: str = "") -> list[str]:
        """The best system by its mean, and those that are not significantly different from it, the best first.

        `label` names a slice of the queries; all of them have none. Empty where the best was not compared with all
        others, as with a baseline.
        """
        pairs = [pair for pair in self.pairs if (pair.measure, pair.slice) == (measure, label)]
        means = {name: mean for p in pairs for name, mean in ((p.a, p.mean_a), (p.b, p.mean_b))}
        ranked = sorted(means, key=means.__getitem__, reverse=not self.scores.lower_is_better(measure))
        of_best = {pair.a if pair.b == ranked[0] else pair.b: pair for pair in pairs if ranked[0] in (pair.a, pair.b)}
        if len(of_best) < len(means) - 1:
            return []
        return [name for name in ranked if name == ranked[0] or not of_best[name].significant(self.alpha)]

    @property
    def intervals_in_words(self) -> str:
        """Kind and level of the intervals, in words: simultaneous, of a single test, or unadjusted.

        An unadjusted interval may exclude 0 beside a pair that is not significant.
        """
        level = f"{self.level * 100:g}%"
        if self.simultaneous:
            return f"simultaneous {level} {self.interval} interval"
        unadjusted = "" if self.matches and self.num_tests == 1 else ", unadjusted"
        return f"{level} {self.interval} interval{unadjusted}"

    @property
    def rank_intervals_in_words(self) -> str:
        """The intervals of the ranks with their level; each holds for its own system."""
        return f"{(1 - self.alpha) * 100:g}% bootstrap interval of the rank over queries"

    @property
    def family_in_words(self) -> str:
        """Adjustment of p-values and their family, in words."""
        return adjusted_for(self.correction, self.num_tests, self.family)

    @property
    def test_in_words(self) -> str:
        """The test, its sides and its adjustment, in words."""
        name = TEST_NAMES.get(self.test, f"{self.test} test")
        test = f"two-sided {name}" if self.sides == "two" else f"one-sided {name} (b {self.sides})"
        return f"{test}, p {self.family_in_words}"

    @property
    def base(self) -> str:
        """The baseline: the one system that all others are compared with."""
        bases = dict.fromkeys(pair.a for pair in self.pairs)
        if len(bases) > 1:
            problem = f"expected a baseline among {len(self.scores.runs)} systems, found none"
            raise GermaneError(problem, hint="use `baseline=…`")
        return next(iter(bases))

    def hold(self, limits: Mapping[str, float]) -> list[HeldDifference]:
        """Hold the worse end of each difference's interval against a limit for its measure, on all queries.

        ``{"nDCG@10": -0.01}`` requires that b is shown to lose at most 0.01 (non-inferiority). An end of a two-sided
        interval at level L is a one-sided bound at (1 + L) / 2. Where lower is better the upper end counts, and the
        limit is positive.
        """
        base, held = self.base, []
        for pair in self.pairs:
            if pair.measure in limits and not pair.slice:
                lower = self.scores.lower_is_better(pair.measure)
                worst = pair.high if lower else pair.low
                if isnan(worst):
                    problem = f"the difference between {pair.b} and {base} in {pair.measure} has no interval"
                    hint = "use another method, such as `interval='t'`, or a test that has intervals"
                    raise GermaneError(problem, hint=hint)
                held.append(HeldDifference(pair, limits[pair.measure], worst, lower))
        return held

    schema: ClassVar[str] = "compare/1"

    def tables(self) -> Iterator[Table]:
        """Yield the pairs; then the means, the analysis of variance and Friedman's test where they exist."""
        sliced = any(pair.slice for pair in self.pairs)
        declared = {"planned": self.planned_difference, "equivalence": self.equivalence, "margin": self.margin}
        when = {"sliced": sliced, "unpaired": not self.paired}
        when |= {name: value is not None for name, value in declared.items()}
        title = f"Differences b − a, each with a {self.intervals_in_words}; {self.test_in_words}"
        same = {**self.facts(), **self.facts()["interval"], "interval_method": self.interval}
        yield pairs_table(PAIRS, self, title, same, when)
        if self.paired:
            yield self._means(sliced)
        if self.variance:
            yield table("variance", VARIANCE, self.variance, title="Two-way analysis of variance", when=when)
        if self.friedman:
            yield table("friedman", FRIEDMAN, self.friedman, title="Friedman's test and mean ranks", when=when)

    def _means(self, sliced: bool) -> Table:
        """Return the mean of each system; the best first where letters group them."""
        slices = list(dict.fromkeys(pair.slice for pair in self.pairs))
        measures = list(dict.fromkeys(pair.measure for pair in self.pairs))
        rows: list[dict[str, Any]] = []
        for label in slices:
            queries = self.scores.slices[label] if label else None
            means = self.scores.aggregate("mean", queries)
            runs = [run.name for run in self.scores.runs]
            if self.letters:
                sign = 1 if self.scores.lower_is_better(measures[0]) else -1
                runs.sort(key=lambda run: sign * means[run][measures[0]])
            for run in runs:
                count = self.scores.num_queries(run, queries)
                letters = {m: self.letters.get((label, m), {}).get(run, "") for m in measures}
                rows.append({"run": run, "slice": label, "num_queries": count, "means": means[run], "letters": letters})
        title = "Means; systems that share a letter do not differ significantly" if self.letters else "Means"
        labels = table("means", MEANS, rows, title=title, when={"sliced": sliced})
        columns = list(labels.columns)
        for measure in measures:
            values, marks = [row["means"][measure] for row in rows], [row["letters"][measure] for row in rows]
            better = better_of(self.scores, measure)
            columns += columns_of(F(measure, "value", measure), values, better=better, marks=marks)
        return replace(labels, columns=tuple(columns))

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """Yield the means and the other tables; for one pair the largest gains and losses, for many an overview."""
        tables = {table.name: table for table in self.tables()}
        overview = Overview(self)
        if overview.is_needed:
            yield from overview.shown(tables)
            return
        yield from (tables[name] for name in ("means", "pairs", "variance", "friedman") if name in tables)
        if len({(pair.a, pair.b) for pair in self.pairs}) == 1:
            moved = "".join(_movers(pair, digits) for pair in self.pairs if not pair.slice)
            if moved:
                yield moved

    def facts(self) -> dict[str, Any]:
        """Return the settings of the comparison."""
        ends = {"method": self.interval, **attributes(self, "level simultaneous"), "matches_test": self.matches}
        return {
            **attributes(self, "test sides correction family num_tests alpha"),
            "interval": ends,
            **attributes(self, "seed baseline equivalence margin planned_difference"),
        }

    def document(self) -> dict[str, Any]:
        """Return the facts and tables, means and letters by system."""
        found = {**self.facts(), "variance": [], "friedman": []}
        found |= {table.name: table.records() for table in self.tables()}
        if self.paired:
            found["means"] = self.scores.mean()
        found["letters"] = [
            {"slice": label, "measure": measure, "letters": dict(letters)}
            for (label, measure), letters in self.letters.items()
        ]
        if self.ranks:
            found["ranks"] = [
                {"slice": label, "measure": measure, "ranks": {run: list(ends) for run, ends in ranks.items()}}
                for (label, measure), ranks in self.ranks.items()
            ]
        return found

    def __repr__(self) -> str:
        return f"<SystemComparison: {len(self.pairs)} pairs, test {self.test}, correction {self.correction}>"


def _movers(pair: Pair, digits: int) -> str:
    """Return a line with the queries of the largest gains, and one with those of the largest losses."""
    lines = ""
    for kind, queries in (("gains", pair.gained), ("losses", pair.lost)):
        if queries:
            named = ", ".join(f"{query} {change:+.{digits}f}" for query, change in queries)
            lines += f"Largest {kind} in {pair.measure}: {named}\n"
    return lines
