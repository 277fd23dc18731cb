"""Clusterings against classes: by hand, then scikit-learn's numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.metrics.cluster import expected_mutual_information

from germane.errors import MeasureError
from germane.measures.decisions.clustering import (
    MEANS,
    adjusted_mutual_information,
    adjusted_rand,
    completeness,
    contingency,
    homogeneity,
    inverse_purity,
    normalised_mutual_information,
    pair_f,
    purity,
    rand,
    v_measure,
)
from germane.measures.decisions.measure import DECISION_MEASURES

# Manning, Raghavan & Schütze, figure 16.4: crosses, circles and diamonds in three clusters of 6, 6 and 5.
IIR = [[5, 1, 2], [1, 4, 0], [0, 1, 3]]

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


def test_the_book_by_hand() -> None:
    assert purity(IIR) == float(Fraction(12, 17))
    assert round(normalised_mutual_information(IIR), 2) == 0.36
    assert rand(IIR) == float(Fraction(20 + 72, 136))
    precision, recall = Fraction(20, 40), Fraction(20, 44)
    assert pair_f(IIR) == pytest.approx(float(2 * precision * recall / (precision + recall)))
    assert pair_f(IIR, beta=5) == pytest.approx(float(26 * precision * recall / (25 * precision + recall)))
    # The mean over tables with these margins: 44 · 40 / 136 pairs.
    chance = Fraction(44 * 40, 136)
    assert adjusted_rand(IIR) == float((20 - chance) / (42 - chance))


@settings(max_examples=30)
@given(rows=LABELS)
def test_equal_to_scikit_learn(rows: list[tuple[int, int]]) -> None:
    truth, clusters = (list(column) for column in zip(*rows, strict=True))
    table = contingency(truth, clusters)
    assert table.tolist() == metrics.cluster.contingency_matrix(truth, clusters).tolist()
    expected: dict[Any, float] = {
        adjusted_rand: metrics.adjusted_rand_score(truth, clusters),
        rand: metrics.rand_score(truth, clusters),
        homogeneity: metrics.homogeneity_score(truth, clusters),
        completeness: metrics.completeness_score(truth, clusters),
        v_measure: metrics.v_measure_score(truth, clusters),
    }
    for ours, theirs in expected.items():
        assert ours(table) == pytest.approx(theirs, rel=1e-9, abs=1e-9), ours.name
    assert v_measure(table, beta=2.5) == pytest.approx(metrics.v_measure_score(truth, clusters, beta=2.5), abs=1e-9)
    for mean in MEANS:
        nmi = metrics.normalized_mutual_info_score(truth, clusters, average_method=mean)
        assert normalised_mutual_information(table, mean=mean) == pytest.approx(nmi, abs=1e-9)
        if abs(_room(table, mean)) > 1e-9:
            ami = metrics.adjusted_mutual_info_score(truth, clusters, average_method=mean)
            assert adjusted_mutual_information(table, mean=mean) == pytest.approx(max(ami, -1), abs=1e-7)
    # The other side of purity, by going through the items.
    most = {c: max(map(clusters_of(truth, clusters, c).count, set(clusters))) for c in set(truth)}
    assert inverse_purity(table) == pytest.approx(sum(most.values()) / len(truth))


def clusters_of(truth: list[int], clusters: list[int], of: int) -> list[int]:
    return [cluster for label, cluster in zip(truth, clusters, strict=True) if label == of]


def _room(table: Any, mean: str) -> float:
    """How far the mean of the entropies lies above the information by chance: without room, AMI means nothing."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    of_rows, of_columns = (stats.entropy(sizes) for sizes in (rows, columns))
    combined = {
        "arithmetic": (of_rows + of_columns) / 2,
        "geometric": math.sqrt(of_rows * of_columns),
        "min": min(of_rows, of_columns),
        "max": max(of_rows, of_columns),
    }[mean]
    return float(combined - expected_mutual_information(table, int(table.sum())))


def test_no_items_are_nan_for_every_measure() -> None:
    for measure in DECISION_MEASURES:
        if measure.of == "clusters":
            assert math.isnan(measure([[0, 0], [0, 0]])), measure.name


def test_empty_classes_and_clusters_change_nothing() -> None:
    padded = np.zeros((4, 5), dtype=int)
    padded[:3, 1:4] = IIR
    for measure in DECISION_MEASURES:
        if measure.of == "clusters":
            assert measure(padded) == pytest.approx(measure(IIR), rel=1e-12), measure.name


@pytest.mark.parametrize("table", [[[0.5]], [[-1]], [1, 2], [[]]])
def test_bad_tables_are_refused(table: Any) -> None:
    with pytest.raises(MeasureError, match="expected a table of counts"):
        purity(table)


def test_wrong_choices_are_named() -> None:
    with pytest.raises(MeasureError, match="harmonic"):
        normalised_mutual_information(IIR, mean="harmonic")
    with pytest.raises(MeasureError, match="beta"):
        pair_f(IIR, beta=0)
    with pytest.raises(MeasureError, match="found 1 classes and 2 clusters"):
        contingency([1], [1, 2])
