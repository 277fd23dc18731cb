"""Quality of predicted probabilities: log-loss and Brier score, binary and multi-class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from germane.catalogue import Range
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import Moments
from germane.tables.decisions.weights import as_weights

SUM_TOLERANCE = 1e-6
"""Tolerated deviation of the sum of a row's K probabilities from 1, per class; more if they are rounded."""
DECIMALS = (5, 4, 3, 2, 1)
"""Numbers of decimals that probabilities may be rounded to; 1 decimal is too coarse to check a sum."""

BLOCK_ROWS = 4096
"""Number of rows transposed at a time."""


@dataclass(frozen=True)
class RoundedSums:
    """Rows of rounded probabilities whose sums differ from 1 by no more than rounding explains.

    `precision` is what the values are rounded to, `num_rows` the number of rows whose sum is off, `largest` the largest
    deviation of a sum from 1, `tolerance` the largest that would be accepted.
    """

    precision: str
    num_rows: int
    largest: float
    tolerance: float


@dataclass(frozen=True, eq=False)
class ProbabilityTable:
    """Predicted probabilities, one row per item and one column per class, and the column of each true class."""

    probabilities: FloatArray
    codes: IntArray
    weights: FloatArray | None = None
    rounded: RoundedSums | None = None
    """Deviation of the sums of rounded rows; None if all rows sum to 1 within 10⁻⁶ per class."""

    @classmethod
    def of(
        cls, probabilities: npt.ArrayLike, codes: npt.ArrayLike, weight: npt.ArrayLike | None = None
    ) -> ProbabilityTable:
        """Build the table; check that probabilities are in [0, 1] and rows sum to 1 (within 10⁻⁶ per class).

        If all values are those of float16, sums may deviate by its epsilon (2⁻¹⁰) per class; if all have at most 2 to 5
        decimals, by half a unit of the last one per class. Nothing is normalised; `rounded` has the deviation.

        >>> ProbabilityTable.of([[0.2, 0.8], [0.5, 0.6]], [1, 0])
        Traceback (most recent call last):
        germane.errors.MeasureError: expected probabilities that sum to 1 in row 2, found a sum of 1.1
        Hint: to normalise them, divide each row by its sum
        """
        table = np.asarray(probabilities, dtype=np.float64)
        if table.ndim != 2 or not table.size:
            raise MeasureError(f"expected a table of probabilities, items × classes, found shape {table.shape}")
        n, classes = table.shape
        places = np.asarray(codes)
        if places.shape != (n,):
            raise MeasureError(f"expected {n} true classes (one per row of probabilities), found {places.size}")
        if not (table.min() >= 0 and table.max() <= 1):  # the minimum of NaN is NaN
            outside = int((~((table >= 0) & (table <= 1)).all(axis=1)).argmax())
            raise MeasureError(
                f"expected probabilities between 0 and 1 in row {outside + 1}, found {table[outside].tolist()}"
            )
        rounded = _checked_sums(table)
        if (row := _first((places < 0) | (places >= classes))) is not None:
            raise MeasureError(f"expected a class from 0 to {classes - 1} in row {row + 1}, found {places[row]}")
        weights = None if weight is None else np.asarray(weight, dtype=np.float64)
        if weights is not None and (weights.shape != (n,) or not (weights >= 0).all()):
            raise MeasureError(f"expected {n} weights (one per row of probabilities), none negative")
        return cls(table, places.astype(np.int64), weights, rounded)

    @cached_property
    def of_what_happened(self) -> FloatArray:
        """Predicted probability of each item's true class."""
        return self.probabilities[np.arange(len(self.codes)), self.codes]

    @cached_property
    def columns(self) -> FloatArray:
        """Predicted probabilities by class: one contiguous row for each."""
        found = np.empty(self.probabilities.shape[::-1])
        for start in range(0, len(self.codes), BLOCK_ROWS):  # a block fits the cache, so each line is fetched once
            part = slice(start, start + BLOCK_ROWS)
            found[:, part] = self.probabilities[part].T
        return found

    @property
    def num_classes(self) -> int:
        """Number of classes, with items or without."""
        return int(self.probabilities.shape[1])

    @cached_property
    def counts(self) -> Counts:
        """Weight of each item: an integer (how often it counts) unless weights are not whole numbers."""
        n = len(self.codes)
        return np.ones(n, dtype=np.int64) if self.weights is None else as_weights(self.weights, n)

    @property
    def weighted(self) -> bool:
        """Whether weights are not whole numbers."""
        return self.counts.dtype.kind == "f"

    @cached_property
    def sizes(self) -> Counts:
        """Number of items of each class, or their weight."""
        if self.weights is None:
            return np.bincount(self.codes, minlength=self.num_classes)
        found = np.bincount(self.codes, weights=self.counts, minlength=self.num_classes)
        return found.astype(self.counts.dtype)

    def log_losses(self, clip: float | None = None) -> FloatArray:
        """Return the log-loss of each item."""
        return _minus_log(clipped(self.of_what_happened, clip))

    def brier_losses(self) -> FloatArray:
        """Return the squared error of each item, summed over classes."""
        squares: FloatArray = np.einsum("ij,ij->i", self.probabilities, self.probabilities) - self.of_what_happened**2
        return squares + (1 - self.of_what_happened) ** 2

    def mean(self, losses: FloatArray) -> float:
        """Return the weighted mean of losses."""
        return _mean(losses, np.ones(len(losses)) if self.weights is None else self.weights)


