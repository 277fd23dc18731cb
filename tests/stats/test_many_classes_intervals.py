"""Intervals and paired tests of areas over several classes: the influence of each item, against slow definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from germane.measures.decisions.scores.many_classes import ClassAreas, micro_area
from germane.measures.decisions.scores.probabilities import ProbabilityTable
from germane.measures.decisions.scores.ranked_columns import RankedColumn
from germane.stats.intervals.delong import auc_estimate, paired_delong
from germane.stats.intervals.many_classes import AVERAGED, Key, ap_estimate, area_estimate, influences
from germane.stats.significance.paired_tables import paired_areas, paired_losses
from germane.tables.decisions.decisions import Decisions
from tests.stats.many_classes_coverage import coverage

RANDOM = np.random.default_rng(7)
CODES = RANDOM.integers(0, 4, 40)
PLAIN = RANDOM.dirichlet(np.ones(4), 40)
TIED = np.asarray([[0.25, 0.25, 0.25, 0.25], [0.5, 0.25, 0.25, 0], [0, 0.5, 0.25, 0.25], [0, 0, 0.5, 0.5]])[
    RANDOM.integers(0, 4, 40)
]


def value(p: Any, codes: Any, weights: Any, key: Key) -> float:
    table = ProbabilityTable.of(p, codes, weights)
    return micro_area(table, key[0]) if key[1] == "micro" else ClassAreas.of(table).average(*key)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", AVERAGED, ids=" ".join)
@pytest.mark.parametrize("p", [PLAIN, TIED], ids=["plain", "tied"])
def test_the_influence_of_an_item_is_the_derivative_with_respect_to_its_weight(p: Any, key: Key) -> None:
    found, step, n = influences(ProbabilityTable.of(p, CODES), [key])[key], 1e-5, len(CODES)
    for item in range(0, n, 7):
        more, less = (np.ones(n) + sign * step * n * (np.arange(n) == item) for sign in (1, -1))
        slope = (value(p, CODES, more, key) - value(p, CODES, less, key)) / (2 * step)
        assert found.influence[item] == pytest.approx(slope, abs=1e-6)
    assert found.value == pytest.approx(value(p, CODES, None, key))
    assert found.influence.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("key", AVERAGED, ids=" ".join)
def test_whole_weights_are_repetitions(key: Key) -> None:
    weights = RANDOM.integers(1, 4, len(CODES))
    times = np.repeat(np.arange(len(CODES)), weights)
    once = influences(ProbabilityTable.of(TIED, CODES, weights), [key])[key]
    often = influences(ProbabilityTable.of(TIED[times], CODES[times]), [key])[key]
    assert once.value == pytest.approx(often.value)
    assert once.variance == pytest.approx(often.variance)


def test_with_two_classes_the_variance_is_delongs() -> None:
    codes = (CODES > 1).astype(np.int64)
    p = np.stack([PLAIN[:, :2].sum(axis=1), PLAIN[:, 2:].sum(axis=1)], axis=1)
    expected = auc_estimate(Decisions.of(codes == 1, p[:, 1].copy()))
    for average in ("macro", "ovo", "ovo weighted"):
        found = influences(ProbabilityTable.of(p, codes), [("AUC", average)])["AUC", average]
        estimate = area_estimate(found, "AUC", average, level=0.95)
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx(
            (expected.value, expected.low, expected.high)
        )
        assert estimate.method == expected.method


def test_a_paired_difference_of_two_classes_is_delongs() -> None:
    codes, columns = (CODES > 1).astype(np.int64), (PLAIN[:, 0].copy(), TIED[:, 2].copy())
    tables = [ProbabilityTable.of(np.stack([1 - p, p], axis=1), codes) for p in columns]
    a, b = (influences(table, [("AUC", "macro")])["AUC", "macro"] for table in tables)
    ours, theirs = paired_areas(a, b), paired_delong(codes == 1, *columns)
    assert (ours.difference, ours.low, ours.high, ours.p) == pytest.approx(
        (theirs.difference, theirs.low, theirs.high, theirs.p)
    )


def test_a_paired_difference_without_spread() -> None:
    table = ProbabilityTable.of(PLAIN, CODES)
    area = influences(table, [("AUC", "ovo")])["AUC", "ovo"]
    assert paired_areas(area, area).p == 1
    one = influences(ProbabilityTable.of(np.eye(3), [0, 1, 2]), [("AUC", "ovo")])["AUC", "ovo"]
    assert "only one item" in paired_areas(one, one).remark


def test_losses_are_compared_by_the_paired_t_test() -> None:
    a, b = RANDOM.random(30), RANDOM.random(30)
    found, expected = paired_losses(a, b), stats.ttest_rel(b, a)
    low, high = expected.confidence_interval()
    assert (found.statistic, found.p, found.low, found.high) == pytest.approx(
        (expected.statistic, expected.pvalue, low, high)
    )
    assert paired_losses(a, a).p == 1
    assert "no spread" in paired_losses(a, a + 1).remark
    assert paired_losses([0.5], [0.25]).remark == "only one item"
    infinite = paired_losses([0.5, 0.5], [0.5, math.inf])
    assert infinite.difference == math.inf
    assert "clip the probabilities" in infinite.remark


def test_there_is_no_interval_without_two_items_of_each_class() -> None:
    for codes, p, why in (
        ([0, 1, 2, 0], TIED[:4, :3] / TIED[:4, :3].sum(axis=1, keepdims=True), "a class has only one item"),
        ([0, 0, 1, 1], np.asarray([[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]), "the variance is 0"),
        ([0, 0], np.asarray([[0.9, 0.1], [0.8, 0.2]]), "requires items of at least two classes"),
    ):
        table = ProbabilityTable.of(p, codes)
        found = area_estimate(influences(table, [("AUC", "macro")])["AUC", "macro"], "AUC", "macro", level=0.95)
        assert not found.has_interval
        assert why in found.remark
    weighted = ProbabilityTable.of(PLAIN, CODES, np.full(len(CODES), 0.5))
    found = ap_estimate(RankedColumn.of(weighted, 0).decisions, level=0.95)
    assert (found.has_interval, found.remark) == (False, "weights are not integers")


def test_few_items_of_a_class_are_said() -> None:
    found = influences(ProbabilityTable.of(PLAIN, CODES), [("AP", "macro"), ("AUC", "weighted")])
    smallest = int(np.bincount(CODES).min())
    said = f"the smallest class has {smallest} items: may cover less than 95%"
    assert area_estimate(found["AP", "macro"], "AP", "macro", level=0.95).remark == said
    assert area_estimate(found["AUC", "weighted"], "AUC", "weighted", level=0.95).remark == ""


def test_the_plain_scale_is_symmetric() -> None:
    found = influences(ProbabilityTable.of(PLAIN, CODES), [("AUC", "ovo")])["AUC", "ovo"]
    estimate = area_estimate(found, "AUC", "ovo", level=0.95, scale="plain")
    assert estimate.method == "delong"
    assert estimate.high - estimate.value == pytest.approx(estimate.value - estimate.low)
    assert estimate.high - estimate.value == pytest.approx(stats.norm.ppf(0.975) * math.sqrt(found.variance))


def test_intervals_cover() -> None:
    """A few hundred samples: far off is a mistake; the table is printed by `tests/stats/many_classes_coverage.py`."""
    for key, (share, there) in coverage(100, 300, "equal").items():
        assert there == 1, key
        assert 0.91 < share < 0.99, key
