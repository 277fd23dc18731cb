"""The catalogue of measures of agreement between judges: each is one function with one decorator."""

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
NOTHING_SHARED = "no item has the grades of two judges"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementMeasure(Entry):
    """One measure of agreement.

    Over ``pairs`` it is a function of the table of two judges, and more judges have the mean over their pairs. Over
    ``judges`` it is a function of the `Tally` of all judges together, who need not have graded the same items.
    """

    error: ClassVar[type[GermaneError]] = MeasureError
    title: str
    over: Over
    undefined: str
    """Why it has no value, where items are shared."""
    weighted: bool = False
    """Whether grades that are further apart disagree more: with two grades it says nothing new."""
    beyond_chance: bool = True
    """Whether agreement by chance is taken out: of a few items such a value is no estimate of anything."""

    def __call__(self, ratings: Any, *, grades: Sequence[float] | None = None, rel: float = 1) -> float:
        """The agreement in a table of items × judges, with NaN for grades not given; NaN where it is undefined.

        `grades` is the scale, by default what was given; `rel` the least grade that counts as relevant.
        """
        return float(self.of(Patterns(ratings, grades=grades, rel=rel)))

    def of(self, patterns: Patterns, weights: FloatArray | None = None) -> FloatArray:
        """The agreement in what was counted; with a weight for each pattern in each resample, one for each resample."""
        return values_of([self], patterns, weights)[0]

    def reason(self, patterns: Patterns) -> str | None:
        """Why the value is NaN, or None where there is one."""
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
    """The values of several measures, for which everything is counted once."""
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
"""Every measure of agreement there is, in the order in which reports print them."""
