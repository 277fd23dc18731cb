"""Result of comparing classifiers on the same items: for each pair and measure the difference, its interval and p."""

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
    """`b` against `a`: the difference is b − a, whichever direction is better.

    `test` names the test behind p, `interval` the method of the interval; `p_adjusted` accounts for the whole family.
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
        """Whether the adjusted p is at or below alpha; False where it is undefined."""
        return self.p_adjusted <= alpha


PAIRS = (
    F("measure", "name"),
    *F("a", "name").also("b"),
    *F("value_a", "value", drop=1).also("value_b"),
    *F("difference", "difference").also("low", "high"),
    F("test", "text", drop=2),
    F("p", "p", drop=3),
    F("p_adjusted", "p", "adjusted p"),
    F("interval", "text", people=False),
    F("remark", "text", people="filled", nested="present", drop=4),
    # The family is in every row, since a file of pairs may be all that a program gets.
    F("level", "value", people=False, nested=False),
    F("correction", "text", people=False, nested=False),
    F("num_tests", "count", people=False, nested=False),
    F("family", "text", people=False, nested=False),
)


@dataclass(frozen=True, eq=False)
class ClassifierComparison(Comparison):
    """Comparison of all pairs of classifiers, or of other predictions, on the same items."""

    pairs: tuple[ClassifierPair, ...]
    num_items: int
    correction: str
    alpha: float
    level: float
    seed: int
    baseline: str | None = None
    notes: tuple[Note, ...] = ()
    what: str = "classifiers"
    """What is compared, such as classifiers, predictions or density estimates."""
    schema: ClassVar[str] = "compare-classifiers/1"

    @property
    def num_tests(self) -> int:
        """Number of tests in the family."""
        return len(self.pairs)

    @property
    def family(self) -> str:
        """The tests that the p-values are adjusted for: pairs of classifiers times measures."""
        pairs = counted(len({(pair.a, pair.b) for pair in self.pairs}), "pair")
        which = f"of {self.what}" if self.baseline is None else f"with {self.baseline}"
        return f"{pairs} {which} × {counted(len({pair.measure for pair in self.pairs}), 'measure')}"

    @property
    def family_in_words(self) -> str:
        """Adjustment of p-values and their family, in words."""
        return adjusted_for(self.correction, self.num_tests, self.family)

    @property
    def intervals_in_words(self) -> str:
        """Level of the intervals, in words. They do not match the tests, so they do not decide significance."""
        return f"{self.level * 100:g}% intervals, unadjusted"

    def tables(self, **_: object) -> Iterator[Table]:
        """Yield one row per pair and measure."""
        title = f"Differences b − a on the same {self.num_items:,} items, with {self.intervals_in_words}"
        yield pairs_table(PAIRS, self, f"{title}; p {self.family_in_words}", self.facts())

    def facts(self) -> dict[str, Any]:
        """Return the settings of the comparison."""
        return {
            **attributes(self, "num_items correction family num_tests alpha level"),
            "simultaneous": False,
            "matches_test": False,
            **attributes(self, "seed baseline"),
        }

    def __repr__(self) -> str:
        return f"<ClassifierComparison: {counted(self.num_tests, 'test')} on {counted(self.num_items, 'item')}>"
