"""Each class against the others by its own column of probabilities: one sort per column serves all measures of ranks.

A column gives the decisions of its class against the rest, and the pairs won against each other class, from which
one-versus-one areas (Hand & Till) follow without another sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.threads import map_in_threads, num_threads
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class RankedColumn:
    """Items ordered by the probability of class `at`, highest first.

    `codes` are the true classes in this order, `weights` their weights (None: each counts once), `ends` the last item
    of each distinct probability (None: all are distinct).
    """

    at: int
    order: IntArray
    codes: IntArray
    weights: Counts | None
    ends: IntArray | None
    decisions: Decisions

    @classmethod
    def of(cls, table: ProbabilityTable, at: int) -> RankedColumn:
        """Sort the column of one class."""
        column = table.columns[at]
        order = np.argsort(column)[::-1]
        ordered, codes = column[order], table.codes[order]
        new = ordered[1:] != ordered[:-1]
        ends = None if new.all() else np.append(np.flatnonzero(new), len(new))
        weights = None if table.weights is None else table.counts[order]
        own = codes == at
        if weights is None:
            above = np.cumsum(own)
            rest = np.arange(1, len(own) + 1) - above
        else:
            above, rest = np.cumsum(own * weights), np.cumsum(~own * weights)
        if ends is not None:
            ordered, above, rest = ordered[ends], above[ends], rest[ends]
        weighted = weights is not None and weights.dtype.kind == "f"
        return cls(at, order, codes, weights, ends, Decisions(ordered, above, rest, len(own), weighted))

    @cached_property
    def group(self) -> IntArray:
        """Index of each item's probability among the distinct ones."""
        if self.ends is None:
            return np.arange(len(self.order))
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=-1))

    @cached_property
    def own(self) -> Any:
        """Whether each item belongs to the class."""
        return self.codes == self.at

    @cached_property
    def twice_above(self) -> Counts:
        """Twice the weight of items of the class above each item; equal probabilities count once."""
        found = self.decisions.true_positives
        twice = found + np.concatenate((found[:1] * 0, found[:-1]))
        of_items: Counts = twice if self.ends is None else twice[self.group]
        return of_items

    def wins(self, num_classes: int) -> FloatArray:
        """Return the pairs won against each other class: items of the class above theirs, equal ones half."""
        twice = self.twice_above if self.weights is None else self.twice_above * self.weights
        found: FloatArray = np.bincount(self.codes, weights=twice, minlength=num_classes) / 2
        found[self.at] = 0.0
        return found


def over_columns(table: ProbabilityTable, function: Callable[[RankedColumn], Found]) -> list[Found]:
    """Return the value of a function for each column; each thread sorts its own."""
    spans = _spans(table)
    by_span = map_in_threads(lambda span: [function(RankedColumn.of(table, at)) for at in span], spans)
    return [by_span[at % len(spans)][at // len(spans)] for at in range(table.num_classes)]


def over_some(table: ProbabilityTable, function: Callable[[Sequence[int]], Any]) -> Any:
    """Return the sum of what a function returns for the columns of each thread."""
    return sum(map_in_threads(function, _spans(table)))


def _spans(table: ProbabilityTable) -> list[range]:
    """Return the columns of each thread."""
    threads = min(num_threads(), table.num_classes)
    _ = table.columns  # computed once, before the threads read it
    return [range(table.num_classes)[start::threads] for start in range(threads)]
