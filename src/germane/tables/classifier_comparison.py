"""A comparison of classifiers on the same items: for each pair and measure the difference and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

from germane.tables.comparison import adjusted_for
from germane.tables.counted import counted
from germane.tables.display import Displayed
from germane.tables.grid import aligned
from germane.tables.scores import Note


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


@dataclass(frozen=True, eq=False)
class ClassifierComparison(Displayed):
    """All pairs, with what was declared before they were looked at."""

    pairs: tuple[ClassifierPair, ...]
    num_items: int
    correction: str
    alpha: float
    level: float
    seed: int
    baseline: str | None = None
    notes: tuple[Note, ...] = ()

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

    def __str__(self) -> str:
        """The pairs, as a table."""
        rows = [
            [
                p.measure,
                p.a,
                p.b,
                # Adding 0 turns a -0.0000 into 0.0000.
                *(f"{round(x, 4) + 0.0:.4f}" for x in (p.difference, p.low, p.high)),
                *("<0.0001" if x < 0.00005 else f"{x:.4f}" for x in (p.p, p.p_adjusted)),
                p.test,
            ]
            for p in self.pairs
        ]
        header = ["measure", "a", "b", "difference", "low", "high", "p", "p adjusted", "test"]
        return f"{aligned(header, rows)}{self.intervals_in_words}; p {self.family_in_words}"

    def __repr__(self) -> str:
        return f"<ClassifierComparison: {counted(self.num_tests, 'test')} on {counted(self.num_items, 'item')}>"
