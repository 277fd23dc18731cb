"""Intervals and tests of items in clusters: by hand, against definitions, and with clusters of one item."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from germane.errors import GermaneError
from germane.stats.groups.cluster_bootstrap import ClusterKinds, cluster_cells, cluster_intervals, item_intervals
from germane.stats.groups.clustered_auc import auc_deviations, auc_of_clusters, paired_aucs_of_clusters
from germane.stats.groups.clustered_pairs import (
    paired_bootstrap_of_clusters,
    paired_item_bootstrap_of_clusters,
    paired_proportions_of_clusters,
)
from germane.stats.intervals.clustered import mean_of_clusters, proportion_of_clusters, sums_by_cluster
from germane.stats.intervals.delong import auc_estimate, paired_delong
from germane.stats.intervals.proportions import PROPORTION_INTERVALS
from germane.stats.intervals.scores import mean_loss_estimate
from germane.tables.columns.ids import BoolArray, FloatArray, IntArray
from germane.tables.decisions.decisions import Decisions

RNG = np.random.default_rng(11)
NUM = 90
CLUSTERS: IntArray = RNG.integers(0, 25, NUM)
TRUTH = RNG.random(NUM) < 0.4
SCORES: FloatArray = np.round(RNG.normal(size=NUM) + TRUTH + RNG.normal(size=25)[CLUSTERS], 1)
OTHERS: FloatArray = np.round(RNG.normal(size=NUM) + (1.5 * TRUTH), 1).astype(np.float64)
ONE_EACH: IntArray = np.arange(NUM)


def obuchowski(truth: BoolArray, scores: FloatArray, clusters: IntArray) -> tuple[float, float]:
    """AUC and its variance as in the paper: pair by pair, cluster by cluster (equations 1 to 8)."""
    units = [(scores[(clusters == c) & truth], scores[(clusters == c) & ~truth]) for c in np.unique(clusters)]
    m, n = int(truth.sum()), int((~truth).sum())

    def psi(x: float, y: float) -> float:
        return 1.0 if x > y else 0.5 if x == y else 0.0

    area = sum(psi(x, y) for (xs, _), (_, ys) in product(units, units) for x, y in product(xs, ys)) / (m * n)
    v10 = [sum(psi(x, y) for x in xs for _, ys in units for y in ys) / n for xs, _ in units]
    v01 = [sum(psi(x, y) for y in ys for xs, _ in units for x in xs) / m for _, ys in units]
    i10, i01 = sum(len(xs) > 0 for xs, _ in units), sum(len(ys) > 0 for _, ys in units)
    i = len(units)
    s10 = i10 / ((i10 - 1) * m) * sum((v - len(xs) * area) ** 2 for v, (xs, _) in zip(v10, units, strict=True))
    s01 = i01 / ((i01 - 1) * n) * sum((v - len(ys) * area) ** 2 for v, (_, ys) in zip(v01, units, strict=True))
    both = zip(v10, v01, units, strict=True)
    s11 = i / (i - 1) * sum((a - len(xs) * area) * (b - len(ys) * area) for a, b, (xs, ys) in both)
    return area, s10 / m + s01 / n + 2 * s11 / (m * n)


def test_auc_and_its_variance_are_those_of_the_paper() -> None:
    found = auc_deviations(TRUTH, SCORES, CLUSTERS)
    assert (found.value, found.variance) == pytest.approx(obuchowski(TRUTH, SCORES, CLUSTERS), rel=1e-12)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 5)), min_size=6, max_size=30),
)
def test_the_variance_is_that_of_the_paper_for_any_items(items: list[tuple[bool, int, int]]) -> None:
    truth = np.asarray([is_positive for is_positive, _, _ in items])
    scores = np.asarray([float(score) for _, score, _ in items])
    clusters: IntArray = np.unique([cluster for _, _, cluster in items], return_inverse=True)[1].astype(np.int64)
    if truth.all() or not truth.any():
        return
    found = auc_deviations(truth, scores, clusters)
    if found.too_few:
        assert min(len(set(clusters[truth])), len(set(clusters[~truth]))) < 2
        return
    assert (found.value, found.variance) == pytest.approx(obuchowski(truth, scores, clusters), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("scale", ["logit", "plain"])
def test_clusters_of_one_item_give_delongs_interval(scale: str) -> None:
    found = auc_of_clusters(TRUTH, SCORES, ONE_EACH, scale=scale)  # type: ignore[arg-type]
    single = auc_estimate(Decisions.of(TRUTH, SCORES), scale=scale)  # type: ignore[arg-type]
    assert (found.value, found.low, found.high) == pytest.approx((single.value, single.low, single.high), abs=1e-12)


def test_clusters_of_one_item_give_delongs_statistic() -> None:
    found, single = paired_aucs_of_clusters(TRUTH, SCORES, OTHERS, ONE_EACH), paired_delong(TRUTH, SCORES, OTHERS)
    assert (found.difference, found.statistic) == pytest.approx((single.difference, single.statistic), abs=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(single.statistic), NUM - 1))


def test_a_weight_of_two_is_an_item_that_its_cluster_has_twice() -> None:
    weights = RNG.integers(1, 4, NUM)
    rows = np.repeat(np.arange(NUM), weights)
    found = auc_deviations(TRUTH, SCORES, CLUSTERS, weights.astype(np.float64))
    repeated = auc_deviations(TRUTH[rows], SCORES[rows], CLUSTERS[rows])
    assert (found.value, found.variance) == pytest.approx((repeated.value, repeated.variance), rel=1e-12)


# fmt: off
NO_AUC_INTERVAL = [
    # truth          scores        clusters       remark                                      why
    ([1, 1],         [1, 2],       [0, 1],        "no negatives",                             "one class"),
    ([0, 0],         [1, 2],       [0, 1],        "no positives",                             "the other"),
    ([1, 1, 0, 0],   [4, 2, 3, 1], [0, 0, 1, 2],  "1 cluster with positives and 2 with",      "too few"),
    ([1, 1, 0, 0],   [4, 3, 2, 1], [0, 1, 2, 3],  "Obuchowski's variance is 0",               "separated"),
]
PROPORTIONS = [
    # successes     trials        value  n*           why
    ([1, 0, 1, 1],  [1, 1, 1, 1], 3 / 4, 4,           "clusters of one item"),
    ([2, 2, 2],     [2, 2, 2],    1,     3,           "all right: each cluster is one item"),
    ([0, 0, 0],     [2, 5, 1],    0,     3,           "none right"),
    ([1, 1, 1],     [2, 2, 2],    1 / 2, 6,           "the same in each: not more than the items"),
    ([3, 0, 3, 2],  [3, 3, 3, 3], 2 / 3, None,        "deff = (6 · 4/3 / 144) / (2/9 / 11) = 2.75"),
]
# fmt: on


@pytest.mark.parametrize(("truth", "scores", "clusters", "remark", "why"), NO_AUC_INTERVAL)
def test_no_interval_of_auc_without_its_variance(truth, scores, clusters, remark, why) -> None:  # type: ignore[no-untyped-def]
    found = auc_of_clusters(np.asarray(truth) == 1, np.asarray(scores, float), np.asarray(clusters))
    assert not found.has_interval, why
    assert remark in found.remark


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson"])
@pytest.mark.parametrize(("successes", "trials", "value", "effective", "why"), PROPORTIONS)
def test_proportions_by_hand(successes, trials, value, effective, why, method) -> None:  # type: ignore[no-untyped-def]
    found = proportion_of_clusters(np.asarray(successes, float), np.asarray(trials, float), method=method)
    if effective is None:
        effective = 12 / 2.75 * (stats.t.ppf(0.975, 11) / stats.t.ppf(0.975, 3)) ** 2
    low, high = (float(end) for end in PROPORTION_INTERVALS[method](value * effective, effective))
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-12), why
    assert found.method == f"{method}, clusters"


def test_weights_of_any_scale_give_the_same_proportion_and_interval() -> None:
    successes, trials = np.asarray([3.0, 0, 3, 2]), np.full(4, 3.0)
    plain, tiny = (proportion_of_clusters(successes * w, trials * w, items=12) for w in (1, 1e-3))
    assert (tiny.value, tiny.low, tiny.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_a_single_cluster_has_no_interval() -> None:
    one, ones = np.zeros(4, dtype=np.int64), np.ones(4)
    truth = np.asarray([True, False, True, False])
    found = [
        proportion_of_clusters(np.asarray([2.0]), np.asarray([4.0])),
        mean_of_clusters(np.arange(4.0), one),
        *cluster_intervals(lambda cells: cells[:, 0], np.asarray([[2.0, 2.0]])),
        item_intervals({"sum": lambda drawn: float(drawn @ ones)}, one)["sum"],
    ]
    assert [each.value for each in found] == [0.5, 1.5, 2, 4]
    assert all("all items are in one cluster" in each.remark and not each.has_interval for each in found)
    pairs = [
        paired_proportions_of_clusters(truth, ~truth | truth, one),
        paired_bootstrap_of_clusters(lambda c: c[..., 1, 1], truth.astype(int), one, one + 1, one, 2),
        paired_item_bootstrap_of_clusters(lambda d: 0.0, lambda d: float(d.sum()), one),
    ]
    assert [each.difference for each in pairs] == [0.5, 2, 4]
    assert all(math.isnan(each.p) and "one cluster" in each.remark for each in pairs)


def test_without_trials_a_proportion_is_undefined() -> None:
    assert math.isnan(proportion_of_clusters(np.zeros(2), np.zeros(2)).value)


def test_a_mean_with_clusters_of_one_item_has_students_interval() -> None:
    losses = RNG.random(20)
    found = mean_of_clusters(losses, np.arange(20), bounds=(0, 1))
    single = mean_loss_estimate(losses, np.ones(20, dtype=np.int64), 0.95, (0, 1))
    assert (found.value, found.low, found.high) == pytest.approx((single.value, single.low, single.high), abs=1e-12)


def test_means_without_an_interval() -> None:
    clusters = np.asarray([0, 0, 1, 1])
    assert mean_of_clusters(np.asarray([0.0, 1, 1, 0]), clusters).remark == "every cluster gives 0.5"
    assert mean_of_clusters(np.asarray([0.0, math.inf, 1, 0]), clusters).value == math.inf
    assert mean_of_clusters(np.asarray([0.0, math.nan, 1, 0]), clusters).remark == "undefined for some items"
    assert mean_of_clusters(np.ones(4), clusters, np.zeros(4)).remark == "no items"
    with pytest.raises(GermaneError, match="expected a cluster for each of 3 items, found 4"):
        mean_of_clusters(np.ones(3), clusters)
    with pytest.raises(GermaneError, match="a score and a cluster for each of 3 items"):
        auc_deviations(np.ones(3, dtype=bool), np.ones(3), clusters)


def test_copies_of_every_item_change_nothing_where_they_share_its_cluster() -> None:
    """Naive intervals shrink with copies; those of clusters do not."""
    twice, clusters = np.tile(TRUTH, 2), np.tile(CLUSTERS, 2)
    right = np.where(SCORES > 0.5, TRUTH, ~TRUTH).astype(float)

    def share(right: FloatArray, clusters: IntArray) -> tuple[float, float]:
        sums = (sums_by_cluster(each, clusters, 25) for each in (right, np.ones_like(right)))
        found = proportion_of_clusters(*sums, items=NUM)
        return found.low, found.high

    assert share(right, CLUSTERS) == pytest.approx(share(np.tile(right, 2), clusters))
    once, again = auc_deviations(TRUTH, SCORES, CLUSTERS), auc_deviations(twice, np.tile(SCORES, 2), clusters)
    assert again.variance == pytest.approx(once.variance)


def test_the_cluster_bootstrap_draws_whole_clusters() -> None:
    table = cluster_cells(TRUTH.astype(int), CLUSTERS, 2)
    kinds = ClusterKinds.of_table(table)
    assert kinds.counts.sum() == len(table)
    assert kinds.totals(kinds.counts[None].astype(float))[0] == pytest.approx(table.sum(axis=0))
    left = kinds.without_one(slice(0, 1))[0]
    assert left == pytest.approx(table.sum(axis=0) - kinds.table[0])
    possible = {tuple(row) for row in kinds.table}
    (draws,) = list(ClusterKinds.of_table(table[:1]).draws(1, 0))
    assert tuple((draws @ table[:1])[0]) in possible


def test_the_bootstrap_of_a_share_agrees_with_its_formula() -> None:
    table = cluster_cells(TRUTH.astype(int), CLUSTERS, 2)
    (drawn,) = cluster_intervals(lambda cells: cells[:, 1] / cells.sum(axis=1), table, resamples=4000)
    formula = proportion_of_clusters(table[:, 1], table.sum(axis=1))
    assert drawn.value == pytest.approx(formula.value)
    assert (drawn.low, drawn.high) == pytest.approx((formula.low, formula.high), abs=0.02)
    by_item = item_intervals({"share": lambda n: float(n[TRUTH].sum() / n.sum())}, CLUSTERS, resamples=4000)["share"]
    assert (by_item.low, by_item.high) == pytest.approx((drawn.low, drawn.high), abs=0.015)


def test_many_items_get_fewer_resamples_which_is_said() -> None:
    clusters = np.arange(40_000) // 4_000
    found = item_intervals({"first": lambda drawn: float(drawn[0])}, clusters)["first"]
    assert found.remark == "500 resamples"


def test_paired_proportions_by_hand() -> None:
    a, b = np.asarray([1, 0, 0, 1, 0, 1, 0, 0]) == 1, np.asarray([1, 1, 1, 1, 0, 1, 1, 0]) == 1
    found = paired_proportions_of_clusters(a, b, np.asarray([0, 0, 0, 1, 1, 2, 2, 3]))
    # d = 3/8; deviations 2 − 9/8, 0 − 6/8, 1 − 6/8, 0 − 3/8; s² = 4/3 · Σ²/64
    error = math.sqrt(4 / 3 * ((7 / 8) ** 2 + (6 / 8) ** 2 + (2 / 8) ** 2 + (3 / 8) ** 2) / 64)
    half = stats.t.ppf(0.975, 3) * error
    assert (found.difference, found.low, found.high) == pytest.approx((3 / 8, 3 / 8 - half, 3 / 8 + half))
    assert found.p == pytest.approx(2 * stats.t.sf(3 / 8 / error, 3))


# fmt: off
PAIRS_WITHOUT_SPREAD = [
    # a             b             difference  p         remark                     why
    ([1, 0, 1, 0],  [1, 0, 1, 0], 0,          1.0,      "no discordant items",     "the same decisions"),
    ([0, 0, 0, 0],  [1, 0, 1, 0], 1 / 2,      math.nan, "it has no spread",        "one more in each cluster"),
]
# fmt: on


@pytest.mark.parametrize(("a", "b", "difference", "p", "remark", "why"), PAIRS_WITHOUT_SPREAD)
def test_pairs_without_spread(a, b, difference, p, remark, why) -> None:  # type: ignore[no-untyped-def]
    found = paired_proportions_of_clusters(np.asarray(a) == 1, np.asarray(b) == 1, np.asarray([0, 0, 1, 1]))
    assert (found.difference, found.p) == pytest.approx((difference, p), nan_ok=True), why
    assert remark in found.remark
    assert paired_proportions_of_clusters(*(np.zeros(0, bool),) * 2, np.zeros(0, int)).remark == "no items"


def test_paired_aucs_without_spread() -> None:
    truth, scores, clusters = np.asarray([1, 1, 0, 0]) == 1, np.asarray([4.0, 2, 3, 1]), np.arange(4)
    assert paired_aucs_of_clusters(truth, scores, scores, clusters).p == 1
    apart = paired_aucs_of_clusters(truth, np.asarray([1.0, 2, 3, 4]), np.asarray([4.0, 3, 2, 1]), clusters)
    assert (apart.difference, math.isnan(apart.p), "no spread" in apart.remark) == (1, True, True)
    few = paired_aucs_of_clusters(truth, scores, -scores, np.asarray([0, 0, 1, 2]))
    assert "requires two of each" in few.remark


def test_paired_bootstraps_agree_with_each_other() -> None:
    a, b = (SCORES > 0.5).astype(int), (OTHERS > 0.5).astype(int)
    truth = TRUTH.astype(int)

    def accuracy(counts: FloatArray) -> FloatArray:
        return np.asarray(np.trace(counts, axis1=-2, axis2=-1) / counts.sum(axis=(-2, -1)))

    by_cells = paired_bootstrap_of_clusters(accuracy, truth, a, b, CLUSTERS, 2, resamples=4000)

    def share_right(said: IntArray) -> Callable[[FloatArray], float]:
        return lambda drawn: float(drawn[said == truth].sum() / drawn.sum())

    by_items = paired_item_bootstrap_of_clusters(share_right(a), share_right(b), CLUSTERS, resamples=4000)
    by_formula = paired_proportions_of_clusters(a == truth, b == truth, CLUSTERS)
    for found in (by_cells, by_items):
        assert found.difference == pytest.approx(by_formula.difference)
        assert (found.low, found.high) == pytest.approx((by_formula.low, by_formula.high), abs=0.03)
        assert found.test == "paired cluster bootstrap"
        assert found.p == pytest.approx(by_formula.p, abs=0.05)
    assert paired_bootstrap_of_clusters(accuracy, truth, a, a, CLUSTERS, 2).p == 1
