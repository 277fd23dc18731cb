"""How good claimed probabilities are: log-loss and Brier score, for yes-or-no questions and for K classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions

SUM_TOLERANCE = 1e-6
"""How far the K probabilities of a row may add up beside 1, for each of the K."""


@dataclass(frozen=True, eq=False)
class ProbabilityTable:
    """Claimed probabilities, one row per item and one column per class, and the column that came true."""

    probabilities: FloatArray
    codes: IntArray
    weights: FloatArray | None = None

    @classmethod
    def of(
        cls, probabilities: npt.ArrayLike, codes: npt.ArrayLike, weight: npt.ArrayLike | None = None
    ) -> ProbabilityTable:
        """Check the table: probabilities within [0, 1], rows that add up to 1 (within 10⁻⁶ for each class).

        >>> ProbabilityTable.of([[0.2, 0.8], [0.5, 0.6]], [1, 0])
        Traceback (most recent call last):
        germane.errors.MeasureError: the probabilities of row 2 add up to 1.1, not to 1
        Hint: divide each row by its sum, if that is what is meant
        """
        table = np.asarray(probabilities, dtype=np.float64)
        if table.ndim != 2 or not table.size:
            raise MeasureError(f"expected a table of probabilities, items × classes, found one of shape {table.shape}")
        n, classes = table.shape
        places = np.asarray(codes)
        if places.shape != (n,):
            raise MeasureError(f"expected a class for each of the {n} rows of probabilities, found {places.size}")
        if (row := _first(~((table >= 0) & (table <= 1)).all(axis=1))) is not None:
            raise MeasureError(f"expected probabilities between 0 and 1 in row {row + 1}, found {table[row].tolist()}")
        sums = table.sum(axis=1)
        if (row := _first(np.abs(sums - 1) > SUM_TOLERANCE * classes)) is not None:
            hint = "divide each row by its sum, if that is what is meant"
            raise MeasureError(f"the probabilities of row {row + 1} add up to {sums[row]:.10g}, not to 1", hint=hint)
        if (row := _first((places < 0) | (places >= classes))) is not None:
            raise MeasureError(f"expected a class from 0 to {classes - 1} in row {row + 1}, found {places[row]}")
        weights = None if weight is None else np.asarray(weight, dtype=np.float64)
        if weights is not None and (weights.shape != (n,) or not (weights >= 0).all()):
            raise MeasureError(f"expected a weight of 0 or more for each of the {n} rows of probabilities")
        return cls(table, places.astype(np.int64), weights)

    @property
    def of_what_happened(self) -> FloatArray:
        """The probability that each item's class was given."""
        return self.probabilities[np.arange(len(self.codes)), self.codes]

    def log_losses(self, clip: float | None = None) -> FloatArray:
        """The loss of each item."""
        return _minus_log(_clipped(self.of_what_happened, clip))

    def brier_losses(self) -> FloatArray:
        """The loss of each item."""
        squares: FloatArray = (self.probabilities**2).sum(axis=1) - self.of_what_happened**2
        return squares + (1 - self.of_what_happened) ** 2

    def mean(self, losses: FloatArray) -> float:
        """Their mean, by weight."""
        if self.weights is None:
            return float(losses.mean())
        return _mean([losses], [self.weights], self.weights.sum())


Claims = Decisions | ProbabilityTable
"""Decisions whose scores are probabilities of the positive class, or a table for K classes."""


def probabilities_of(decisions: Decisions) -> FloatArray:
    """The distinct scores, which must be probabilities.

    >>> probabilities_of(Decisions.of([True, False], [1.5, 0.2]))
    Traceback (most recent call last):
    germane.errors.MeasureError: expected probabilities between 0 and 1 as scores, found 1.5
    Hint: measures of probabilities need them; AUC, AP and EER take any score
    """
    for extreme in decisions.thresholds[[0, -1]]:
        if not 0 <= extreme <= 1:
            hint = "measures of probabilities need them; AUC, AP and EER take any score"
            raise MeasureError(f"expected probabilities between 0 and 1 as scores, found {extreme:.10g}", hint=hint)
    return decisions.thresholds


@decision_measure(
    "log_loss", of="probabilities", bounds=(0, math.inf), better="lower", names=("cross-entropy", "log-loss")
)
def log_loss(claims: Claims, *, clip: float | None = None) -> float:
    """Mean surprise at what happened, in nats.

    Formula:    mean of −ln p, p the probability that was given to what happened
    Reference:  Good, Journal of the Royal Statistical Society B 14 (1952), 107-114.
    Edge cases: infinite if what happened was given probability 0: nothing is clipped unless `clip` says so (sklearn
                clips at the float's epsilon, 2.2e-16). NaN without items of any weight.

    >>> round(log_loss(Decisions.of([True, False], [0.8, 0.4])), 4)          # −(ln .8 + ln .6) / 2
    0.367
    """
    if clip is not None and not 0 <= clip < 0.5:
        raise MeasureError(f"clip lies between 0 and ½, found {clip:g}")
    if isinstance(claims, ProbabilityTable):
        return claims.mean(claims.log_losses(clip))
    return _mean_of_claims(claims, log_losses_of(_clipped(probabilities_of(claims), clip)))


@decision_measure("Brier", of="probabilities", bounds=(0, 2), better="lower", names=("Brier score",))
def brier(claims: Claims) -> float:
    """Mean squared distance of the probabilities from what happened.

    Formula:    yes or no: mean of (p − y)², y = 1 for positives, 0 for negatives; K classes: mean of the sum over the
                classes of (p_k − y_k)²
    Reference:  Brier, Monthly Weather Review 78 (1950), 1-3.
    Edge cases: a yes-or-no question has 1 at most, a table of K classes 2: a table of two classes gives twice the
                yes-or-no value. NaN without items of any weight.

    >>> round(brier(Decisions.of([True, False], [0.8, 0.4])), 4)             # (.2² + .4²) / 2
    0.1
    """
    if isinstance(claims, ProbabilityTable):
        return claims.mean(claims.brier_losses())
    return _mean_of_claims(claims, brier_losses_of(probabilities_of(claims)))


def log_losses_of(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The loss of a positive, and of a negative, that was given this probability of being positive."""
    with np.errstate(divide="ignore"):
        return _minus_log(p), np.abs(np.log1p(-p))


def brier_losses_of(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The loss of a positive, and of a negative, that was given this probability of being positive."""
    return (1 - p) ** 2, p**2


def _mean_of_claims(decisions: Decisions, losses: tuple[FloatArray, FloatArray]) -> float:
    counts = [decisions.positives_at, decisions.negatives_at]
    return _mean(list(losses), counts, decisions.num_positive + decisions.num_negative)


def _mean(losses: list[FloatArray], counts: list[Any], total: float) -> float:
    """The mean by weight; what no item has costs nothing, even if it would be infinite."""
    if not total:
        return math.nan
    sums = (np.sum(np.where(count > 0, loss, 0) * count) for loss, count in zip(losses, counts, strict=True))
    return float(sum(sums) / total)


def _clipped(p: FloatArray, clip: float | None) -> FloatArray:
    return p if clip is None else np.clip(p, clip, 1 - clip)


def _minus_log(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.abs(np.log(p))  # −ln 1 is 0, not −0


def _first(wrong: Any) -> int | None:
    return int(wrong.argmax()) if wrong.any() else None
