"""Labels sorted by score, with counts at or above each score: the common input of all measures of scores.

Every curve, rate, threshold rule, calibration and interval is computed from these few columns. An item counts as
positive when its score is at or above the threshold.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from germane.arguments import checked
from germane.errors import GermaneError
from germane.tables.columns.aligned_columns import aligned_columns
from germane.tables.columns.ids import BoolArray, FloatArray
from germane.tables.columns.one_column import one_column
from germane.tables.decisions.confusion import Cells, Counts, Label
from germane.tables.decisions.sorted_scores import sort_scores
from germane.tables.decisions.threshold_text import threshold_text
from germane.tables.decisions.weights import as_weights
from germane.tables.results.result import Displayed


@dataclass(frozen=True, eq=False)
class Decisions(Displayed):
    """Counts of positives and negatives at or above each distinct score, highest first.

    Counts are integers unless the weights of the items were not (`weighted`); `num_rows` is the number of items,
    whatever their weights.

    >>> seen = Decisions.of([True, True, False, True], [0.9, 0.8, 0.8, 0.4])
    >>> seen.thresholds.tolist(), seen.true_positives.tolist(), seen.false_positives.tolist()
    ([0.9, 0.8, 0.4], [1, 2, 3], [0, 1, 1])
    """

    thresholds: FloatArray
    true_positives: Counts
    false_positives: Counts
    num_rows: int
    weighted: bool = False
    positive: Label = True

    @classmethod
    @checked
    def of(
        cls,
        is_positive: npt.ArrayLike,
        score: npt.ArrayLike,
        weight: npt.ArrayLike | None = None,
        *,
        positive: Label = True,
    ) -> Decisions:
        """Return decisions from labels and scores, sorted by score; whole-number weights mean repetition."""
        given = aligned_columns({"is_positive": is_positive, "score": score, "weight": weight}, "decisions")
        weight = given["weight"]
        truth = _as_truth(_array(given["is_positive"], "truth"))
        scores = _array(given["score"], "score")
        if truth.shape != scores.shape or truth.ndim != 1:
            raise GermaneError(f"expected as many scores as labels, found {_shown(scores)} and {_shown(truth)}")
        if not len(scores):
            raise GermaneError("expected at least one score, found none")
        if scores.dtype.kind not in "iuf":
            scores = _as_numbers(scores)
        found = sort_scores(truth, scores)
        if isinstance(found, int):
            raise GermaneError(f"expected a number as score, found NaN in row {found + 1}")
        if weight is None:
            return cls(*found, len(scores), positive=positive)
        weights = as_weights(weight, len(scores))
        # Thresholds fall, so search for each score among their negatives, which rise.
        place = np.searchsorted(-found.thresholds, -scores.astype(np.float64))
        above, wrong = (
            np.cumsum(np.bincount(place, weights=weights * own, minlength=len(found.thresholds))).astype(weights.dtype)
            for own in (truth, ~truth)
        )
        return cls(found.thresholds, above, wrong, len(scores), weights.dtype.kind == "f", positive)

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def num_positive(self) -> float:
        """Total weight of the positives (their number, without weights)."""
        return cast("float", self.true_positives[-1].item())

    @property
    def num_negative(self) -> float:
        """Total weight of the negatives (their number, without weights)."""
        return cast("float", self.false_positives[-1].item())

    @cached_property
    def positives_at(self) -> Counts:
        """Number of positives with exactly this score."""
        return np.diff(self.true_positives, prepend=self.true_positives.dtype.type(0))

    @cached_property
    def negatives_at(self) -> Counts:
        """Number of negatives with exactly this score."""
        return np.diff(self.false_positives, prepend=self.false_positives.dtype.type(0))

    @property
    def cells(self) -> Cells:
        """The four cells at every threshold."""
        tp, fp = self.true_positives, self.false_positives
        return Cells(tp, fp, tp[-1] - tp, fp[-1] - fp)

    def at(self, threshold: float) -> Cells:
        """Return the four cells at one threshold, which need not be a score that occurs.

        >>> Decisions.of([True, False], [0.9, 0.2]).at(0.5)
        Cells(TP=1, FP=0, FN=0, TN=1)
        """
        place = int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1
        tp, fp = (each[place].item() if place >= 0 else 0 for each in (self.true_positives, self.false_positives))
        return Cells(tp, fp, self.num_positive - tp, self.num_negative - fp)

    def text(self, threshold: float) -> str:
        """Return the shortest decimal that gives the same cells as a threshold.

        >>> Decisions.of([True, False], [0.8765432, 0.8765431]).text(0.8765432)
        '0.8765432'
        """
        return threshold_text(threshold, self.thresholds)

    @property
    def one_class(self) -> bool:
        """Whether positives or negatives are missing, so that measures of both are undefined."""
        return not (self.num_positive and self.num_negative)


def _as_truth(truth: npt.NDArray[Any]) -> BoolArray:
    # A view of bytes as Booleans may hold any byte, which the kernels would count by.
    if truth.dtype.kind == "b":
        return np.asarray(truth.view(np.uint8) != 0)
    if len(truth) and not np.isin(truth, (0, 1)).all():  # -1 and "no" would both count as true
        hint = "pass Booleans, such as labels == positive"
        raise GermaneError("expected True or False for each item, found other values", hint=hint)
    return truth.astype(np.bool_)


def _array(given: Any, role: str) -> npt.NDArray[Any]:
    column = one_column(given, role, "decisions")
    try:
        return np.asarray(column)
    except (TypeError, ValueError):
        raise GermaneError("expected a value for each item, found rows of several lengths") from None


def _as_numbers(scores: npt.NDArray[Any]) -> FloatArray:
    with suppress(TypeError, ValueError):
        if scores.dtype.kind in "bO":
            return scores.astype(np.float64)
    raise GermaneError(f"expected numbers as scores, found an array of {scores.dtype}")


def _shown(column: npt.NDArray[Any]) -> str:
    return str(len(column)) if column.ndim == 1 else f"an array of shape {column.shape}"
