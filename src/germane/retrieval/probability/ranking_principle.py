"""The Probability Ranking Principle: rank by P(R|d), and return the documents that are worth their expected cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from germane.arguments import checked, checked_fields
from germane.errors import GermaneError
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.columns.one_column import number_column
from germane.tables.results.columns import F, table


@checked_fields
@dataclass(frozen=True)
class Costs:
    """Costs of returning a document and of missing a relevant one. A gain is a negative cost.

    Formula:    returning d costs C·p + C′·(1-p), omitting it costs missed·p, with p = P(R|d); return d if returning
                costs less, that is if p > C′ / (C′ - C + missed)
    Reference:  Robertson, "The probability ranking principle in IR", J. Doc. 33 (1977), 294-304.
    Edge cases: At equal cost the document is not returned. A threshold below 0 returns all documents, one of 1 or more
                none. C must be less than C′ + missed; otherwise less probable documents would have to come first.

    >>> Costs(relevant=-3, non_relevant=1).threshold    # a relevant document gains 3, a non-relevant one costs 1
    0.25
    >>> BAYES.threshold    # each error costs 1: return what is probably relevant
    0.5
    """

    relevant: float
    """C: cost of returning a relevant document."""
    non_relevant: float
    """C′: cost of returning a non-relevant document."""
    missed: float = 0.0
    """Cost of not returning a relevant document; not returning a non-relevant one costs nothing."""

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, (self.relevant, self.non_relevant, self.missed))):
            raise GermaneError(f"expected finite costs, found {self}")
        if self.relevant >= self.non_relevant + self.missed:
            raise GermaneError(
                f"expected C (relevant) below C′ + missed, found {self.relevant:g} and "
                f"{self.non_relevant:g} + {self.missed:g}",
                hint="a relevant document must cost less than a non-relevant one; write a gain as a negative cost",
            )

    @property
    def threshold(self) -> float:
        """The probability above which a document is worth returning."""
        return self.non_relevant / (self.non_relevant - self.relevant + self.missed)

    def of_returning(self, p: FloatArray) -> FloatArray:
        """Return the expected cost of returning each document, given its probability."""
        return self.relevant * p + self.non_relevant * (1 - p)

    def of_leaving(self, p: FloatArray) -> FloatArray:
        """Return the expected cost of omitting each document, given its probability."""
        return self.missed * p


RANKS = (
    F("rank", "count"),
    F("probability", "value", "P(R|d)"),
    F("cost_of_returning", "value"),
    F("cost_of_leaving", "value"),
    F("cost_so_far", "value"),
    F("returned", "flag"),
)
BAYES = Costs(relevant=0, non_relevant=1, missed=1)
"""Bayes' decision rule: every error costs 1, so the expected cost is the expected number of errors."""


@dataclass(frozen=True, eq=False)
class Decision:
    """A ranking by probability, and its cutoff. Columns are by rank; `order` has each document's original index.

    `cost_so_far` is the expected cost of cutting after this rank: of all documents returned and all omitted.
    """

    costs: Costs
    order: IntArray
    probability: FloatArray
    cost_of_returning: FloatArray
    cost_of_leaving: FloatArray
    cost_of_nothing: float
    num_returned: int

    @property
    def cost_so_far(self) -> FloatArray:
        return self.cost_of_nothing + np.cumsum(self.cost_of_returning - self.cost_of_leaving)

    @property
    def expected_cost(self) -> float:
        """The expected cost of the decision; no other choice of documents has a lower one."""
        return float(self.cost_so_far[self.num_returned - 1]) if self.num_returned else self.cost_of_nothing

    def __str__(self) -> str:
        """Return a table with a row for each rank."""
        columns = (self.probability, self.cost_of_returning, self.cost_of_leaving, self.cost_so_far)
        names = [each.key for each in RANKS]
        rows = [
            dict(zip(names, (rank, *values, rank <= self.num_returned), strict=True))
            for rank, values in enumerate(zip(*columns, strict=True), start=1)
        ]
        return str(table("ranks", RANKS, rows))


@checked
def decide(probabilities: npt.ArrayLike, costs: Costs = BAYES) -> Decision:
    """Rank documents by P(R|d), ties in their original order, and decide how many to return.

    >>> print(decide([0.3, 0.9, 0.1], Costs(relevant=-3, non_relevant=1)), end="")
    rank  P(R|d)  cost of returning  cost of leaving  cost so far  returned
       1  0.9000            -2.6000           0.0000      -2.6000  yes
       2  0.3000            -0.2000           0.0000      -2.8000  yes
       3  0.1000             0.6000           0.0000      -2.2000  no
    """
    given = number_column(probabilities, "probability", "probabilities")
    if not ((given >= 0) & (given <= 1)).all():
        bad = given[~((given >= 0) & (given <= 1))][0]
        raise GermaneError(f"expected probabilities between 0 and 1, found {bad:g}")
    order = np.argsort(-given, kind="stable")
    p = given[order]
    returning, leaving = costs.of_returning(p), costs.of_leaving(p)
    num_returned = int((p > costs.threshold).sum())
    return Decision(costs, order, p, returning, leaving, float(leaving.sum()), num_returned)
