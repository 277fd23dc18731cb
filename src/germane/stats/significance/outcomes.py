"""Results of tests, and p-values by alternative hypothesis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from germane.catalogue import Entry
from germane.errors import unknown
from germane.stats.intervals.resampling import require_draws
from germane.tables.columns.ids import BoolArray, FloatArray

Sides = Literal["two", "greater", "less"]
"""The alternative hypothesis: any difference, a difference above 0, or one below 0."""

Statistics = tuple[FloatArray, FloatArray]
"""The statistic and the p-value of each column."""

NO_DIFFERENCE = "no query differs"

SAME = 1e-9
"""A resampled statistic within this relative distance of the observed one equals it: the same sum in another order."""


@dataclass(frozen=True, eq=False)
class TestResult:
    """The statistic and the p-value of each column; NaN if undefined, and then a remark says why."""

    __test__: ClassVar[bool] = False  # pytest would collect a class with this name

    statistic: FloatArray
    p: FloatArray
    remarks: tuple[str, ...]
    """A remark on each column; mostly empty."""


@dataclass(frozen=True)
class PairedDifference:
    """The difference b − a of two systems on the same items; the measure defines which direction is better.

    `test` is the test of the p-value, `interval` the method of the two limits; NaN if there is none, and then the
    remark says why.
    """

    difference: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    statistic: float = math.nan
    test: str = "none"
    interval: str = "none"
    remark: str = ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemTest(Entry):
    """A test of two systems, with the caution that it `owes`, and whether it `needs_spread` to be defined."""

    owes: str = ""
    needs_spread: bool = False

    @property
    def declared(self) -> Mapping[str, str]:
        return {"Caution": self.owes}

    def result(
        self,
        sides: Sides,
        resamples: int,
        none: BoolArray,
        stuck: BoolArray,
        why: str,
        compute: Callable[[BoolArray], Statistics],
        shape: tuple[int, ...],
    ) -> TestResult:
        """Return the result for all columns: p = 1 if nothing differs, NaN if the test is undefined.

        `compute` returns statistic and p of the other columns, given which they are.
        """
        require_sides(sides)
        require_draws(resamples)
        undefined = stuck & self.needs_spread
        statistic, p = np.where(none, 0.0, np.nan), np.where(none, 1.0, np.nan)
        tested: BoolArray = ~(none | undefined)
        if tested.any():
            statistic[tested], p[tested] = compute(tested)
        remarks = tuple(np.select([none, undefined], [NO_DIFFERENCE, why], "").tolist())
        return TestResult(statistic.reshape(shape), p.reshape(shape), remarks)


def require_sides(sides: str) -> None:
    """Raise an error if this is not a known alternative."""
    known = get_args(Sides)
    if sides not in known:
        raise unknown("value of sides", sides, known)


def p_of_t(t: FloatArray, df: FloatArray | int, sides: Sides) -> FloatArray:
    """Return the p-value of Student's t, precise in the tails."""
    from scipy.special import stdtr

    if sides == "two":
        return np.asarray(2 * stdtr(df, -np.abs(t)))
    return np.asarray(stdtr(df, -t if sides == "greater" else t))


def reaches(resampled: FloatArray, observed: FloatArray, error: FloatArray, sides: Sides) -> BoolArray:
    """Return which resampled statistics (columns × resamples) are at least as extreme as the observed one.

    `error` is the rounding error of either; it matters if the observed one is about 0.
    """
    if sides == "two":
        resampled, observed = np.abs(resampled), np.abs(observed)
    elif sides == "less":
        resampled, observed = -resampled, -observed
    least = observed - SAME * np.abs(observed) - error
    return resampled >= least[:, None]


def p_of_draws(extreme: FloatArray, draws: int) -> FloatArray:
    """Return the p-value of a randomisation test: (b + 1)/(B + 1), counting the data as one draw, so never 0."""
    return (extreme + 1) / (draws + 1)
