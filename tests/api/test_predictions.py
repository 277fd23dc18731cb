"""Predicted numbers and quantiles: several compared, measures with parameters, errors with rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

import germane as ge
from germane.errors import GermaneError
from germane.measures.decisions.regression import linearised

TRUTH = [210.0, 180, 340, 150, 275, 190, 410, 230]
LINEAR = [225.0, 171, 310, 162, 280, 204, 395, 238]
FOREST = [214.0, 183, 331, 153, 262, 199, 401, 236]
LOW = [190.0, 165, 300, 140, 250, 181, 370, 221]
HIGH = [240.0, 200, 352, 175, 300, 214, 405, 249]
MODELS = {"linear": LINEAR, "forest": FOREST}
HOUSES = {"truth": TRUTH, **MODELS, "low": LOW, "high": HIGH}
BOTH = ["linear", "forest"]
AS_LIST: Any = LOW


def test_several_columns_are_evaluated_each_and_compared_by_the_loss_of_each_item() -> None:
    found = ge.classify(HOUSES, task="regression", predicted=BOTH)
    assert [each.name for each in found] == BOTH
    assert found[1]["MAE"].value == 7
    assert found.comparison is not None
    mse, mae = found.comparison.pairs
    losses = [np.abs(np.subtract(column, TRUTH)) for column in (LINEAR, FOREST)]
    theirs = stats.ttest_rel(losses[1], losses[0])
    ends = theirs.confidence_interval()
    assert (mae.measure, mae.value_a, mae.value_b, mae.difference) == ("MAE", 13.5, 7.0, -6.5)
    assert (mae.low, mae.high, mae.p) == pytest.approx((ends.low, ends.high, theirs.pvalue), rel=1e-10)
    assert mse.p == pytest.approx(stats.ttest_rel(losses[1] ** 2, losses[0] ** 2).pvalue, rel=1e-10)
    assert mse.test == "t"
    assert (mae.p_adjusted, mse.p_adjusted) == pytest.approx((2 * mae.p, max(2 * mae.p, mse.p)))
    assert found.comparison.family == "1 pair of predictions × 2 measures"
    assert [note.code for note in found.notes] == ["columns-inferred", "direction"]
    text = "".join(map(str, found.shown()))
    assert "2 predictions: 8 rows" in text


NUMBERS = st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=2, max_size=9)


@settings(max_examples=30)
@given(rows=NUMBERS)
def test_wilcoxon_of_losses_is_the_share_of_all_sign_flips(rows: Any) -> None:
    truth, a, b = (np.asarray(column, dtype=float) for column in zip(*rows, strict=True))
    differences = np.abs(b - truth) - np.abs(a - truth)
    found = ge.compare(truth, y_pred={"a": a, "b": b}, task="regression", measures=["MAE"], test="wilcoxon")
    kept = differences[differences != 0]
    if not len(kept):
        assert (found.pairs[0].p, found.pairs[0].remark) == (1.0, "no item differs")
        return
    ranks = stats.rankdata(np.abs(kept))
    sums = np.asarray([ranks @ signs for signs in product((0, 1), repeat=len(kept))])
    observed = ranks @ (kept > 0)
    tail = min(np.mean(sums >= observed), np.mean(sums <= observed))
    assert found.pairs[0].p == pytest.approx(min(1, 2 * tail), rel=1e-10)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "sign", "wilcoxon"])
def test_every_paired_test_can_be_named(test: str) -> None:
    found = ge.classify(HOUSES, task="regression", predicted=BOTH, test=test, measures="MAE", resamples=999)
    assert found.comparison is not None
    (pair,) = found.comparison.pairs
    assert pair.test == test
    assert 0 < pair.p < 0.2
    cautioned = {note.code for note in found.notes} >= {"caution"}
    assert cautioned == (test in ("sign", "wilcoxon"))


def test_rmse_and_r2_are_linearised_a_median_is_resampled_and_a_maximum_has_no_test() -> None:
    asked = "R2 RMSE median_AE max_error"
    found = ge.classify(HOUSES, task="regression", predicted=BOTH, measures=asked, resamples=500)
    assert found.comparison is not None
    r2, rmse, median, largest = found.comparison.pairs
    assert (r2.test, rmse.test, median.test) == ("t, linearised", "t, linearised", "paired bootstrap")
    assert r2.difference == pytest.approx(metrics.r2_score(TRUTH, FOREST) - metrics.r2_score(TRUTH, LINEAR))
    assert rmse.difference == pytest.approx(np.sqrt(60.25) - np.sqrt(232.5))
    assert r2.low < r2.difference < r2.high
    assert median.remark == "fewer than 60 items: the interval is too narrow"
    assert (largest.difference, largest.remark) == (-17.0, "not tested: the bootstrap fails for a maximum")
    assert math.isnan(largest.p)


def jackknifed(measure: Callable[..., float], truth: Any, predicted: Any) -> float:
    """The standard error of a measure by leaving out each item in turn."""
    n = len(truth)
    values = [measure(np.delete(truth, i), np.delete(predicted, i)) for i in range(n)]
    return float(np.sqrt((n - 1) * np.var(values)))


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("RMSE", metrics.root_mean_squared_error),
        ("R2", metrics.r2_score),
        ("explained_variance", metrics.explained_variance_score),
    ],
)
def test_linearised_values_have_the_measure_as_mean_and_its_standard_error(name: str, measure: Any) -> None:
    chance = np.random.default_rng(4)
    truth = chance.normal(size=4000)
    predicted = truth + chance.normal(0.3, 0.7, size=4000)
    values = linearised(name, truth, predicted)
    assert values is not None
    assert values.mean() == pytest.approx(measure(truth, predicted), rel=1e-10)
    assert values.std(ddof=1) / np.sqrt(4000) == pytest.approx(jackknifed(measure, truth, predicted), rel=0.01)


def test_the_three_doors_to_a_comparison_agree() -> None:
    table = ge.classify(HOUSES, task="regression", predicted=BOTH, baseline="forest", correction="none")
    arrays = ge.classify(TRUTH, MODELS, task="regression", baseline="forest", correction="none")
    frame = ge.classify(TRUTH, pd.DataFrame(MODELS), task="regression", baseline="forest", correction="none")
    direct = ge.compare(TRUTH, y_pred=MODELS, task="regression", baseline="forest", correction="none")
    again = ge.compare(ge.classify(HOUSES, task="regression", predicted=BOTH), baseline="forest", correction="none")
    assert direct.pairs[0].a == "forest"
    for found in (table, arrays, frame):
        assert found.comparison is not None
        assert found.comparison.pairs == direct.pairs
    assert again.pairs == direct.pairs


def test_a_difference_that_is_the_same_for_all_items_has_no_interval_of_no_width() -> None:
    found = ge.compare([1.0, 2, 3], y_pred={"a": [1.0, 2, 3], "b": [2.0, 3, 4]}, task="regression", measures=["MAE"])
    (pair,) = found.pairs
    assert (pair.difference, pair.interval, pair.remark) == (1.0, "degenerate", "all items differ by the same amount")
    assert math.isnan(pair.low)
    assert math.isnan(pair.p)


def test_an_infinite_loss_is_not_tested() -> None:
    found = ge.compare([0.0, 2, 3], y_pred={"a": [1.0, 2, 3], "b": [2.0, 3, 4]}, task="regression", measures=["MAPE"])
    assert found.pairs[0].remark == "not finite for some items"
    one = ge.compare([1.0], y_pred={"a": [1.0], "b": [2.0]}, task="regression", measures=["MAE"]).pairs[0]
    assert (one.difference, one.remark) == (1.0, "only one item")


def test_quantiles_have_coverage_with_wilson_limits_and_their_width() -> None:
    (found,) = ge.classify(HOUSES, task="regression", quantiles={0.1: "low", 0.9: "high"})
    covered = found["interval_coverage(level=0.8)"]
    assert covered.value == 7 / 8
    assert (covered.low, covered.high) == pytest.approx(proportion_confint(7, 8, method="wilson"))
    assert found["interval_width(level=0.8)"].value == np.subtract(HIGH, LOW).mean()
    assert found["interval_score(level=0.8)"].value == pytest.approx((np.subtract(HIGH, LOW).sum() + 2 / 0.2 * 5) / 8)
    for share, column in ((0.1, LOW), (0.9, HIGH)):
        theirs = metrics.mean_pinball_loss(TRUTH, column, alpha=share)
        assert found[f"pinball(quantile={share})"].value == pytest.approx(theirs, rel=1e-10)
        below = np.mean(np.asarray(TRUTH) <= column)
        assert found[f"quantile_coverage(quantile={share})"].value == below
    assert "MSE" not in found.overall, "quantiles alone are no prediction of the mean"
    assert found.columns == {"truth": "truth", "quantile 0.1": "low", "quantile 0.9": "high"}
    (arrays,) = ge.classify(TRUTH, task="regression", quantiles={0.9: HIGH, 0.1: LOW})
    assert dict(arrays.overall) == dict(found.overall)


def test_a_prediction_may_be_a_quantile_too_and_a_name_alone_means_every_quantile() -> None:
    asked = ["pinball", "MAE", "Winkler"]
    (found,) = ge.classify(
        HOUSES,
        task="regression",
        predicted="forest",
        quantiles={0.1: "low", 0.5: "forest", 0.9: "high"},
        measures=asked,
    )
    pinballs = [f"pinball(quantile={share})" for share in (0.1, 0.5, 0.9)]
    assert list(found.overall) == [*pinballs, "MAE", "interval_score(level=0.8)"]
    assert found["pinball(quantile=0.5)"].value == found["MAE"].value / 2
    (point,) = ge.classify(HOUSES, task="regression", predicted="forest", measures=["pinball(quantile=0.9)", "huber"])
    assert point["pinball(quantile=0.9)"].value == pytest.approx(metrics.mean_pinball_loss(TRUTH, FOREST, alpha=0.9))
    assert point["huber"].has_interval


def test_crossed_quantiles_are_noted() -> None:
    (found,) = ge.classify([1.0, 2.0], task="regression", quantiles={0.1: [0.0, 3.0], 0.9: [2.0, 1.0]})
    (note,) = found.notes
    assert (note.code, note.count, note.examples) == ("crossed-quantiles", 1, ("row 2",))
    assert found["interval_width(level=0.8)"].method == "t", "a width below 0 has no logarithm"


def test_weighted_predictions_are_evaluated_and_not_compared() -> None:
    data: dict[str, Any] = {**HOUSES, "w": [1, 2, 1, 1, 3, 1, 1, 1]}
    found = ge.classify(data, task="regression", predicted=BOTH, weight="w")
    assert found.comparison is None
    assert "not-compared" in {note.code for note in found.notes}
    theirs = metrics.mean_pinball_loss(TRUTH, FOREST, alpha=0.9, sample_weight=data["w"])
    (one,) = ge.classify(TRUTH, FOREST, sample_weight=data["w"], task="regression", measures="pinball(quantile=0.9)")
    assert one["pinball(quantile=0.9)"].value == pytest.approx(theirs)
    half = np.asarray(data["w"]) / 2
    (uneven,) = ge.classify(
        TRUTH, sample_weight=half, task="regression", quantiles={0.1: LOW, 0.9: HIGH}, measures=["interval_coverage"]
    )
    estimate = uneven["interval_coverage(level=0.8)"]
    assert estimate.value == pytest.approx(np.average([1] * 6 + [0, 1], weights=half))
    assert estimate.remark == "weights are not integers"


def test_a_constant_truth_has_no_r2_and_says_so() -> None:
    (found,) = ge.classify([2.0, 2.0, 2.0], [1.0, 2.0, 4.0], task="regression")
    assert math.isnan(found["R2"].value)
    assert found["R2"].remark == "all true values are equal"
    assert found["MAE"].value == 1


ERRORS: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: ge.classify([1, "two"], [1, 2], task="regression"),
        "expected a number as true value in row 2, found 'two'",
    ),
    (lambda: ge.classify([1, 2], [1, None], task="regression"), "finite number as prediction in row 2, found nan"),
    (lambda: ge.classify([1, 2], [1, math.inf], task="regression"), "finite number as prediction in row 2, found inf"),
    (lambda: ge.classify([1, 2, 3], [1, 2], task="regression"), "found 2 predictions and 3 true values"),
    (
        lambda: ge.classify([1, 2, 3], task="regression", quantiles={0.1: [1, 2]}),
        "found 2 values of the 0.1 quantile and 3 true values",
    ),
    (lambda: ge.classify([1, 2], task="regression", quantiles={1.5: [1, 2]}), "quantiles between 0 and 1, found 1.5"),
    (lambda: ge.classify([1, 2], [1, 2], task="regression", quantiles={0.5: "low"}), "expected arrays as quantiles"),
    (lambda: ge.classify(HOUSES, task="regression", quantiles={0.1: "low", 0.9: "low"}), "found 'low' twice"),
    (
        lambda: ge.classify(HOUSES, task="regression", predicted=BOTH, quantiles={0.1: "low"}),
        "expected quantiles of one model, found 2 predictions",
    ),
    (
        lambda: ge.classify(TRUTH, FOREST, task="regression", measures="interval_width(level=0.8)"),
        r"requires the quantiles 0.1 and 0.9, found none",
    ),
    (
        lambda: ge.classify(TRUTH, task="regression", quantiles={0.1: LOW}, measures="MAE"),
        "MAE requires predictions, found the quantiles 0.1",
    ),
    (
        lambda: ge.classify(TRUTH, task="regression", quantiles={0.1: LOW}, measures="pinball(quantile=0.9)"),
        "requires predictions, or the quantile 0.9, found",
    ),
    (lambda: ge.classify(TRUTH, FOREST, task="regression", measures="AUC"), "not a measure of task regression: AUC"),
    (lambda: ge.classify(TRUTH, FOREST, task="regression", baseline="a"), "needs at least two predictions, found one"),
    (lambda: ge.classify(TRUTH, MODELS, task="regression", baseline="a"), "'a'"),
    (lambda: ge.classify(TRUTH, MODELS, task="regression", test="tt"), "'tt'"),
    (
        lambda: ge.classify(TRUTH, MODELS, sample_weight=TRUTH, task="regression", baseline="linear"),
        "predictions of weighted items cannot be compared",
    ),
    (lambda: ge.classify(TRUTH, FOREST, task="regression", mcnemar="mid-p"), "not supported for task regression"),
    (lambda: ge.classify([0, 1], [0, 1], test="t"), "`test=` requires `task='regression'` or `task='densities'`"),
    (lambda: ge.classify([0, 1], [0, 1], quantiles={0.1: [1, 2]}), "`quantiles=` requires `task='regression'`"),
    (lambda: ge.compare(TRUTH, y_pred={"a": LOW}, task="regression"), "expected at least two predictions"),
    (lambda: ge.compare(TRUTH, y_pred=AS_LIST, task="regression"), "expected a dict with a column for each classifier"),
    (lambda: ge.compare(TRUTH, y_pred=MODELS, task="clusters"), "arrays of task clusters cannot be compared"),
    (lambda: ge.compare(TRUTH, y_pred=MODELS, task="regression", measures=["AUC"]), "cannot be compared by AUC"),
]


@pytest.mark.parametrize(("call", "said"), ERRORS, ids=[said for _, said in ERRORS])
def test_wrong_input_is_an_error_that_names_the_row_or_the_way_out(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(GermaneError, match=said):
        call()


def test_text_among_numbers_of_a_file_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "houses.csv"
    for rows, said in (
        ("1,2\nx,3\n", "houses.csv:3: expected a number as true value in column 'truth', found 'x'"),
        ("1,2\n2,\n", "houses.csv:3: expected a value in every row, found none in 1 of 2 rows (predicted: 1)"),
        ("1,nan\n2,3\n", "houses.csv:2: expected a value in every row, found none in 1 of 2 rows (predicted: 1)"),
    ):
        path.write_text(f"truth,predicted\n{rows}")
        with pytest.raises(GermaneError) as caught:
            ge.classify(path, task="regression")
        assert said in str(caught.value)
