"""The catalogue of inter-assessor agreement measures: each is one decorated function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from germane.catalogue import Catalogue, Entry
from germane.errors import GermaneError, MeasureError
from germane.measures.agreement.tally import Patterns
from germane.tables.columns.ids import FloatArray

Over = Literal["pairs", "judges"]
NOTHING_SHARED = "no item was graded by two assessors"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementMeasure(Entry):
    """A measure of inter-assessor agreement.

    Over ``pairs`` it is a function of the table of two assessors, averaged over all pairs if there are more. Over
    ``judges`` it is a function of the `Tally` of all assessors together, who need not have graded the same items.
    """

    error: ClassVar[type[GermaneError]] = MeasureError
    title: str
    over: Over
    undefined: str
    """Why the value is undefined even though some items were graded by several assessors."""
    weighted: bool = False
    """Whether disagreements are weighted by distance; with only two grades this makes no difference."""
    beyond_chance: bool = True
    """Whether the measure is chance-corrected; with few items such a value is too noisy to report."""

    def __call__(self, ratings: Any, *, grades: Sequence[float] | None = None, rel: float = 1) -> float:
        """Return the agreement in a table of items × assessors, where NaN is a missing grade; NaN if undefined.

        `grades` is the scale (default: the grades present); `rel` is the minimum grade that counts as relevant.
        """
        return float(self.of(Patterns(ratings, grades=grades, rel=rel)))

    def of(self, patterns: Patterns, weights: FloatArray | None = None) -> FloatArray:
        """Return the agreement in these patterns, or one value per resample if `weights` has a row for each."""
        return values_of([self], patterns, weights)[0]

    def reason(self, patterns: Patterns) -> str | None:
        """Return why the value is undefined, or None if it is defined."""
        if not np.isnan(self.of(patterns)):
            return None
        shared = (patterns.codes >= 0).sum(axis=1) > 1
        return self.undefined if shared.any() else NOTHING_SHARED

    @property
    def declared(self) -> Mapping[str, str]:
        judges = "one pair, or the mean over pairs" if self.over == "pairs" else "all together"
        return {"In tables": self.title, "Assessors": judges}


def values_of(
    measures: Sequence[AgreementMeasure], patterns: Patterns, weights: FloatArray | None = None
) -> list[FloatArray]:
    """Return the values of several measures, sharing the counts between them."""
    weights = patterns.weights if weights is None else weights
    shape = weights.shape[:-1]
    if not len(patterns.grades):
        return [np.full(shape, np.nan) for _ in measures]
    with np.errstate(divide="ignore", invalid="ignore"):
        by_pair = {entry: np.zeros((2, *shape)) for entry in measures if entry.over == "pairs"}
        for table in patterns.tables(weights) if by_pair else ():
            for entry, sums in by_pair.items():
                value = entry.target(table, patterns.grades, patterns.rel)
                sums += np.stack([np.nan_to_num(value), ~np.isnan(value)])  # noqa: PLW2901 - in place
        tally = patterns.tally(weights)
        return [np.divide(*by_pair[entry]) if entry in by_pair else entry.target(tally) for entry in measures]


AGREEMENT = Catalogue(
    "measure of agreement", AgreementMeasure, AgreementMeasure, ["germane.measures.agreement.raters"], example="kappa"
)
"""Every agreement measure, in the order in which reports print them."""
