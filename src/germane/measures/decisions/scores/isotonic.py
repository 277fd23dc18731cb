"""The convex hull of a ROC curve, which is also the isotonic fit of the outcomes to the scores.

The corners of the hull divide the scores into blocks. The share of positives in a block is the value that the
pool-adjacent-violators algorithm (PAV) fits to all of its scores.
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
"""Largest product of counts computed in 64-bit integers, with room for one sum."""
WORTH_A_SWEEP = 16
"""Switch from sweeps to the point-by-point walk once a sweep drops fewer than 1 in this many points."""


@dataclass(frozen=True, eq=False)
class IsotonicFit:
    """Blocks of scores, highest first: index of the last threshold, positives and negatives of each."""

    last: IntArray
    positives: Counts
    negatives: Counts

    @property
    def share(self) -> FloatArray:
        """Share of positives in each block, decreasing from block to block."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.positives / (self.positives + self.negatives))

    @cached_property
    def block(self) -> IntArray:
        """Block index of each distinct score."""
        sizes = np.diff(self.last, prepend=-1)
        return np.repeat(np.arange(len(sizes)), sizes)


def isotonic_fit(decisions: Decisions) -> IsotonicFit:
    """Fit the non-decreasing function of the score that minimises the squared error (and the log-loss).

    Reference: Ayer et al., Annals of Mathematical Statistics 26 (1955), 641-647; Fawcett & Niculescu-Mizil, Machine
    Learning 68 (2007), 97-106, on why it is the hull.

    >>> fit = isotonic_fit(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]))
    >>> fit.share.tolist(), fit.block.tolist()
    ([1.0, 0.5, 0.0], [0, 1, 1, 2])
    """
    corners = hull_corners(decisions)
    if len(corners) == 1:  # all weights are 0
        corners = np.append(corners, len(decisions))
    true_positives, false_positives = with_origin(decisions)
    last = corners[1:] - 1
    last[-1] = len(decisions) - 1  # scores with weight 0 at the end belong to the last block
    return IsotonicFit(last, np.diff(true_positives[corners]), np.diff(false_positives[corners]))


def hull_corners(decisions: Decisions) -> IntArray:
    """Return the points of the ROC curve that are corners of its hull; 0 is the origin, i the i-th threshold."""
    true_positives, false_positives = with_origin(decisions)
    return concave_corners(false_positives, true_positives)


def with_origin(decisions: Decisions) -> tuple[Counts, Counts]:
    """Return true and false positives at every threshold, preceded by 0 for an infinite threshold."""
    tp, fp = decisions.true_positives, decisions.false_positives
    # np.insert would take ten times as long, and resampling calls this thousands of times.
    return np.concatenate((tp[:1] * 0, tp)), np.concatenate((fp[:1] * 0, fp))


def concave_corners(x: Counts, y: Counts) -> IntArray:
    """Return the corners of the least concave line above points with non-decreasing coordinates; exact for integers.

    >>> concave_corners(np.asarray([0, 0, 1, 1, 2]), np.asarray([0, 1, 1, 2, 2])).tolist()
    [0, 1, 3, 4]
    """
    if x.dtype.kind != "f" and int(x[-1]) * int(y[-1]) >= EXACT_PRODUCT:
        x, y = x.astype(object), y.astype(object)
    moved = (np.diff(x) != 0) | (np.diff(y) != 0)
    places = np.flatnonzero(np.concatenate([[True], moved]))
    # A point that is not above the line between any two others is not a corner. So drop all points that are not above
    # the line between their neighbours at once; jagged curves lose most points in a few sweeps.
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
    """Return whether each inner point is above the line between its neighbours."""
    rise, run = np.diff(y), np.diff(x)
    return rise[:-1] * (run[:-1] + run[1:]) > run[:-1] * (rise[:-1] + rise[1:])


def _walk(x: Counts, y: Counts, places: IntArray) -> IntArray:
    """Find the corners by Andrew's monotone chain: linear in the worst case, but a Python loop."""
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
