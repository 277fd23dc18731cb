"""Intervals of rates at limits, of gain and of lift: by hand, coverage on a small scale, and why there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from germane.measures.decisions.measure import DECISION_MEASURES
from germane.stats.intervals.proportions import wilson
from germane.stats.intervals.scores import score_estimates
from germane.tables.decisions.decisions import Decisions
from germane.tables.results.performance import Estimate
from tests.stats.constrained_coverage import TRUTHS, coverage, table

RANDOM = np.random.default_rng(22)
TRUTH = RANDOM.random(300) < 0.4
SEEN_SCORES = RANDOM.normal(size=300) + TRUTH
SEEN = Decisions.of(TRUTH, SEEN_SCORES)


def estimate(name: str, decisions: Decisions = SEEN) -> Estimate:
    return score_estimates({name: DECISION_MEASURES.parse(name)}, decisions, resamples=200)[name]


def test_the_interval_of_a_constrained_rate_by_definition() -> None:
    positives, negatives = (np.sort(SEEN_SCORES[side == TRUTH])[::-1] for side in (True, False))
    size, limit = len(negatives), 0.1
    least, most = (int(binom.ppf(tail, size, limit)) for tail in (0.025, 0.975))
    tpr = np.mean(positives > negatives[int(limit * size)])
    at_least = np.mean(positives >= negatives[least - 1])
    at_most = np.mean(positives > negatives[most])
    low, high = wilson(np.asarray(tpr * len(positives)), np.asarray(len(positives)), 0.95)
    found = estimate("TPR(at_fpr=0.1)")
    assert found.value == pytest.approx(tpr)
    assert found.low == pytest.approx(tpr - math.hypot(tpr - low, tpr - at_least))
    assert found.high == pytest.approx(tpr + math.hypot(high - tpr, at_most - tpr))


def test_complements_have_complementary_intervals() -> None:
    for one, other in (
        ("TPR(at_fpr=0.1)", "FNR(at_fpr=0.1)"),
        ("TNR(at_tpr=0.9)", "FPR(at_tpr=0.9)"),
    ):
        a, b = estimate(one), estimate(other)
        assert (a.value, a.low, a.high) == pytest.approx((1 - b.value, 1 - b.high, 1 - b.low))
    a, b = estimate("TPR(at_fpr=0.1)"), estimate("TPR(at_tnr=0.9)")
    assert (a.low, a.high) == (b.low, b.high)


def test_turning_scores_and_labels_round_exchanges_the_classes() -> None:
    turned = Decisions.of(~TRUTH, -SEEN_SCORES)
    a, b = estimate("TPR(at_fpr=0.1)"), estimate("TNR(at_fnr=0.1)", turned)
    assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high))


@pytest.mark.parametrize("name", [*TRUTHS, "TPR(at_fpr=0)", "gain(at=1)", "F1(at_fpr=0.1)", "TPR(at_predicted=0.2)"])
def test_the_value_lies_within_an_interval_with_a_width(name: str) -> None:
    found = estimate(name)
    if found.has_interval:
        assert found.low <= found.value <= found.high
        assert found.low < found.high
    else:
        assert found.remark


def test_a_limit_that_allows_too_few_errors_gets_a_remark() -> None:
    size = int(SEEN.num_negative)
    remark = f"only {size} negatives: the true threshold for FPR <= 0.01 may lie beyond all of them"
    assert estimate("TPR(at_fpr=0.01)").remark == remark
    assert estimate("TPR(at_fpr=0.1)").remark == ""
    assert estimate("PPV(at_tpr=0.99)").remark.startswith(f"only {int(SEEN.num_positive)} positives")


def test_few_items_make_a_resampled_interval_too_narrow_and_the_remark_says_so() -> None:
    few = Decisions.of([True] * 10 + [False] * 90, np.r_[60:70, 0:90])
    assert estimate("F1(at_fpr=0.2)", few).remark.startswith("only 10 positives, so the interval may be too narrow")


def test_lift_is_gain_by_share() -> None:
    one, other = estimate("gain(at=0.2)"), estimate("lift(at=0.2)")
    assert (other.value, other.low, other.high) == pytest.approx((one.value * 5, one.low * 5, one.high * 5))


def test_where_there_is_no_interval_the_remark_says_why() -> None:
    one_class = Decisions.of([True, True], [0.2, 0.9])
    weighted = Decisions.of([True, False, True, False], [0.9, 0.8, 0.7, 0.1], [0.5, 1.5, 1, 1])
    upside_down = Decisions.of([False, True], [0.9, 0.2])
    assert estimate("gain(at=0.5)", one_class).remark == "only one class"
    assert "undefined" in estimate("TPR(at_fpr=0.5)", one_class).remark
    for name in ("gain(at=0.5)", "lift(at=0.5)", "TPR(at_fpr=0.5)", "PPV(at_tpr=0.5)"):
        assert estimate(name, weighted).remark == "weights are not integers"
        assert not estimate(name, weighted).has_interval
    assert estimate("TPR(at_ppv=0.8)", upside_down).remark.startswith("no threshold meets PPV >= 0.8")


@pytest.mark.parametrize("name", ["TPR(at_fpr=0.1)", "FPR(at_tpr=0.95)", "gain(at=0.2)"])
def test_intervals_cover(name: str) -> None:
    share, width = coverage(name, 300, 0.3, trials=200)
    assert share >= 0.90  # 95 % less three standard errors
    assert 0 < width < 1


def test_the_table_of_coverage_has_a_row_for_each_case() -> None:
    assert len(table(trials=1, resamples=50).splitlines()) == 2 + 4 * len(TRUTHS)
