"""A comparison: for each pair of systems and each measure the difference, how sure it is, and how large."""

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
    p_noninferior: float | None = None
    minimum_detectable: float | None = None
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
    F("p_adjusted", "p", last=True),
    F("effect", "effect", people="first", drop=3),
    *F("wins", "count", people="filled", drop=1).also("ties", "losses"),
    *F("gained", "list", people=False, flat=False).also("lost"),
    F("minimum_detectable", "value", "detectable", people="filled", drop=5),
    F("queries_needed", "count", people="filled", nested="planned"),
    F("p_equivalent", "p", people="filled", nested="equivalence"),
    F("p_noninferior", "p", people="filled", nested="margin"),
    # What p and the interval hold for stands in every row: a file of pairs may be all that a program gets.
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
    """What `compare` returns: pairs with a difference, its interval and p-values, and what was declared before.

    Of systems it is a `SystemComparison`, of classifiers on the same items a `ClassifierComparison`.
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
    """The pairs, significant ones with a star and the others dimmed; `same` are facts that stand in every row."""
    significant = [pair.significant(comparison.alpha) for pair in comparison.pairs]
    return table(
        "pairs",
        fields,
        comparison.pairs,
        title=f"{title}; * significant at {comparison.alpha:g}",
        when=when,
        marks={"p_adjusted": ["*" if each else "" for each in significant]},
        same=same,
        dim=[not each for each in significant],
    )


@dataclass(frozen=True, eq=False)
class SystemComparison(Comparison):
    """All pairs of systems on the same queries, or of two groups of queries."""

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
    planned_difference: float | None = None
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
                hint = f"ask for {(measure, b, a)}; its difference is {a} less {b}"
                raise GermaneError(f"{b} comes before {a} here", hint=hint)
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
    def test_in_words(self) -> str:
        """The test, its sides, what adjusts it and for which family."""
        sides = {"two": "two-sided", "greater": "one-sided, b greater", "less": "one-sided, b less"}[self.sides]
        return f"{self.test} test, {sides}, p {self.family_in_words}"

    @property
    def base(self) -> str:
        """The one system that all others are compared with."""
        bases = dict.fromkeys(pair.a for pair in self.pairs)
        if len(bases) > 1:
            problem = f"which of {len(self.scores.runs)} systems are the others held against?"
            raise GermaneError(problem, hint="name it: `baseline=…`")
        return next(iter(bases))

    def hold(self, limits: Mapping[str, float]) -> list[HeldDifference]:
        """Hold the worse end of each difference's interval against a limit for its measure, on all queries.

        ``{"nDCG@10": -0.01}`` asks that b be shown to lose at most .01: that it is not inferior by more than that. An
        end of a two-sided interval at level L is a one-sided bound at (1 + L) / 2. Where less is better the upper end
        counts, and the limit is positive.
        """
        base, held = self.base, []
        for pair in self.pairs:
            if pair.measure in limits and not pair.slice:
                lower = self.scores.lower_is_better(pair.measure)
                worst = pair.high if lower else pair.low
                if isnan(worst):
                    problem = f"the difference of {pair.b} and {base} in {pair.measure} has no interval"
                    hint = "choose another method, such as `interval='t'`, or a test that has intervals"
                    raise GermaneError(problem, hint=hint)
                held.append(HeldDifference(pair, limits[pair.measure], worst, lower))
        return held

    schema: ClassVar[str] = "compare/1"

    def tables(self) -> Iterator[Table]:
        """The pairs; the means of the systems, the analysis of variance and Friedman's test where there are any."""
        sliced = any(pair.slice for pair in self.pairs)
        declared = {"planned": self.planned_difference, "equivalence": self.equivalence, "margin": self.margin}
        when = {"sliced": sliced, "unpaired": not self.paired}
        when |= {name: value is not None for name, value in declared.items()}
        title = f"Differences b - a, with {self.intervals_in_words}; {self.test_in_words}"
        same = {**self.facts(), **self.facts()["interval"], "interval_method": self.interval}
        yield pairs_table(PAIRS, self, title, same, when)
        if self.paired:
            yield self._means(sliced)
        if self.variance:
            yield table("variance", VARIANCE, self.variance, title="Two-way analysis of variance", when=when)
        if self.friedman:
            yield table("friedman", FRIEDMAN, self.friedman, title="Friedman's test and mean ranks", when=when)

    def _means(self, sliced: bool) -> Table:
        """The mean of each system; the best first where letters group them."""
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
        title = "Means; systems that share a letter cannot be told apart" if self.letters else "Means"
        labels = table("means", MEANS, rows, title=title, when={"sliced": sliced})
        columns = list(labels.columns)
        for measure in measures:
            values, marks = [row["means"][measure] for row in rows], [row["letters"][measure] for row in rows]
            better = better_of(self.scores, measure)
            columns += columns_of(F(measure, "value", measure), values, better=better, marks=marks)
        return replace(labels, columns=tuple(columns))

    def shown(self, *, digits: int = 4) -> Iterator[Table | str]:
        """The means first; last, of a single pair, the queries that moved most. Of many systems, what matters."""
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
        """What was declared before the pairs were looked at."""
        ends = {"method": self.interval, **attributes(self, "level simultaneous"), "matches_test": self.matches}
        return {
            **attributes(self, "test sides correction family num_tests alpha"),
            "interval": ends,
            **attributes(self, "seed baseline equivalence margin planned_difference"),
        }

    def document(self) -> dict[str, Any]:
        """Means and letters by system."""
        found = {**self.facts(), "variance": [], "friedman": []}
        found |= {table.name: table.records() for table in self.tables()}
        if self.paired:
            found["means"] = self.scores.mean()
        found["letters"] = [
            {"slice": label, "measure": measure, "letters": dict(letters)}
            for (label, measure), letters in self.letters.items()
        ]
        return found

    def __repr__(self) -> str:
        return f"<SystemComparison: {len(self.pairs)} pairs, test {self.test}, correction {self.correction}>"


def _movers(pair: Pair, digits: int) -> str:
    """A line each for the queries that gained and lost most."""
    lines = ""
    for verb, queries in (("gained", pair.gained), ("lost", pair.lost)):
        if queries:
            named = ", ".join(f"{query} {change:+.{digits}f}" for query, change in queries)
            lines += f"{pair.measure}: {verb} most: {named}\n"
    return lines
