"""A comparison: for each pair of systems and each measure the difference, how sure it is, and how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from germane.errors import GermaneError
from germane.tables.grid import aligned
from germane.tables.scores import Note, Scores


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
class Comparison:
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
        return aligned(header, rows)

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.pairs)} pairs, test {self.test}, correction {self.correction}>"
