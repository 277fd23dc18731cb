"""Intervals by resampling items, whatever their class or within classes."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from scipy import stats

from germane.measures.decisions.scores.precision_recall import average_precision
from germane.measures.decisions.scores.roc import area_under_roc
from germane.stats.intervals.delong import auc_estimate
from germane.stats.intervals.scores import MOST_ROWS, Statistic, mean_loss_estimate, score_estimates
from germane.tables.decisions.decisions import Decisions

DRAW = np.random.default_rng(7)
TRUTH = DRAW.random(200) < 0.4
SCORES = np.round(DRAW.normal(size=200) + TRUTH, 1)
SEEN = Decisions.of(TRUTH, SCORES)


def test_the_interval_of_auc_is_near_that_of_delong() -> None:
    found = score_estimates({"AUC": area_under_roc}, SEEN, resamples=1000)["AUC"]
    exact = auc_estimate(SEEN)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.01)
    assert found.value == exact.value


def class_sizes_that_moved(statistic: Statistic, *, stratified: bool) -> Iterator[float]:
    found = score_estimates({"size": statistic}, SEEN, resamples=50, stratified=stratified)["size"]
    if found.method != "degenerate":
        yield found.low


def test_stratified_resamples_keep_the_sizes_of_both_classes() -> None:
    assert list(class_sizes_that_moved(lambda drawn: drawn.num_positive, stratified=True)) == []
    assert list(class_sizes_that_moved(lambda drawn: drawn.num_negative, stratified=True)) == []


def test_the_law_catches_what_does_move() -> None:
    assert list(class_sizes_that_moved(lambda drawn: drawn.true_positives[len(drawn) // 2], stratified=True)) != []
    assert list(class_sizes_that_moved(lambda drawn: drawn.num_positive, stratified=False)) != []


def test_other_resamples_keep_the_number_of_items_and_both_classes() -> None:
    total = score_estimates({"n": lambda drawn: drawn.num_positive + drawn.num_negative}, SEEN, resamples=50)["n"]
    assert (total.value, total.method) == (200, "degenerate")
    few = Decisions.of([True] * 4 + [False] * 40, np.arange(44) % 7)
    remark = score_estimates({"AUC": area_under_roc}, few, resamples=400)["AUC"].remark
    assert remark == "only 4 positives, so the interval may be too narrow"


def test_a_class_that_many_resamples_lack_has_no_interval() -> None:
    found = score_estimates({"AUC": area_under_roc}, Decisions.of([True, False, False], [3, 2, 1]), resamples=40)["AUC"]
    assert (found.has_interval, found.remark) == (False, "no interval, since many resamples lack a class")


def test_intervals_stay_within_the_bounds_of_a_measure() -> None:
    found = score_estimates({"AP": average_precision, "plain": partial(average_precision.target)}, SEEN)
    assert (found["AP"].method, found["plain"].method) == ("bootstrap, logit", "percentile")
    assert found["AP"].value == found["plain"].value
    ends = (found["AP"].low, found["AP"].high)
    assert ends == pytest.approx((found["plain"].low, found["plain"].high), abs=0.03)


def test_a_seed_gives_the_same_and_another_does_not() -> None:
    ends = [score_estimates({"AP": average_precision}, SEEN, resamples=60, seed=seed)["AP"].low for seed in (1, 1, 2)]
    assert ends[0] == ends[1] != ends[2]


@pytest.mark.parametrize(
    ("decisions", "remark"),
    [
        (Decisions.of([True, True], [1, 2]), "only one class"),
        (Decisions.of([True, False], [1, 2], [0.5, 1]), "weights are not integers"),
        (
            Decisions.of([True, False], [1, 2], [1, MOST_ROWS]),
            "no interval by default above 100,000 rows; use --resamples 200",
        ),
    ],
)
def test_where_there_is_no_interval_a_remark_says_why(decisions: Decisions, remark: str) -> None:
    found = score_estimates({"AP": average_precision}, decisions)["AP"]
    assert (found.has_interval, found.remark) == (False, remark)


def test_perfect_separation_is_said_to_be_degenerate() -> None:
    found = score_estimates(
        {"AP": average_precision}, Decisions.of([True] * 9 + [False] * 9, range(18, 0, -1)), resamples=40
    )["AP"]
    assert (found.value, found.method, found.has_interval) == (1.0, "degenerate", False)


def test_a_mean_has_the_interval_of_student() -> None:
    losses, counts = np.asarray([0.0, 1.0, 3.0]), np.asarray([3, 4, 2])
    rows = np.repeat(losses, counts)
    found = mean_loss_estimate(losses, counts, 0.9)
    theirs = stats.t.interval(0.9, len(rows) - 1, rows.mean(), stats.sem(rows))
    assert (found.low, found.high) == pytest.approx(theirs)


def test_means_without_a_spread_have_no_interval() -> None:
    assert mean_loss_estimate(np.asarray([2.0]), np.asarray([1]), 0.95).remark == "only one item"
    assert mean_loss_estimate(np.asarray([2.0, math.inf]), np.asarray([1, 1]), 0.95).remark == "infinite"
    assert mean_loss_estimate(np.asarray([2.0, math.inf]), np.asarray([2, 0]), 0.95).value == 2.0
    assert math.isnan(mean_loss_estimate(np.asarray([2.0]), np.asarray([0]), 0.95).value)


def test_a_high_level_takes_as_many_resamples_as_it_needs() -> None:
    """Of 60,000 rows 333 resamples are the rule, which are too few for the ends of 99.9 %."""
    seen = Decisions.of(np.arange(60_000) % 2, np.arange(60_000) % 7)
    assert score_estimates({"share": lambda d: d.true_positives[0] / 30_000}, seen, level=0.999)["share"].has_interval
