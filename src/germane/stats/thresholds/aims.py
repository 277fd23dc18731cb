"""Components of threshold rules: objectives to optimise, targets to meet, and the two kinds of rule."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import Literal

from germane.catalogue import written
from germane.errors import MeasureError
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.rates import Rate
from germane.stats.intervals.proportions import wilson
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells

TargetBy = Literal["value", "lower"]
"""What must meet a target: the rate itself, or the worse limit of its Wilson interval."""


@dataclass(frozen=True)
class Objective:
    """A formula to maximise or minimise."""

    text: str
    words: str
    formula: Expression
    better: Literal["higher", "lower"] = "higher"
    parameters: Mapping[str, float] = field(default_factory=dict)
    rate: Rate | None = None
    """The rate that it computes, if it is a rate."""
    shown: Rate | None = None
    """The rate to report as the value, if the formula itself means nothing to a reader."""
    measure: str = ""
    """The measure of scores that this value estimates; its interval takes account of the choice."""

    def value(self, cells: Cells) -> float:
        """Return the value to report for four cells, rounded once."""
        if self.shown is not None:
            return float(self.shown.exact(cells))
        return float(self.formula.exact(**cells._asdict(), **self.parameters))

    def reported(self, cells: Cells) -> FloatArray:
        """Return the value to report for each entry of the cells."""
        return self(cells) if self.shown is None else self.shown(cells)

    def __call__(self, cells: Cells) -> FloatArray:
        return self.formula(**cells._asdict(), **self.parameters)

    @cached_property
    def _under_root(self) -> tuple[Expression, Expression] | None:
        ratio = self.formula.ratio
        root = re.fullmatch(r"sqrt\((.*)\)", ratio[1].text) if ratio else None
        return (ratio[0], Expression(root[1])) if ratio and root else None

    def exact(self, cells: Cells) -> Fraction | float:
        """Return a value in the same order as the formula, without rounding: a / √b is compared as ±a² / b."""
        values = {**cells._asdict(), **self.parameters}
        if self._under_root is None:
            return self.formula.exact(**values)
        above, below = (part.exact(**values) for part in self._under_root)
        if below == 0:
            return math.nan
        return above * above / below if above > 0 else -above * above / below


def _decimal(limit: Fraction) -> str:
    """Write a limit so that it can be typed again: the shortest decimal of a float if exact, else in full.

    >>> _decimal(Fraction("0.9")), _decimal(Fraction("0.9000001")), _decimal(Fraction("0.30000000000000000001"))
    ('0.9', '0.9000001', '0.30000000000000000001')
    """
    nearest = written(float(limit)) if abs(limit) < HUGE else ""
    if nearest and Fraction(nearest) == limit:
        return nearest
    with localcontext(prec=MOST_DIGITS):
        return str(Decimal(limit.numerator) / Decimal(limit.denominator))


HUGE = Fraction(10**300)
"""A limit above any rate that still fits a float."""
MOST_DIGITS = 2000
"""Maximum number of digits of a typed limit: 400 characters and an exponent of up to three digits."""


@dataclass(frozen=True)
class Target:
    """A rate and the limit that it must meet."""

    chosen: Rate
    sign: Literal[">=", "<=", ">", "<"]
    limit: Fraction

    def __str__(self) -> str:
        return f"{self.chosen} {self.sign} {_decimal(self.limit)}"

    @property
    def at_least(self) -> bool:
        return self.sign[0] == ">"

    def reached(self, value: Fraction | float) -> bool:
        """Return whether a value meets the target, without rounding; NaN never does."""
        if isinstance(value, float) and math.isnan(value):
            return False
        above = value > self.limit if self.at_least else value < self.limit
        return above or (len(self.sign) == 2 and value == self.limit)

    def reached_within(self, values: FloatArray, rounding: float) -> BoolArray:
        """Return whether each value meets the target; values within rounding of the limit count as equal to it."""
        limit = float(self.limit)
        slack = rounding * max(1.0, abs(limit)) * (1 if len(self.sign) == 2 else -1)
        return values >= limit - slack if self.at_least else values <= limit + slack

    def tested(self, cells: Cells, target_by: TargetBy, level: float) -> FloatArray:
        """Return what is compared with the limit: the rate, or the worse limit of its Wilson interval."""
        if target_by == "value":
            return self.chosen(cells)
        ratio = self.chosen.expression.ratio
        if self.chosen.interval != "proportion" or ratio is None:
            problem = f"{self.chosen} is not a proportion, so it has no Wilson interval to test {self}"
            raise MeasureError(problem, hint="use `target_by='value'`, or a target for TPR, TNR, PPV, NPV or ACC")
        hits, trials = (part(**cells._asdict()) for part in ratio)
        low, high = wilson(hits, trials, level)
        return low if self.at_least else high


@dataclass(frozen=True)
class BestRule:
    """A rule for the best threshold among those that meet all targets."""

    objective: Objective
    targets: tuple[Target, ...] = ()

    def __str__(self) -> str:
        return self.objective.text + (f" where {' and '.join(map(str, self.targets))}" if self.targets else "")


@dataclass(frozen=True)
class PairRule:
    """A rule for two thresholds: negative below rule-out, positive at or above rule-in, undecided in between."""

    rule_out: Target
    rule_in: Target

    @property
    def targets(self) -> tuple[Target, ...]:
        return self.rule_out, self.rule_in

    def __str__(self) -> str:
        return f"rule-out {self.rule_out}, rule-in {self.rule_in}"


Rule = BestRule | PairRule
