"""The registry of measures of agreement between judges: each is one function with one decorator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from germane.docstrings import sections_of, summary_of
from germane.errors import MeasureError, did_you_mean
from germane.measures.agreement_tally import Patterns
from germane.tables.ids import FloatArray
from germane.tables.spelling import known_name

Over = Literal["pairs", "judges"]
NOTHING_SHARED = "no item has the grades of two judges"

AGREEMENT: dict[str, AgreementMeasure] = {}
"""By name; `all_agreement_measures` fills it."""


@dataclass(frozen=True, eq=False)
class AgreementMeasure:
    """One measure: the function, what is declared about it, and what its docstring says.

    Over ``pairs`` it is a function of the table of two judges, and more judges have the mean over their pairs. Over
    ``judges`` it is a function of the `Tally` of all judges together, who need not have graded the same items.
    """

    name: str
    title: str
    function: Callable[..., FloatArray]
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

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return summary_of(self.function)

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """Formula, reference and edge cases, from the docstring."""
        return sections_of(self.function)


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
                value = entry.function(table, patterns.grades, patterns.rel)
                sums += np.stack([np.nan_to_num(value), ~np.isnan(value)])  # noqa: PLW2901 - in place
        tally = patterns.tally(weights)
        return [
            by_pair[entry][0] / by_pair[entry][1] if entry in by_pair else entry.function(tally) for entry in measures
        ]


def agreement_measure(
    name: str, title: str, *, over: Over, undefined: str, weighted: bool = False, beyond_chance: bool = True
) -> Callable[[Callable[..., FloatArray]], Callable[..., FloatArray]]:
    """Register a measure of agreement."""

    def register(function: Callable[..., FloatArray]) -> Callable[..., FloatArray]:
        AGREEMENT[name] = AgreementMeasure(name, title, function, over, undefined, weighted, beyond_chance)
        return function

    return register


def all_agreement_measures() -> list[AgreementMeasure]:
    """Every measure of agreement there is, in the order in which reports print them."""
    import germane.measures.rater_agreement  # noqa: F401 - fills the registry on first use

    return list(AGREEMENT.values())


def agreement_measure_of(name: str) -> AgreementMeasure:
    """The measure behind a name.

    >>> agreement_measure_of("AC1").summary
    "Gwet's AC1: chance agreement is small where one grade prevails."
    """
    all_agreement_measures()
    known = known_name(name, AGREEMENT)
    if known is None:
        raise MeasureError(
            f"no measure of agreement is called {name!r}{did_you_mean(name, AGREEMENT)}",
            hint=f"there are: {', '.join(AGREEMENT)}",
        )
    return AGREEMENT[known]
