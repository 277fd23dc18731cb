"""Cumulative gains and lift: how many of the positives are among the items with the highest scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from germane.catalogue import Range
from germane.errors import MeasureError
from germane.measures.decisions.measure import decision_measure
from germane.measures.decisions.scores.isotonic import with_origin
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.decisions import Decisions

Top = Annotated[float, Range(0, 1, without=(0,))]


@dataclass(frozen=True, eq=False)
class GainsCurve:
    """Points from no items to all of them: share of items, share of the positives among them, and lift."""

    share: FloatArray
    gain: FloatArray
    thresholds: FloatArray

    @property
    def lift(self) -> FloatArray:
        """Gain relative to that of a random choice; NaN for no items."""
        with np.errstate(invalid="ignore"):
            return self.gain / self.share


def gains_curve(decisions: Decisions) -> GainsCurve:
    """Return the share of items and of positives at or above every threshold, highest first.

    >>> curve = gains_curve(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]))
    >>> curve.share.tolist(), curve.gain.tolist(), curve.lift[1:].round(3).tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [2.0, 1.0, 1.333, 1.0])
    """
    tp, fp = with_origin(decisions)
    with np.errstate(invalid="ignore"):
        gain = tp / tp[-1]
    return GainsCurve((tp + fp) / (tp[-1] + fp[-1]), gain, np.concatenate(([np.inf], decisions.thresholds)))


@decision_measure("gain", of="scores", bounds=(0, 1), names=("cumulative gain", "capture rate"))
def gain(decisions: Decisions, *, at: Top = 0.1) -> float:
    """Share of the positives among the items with the highest scores, by default the top 10%.

    Formula:    expected positives in the top k items / all positives, with k = at · items
    Reference:  Ling & Li, "Data mining for direct marketing", KDD 1998.
    Edge cases: NaN without positives. Tied items are in random order, so those across the boundary count by the share
                of their ties within it, which is the expected value; so does a fraction of an item.

    >>> gain(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]), at=0.5)
    0.5
    >>> gain(Decisions.of([True, False, True, False], [0.9, 0.7, 0.7, 0.1]), at=0.5)      # ½ + ½ · ½
    0.75
    """
    if not 0 < at <= 1:
        raise MeasureError(f"expected a share above 0 and at most 1 for at, found {at:g}")
    if not decisions.num_positive:
        return math.nan
    # 0.1 · 30 is 3.0000000000000004; a top that ends so near a whole number of items ends at it.
    top = at * (decisions.num_positive + decisions.num_negative)
    top = round(top) if math.isclose(top, round(top), rel_tol=1e-12) else top
    return positives_within(decisions, top) / decisions.num_positive


@decision_measure("lift", of="scores", bounds=(0, math.inf))
def lift(decisions: Decisions, *, at: Top = 0.1) -> float:
    """Precision among the items with the highest scores relative to the prevalence; random scores have a lift of 1.

    Formula:    gain(at) / at
    Reference:  Ling & Li, "Data mining for direct marketing", KDD 1998.
    Edge cases: NaN without positives. At most 1 / at, and at most 1 / prevalence. Ties as for gain.

    >>> lift(Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1]), at=0.25)
    2.0
    """
    return gain(decisions, at=at) / at


def positives_within(decisions: Decisions, top: float) -> float:
    """Return the expected number of positives among this many items with the highest scores.

    >>> positives_within(Decisions.of([True, False, True], [0.9, 0.7, 0.7]), 2)
    1.5
    """
    tp, fp = with_origin(decisions)
    called = tp + fp
    place = min(int(np.searchsorted(called, top, side="left")), len(called) - 1)
    if called[place] <= top or place == 0:
        return float(tp[place])
    inside = (top - called[place - 1]) / (called[place] - called[place - 1])
    return float(tp[place - 1] + inside * (tp[place] - tp[place - 1]))
