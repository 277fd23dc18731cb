"""Items of one classifier as codes, scores and losses, for statistics that need them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from germane.measures.decisions.names import base_name
from germane.measures.decisions.requests import chosen_measure
from germane.measures.decisions.scores.probabilities import (
    ProbabilityTable,
    brier_losses_of,
    clipped,
    log_losses_of,
)
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.confusion import Label
from germane.tables.decisions.labels import encode_labels
from germane.tables.decisions.weights import as_weights
from germane.tables.results.performance import Performance


@dataclass(frozen=True, eq=False)
class CodedItems:
    """True and predicted classes as indices into `labels`, scores of the positive class, probabilities and weights."""

    num_items: int
    labels: tuple[Label, ...] = ()
    truth: IntArray | None = None
    called: IntArray | None = None
    is_positive: BoolArray | None = None
    score: FloatArray | None = None
    table: ProbabilityTable | None = None
    weight: FloatArray | None = None

    def cells_of(self, place: int) -> IntArray:
        """Return the cell of each item where one class is positive: 0 TP, 1 FP, 2 FN, 3 TN."""
        assert self.truth is not None
        assert self.called is not None
        return np.asarray(2 * (self.called != place) + (self.truth != place), dtype=np.int64)

    @property
    def wrong(self) -> IntArray:
        """Whether each prediction is wrong: 1 if it is, else 0."""
        assert self.truth is not None
        return np.asarray(self.truth != self.called, dtype=np.int64)

    @property
    def pairs(self) -> IntArray:
        """The cell of the confusion matrix of each item, row by row."""
        assert self.truth is not None
        assert self.called is not None
        return self.truth * len(self.labels) + self.called

    def losses(self, name: str) -> FloatArray | None:
        """Return the loss of each item, for measures that are a mean of losses."""
        measure, table = base_name(name), self.table
        if measure not in ("log_loss", "Brier"):
            return None
        clip = chosen_measure(name).settings["clip"] if measure == "log_loss" else None
        if table is not None:
            return table.log_losses(clip) if measure == "log_loss" else table.brier_losses()
        if self.score is None or self.is_positive is None:
            return None
        positive, negative = (
            log_losses_of(clipped(self.score, clip)) if measure == "log_loss" else brier_losses_of(self.score)
        )
        return np.where(self.is_positive, positive, negative)


def coded_items(
    found: Performance, truth: Any, y_pred: Any, y_score: Any, table: ProbabilityTable | None, weight: Any
) -> CodedItems:
    """Return the items as `found` counted them."""
    known = encode_labels(truth, "truth", found.name)
    decisions, confusion = found.decisions, found.confusion
    labels = () if confusion is None else confusion.labels
    score = is_positive = true = called = None
    if decisions is not None:
        score = np.asarray(y_score, dtype=np.float64)
        at = known.values.index(decisions.positive) if decisions.positive in known.values else -1
        is_positive = known.codes == at
    if confusion is not None and y_pred is not None:
        columns = known, encode_labels(y_pred, "prediction", found.name)
        places = [np.asarray([confusion.place(label) for label in column.values]) for column in columns]
        true, called = (each[column.codes].astype(np.int64) for each, column in zip(places, columns, strict=True))
    elif confusion is not None and is_positive is not None and score is not None and decisions is not None:
        threshold = -np.inf if found.threshold is None else found.threshold
        at = labels.index(decisions.positive)
        true, called = (np.where(side, at, 1 - at).astype(np.int64) for side in (is_positive, score >= threshold))
    elif table is not None:
        true, called = table.codes, np.argmax(table.probabilities, axis=1).astype(np.int64)
    weights = None if weight is None else as_weights(weight, len(known)).astype(np.float64)
    return CodedItems(len(known), labels, true, called, is_positive, score, table, weights)
