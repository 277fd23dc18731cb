"""Calibration of predicted probabilities: calibration curves, decomposition of the Brier score, ECE."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from germane.catalogue import Count
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.scores.isotonic import EXACT_PRODUCT, concave_corners, isotonic_fit
from germane.measures.decisions.scores.probabilities import Claims, ProbabilityTable, brier, probabilities_of
from germane.measures.decisions.scores.ranked_columns import over_columns
from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import ExactMoments

Binning = Literal["equal mass", "equal width"]
BAND_GROUPS = 200
"""Number of groups of neighbouring probabilities to simulate the band on, if more probabilities are distinct."""


@dataclass(frozen=True)
class BrierParts:
    """Decomposition of the Brier score: miscalibration − discrimination + uncertainty + within.

    `within` is the contribution of the spread of probabilities within bins; it is 0 for the isotonic decomposition.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float
    within: float
    method: str

    @property
    def total(self) -> float:
        """The Brier score."""
        return self.miscalibration - self.discrimination + self.uncertainty + self.within


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Isotonic fit for each distinct predicted probability, lowest first, with the number of items.

    `low` and `high` bound the pointwise consistency band, which holds the fit with probability `level` if predictions
    are perfectly calibrated; NaN for weighted items.
    """

    claimed: FloatArray
    fitted: FloatArray
    count: Counts
    low: FloatArray
    high: FloatArray
    level: float


@dataclass(frozen=True, eq=False)
class Bins:
    """Contents of each non-empty bin, highest probabilities first."""

    claimed: FloatArray
    happened: FloatArray
    count: Counts


class BinSums:
    """Items, positives and probabilities of bins, added up in parts: exactly, and so in any order."""

    def __init__(self, num_bins: int) -> None:
        self._items, self._positives = ExactMoments(num_bins), ExactMoments(num_bins)
        self._num_bins = num_bins

    def add(self, p: FloatArray, positives: Counts, count: Counts, places: IntArray) -> None:
        """Add some probabilities with their items, and the bin of each."""
        self._items.add(p, count, places)
        self._positives.add(p, positives, places)

    def merge(self, other: BinSums) -> None:
        """Add the sums of other items."""
        self._items.merge(other._items)
        self._positives.merge(other._positives)

    def held(self) -> Bins:
        """Return the bins that are not empty."""
        rows = [(float(s / n), float(s_positive / n), float(n)) for n, s, _, s_positive, _ in self._of_bins()]
        claimed, happened, count = np.asarray(rows, dtype=np.float64).reshape(-1, 3).T
        return Bins(claimed, happened, count)

    def within(self) -> float:
        """Return n times the contribution of the spread of probabilities within bins."""
        # Summed over a bin, the term with ȳ in (p − p̄)² − 2 (p − p̄)(y − ȳ) vanishes.
        parts = (
            squares - s * s / n - 2 * (products - s * s_positive / n)
            for n, s, squares, s_positive, products in self._of_bins()
        )
        return float(sum(parts, Fraction()))

    def _of_bins(self) -> Iterator[tuple[Fraction, ...]]:
        for place in range(self._num_bins):
            n, s, squares = self._items.of(place)
            s_positive, products, _ = self._positives.of(place)
            if n:
                yield n, s, squares, s_positive, products


def isotonic_brier_parts(decisions: Claims) -> BrierParts:
    """Decompose the Brier score into miscalibration, discrimination and uncertainty by isotonic regression (PAV).

    The parts of a table are the sums over its classes, each against the rest.

    Reference: Dimitriadis, Gneiting & Jordan, PNAS 118 (2021), e2016191118 (CORP).

    >>> isotonic_brier_parts(Decisions.of([True, True, False, False], [0.8, 0.8, 0.8, 0.1])).discrimination.__round__(4)
    0.0833
    """
    if isinstance(decisions, ProbabilityTable):
        return sum_of_parts(over_columns(decisions, lambda ranked: isotonic_brier_parts(ranked.decisions)))
    return parts_of_brier(brier(decisions), decisions)


def sum_of_parts(parts: Sequence[BrierParts]) -> BrierParts:
    """Add up the decompositions of several classes, whose Brier scores add up too.

    >>> sum_of_parts([BrierParts(0.25, 0.5, 1.0, 0.0, "isotonic")] * 2).total
    1.5
    """
    names = ("miscalibration", "discrimination", "uncertainty", "within")
    sums = {name: math.fsum(getattr(part, name) for part in parts) for name in names}
    return BrierParts(**sums, method=parts[0].method)


def parts_of_brier(score: float, decisions: Decisions) -> BrierParts:
    """Decompose a Brier score by isotonic regression; of the decisions, only the corners of their hull matter."""
    fit = isotonic_fit(decisions)
    n = decisions.num_positive + decisions.num_negative
    uncertainty = _spread(decisions)
    recalibrated = float(np.sum(fit.positives * fit.negatives / (fit.positives + fit.negatives)) / n) if n else math.nan
    return BrierParts(score - recalibrated, uncertainty - recalibrated, uncertainty, 0.0, "isotonic")


def binned_brier_parts(decisions: Claims, *, bins: int = 15, binning: Binning = "equal mass") -> BrierParts:
    """Decompose the Brier score over bins into reliability, resolution, uncertainty and a within-bin term.

    The parts of a table are the sums over its classes, each against the rest.

    Reference: Murphy, Journal of Applied Meteorology 12 (1973), 595-600; Stephenson, Coelho & Jolliffe, Weather and
    Forecasting 23 (2008), 752-757, on the within-bin term.

    >>> parts = binned_brier_parts(Decisions.of([True, False], [0.8, 0.4]), bins=1)
    >>> [round(part, 4) for part in (parts.miscalibration, parts.discrimination, parts.uncertainty, parts.within)]
    [0.01, 0.0, 0.25, -0.16]
    """
    if isinstance(decisions, ProbabilityTable):
        columns = over_columns(decisions, lambda r: binned_brier_parts(r.decisions, bins=bins, binning=binning))
        return sum_of_parts(columns)
    return parts_of_bins(bin_sums(decisions, bins=bins, binning=binning), decisions, f"{bins} bins of {binning}")


def parts_of_bins(sums: BinSums, decisions: Decisions, method: str) -> BrierParts:
    """Decompose the Brier score over bins; of the decisions, only the totals matter."""
    held, n = sums.held(), decisions.num_positive + decisions.num_negative
    if not n:
        return BrierParts(math.nan, math.nan, math.nan, math.nan, method)
    base_rate = decisions.num_positive / n
    miscalibration, discrimination = (
        float(np.sum(off_by**2 * held.count) / n)
        for off_by in (held.claimed - held.happened, held.happened - base_rate)
    )
    return BrierParts(miscalibration, discrimination, _spread(decisions), sums.within() / n, method)


def calibration_values(score: float, sums: BinSums, decisions: Decisions) -> dict[str, float]:
    """Return every measure of calibration, by its name in results.

    `score` is the Brier score; of the decisions, only the corners of their hull and the totals matter.
    """
    isotonic, binned = parts_of_brier(score, decisions), parts_of_bins(sums, decisions, "")
    return {
        "miscalibration": max(isotonic.miscalibration, 0.0),
        "discrimination": max(isotonic.discrimination, 0.0),
        "uncertainty": isotonic.uncertainty,
        "miscalibration(binned)": binned.miscalibration,
        "discrimination(binned)": binned.discrimination,
        "within(binned)": binned.within,
        "ECE": calibration_error(sums.held()),
    }


@decision_measure("miscalibration", of="probabilities", bounds=(0, 2), better="lower", names=("MCB",))
def miscalibration(decisions: Claims) -> float:
    """Part of the Brier score that recalibration would remove.

    Formula:    Brier − Brier of the isotonic fit; K classes: the sum over classes, each against the rest
    Reference:  Dimitriadis, Gneiting & Jordan, PNAS 118 (2021), e2016191118.
    Edge cases: never negative; at most 1 for binary probabilities. Optimistic for the fit, which uses the evaluated
                data. NaN if the total weight is 0.

    >>> miscalibration(Decisions.of([True, False], [0.5, 0.5]))
    0.0
    """
    return max(isotonic_brier_parts(decisions).miscalibration, 0.0)


@decision_measure("discrimination", of="probabilities", bounds=(0, 1), names=("DSC",))
def discrimination(decisions: Claims) -> float:
    """Reduction of the Brier score by the recalibrated probabilities, compared with predicting the base rate.

    Formula:    π (1 − π) − Brier of the isotonic fit; π is the share of positives; K classes: the sum over classes,
                each against the rest
    Reference:  Dimitriadis, Gneiting & Jordan, PNAS 118 (2021), e2016191118.
    Edge cases: 0 if the scores are uninformative or only one class occurs; at most ¼ for binary probabilities. NaN if
                the total weight is 0.

    >>> discrimination(Decisions.of([True, False], [0.6, 0.5]))
    0.25
    """
    return max(isotonic_brier_parts(decisions).discrimination, 0.0)


@decision_measure("ECE", of="probabilities", bounds=(0, 1), better="lower", names=("expected calibration error",))
def expected_calibration_error(decisions: Decisions, *, bins: Count = 15, binning: Binning = "equal mass") -> float:
    """Mean absolute difference between predicted probability and share of positives, over bins.

    Formula:    sum over bins of (items in it / n) · |mean probability − share of positives|
    Reference:  Naeini, Cooper & Hauskrecht, AAAI 2015.
    Edge cases: depends on the binning, so report it. Biased upwards for few items. Equal-mass bins keep equal
                probabilities together, so there may be fewer of them; an equal-width bin includes its upper edge. NaN
                if the total weight is 0.

    >>> round(expected_calibration_error(Decisions.of([True, False], [0.8, 0.4]), bins=2), 4)       # (0.2 + 0.4) / 2
    0.3
    """
    return calibration_error(calibration_bins(decisions, bins=bins, binning=binning))


def calibration_error(held: Bins) -> float:
    """Return the mean absolute difference between predicted probability and share of positives, over these bins."""
    n = held.count.sum()
    return float(np.sum(np.abs(held.claimed - held.happened) * held.count) / n) if n else math.nan


@decision_measure("MCE", of="probabilities", bounds=(0, 1), better="lower", names=("maximum calibration error",))
def maximum_calibration_error(decisions: Decisions, *, bins: Count = 15, binning: Binning = "equal mass") -> float:
    """Largest absolute difference between predicted probability and share of positives in any bin.

    Formula:    max over bins of |mean probability − share of positives|
    Reference:  Naeini, Cooper & Hauskrecht, AAAI 2015.
    Edge cases: a bin with one item weighs as much as one with a thousand. NaN if the total weight is 0.

    >>> round(maximum_calibration_error(Decisions.of([True, False], [0.8, 0.4]), bins=2), 4)
    0.4
    """
    return largest_calibration_error(calibration_bins(decisions, bins=bins, binning=binning))


def largest_calibration_error(held: Bins) -> float:
    """Return the largest absolute difference between predicted probability and share of positives in these bins."""
    return float(np.abs(held.claimed - held.happened).max()) if len(held.count) else math.nan


def bin_places(decisions: Decisions, *, bins: int, binning: Binning) -> IntArray:
    """Return the bin of each distinct probability, highest first; some bins may be empty.

    Equal mass: a probability belongs to the bin that holds the middle of its items, with limits at n/bins, 2n/bins …
    Equal width: bins are (0, 1/bins], (1/bins, 2/bins] …; the lowest includes 0.
    """
    if bins < 1:
        raise MeasureError(f"expected at least 1 bin, found {bins}")
    if binning not in ("equal mass", "equal width"):
        raise MeasureError(f"expected binning='equal mass' or 'equal width', found {binning!r}")
    p = probabilities_of(decisions)
    if binning == "equal width":
        return equal_width_places(p, bins)
    count = decisions.positives_at + decisions.negatives_at
    so_far = np.cumsum(count)
    return equal_mass_places(so_far, count, so_far[-1], bins)


def equal_width_places(p: FloatArray, bins: int) -> IntArray:
    """Return the bin of some probabilities, the highest first: (0, 1/bins], (1/bins, 2/bins] …, the lowest with 0."""
    return bins - 1 - np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], p, side="left")


def equal_mass_places(so_far: Counts, count: Counts, total: Any, bins: int) -> IntArray:
    """Return the bin of some probabilities: `so_far` counts the items down to each, `count` those at it."""
    if not total:
        return np.zeros(len(count), dtype=np.int64)
    # Whole weights may be so large that their multiples are not 64-bit integers.
    middle = 2 * so_far - count if bins * total < EXACT_PRODUCT else 2.0 * so_far - count
    places: IntArray = np.floor(middle * bins / (2 * total)).astype(np.int64)
    return np.clip(places, 0, bins - 1)


def calibration_bins(decisions: Decisions, *, bins: int = 15, binning: Binning = "equal mass") -> Bins:
    """Return the mean probability, the share of positives and the number of items of each non-empty bin."""
    return bin_sums(decisions, bins=bins, binning=binning).held()


def bin_sums(decisions: Decisions, *, bins: int = 15, binning: Binning = "equal mass") -> BinSums:
    """Return what the bins that hold anything add up to."""
    used, places = np.unique(bin_places(decisions, bins=bins, binning=binning), return_inverse=True)
    sums = BinSums(len(used))
    sums.add(decisions.thresholds, decisions.positives_at, decisions.positives_at + decisions.negatives_at, places)
    return sums


def calibration_curve(
    decisions: Decisions, *, level: float = 0.9, resamples: int = 500, seed: int = 0
) -> CalibrationCurve:
    """Return the isotonic fit for each predicted probability, with a consistency band for perfect calibration.

    Outcomes are simulated from the predicted probabilities and fitted in the same way; the band is the central `level`
    of these fits. With more than 200 distinct probabilities it is simulated for 200 groups of neighbours.

    Reference: Dimitriadis, Gneiting & Jordan, PNAS 118 (2021), e2016191118.

    >>> calibration_curve(Decisions.of([True, True, False, False], [0.8, 0.6, 0.6, 0.1])).fitted.tolist()
    [0.0, 0.5, 1.0]
    """
    if not 0 < level < 1:
        raise MeasureError(f"expected a level between 0 and 1, found {level:g}")
    p, fit = probabilities_of(decisions), isotonic_fit(decisions)
    count = decisions.positives_at + decisions.negatives_at
    unknown = np.full((2, len(p)), math.nan)
    low, high = unknown if decisions.weighted else _band(p, count, level, resamples, seed)
    return CalibrationCurve(p[::-1], fit.share[fit.block][::-1], count[::-1], low[::-1], high[::-1], level)


def _band(p: FloatArray, count: Counts, level: float, resamples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the limits of the band at each distinct probability, highest first."""
    group = np.arange(len(p)) * min(len(p), BAND_GROUPS) // len(p)
    sizes = np.bincount(group, weights=count).astype(np.int64)
    claimed = np.divide(np.bincount(group, weights=count * p), sizes, out=np.zeros(len(sizes)), where=sizes > 0)
    words = np.random.PCG64(seed).random_raw((resamples, len(sizes)))
    uniform: FloatArray = (words >> np.uint64(11)) * np.float64(2.0**-53)
    drawn = _binomial(uniform, sizes, np.clip(claimed, 0, 1))
    total = np.concatenate([[0], np.cumsum(sizes)])
    fits = np.empty((resamples, len(sizes)))
    for fit, positives in zip(fits, drawn, strict=True):
        so_far = np.concatenate([[0], np.cumsum(positives)])
        corners = concave_corners(total, so_far)
        shares = np.diff(so_far[corners]) / np.diff(total[corners])
        fit[:] = shares[np.searchsorted(corners[1:], np.arange(len(sizes)), side="right").clip(max=len(shares) - 1)]
    low, high = np.quantile(fits, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low[group], high[group]


def _binomial(uniform: FloatArray, n: IntArray, p: FloatArray) -> IntArray:
    """Draw binomial counts by inverting the distribution at uniform numbers, which makes every draw reproducible."""
    from scipy.special import bdtr

    drawn = np.empty(uniform.shape, dtype=np.int64)
    for group, (trials, chance) in enumerate(zip(n.tolist(), p.tolist(), strict=True)):
        # Counts farther from the mean are less probable than the last bit of a uniform number.
        reach = 10 * math.sqrt(trials * chance * (1 - chance)) + 40
        low = max(0, math.floor(trials * chance - reach))
        high = min(trials, math.ceil(trials * chance + reach))
        at_most = bdtr(np.arange(low, high + 1, dtype=np.float64), trials, chance)
        drawn[:, group] = np.minimum(low + np.searchsorted(at_most, uniform[:, group]), high)
    return drawn


def _spread(decisions: Decisions) -> Any:
    """Return the Brier score of always predicting the base rate."""
    P, N = decisions.num_positive, decisions.num_negative
    return P * N / (P + N) ** 2 if P + N else math.nan
