"""A comparison of classifiers on the same items: for each pair and measure the difference and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from germane.tables.notes.counts import counted
from germane.tables.notes.note import Note
from germane.tables.results.columns import F, Table
from germane.tables.results.comparison import Comparison, adjusted_for, pairs_table
from germane.tables.results.result import attributes


@dataclass(frozen=True)
class ClassifierPair:
    """`b` against `a`: the difference is b less a, so what is better is as the measure says.

    `test` names what gave p, `interval` what gave the ends; `p_adjusted` takes the whole family into account.
    """

    measure: str
    a: str
    b: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    test: str
    interval: str
    remark: str = ""

    def significant(self, alpha: float) -> bool:
        """Whether the adjusted p is at or below alpha; an undefined one is not."""
        return self.p_adjusted <= alpha


PAIRS = (
    F("measure", "name"),
    *F("a", "name").also("b"),
    *F("value_a", "value", drop=1).also("value_b"),
    *F("difference", "difference").also("low", "high"),
    F("test", "text", drop=2),
    F("p", "p", drop=3),
    F("p_adjusted", "p"),
    F("interval", "text", people=False),
    F("remark", "text", people="filled", nested="present", drop=4),
    # What p holds for stands in every row: a file of pairs may be all that a program gets.
    F("level", "value", people=False, nested=False),
    F("correction", "text", people=False, nested=False),
    F("num_tests", "count", people=False, nested=False),
    F("family", "text", people=False, nested=False),
)


@dataclass(frozen=True, eq=False)
class ClassifierComparison(Comparison):
    """All pairs of classifiers on the same items."""

    pairs: tuple[ClassifierPair, ...]
    num_items: int
    correction: str
    alpha: float
    level: float
    seed: int
    baseline: str | None = None
    notes: tuple[Note, ...] = ()
    schema: ClassVar[str] = "compare-classifiers/1"

    @property
    def num_tests(self) -> int:
        """How many tests the family has."""
        return len(self.pairs)

    @property
    def family(self) -> str:
        """The tests that the p-values are adjusted for: pairs of classifiers times measures."""
        pairs = counted(len({(pair.a, pair.b) for pair in self.pairs}), "pair")
        baseline = "" if self.baseline is None else f" (all with {self.baseline})"
        return f"{pairs} of classifiers{baseline} × {counted(len({pair.measure for pair in self.pairs}), 'measure')}"

    @property
    def family_in_words(self) -> str:
        """What the adjusted p-values are adjusted for, and how."""
        return adjusted_for(self.correction, self.num_tests, self.family)

    @property
    def intervals_in_words(self) -> str:
        """The intervals with their level. They are not the inverse of the tests, so they decide nothing."""
        return f"{self.level * 100:g}% intervals, unadjusted"

    def tables(self, **_: object) -> Iterator[Table]:
        """One row a pair and measure."""
        title = f"Differences b - a on the same {self.num_items:,} items, with {self.intervals_in_words}"
        yield pairs_table(PAIRS, self, f"{title}; p {self.family_in_words}", self.facts())

    def facts(self) -> dict[str, Any]:
        """What was declared before the pairs were looked at."""
        return {
            **attributes(self, "num_items correction family num_tests alpha level"),
            "simultaneous": False,
            "matches_test": False,
            **attributes(self, "seed baseline"),
        }

    def __repr__(self) -> str:
        return f"<ClassifierComparison: {counted(self.num_tests, 'test')} on {counted(self.num_items, 'item')}>"