def _checked_sums(table: FloatArray) -> RoundedSums | None:
    """Refuse rows that do not sum to 1; return the deviation if it is one that rounding explains."""
    classes = table.shape[1]
    sums = np.einsum("ij->i", table)
    off = np.abs(sums - 1)
    if not (wrong := off > SUM_TOLERANCE * classes).any():
        return None
    precision, unit = _rounding(table)
    tolerance = unit * classes
    if (row := _first(off > tolerance * (1 + 1e-9))) is not None:
        what = f"expected probabilities that sum to 1 in row {row + 1}, found a sum of {sums[row]:.10g}"
        if precision:
            what += f", off by more than {tolerance:.3g} ({precision}, {classes} classes)"
        raise MeasureError(what, hint="to normalise them, divide each row by its sum")
    return RoundedSums(precision, int(wrong.sum()), float(off.max()), tolerance)


def _rounding(table: FloatArray) -> tuple[str, float]:
    """Return what the probabilities are rounded to, and the tolerated deviation of a sum, per class."""
    with np.errstate(under="ignore"):
        if (table.astype(np.float16) == table).all():
            return "float16", float(np.finfo(np.float16).eps)
    found = "", SUM_TOLERANCE
    for decimals in DECIMALS:
        if (np.abs(np.round(table, decimals) - table) > 1e-12).any():
            return found
        found = f"{decimals} decimals", 0.5 * 10.0**-decimals
    return "", SUM_TOLERANCE


Claims = Decisions | ProbabilityTable
"""Predicted probabilities: decisions whose scores are those of the positive class, or a table for K classes."""


def probabilities_of(decisions: Decisions) -> FloatArray:
    """Return the distinct scores, after checking that they are probabilities.

    >>> probabilities_of(Decisions.of([True, False], [1.5, 0.2]))
    Traceback (most recent call last):
    germane.errors.MeasureError: expected probabilities between 0 and 1 as scores, found 1.5
    Hint: use AUC, AP or EER, which accept any scores
    """
    for extreme in decisions.thresholds[[0, -1]]:
        if not 0 <= extreme <= 1:
            hint = "use AUC, AP or EER, which accept any scores"
            raise MeasureError(f"expected probabilities between 0 and 1 as scores, found {extreme:.10g}", hint=hint)
    return decisions.thresholds


@decision_measure(
    "log_loss", of="probabilities", bounds=(0, math.inf), better="lower", names=("cross-entropy", "log-loss")
)
def log_loss(claims: Claims, *, clip: Annotated[float | None, Range(0, 0.5, without=(0.5,))] = None) -> float:
    """Mean negative log-likelihood of the true labels, in nats.

    Formula:    mean of −ln p; p is the predicted probability of the true label
    Reference:  Good, Journal of the Royal Statistical Society B 14 (1952), 107-114.
    Edge cases: infinite if a true label has probability 0; probabilities are clipped only if `clip` is set
                (scikit-learn clips at machine epsilon, 2.2e-16). NaN if the total weight is 0.

    >>> round(log_loss(Decisions.of([True, False], [0.8, 0.4])), 4)          # −(ln 0.8 + ln 0.6) / 2
    0.367
    """
    if clip is not None and not 0 <= clip < 0.5:
        raise MeasureError(f"expected clip to be at least 0 and below 0.5, found {clip:g}")
    if isinstance(claims, ProbabilityTable):
        return claims.mean(claims.log_losses(clip))
    return _mean_of_claims(claims, log_losses_of(clipped(probabilities_of(claims), clip)))


@decision_measure("Brier", of="probabilities", bounds=(0, 2), better="lower", names=("Brier score",))
def brier(claims: Claims) -> float:
    """Mean squared error of the predicted probabilities.

    Formula:    binary: mean of (p − y)², y = 1 for positives, 0 for negatives; K classes: mean of the sum over classes
                of (p_k − y_k)²
    Reference:  Brier, Monthly Weather Review 78 (1950), 1-3.
    Edge cases: at most 1 for binary probabilities, at most 2 for a table of K classes; a table of two classes gives
                twice the binary value. NaN if the total weight is 0.

    >>> round(brier(Decisions.of([True, False], [0.8, 0.4])), 4)             # (0.2² + 0.4²) / 2
    0.1
    """
    if isinstance(claims, ProbabilityTable):
        return claims.mean(claims.brier_losses())
    return _mean_of_claims(claims, brier_losses_of(probabilities_of(claims)))


def log_losses_of(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the log-loss of a positive and of a negative item with predicted probability p."""
    with np.errstate(divide="ignore"):
        return _minus_log(p), np.abs(np.log1p(-p))


def brier_losses_of(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the squared error of a positive and of a negative item with predicted probability p."""
    return (1 - p) ** 2, p**2


def _mean_of_claims(decisions: Decisions, losses: tuple[FloatArray, FloatArray]) -> float:
    return _mean(np.concatenate(losses), np.concatenate([decisions.positives_at, decisions.negatives_at]))


def _mean(losses: FloatArray, counts: Any) -> float:
    """Return the weighted mean; entries without items add 0 even if their loss is infinite."""
    if np.isinf(losses[counts > 0]).any():
        return math.inf
    seen = Moments()
    seen.add(losses, counts)
    return seen.mean


def clipped(p: FloatArray, clip: float | None) -> FloatArray:
    """Return probabilities no nearer to 0 and 1 than `clip`."""
    return p if clip is None else np.clip(p, clip, 1 - clip)


def _minus_log(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.abs(np.log(p))  # −ln 1 is 0, not −0


def _first(wrong: Any) -> int | None:
    return int(wrong.argmax()) if wrong.any() else None
