"""Rates at an operating point: the best value of a rate among the thresholds at which other rates meet their limits."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from germane.catalogue import split, written
from germane.errors import MeasureError
from germane.measures.decisions.expressions import Expression
from germane.measures.decisions.measure import CONSTRAINED, DECISION_MEASURES, DecisionMeasure
from germane.measures.decisions.rates import RATES, Rate
from germane.measures.decisions.scores.isotonic import with_origin
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions

STRICT = ("TNR", "FPR", "PPV", "FDR", "predicted")
"""Rates that are best, or meet a limit, at high thresholds: few items are predicted positive."""
LENIENT = ("TPR", "FNR", "NPV", "FOR")
"""Rates that are best, or meet a limit, at low thresholds."""
AT_MOST = ("FPR", "FNR", "FDR", "FOR", "predicted")
"""Rates whose limit is a maximum; that of the others is a minimum."""
LIMITS: Mapping[str, str] = {f"at_{name.lower()}": name for name in (*STRICT, *LENIENT)}
"""The rate of each parameter that sets a limit."""
MOST_DIGITS = 400
"""Maximum length of a typed limit."""
EXACT = 1 << 53
"""Integers below this are exact as floats."""


class Limit(NamedTuple):
    """A limit on a rate: a maximum of an error rate or of the share predicted positive, a minimum of the others."""

    rate: str
    bound: Fraction

    def __str__(self) -> str:
        return f"at_{self.rate.lower()}={_decimal(self.bound)}"

    @property
    def words(self) -> str:
        return f"{self.rate} {'<=' if self.at_most else '>='} {_decimal(self.bound)}"

    @property
    def at_most(self) -> bool:
        return self.rate in AT_MOST

    def met(self, cells: Cells, *, weighted: bool) -> BoolArray:
        """Return at which thresholds the limit is met, without rounding for counts; an undefined rate never meets it.

        >>> cells = Cells(*map(np.asarray, ([1, 1, 2], [0, 1, 1], [1, 1, 0], [10, 9, 9])))
        >>> Limit("FPR", Fraction("0.1")).met(cells, weighted=False).tolist()
        [True, True, True]
        """
        hits, trials = (part(**cells._asdict()) for part in ratio_of(self.rate))
        if weighted:
            limit, slack = float(self.bound), 1e-12 * trials
            return (trials > 0) & (hits <= limit * trials + slack if self.at_most else hits >= limit * trials - slack)
        above, below = self.bound.as_integer_ratio()
        if len(trials) and below * float(trials.max()) >= EXACT:
            hits, trials = (column.astype(np.int64).astype(object) for column in (hits, trials))
        inside = hits * below <= trials * above if self.at_most else hits * below >= trials * above
        found: BoolArray = np.asarray(inside, dtype=np.bool_) & np.asarray(trials > 0, dtype=np.bool_)
        return found


@cache
def ratio_of(rate: str) -> tuple[Expression, Expression]:
    """Return the numerator and the denominator of a rate that is a ratio of counts."""
    ratio = RATES[rate].expression.ratio
    assert ratio is not None
    return ratio


@cache
def parse_rate(text: str) -> Rate:
    """Return the rate of a name; one without a better direction is an error."""
    rate = RATES.parse(text)
    if rate.better == "neither":
        hint = f"use it as the limit: TPR(at_{rate.name.lower()}=0.1)" if rate.name in STRICT else "choose TPR or PPV"
        raise MeasureError(f"{rate} has no better direction, so it has no best value under a limit", hint=hint)
    return rate


@cache
def parse_limits(text: str) -> tuple[Limit, ...]:
    """Return the limits of a text such as ``at_fpr=0.01, at_ppv=50%``, each rate once.

    >>> [each.words for each in parse_limits("at_fpr=1%, at_ppv=0.5")]
    ['FPR <= 0.01', 'PPV >= 0.5']
    """
    found: dict[str, Limit] = {}
    for piece in split(text):
        key, _, value = piece.partition("=")
        entry = RATES.find(key.strip()[len("at_") :])
        if entry is None or (name := f"at_{entry.name.lower()}") not in LIMITS:
            raise MeasureError(f"unknown limit {key.strip()!r}", hint=f"choose from {', '.join(LIMITS)}")
        if entry.name in found:
            raise MeasureError(f"expected {name} once, found it twice", hint="remove one of them")
        found[entry.name] = Limit(entry.name, _share(name, value))
    return tuple(found.values())


def _share(name: str, text: str) -> Fraction:
    match = re.fullmatch(r"([-+]?[\d.]+(?:[eE][-+]?\d{1,2})?)\s*(%?)", text.strip())
    try:
        if match is None:
            raise ValueError
        share = Fraction(match[1][:MOST_DIGITS]) / (100 if match[2] else 1)
    except ValueError:
        raise MeasureError(f"expected a share for {name}, such as 0.01 or 1%, found {text!r}") from None
    if not 0 <= share <= 1:
        raise MeasureError(f"expected a share between 0 and 1 for {name}, found {text.strip()}")
    return share


def _decimal(share: Fraction) -> str:
    nearest = written(float(share))
    if Fraction(nearest) == share:
        return nearest
    with localcontext(prec=2 * MOST_DIGITS):
        return str(Decimal(share.numerator) / Decimal(share.denominator))


def _rate_text(text: str) -> str:
    return str(parse_rate(text))


def _limits_text(text: str) -> str:
    return ", ".join(map(str, parse_limits(text)))


def constrained_rate(
    decisions: Decisions,
    *,
    rate: Annotated[str, _rate_text] = "TPR",
    limits: Annotated[str, _limits_text] = "at_fpr=0.01",
) -> float:
    """Best value of a rate among the thresholds at which other rates meet their limits, such as TPR(at_fpr=0.01).

    Formula:    TPR(at_fpr=x): max of TPR over the thresholds with FPR <= x; a limit is a maximum for FPR, FNR, FDR, FOR
                and predicted, a minimum for TPR, TNR, PPV and NPV
    Reference:  Pepe, The Statistical Evaluation of Medical Tests for Classification and Prediction, Oxford 2003.
    Edge cases: NaN if no threshold meets the limits, or if a class that the rate or a limit needs is missing.
                Predicting nothing positive is one of the thresholds, so TPR(at_fpr=0) may be 0. No interpolation: only
                points of the curve count. Limits are compared with exact fractions of the counts.

    >>> seen = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1])
    >>> constrained_rate(seen, limits="at_fpr=0.1"), constrained_rate(seen, limits="at_fpr=50%")
    (0.5, 1.0)
    """
    chosen, met, cells = parse_rate(rate), *points_within(decisions, parse_limits(limits))
    values = chosen(Cells(*(column[met] for column in cells)))
    values = values[~np.isnan(values)]
    if not len(values):
        return math.nan
    return float(values.min() if chosen.better == "lower" else values.max())


def points_within(decisions: Decisions, limits: tuple[Limit, ...]) -> tuple[BoolArray, Cells]:
    """Return which points of the curve meet all limits, and the cells of all, from predicting nothing positive down."""
    tp, fp = with_origin(decisions)
    cells = Cells(tp, fp, tp[-1] - tp, fp[-1] - fp)
    met = np.ones(len(tp), dtype=np.bool_)
    for limit in limits:
        met &= limit.met(cells, weighted=decisions.weighted)
    return met, cells


def unmet(decisions: Decisions, limits: tuple[Limit, ...]) -> str:
    """Return why no threshold meets the limits; an empty text if one does.

    >>> unmet(Decisions.of([False, True], [0.9, 0.2]), parse_limits("at_ppv=0.8"))
    'no threshold meets PPV >= 0.8; the highest PPV is 0.5'
    """
    if points_within(decisions, limits)[0].any():
        return ""
    for limit in limits:
        met, cells = points_within(decisions, (limit,))
        if not met.any():
            values = RATES[limit.rate](cells)
            if np.isnan(values).all():
                return f"no threshold meets {limit.words}: {limit.rate} is undefined at every threshold"
            most, end = ("lowest", np.nanmin(values)) if limit.at_most else ("highest", np.nanmax(values))
            return f"no threshold meets {limit.words}; the {most} {limit.rate} is {end:.4g}"
    return f"no threshold meets all of {' and '.join(limit.words for limit in limits)}"


def breakdown(decisions: Decisions, rate: str, limits: str) -> tuple[dict[str, FloatArray], str]:
    """Return the columns that show which thresholds meet the limits, and in words which of them is best.

    >>> columns, words = breakdown(Decisions.of([True, False, True], [0.9, 0.8, 0.7]), "TPR", "at_fpr=0")
    >>> columns["met"].tolist(), words
    ([1.0, 0.0, 0.0], 'highest TPR where FPR <= 0, at threshold 0.9')
    """
    chosen, wanted = parse_rate(rate), parse_limits(limits)
    met, cells = points_within(decisions, wanted)
    values = chosen(cells)
    columns = {str(chosen): values[1:], **{each.rate: RATES[each.rate](cells)[1:] for each in wanted}}
    columns["met"] = met[1:].astype(np.float64)
    usable = met & ~np.isnan(values)
    if not usable.any():
        return columns, unmet(decisions, wanted) or f"{chosen} is undefined at every threshold"
    least = chosen.better == "lower"
    best = int(np.argmin(np.where(usable, values, np.inf)) if least else np.argmax(np.where(usable, values, -np.inf)))
    where = (
        f"at threshold {decisions.text(decisions.thresholds[best - 1].item())}"
        if best
        else "with nothing predicted positive"
    )
    words = " and ".join(each.words for each in wanted)
    return columns, f"{'lowest' if least else 'highest'} {chosen} where {words}, {where}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConstrainedRate(DecisionMeasure):
    """The entry of all constrained rates, which is written as the rate with its limits."""

    def __str__(self) -> str:
        rate, _, own = self.settings["rate"].partition("(")
        return f"{rate}({f'{own[:-1]}, ' if own else ''}{self.settings['limits']})"

    __repr__ = __str__

    def written_with(self, keys: Iterable[str]) -> str:
        return str(self)

    @property
    def chosen(self) -> Rate:
        """The rate whose best value is asked for."""
        return parse_rate(self.settings["rate"])

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits on other rates."""
        return parse_limits(self.settings["limits"])

    def make(self, values: Mapping[str, Any]) -> Any:
        found: ConstrainedRate = super().make(values)
        chosen, limits = found.chosen, found.limits
        for side, way in ((STRICT, "high"), (LENIENT, "low")):
            if chosen.name in side and all(limit.rate in side for limit in limits):
                words = " and ".join(limit.words for limit in limits)
                problem = f"{found} has no meaning: {chosen} is best at {way} thresholds, which also meet {words}"
                others = ", ".join(key for key, rate in LIMITS.items() if rate not in side)
                raise MeasureError(problem, hint=f"to trade one rate for another, use {others}")
        return replace(found, bounds=chosen.bounds, better=chosen.better)


DECISION_MEASURES.put(
    ConstrainedRate(
        CONSTRAINED, constrained_rate, of="scores", bounds=(0, 1), names=("constrained rate", "operating point")
    )
)
