"""Measures of scores that are met once, highest first, in chunks: sums are exact in counts and rounded as usual.

What depends on few points of the ROC curve (the corners of its hull, the point of equal errors) is kept as `Decisions`
with only these points, which the measures take as they take any others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from germane.measures.decisions.scores.calibration import (
    Bins,
    calibration_error,
    equal_mass_places,
    parts_of_bins,
    parts_of_brier,
)
from germane.measures.decisions.scores.detection_error import equal_error_rate, minimum_detection_cost
from germane.measures.decisions.scores.isotonic import EXACT_PRODUCT, concave_corners
from germane.measures.decisions.scores.precision_recall import area_between
from germane.measures.decisions.scores.probabilities import brier_losses_of, log_losses_of
from germane.measures.decisions.scores.roc import area_under_hull, mcclish, twice_area_up_to
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.moments import Moments
from germane.tables.decisions.score_spill import ScoreCounts, SpilledScores

NUM_BINS = 15
MAX_FPR = 0.1


class StreamedScores:
    """The measures of scores that have been read in the order of the scores.

    >>> with SpilledScores() as scores:
    ...     scores.add(np.asarray([True, False, True]), np.asarray([0.9, 0.5, 0.4]))
    ...     found = StreamedScores(scores, probabilities=True)
    >>> found.auc, round(found.measures()["AP"](), 4), round(found.losses["Brier"].mean, 4)
    (0.5, 0.8333, 0.2067)
    """

    def __init__(self, scores: SpilledScores, *, probabilities: bool, threshold: float | None = None) -> None:
        self.positive, self.negative = scores.num_positive, scores.num_negative
        self.weighted, self.num_rows = scores.weighted, scores.num_rows
        self.threshold, self.probabilities = threshold, probabilities
        self.num_distinct = 0
        self._above: tuple[Any, Any] = (0, 0)
        self.placements = Moments(), Moments()
        """DeLong's V10 over the positives, and V01 over the negatives."""
        self.losses = {"log_loss": Moments(), "Brier": Moments()} if probabilities else {}
        self.impossible: Any = 0
        """Number of items whose true class had probability 0, so that the log-loss is infinite."""
        self._twice_area: Any = 0
        self._partial = self._step = self._trapezoid = 0.0
        self._precision = 1.0
        self._bins = np.zeros((6, NUM_BINS))
        kind = np.float64 if self.weighted else np.int64
        self._corners: tuple[FloatArray, Counts, Counts] = (np.asarray([np.inf]), *np.zeros((2, 1), dtype=kind))
        self._equal = self._corners
        self._so_far = np.zeros(2, dtype=kind)
        for chunk in scores.merged():
            self._add(chunk)
        # Sums of weights depend on their order: differences to these ones are exactly 0 where they should be.
        self.positive, self.negative = self._so_far.tolist()

    @property
    def one_class(self) -> bool:
        """Whether positives or negatives are missing, so that measures of both are undefined."""
        return not (self.positive and self.negative)

    @property
    def at_threshold(self) -> Cells:
        """The four cells at the threshold."""
        tp, fp = self._above
        return Cells(tp, fp, self.positive - tp, self.negative - fp)

    @property
    def auc(self) -> float:
        """The area under the ROC curve; exact for counts."""
        pairs = self.positive * self.negative
        return float(self._twice_area / (2 * pairs)) if pairs else np.nan

    def measures(self) -> Mapping[str, Callable[[], float]]:
        """Return a function for each measure without an interval, by its name in results."""
        hull, equal = self._decisions(self._corners), self._decisions(self._equal)
        none = self.positive == 0
        found: dict[str, Callable[[], float]] = {
            f"partial_AUC(max_fpr={MAX_FPR})": lambda: (
                np.nan if self.one_class else mcclish(self._partial / 2, MAX_FPR)
            ),
            "AP": lambda: np.nan if none else min(self._step, 1.0),
            "EER": lambda: equal_error_rate(equal),
            "EER(at=hull)": lambda: equal_error_rate(hull, at="hull"),
            "minDCF": lambda: minimum_detection_cost(hull),
            "hull_AUC": lambda: area_under_hull(hull),
            "AP(area=trapezoid)": lambda: np.nan if none else min(self._trapezoid, 1.0),
        }
        if self.probabilities:
            isotonic, (held, within) = parts_of_brier(self.losses["Brier"].mean, hull), self._held()
            binned = parts_of_bins(held, within, hull, "")
            found |= {
                "miscalibration": lambda: max(isotonic.miscalibration, 0.0),
                "discrimination": lambda: max(isotonic.discrimination, 0.0),
                "uncertainty": lambda: isotonic.uncertainty,
                "miscalibration(binned)": lambda: binned.miscalibration,
                "discrimination(binned)": lambda: binned.discrimination,
                "within(binned)": lambda: binned.within,
                "ECE": lambda: calibration_error(held),
            }
        return found

    def _decisions(self, points: tuple[FloatArray, Counts, Counts]) -> Decisions:
        """Return some points of the ROC curve, without the origin and with the last one, as decisions."""
        thresholds, tp, fp = points
        last = np.asarray([self.positive], tp.dtype), np.asarray([self.negative], fp.dtype)
        whole = (np.append(thresholds[1:], -np.inf), np.append(tp[1:], last[0]), np.append(fp[1:], last[1]))
        return Decisions(*whole, self.num_rows, self.weighted)

    def _add(self, chunk: ScoreCounts) -> None:
        before = self._so_far
        tp, fp = (np.cumsum(counts) + so_far for counts, so_far in zip(chunk[1:], before, strict=True))
        self._so_far = np.asarray([tp[-1], fp[-1]])
        self.num_distinct += len(tp)
        if self.threshold is not None:
            last = int(np.searchsorted(-chunk.thresholds, -self.threshold, side="right")) - 1
            if last >= 0:
                self._above = tp[last].item(), fp[last].item()
        points = np.concatenate((before[:1], tp)), np.concatenate((before[1:], fp))
        self._add_areas(*points)
        self._keep_points(chunk, tp, fp)
        if not self.one_class and not self.weighted:
            self.placements[0].add((2 * (self.negative - fp) + chunk.negatives) / (2 * self.negative), chunk.positives)
            self.placements[1].add((2 * tp - chunk.positives) / (2 * self.positive), chunk.negatives)
        if self.probabilities:
            self._add_losses(chunk)
            self._add_to_bins(chunk, tp + fp)

    def _add_areas(self, tp: Counts, fp: Counts) -> None:
        """Add the areas under the two curves between these points, of which the first ended the chunk before."""
        if not self.weighted and self.positive * self.negative >= EXACT_PRODUCT:
            self._twice_area += int(np.sum(np.diff(fp.astype(object)) * (tp[1:] + tp[:-1]).astype(object)))
        else:
            self._twice_area += np.sum(np.diff(fp) * (tp[1:] + tp[:-1])).item()
        if not self.one_class:
            self._partial += twice_area_up_to(MAX_FPR, fp / self.negative, tp / self.positive)
        if self.positive:
            called = tp[1:] + fp[1:]
            precision = np.divide(tp[1:], called, out=np.ones(len(called)), where=called > 0)
            recall, precision = tp / self.positive, np.concatenate(([self._precision], precision))
            self._step += area_between(recall, precision, "step")
            self._trapezoid += area_between(recall, precision, "trapezoid")
            self._precision = precision[-1]

    def _keep_points(self, chunk: ScoreCounts, tp: Counts, fp: Counts) -> None:
        """Keep the corners of the hull so far, and the point so far where the two error rates are nearest."""
        columns = (chunk.thresholds, tp, fp)
        joined = tuple(np.concatenate(pair) for pair in zip(self._corners, columns, strict=True))
        # The test for an exact product looks at the last point: let it see the totals.
        corners = concave_corners(np.append(joined[2], self.negative), np.append(joined[1], self.positive))
        corners = corners[corners < len(joined[0])]
        self._corners = joined[0][corners], joined[1][corners], joined[2][corners]
        if self.one_class:
            return
        self._equal = self._nearest(tuple(np.concatenate(pair) for pair in zip(self._equal, columns, strict=True)))

    def _nearest(self, points: Any) -> tuple[FloatArray, Counts, Counts]:
        """Return the origin, and the point where the two error rates are nearest, the first of equally good ones."""
        _, tp, fp = points
        if not self.weighted and self.positive * self.negative >= 1 << 62:
            tp, fp = tp.astype(object), fp.astype(object)
        gap = np.abs(fp * self.positive - (self.positive - tp) * self.negative)
        at = [0, *({int(np.argmin(gap))} - {0})]
        return points[0][at], points[1][at], points[2][at]

    def _add_losses(self, chunk: ScoreCounts) -> None:
        counts = np.concatenate(chunk[1:])
        for name, losses_of in (("log_loss", log_losses_of), ("Brier", brier_losses_of)):
            losses = np.concatenate(losses_of(chunk.thresholds))
            infinite = np.isinf(losses)
            self.impossible += counts[infinite].sum().item()
            self.losses[name].add(losses[~infinite], counts[~infinite])

    def _add_to_bins(self, chunk: ScoreCounts, so_far: Counts) -> None:
        """Add to bins of equal mass: items, positives, and sums of p − s, where s is the first probability of a bin."""
        count = chunk.positives + chunk.negatives
        places = equal_mass_places(so_far, count, self.positive + self.negative, NUM_BINS)
        first = np.unique(places, return_index=True)
        new = self._bins[0, first[0]] == 0
        self._bins[5, first[0][new]] = chunk.thresholds[first[1][new]]
        off = chunk.thresholds - self._bins[5, places]
        added = (count, chunk.positives, count * off, count * off**2, chunk.positives * off)
        self._bins[:5] += [np.bincount(places, weights=each, minlength=NUM_BINS) for each in added]

    def _held(self) -> tuple[Bins, float]:
        """Return the bins, and the part of the Brier score from within them, which is that of their total."""
        count, positives, off, squares, products, start = self._bins[:, self._bins[0] > 0]
        mean_off = off / count
        within = np.sum(squares - mean_off * off) - 2 * np.sum(products - mean_off * positives)
        return Bins(start + mean_off, positives / count, count), float(within)
