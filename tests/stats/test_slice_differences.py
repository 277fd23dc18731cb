"""Differences between slices: against scipy, by hand, and with clusters on both sides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from germane.measures.decisions.rates import RATES
from germane.stats.groups.clustered_auc import auc_deviations
from germane.stats.groups.slice_differences import (
    ONE_SIDE,
    bootstrap_of_cells,
    bootstrap_of_items,
    difference_of_aucs,
    difference_of_clustered_proportions,
    difference_of_means,
    difference_of_proportions,
    difference_of_ratios,
)
from germane.stats.intervals.delong import auc_estimate
from germane.tables.columns.ids import FloatArray
from germane.tables.decisions.confusion import Cells
from germane.tables.decisions.decisions import Decisions

RNG = np.random.default_rng(8)
NUM = 200
NINES = np.repeat(np.arange(4), 9)
IS_B = RNG.random(NUM) < 0.4
TRUTH = RNG.random(NUM) < 0.5
SCORES: FloatArray = RNG.normal(size=NUM) + TRUTH
LOSSES: FloatArray = RNG.random(NUM) + (0.2 * IS_B)


def test_proportions_have_the_n_minus_1_chi_squared_test() -> None:
    found = difference_of_proportions((48, 80), (56, 70))
    chi_squared = stats.chi2_contingency([[48, 32], [56, 14]], correction=False).statistic * 149 / 150
    assert found.statistic == pytest.approx(chi_squared)
    assert found.p == pytest.approx(stats.chi2.sf(chi_squared, 1))
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)  # Newcombe 1998, table II


@pytest.mark.parametrize("successes", [(0, 0), (10, 20)])
def test_proportions_of_0_or_1_on_both_sides_do_not_differ(successes: tuple[int, int]) -> None:
    found = difference_of_proportions((successes[0], 10), (successes[1], 20))
    assert (found.difference, found.p) == (0, 1)
    assert found.low < 0 < found.high


def test_means_have_welchs_test() -> None:
    a, b = LOSSES[~IS_B], LOSSES[IS_B]
    found, expected = difference_of_means(a, b), stats.ttest_ind(b, a, equal_var=False)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    interval = expected.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_independent_areas_have_the_sum_of_delongs_variances() -> None:
    sides = [(TRUTH[of], SCORES[of]) for of in (~IS_B, IS_B)]
    a, b = (auc_deviations(truth, score, np.arange(len(truth))) for truth, score in sides)
    found = difference_of_aucs(a, b, clustered=False)
    widths = [e.high - e.low for e in (auc_estimate(Decisions.of(*side), scale="plain") for side in sides)]
    assert found.high - found.low == pytest.approx(math.hypot(*widths))
    assert found.difference == pytest.approx(b.value - a.value)


def test_ratios_of_clusters_of_one_item_have_almost_the_variance_of_independent_ones() -> None:
    right, ones = TRUTH.astype(float), np.ones(NUM)
    found = difference_of_ratios(right, ones, IS_B, np.arange(NUM))
    shares = [(right[of].mean(), int(of.sum())) for of in (~IS_B, IS_B)]
    error = math.sqrt(sum(p * (1 - p) / n for p, n in shares) * NUM / (NUM - 1))
    assert found.difference == pytest.approx(shares[1][0] - shares[0][0])
    assert found.high - found.difference == pytest.approx(stats.t.ppf(0.975, NUM - 1) * error)


def test_proportions_of_clusters_of_one_item_are_those_of_independent_items() -> None:
    right, ones = TRUTH.astype(float), np.ones(NUM)
    found = difference_of_clustered_proportions(right, ones, IS_B, np.arange(NUM))
    counts = [(float(right[of].sum()), float(of.sum())) for of in (~IS_B, IS_B)]
    plain = difference_of_proportions(counts[0], counts[1])
    assert (found.difference, found.low, found.high, found.p) == pytest.approx(
        (plain.difference, plain.low, plain.high, plain.p)
    )


def test_copies_within_clusters_make_no_proportion_more_certain() -> None:
    right, clusters = np.tile(TRUTH.astype(float), 4), np.tile(np.arange(NUM), 4)
    found = difference_of_clustered_proportions(right, np.ones(4 * NUM), np.tile(IS_B, 4), clusters)
    once = difference_of_clustered_proportions(TRUTH.astype(float), np.ones(NUM), IS_B, np.arange(NUM))
    assert (found.p, found.low) == pytest.approx((once.p, once.low), abs=0.01)


def test_a_cluster_on_both_sides_makes_the_difference_more_certain() -> None:
    """Patients whose two sides are alike: their difference is known better than from independent sides."""
    patients = np.repeat(np.arange(30), 4)
    values = np.repeat(RNG.random(30), 4) + 0.01 * RNG.random(120)
    is_b = np.tile([True, False], 60)
    shared = difference_of_ratios(values, np.ones(120), is_b, patients)
    apart = difference_of_ratios(values, np.ones(120), is_b, patients + 30 * is_b)
    assert shared.high - shared.low < 0.2 * (apart.high - apart.low)


def test_areas_of_clusters_are_near_those_of_independent_items() -> None:
    clusters = np.arange(NUM)
    a, b = (auc_deviations(TRUTH[of], SCORES[of], clusters[of], num_clusters=NUM) for of in (~IS_B, IS_B))
    clustered, plain = (difference_of_aucs(a, b, clustered=which) for which in (True, False))
    assert clustered.test == "obuchowski"
    assert clustered.p == pytest.approx(plain.p, abs=0.02)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=0.01)


def test_bootstraps_agree_with_formulas() -> None:
    cells = 2 * (SCORES <= 0.5) + ~TRUTH
    right = (SCORES > 0.5) == TRUTH

    def accuracy(counts: FloatArray) -> FloatArray:
        return np.asarray(RATES["ACC"](Cells(*counts.T)))

    a, b = ((int(right[of].sum()), int(of.sum())) for of in (~IS_B, IS_B))
    formula = difference_of_proportions(a, b)
    weights = np.ones(NUM)
    clusters = np.arange(NUM)
    found = [
        bootstrap_of_cells(accuracy, cells, IS_B, 4, None, None, {"resamples": 4000}),
        bootstrap_of_cells(accuracy, cells, IS_B, 4, None, weights, {"resamples": 4000}),
        bootstrap_of_cells(accuracy, cells, IS_B, 4, clusters, None, {"resamples": 4000}),
        bootstrap_of_items(
            (lambda drawn: drawn @ right[~IS_B] / drawn.sum(), lambda drawn: drawn @ right[IS_B] / drawn.sum()),
            IS_B,
            None,
            {"resamples": 2000},
        ),
    ]
    for each in found:
        assert each.difference == pytest.approx(formula.difference)
        assert (each.low, each.high) == pytest.approx((formula.low, formula.high), abs=0.02)
    assert [each.test for each in found] == ["bootstrap", "bootstrap", "cluster bootstrap", "bootstrap"]


# fmt: off
NO_TEST = [
    # difference                                                                              remark
    (difference_of_means(np.ones(3), np.ones(4)),                                             "has no spread"),
    (difference_of_means(np.ones(3), np.arange(4.0)),                                         "one side does not vary"),
    (difference_of_ratios(np.asarray([1.0, 1, 0, 1]), np.ones(4), np.arange(4) > 1, np.arange(4)),
                                                                                              "one side does not vary"),
    (difference_of_means(np.ones(1), np.ones(4)),                                             "requires two items"),
    (difference_of_ratios(np.ones(4), np.ones(4), np.arange(4) > 1, np.arange(4)),            "has no spread"),
    (difference_of_ratios(np.arange(4.0), np.ones(4), np.arange(4) > 1, np.zeros(4, int)),    "in one cluster"),
    (difference_of_clustered_proportions(np.ones(4), np.ones(4), np.arange(4) > 1, np.asarray([0, 0, 1, 2])),
                                                                                              "a single cluster"),
    (difference_of_clustered_proportions(np.repeat([0.0, 1, 0, 1], 9), np.ones(36), NINES > 1, NINES),
                                                                                              "fewer than two items"),
]
# fmt: on


@pytest.mark.parametrize(("found", "remark"), NO_TEST)
def test_without_spread_there_is_no_test(found, remark) -> None:  # type: ignore[no-untyped-def]
    assert math.isnan(found.p)
    assert math.isnan(found.low)
    assert remark in found.remark


def test_a_side_without_a_mistake_is_not_certain() -> None:
    """Four items that are all ranked right say little: that side has no spread, and so the difference has no test."""
    right = auc_deviations(np.asarray([True, True, False, False]), np.asarray([4.0, 3, 2, 1]), np.arange(4))
    others = auc_deviations(TRUTH, SCORES, np.arange(NUM))
    is_b, cells = np.arange(NUM) >= 4, 2 * (SCORES <= 0.5) + ~TRUTH
    cells[:4] = 0  # true positives
    found = [difference_of_aucs(right, others, clustered=which) for which in (False, True)]
    for clusters, weights in ((None, None), (None, np.ones(NUM)), (np.arange(NUM), None)):
        found.append(
            bootstrap_of_cells(
                lambda counts: np.asarray(RATES["F1"](Cells(*counts.T))),
                cells, is_b, 4, clusters, weights, {"resamples": 100},
            )
        )  # fmt: skip
    losses = np.arange(NUM) / NUM
    of_items = (lambda drawn: 0.5, lambda drawn: float(drawn @ losses[is_b] / drawn.sum()))
    found.append(bootstrap_of_items(of_items, is_b, None, {"resamples": 100}))
    assert [each.remark for each in found] == [ONE_SIDE] * 6
    assert all(math.isnan(each.p) and math.isnan(each.low) for each in found)


def test_areas_without_a_variance_have_no_test() -> None:
    few = auc_deviations(np.asarray([True, False, False]), np.arange(3.0), np.arange(3))
    enough = auc_deviations(TRUTH, SCORES, np.arange(NUM))
    assert "requires two of each" in difference_of_aucs(few, enough, clustered=False).remark
    separated = auc_deviations(np.asarray([True, True, False, False]), np.asarray([4.0, 3, 2, 1]), np.arange(4))
    assert "no spread" in difference_of_aucs(separated, separated, clustered=False).remark
