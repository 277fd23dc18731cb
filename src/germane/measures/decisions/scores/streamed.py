"""Measures of scores that are met once, highest first, in chunks or in ranges: equal to those of all scores at once.

What depends on few points of the ROC curve (the corners of its hull, the point of equal errors) is kept as `Decisions`
with only these points, which the measures take as they take any others. Everything else is a sum, which is exact.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from germane.errors import GermaneError
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.calibration import BinSums, calibration_values, equal_mass_places
from germane.measures.decisions.scores.detection_error import equal_error_rate, minimum_detection_cost
from germane.measures.decisions.scores.isotonic import EXACT_PRODUCT, concave_corners
from germane.measures.decisions.scores.precision_recall import areas_between
from germane.measures.decisions.scores.probabilities import brier_losses_of, log_losses_of
from germane.measures.decisions.scores.roc import area_under_hull, mcclish, twice_areas_up_to
from germane.measures.decisions.scores.streamed_requests import OF_THE_HULL, RequestedSums
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells, Counts
from germane.tables.decisions.decisions import Decisions
from germane.tables.decisions.exact_sums import ExactSum, Moments
from germane.tables.decisions.score_spill import ScoreCounts

NUM_BINS = 15
MAX_FPR = 0.1
Points = tuple[FloatArray, Counts, Counts]
"""Points of the ROC curve: thresholds, true positives, false positives."""


class StreamedScores:
    """The measures of scores that are added highest first.

    `totals` are the positives and negatives of all scores; `before` are those above the first one that is added here.
    `requested` are names of measures beside the usual ones.

    >>> found = StreamedScores((2, 1), probabilities=True)
    >>> found.add(ScoreCounts(np.asarray([0.9, 0.5, 0.4]), np.asarray([1, 0, 1]), np.asarray([0, 1, 0])))
    >>> found.auc, round(found.measures()["AP"], 4), round(found.losses["Brier"].mean, 4)
    (0.5, 0.8333, 0.2067)
    """

    def __init__(
        self,
        totals: tuple[Any, Any],
        *,
        probabilities: bool,
        threshold: float | None = None,
        weighted: bool = False,
        before: tuple[Any, Any] = (0, 0),
        requested: tuple[str, ...] = (),
    ) -> None:
        self._totals, self._begin, self._so_far = totals, before, before
        self.weighted = weighted
        self.threshold, self.probabilities = threshold, probabilities
        self.num_distinct = 0
        self._above: tuple[Any, Any] | None = None
        self.placements = Moments(), Moments()
        """DeLong's V10 over the positives, and V01 over the negatives."""
        self.losses = {"log_loss": Moments(), "Brier": Moments()} if probabilities else {}
        self.impossible: Any = 0
        """Number of items whose true class had probability 0, so that the log-loss is infinite."""
        self._twice_area: Any = 0
        self._areas = {name: ExactSum() for name in ("partial", "step", "trapezoid")}
        self._bins = BinSums(NUM_BINS)
        self._requested, self.sums = requested, RequestedSums(requested)
        kind = np.float64 if weighted else np.int64
        self._corners: Points = (np.zeros(0), *np.zeros((2, 0), dtype=kind))
        self._equal = self._corners

    @property
    def positive(self) -> Any:
        """Number of positives, or their total weight."""
        # Sums of weights depend on their order: differences to these ones are exactly 0 where they should be.
        return self._so_far[0]

    @property
    def negative(self) -> Any:
        """Number of negatives, or their total weight."""
        return self._so_far[1]

    @property
    def one_class(self) -> bool:
        """Whether positives or negatives are missing, so that measures of both are undefined."""
        return not all(self._totals)

    @property
    def at_threshold(self) -> Cells:
        """The four cells at the threshold."""
        tp, fp = self._above or (0, 0)
        # Sums of weights from different ranges may differ by rounding.
        return Cells(tp, fp, max(self.positive - tp, 0), max(self.negative - fp, 0))

    @property
    def auc(self) -> float:
        """The area under the ROC curve; exact for counts."""
        pairs = self.positive * self.negative
        return float(self._twice_area / (2 * pairs)) if pairs else math.nan

    def measures(self) -> dict[str, float]:
        """Return the measures without an interval, by their names in results."""
        hull, equal = self._decisions(self._corners), self._decisions(self._equal)
        partial, step, trapezoid = (float(self._areas[name]) for name in ("partial", "step", "trapezoid"))
        found = {
            f"partial_AUC(max_fpr={MAX_FPR})": math.nan if self.one_class else mcclish(partial / 2, MAX_FPR),
            "AP": min(step, 1.0) if self.positive else math.nan,
            "EER": equal_error_rate(equal),
            "EER(at=hull)": equal_error_rate(hull, at="hull"),
            "minDCF": minimum_detection_cost(hull),
            "hull_AUC": area_under_hull(hull),
            "AP(area=trapezoid)": min(trapezoid, 1.0) if self.positive else math.nan,
        }
        if self.probabilities:
            found |= calibration_values(self.losses["Brier"].mean, self._bins, hull)
        return found

    def requested(self) -> dict[str, float]:
        """Return the measures that were asked for beside the usual ones, by name; those of clipped losses are sums."""
        known = {"AUC": self.auc, **self.measures()}
        found, hull = {}, self._decisions(self._corners)
        for name in self._requested:
            chosen = chosen_measure(name)
            if str(chosen) in known:
                found[name] = known[str(chosen)]
            elif chosen.settings.get("max_fpr") == 1:
                found[name] = self.auc
            elif chosen.name in OF_THE_HULL:
                found[name] = chosen(hull)
            elif chosen.name not in ("log_loss", "Brier"):
                found[name] = self.sums.value(chosen, one_class=self.one_class)
        return found

    def _decisions(self, points: Points) -> Decisions:
        """Return some points of the ROC curve, and the last one, as decisions."""
        thresholds, tp, fp = points
        last = np.asarray([self.positive], tp.dtype), np.asarray([self.negative], fp.dtype)
        whole = (np.append(thresholds, -np.inf), np.append(tp, last[0]), np.append(fp, last[1]))
        return Decisions(*whole, 0, self.weighted)

    def add(self, chunk: ScoreCounts) -> None:
        """Add the scores that follow."""
        tp, fp = (np.cumsum(counts) + before for counts, before in zip(chunk[1:], self._so_far, strict=True))
        points = tuple(np.append(before, counts) for before, counts in zip(self._so_far, (tp, fp), strict=True))
        self._so_far = tp[-1].item(), fp[-1].item()
        self.num_distinct += len(tp)
        if self.threshold is not None:
            last = int(np.searchsorted(-chunk.thresholds, -self.threshold, side="right")) - 1
            if last >= 0:
                self._above = tp[last].item(), fp[last].item()
        self._add_areas(*points)
        self._keep((chunk.thresholds, tp, fp), (chunk.thresholds, tp, fp))
        positive, negative = self._totals
        if not self.one_class and not self.weighted:
            self.placements[0].add((2 * (negative - fp) + chunk.negatives) / (2 * negative), chunk.positives)
            self.placements[1].add((2 * tp - chunk.positives) / (2 * positive), chunk.negatives)
        if self.probabilities:
            self._add_losses(chunk)
            count = chunk.positives + chunk.negatives
            places = equal_mass_places(tp + fp, count, positive + negative, NUM_BINS)
            self._bins.add(chunk.thresholds, chunk.positives, count, places)
            self.sums.add_probabilities(chunk, tp + fp, positive + negative)
        self.sums.add_scores(chunk)

    def after(self, before: tuple[Any, Any]) -> StreamedScores:
        """Return where to add scores that follow these positives and negatives; `merge` adds them to those above."""
        return StreamedScores(
            self._totals,
            probabilities=self.probabilities,
            threshold=self.threshold,
            weighted=self.weighted,
            before=before,
            requested=self._requested,
        )

    def require_all(self) -> None:
        """Raise an error if scores are missing."""
        if not self.weighted and self._so_far != self._totals:
            self._changed()

    def merge(self, later: StreamedScores) -> None:
        """Add the scores of a range that follows; it is an error if others lie between the two."""
        if not self.weighted and later._begin != self._so_far:
            self._changed()
        self._so_far = later._so_far
        self.num_distinct += later.num_distinct
        self._above = self._above if later._above is None else later._above
        for mine, its in zip(self.placements, later.placements, strict=True):
            mine.merge(its)
        for name, losses in self.losses.items():
            losses.merge(later.losses[name])
        self.impossible += later.impossible
        self._twice_area += later._twice_area
        for name, area in self._areas.items():
            area.merge(later._areas[name])
        self._bins.merge(later._bins)
        self.sums.merge(later.sums)
        self._keep(later._corners, later._equal)

    def _changed(self) -> NoReturn:
        found = " and ".join(f"{count:,}" for count in self._so_far)
        problem = f"the rows changed between two readings: found {found} positives and negatives where others were"
        raise GermaneError(problem, hint="store the rows, and classify what was stored")

    def _add_areas(self, tp: Counts, fp: Counts) -> None:
        """Add the areas under the two curves between these points, of which the first was added before."""
        positive, negative = self._totals
        if not self.weighted and positive * negative >= EXACT_PRODUCT:
            self._twice_area += int(np.sum(np.diff(fp.astype(object)) * (tp[1:] + tp[:-1]).astype(object)))
        else:
            self._twice_area += np.sum(np.diff(fp) * (tp[1:] + tp[:-1])).item()
        if not self.one_class:
            self._areas["partial"].add(twice_areas_up_to(MAX_FPR, fp / negative, tp / positive))
            self.sums.add_curve(fp / negative, tp / positive)
        if positive:
            called = tp + fp
            precision = np.divide(tp, called, out=np.ones(len(called)), where=called > 0)
            for area in ("step", "trapezoid"):
                self._areas[area].add(areas_between(tp / positive, precision, area))

    def _keep(self, corners: Points, equal: Points) -> None:
        """Keep the corners of the hull so far, and the point so far where the two error rates are nearest."""
        positive, negative = self._totals
        thresholds, tp, fp = (np.append(*pair) for pair in zip(self._corners, corners, strict=True))
        # The origin and the last point belong to every hull.
        kept = concave_corners(np.concatenate(([0], fp, [negative])), np.concatenate(([0], tp, [positive])))
        kept = kept[(kept > 0) & (kept <= len(tp))] - 1
        self._corners = thresholds[kept], tp[kept], fp[kept]
        if self.one_class:
            return
        thresholds, tp, fp = (np.append(*pair) for pair in zip(self._equal, equal, strict=True))
        if len(tp):
            is_large = not self.weighted and positive * negative >= EXACT_PRODUCT
            kind = object if is_large else tp.dtype
            gap = np.abs(fp.astype(kind) * positive - (positive - tp.astype(kind)) * negative)
            at = [int(np.argmin(gap))]
            self._equal = thresholds[at], tp[at], fp[at]

    def _add_losses(self, chunk: ScoreCounts) -> None:
        counts = np.concatenate(chunk[1:])
        for name, losses_of in (("log_loss", log_losses_of), ("Brier", brier_losses_of)):
            losses = np.concatenate(losses_of(chunk.thresholds))
            infinite = np.isinf(losses)
            self.impossible += counts[infinite].sum().item()
            self.losses[name].add(losses[~infinite], counts[~infinite])
