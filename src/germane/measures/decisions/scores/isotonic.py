"""The convex hull of a ROC curve, which is also the isotonic fit of the outcomes to the scores: one routine for both.

The corners of the hull cut the scores into blocks. Within a block no score tells more than another, and the share of
positives there is what the pool-adjacent-violators algorithm (PAV) fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from germane.tables.columns.ids import FloatArray, IntArray
from germane.tables.decisions.confusion import Counts
from germane.tables.decisions.decisions import Decisions

EXACT_PRODUCT = 1 << 62
"""Products of counts up to here fit a 64-bit integer, with room for one sum."""
WORTH_A_SWEEP = 16
"""A sweep that finds fewer than one point in so many to drop is followed by the walk from point to point."""


@dataclass(frozen=True, eq=False)
class IsotonicFit:
    """Blocks of scores, highest first: where each ends among the thresholds, and what it holds."""

    last: IntArray
    positives: Counts
    negatives: Counts

    @property
    def share(self) -> FloatArray:
        """The share of positives in each block: falls from block to block."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.positives / (self.positives + self.negatives))

    @cached_property
    def block(self) -> IntArray:
        """The block of each distinct score."""
        sizes = np.diff(self.last, prepend=-1)
        return np.repeat(np.arange(len(sizes)), sizes)


def isotonic_fit(decisions: Decisions) -> IsotonicFit:
    """The non-decreasing function of the score that is nearest to the outcomes, in squares (and in log-loss).

    Reference: Ayer et al., Annals of Mathematical Statistics 26 (1955), 641-647; Fawcett & Niculescu-Mizil, Machine
    Learning 68 (2007), 97-106, on why it is the hull.

    >>> fit = isotonic_fit(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]))
    >>> fit.share.tolist(), fit.block.tolist()
    ([1.0, 0.5, 0.0], [0, 1, 1, 2])
    """
    corners = hull_corners(decisions)
    if len(corners) == 1:  # nothing has any weight
        corners = np.append(corners, len(decisions))
    true_positives, false_positives = with_origin(decisions)
    last = corners[1:] - 1
    last[-1] = len(decisions) - 1  # scores of no weight at the end belong to the last block
    return IsotonicFit(last, np.diff(true_positives[corners]), np.diff(false_positives[corners]))


def hull_corners(decisions: Decisions) -> IntArray:
    """Which points of the ROC curve are corners of its hull; point 0 is the origin, point i the i-th threshold."""
    true_positives, false_positives = with_origin(decisions)
    return concave_corners(false_positives, true_positives)


def with_origin(decisions: Decisions) -> tuple[Counts, Counts]:
    """True and false positives at every threshold, after those at a threshold that nothing reaches."""
    tp, fp = decisions.true_positives, decisions.false_positives
    # np.insert would take ten times as long, and resampling comes here thousands of times.
    return np.concatenate((tp[:1] * 0, tp)), np.concatenate((fp[:1] * 0, fp))


def concave_corners(x: Counts, y: Counts) -> IntArray:
    """The corners of the least concave line above the points; neither coordinate ever falls. Exact for whole numbers.

    >>> concave_corners(np.asarray([0, 0, 1, 1, 2]), np.asarray([0, 1, 1, 2, 2])).tolist()
    [0, 1, 3, 4]
    """
    if x.dtype.kind != "f" and int(x[-1]) * int(y[-1]) >= EXACT_PRODUCT:
        x, y = x.astype(object), y.astype(object)
    moved = (np.diff(x) != 0) | (np.diff(y) != 0)
    places = np.flatnonzero(np.concatenate([[True], moved]))
    # A point that is not above the line between two others is no corner, whichever others these are. So all that are
    # not above the line between their neighbours go at once; curves that go up and down lose most points in few sweeps.
    while len(places) > 2:
        kept = np.ones(len(places), dtype=np.bool_)
        kept[1:-1] = _above(x[places], y[places])
        dropped = len(places) - int(kept.sum())
        places = places[kept]
        if not dropped:
            return places
        if dropped * WORTH_A_SWEEP < len(places):
            return _walk(x, y, places)
    return places


def _above(x: Any, y: Any) -> Any:
    """Whether each inner point is above the line between its neighbours."""
    rise, run = np.diff(y), np.diff(x)
    return rise[:-1] * (run[:-1] + run[1:]) > run[:-1] * (rise[:-1] + rise[1:])


def _walk(x: Counts, y: Counts, places: IntArray) -> IntArray:
    """Andrew's monotone chain: linear in the worst case, and a Python loop."""
    xs, ys = x[places].tolist(), y[places].tolist()
    corners: list[int] = []
    for i in range(len(xs)):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (ys[b] - ys[a]) * (xs[i] - xs[a]) > (xs[b] - xs[a]) * (ys[i] - ys[a]):
                break
            corners.pop()
        corners.append(i)
    return places[np.asarray(corners, dtype=np.int64)]
