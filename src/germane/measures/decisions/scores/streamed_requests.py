"""Sums for measures with other parameters than the usual ones, of scores that are met in parts."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from germane.measures.decisions.measure import DecisionMeasure
from germane.measures.decisions.names import PARTS_OF_BRIER
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.calibration import (
    BinSums,
    calibration_error,
    equal_mass_places,
    equal_width_places,
    largest_calibration_error,
)
from germane.measures.decisions.scores.detection_error import bits_of
from germane.measures.decisions.scores.probabilities import clipped, log_losses_of
from germane.measures.decisions.scores.roc import mcclish, twice_areas_up_to
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.exact_sums import ExactSum, Moments
from germane.tables.decisions.score_spill import ScoreCounts

OF_THE_HULL = ("hull_AUC", "minDCF", "minCllr")
"""Measures that need only the corners of the ROC convex hull."""
WITH_SUMS = ("partial_AUC", "ECE", "MCE", "Cllr", "log_loss")
"""Measures that are functions of the sums here."""
OTHERWISE_KNOWN = ("AUC", "AP", "EER", "Brier", "miscalibration", "discrimination")
"""Measures whose every parameter is among the usual ones, but for those in `NOT_STREAMED`."""
NOT_STREAMED = ("AP(area=interpolated)",)
"""Measures that need the scores from the lowest to the highest as well."""


def can_stream(name: str) -> bool:
    """Whether a measure of scores or probabilities is known from scores that are met once, highest first.

    >>> [can_stream(name) for name in ("ECE(bins=10)", "AP(area=step)", "AP(area=interpolated)", "within(binned)")]
    [True, True, False, True]
    """
    if name in PARTS_OF_BRIER:
        return True
    chosen = chosen_measure(name)
    known = (*OF_THE_HULL, *WITH_SUMS, *OTHERWISE_KNOWN)
    return chosen.name in known and str(chosen) not in NOT_STREAMED


class RequestedSums:
    """The sums that some measures need, by their parameters."""

    def __init__(self, names: Iterable[str]) -> None:
        chosen = [chosen_measure(name) for name in names if name not in PARTS_OF_BRIER]
        given = [(measure.name, measure.settings) for measure in chosen]
        partial = [used["max_fpr"] for name, used in given if name == "partial_AUC"]
        self._areas = {max_fpr: ExactSum() for max_fpr in partial if max_fpr < 1}
        binned = {(used["bins"], used["binning"]) for name, used in given if name in ("ECE", "MCE")}
        self._bins = {how: BinSums(how[0]) for how in sorted(binned)}
        clips = [used["clip"] for name, used in given if name == "log_loss"]
        self.losses = {clip: Moments() for clip in clips if clip}
        self._bits = (Moments(), Moments()) if any(name == "Cllr" for name, _ in given) else ()
        self._is_infinite = False

    def add_curve(self, fpr: FloatArray, tpr: FloatArray) -> None:
        """Add the areas under these points of the ROC curve, of which the first was added before."""
        for max_fpr, area in self._areas.items():
            area.add(twice_areas_up_to(max_fpr, fpr, tpr))

    def add_probabilities(self, chunk: ScoreCounts, so_far: Counts, total: float) -> None:
        """Add items by predicted probability: `so_far` counts them down to each, `total` all of them."""
        count = chunk.positives + chunk.negatives
        for (bins, binning), sums in self._bins.items():
            if binning == "equal width":
                places = equal_width_places(chunk.thresholds, bins)
            else:
                places = equal_mass_places(so_far, count, total, bins)
            sums.add(chunk.thresholds, chunk.positives, count, places)
        for clip, losses in self.losses.items():
            both = np.concatenate(log_losses_of(clipped(chunk.thresholds, clip)))
            losses.add(both, np.concatenate(chunk[1:]))

    def add_scores(self, chunk: ScoreCounts) -> None:
        """Add items by score."""
        for moments, bits, counts in zip(self._bits, bits_of(chunk.thresholds), chunk[1:], strict=False):
            finite = np.isfinite(bits)
            self._is_infinite |= bool(counts[~finite].any())
            moments.add(bits[finite], counts[finite])

    def merge(self, later: RequestedSums) -> None:
        """Add the sums of scores that follow."""
        for max_fpr, area in self._areas.items():
            area.merge(later._areas[max_fpr])
        for how, sums in self._bins.items():
            sums.merge(later._bins[how])
        for clip, losses in self.losses.items():
            losses.merge(later.losses[clip])
        for bits, others in zip(self._bits, later._bits, strict=True):
            bits.merge(others)
        self._is_infinite |= later._is_infinite

    def value(self, measure: DecisionMeasure, *, one_class: bool) -> float:
        """Return the value of a measure in `WITH_SUMS`, but log-loss; NaN where a class is needed and missing."""
        used = measure.settings
        if measure.name in ("ECE", "MCE"):
            held = self._bins[used["bins"], used["binning"]].held()
            return calibration_error(held) if measure.name == "ECE" else largest_calibration_error(held)
        if one_class:
            return math.nan
        if measure.name == "Cllr":
            return math.inf if self._is_infinite else sum(moments.mean for moments in self._bits) / 2
        area = float(self._areas[used["max_fpr"]]) / 2
        return area if used["scale"] == "raw" else mcclish(area, used["max_fpr"])
