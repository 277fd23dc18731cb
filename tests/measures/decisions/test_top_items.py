"""Precision and recall among the top k: by hand, over all orders of ties, and for scores of a detector of outliers."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import germane as ge
from germane.measures.decisions.scores.top_items import top_precision, top_recall
from germane.tables.decisions.decisions import Decisions

BY_HAND = [
    # truth         scores              k  precision  recall  why
    ([1, 0, 1, 0],  [4, 3, 2, 1],       1, 1.0,       0.5,    "the first is found"),
    ([1, 0, 1, 0],  [4, 3, 2, 1],       2, 0.5,       0.5,    "one of two"),
    ([1, 0, 1, 0],  [4, 3, 2, 1],       9, 0.5,       1.0,    "fewer than k: all four"),
    ([1, 0, 1, 0],  [4, 3, 3, 1],       2, 0.75,      0.75,   "one tied item of two: half a positive"),
    ([1, 0, 0, 0],  [2, 2, 2, 2],       1, 0.25,      0.25,   "all tied: chance"),
    ([0, 0],        [2, 1],             1, 0.0,       None,   "no positive"),
]  # fmt: skip


@pytest.mark.parametrize(("truth", "scores", "k", "precision", "recall", "why"), BY_HAND)
def test_the_top_by_hand(truth: Any, scores: Any, k: int, precision: float, recall: float | None, why: str) -> None:
    seen = Decisions.of(np.asarray(truth) == 1, scores)
    assert top_precision(seen, k=k) == pytest.approx(precision), why
    found = top_recall(seen, k=k)
    assert math.isnan(found) if recall is None else found == pytest.approx(recall), why


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=6), st.integers(1, 6))
def test_ties_count_their_mean_over_all_orders(rows: Any, k: int) -> None:
    seen = Decisions.of(np.asarray([positive for positive, _ in rows]), [score for _, score in rows])
    orders = [
        order for order in permutations(rows) if [s for _, s in order] == sorted((s for _, s in rows), reverse=True)
    ]
    mean = np.mean([sum(positive for positive, _ in order[:k]) for order in orders])
    assert top_precision(seen, k=k) == pytest.approx(mean / min(k, len(rows)))


def test_scores_of_a_detector_of_outliers_are_those_of_a_classifier() -> None:
    truth, strange = [0, 0, 1, 0, 0, 1, 0, 0], [0.1, 0.4, 2.9, 0.3, 1.6, 2.2, 0.7, 0.2]
    (found,) = ge.classify(truth, y_score=strange, positive=1, measures="AUC AP top_precision(k=3) top_recall(k=3)")
    values = {name: each.value for name, each in found.overall.items()}
    assert values == {"AUC": 1.0, "AP": 1.0, "top_precision(k=3)": pytest.approx(2 / 3), "top_recall(k=3)": 1.0}
