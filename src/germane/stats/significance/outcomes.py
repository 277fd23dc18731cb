"""What a test says of each column, and from which tail it reads it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from germane.catalogue import Entry
from germane.errors import GermaneError, did_you_mean
from germane.stats.intervals.resampling import require_draws
from germane.tables.columns.ids import BoolArray, FloatArray

Sides = Literal["two", "greater", "less"]
"""What is tested against "no difference": any difference, one above 0, or one below 0."""

Statistics = tuple[FloatArray, FloatArray]
"""The statistic and the p-value of each column."""

NO_DIFFERENCE = "no query differs"

SAME = 1e-9
"""A resampled statistic this close to the observed one, relatively, equals it: the same sum in another order."""


@dataclass(frozen=True, eq=False)
class TestResult:
    """The statistic and the p-value of each column; NaN where there is none, and then a remark says why."""

    __test__: ClassVar[bool] = False  # pytest takes a class of this name for tests of its own

    statistic: FloatArray
    p: FloatArray
    remarks: tuple[str, ...]
    """What a reader must know of each column; mostly nothing."""


@dataclass(frozen=True)
class PairedDifference:
    """`b` against `a` on the same items: the difference is b less a, so what is better is as the measure says.

    `test` names what gave the p-value, `interval` what gave the two ends; NaN where there is none, and then the remark
    says why.
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
    """A test of two systems, with the caution that it `owes` and whether it `needs_spread` to have an answer."""

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
        """The result for all columns: p = 1 where there is no difference at all, NaN where the test is undefined.

        `compute` gives statistic and p of the other columns, and is told which they are.
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
    """Refuse what is not a side."""
    known = get_args(Sides)
    if sides not in known:
        raise GermaneError(f"sides is {sides!r}{did_you_mean(sides, known)}", hint=f"it is one of: {', '.join(known)}")


def p_of_t(t: FloatArray, df: FloatArray | int, sides: Sides) -> FloatArray:
    """The p-value of Student's t, precise in the tails."""
    from scipy.special import stdtr

    if sides == "two":
        return np.asarray(2 * stdtr(df, -np.abs(t)))
    return np.asarray(stdtr(df, -t if sides == "greater" else t))


def reaches(resampled: FloatArray, observed: FloatArray, error: FloatArray, sides: Sides) -> BoolArray:
    """Which resampled statistics (columns × resamples) are at least as extreme as the observed one of their column.

    `error` is the rounding that either of them may carry; it matters where the observed one is about 0.
    """
    if sides == "two":
        resampled, observed = np.abs(resampled), np.abs(observed)
    elif sides == "less":
        resampled, observed = -resampled, -observed
    least = observed - SAME * np.abs(observed) - error
    return resampled >= least[:, None]


def p_of_draws(extreme: FloatArray, draws: int) -> FloatArray:
    """The share of random draws at least as extreme, the data themselves counted as one: (b + 1)/(B + 1), never 0."""
    return (extreme + 1) / (draws + 1)
