"""Precision and recall among the k items with the highest scores, as people review them."""

from __future__ import annotations

import math

import numpy as np

from germane.catalogue.parameters import Count
from germane.measures.decisions.measure import decision_measure
from germane.tables.decisions.decisions import Decisions


@decision_measure("top_precision", of="scores", bounds=(0, 1), names=("precision at k",))
def top_precision(decisions: Decisions, *, k: Count = 10) -> float:
    """Share of positives among the k items with the highest scores.

    Formula:    (positives among the top k) / k
    Reference:  Campos et al., Data Mining and Knowledge Discovery 30 (2016), 891-927, for outliers.
    Edge cases: of items that are tied at the cut, the expected number in random order counts. With fewer than k items,
                all of them count. NaN without items.

    >>> top_precision(Decisions.of([True, False, True, False], [0.9, 0.8, 0.8, 0.1]), k=2)      # (1 + ½) / 2
    0.75
    """
    total = decisions.num_positive + decisions.num_negative
    return _found(decisions, k) / min(k, total) if total else math.nan


@decision_measure("top_recall", of="scores", bounds=(0, 1), names=("recall at k",))
def top_recall(decisions: Decisions, *, k: Count = 10) -> float:
    """Share of all positives that are among the k items with the highest scores.

    Formula:    (positives among the top k) / positives
    Reference:  Campos et al., Data Mining and Knowledge Discovery 30 (2016), 891-927, for outliers.
    Edge cases: of items that are tied at the cut, the expected number in random order counts. NaN without positives.

    >>> top_recall(Decisions.of([True, False, True, False], [0.9, 0.8, 0.8, 0.1]), k=2)         # (1 + ½) / 2
    0.75
    """
    return _found(decisions, k) / decisions.num_positive if decisions.num_positive else math.nan


def _found(decisions: Decisions, k: int) -> float:
    """Return the expected number of positives among the k items with the highest scores."""
    positives = np.concatenate([[0], decisions.true_positives])
    items = np.concatenate([[0], decisions.true_positives + decisions.false_positives])
    return float(np.interp(k, items, positives))
